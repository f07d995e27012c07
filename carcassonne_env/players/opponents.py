"""The players of the seats that a learner leaves to the environment."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from agents.agent import Agent, Planner, acts
from agents.learner import as_function
from agents.registry import as_agent, make
from agents.rng import Rng

from ..model import CarcassonneModel
from ..turns import plan_turn
from ..variant import Variant
from .policy_agent import PolicyAgent

RANDOM = "random"
"""The opponent that the environments play themselves, with the generator of their draws."""


def as_opponent(opponent: Any, env: Any) -> str | Agent:
    """The opponent that an environment is given: a specification that can be read, or an agent.

    A learned policy sees what a learner in its place would see.
    """
    if opponent != RANDOM and env.num_players == 1:
        raise ValueError(f"a game for one player has no seat for opponent={opponent!r}")
    try:
        agent = as_agent(opponent, name="opponent", learned=lambda it: PolicyAgent(it, env))
    except ValueError as error:
        raise ValueError(
            f"opponent must be a specification for agents.make, got {opponent!r}: {error}"
        ) from None
    _check_game("opponent", opponent, agent, env.variant)
    return opponent if isinstance(opponent, str) else agent


def _check_game(name: str, given: Any, player: Any, variant: Variant) -> None:
    """Raises ValueError if the player, given by an argument, learned another variant."""
    if hasattr(player, "check_game"):
        try:
            player.check_game(CarcassonneModel.of(variant, Rng(0)))
        except ValueError as error:
            raise ValueError(f"{name}={given!r} cannot play this game: {error}") from None


def begun(opponent: str | Agent, np_random: np.random.Generator) -> str | Agent:
    """The opponent as it begins to play after a reset with a seed.

    The generator gives the agent of a specification a new seed. An agent begins as a copy, with the
    seed that it has.
    """
    if opponent == RANDOM:
        return RANDOM
    if isinstance(opponent, str):
        return make(opponent, seed=int(np_random.integers(2**63)))
    return copy.deepcopy(opponent)


def rival_at_play(rival: Any, variant: Variant, rng: np.random.Generator) -> Any:
    """An agent for a rival, or for a learned policy a function of the observations of many games.

    The generator gives the agent of a specification its seed.
    """
    if isinstance(rival, str):
        player: Any = make(rival, seed=int(rng.integers(2**63)))
    else:
        player = as_agent(rival) if acts(rival) else as_function(rival)
    _check_game("rival", rival, player, variant)
    return player


def turn_of(agent: Agent, model: CarcassonneModel) -> list[int]:
    """The next actions of an agent: of a planner the whole turn, of other agents one action.

    Where a turn takes two actions, a planner so gets the position with one action a turn. Other
    agents get the position as it is, because they may have learned to act in two steps.
    """
    if isinstance(agent, Planner):
        return plan_turn(model, agent.act)
    return [agent.act(model)]
