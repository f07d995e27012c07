"""EvoMCTS: MCTS against itself, evolution of formulas for playouts, and evolved players.

The script plays MCTS against MCTS with different numbers of playouts, also by other readings of the
publication. It evolves formulas in runs that are smaller than the published ones, and plays the
evolved players of the package against MCTS and alpha-beta.

Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE
Transactions on Computational Intelligence and AI in Games 6(4), 2014.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
from published import compare_points, tally
from report import Option, Report, emphasised, markdown, run, verdict, with_interval
from standings import pairs_of_games

from agents import catalogue
from agents.coevolution import Settings, champion, evolve, figure
from agents.specification import parsed as parsed_specification, specified

C = 1.4
"""The published 0.7 is for returns from 0 to 1; ours are from -1 to 1, twice as wide."""
TIES = "robust-random"
"""The publication names no rule for ties of visits; here they are broken at random."""
PARTS = ("benchmark", "readings", "evolution", "players")


def mcts(playouts: int, game: str, **options: Any) -> str:
    """MCTS with uniformly random playouts; in Hex it forgets its tree after each move."""
    given = {"c": C, "iterations": playouts, "recommendation": TIES}
    kept = {} if game.startswith("hex") else {"reuse_tree": True}
    return specified("mcts", given | kept | options)


def evolved(playouts: int, game: str) -> str:
    """The evolved player of a game, with its formula, so that tables tell it from earlier ones."""
    kind = "evolved-plus" if "plus" in game else "evolved"
    player = catalogue.game(game.partition("(")[0]).players[kind]
    name, options = parsed_specification("player", player)
    return specified(name, options | {"iterations": playouts, "recommendation": TIES})


PAIRS = ((100, 50), (200, 100), (400, 200), (800, 400), (1000, 400), (2000, 1000))
BENCHMARKS: dict[str, tuple[str, tuple[float, ...]]] = {
    "reversi": ("I", (0.700, 0.731, 0.678, 0.653, 0.688, 0.628)),
    "reversi(plus=True)": ("II", (0.677, 0.702, 0.717, 0.715, 0.764, 0.698)),
    "dodgem": ("", ()),
    "hex(size=6)": ("", ()),
}
"""The table and the published shares of the first player for `PAIRS`; empty where not known."""
QUICK_ROWS = {"reversi": 3, "reversi(plus=True)": 3, "dodgem": 6, "hex(size=6)": 6}
"""Number of rows of `PAIRS`, from the first, that get `MORE_GAMES` times the games."""
MORE_GAMES = 5
IN_QUESTION = (200, 100)
"""The row of table I that differs from ours."""
PARITY = "Q + c*{}*sqrt(ln(N)/n)"
"""UCB1 with another constant where the opponent moves: at odd depths, as a pass is a move, too."""


READINGS: dict[str, dict[str, Any]] = {
    "as above": {},
    "the move of the highest mean is played": {"recommendation": "max"},
    "ties of visits by the mean": {"recommendation": "robust"},
    "C = 0 where the opponent moves": {"tree_policy": PARITY.format("(1 + (-1)**d)/2")},
    "-C where the opponent moves": {"tree_policy": PARITY.format("(-1)**d")},
    "untried moves in the order of the board": {"expansion": "ordered"},
    "twice C": {"c": 2 * C},
    "half of C": {"c": C / 2},
    "no tree is kept": {"reuse_tree": False},
}
"""What the publication leaves open about MCTS, as options of both players."""
COUNTS: dict[str, Callable[[pd.DataFrame], pd.Series]] = {
    "share of points": lambda pairs: pairs["points"],
    "as black": lambda pairs: pairs["in_first_seat"],
    "as white": lambda pairs: pairs["in_second_seat"],
    "draws lost": lambda pairs: pairs["points"] - pairs["draws"] / 2,
    "draws won": lambda pairs: pairs["points"] + pairs["draws"] / 2,
}
"""What it leaves open about the share of the player with more playouts."""
PLAYED, PLAYED_EVOLVED = 10_000, 1_000
"""Published games of a row of the benchmarks, and of the evolved players."""


EVOLVED: dict[str, dict[tuple[int, int | str], tuple[int, ...]]] = {
    "reversi": {
        (100, 100): (701, 759), (100, 200): (482, 530), (200, 200): (755,), (200, 400): (628,),
        (400, 400): (747,), (1000, 1000): (781,), (1000, 2000): (662,),
        (1000, "star-minimax(depth=5)"): (883,),
    },
    "reversi(plus=True)": {(50, 50): (731,), (100, 100): (), (200, 200): ()},
    "dodgem": {
        (100, 100): (814, 920), (100, 200): (634, 822), (200, 200): (905,), (200, 400): (807,),
        (400, 400): (879,), (400, 800): (777,), (2000, 2000): (756,),
    },
    "hex(size=6)": {(200, 200): (), (400, 400): (647,), (1000, 1000): (716,)},
    "hex(size=8)": {(1000, 1000): (723,)},
    "hex(size=11)": {(1000, 1000): (692,)},
    "hex(size=14)": {(1000, 1000): (630,)},
}  # fmt: skip
"""Published points in 1,000 games, as a range of several runs; empty where not known.

