"""An agent that plays a learned policy. The policy gets the observations of an environment."""

from __future__ import annotations

from typing import Any

from agents.agent import Agent, PlayerError
from agents.learner import as_function

from ..encoding import Encoder
from ..model import CarcassonneModel


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
    change with it, pass a copy of the network.

    Args:
        policy: A policy that `agents.learner.as_function` accepts, such as a model of
            Stable-Baselines3.
        env: A Gymnasium or AEC environment of this package with the arguments of the environment
            in which the policy learned. The agent keeps only its encoder. It can play games with
            the same number of players, the same board size and the same number of steps a turn,
            and with at most as many tiles. ``TwoStepAgent(PolicyAgent(policy, env))`` lets a policy
            that learned with two steps a turn play games with one.

    Raises:
        TypeError: If ``policy`` is not a policy, or ``env`` no environment of this package.
    """

    def __init__(self, policy: Any, env: Any) -> None:
        self.policy = as_function(policy)
        encoder = getattr(getattr(env, "unwrapped", None), "encoder", None)
        if not isinstance(encoder, Encoder):
            raise TypeError(f"env must be an environment of carcassonne_env, got {env!r}")
        self.encoder = encoder

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that the policy chooses, converted to the model's action.

        Raises:
            PlayerError: A ValueError, if the action is illegal.
            ValueError: If the game does not fit the encoder.
            TypeError: If the policy is recurrent.
        """
        if model.num_players != self.encoder.num_players:
            raise ValueError(
                f"the policy learned another variant of the game, for {self.encoder.num_players} "
                f"players, than {model!r}, which has {model.num_players}"
            )
        self._check_steps(model)
        observation, info = self.encoder.observe_with_numbers(model, model.current_player())
        info |= {"action_mask": observation["action_mask"], "illegal_action": False}
        number = self.policy(observation, info)
        action = self.encoder.decode(model, number)
        if action is None or not model.is_legal(action):
            message = f"the policy chose action {number}, which is illegal in {model!r}"
            raise PlayerError("illegal action", message)
        return action

    def _check_steps(self, model: CarcassonneModel) -> None:
        """Raises ValueError if policy and game differ in the number of steps a turn."""
        mode = self.encoder.action_mode
        if model.is_two_step == (mode == "two_step"):
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
