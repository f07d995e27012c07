"""Environments for tests, and how tests play, compare and copy them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence

import carcassonne_env
import fop_env
from agents import ForwardModel, RandomAgent, Rng
from agents.environments import Observe, aec_env, gymnasium_env
from agents.games import Dodgem, Hex, Reversi, TacticsModel
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import ACTION_MODES
from carcassonne_env.gymnasium_env import CarcassonneEnv
from fop_env import FopModel
from fop_env.gymnasium_env import FopEnv
from games import Dice, ThreePlayers, TicTacToe
from models import slope

IDS = [
    f"Carcassonne-{suffix}" for suffix in ("1p-1m-d", "1p-1m-s", "1p-3m-d", "1p-3m-s", "2p-7m-s")
]
FEW = {"A": 1, "B": 1, "D": 2, "E": 1, "J": 2, "U": 1, "V": 2}
"""Tiles of short games."""
ORDER = "BAVEDJUVJ"
"""All of them but the start tile."""

modes = pytest.mark.parametrize("mode", ACTION_MODES)


# Games of any kind, and what players see of them


class Planes(TicTacToe):
    """Tic-tac-toe with an observation of its own: three planes of three rows."""

    def observation(self, player: int) -> np.ndarray:
        """Own marks, marks of the other player, and empty cells."""
        cells = np.array(list(self.cells))
        marks = "XO" if player == 0 else "OX"
        return np.array([cells == mark for mark in (*marks, ".")], np.float32).reshape(3, 3, 3)


def cells(model: TicTacToe, player: int) -> np.ndarray:
    """What is in each cell, as one vector."""
    return np.array([".XO".index(cell) / 2 for cell in model.cells] + [1 - player / 2], np.float32)


def one(model: ForwardModel, player: int) -> list[int]:
    return [1]


def points(model: Dice, player: int) -> np.ndarray:
    return np.array([model.points / 20, model.rolls / 3, 1], np.float32)


def choices(model: ThreePlayers, player: int) -> np.ndarray:
    """All choices so far and the player, who does not see more."""
    return np.array([1, player / 2, *((*model.choices, 0, 0, 0)[:3])], np.float32) / 2


def interval(model: FopModel, player: int) -> np.ndarray:
    return np.ravel(model.intervals).astype(np.float32)


def scores(model: CarcassonneModel, player: int) -> np.ndarray:
    """The points and the share of the tiles on the board."""
    share = len(model.board) / model.num_tiles
    return np.array([share, *(score / 100 for score in model.scores)], np.float32)


class Case(NamedTuple):
    """A game and what players see of it; None asks the game."""

    model: ForwardModel
    observe: Observe | None = None


GAMES = {
    "tic-tac-toe": Case(TicTacToe(), cells),
    "planes": Case(Planes()),
    "dice": Case(Dice(), points),
    "three players": Case(ThreePlayers(), choices),
    "fop": Case(FopModel("f4", threshold=0.01, num_players=2), interval),
    "carcassonne": Case(CarcassonneModel(num_players=2, tiles={"B": 2, "D": 2, "U": 2}), scores),
    "reversi": Case(Reversi()),
    "reversi plus": Case(Reversi(plus=True)),
    "dodgem": Case(Dodgem(size=3)),
    "hex": Case(Hex(size=4, swap=True)),
    "tactics": Case(TacticsModel("tiny", max_turns=12)),
}


# Environments


SHORT: dict[str, Any] = {"tiles": FEW, "num_meeples": 2}
GYMNASIUM: dict[str, Callable[..., Any]] = {
    **{
        f"carcassonne in the mode {mode}": partial(
            CarcassonneEnv, **SHORT, action_mode=mode, deterministic=False
        )
        for mode in ACTION_MODES
    },
    "carcassonne in order": CarcassonneEnv,
    "carcassonne bounded": partial(
        CarcassonneEnv, **SHORT, board_size=4, reward="final", info="full", deterministic=False
    ),
    "carcassonne against two": partial(
        CarcassonneEnv,
        **{**SHORT, "num_players": 3, "seat": 2, "opponent": "greedy", "reward": "virtual"},
        action_mode="two_step",
        observation="flat",
    ),
    "fop": FopEnv,
    "fop in three parts": partial(FopEnv, "f2", 3, 0.01, reward="expected"),
    "fop in two dimensions": partial(FopEnv, slope, dimensions=2),
    **{
        f"any game: {name}": partial(gymnasium_env, case.model, observe=case.observe)
        for name, case in GAMES.items()
    },
    "any game: against MCTS": partial(
        gymnasium_env, GAMES["planes"].model, opponent="mcts(iterations=5)", seat=None
    ),
}
"""Environments for one learner."""
AEC: dict[str, Callable[..., Any]] = {
    **{
        f"carcassonne in the mode {mode}": partial(
            carcassonne_env.env, **{**SHORT, "num_players": players, "action_mode": mode}
        )
        for players, mode in ((1, "index"), (2, "flat"), (3, "two_step"))
    },
    "carcassonne bounded": partial(
        carcassonne_env.env,
        **{**SHORT, "num_players": 5, "board_size": 4, "reward": "score", "info": "full"},
    ),
    "fop": partial(fop_env.env, "f4", threshold=0.01),
    "fop for one": partial(fop_env.env, slope, dimensions=2, num_players=1),
    **{
        f"any game: {name}": partial(aec_env, case.model, observe=case.observe)
        for name, case in GAMES.items()
    },
}
"""Environments for several learners."""


def started(make: Callable[..., Any], seed: int = 0, num_steps: int = 0, **settings: Any) -> Any:
    """An environment after a reset and some random steps, fewer if the game ends before."""
    env = make(**settings)
    env.reset(seed=seed)
    rng = Rng(seed)
    for _ in range(num_steps):
        if mask_of(env).any():
            env.step(legal_action(env, rng))
    return env


def mask_of(env: Any) -> np.ndarray:
    if isinstance(env.unwrapped, gymnasium.Env):
        return env.unwrapped.action_masks()
    return env.observe(env.agent_selection)["action_mask"]


def legal_action(env: Any, rng: Rng) -> int:
    legal = np.flatnonzero(mask_of(env))
    return int(legal[rng.below(len(legal))])


def illegal_action(env: Any) -> int:
    """An illegal action; skips the test if there is none."""
    mask = mask_of(env)
    if mask.all():
        pytest.skip("all actions are legal")
    return int(mask.argmin())


# Play


def steps(env: gymnasium.Env, seed: int = 0) -> Iterator[tuple]:
    """Plays random legal actions to the end of an episode; yields what each step returns."""
    agent, is_over = RandomAgent(seed), False
    while not is_over:
        result = env.step(agent.act(env))
        is_over = result[2] or result[3]
        yield result


def results(env: gymnasium.Env, seed: int | None = None, **options: Any) -> Iterator[tuple]:
    """Plays an episode; yields what reset and steps return: observation first, info last."""
    yield env.reset(seed=seed, options=options)
    yield from steps(env)


def moves(game: Any, seed: int = 0) -> Iterator[str]:
    """Plays an AEC game at random until it is over; yields who moves, before each move."""
    rng = Rng(seed)
    while not any(game.terminations.values()):
        yield game.agent_selection
        game.step(legal_action(game, rng))


def told(game: Any, seed: int = 0) -> list[tuple]:
    """Plays an AEC game on to the end; returns what each player was told in turn."""
    rng, seen = Rng(seed), []
    for agent in game.agent_iter():
        seen.append((agent, *game.last()))
        game.step(None if game.terminations[agent] else legal_action(game, rng))
    assert game.agents == []
    return seen


def gains(seen: list[tuple]) -> dict[str, float]:
    """The sum of the rewards of each player."""
    totals: dict[str, float] = {}
    for agent, _, reward, *_ in seen:
        totals[agent] = totals.get(agent, 0) + reward
    return totals


def future(env: Any) -> list[Any]:
    """All that is seen to the end of this episode and in the next one."""
    if isinstance(env.unwrapped, gymnasium.Env):
        return [*(steps(env) if mask_of(env).any() else []), *results(env)]
    seen = told(env)
    env.reset()
    return [*seen, *told(env)]


# Comparison and copies


def same(data: Any, other: Any) -> bool:
    """Whether nested dicts, tuples, lists and arrays are equal, types of arrays included."""
    if isinstance(data, dict) and isinstance(other, dict):
        return data.keys() == other.keys() and all(same(data[key], other[key]) for key in data)
    if isinstance(data, tuple | list) and type(data) is type(other):
        return len(data) == len(other) and all(map(same, data, other))
    if isinstance(data, np.ndarray) and data.dtype == object:
        is_alike = isinstance(other, np.ndarray) and other.dtype == object
        return is_alike and len(data) == len(other) and all(map(same, data, other))
    if type(data) is type(other) is np.ndarray:
        is_alike = data.dtype == other.dtype and data.shape == other.shape
        return is_alike and bool((data == other).all())
    return data_equivalence(data, other, exact=True)


DUPLICATES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda original: original.clone(),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda original: pickle.loads(pickle.dumps(original)),
}
every_duplicate = pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)


def wipe(data: Any) -> None:
    """Fills all arrays with nonsense, also those in arrays of objects."""
    is_array = isinstance(data, np.ndarray)
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, tuple | list) or (is_array and data.dtype == object):
        for value in data:
            wipe(value)
    if is_array:
        data.fill(None if data.dtype == object else 7)
