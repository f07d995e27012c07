"""A comparison of configurations of MCTS in the base game for two, at equal time a move.

Every configuration plays against the reference ``mcts(c=0.5)`` and against ``greedy``, the best
virtual score. Every seed is played once in either seat. The script prints the share of points won
(a draw is half a point) and the mean lead, with 95% confidence intervals. Needs the extra
``experiments``. Run nothing else at the same time, because the budget is time.
"""

from __future__ import annotations

import argparse

import pandas as pd
from command_line import even, parsed, parser
from report import Report, groups_by, markdown, with_interval

from agents import Agent, make
from agents.arena import play_matches
from agents.backends import backend
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


def main() -> None:
    """Plays the missing games and writes the report."""
    args = parsed_arguments()
    opponents = {name: text.format(seconds=args.seconds) for name, text in OPPONENTS.items()}
    players = {c: player_of(c, args.seconds) for c in args.configurations}
    seatings = [
        pair
        for configuration in players
        for opponent in opponents
        if player_of(configuration, args.seconds) != opponents[opponent]
        for pair in ((configuration, opponent), (opponent, configuration))
    ]
    entrants = [*players.items(), *opponents.items()]
    path = args.out / f"mcts_family_{args.seconds:g}s.csv"
    with backend(args.backend, args.jobs, args.address):
        table = play_matches(path, GAMES, entrants, seatings, args.games // 2, measure=final_scores)
    report = Report(args, "mcts_family", "Configurations of MCTS at equal time")
    report.section(
        f"{args.seconds:g} s a move",
        f"{args.games} games a row, half of them in either seat; share of points won (a draw is "
        "half a point) and mean lead against each opponent, ± half of the 95% confidence interval.",
        family_table(table, list(players)),
    )
    report.write()


def family_table(table: pd.DataFrame, configurations: list[str]) -> str:
    """A table of all configurations against all opponents, sorted by points."""
    games = pd.concat(
        [
            pd.DataFrame(
                {
                    "configuration": table[f"seat_{seat}"],
                    "opponent": table[f"seat_{1 - seat}"],
                    "score": table[f"score_{seat}"],
                    "lead": table[f"score_{seat}"] - table[f"score_{1 - seat}"],
                }
            )
            for seat in (0, 1)
        ]
    )
    games = games[games["configuration"].isin(configurations)]
    games["points"] = (games["lead"] > 0) + 0.5 * (games["lead"] == 0)
    lines = []
    for configuration, rows in groups_by(games, "configuration").items():
        line = [f"`{configuration}`"]
        for opponent in OPPONENTS:
            some = rows[rows["opponent"] == opponent]
            line += (
                [with_interval(some["points"], 2), with_interval(some["lead"], 1)]
                if len(some)
                else ["", ""]
            )
        lines.append((-rows["points"].mean(), line))
    header = [text for name in OPPONENTS for text in (f"points, `{name}`", "lead")]
    return markdown(["configuration", *header], [line for _, line in sorted(lines)])


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--configurations", nargs="*", default=CONFIGURATIONS, metavar="OPTIONS")
    options.add_argument("--games", type=even, default=40, help="games of each row")
    options.add_argument("--seconds", type=float, default=0.1, help="a move, for MCTS")
    return parsed(options, games=2, seconds=0.01)


if __name__ == "__main__":
    main()
