"""Plays episodes of an environment with policies and planners, and lists them in a table.

Needs the extra ``experiments``.
"""

from __future__ import annotations

import copy
import math
import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
from gymnasium.envs.registration import EnvSpec
from gymnasium.spaces import Discrete

from agents.agent import Agent, acts
from agents.backends import MAX_WORKERS, end_with
from agents.checks import check_count, check_flag, extra, is_integer
from agents.forward_model import ForwardModel
from agents.game import Player
from agents.learner import as_function
from agents.registry import make
from agents.rng import Rng

with extra("experiments", __name__):
    import joblib
    import pandas as pd

    from agents.progress import progress_bar

Row = dict[str, Any]
MEASURED = "policy"
"""The name of the evaluated policy in the rows."""
MAX_EPISODES = 2**31 - 1
BLOCKS_A_WORKER = 4
"""Into how many blocks the episodes of a worker are cut, so that all workers end together."""


def play_episodes(
    policy: Player,
    env_id: str,
    episodes: int = 30,
    opponents: Mapping[str, Player] | None = None,
    seeds: Sequence[int] | None = None,
    *,
    both_seats: bool = False,
    workers: int = 1,
    **settings: Any,
) -> pd.DataFrame:
    """Plays the episodes that `agents.evaluation.evaluate` summarises.

    Arguments and errors are the same.

    Returns:
        One row for each episode, in the order of players or opponents, then seats, then seeds:

        - ``policy``, ``opponent``: the names of the player and of the player of the other seats
          ("" for none or for the environment's own).
        - ``episode``, ``seed``, ``seat``: number and seed of the episode, and the player's seat.
        - ``return``: the sum of the rewards; in an illegal episode at most -1, and not above that
          of any other episode of the table.
        - ``score``, ``opponent_score``, ``lead``: in games whose model has ``scores``, the points
          of the player, the best points of another seat, and their difference; otherwise NaN. In an
          illegal episode, the score is 0, and the lead is the lowest one (-inf if the model's
          ``max_score()`` is None).
        - ``outcome``: with other seats, "win", "draw" or "loss" by the returns of the model. An
          episode that ended before the game did is lost. None without other seats.
        - ``steps``: the number of the player's actions; 1 if the others ended the game before the
          player's turn.
        - ``illegal``: whether the episode is illegal: an illegal action ended it, or it had one and
          came to the limit of steps.
        - ``truncated``: whether a limit of steps ended it.
        - ``seconds_per_move``: the mean wall time of the choice of an action.
    """
    episodes = check_count("episodes", episodes, 2, MAX_EPISODES)
    seeds = _checked_seeds(range(episodes) if seeds is None else seeds, episodes)
    policy = _player(policy)
    opponents = {} if opponents is None else opponents
    if not isinstance(opponents, Mapping) or not all(isinstance(name, str) for name in opponents):
        raise TypeError(f"opponents must be a mapping from names to players, got {opponents!r}")
    if MEASURED in opponents:
        raise ValueError(
            f"opponents must have other names than {MEASURED!r}, which is that of the policy "
            f"itself, got {list(opponents)}"
        )
    check_flag("both_seats", both_seats)
    workers = check_count("workers", workers, 1, MAX_WORKERS)
    spec, num_seats = _game_of(env_id, settings)
    calls = [
        joblib.delayed(_play)(os.getpid(), spec, arguments, names, player, episode, seed)
        for names, player, line in _lines(policy, opponents, spec, settings, num_seats)
        for arguments in _seated(line, num_seats, both_seats)
        for episode, seed in enumerate(seeds)
    ]
    workers = min(workers, len(calls))  # joblib would start all that it is told
    size = math.ceil(len(calls) / (BLOCKS_A_WORKER * workers))
    rows = joblib.Parallel(workers, return_as="generator", batch_size=size)(calls)
    table = pd.DataFrame([*progress_bar(rows, total=len(calls), unit="episode", desc="evaluate")])
    for column in ("return", "lead"):
        worst = np.minimum(table[column], table[column].min())  # NaN stays NaN
        table[column] = table[column].where(~table["illegal"], worst)
    return table


