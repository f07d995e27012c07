"""A comparison of configurations of MCTS in the base game for two, at equal time a move.

Every configuration plays against the reference ``mcts(c=0.5)`` and against ``greedy``, the best
virtual score. Every seed is played once in either seat. The script prints the share of points won
(a draw is half a point) and the mean lead, with 95% confidence intervals. Run nothing else at the
same time, because the budget is time.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from report import Option, Report, markdown, run, with_interval
from standings import leads, points_of

from agents import Agent, make
from agents.arena import play_matches
from carcassonne_env import TwoStepAgent
from carcassonne_env.game_setup import Setup
from carcassonne_env.measures import final_scores

TWO_STEPS = "two steps; "
SETUP = Setup(num_players=2, num_meeples=7, tiles="base")
GAMES = {SETUP.name: SETUP}
OPPONENTS = {"mcts(c=0.5)": "mcts(c=0.5, time_limit={seconds})", "greedy": "greedy"}
CONFIGURATIONS = (
    "c=0.5",
    "c=0.05",
    "c=0.02",
    "c=0.01",
    "tree_policy=ucb1-tuned(c=0.02, scale=0.1)",
    "tree_policy=greedy",
    "tree_policy=epsilon-greedy(epsilon=0.1)",
    "tree_policy=decaying-epsilon-greedy",
    "tree_policy=boltzmann(temperature=0.005)",
    "tree_policy=rave(c=0.02)",
    "c=0.02, widening=(2, 0.4), expansion=ordered",
    "c=0.02, rollout_policy=game(name=meeple, parameter=0.5)",
    "c=0.02, rollout_policy=direct(heuristic=vs)",
    "c=0.02, rollout_policy=truncated(max_moves=4, heuristic=vs)",
    "c=0.02, rollout_policy=epsilon-greedy(epsilon=0.5, heuristic=vs)",
    "c=0.02, reuse_tree=True",
    "c=0.02, trees=4, determinize=True, vote=majority",
    f"{TWO_STEPS}c=0.02, reuse_tree=True",
)
"""Options of ``mcts``. After "two steps;", tile and meeple are two decisions, each with half of the
time."""


def player_of(configuration: str, seconds: float) -> str | Agent:
    """The planner of a configuration."""
    options = configuration.removeprefix(TWO_STEPS)
    if options == configuration:
        return f"mcts({options}, time_limit={seconds})"
    return TwoStepAgent(make(f"mcts({options}, time_limit={seconds / 2})", seed=0))


def main(report: Report) -> None:
    args = report.args
    opponents = {name: text.format(seconds=args.seconds) for name, text in OPPONENTS.items()}
    players = {c: player_of(c, args.seconds) for c in args.configurations}
    seatings = [
        pair
        for configuration in players
        for opponent in opponents
        if players[configuration] != opponents[opponent]
        for pair in ((configuration, opponent), (opponent, configuration))
    ]
    entrants = [*players.items(), *opponents.items()]
    path = report.path(f"{args.seconds:g}s")
    table = play_matches(path, GAMES, entrants, seatings, args.games // 2, measure=final_scores)
    report.section(
        f"{args.seconds:g} s a move",
        f"{args.games} games a row, half of them in either seat; share of points won (a draw is "
        "half a point) and mean lead against each opponent, ± half of the 95% confidence interval.",
        family_table(table, list(players)),
    )


def family_table(table: pd.DataFrame, configurations: list[str]) -> str:
    """A table of all configurations against all opponents, sorted by points."""
    lines = []
    for configuration in configurations:
        line, points = [f"`{configuration}`"], []
        for opponent in OPPONENTS:
            lead = leads(table, configuration, opponent)
            points += points_of(lead).tolist()
            shown = [with_interval(points_of(lead), 2), with_interval(lead, 1)]
            line += shown if len(lead) else ["", ""]
        lines.append((-np.mean(points), line))
    header = [text for name in OPPONENTS for text in (f"points, `{name}`", "lead")]
    return markdown(["configuration", *header], [line for _, line in sorted(lines)])


if __name__ == "__main__":
    run(
        main,
        "Configurations of MCTS at equal time",
        configurations=Option(CONFIGURATIONS, "options of each planner, one text each"),
        games=Option(40, "games of each row", quick=2, least=2, is_even=True),
        seconds=Option(0.1, "a move, for MCTS", quick=0.01),
    )
