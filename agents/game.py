"""Plays single games between any agents, in any game, and records them.

A *game* is given as a `ForwardModel` in its starting position, as a PettingZoo AEC environment, or,
if the start is random, as a function that takes a seed and returns one of these. The seed alone
determines the chance outcomes and the random choices of each seat: with equal seeds, all seatings
get the same chance outcomes as long as the players choose the same actions.

A *player* is a specification (`agents.make`), an agent, another object with a method ``act``, or a
function. In a forward model, ``act`` and the function get the model and return an action. In an
environment, ``act`` gets the environment, and a learned policy takes the place of the function:
anything that `agents.learner.as_function` takes. An agent made from a specification gets a seed
that depends on the seed of the game. An agent object is copied, with its random generator, at the
start of every game; create it with a seed, so that every run plays the same game. Other objects and
functions are not copied, and must be deterministic.
"""

from __future__ import annotations

import copy
import math
import operator
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from agents.agent import (
    Agent,
    Planner,
    PlayerError,
    acts,
    name_of,
    refusing,
    takes_watch,
    translated,
    turn_plan_of,
)
from agents.checks import is_integer
from agents.forward_model import CHANCE, ForwardModel
from agents.learner import as_function
from agents.registry import as_agent
from agents.rng import Rng

GameLike = Any
"""A `ForwardModel`, an AEC environment, or a function of a seed that returns one."""
Player = Any
"""A specification, an `Agent`, another object with ``act``, or a function: see the module."""
Measure = Callable[[Any], Mapping[str, Any]]
"""Returns measures of the final position, by name, for the record of the game."""
PlyWatch = Callable[[Any, "Ply"], None]
"""Is called with the position and the ply, before each ply is applied."""


class Ply(NamedTuple):
    """One step of a game: an action of a player or an outcome of chance.

    Attributes:
        player: The player that moved; `CHANCE` for an outcome of chance.
        action: The action or outcome, as the game numbers it.
        visits: Number of the action's visits in the search; None without a search that counts them.
        value: The return that the search expected for the player; None without a search.
        formula: The tree policy that evolved in the search; "" if none evolved.
        move: The action or outcome as text (`ForwardModel.action_to_string`); "" in environments.
        seconds: Wall time of the choice.
    """

    player: int
    action: int
    visits: int | None = None
    value: float | None = None
    formula: str = ""
    move: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class GameRecord:
    """The record of a finished game.

    Attributes:
        returns: The return of each seat; one draw in games whose returns are random.
        plies: The plies of the game, in order.
        measures: The measures of the final position, by name.
    """

    returns: tuple[float, ...]
    plies: list[Ply]
    measures: dict[str, Any] = field(default_factory=dict)


def play_game(
    game: GameLike,
    players: Sequence[Player],
    seed: int = 0,
    *,
    measure: Measure | None = None,
    watch: PlyWatch | None = None,
) -> GameRecord:
    """Plays one game.

    In a forward model, `Agent.advance` tells every agent each action and chance outcome. In an
    environment it is not called, because the environment draws the chance outcomes itself.

    Args:
        game: The game to play; it is not changed.
        players: One player for each seat.
        seed: The seed of the start, the chance outcomes, and the players that are specifications.
        measure: Called with the final position of a forward model.
        watch: Called in a forward model before each action and chance outcome, with the position
            and the ply. The position is the model in play: `watch` must not change it.

    Raises:
        TypeError: If `game` is not a game, a player cannot play it, or an environment is given
            together with `measure` or `watch`.
        PlayerError: A ValueError, if a player of a forward model chooses an illegal action, a
            planner refuses the game, or a program that plays fails. An environment handles illegal
            actions itself.
        ValueError: If the seed is no integer of 0 or more, the number of players differs from the
            number of seats, a specification is refused, or a return is not a finite number.
    """
    if not is_integer(seed) or seed < 0:
        raise ValueError(f"seed must be an integer of 0 or more, got {seed!r}")
    start = started(game, seed)
    try:
        if len(players) != (seats := num_seats(start)):
            raise ValueError(f"players must be one for each of {seats} seats, got {len(players)}")
        if isinstance(start, ForwardModel):
            return play_model(start, *seat(players, seed), measure, watch)
        if measure is not None or watch is not None:
            raise TypeError(f"measure and watch need a game that is a ForwardModel, got {start!r}")
        return _play_environment(start, players, seed)
    finally:
        if not isinstance(start, ForwardModel):
            start.close()


