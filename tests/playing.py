"""Positions and players for tests of what people play."""

from __future__ import annotations

from typing import Any

import numpy as np

from agents import MCTS, ForwardModel, RandomAgent, Rng
from carcassonne_env import CarcassonneModel
from models import advance, in_play

SMALL = {"D": 3, "E": 2, "V": 2, "B": 1}
FEW = {"A": 2, "B": 1, "D": 2, "E": 1, "H": 1, "J": 2, "M": 1, "R": 1, "U": 1, "V": 2}
"""Tiles of short games."""


class Told(RandomAgent):
    """Plays at random, and notes what it is told."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.told: list[int] = []

    def advance(self, action: int) -> None:
        self.told.append(action)


class LastPlanner(MCTS):
    """A planner that does not play what its search recommends, but the last legal action."""

    def choose(self, model: ForwardModel) -> int:
        self.search(model)
        return int(model.legal_actions()[-1])


def last_seen(observation: Any, info: dict[str, Any]) -> int:
    return int(np.flatnonzero(info["action_mask"])[-1])


class LastLearner:
    """As a model of Stable-Baselines3."""

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[np.ndarray, None]:
        assert deterministic
        return np.flatnonzero(observation["action_mask"])[-1], None


class LastMaskedLearner:
    """The same, of one that is given the mask; it cannot be copied."""

    def predict(
        self, observation: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[np.ndarray, None]:
        assert deterministic
        np.testing.assert_array_equal(action_masks, observation["action_mask"])
        return np.array(np.flatnonzero(action_masks)[-1]), None

    def __deepcopy__(self, memo: Any) -> LastMaskedLearner:
        raise TypeError("networks that have learned cannot always be copied")


def opening(num_players: int = 2, tiles: Any = "base", **options: Any) -> CarcassonneModel:
    return in_play(CarcassonneModel(num_players, tiles=tiles, **options))


def one_player(seed: int = 0) -> CarcassonneModel:
    """A game for one, of 23 tiles in a known order, none of which is discarded at first."""
    return CarcassonneModel(1, 3, "small", deterministic=True, seed=seed)


def middle_of_a_game(seed: int = 0, moves: int = 30) -> CarcassonneModel:
    """A position with a player to move after so many moves, played at random."""
    model, rng = CarcassonneModel(), Rng(seed)
    for _ in range(2 * moves):
        advance(model, rng)
    if model.is_chance_node():
        advance(model, rng)
    return model


def decision_after(num_tiles: int, seed: int, *args: Any, **options: Any) -> CarcassonneModel:
    """The first decision of a random game with so many tiles, or more, on the board."""
    model, rng = CarcassonneModel(*args, **options, seed=seed), Rng(seed)
    while model.is_chance_node() or len(model.board) < num_tiles:
        advance(model, rng)
    return model


def late(num_left: int, seed: int, *args: Any, **options: Any) -> CarcassonneModel:
    """The first decision of a random game with so many tiles, or fewer, in the bag."""
    model, rng = CarcassonneModel(*args, **options), Rng(seed)
    while model.is_chance_node() or sum(model.bag.values()) > num_left:
        advance(model, rng)
    return model


def replayed(actions: list[int]) -> CarcassonneModel:
    """The position after actions and draws, all of which are legal."""
    model = CarcassonneModel(num_players=2, tiles=SMALL)
    for action in actions:
        assert action in (
            model.chance_outcomes()[0] if model.is_chance_node() else model.legal_actions()
        )
        model.apply_action(action)
    return model
