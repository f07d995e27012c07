"""Matches and tournaments between any agents, in any game.

A *match* is a number of games (`agents.game`) in one seat order. All matches use the same seeds, so
they get the same chance outcomes as long as the players choose the same actions. Each finished game
adds a row to a table on disk, and an interrupted run continues where it stopped
(`agents.experiment`); the rows do not depend on the number of workers. A row holds all plies of its
game, so that `agents.game.replay` can visit every position again for further measures. Needs the
extra ``experiments``.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from agents.agent import Agent
from agents.checks import check_count, extra
from agents.experiment import run_experiment
from agents.forward_model import ForwardModel
from agents.game import (
    GameLike,
    GameRecord,
    Measure,
    Player,
    Ply,
    check_fit,
    num_seats,
    play_game,
    started,
)
from agents.registry import make

with extra("experiments", __name__):
    import pandas as pd

Entrant = Any
"""A specification, an `Agent` that has an `Agent.specification`, or a pair (name, player)."""
MAX_SEED = 2**31 - 1
"""The largest seed of the first game of a match, and the largest number of its games."""
_OF_SEAT = re.compile(r"(seat|return)_\d+")
"""A column of a seat: from their numbers `num_columns` finds how many seats a game has."""


def play_matches(
    path: str | Path,
    games: Mapping[str, GameLike],
    entrants: Sequence[Entrant],
    seatings: Iterable[Sequence[str]],
    num_games: int,
    *,
    first_seed: int = 0,
    measure: Measure | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Plays matches and writes a row for each game.

    Args:
        path: The table, a CSV file. Games that have a row in it are not played again. The names of
            its game and players and its seed identify a row; nothing checks that a name still
            stands for the same game or player.
        games: Games by name, all with the same number of players.
        entrants: Specifications, agents, or pairs (name, player). A specification is its own name;
            the name of an agent is its `Agent.specification`. An agent without one, such as one
            with a lambda among its arguments, must be given with a name.
        seatings: The names of the players of each match, in seat order.
        num_games: Number of games of each match in each of `games`.
        first_seed: The seed of the first game of each match; the next ones are larger by 1 each.
        measure: Returns measures of the final position, by name; each becomes a column.
        workers: Number of processes; None for joblib's default.

    Returns:
        A row for each game: ``game``, ``seat_0``, ``seat_1``, ..., ``seed``; ``return_0``, ...; the
        measures; ``plies`` and ``seconds``, which `record_of` and `plies_of` read. Only ``seconds``
        differs between runs, unless a player's budget is a time.

    Raises:
        RuntimeError: If a game fails, as with an illegal action; the message names the game, the
            players and the seed. The rows of other games stay.
        TypeError, ValueError: If an argument or the table at `path` differs from the description
            above, or a planner does not fit a game.
    """
    num_games = check_count("num_games", num_games, 1, MAX_SEED)
    first_seed = check_count("first_seed", first_seed, 0, MAX_SEED)
    players = _by_name(entrants)
    seatings = [tuple(seating) for seating in seatings]
    if not seatings:
        raise ValueError("seatings must be one or more, got none")
    seats = _num_seats(games)
    for seating in seatings:
        if len(seating) != seats or not players.keys() >= set(seating):
            raise ValueError(
                f"a seating must name {seats} of the players {list(players)}, got {seating}"
            )
    for game, player in itertools.product(games.values(), players.values()):
        check_fit(player, game)
    jobs = [
        {"game": game, **{f"seat_{i}": name for i, name in enumerate(seating)}, "seed": seed}
        for seed in range(first_seed, first_seed + num_games)
        for game in games
        for seating in seatings
    ]
    function = partial(_row, dict(games), players, measure)
    return run_experiment(path, function, jobs, workers=workers)


def play_match(
    path: str | Path,
    games: Mapping[str, GameLike],
    entrants: Sequence[Entrant],
    num_games: int,
    **options: Any,
) -> pd.DataFrame:
    """Plays one match, with the entrants seated in the given order.

    Arguments and options are those of `play_matches`.
    """
    seatings = [list(_by_name(entrants))]
    return play_matches(path, games, entrants, seatings, num_games, **options)


def round_robin(
    path: str | Path,
    games: Mapping[str, GameLike],
    entrants: Sequence[Entrant],
    num_games: int,
    **options: Any,
) -> pd.DataFrame:
    """Plays a match for every seat order of every group of entrants.

    In games for one player, each entrant plays alone. Arguments and options are those of
    `play_matches`.
    """
    names, seats = list(_by_name(entrants)), _num_seats(games)
    if len(names) < seats:
        raise ValueError(f"players must be {seats} or more, got {names}")
    seatings = itertools.permutations(names, seats)
    return play_matches(path, games, entrants, seatings, num_games, **options)


