"""A learned policy as an agent: it sees a position as an environment would show it."""

from __future__ import annotations

from typing import Any

from agents.agent import Agent
from agents.learner import as_function

from ..encoding import Encoder
from ..episode import info_of
from ..model import CarcassonneModel


class PolicyAgent(Agent):
    """A learned policy that takes a seat where planners do.

    ``act(game)`` shows the policy the game as the player to move sees it, observation and info, and
    translates its choice. So it can be an ``opponent`` in ``gymnasium.make`` and in ``evaluate``,
    play in the AEC environment, or on a model:

    >>> import gymnasium
    >>> env = gymnasium.make("Carcassonne-2p-7m-s", action_mode="two_step")
    >>> first_legal = PolicyAgent(lambda observation, info: info["action_mask"].argmax(), env)
    >>> env = gymnasium.make("Carcassonne-2p-7m-s", action_mode="two_step", opponent=first_legal)

    Copies share the policy, as it is not part of a position: to play against a learner as it is now
    while it goes on learning, hand over a copy of its network.

    Args:
        policy: As `agents.learner.as_function` takes it, such as a model of Stable-Baselines3.
        env: A Gymnasium or AEC environment of the package, made like the one in which the policy
            learned. Only what numbers its actions and draws its observations is kept, which fits
            games of as many players, of the same board size, with as many steps a turn and not
            more tiles.

    Raises:
        TypeError: If the policy is none.
    """

    def __init__(self, policy: Any, env: Any) -> None:
        self.policy = as_function(policy)
        self.encoder: Encoder = env.unwrapped.episode.encoder

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The model's action for the one that the policy chooses.

        Raises:
            ValueError: If that is illegal, or the game is not one of those that fit.
        """
        observation = self.encoder.observe(model, model.current_player())
        number = self.policy(observation, info_of(self.encoder, model))
        action = self.encoder.decode(model, number)
        if action is None or not model.is_legal(action):
            raise ValueError(f"the policy chose action {number}, which is illegal in {model!r}")
        return action

    def __deepcopy__(self, memo: dict[int, Any]) -> PolicyAgent:
        """Itself, so that copies of an environment share their opponent's network."""
        return self
