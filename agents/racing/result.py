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
            its mean in the tree, which counts as ``prior_rollouts`` rollouts, or as its visits if
            these are fewer. An action that has left the race keeps its distance from the one that
            was the best then.
        errors: float64[n], standard error of each value from the deviations of its rollouts, NaN
            after one. Luck that all actions share is part of it: differences between two values are
            more certain.
        tree_means: float64[n], mean of each in the tree.
        is_left: bool[n], whether each was still in the race at its end.
    """

    action: int
    actions: np.ndarray
    rollouts: np.ndarray
    values: np.ndarray
    errors: np.ndarray
    tree_means: np.ndarray
    is_left: np.ndarray

    @property
    def num_left(self) -> int:
        """Number of contestants that were still in the race at its end."""
        return int(self.is_left.sum())

    def __repr__(self) -> str:
        return f"<RaceRecord: {len(self.actions)} actions, {self.rollouts.sum()} rollouts>"


@dataclass(frozen=True, eq=False, repr=False)
class RaceResult(SearchResult):
    """The result of a search and of the race that followed it.

    The means and standard errors of the contestants are those of their values in the race.
    ``value`` is the mean of the recommended action, and ``iterations`` includes the rollouts of the
    race. Visits and all else are as the tree has them.

    Attributes:
        race: None if there was none: the rest of the budget was too small for a round, the tree had
            only one action, the game has no chance, or the next draw has too few outcomes
            (``min_outcomes``).
        tree_seconds: Wall time before the race; None without one.
    """

    race: RaceRecord | None = None
    tree_seconds: float | None = None

    @property
    def principal_variation(self) -> list[tuple[int, int]]:
        """The recommended action, and the line of most visited children after it."""
        return self.search_tree.principal_variation((self.action,))

    def ranking(self) -> np.ndarray:
        """The indices of the ``actions``, the best first: intp[n].

        The contestants of the race come before all others, and those still in it before those that
        fell behind, each by their value.
        """
        if self.race is None:
            return super().ranking()
        weights = np.full(len(self.actions), -np.inf)
        weights[np.searchsorted(self.actions, self.race.actions)] = self.race.is_left
        return self._ranked_by(weights)

    def _counts(self) -> dict[str, list[str]]:
        counts = super()._counts()
        if self.race is not None:
            rollouts = dict(zip(self.race.actions, map(str, self.race.rollouts), strict=True))
            counts["rollouts"] = [rollouts.get(action, "") for action in self.actions]
        return counts

    def _notes(self) -> list[str]:
        if self.race is None:
            return super()._notes()
        return [
            *super()._notes(),
            f"race: {self.race.rollouts.sum()} rollouts of {len(self.race.actions)} actions, "
            f"{self.race.num_left} left",
        ]
