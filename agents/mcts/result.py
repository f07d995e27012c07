"""The result of a search."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from agents.checks import check_count
from agents.files import write_file
from agents.forward_model import ForwardModel
from agents.mcts.tree import MAX_COUNT, Tree, TreeStatistics
from agents.mcts.tree_page import tree_page
from agents.mcts.tree_pictures import tree_dot, tree_svg
from agents.tables import ActionTable


@dataclass(frozen=True, eq=False, repr=False)
class SearchResult:
    """The result of searching one position.

    Attributes:
        action: The recommended action.
        model: A copy of the position, which must not be changed; with ``determinize``, with one
            of its futures. The result can be pickled if the model can.
        player: The player to move there, whose returns all values below are.
        actions: int32[n], the legal actions, ascending.
        visits: int64[n], visits of each, in all trees; a reused tree keeps its earlier ones.
        means: float64[n], mean return of each, NaN where never tried. Where chance follows the
            action, with weighted backup: the mean over the outcomes by their probabilities. They
            are also called ``values``, as in the results of other planners.
        standard_errors: float64[n], standard error of each mean, as if its returns were drawn
            independently from one distribution: the deviation of the returns divided by the root
            of their number. A search makes better choices while it runs, so the true error may be
            larger or smaller. NaN after fewer than two visits, and without the planner's option
            ``standard_errors`` unless the tree policy needs the deviations.
        policy_values: float64[n], value of each by the tree policy after the search, in
            ``search_tree``; NaN where never tried there.
        value: Mean return over all iterations, those of a reused tree among them; with several
            trees, the mean of `means` weighted by `visits`. The exact value if it is proven.
        is_proven: Whether the solver has proven the value.
        iterations: Iterations done in this search, in all its trees.
        model_calls: Actions and chance outcomes applied to forward models.
        seconds: Wall time.
        search_tree: The tree, of several the first one; `tree` returns its nodes.
        tree_iterations: Iterations done in this tree.
        settled: The actions that were settled in earlier ``phases``, from the root on. All later
            iterations begin with them.
        tree_policy: The tree policy, as text.
        points: The points that a return of 1 stands for; None if returns are no points.
    """

    action: int
    model: ForwardModel
    player: int
    actions: np.ndarray
    visits: np.ndarray
    means: np.ndarray
    standard_errors: np.ndarray
    policy_values: np.ndarray
    value: float
    is_proven: bool
    iterations: int
    model_calls: int
    seconds: float
    search_tree: Tree
    tree_iterations: int
    settled: tuple[int, ...] = ()
    tree_policy: str = ""
    points: int | None = None

    @property
    def values(self) -> np.ndarray:
        """The `means`."""
        return self.means

    def ranking(self) -> np.ndarray:
        """The indices of the ``actions``, the best first: intp[n].

        The recommended action is the first one; then come the most visited ones, and of equally
        visited ones those of higher means.
        """
        return self._ranked_by(self.visits)

    def _ranked_by(self, weights: np.ndarray) -> np.ndarray:
        return np.lexsort((-self.means, -weights, self.actions != self.action))  # NaN comes last

    @property
    def principal_variation(self) -> list[tuple[int, int]]:
        """The line of most visited children as (player, action), `CHANCE` for chance outcomes.

        It begins with the actions that were settled in phases.
        """
        return self.search_tree.principal_variation(self.settled)

    def principal_position(self) -> ForwardModel:
        """The position at the end of the principal variation."""
        model = self.model.clone()
        for _, action in self.principal_variation:
            model.apply_action(action)
        return model

    @property
    def tree_statistics(self) -> TreeStatistics:
        """Number of nodes and leaves, expansion rate, depths and more: see `TreeStatistics`."""
        return self.search_tree.statistics(self.tree_iterations, self._most_visited_result())

    def _most_visited_result(self) -> float:
        end = self.principal_position()
        if end.is_terminal():
            return float(end.returns()[self.player])
        return float(end.heuristic(self.player, end.heuristics[0])) if end.heuristics else math.nan

    def tree(self) -> np.ndarray:
        """Every node as a row of a structured array, breadth first: see `agents.Tree.table`."""
        return self.search_tree.table()

    def to_html(self, path: str | Path | None = None, max_nodes: int = 2000) -> str:
        """The tree as a page of HTML on which one opens and sorts its nodes; it needs no network.

        Of several trees it shows the first one.

        Args:
            path: A file to which the page is written as well.
            max_nodes: The page has only the most visited nodes, at most so many, and says how many
                it leaves out.

        Raises:
            ValueError: If `max_nodes` is not a positive integer.
        """
        about = self.tree_policy, self.tree_iterations, self.points
        return self._drawn(partial(tree_page, about), path, max_nodes)

    def to_dot(self, path: str | Path | None = None, max_nodes: int = 50) -> str:
        """The tree in DOT, which Graphviz draws: ``dot -Tsvg tree.dot -o tree.svg``.

        Arguments and errors are those of `to_html`.
        """
        return self._drawn(partial(tree_dot, self.points), path, max_nodes)

    def to_svg(self, path: str | Path | None = None, max_nodes: int = 50) -> str:
        """The tree as a picture, an SVG document.

        Arguments and errors are those of `to_html`.
        """
        return self._drawn(partial(tree_svg, self.points), path, max_nodes)

    def _drawn(self, draw: Callable[..., str], path: str | Path | None, max_nodes: int) -> str:
        max_nodes = check_count("max_nodes", max_nodes, 1, MAX_COUNT)
        text = draw(self.tree(), self.model, self.action, max_nodes)
        if path is not None:
            write_file(path, text)
        return text

    def __str__(self) -> str:
        return self._table().text()

    def __repr__(self) -> str:
        action = self.model.action_to_string(self.action)
        return (
            f"<{type(self).__name__}: {action}, value {self.value:.4g}, "
            f"{self.iterations} iterations>"
        )

    def _repr_html_(self) -> str:
        """The most visited actions as a table, which notebooks display."""
        return self._table().html()

    def _table(self) -> ActionTable:
        """The actions as `ranking` orders them."""
        columns = {
            "action": [self.model.action_to_string(int(action)) for action in self.actions],
            **self._counts(),
            "mean": [f"{mean:.4f}" for mean in self.means],
        }
        if np.isfinite(self.standard_errors).any():
            columns["± error"] = [f"{error:.4f}" for error in self.standard_errors]
        if self.points is not None:
            columns["points"] = [f"{mean * self.points:+.2f}" for mean in self.means]
        columns["policy"] = [f"{value:.4f}" for value in self.policy_values]
        rows = [[column[i] for column in columns.values()] for i in self.ranking()]
        return ActionTable([*columns], rows, self._notes())

    def _counts(self) -> dict[str, list[str]]:
        """The columns that say how often each action was tried."""
        return {"visits": [str(count) for count in self.visits]}

    def _notes(self) -> list[str]:
        """Lines below the table."""
        nodes = self.search_tree.num_nodes
        return [f"{self.iterations} iterations, {self.seconds:.3f} s, {nodes} nodes"]
