"""Creates agents: from one line of text, and from everything else that can play."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from agents.agent import Agent, FunctionAgent, RandomAgent, acts
from agents.catalogue import named_agents, named_players
from agents.evolving.planners import EAMCTS, ESMCTS, SIEAMCTS, ESpMCTS
from agents.lookahead.planner import Expectimax, StarMinimax
from agents.mcts.planner import MCTS
from agents.multi_action.planners import (
    BridgeBurningMCTS,
    EvolutionaryMCTS,
    GreedyAction,
    GreedyTurn,
    NonExploringMCTS,
    OnlineEvolution,
)
from agents.racing.planner import RacingMCTS
from agents.rng import Seed
from agents.specification import build, parsed, signature_of

AGENTS: dict[str, Callable[..., Agent]] = {
    "random": RandomAgent,
    "mcts": MCTS,
    "racing-mcts": RacingMCTS,
    "ea-mcts": EAMCTS,
    "siea-mcts": SIEAMCTS,
    "es-mcts": ESMCTS,
    "es-p-mcts": ESpMCTS,
    "expectimax": Expectimax,
    "star-minimax": StarMinimax,
    "star1": partial(StarMinimax, depth=2, probing_factor=0),
    "star2": partial(StarMinimax, depth=2, probing_factor=1),
    "star2.5": partial(StarMinimax, depth=2, probing_factor=4),
    "greedy-action": GreedyAction,
    "greedy-turn": GreedyTurn,
    "non-exploring-mcts": NonExploringMCTS,
    "bb-mcts": BridgeBurningMCTS,
    "oep": OnlineEvolution,
    "greedy-oep": partial(OnlineEvolution, repair="greedy"),
    "emcts": EvolutionaryMCTS,
}
"""Factories of the agents that play any game, by name; options are their keyword arguments."""


def make(specification: str, *, seed: Seed = None) -> Agent:
    """Creates the agent that a specification describes.

    Args:
        specification: A name from `AGENTS`, or an agent or a named player of an installed game,
            such as "greedy" or "carcassonne.greedy". Options in parentheses replace the defaults:
            ``"mcts(c=0.5, iterations=1000)"``; those that a named player sets are fixed. Values are
            Python literals. Any other value is taken as text and must have no comma outside
            parentheses: ``"mcts(tree_policy=Q + sqrt(ln(N)/n))"``.
        seed: The seed of the agent.

    Raises:
        TypeError: If the specification is no text.
        ValueError: If the name or an option is unknown, a value is refused, or the text cannot be
            read.
    """
    name, _ = parsed("agent", specification)
    if name in AGENTS:
        return build("agent", AGENTS, specification, seed=seed)
    own = {name: factory for name, factory in named_agents().items() if name not in AGENTS}
    known: dict[str, Callable[..., Agent]] = AGENTS | own
    players = named_players()
    names = [name] if name in players else players
    named = {name: _factory(players[name], known) for name in names}
    return build("agent", known | named, specification, seed=seed)


def _factory(text: str, known: Mapping[str, Callable[..., Agent]]) -> Callable[..., Agent]:
    """A factory of the agent with this specification; takes the options that it does not set."""
    name, fixed = parsed("agent", text)
    if name not in known:
        raise ValueError(f"a game's player must be one of {', '.join(known)}, got {text!r}")

    def factory(**options: object) -> Agent:
        return known[name](**fixed, **options)

    signature = signature_of(known[name])
    free = [p for p in signature.parameters.values() if p.name not in fixed]
    free = [p if p.kind is p.VAR_KEYWORD else p.replace(kind=p.KEYWORD_ONLY) for p in free]
    factory.__signature__ = signature.replace(parameters=free)  # type: ignore[attr-defined]
    return factory


def as_agent(
    player: Any,
    *,
    name: str = "player",
    seed: Seed = None,
    learned: Callable[[Any], Agent] | None = None,
) -> Agent:
    """The agent that begins a game of a forward model in place of a player of any kind.

    Text gets the seed, an agent begins as a copy, and all games share other objects with ``act``
    and functions. `learned` makes the agent of an object with ``predict``, where the game can show
    it what it learned to see; `name` is that of the argument, for errors.
    """
    if isinstance(player, str):
        return make(player, seed=seed)
    if isinstance(player, Agent):
        return copy.deepcopy(player)
    if acts(player):
        return FunctionAgent(player.act)
    is_learned = hasattr(player, "predict") and not isinstance(player, type)
    if is_learned and learned is not None:
        return learned(player)
    if not is_learned and _takes_a_model(player):
        return FunctionAgent(player)
    raise TypeError(
        f"{name} must be text for agents.make, an Agent, another object with act(model), "
        f"{'' if learned is None else 'a learned policy with predict(observation), '}"
        f"or a function of the model, got {player!r}; a policy of one's own needs an agent "
        "that shows it the game, such as carcassonne_env.PolicyAgent(policy, env)"
    )


def _takes_a_model(player: Any) -> bool:
    """Whether a player is a function that can be called with a model alone."""
    if not callable(player) or isinstance(player, type):
        return False
    try:
        inspect.signature(player).bind(None)
    except ValueError:  # a compiled function tells no signature
        return True
    except TypeError:
        return False
    return True