def started(game: GameLike, seed: int) -> Any:
    """A new model or environment at the start of a game.

    Raises:
        TypeError: If `game` is not a game.
    """
    is_function = callable(game) and not isinstance(game, ForwardModel)
    start = game(seed) if is_function else copy.deepcopy(game)
    if not isinstance(start, ForwardModel) and not hasattr(start, "agent_iter"):
        raise TypeError(
            "game must be a ForwardModel, an AEC environment, or a function of a seed that "
            f"returns one, got {start!r}"
        )
    return start


def num_seats(start: Any) -> int:
    """The number of seats of a model or an environment."""
    return start.num_players if isinstance(start, ForwardModel) else len(start.possible_agents)


def seat(players: Sequence[Player], seed: int) -> tuple[list[Any], Rng]:
    """The agents that begin a game, and the generator of the chance outcomes.

    A player that is None stays None: where people play, the seat is that of a person.
    """
    draws, *seeds = _seeds(players, seed)
    seated = [
        None if player is None else as_agent(player, seed=own)
        for player, own in zip(players, seeds, strict=True)
    ]
    return seated, Rng(draws)


def _seeds(players: Sequence[Player], seed: int) -> list[np.random.SeedSequence]:
    """The seeds of the chance outcomes and of each seat."""
    return np.random.SeedSequence(seed).spawn(1 + len(players))


def check_fit(player: Player, game: GameLike) -> None:
    """Lets a planner begin a search of a game, and ends it at once.

    Raises:
        PlayerError: If the planner refuses the game. Nobody knows it of other players, of planners
            whose ``search`` takes no ``watch``, and in environments.
    """
    start = started(game, 0)
    if not isinstance(start, ForwardModel):
        start.close()
        return
    (player,), draws = seat([player], 0)
    if not (is_searching(player) and takes_watch(player.search)):
        return
    while start.is_chance_node():
        start.apply_action(start.sample_chance(draws))
    if not start.is_terminal():
        with suppress(RuntimeError):  # it cannot end so soon, and has not refused the game
            _decided(player, start, watch=lambda _: True)


def choose(player: Player, model: ForwardModel) -> Ply:
    """The ply that a player chooses in a position.

    Raises:
        TypeError: If it is no player of a forward model, or its action is no integer.
        PlayerError: If the action is illegal, or a planner does not fit the game.
    """
    agent = player if isinstance(player, Agent) else as_agent(player)
    start = time.perf_counter()
    result = _decided(agent, model) if is_searching(agent) else None
    action = _number_of(agent.act(model) if result is None else result.action, agent)
    if not model.is_legal(action):
        raise PlayerError("illegal action", f"{agent!r} chose action {action}, which is illegal")
    seconds = time.perf_counter() - start
    move = model.action_to_string(action)
    return Ply(int(model.current_player()), action, **_findings(result), move=move, seconds=seconds)


def _decided(player: Planner, model: ForwardModel, **options: Any) -> Any:
    """The result that a planner decides by; a `PlayerError` names the planner that refuses."""
    with refusing(player):
        return player.decide(model, **options)


def _number_of(action: Any, player: Player) -> int:
    try:
        return operator.index(action)
    except TypeError:
        raise TypeError(
            f"{name_of(player)} must choose an action, which is an integer, got {action!r}"
        ) from None


