"""Games, matches and tournaments between any agents, in any game.

A *game* is a position (a `ForwardModel`) from which every game starts, a PettingZoo AEC
environment, or a function of a seed that returns either, where the start itself is random. What is
drawn and what each seat does at random follow from the seed of a game alone: with equal seeds all
seatings meet the same draws as long as they play alike, and records do not depend on the number of
workers.

A *player* is a specification (`agents.make`), an agent, or a policy: in a forward model a function
of the model that returns an action, in an environment what `agents.learner.as_function` takes. A
specification gets a seed for every game; an agent begins every game as it is handed over, its
generator too, so it is to have been given a seed; functions are to be deterministic.

A *match* is a number of games in one seat order. A game leaves a row in a table on disk when it has
ended, and an interrupted run goes on where it stopped (`agents.experiment`). The row holds the
game itself: whatever else is wanted of its course is read off the positions that `replay` yields.
Needs the extra ``experiments``.
"""

from __future__ import annotations

import copy
import itertools
import json
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from agents.agent import Agent, Planner, translated
from agents.checks import check_count
from agents.experiment import run_experiment
from agents.forward_model import CHANCE, ForwardModel
from agents.learner import as_function
from agents.registry import make
from agents.rng import Rng

Game = Any
"""A `ForwardModel`, an AEC environment, or a function of a seed that returns one."""
Player = Any
"""A specification, an `Agent`, or a policy."""
Entrant = Any
"""A player that can be told by its text, a specification or an `Agent`; or (name, player)."""
Measure = Callable[[ForwardModel], Mapping[str, Any]]
"""What a row is to hold of the final position, by column."""
MAX_GAMES = 2**31 - 1


class Ply(NamedTuple):
    """One step of a game: an action, or what chance drew.

    Attributes:
        player: Who moved; `CHANCE` where chance drew.
        action: As the game numbers it.
        visits: How often the search tried the action; None where nothing was searched by visits.
        value: The return that the search expected, for the player; None where nothing was searched.
        formula: The tree policy that evolved in the search; "" where none did.
        seconds: Wall time of the choice.
    """

    player: int
    action: int
    visits: int | None = None
    value: float | None = None
    formula: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class GameRecord:
    """A game that was played.

    Attributes:
        returns: By seat; drawn where they are random.
        plies: Its course.
        measures: What was measured at its end, by name.
    """

    returns: tuple[float, ...]
    plies: list[Ply]
    measures: dict[str, Any] = field(default_factory=dict)

    def row(self) -> dict[str, Any]:
        """The record as cells of a table; `record_of` reads them back.

        Raises:
            ValueError: If a measure has the name of another cell.
        """
        returns = {f"return_{seat}": value for seat, value in enumerate(self.returns)}
        course = {
            "plies": _packed([_cells(ply) for ply in self.plies]),
            "seconds": _packed([round(ply.seconds, 6) for ply in self.plies]),
        }
        if taken := self.measures.keys() & (returns.keys() | course.keys()):
            raise ValueError(f"measures must not have the names of other cells, got {taken}")
        return {**returns, **self.measures, **course}


def _cells(ply: Ply) -> tuple[Any, ...]:
    """The ply without its time, and without what is not known."""
    return ply[:2] if ply[2:5] == Ply(0, 0)[2:5] else ply[:5]


