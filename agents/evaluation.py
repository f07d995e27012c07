"""How good any policy is, beside the planners: the same seeds for all, means with intervals.

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
"""A planner or another object with ``act(env)``, or what `agents.learner.as_function` takes."""
MEASURED = "policy"
"""The name of the policy itself in the rows."""


def evaluate(
    policy: Policy,
    env_id: str,
    episodes: int = 30,
    opponents: Mapping[str, Policy] | None = None,
    seeds: Sequence[int] | None = None,
    **settings: Any,
) -> pd.DataFrame:
    """Measures the return of a policy beside that of opponents, on the same seeds.

    Where an environment has other seats (an attribute ``opponent``, not None), the opponents play
    them and every row is the policy against one of them. Elsewhere they play the episodes alone,
    and every row is a player. Learners are asked for their best action (``deterministic=True``),
    with the action mask if they take one.

    Args:
        policy: What is measured.
        env_id: An environment, as ``gymnasium.make`` takes it.
        episodes: Number of episodes, 2 or more.
        opponents: By name, other than "policy". In other seats only what has ``act(model)``:
            planners, and learned policies as ``carcassonne_env.PolicyAgent``. Each row begins with
            a copy of its planner, so that rows do not depend on each other.
        seeds: One for each episode; 0, 1, 2, ... by default.
        settings: Further arguments of the environment.

    Returns:
        One row a player, or an opponent: ``policy``, ``opponent``, ``episodes``, ``mean``,
        ``half_width`` of the 95% confidence interval of the mean (Student's t), ``deviation``,
        ``minimum`` and ``maximum`` of the return.

    Raises:
        TypeError: If the policy is neither a planner nor a learned policy.
        ValueError: If there are less than two episodes, or not as many seeds, or an opponent is
            named "policy".
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
            env = gymnasium.make(env_id, **copy.deepcopy(arguments))  # generators begin anew
            for value in _returns(_fresh(player), env, seeds):
                returns.append(value)
                progress.update()
            env.close()
            rows.append({"policy": name, "opponent": opponent, **_summary(returns)})
    return pd.DataFrame(rows)


def _fresh(policy: Policy) -> Policy:
    """A planner as it is now, whatever it has played before; others play as they are."""
    return copy.deepcopy(policy) if hasattr(policy, "act") else policy


def _returns(policy: Policy, env: gymnasium.Env[Any, Any], seeds: Sequence[int]) -> Iterator[float]:
    """The undiscounted return of an episode of each seed."""
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
    """How to ask a policy for an action."""
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