def is_searching(player: Player) -> TypeGuard[Planner]:
    """Whether a player is a planner that always plays the action of the result it decides by."""
    return isinstance(player, Planner) and type(player).choose is Planner.choose


def _findings(result: Any) -> dict[str, Any]:
    """The fields of a ply that come from the result of a search."""
    if result is None:
        return {}
    found: dict[str, Any] = {"value": float(result.value)}
    if hasattr(result, "visits"):
        found["visits"] = int(result.visits[result.actions == result.action][0])
    if getattr(result, "evolution", None):
        found["formula"] = str(result.evolution.formula)
    return found


def play_model(
    model: ForwardModel,
    players: list[Player],
    draws: Rng,
    measure: Measure | None = None,
    watch: PlyWatch | None = None,
    choose: Callable[[Player, ForwardModel], Ply] = choose,
) -> GameRecord:
    """Plays a model to its end, with players and draws from `seat`; see `play_game`."""
    plies = []
    while not model.is_terminal():
        if model.is_chance_node():
            outcome = model.sample_chance(draws)
            ply = Ply(CHANCE, outcome, move=model.action_to_string(outcome))
        else:
            ply = choose(players[model.current_player()], model)
        if watch is not None:
            watch(model, ply)
        for agent in players:
            if isinstance(agent, Agent):
                agent.advance(ply.action)
        model.apply_action(ply.action)
        plies.append(ply)
    returns = _checked_returns(model.sample_returns(draws), model.num_players)
    return GameRecord(returns, plies, dict(measure(model)) if measure else {})


def _checked_returns(values: Iterable[Any], seats: int) -> tuple[float, ...]:
    """The return of each seat; raises ValueError unless they are finite."""
    returns = tuple(float(value) for value in values)
    if len(returns) != seats or not all(map(math.isfinite, returns)):
        raise ValueError(f"returns must be {seats} finite numbers, got {returns}")
    return returns


def _play_environment(env: Any, players: Sequence[Player], seed: int) -> GameRecord:
    _, *seeds = _seeds(players, seed)
    seated = [
        as_agent(player, seed=own) if isinstance(player, str | Agent) else player
        for player, own in zip(players, seeds, strict=True)
    ]
    env.reset(seed=seed)
    plies, returns = [], dict.fromkeys(env.possible_agents, 0.0)
    for name in env.agent_iter():
        observation, reward, is_terminated, is_truncated, info = env.last()
        returns[name] += float(reward)
        if is_terminated or is_truncated:
            env.step(None)
            continue
        seat = env.possible_agents.index(name)
        plies.append(_choose_in_environment(seat, seated[seat], env, observation, info))
        env.step(plies[-1].action)
    return GameRecord(_checked_returns(returns.values(), len(players)), plies)


def _choose_in_environment(
    seat: int, player: Player, env: Any, observation: Any, info: dict[str, Any]
) -> Ply:
    start = time.perf_counter()
    result = None
    if is_searching(player) and turn_plan_of(env) is None:
        result = player.decide(env)
        action = translated(env, result.action)
    elif acts(player):
        action = player.act(env)
    else:
        if isinstance(observation, Mapping) and "action_mask" in observation:  # as in PettingZoo
            info = {"action_mask": observation["action_mask"], **info}
        action = as_function(player)(observation, info)
    seconds = time.perf_counter() - start
    return Ply(seat, _number_of(action, player), **_findings(result), seconds=seconds)


def replay(game: GameLike, plies: Iterable[Ply], seed: int = 0) -> Iterator[tuple[Any, Ply]]:
    """Plays a recorded game again.

    Yields:
        The model before each ply, and the ply. The model is always the same object: clone it to
        keep a position. After the last ply it is in the final position.

    Raises:
        TypeError: If the game is an environment.
    """
    model = started(game, seed)
    if not isinstance(model, ForwardModel):
        raise TypeError(f"only a game that is a ForwardModel can be played again, got {model!r}")
    for ply in plies:
        yield model, ply
        model.apply_action(ply.action)