def _packed(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


# One game


def play_game(
    game: Game, players: Sequence[Player], seed: int = 0, *, measure: Measure | None = None
) -> GameRecord:
    """Plays one game.

    Agents are told every action and draw (`Agent.advance`) in a forward model; an environment draws
    by itself, so there they are told nothing.

    Args:
        game: What is played; it is left as it is.
        players: One a seat.
        seed: Of the start, the draws, and the players that are specifications.
        measure: Called with the final position of a forward model.

    Raises:
        TypeError: If the game is none, or a player cannot play it.
        ValueError: If there are not as many players as seats, a specification is refused, or a
            player of a forward model chooses an illegal action. An environment judges illegal
            actions itself.
    """
    start = _start(game, seed)
    if len(players) != (seats := _num_seats(start)):
        raise ValueError(f"players must be as many as the {seats} seats, got {len(players)}")
    draws, *seeds = np.random.SeedSequence(seed).spawn(1 + seats)
    seated = [_fresh(player, child) for player, child in zip(players, seeds, strict=True)]
    if isinstance(start, ForwardModel):
        return _play_model(start, seated, Rng(draws), measure)
    if measure is not None:
        raise TypeError(f"measure needs a game that is a ForwardModel, got {start!r}")
    return _play_environment(start, seated, seed)


def _start(game: Game, seed: int) -> Any:
    """A model or an environment of one's own."""
    is_function = callable(game) and not isinstance(game, ForwardModel)
    start = game(seed) if is_function else copy.deepcopy(game)
    if not isinstance(start, ForwardModel) and not hasattr(start, "agent_iter"):
        raise TypeError(
            "game must be a ForwardModel, an AEC environment, or a function of a seed that "
            f"returns one, got {start!r}"
        )
    return start


def _num_seats(start: Any) -> int:
    return start.num_players if isinstance(start, ForwardModel) else len(start.possible_agents)


def _fresh(player: Player, seed: np.random.SeedSequence) -> Player:
    """A player that has not played yet."""
    if isinstance(player, str):
        return make(player, seed=seed)
    return copy.deepcopy(player) if isinstance(player, Agent) else player


def _play_model(
    model: ForwardModel, players: list[Player], draws: Rng, measure: Measure | None
) -> GameRecord:
    plies = []
    while not model.is_terminal():
        if model.is_chance_node():
            ply = Ply(CHANCE, model.sample_chance(draws))
        else:
            player = model.current_player()
            ply = _decide(player, players[player], model, partial(_call, players[player], model))
            if not model.is_legal(ply.action):
                raise ValueError(f"{players[player]!r} chose action {ply.action}, which is illegal")
        for agent in players:
            if isinstance(agent, Agent):
                agent.advance(ply.action)
        model.apply_action(ply.action)
        plies.append(ply)
    returns = tuple(float(value) for value in model.sample_returns(draws))
    return GameRecord(returns, plies, dict(measure(model)) if measure else {})


def _call(function: Player, model: ForwardModel) -> Any:
    if not callable(function):
        raise TypeError(
            "a player of a forward model must be a specification, an Agent, or a function of the "
            f"model, got {function!r}; a learned policy needs an agent that shows it the game, "
            "such as carcassonne_env.PolicyAgent"
        )
    return function(model.clone())


def _play_environment(env: Any, players: list[Player], seed: int) -> GameRecord:
    env.reset(seed=seed)
    plies, returns = [], dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        observation, reward, is_terminated, is_truncated, info = env.last()
        returns[name] += float(reward)
        if is_terminated or is_truncated:
            env.step(None)
            continue
        seat = env.possible_agents.index(name)
        policy = players[seat]
        otherwise = partial(_ask, policy, observation, info)
        plies.append(_decide(seat, policy, env, otherwise))
        env.step(plies[-1].action)
    env.close()
    return GameRecord(tuple(returns.values()), plies)


def _ask(policy: Player, observation: Any, info: dict[str, Any]) -> Any:
    return as_function(policy)(observation, info)


def _decide(seat: int, player: Player, game: Any, otherwise: Callable[[], Any]) -> Ply:
    """The choice of a player: of a search if it is one, of an agent, or what else it is."""
    start = time.perf_counter()
    found: dict[str, Any] = {}
    if isinstance(player, Planner) and type(player).choose is Planner.choose:
        result = player.search(game)
        action = translated(game, result.action)
        found = _findings(result)
    else:
        action = player.act(game) if isinstance(player, Agent) else otherwise()
    return Ply(seat, operator.index(action), **found, seconds=time.perf_counter() - start)


def _findings(result: Any) -> dict[str, Any]:
    """What the result of a search adds to a ply."""
    found: dict[str, Any] = {"value": float(result.value)}
    if hasattr(result, "visits"):
        found["visits"] = int(result.visits[result.actions == result.action][0])
        found["formula"] = str(result.evolution.formula) if result.evolution else ""
    return found


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
            itself, an agent is named by its representation.
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
    if not games or not seatings:
        raise ValueError("there must be a game and a seating at least, got none")
    seats = _num_seats_of(games)
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
    **options: Any,
) -> pd.DataFrame:
    """Plays one match: the players take the seats in their order. See `play_matches`."""
    return play_matches(path, games, entrants, [list(_by_name(entrants))], num_games, **options)


def round_robin(
    path: str | Path,
    games: Mapping[str, Game],
    entrants: Sequence[Entrant],
    num_games: int,
    **options: Any,
) -> pd.DataFrame:
    """Plays a match in every seat order of every group of players. See `play_matches`.

    In games for one, everybody plays alone.
    """
    names, seats = list(_by_name(entrants)), _num_seats_of(games)
    if len(names) < seats:
        raise ValueError(f"entrants must be {seats} or more, got {names}")
    seatings = itertools.permutations(names, seats)
    return play_matches(path, games, entrants, list(seatings), num_games, **options)


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
    return str(entrant)


def _num_seats_of(games: Mapping[str, Game]) -> int:
    seats = {name: _num_seats(_start(game, 0)) for name, game in games.items()}
    if len(set(seats.values())) > 1:
        raise ValueError(f"games must be for as many players each, got {seats}")
    return next(iter(seats.values()), 0)


def _row(
    games: Mapping[str, Game],
    players: Mapping[str, Player],
    measure: Measure | None,
    game: str,
    seed: int,
    **seats: str,
) -> dict[str, Any]:
    seated = [players[name] for name in seats.values()]
    return play_game(games[game], seated, seed, measure=measure).row()


# Reading records


def num_columns(table: pd.DataFrame | pd.Series, name: str) -> int:
    """How many columns ``name_0``, ``name_1``, ... a table has, or a row of it: one a seat."""
    return next(i for i in itertools.count() if f"{name}_{i}" not in table)


def record_of(row: Any) -> GameRecord:
    """The record that a row of the table holds, without what was measured."""
    returns = tuple(float(row[f"return_{i}"]) for i in range(num_columns(row, "return")))
    plies = [
        Ply(*cells)._replace(seconds=seconds)
        for cells, seconds in zip(json.loads(row["plies"]), json.loads(row["seconds"]), strict=True)
    ]
    return GameRecord(returns, plies)


def plies_of(table: pd.DataFrame) -> pd.DataFrame:
    """Every action and draw as a row: the game's index in the table, the ply's, and its fields."""
    rows = [
        {"row": index, "ply": i, **ply._asdict()}
        for index, row in table.iterrows()
        for i, ply in enumerate(record_of(row).plies)
    ]
    return pd.DataFrame(rows)


def replay(game: Game, plies: Iterable[Ply], seed: int = 0) -> Iterator[tuple[Any, Ply]]:
    """Plays a recorded game again.

    Yields:
        The model before every ply, and the ply. The model is the same object, which goes on: clone
        it to keep a position. After the last one it is in the final position.

    Raises:
        TypeError: If the game is an environment.
    """
    model = _start(game, seed)
    if not isinstance(model, ForwardModel):
        raise TypeError(f"only a game that is a ForwardModel can be played again, got {model!r}")
    for ply in plies:
        yield model, ply
        model.apply_action(ply.action)
