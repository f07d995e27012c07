"""The league of 400 simulations a move: constants of MCTS, *-minimax, and evolved formulas.

The script plays three round robins, 1,100 games in all, and compares the last one with the
published points. It then plays the last one again with an ES-MCTS that is nearer to the authors'
program than to their paper.

Source: Galván and Simpson (2021), "On the Evolution of the MCTS Upper Confidence Bounds for Trees
by Means of Evolutionary Algorithms in the Game of Carcassonne", arXiv:2112.09697. Some settings
come from their program, https://github.com/33fred33/CarcassonneAI: returns in points, the formula
and the recommendation of MCTS, and the heuristic of *-minimax.
"""

from __future__ import annotations

from report import Option, Report, run
from standings import LEAGUE_LEGEND, add_league, played

from agents.league import GALVAN
from carcassonne_env import CarcassonneModel

GAMES = {"base, returns in points": CarcassonneModel(max_score=1)}
UCB1 = "tree_policy=Q + 2*c*sqrt(2*ln(N)/n)"
CONSTANTS = {
    f"MCTS C={c}": f"mcts(iterations={{iterations}}, c={c}, {UCB1}, recommendation=max)"
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
EVALUATIONS = (1 + 20 * 4) * 10
"""Iterations to evaluate formulas: 10 for the first, and for 4 in each of 20 generations."""
NEARER_TO_THE_PROGRAM = {
    **LAST,
    "ES-MCTS": "es-mcts(iterations={all_iterations}, evaluation=tree, strategy=plus)",
    "ES-p-MCTS": "es-p-mcts(iterations={iterations}, strategy=plus)",
}
PUBLISHED = {
    "ES-MCTS": 49, "Star1": 34, "MCTS C=1": 29, "MCTS C=2": 26, "ES-p-MCTS": 10, "Random": 0
}  # fmt: skip
"""Published league points of the last round robin."""


def main(report: Report) -> None:
    args = report.args
    args.all_iterations = args.iterations + EVALUATIONS
    report.parts.append(
        "From the authors' program: returns in points, `Q + 2*C*sqrt(2*ln(N)/n)` and the highest "
        f"mean for MCTS, the virtual score for *-minimax; its depth, {args.depth} here, is 1 there "
        f"by default. Every match is played in either seat order. {LEAGUE_LEGEND}"
    )
    for heading, text, part, players, num_games, published in (
        ("Constants of MCTS", "", "constants", CONSTANTS, args.games, {}),
        ("*-minimax", "", "stars", STARS, args.games, {}),
        (
            "Evolved formulas against the others",
            "ES-MCTS and ES-p-MCTS evaluate formulas by "
            f"{EVALUATIONS} simulations more, which leave nothing in the tree. ",
            *("last", LAST, args.last_games, PUBLISHED),
        ),
        (
            "The same with evaluations in the tree",
            "ES-MCTS backs the returns of its evaluations up in the tree that chooses the action, "
            "as `MCTS_ES_BACK_Player.py` of the authors' program does; its evolution strategy and "
            "that of ES-p-MCTS are (1 + 4), the program's default. ",
            *("nearer", NEARER_TO_THE_PROGRAM, args.last_games, PUBLISHED),
        ),
    ):
        table = played(report, part, GAMES, players, num_games)
        text = f"{num_games} games a match. {text}{{chance}}"
        add_league(report, heading, text, table, GALVAN, published)


if __name__ == "__main__":
    run(
        main,
        "The league of {iterations} simulations",
        iterations=Option(400, "simulations a move", quick=100),
        depth=Option(2, "decisions of *-minimax"),
        games=Option(25, "a match of the first two leagues", quick=2),
        last_games=Option(15, "a match of the last league", quick=2),
    )
