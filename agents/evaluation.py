"""Evaluates policies and planners on the same seeds: means with confidence intervals.

Needs the extra ``experiments``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from agents.checks import extra
from agents.episodes import MEASURED, play_episodes
from agents.game import Player

with extra("experiments", __name__):
    import pandas as pd
    from scipy import stats


def evaluate(
    policy: Player,
    env_id: str,
    episodes: int = 30,
    opponents: Mapping[str, Player] | None = None,
    seeds: Sequence[int] | None = None,
    *,
    both_seats: bool = False,
    workers: int = 1,
    **settings: Any,
) -> pd.DataFrame:
    """Measures the returns of a policy and of opponents on the same seeds.

    If the game has other seats, the opponents play them, and each row shows the policy against one
    opponent. Otherwise each opponent plays the episodes alone, and each row shows one player.
    Learned policies are asked for their best action (``deterministic=True``), get the action mask
    if they take one, and keep their memory during an episode if they are recurrent. Planners plan
    whole turns, with their budget once a turn, also where a turn of the environment takes several
    actions. `agents.episodes.play_episodes` returns the episodes themselves.

    Illegal actions never pay: an episode that ends by one counts as the worst result.

    Args:
        policy: The player to evaluate: a planner or another object with ``act(env)``, text for
            `agents.make`, or a policy for `agents.learner.as_function`.
        env_id: The id of an environment, for ``gymnasium.make``. It is known once its package is
            imported, which ``package:id`` does.
        episodes: Number of episodes, 2 or more.
        opponents: Opponents by name, also text for `agents.make`; none may be named "policy". To
            play other seats, they are what the environment takes as ``opponent``. Each episode
            begins with copies of its planners, whose random numbers depend on their own seed and
            the number of the episode. So episodes do not depend on each other.
        seeds: One seed for each episode; 0, 1, 2, ... by default.
        both_seats: Whether the policy plays each seed from each seat of the game (the argument
            ``seat`` of the environment). Otherwise it has one seat.
        workers: Number of processes. All results but the times are the same for any number.
        settings: Further arguments of the environment.

    Returns:
        One row for each player or opponent, see `summary`.

    Raises:
        gymnasium.error.UnregisteredEnv: If the environment is unknown.
        TypeError: If the policy or an opponent is neither a planner nor a learned policy,
            opponents have no names, or a seed is no integer.
        ValueError: If there are fewer than two episodes, the number of seeds differs from the
            number of episodes, a seed is negative, `agents.make` refuses a text, an opponent is
            named "policy", workers is below 1, or `both_seats` is given for a game with one seat or
            together with ``seat``.
    """
    options = {"both_seats": both_seats, "workers": workers, **settings}
    return summary(play_episodes(policy, env_id, episodes, opponents, seeds, **options))


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Summarises episodes.

    Intervals are 95% confidence intervals by Student's t. The games of one seed from several seats
    share their chance outcomes, so an interval is that of the means of the seeds.

    Args:
        table: The episodes of `agents.episodes.play_episodes`.

    Returns:
        One row for each player or opponent:

        - ``policy``, ``opponent``, and ``episodes``, their number.
        - ``mean``, ``half_width`` of its interval, ``deviation``, ``minimum`` and ``maximum`` of
          the return.
        - ``wins``, ``draws``, ``losses``: only in games with other seats.
        - ``difference``, ``difference_half_width``: with other seats, the lead in points over the
          opponent (NaN in games without points). Otherwise the return of the measured policy minus
          that of this row's player on the same seeds (NaN in the row of the policy itself).
        - ``illegal``, ``truncated``: the numbers of episodes that an illegal action or a limit of
          steps ended. Illegal ones are in all means as the worst results, see `play_episodes`.
        - ``seconds_per_move``: the mean wall time of the choice of an action.
    """
    has_seats = table["outcome"].notna().any()
    measured = _by_seed(table[table["policy"] == MEASURED], "return")
    rows = []
    for (policy, opponent), played in table.groupby(["policy", "opponent"], sort=False):
        returns = played["return"]
        row = {
            "policy": policy,
            "opponent": opponent,
            "episodes": len(played),
            "mean": returns.mean(),
            "half_width": half_width(_by_seed(played, "return")),
            "deviation": returns.std(),
            "minimum": returns.min(),
            "maximum": returns.max(),
        }
        if has_seats:
            outcomes = {"wins": "win", "draws": "draw", "losses": "loss"}
            row |= {name: (played["outcome"] == one).sum() for name, one in outcomes.items()}
            differences = _by_seed(played, "lead")
        else:
            differences = measured - _by_seed(played, "return")
        is_paired = has_seats or policy != MEASURED
        row |= {
            "difference": differences.mean() if is_paired else np.nan,
            "difference_half_width": half_width(differences) if is_paired else np.nan,
            "illegal": played["illegal"].sum(),
            "truncated": played["truncated"].sum(),
            "seconds_per_move": np.average(played["seconds_per_move"], weights=played["steps"]),
        }
        rows.append(row)
    return pd.DataFrame(rows)


def _by_seed(table: pd.DataFrame, column: str) -> pd.Series:
    """The mean of a column over the seats, for each episode."""
    return table.groupby("episode")[column].mean()


def half_width(values: pd.Series) -> float:
    """Half of the 95% confidence interval of the mean (Student's t).

    It is NaN if a value is infinite, or if there is only one.
    """
    with np.errstate(invalid="ignore"):
        return float(stats.t.ppf(0.975, len(values) - 1) * values.sem())
