"""``tournament``: a round robin with league table and ratings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from . import options

if TYPE_CHECKING:
    import pandas as pd

    from agents.game import GameLike, Measure


def tournament(
    players: options.Entrants,
    game: options.Game = None,
    games: options.Games = 10,
    rule: options.Rule = "thesis",
    out: options.Table = Path("results"),
    jobs: options.Jobs = None,
    backend: options.Backend = "local",
    address: options.Address = None,
) -> None:
    """Let all players meet each other in every seat order, with the same chance outcomes.

    The table gets a row for each game. If you interrupt the command, run it again, and it
    continues. Rows are found by the names of the game and the players, so choose another --out
    after you change the code of one of them. A name before a player, as in name=player, stands for
    it in the standings.

    python -m agents tournament --game "hex(size=7)" random "deep=mcts(iterations=50)" --jobs 2
    """
    from agents.backends import backend as running_on

    start = options.named_game(game)
    entrants = options.entrants_of(options.texts_by_name(players))
    path = out / "tournament.csv"
    with running_on(backend, jobs, address):
        table = played(path, {start.specification: start}, entrants, games)
    tell_standings(standings(table, rule), path, "%.4g")


def played(
    path: Path,
    game: Mapping[str, GameLike],
    entrants: Iterable[options.Entrant],
    num_games: int,
    measure: Measure | None = None,
) -> pd.DataFrame:
    """Plays a round robin; returns the table of games with the names of the entrants.

    The table on disk has the identities of those that have another name than their text.
    """
    from agents.arena import num_columns, round_robin

    found = {each.text if each.name == each.text else each.identity: each for each in entrants}
    seated = [(key, each.player) for key, each in found.items()]
    table = round_robin(path, game, seated, num_games, measure=measure)
    names = {key: each.name for key, each in found.items()}
    return table.replace({f"seat_{i}": names for i in range(num_columns(table, "seat"))})


def standings(table: pd.DataFrame, rule: str, score: str = "return") -> dict[str, pd.DataFrame]:
    """The result tables by title: scores, and for several seats ratings, matches and league.

    `table` comes from `agents.arena.round_robin`, and `rule` names that of the league points.
    `score` names the columns that decide a game: "score" stands for ``score_0``, ``score_1``, ...
    """
    import pandas as pd

    from agents.arena import num_columns
    from agents.league import GALVAN, THESIS, league, ratings, results

    seats = num_columns(table, "seat")
    scores = pd.concat(
        [
            table[[f"seat_{i}", f"{score}_{i}"]].set_axis(["player", score], axis=1)
            for i in range(seats)
        ]
    )
    mean = scores.groupby("player", sort=False)[score].agg(["mean", "std", "min", "max"])
    frames = {f"{score.capitalize()}s": mean.reset_index()}
    if seats > 1:
        frames["Ratings, ± half of the 95% interval"] = ratings(table, score)
    if seats == 2:
        frames["Matches, seen from seat 0"] = results(table, score).drop(columns="game")
        points = {"thesis": THESIS, "galvan": GALVAN}[rule]
        frames[f"League, points of the rule {rule!r}"] = league(table, points, score)
    return frames


def tell_standings(frames: dict[str, pd.DataFrame], path: Path, float_format: str = "%.1f") -> None:
    """Prints result tables by title, and the path of the table of games.

    `float_format` is the format of numbers that are no integers.
    """
    for title, frame in frames.items():
        print(f"\n{title}\n{frame.to_string(index=False, float_format=float_format)}")
    print(f"\nGames: {path}")
