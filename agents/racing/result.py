"""The record of a race, and the result of a search that ends in one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agents.mcts.result import SearchResult


@dataclass(frozen=True, eq=False, repr=False)
class RaceRecord:
    """How a race between actions went.

    Attributes:
        action: The winner: the action with the highest value among those that did not fall behind.
        actions: int32[n], the contestants, the most visited one first.
        rollouts: int64[n], rollouts of each.
        values: float64[n], value of each for the player to move: the mean of its rollouts and of
            its mean in the tree, which counts as ``prior_rollouts`` rollouts.
        tree_means: float64[n], mean of each in the tree.
        num_left: Number of contestants that were still in the race at its end.
    """

    action: int
    actions: np.ndarray
    rollouts: np.ndarray
    values: np.ndarray
    tree_means: np.ndarray
    num_left: int

    def __repr__(self) -> str:
        return f"<RaceRecord: {len(self.actions)} actions, {self.rollouts.sum()} rollouts>"


@dataclass(frozen=True, eq=False, repr=False)
class RaceResult(SearchResult):
    """The result of a search and of the race that followed it.

    ``visits``, ``means`` and ``value`` take the race into account: the rollouts of an action count
    as visits, the means of the contestants are their values in the race, and ``value`` is that of
    the recommended action. All else is as the tree has it.

    Attributes:
        race: None if nothing was left of the budget, or only one action to choose.
    """

    race: RaceRecord | None = None

    def _notes(self) -> list[str]:
        if self.race is None:
            return super()._notes()
        return [
            *super()._notes(),
            f"race: {self.race.rollouts.sum()} rollouts of {len(self.race.actions)} actions, "
            f"{self.race.num_left} left",
        ]
