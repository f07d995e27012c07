"""Matches and tournaments between any agents, in any game.

A *match* is a number of games (`agents.game`) in one seat order; matches share their seeds, so that
all meet the same draws as long as they play alike. A game leaves a row in a table on disk when it
has ended, and an interrupted run goes on where it stopped (`agents.experiment`); the rows do not
depend on the number of workers. A row holds the game itself: whatever else is wanted of its course
is read off the positions that `agents.game.replay` yields. Needs the extra ``experiments``.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from agents.agent import Agent
from agents.checks import check_count
from agents.experiment import run_experiment
from agents.forward_model import ForwardModel
from agents.game import Game, GameRecord, Measure, Player, Ply, num_seats, play_game, started
from agents.registry import make

Entrant = Any
"""A player that can be told by its text, a specification or an `Agent`; or (name, player)."""
MAX_GAMES = 2**31 - 1
"""Of a match."""


# Matches


def play_matches(
    path: str | Path,
    games: Mapping[str, Game],
    entrants: Sequence[Entrant],
    seatings: Iterable[Sequence[str]],
    num_games: int,
    *,
    measure: Measure | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Plays matches and keeps a row of every game.

    Args:
        path: The table, a CSV file; a run goes on with the rows that are there. A row is known by
            the names of its game and players and its seed: what a name stands for is not checked.
        games: By name, all for as many players.
        entrants: Specifications, agents, and others as (name, player). A specification names
            itself, an agent is named by its own (`Agent.specification`). An agent that has none,
            such as one with a lambda among its arguments, needs a name.
        seatings: Names of the players, seat by seat, of each match.
        num_games: Of each match in each game, with seeds 0, 1, 2, ...
        measure: What the rows are to hold of the final position.
        workers: Number of processes; None for joblib's default.

    Returns:
        A row a game: ``game``, ``seat_0``, ``seat_1``, ..., ``seed``; ``return_0``, ...; what was
        measured; ``plies`` and ``seconds``, read by `record_of` and `plies_of`. Only ``seconds``
        differs between runs, if no player's budget is a time.

    Raises:
        RuntimeError: If a game fails: its traceback is in the message, other games are kept.
        TypeError, ValueError: If an argument, or the table at path, is not as above.
    """
    check_count("num_games", num_games, 1, MAX_GAMES)
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
    jobs = [
        {"game": game, **{f"seat_{i}": name for i, name in enumerate(seating)}, "seed": seed}
        for seed in range(num_games)
        for game in games
        for seating in seatings
    ]
    function = partial(_row, dict(games), players, measure)
    return run_experiment(path, function, jobs, workers=workers)


def play_match(
    path: str | Path,
    games: Mapping[str, Game],
    entrants: Sequence[Entrant],
    num_games: int,
    *,
    measure: Measure | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Plays one match: the players take the seats in their order. See `play_matches`."""
    seatings = [list(_by_name(entrants))]
    return play_matches(
        path, games, entrants, seatings, num_games, measure=measure, workers=workers
    )


def round_robin(
    path: str | Path,
    games: Mapping[str, Game],
    entrants: Sequence[Entrant],
    num_games: int,
    *,
    measure: Measure | None = None,
    workers: int | None = None,
) -> pd.DataFrame:
    """Plays a match in every seat order of every group of players. See `play_matches`.

    In games for one, everybody plays alone.
    """
    names, seats = list(_by_name(entrants)), _num_seats(games)
    if len(names) < seats:
        raise ValueError(f"entrants must be {seats} or more, got {names}")
    seatings = itertools.permutations(names, seats)
    return play_matches(
        path, games, entrants, seatings, num_games, measure=measure, workers=workers
    )


def _by_name(entrants: Sequence[Entrant]) -> dict[str, Player]:
    """The players, whose specifications are checked."""
    players: dict[str, Player] = {}
    for entrant in entrants:
        name, player = entrant if isinstance(entrant, tuple) else (_name(entrant), entrant)
        if name in players:
            raise ValueError(f"entrants must have different names, got {name!r} twice")
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


def _num_seats(games: Mapping[str, Game]) -> int:
    """The number of players, the same in all games."""
    seats = {}
    for name, game in games.items():
        start = started(game, 0)
        seats[name] = num_seats(start)
        if not isinstance(start, ForwardModel):
            start.close()
    if len(set(seats.values())) != 1:
        raise ValueError(f"games must be one or more, for as many players each, got {seats}")
    return next(iter(seats.values()))


def _row(
    games: Mapping[str, Game],
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
    """A record as cells of a table; `record_of` reads them back.

    Raises:
        ValueError: If a measure has the name of another cell.
    """
    returns = {f"return_{seat}": value for seat, value in enumerate(record.returns)}
    course = {
        "plies": _packed([_cells(ply) for ply in record.plies]),
        "seconds": _packed([round(ply.seconds, 6) for ply in record.plies]),
    }
    if taken := record.measures.keys() & (returns.keys() | course.keys()):
        raise ValueError(f"measures must not have the names of other cells, got {taken}")
    return {**returns, **record.measures, **course}


def _cells(ply: Ply) -> tuple[Any, ...]:
    """Player, action, its text, and what a search found where there was one."""
    is_known = ply.visits is not None or ply.value is not None or ply.formula
    found = (ply.visits, ply.value, ply.formula) if is_known else ()
    return (ply.player, ply.action, ply.move, *found)


def _packed(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def num_columns(table: pd.DataFrame | pd.Series, name: str) -> int:
    """How many columns ``name_0``, ``name_1``, ... a table has, or a row of it: one a seat."""
    return next(i for i in itertools.count() if f"{name}_{i}" not in table)


def record_of(row: Any) -> GameRecord:
    """The record that a row of the table holds, without what was measured."""
    returns = tuple(float(row[f"return_{i}"]) for i in range(num_columns(row, "return")))
    plies = [
        _ply(*cells)._replace(seconds=seconds)
        for cells, seconds in zip(json.loads(row["plies"]), json.loads(row["seconds"]), strict=True)
    ]
    return GameRecord(returns, plies)


def _ply(player: int, action: int, move: str, *found: Any) -> Ply:
    """The ply that `_cells` wrote."""
    return Ply(player, action, *found)._replace(move=move)


def plies_of(table: pd.DataFrame) -> pd.DataFrame:
    """Every action and draw as a row: the game's index in the table, the ply's, and its fields."""
    rows = [
        {"row": index, "ply": i, **ply._asdict()}
        for index, row in table.iterrows()
        for i, ply in enumerate(record_of(row).plies)
    ]
    return pd.DataFrame(rows)