def _checked_seeds(seeds: Any, episodes: int) -> list[int]:
    """The seeds of the episodes; raises TypeError or ValueError if they cannot be."""
    found = [*seeds] if isinstance(seeds, Iterable) else seeds
    if not isinstance(found, list) or not all(map(is_integer, found)):
        raise TypeError(f"seeds must be integers, one an episode, got {found!r}")
    if len(found) != episodes:
        raise ValueError(f"seeds must be {episodes}, one an episode, got {len(found)}")
    if min(found) < 0:
        raise ValueError(f"seeds must be 0 or more, got {min(found)}")
    return [*map(int, found)]


def _game_of(env_id: str, settings: dict[str, Any]) -> tuple[EnvSpec, int]:
    """The registered specification of an environment, and the number of seats of its game.

    Unlike the id, the specification is known in other processes, too. That of ``made`` has the
    settings, of which Gymnasium would copy learned models.
    """
    try:
        made = _made(env_id, settings, 0)
    except (gymnasium.error.NameNotFound, gymnasium.error.NamespaceNotFound) as error:
        if ":" in env_id:
            raise
        hint = "import the package that registers it, or name it in the id: 'carcassonne_env:NAME'"
        raise type(error)(f"{error} {hint}") from None
    with closing(made) as env:
        env.reset(seed=0)
        spec = env.unwrapped.spec
        assert spec is not None
        return gymnasium.registry[spec.id], getattr(_model_of(env), "num_players", 1)


def _model_of(env: gymnasium.Env[Any, Any]) -> Any:
    """The forward model of an environment; None if it has none. A simulation has other models."""
    model = getattr(env.unwrapped, "model", None)
    return model if isinstance(model, ForwardModel) else None


def _is_over(env: gymnasium.Env[Any, Any]) -> bool:
    """Whether the game is over, as far as the environment has a model of it."""
    model = _model_of(env)
    return model is not None and model.is_terminal()


def _player(player: Player) -> Player:
    """A player as `_play` takes it; raises TypeError or ValueError if it is none."""
    if isinstance(player, str):
        return make(player, seed=0)
    if not acts(player):
        as_function(player)  # raises
    return player


def _lines(
    policy: Player,
    opponents: Mapping[str, Player],
    spec: EnvSpec,
    settings: dict[str, Any],
    num_seats: int,
) -> Iterator[tuple[tuple[str, str], Player, dict[str, Any]]]:
    """Who plays whom: the names, the player, and the settings with the opponent."""
    if num_seats > 1 and opponents:
        for name, opponent in opponents.items():
            line = {**settings, "opponent": opponent}
            _made(spec, line, 0).close()  # raises if the environment refuses the opponent
            yield (MEASURED, name), policy, line
    else:
        yield (MEASURED, ""), policy, settings
        for name, opponent in opponents.items():
            yield (name, ""), _player(opponent), settings


def _seated(settings: dict[str, Any], num_seats: int, both_seats: bool) -> Iterator[dict[str, Any]]:
    """The settings, or with ``both_seats`` one copy of them for each seat."""
    if not both_seats:
        yield settings
        return
    if num_seats == 1 or "seat" in settings:
        reason = "has one seat" if num_seats == 1 else f"is given the seat {settings['seat']!r}"
        raise ValueError(f"both_seats must be False for a game that {reason}")
    for seat in range(num_seats):
        yield {**settings, "seat": seat}


