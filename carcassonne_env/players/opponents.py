"""The players of the seats that a learner leaves to the environment."""

from __future__ import annotations

import copy
from typing import Any, Protocol

import numpy as np

from agents.agent import Agent, Planner
from agents.learner import as_function
from agents.registry import make
from agents.rng import Rng

from ..model import CarcassonneModel
from ..turns import plan_turn
from ..variant import Variant


class Opponent(Protocol):
    """A player of the other seats: a planner, a `PolicyAgent` or any object with this method."""

    def act(self, model: CarcassonneModel, /) -> int:
        """Chooses a legal action of the model and must not change the model."""


RANDOM = "random"
"""The opponent that the environments play themselves, with the generator of their draws."""


def check_opponent(opponent: Any, variant: Variant) -> None:
    """Raises an error unless the opponent can play the other seats of a game.

    Raises:
        TypeError: If it is neither text nor an object with a method ``act``.
        ValueError: If it is text that `agents.make` refuses, nobody else plays, or it learned
            another variant of the game.
    """
    if opponent != RANDOM and variant.num_players == 1:
        raise ValueError(f"a game for one player has no seat for opponent={opponent!r}")
    player = opponent
    if isinstance(opponent, str):
        try:
            player = make(opponent)
        except ValueError as error:
            raise ValueError(
                f"opponent must be a specification for agents.make, got {opponent!r}: {error}"
            ) from None
    elif isinstance(opponent, type) or not hasattr(opponent, "act"):
        raise TypeError(
            "opponent must be 'random', another specification for agents.make, or have a method "
            "act(model), as planners and carcassonne_env.PolicyAgent(policy, env) have, got "
            f"{opponent!r}"
        )
    _check_game("opponent", opponent, player, variant)


def _check_game(name: str, given: Any, player: Any, variant: Variant) -> None:
    """Raises ValueError if the player, given by an argument, learned another variant."""
    if hasattr(player, "check_game"):
        try:
            player.check_game(CarcassonneModel.of(variant, Rng(0)))
        except ValueError as error:
            raise ValueError(f"{name}={given!r} cannot play this game: {error}") from None


def begun(opponent: Any, np_random: np.random.Generator) -> Any:
    """The opponent as it begins to play after a reset with a seed.

    Args:
        opponent: A specification; the player then gets a new seed. An agent begins as a copy, with
            the seed that it has. Anything else stays as it is, also "random".
        np_random: The generator that draws the seed.
    """
    if isinstance(opponent, str) and opponent != RANDOM:
        return make(opponent, seed=int(np_random.integers(2**63)))
    return own_copy(opponent)


def rival_at_play(rival: Any, variant: Variant, rng: np.random.Generator) -> Any:
    """An agent, or a function of the observations and infos of many games, for a rival.

    Args:
        rival: A specification; the player then gets a seed of the generator. An agent or a learned
            policy.
        variant: The variant of the game.
        rng: The generator.

    Raises:
        TypeError: If the rival is none of these.
        ValueError: If `agents.make` refuses the specification, or the rival learned another variant
            of the game.
    """
    player: Any
    if isinstance(rival, str):
        player = make(rival, seed=int(rng.integers(2**63)))
    elif hasattr(rival, "act") and not isinstance(rival, type):
        player = own_copy(rival)
    else:
        player = as_function(rival)
    _check_game("rival", rival, player, variant)
    return player


def own_copy(opponent: Any) -> Any:
    """A copy of an agent, with its random generator; anything else as it is."""
    return copy.deepcopy(opponent) if isinstance(opponent, Agent) else opponent


def turn_of(player: Opponent, model: CarcassonneModel) -> list[int]:
    """The next actions of a player: of a planner the whole turn, of other players one action.

    Where a turn takes two actions, a planner so gets the position with one action a turn. Other
    players get the position as it is, because they may have learned to act in two steps.
    """
    if isinstance(player, Planner):
        return plan_turn(model, player.act)
    return [player.act(model)]
