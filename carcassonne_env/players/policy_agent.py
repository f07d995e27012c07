"""An agent that plays a learned policy. The policy gets the observations of an environment."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import VectorActionWrapper, VectorObservationWrapper

from agents.agent import Agent, PlayerError, refusing
from agents.env_base import number_of
from agents.learner import as_function

from ..encoding import Encoder
from ..episode import texts_of
from ..model import CarcassonneModel

_STRANGE = gymnasium.ActionWrapper, VectorActionWrapper, VectorObservationWrapper
"""Wrappers that the agent does not apply."""


class PolicyAgent(Agent):
    """An agent that plays a learned policy.

    ``act(game)`` passes the observation and the info of the player to move to the policy, and
    converts the chosen action to the model's action. The agent can be an ``opponent`` in
    ``gymnasium.make`` and in ``evaluate``, and it can play in the AEC environment or on a model:

    >>> import gymnasium
    >>> env = gymnasium.make("Carcassonne-2p-7m-s", action_mode="two_step")
    >>> first_legal = PolicyAgent(lambda observation, info: info["action_mask"].argmax(), env)
    >>> env = gymnasium.make("Carcassonne-2p-7m-s", action_mode="two_step", opponent=first_legal)

    Copies of the agent share the policy. If the policy goes on learning, but the agent should not
    change with it, pass a copy of the network: ``pickle.loads(pickle.dumps(model.policy))`` for a
    model of Stable-Baselines3, because PyTorch refuses to ``copy.deepcopy`` what has learned.

    Args:
        policy: A policy that `agents.learner.as_function` accepts, such as a model of
            Stable-Baselines3.
        env: A Gymnasium or AEC environment of this package with the arguments of the environment
            in which the policy learned. The agent keeps only its encoder and copies of its
            wrappers. It can play games with the same number of players, the same board size and the
            same number of steps a turn, and with at most as many tiles.
            ``TwoStepAgent(PolicyAgent(policy, env))`` lets a policy that learned with two steps a
            turn play games with one.

    **Wrappers.** The policy gets observations as each ``gymnasium.ObservationWrapper`` around
    ``env`` changes them. Its method ``observation`` finds the position in ``self.unwrapped.model``
    and the player to move in ``self.unwrapped.seat``. Only one thread at a time may then ask the
    agent. Other wrappers have no effect here: neither on rewards, nor if their ``reset`` and
    ``step`` change observations within the same space.

    Raises:
        TypeError: If ``policy`` is not a policy, ``env`` no environment of this package, or one of
            its wrappers remembers observations, changes their space in another way, or changes
            actions.
    """

    def __init__(self, policy: Any, env: Any) -> None:
        self.policy = as_function(policy)
        encoder = getattr(getattr(env, "unwrapped", None), "encoder", None)
        if not isinstance(encoder, Encoder):
            raise TypeError(f"env must be an environment of carcassonne_env, got {env!r}")
        self.encoder = encoder
        self._tells_texts = env.unwrapped.info == "full"
        self._wrappers: list[Any] = []  # those of observations, the innermost first
        if env is not env.unwrapped:
            self._copy_wrappers(env)

    def _copy_wrappers(self, env: Any) -> None:
        """Copies the wrappers, around a game of their own that shows them each position."""
        layers = []
        while env is not env.unwrapped:
            layers.append(env)
            env = env.env
        for layer in layers:
            _check_wrapper(layer)
        if any(isinstance(layer, gymnasium.ObservationWrapper) for layer in layers):
            self._shown = inner = copy.deepcopy(env)
            for layer in reversed(layers):
                outer = copy.copy(layer)
                outer.env = inner
                if isinstance(outer, gymnasium.wrappers.NormalizeObservation):
                    outer.update_running_mean = False  # the statistics are those of the training
                if isinstance(outer, gymnasium.ObservationWrapper):
                    self._wrappers.append(outer)
                inner = outer

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that the policy chooses, converted to the model's action.

        Raises:
            PlayerError: A ValueError, if the action is illegal or the game not that of the encoder.
            TypeError: If the policy is recurrent.
        """
        with refusing(self):
            self.check_game(model)
        observation, info = self.encoder.observe_with_info(model, model.current_player())
        info |= {"illegal_action": False, **(texts_of(model) if self._tells_texts else {})}
        if self._wrappers:
            self._shown._model, self._shown.seat = model, model.current_player()
        for wrapper in self._wrappers:
            observation = wrapper.observation(observation)
        number = self.policy(observation, info)
        if isinstance(number, np.ndarray) and number.size == 1:
            number = number.item()
        try:
            action = self.encoder.decode(model, number_of(number, self.encoder.num_actions))
        except gymnasium.error.InvalidAction:
            action = None
        if action is None or not model.is_legal(action):
            message = f"the policy chose action {number}, which is illegal in {model!r}"
            raise PlayerError("illegal action", message)
        return action

    def check_game(self, model: CarcassonneModel) -> None:
        """Raises ValueError if the policy learned another game or variant of it."""
        if not isinstance(model, CarcassonneModel):
            raise ValueError(f"the policy plays Carcassonne, got {model!r}")
        if model.num_players != self.encoder.num_players:
            raise ValueError(
                f"the policy learned another variant of the game, for {self.encoder.num_players} "
                f"players, than {model!r}, which has {model.num_players}"
            )
        mode = self.encoder.action_mode
        if model.is_two_step == (mode == "two_step"):
            self.encoder.mask(model)  # raises
            return
        advice = (
            "choose its action_mode for the environment, and wrap policies with "
            "action_mode='two_step' in TwoStepAgent(PolicyAgent(policy, env))"
            if model.is_two_step
            else "TwoStepAgent(PolicyAgent(policy, env)) plays it"
        )
        raise ValueError(
            f"the policy learned with action_mode={mode!r}, in another variant of the game than "
            f"{model!r}, which has {'two actions' if model.is_two_step else 'one action'} a turn: "
            + advice
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyAgent:
        """Returns the agent itself: copies of an environment share the opponent's network."""
        return self


def _check_wrapper(wrapper: Any) -> None:
    """Raises TypeError if a wrapper changes observations or actions in a way of its own."""
    known = gymnasium.ObservationWrapper
    is_known = isinstance(wrapper, known)
    has_memory = is_known and (type(wrapper).step, type(wrapper).reset) != (known.step, known.reset)
    (seen, actions), (seen_inside, actions_inside) = map(_spaces_of, (wrapper, wrapper.env))
    is_changed = actions != actions_inside or (not is_known and seen != seen_inside)
    if isinstance(wrapper, _STRANGE) or has_memory or is_changed:
        raise TypeError(
            "env must have no wrappers that change actions, and change observations only by the "
            f"method observation of a gymnasium.ObservationWrapper, got {type(wrapper).__name__}"
        )


def _spaces_of(env: Any) -> list[Any]:
    """The spaces of observations and actions, in PettingZoo those of the first player."""
    spaces = env.observation_space, env.action_space
    return [space(env.possible_agents[0]) if callable(space) else space for space in spaces]
