"""Learned policies of any library as functions of observation and info.

The module imports none of these libraries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Function = Callable[[Any, dict[str, Any]], Any]
"""Chooses an action from an observation and the ``info`` that comes with it."""


def as_function(policy: Any, *, has_memory: bool = False) -> Function:
    """A learned policy as a function.

    Args:
        policy: Either an object with ``predict(observation, ...)``, such as the models of
            Stable-Baselines3 and their policies, or a function of observation and info. ``predict``
            is asked for the best action (``deterministic=True``); if it has a parameter
            ``action_masks``, it gets ``info["action_mask"]``. A function is returned as it is.
        has_memory: Whether the function keeps the memory of a recurrent policy, such as
            RecurrentPPO of sb3-contrib: the state that ``predict`` returns with an action is an
            argument of its next call. Make such a function anew for each episode. Without memory,
            the function serves any number of games at once, and raises TypeError when a recurrent
            policy is asked.

    Returns:
        A function of observation and info that can be pickled if the policy can.

    Raises:
        TypeError: If the policy is neither of these.

    >>> best = as_function(lambda observation, info: info["action_mask"].index(1))
    >>> best(None, {"action_mask": [0, 0, 1]})
    2
    """
    if not isinstance(policy, type):
        if hasattr(policy, "predict"):
            takes_masks = "action_masks" in inspect.signature(policy.predict).parameters
            return _Prediction(policy, takes_masks, has_memory)
        if callable(policy):
            return policy  # type: ignore[no-any-return]
    hint = "; agents.make makes an agent of text" if isinstance(policy, str) else ""
    raise TypeError(
        "a learned policy must have predict(observation) or be a function of observation and "
        f"info, got {policy!r}{hint}"
    )


@dataclass
class _Prediction:
    """The best action by the ``predict`` of a policy.

    `state` is what ``predict`` returned for its next call; None before the first call, and for
    policies that are not recurrent.
    """

    policy: Any
    takes_masks: bool
    has_memory: bool
    state: Any = None

    def __call__(self, observation: Any, info: dict[str, Any]) -> Any:
        """The action."""
        arguments: dict[str, Any] = {"deterministic": True}
        if self.takes_masks:
            arguments["action_masks"] = info["action_mask"]
        if self.state is not None:
            arguments |= {"state": self.state, "episode_start": np.array([False])}
        action, state = self.policy.predict(observation, **arguments)
        if self.has_memory:
            self.state = state
        elif state is not None:
            raise TypeError(
                "a recurrent policy cannot play here, because nobody tells it where an episode "
                "begins; only agents.evaluation plays with its memory, as the measured policy, "
                f"got {self.policy!r}"
            )
        return action

    def __deepcopy__(self, memo: dict[int, Any]) -> _Prediction:
        """Shares the policy, which is large, and which PyTorch refuses to copy once it learned."""
        return _Prediction(self.policy, self.takes_masks, self.has_memory, self.state)