By the playouts of the evolved player and of MCTS, or by another opponent. Those of Reversi with
(200, 200) to (1000, 2000) playouts are in table XX.
"""
RUNS: dict[str, dict[str, Any]] = {
    "reversi": {"playouts": 100, "generations": 40, "population": 64, "games": 10},
    "reversi(plus=True)": {"playouts": 50, "generations": 40, "population": 64, "games": 10},
    "dodgem": {"playouts": 100, "generations": 20, "population": 40, "games": 8},
    "hex(size=6)": {
        "playouts": 200, "generations": 40, "population": 64, "games": 10, "reuse_tree": False
    },
}  # fmt: skip
"""Settings of the evolution runs; the others are the published ones."""
FINAL_GAMES = {"reversi": 1000, "reversi(plus=True)": 1000, "dodgem": 200, "hex(size=6)": 200}
"""Games of each finalist of an evolution."""
QUICK = {"playouts": 2, "generations": 2, "population": 4, "games": 1}


def main(report: Report) -> None:
    if "benchmark" in report.args.parts:
        add_benchmarks(report)
    if "readings" in report.args.parts:
        add_readings(report)
    if "evolution" in report.args.parts:
        for game, settings in RUNS.items():
            add_evolution(report, game, settings)
    if "players" in report.args.parts:
        add_players(report)


def file_name(game: str) -> str:
    """A game as part of the name of a file."""
    return "_".join(re.findall(r"\w+", game))


def played(report: Report, game: str, first: str, second: str, num_games: int) -> pd.DataFrame:
    """Pairs of games, one in either seat: rows of `pair_of_games`."""

    def scaled(number: re.Match[str]) -> str:
        return str(max(1, round(report.args.scale * int(number[0]))))

    players = [re.sub(r"(?<=iterations=)\d+", scaled, player) for player in (first, second)]
    path = report.path(f"{file_name(game)}_games")
    return pairs_of_games(path, game, *players, num_games // 2)


def add_benchmarks(report: Report) -> None:
    """MCTS against MCTS with fewer playouts."""
    for game, (table, published) in BENCHMARKS.items():
        lines, comparisons = [], []
        for i, (more, fewer) in enumerate(PAIRS):
            num_games, name = games_of_row(report, game, i), f"{more} : {fewer}"
            points = played(report, game, mcts(more, game), mcts(fewer, game), num_games)["points"]
            line = [name, f"{num_games:,}", with_interval(points, 3), "", ""]
            if published:
                found = compare_points((game, name), "points", points, [published[i]], PLAYED)
                comparisons.append(found)
                line[3:] = [found.published, verdict(found.z)]
            lines.append(line)
        if comparisons:
            report.tallies.append(tally(table, comparisons, is_joint=False))
        heading = f"MCTS against MCTS: {game}" + (f" (table {table})" if table else "")
        header = ("playouts", "games", "share of points", "published", "verdict")
        report.section(heading, markdown(header, lines))


def games_of_row(report: Report, game: str, row: int) -> int:
    """The number of games of a row of a benchmark."""
    return report.args.benchmark_games * (MORE_GAMES if row < QUICK_ROWS[game] else 1)


def add_readings(report: Report) -> None:
    """Readings of the publication in the row of table I that differs from ours."""
    game, row = "reversi", PAIRS.index(IN_QUESTION)
    published = BENCHMARKS[game][1][row]
    lines = []
    for name, options in READINGS.items():
        players = (mcts(playouts, game, **options) for playouts in IN_QUESTION)
        num_games = report.args.reading_games if options else games_of_row(report, game, row)
        pairs = played(report, game, *players, num_games)
        found = [
            compare_points((game, name), column, count(pairs), [published], PLAYED)
            for column, count in COUNTS.items()
        ]
        lines.append([name, f"{num_games:,}", *(emphasised(c.ours, c.z) for c in found)])
    text = "{} against {} playouts in {}; published {:.3f}, in bold where ours differs.".format(
        *IN_QUESTION, game, published
    )
    report.section("Readings of table I", text, markdown(["reading", "games", *COUNTS], lines))


def add_evolution(report: Report, game: str, settings: dict[str, Any]) -> None:
    """A run that is smaller than the published one."""
    args = report.args
    settings = settings | (QUICK if args.quick else {})
    opponent = mcts(settings["playouts"], game, recommendation="robust")  # as the evolving players
    run = Settings(game, **settings, opponents=(opponent,), seed=args.seed)
    name = file_name(game)
    folder = args.out / f"evomcts_{name}"
    record = evolve(folder, run)
    games = 2 if args.quick else FINAL_GAMES[game]
    formula, share = champion(folder, run, record, games=games)
    text = (
        f"{run.generations} generations of {run.population} individuals, each of which plays "
        f"{2 * run.games} games with {run.playouts} playouts a move. The champion, "
        f"with {share:.3f} of the points in the final {games} games against MCTS with "
        f"as many playouts: `{formula}`"
    )
    report.section(f"Evolution: {game}", text)
    report.picture(name, figure(record), f"{game}, by generation")


def add_players(report: Report) -> None:
    """The evolved players of the package against MCTS and alpha-beta."""
    games = report.args.games
    lines, comparisons = [], []
    for game, matches in EVOLVED.items():
        for (playouts, rival), published in matches.items():
            opponent = mcts(rival, game) if isinstance(rival, int) else rival
            points = played(report, game, evolved(playouts, game), opponent, games)["points"]
            line = [game, f"{playouts}", opponent, with_interval(1000 * points, 0), "", ""]
            if published:
                given = (game, opponent), "points", points, published, PLAYED_EVOLVED
                found = compare_points(*given, whole=1000, decimals=0)
                comparisons.append(found)
                line[4:] = [found.published, verdict(found.z)]
            lines.append(line)
    report.tallies.append(tally("evolved players", comparisons, is_joint=False))
    header = ("game", "playouts", "opponent", "points of 1,000", "published", "verdict")
    report.section("Evolved players", f"{games:,} games a row.", markdown(header, lines))


if __name__ == "__main__":
    even = {"quick": 4, "least": 2, "is_even": True}
    run(
        main,
        "EvoMCTS",
        parts=Option(PARTS, "what to run", choices=PARTS),
        benchmark_games=Option(2000, f"a row; quick rows get {MORE_GAMES} times as many", **even),
        reading_games=Option(4000, "a reading of a row of table I", **even),
        games=Option(1000, "a row of evolved players", **even),
        scale=Option(1.0, "factor of playouts in matches", quick=0.02),
        seed=Option(0, "of the evolution", least=0),
    )
