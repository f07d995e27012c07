"""How stable a planner's choice is: the same position searched with several seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.table import Table

from ..model import CarcassonneModel
from ..play.found import action_values
from ..play.words import move_words


def choices_table(model: CarcassonneModel, results: Sequence[Any], scale: float) -> Table:
    """A table of the moves that searches of one position chose, the most frequent first.

    Args:
        model: The position.
        results: Results of searches that differ in their seeds.
        scale: The points of a return of 1.
    """
    table = Table(title=f"Choices of {len(results)} searches with different seeds")
    table.add_column("move")
    table.add_column("chosen", justify="right")
    table.add_column("points, mean ± deviation over searches", justify="right")
    for action, count in Counter(int(result.action) for result in results).most_common():
        values = scale * np.array([value_of(result, action) for result in results])
        known = values[~np.isnan(values)]
        spread = f" ± {known.std(ddof=1):.2f}" if len(known) > 1 else ""
        words = move_words(model.decode_action(action))
        table.add_row(words, f"{count} of {len(results)}", f"{known.mean():+.2f}{spread}")
    return table


def value_of(result: Any, action: int) -> float:
    """The return that a search expects of an action; NaN if it says nothing about the action."""
    if not hasattr(result, "actions"):
        return float(result.value) if result.action == action else np.nan
    return float(action_values(result)[np.flatnonzero(result.actions == action)[0]])