def _by_name(entrants: Sequence[Entrant]) -> dict[str, Player]:
    """The players by name; raises an error for bad specifications and equal names."""
    if isinstance(entrants, str):
        raise TypeError(f"entrants must be a sequence of players, got {entrants!r}")
    players: dict[str, Player] = {}
    for entrant in entrants:
        name, player = entrant if isinstance(entrant, tuple) else (_name(entrant), entrant)
        if not isinstance(name, str):  # tables of results would leave out None
            raise TypeError(f"a player's name must be text, got {name!r}")
        if name in players:
            raise ValueError(f"players must have different names, got {name!r} twice")
        if isinstance(player, str):
            make(player)
        players[name] = player
    return players


def _name(entrant: Entrant) -> str:
    if not isinstance(entrant, str | Agent):
        raise TypeError(
            f"an entrant must be a specification, an Agent, or (name, player), got {entrant!r}"
        )
    try:
        return entrant if isinstance(entrant, str) else entrant.specification
    except ValueError as error:
        raise ValueError(
            f"an entrant needs a name of its own: give (name, player), or functions that can be "
            f"imported; {error}"
        ) from None


def _num_seats(games: Mapping[str, GameLike]) -> int:
    """The number of players, the same in all games."""
    if not isinstance(games, Mapping):
        raise TypeError(f"games must be a mapping from names to games, got {games!r}")
    seats = {}
    for name, game in games.items():
        start = started(game, 0)
        seats[name] = num_seats(start)
        if not isinstance(start, ForwardModel):
            start.close()
    if len(set(seats.values())) != 1:
        raise ValueError(
            f"games must be one or more, all with the same number of players, got {seats}"
        )
    return next(iter(seats.values()))


def _row(
    games: Mapping[str, GameLike],
    players: Mapping[str, Player],
    measure: Measure | None,
    game: str,
    seed: int,
    **seats: str,
) -> dict[str, Any]:
    seated = [players[name] for name in seats.values()]
    return row_of(play_game(games[game], seated, seed, measure=measure))


# Records as rows


def row_of(record: GameRecord) -> dict[str, Any]:
    """The cells of a record in a table, by column; `record_of` reads them back.

    Raises:
        ValueError: If a measure has the name of another column.
    """
    returns = {f"return_{seat}": value for seat, value in enumerate(record.returns)}
    packed = json.JSONEncoder(separators=(",", ":")).encode
    course = {
        "plies": packed([_cells(ply) for ply in record.plies]),
        "seconds": packed([round(ply.seconds, 6) for ply in record.plies]),
    }
    seats = {name for name in record.measures if _OF_SEAT.fullmatch(str(name))}
    if taken := seats | (record.measures.keys() & course.keys()):
        raise ValueError(f"measures must not have the names of other columns, got {taken}")
    return {**returns, **record.measures, **course}


def _cells(ply: Ply) -> tuple[Any, ...]:
    """The cells of a ply: player, action, its text and, after a search, its findings."""
    is_known = ply.visits is not None or ply.value is not None or ply.formula
    found = (ply.visits, ply.value, ply.formula) if is_known else ()
    return (ply.player, ply.action, ply.move, *found)


def num_columns(table: pd.DataFrame | pd.Series, name: str) -> int:
    """The number of columns ``name_0``, ``name_1``, ... (one a seat) in a table or a row of it."""
    return next(i for i in itertools.count() if f"{name}_{i}" not in table)


def record_of(row: Any) -> GameRecord:
    """The record of a game from its row in the table, without the measures."""
    returns = tuple(float(row[f"return_{i}"]) for i in range(num_columns(row, "return")))
    plies = [
        Ply(player, action, *found)._replace(move=move, seconds=seconds)
        for (player, action, move, *found), seconds in zip(
            json.loads(row["plies"]), json.loads(row["seconds"]), strict=True
        )
    ]
    return GameRecord(returns, plies)


def plies_of(table: pd.DataFrame) -> pd.DataFrame:
    """A table with a row for each action and chance outcome of the games.

    Returns:
        Columns ``row``, the index of the game in `table`; ``ply``, the number of the ply in its
        game, from 0; and the fields of `Ply`.
    """
    rows = [
        {"row": index, "ply": i, **ply._asdict()}
        for index, row in table.iterrows()
        for i, ply in enumerate(record_of(row).plies)
    ]
    return pd.DataFrame(rows)
