"""Learned policies of any library as functions of observation and info.

The module imports none of these libraries.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

Function = Callable[[Any, dict[str, Any]], Any]
"""Chooses an action from an observation and the ``info`` that comes with it."""


def as_function(policy: Any) -> Function:
    """A learned policy as a function.

    Args:
        policy: Either an object with ``predict(observation, ...)``, such as the models of
            Stable-Baselines3 and their policies, or a function of observation and info. ``predict``
            is asked for the best action (``deterministic=True``); if it has a parameter
            ``action_masks``, it gets ``info["action_mask"]``. A function is returned as it is.

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
            return partial(_masked_prediction if takes_masks else _prediction, policy)
        if callable(policy):
            return policy  # type: ignore[no-any-return]
    raise TypeError(
        "a learned policy must have predict(observation) or be a function of observation and "
        f"info, got {policy!r}"
    )


def _prediction(policy: Any, observation: Any, info: dict[str, Any]) -> Any:
    return policy.predict(observation, deterministic=True)[0]


def _masked_prediction(policy: Any, observation: Any, info: dict[str, Any]) -> Any:
    mask = info["action_mask"]
    return policy.predict(observation, deterministic=True, action_masks=mask)[0]
