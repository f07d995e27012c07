"""What the result of a search says of each action, whatever planner searched."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Place = TypeVar("Place", bound=Hashable)


def candidates(result: Any, count: int) -> Iterator[tuple[int, int, int | None, float]]:
    """The best ``actions`` of a search's result as (index, action, visits, value), best first.

    Visits are None if the result counts none.
    """
    if hasattr(result, "ranking"):
        ranking = result.ranking()
    else:
        ranking = np.lexsort((-result.values, result.actions != result.action))
    for i in ranking[:count].tolist():
        visits = int(result.visits[i]) if hasattr(result, "visits") else None
        yield i, int(result.actions[i]), visits, float(result.values[i])


def shares_visits(result: Any) -> bool:
    """Whether the actions of a result share its visits, and no race decides between them."""
    return getattr(result, "race", None) is None and hasattr(result, "visits")


def attention(result: Any) -> NDArray[np.float64]:
    """How much a search favoured each of its ``actions``: float64[n] in [0, 1].

    It is the share of the visits, or, if the result counts none, the value, 0 for the worst of all
    actions and 1 for the best. After a race, it is the value of each contestant likewise, 0 for the
    worst of them and for all other actions, and 1 for the one that won.
    """
    if shares_visits(result):
        return result.visits / max(1, result.visits.sum())  # type: ignore[no-any-return]
    race = getattr(result, "race", None)
    if race is None:
        return _heights(result.values)
    heights = np.zeros(len(result.actions))
    heights[np.searchsorted(result.actions, race.actions)] = _heights(race.values)
    heights[result.actions == race.action] = 1.0
    return heights


def attention_by(places: Sequence[Place], result: Any) -> dict[Place, float]:
    """The attention that each place of the game has in a search.

    It is the sum of the shares of the visits of the actions there, or, if a race decides or the
    result counts no visits, the greatest `attention` of one of them. ``places`` has the place of
    each of the ``actions`` of the result.
    """
    found: dict[Place, float] = {}
    join = float.__add__ if shares_visits(result) else max
    for place, share in zip(places, attention(result).tolist(), strict=True):
        found[place] = join(found.get(place, 0.0), share)
    return found


def _heights(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Where each value lies between the least, 0, and the greatest, 1."""
    low, high = values.min(), values.max()
    return (values - low) / ((high - low) or 1)  # type: ignore[no-any-return]
