"""Which configuration of MCTS is strongest at the base game for two, at equal time a move.

Every configuration plays the reference, ``mcts(c=0.5)``, and ``greedy``, the best virtual score:
every seed once in either seat. Prints the share of points won (a draw is half a point), the mean
lead and the mean score, with 95% confidence intervals. Needs the extra ``experiments``; time limits
mean most where nothing else runs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from report import groups_by, markdown, with_interval

from agents import Agent, Rng, make
from agents.experiment import run_experiment
from carcassonne_env import CarcassonneModel, TwoStepAgent

REFERENCE = "mcts(c=0.5{budget})"
OPPONENTS = {"mcts(c=0.5)": REFERENCE, "greedy": "greedy"}
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
    "two steps; c=0.02, reuse_tree=True",
)
"""Options of ``mcts``; after "two steps;" the tile and the meeple are two decisions, half the time
each."""


def player_of(configuration: str, seconds: float, seed: np.random.SeedSequence) -> Agent:
    """The planner of a configuration."""
    options = configuration.removeprefix("two steps; ")
    if options == configuration:
        return make(f"mcts({options}, time_limit={seconds})", seed=seed)
    return TwoStepAgent(make(f"mcts({options}, time_limit={seconds / 2})", seed=seed))


def play(
    configuration: str, opponent: str, seconds: float, seat: int, seed: int
) -> dict[str, float]:
    """Plays one game.

    Returns:
        The scores of the configuration and of its opponent.
    """
    draws, *seeds = np.random.SeedSequence(seed).spawn(3)
    players = [
        player_of(configuration, seconds, seeds[0]),
        make(OPPONENTS[opponent].format(budget=f", time_limit={seconds}"), seed=seeds[1]),
    ]
    model, rng = CarcassonneModel(), Rng(draws)
    while not model.is_terminal():
        if model.is_chance_node():
            action = model.sample_chance(rng)
        else:
            action = players[model.current_player() ^ seat].choose(model)
        for player in players:
            player.advance(action)
        model.apply_action(action)
    return {"score": model.scores[seat], "opponent_score": model.scores[1 - seat]}


def main() -> None:
    """Plays what is missing and prints the table."""
    args = parsed_arguments()
    jobs = [
        {"configuration": c, "opponent": o, "seconds": args.seconds, "seat": seat, "seed": seed}
        for seed in range(args.games // 2)
        for seat in (0, 1)
        for c in args.configurations
        for o in OPPONENTS
        if o != "mcts(c=0.5)" or c != "c=0.5"
    ]
    table = run_experiment(args.out / "mcts_family.csv", play, jobs, workers=args.jobs)
    table["lead"] = table["score"] - table["opponent_score"]
    table["points"] = (table["lead"] > 0) + 0.5 * (table["lead"] == 0)
    lines = []
    for (opponent, configuration), rows in groups_by(table, ["opponent", "configuration"]).items():
        lines.append(
            [
                opponent,
                configuration,
                with_interval(rows["points"], 2),
                with_interval(rows["lead"], 1),
                with_interval(rows["score"], 1),
            ]
        )
    lines.sort(key=lambda line: (line[0], -float(line[3].split()[0])))
    print(f"{args.games} games a row, {args.seconds:g} s a move.\n")
    print(markdown(["opponent", "configuration", "points", "lead", "score"], lines))


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--configurations", nargs="*", default=CONFIGURATIONS, metavar="OPTIONS")
    parser.add_argument("--games", type=int, default=40, help="games of each row, even, 2 or more")
    parser.add_argument("--seconds", type=float, default=0.1, help="a move, for MCTS")
    parser.add_argument("--jobs", type=int, default=1, help="worker processes")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder of the rows")
    args = parser.parse_args()
    if args.games < 2 or args.games % 2:
        parser.error(f"--games must be an even number of at least 2, got {args.games}")
    return args


if __name__ == "__main__":
    main()
