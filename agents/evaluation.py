"""Evaluates policies and planners on the same seeds: mean returns with confidence intervals.

Needs the extra ``experiments``.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import gymnasium
import pandas as pd
from scipy import stats
from tqdm import tqdm

from agents.learner import Function, as_function

Policy = Any
"""A planner or another object with ``act(env)``, or a policy for `agents.learner.as_function`."""
MEASURED = "policy"
"""The name of the evaluated policy in the rows."""


def evaluate(
    policy: Policy,
    env_id: str,
    episodes: int = 30,
    opponents: Mapping[str, Policy] | None = None,
    seeds: Sequence[int] | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Measures the returns of a policy and of opponents on the same seeds.

    If the environment has other seats (its attribute ``opponent`` exists and is not None), the
    opponents play these seats, and each row shows the policy against one opponent. Otherwise each
    opponent plays the episodes alone, and each row shows one player. Learned policies are asked for
    their best action (``deterministic=True``) and get the action mask if they take one.

    Args:
        policy: The policy to evaluate.
        env_id: The id of an environment, for ``gymnasium.make``.
        episodes: Number of episodes, 2 or more.
        opponents: Opponents by name; none may be named "policy". To play other seats, an opponent
            needs a method ``act(model)``, which planners and ``carcassonne_env.PolicyAgent`` have.
            Each row begins with a copy of its planner, so that rows do not depend on each other.
        seeds: One seed for each episode; 0, 1, 2, ... by default.
        settings: Further arguments of the environment.

    Returns:
        One row for each player or opponent: ``policy``, ``opponent``, ``episodes``, ``mean``,
        ``half_width`` of the 95% confidence interval of the mean (Student's t), ``deviation``,
        ``minimum`` and ``maximum`` of the return.

    Raises:
        TypeError: If the policy is neither a planner nor a learned policy.
        ValueError: If there are fewer than two episodes, the number of seeds differs from the
            number of episodes, or an opponent is named "policy".
    """
    seeds = range(episodes) if seeds is None else seeds
    if len(seeds) != episodes or episodes < 2:
        raise ValueError(
            f"episodes must be 2 or more, and as many as seeds, got {episodes!r} and "
            f"{len(seeds)} seeds"
        )
    opponents = opponents or {}
    if MEASURED in opponents:
        raise ValueError(
            f"opponents must have other names than {MEASURED!r}, which is that of the policy "
            f"itself, got {list(opponents)}"
        )
    env = gymnasium.make(env_id, **settings)
    has_seats = getattr(env.unwrapped, "opponent", None) is not None
    env.close()
    lines: list[tuple[str, str, Policy, dict[str, Any]]] = []
    if has_seats and opponents:
        for name, opponent in opponents.items():
            lines.append((MEASURED, name, policy, {**settings, "opponent": opponent}))
    else:
        players = {MEASURED: policy, **opponents}
        lines.extend((name, "", player, settings) for name, player in players.items())
    rows = []
    with tqdm(total=episodes * len(lines), unit="episode", desc="evaluate") as progress:
        for name, opponent, player, arguments in lines:
            returns = []
            env = gymnasium.make(env_id, **copy.deepcopy(arguments))  # with fresh generators
            for value in _returns(_fresh(player), env, seeds):
                returns.append(value)
                progress.update()
            env.close()
            rows.append({"policy": name, "opponent": opponent, **_summary(returns)})
    return pd.DataFrame(rows)


def _fresh(policy: Policy) -> Policy:
    """A copy of the policy if it is a planner, otherwise the policy itself."""
    return copy.deepcopy(policy) if hasattr(policy, "act") else policy


def _returns(policy: Policy, env: gymnasium.Env[Any, Any], seeds: Sequence[int]) -> Iterator[float]:
    """The undiscounted return of one episode for each seed."""
    choose = _chooser(policy, env)
    for seed in seeds:
        observation, info = env.reset(seed=seed)
        total, is_over = 0.0, False
        while not is_over:
            action = choose(observation, info)
            observation, reward, terminated, truncated, info = env.step(action)
            total += float(reward)
            is_over = terminated or truncated
        yield total


def _chooser(policy: Policy, env: gymnasium.Env[Any, Any]) -> Function:
    """A function of observation and info that returns the action of a policy."""
    if hasattr(policy, "act"):
        return lambda observation, info: policy.act(env)
    return as_function(policy)


def half_width(values: pd.Series) -> float:
    """Half of the 95% confidence interval of the mean (Student's t) of two values or more."""
    return float(stats.t.ppf(0.975, len(values) - 1) * values.sem())


def _summary(returns: Sequence[float]) -> dict[str, float]:
    values = pd.Series(returns)
    return {
        "episodes": len(values),
        "mean": values.mean(),
        "half_width": half_width(values),
        "deviation": values.std(),
        "minimum": values.min(),
        "maximum": values.max(),
    }