def _play(
    parent: int,
    spec: EnvSpec,
    settings: Mapping[str, Any],
    names: tuple[str, str],
    player: Player,
    episode: int,
    seed: int,
) -> Row:
    """Plays an episode: the row of the table, with the names of the player and its opponent."""
    end_with(parent)
    with closing(_made(spec, settings, episode)) as env:
        player = _reseeded(player, (episode, 0))
        policy = None if acts(player) else as_function(player, has_memory=True)
        observation, info = env.reset(seed=seed)
        total, seconds, steps = 0.0, 0.0, 0
        terminated = truncated = was_illegal = False
        while not (terminated or truncated):
            start = time.perf_counter()
            if steps == 0 and _is_over(env):  # the others ended the game before the player's turn
                action = env.action_space.sample()
            else:
                action = player.act(env) if policy is None else policy(observation, info)
            seconds += time.perf_counter() - start
            is_number = isinstance(env.action_space, Discrete) and np.size(action) == 1
            if is_number and isinstance(action, np.ndarray):
                action = action.item()
            observation, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            steps += 1
            was_illegal = was_illegal or bool(info.get("illegal_action"))
        game: Any = env.unwrapped
        seat, model = getattr(game, "seat", 0), _model_of(env)
        is_finished = model is None or model.is_terminal()
        points = _points(getattr(model, "scores", None), seat)
        is_illegal = not is_finished and (bool(terminated) or was_illegal)
        if is_illegal:
            forfeit = getattr(game, "forfeit", None) or game.model.max_score() or math.inf
            lead = min(points["lead"], -forfeit)  # NaN stays NaN
            total, points = min(total, -1.0), {**points, "score": 0 * points["score"], "lead": lead}
        return {
            "policy": names[0],
            "opponent": names[1],
            "episode": episode,
            "seed": seed,
            "seat": seat,
            "return": total,
            **points,
            "outcome": _outcome(model, seat, is_finished),
            "steps": steps,
            "illegal": is_illegal,
            "truncated": bool(truncated) and not terminated,
            "seconds_per_move": seconds / steps,
        }


def _made(
    spec: EnvSpec | str, settings: Mapping[str, Any], episode: int
) -> gymnasium.Env[Any, Any]:
    """The environment of an episode, by its specification or id."""
    reseeded = {name: _reseeded(value, (episode, 1)) for name, value in settings.items()}
    return gymnasium.make(spec, **reseeded)


def _reseeded(player: Any, key: tuple[int, int]) -> Any:
    """A copy of a planner with new random numbers, which its own generator and the key determine.

    The same of each player in a list or tuple. Models of learned policies are not copied, because
    they may be large; other arguments are.
    """
    if type(player) in (list, tuple):
        return type(player)(_reseeded(one, key) for one in player)
    if not acts(player) and (hasattr(player, "predict") or callable(player)):
        return player
    player = copy.deepcopy(player)
    if isinstance(player, Agent):
        _reseed(player, key)
    return player


def _reseed(agent: Agent, key: tuple[int, int]) -> None:
    for name, value in vars(agent).items():
        if isinstance(value, Rng):
            words = [value.below(2**32 - 1) for _ in range(4)]
            setattr(agent, name, Rng(np.random.SeedSequence(words, spawn_key=key)))
        elif isinstance(value, Agent):
            _reseed(value, key)


def _points(scores: Any, seat: int) -> Row:
    """The points of a seat and the best ones of the others."""
    if not isinstance(scores, Sequence | np.ndarray):
        return dict.fromkeys(("score", "opponent_score", "lead"), math.nan)
    others = [points for player, points in enumerate(scores) if player != seat]
    score, best = float(scores[seat]), float(max(others, default=math.nan))
    return {"score": score, "opponent_score": best, "lead": score - best}


def _outcome(model: Any, seat: int, is_finished: bool) -> str | None:
    """The outcome of a game for a seat; None without other seats."""
    if getattr(model, "num_players", 1) == 1:
        return None
    if not is_finished:
        return "loss"
    returns = model.returns()
    own, best = returns[seat], np.delete(returns, seat).max()
    return "win" if own > best else "draw" if own == best else "loss"
