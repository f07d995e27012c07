"""The league of 400 simulations a move: constants of MCTS, *-minimax, and evolved formulas.

Plays three round robins, 1,100 games in all, and sets the last one beside the published ranks.
Every game leaves a row, and an interrupted run goes on where it stopped. Needs the extra
``experiments``.

Source: Galván and Simpson (2021), "On the Evolution of the MCTS Upper Confidence Bounds for Trees
by Means of Evolutionary Algorithms in the Game of Carcassonne", arXiv:2112.09697. Returns are
points here, as in their program (https://github.com/33fred33/CarcassonneAI): exploration constants
and bounds of 100 are on that scale.
"""

from __future__ import annotations

import argparse

from command_line import parsed, parser, positive
from report import Report
from standings import LEAGUE_LEGEND, labelled, league_table, ratings_table

from agents.arena import round_robin
from agents.backends import backend
from agents.league import GALVAN
from carcassonne_env import CarcassonneModel
from carcassonne_env.records import final_scores

GAMES = {"base, returns in points": CarcassonneModel(max_score=1)}
UCB1 = "tree_policy=ucb1(c={c}, form=Q + 2*C*sqrt(ln(N)/n))"
CONSTANTS = {
    f"MCTS C={c}": f"mcts(iterations={{iterations}}, {UCB1.format(c=c)})"
    for c in ("0.25", "0.5", "1", "2", "3")
}
STARS = {
    name: f"{name.lower()}(depth={{depth}}, heuristic=vs, lower=-100, upper=100)"
    for name in ("Star1", "Star2", "Star2.5")
}
LAST = {
    "ES-MCTS": "es-mcts(iterations={iterations})",
    "ES-p-MCTS": "es-p-mcts(iterations={iterations})",
    "MCTS C=1": CONSTANTS["MCTS C=1"],
    "MCTS C=2": CONSTANTS["MCTS C=2"],
    "Star1": STARS["Star1"],
    "Random": "random",
}
LEAGUES = {"constants": CONSTANTS, "stars": STARS, "last": LAST}
PUBLISHED = {
    "ES-MCTS": 49, "Star1": 34, "MCTS C=1": 29, "MCTS C=2": 26, "ES-p-MCTS": 10, "Random": 0
}  # fmt: skip
"""League points of the last round robin."""
HEADINGS = {
    "constants": "Constants of MCTS",
    "stars": "*-minimax",
    "last": "Evolved formulas against the others",
}


def main() -> None:
    """Plays what is missing and writes the report."""
    args = parsed_arguments()
    games = {"constants": args.games, "stars": args.games, "last": args.last_games}
    report = Report(args, "simulation_league", f"The league of {args.iterations} simulations")
    report.parts.append(
        f"Not in our sources, and so assumed: depth {args.depth} and the virtual score for "
        "*-minimax, returns in points and `Q + 2*C*sqrt(ln(N)/n)` for MCTS. ES-MCTS and ES-p-MCTS "
        "evaluate formulas by 810 more simulations, which do not count."
    )
    with backend(args.backend, args.jobs, args.address):
        for name, players in LEAGUES.items():
            play(report, name, players, games[name], args)
    report.write()


def play(
    report: Report, name: str, players: dict[str, str], num_games: int, args: argparse.Namespace
) -> None:
    """Plays one round robin and adds its league table to the report."""
    agents = {
        label: text.format(iterations=args.iterations, depth=args.depth)
        for label, text in players.items()
    }
    path = args.out / f"simulation_league_{name}.csv"
    table = round_robin(path, GAMES, [*agents.values()], num_games, measure=final_scores)
    table = labelled(table, agents)
    published = PUBLISHED if name == "last" else {}
    report.section(
        HEADINGS[name],
        f"{num_games} games a match, either seat order. {LEAGUE_LEGEND}",
        league_table(table, GALVAN, published, are_ranks=False),
        ratings_table(table),
    )


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    options = parser(__doc__)
    options.add_argument("--iterations", type=positive, default=400, help="simulations a move")
    options.add_argument("--depth", type=positive, default=2, help="decisions of *-minimax")
    options.add_argument(
        "--games", type=positive, default=25, help="a match of the first two leagues"
    )
    options.add_argument(
        "--last-games", type=positive, default=15, help="a match of the last league"
    )
    return parsed(options, iterations=100, games=2, last_games=2)


if __name__ == "__main__":
    main()
