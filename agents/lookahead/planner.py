"""Agents that look a number of decisions ahead, and what they report."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Planner, model_to_move
from agents.checks import check_count, check_seconds
from agents.forward_model import CHANCE, ForwardModel
from agents.lookahead.line import TIE, Lookahead, OutOfBudgetError
from agents.rng import Rng, Seed

MAX_DEPTH = 1000
MAX_POSITIONS = 2**62

Found = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Actions int32[n], values float64[n], are_exact bool[n]."""
Heuristic = str | Callable[[ForwardModel, int], float] | None


@dataclass(frozen=True, eq=False)
class LookaheadResult:
    """What a depth-limited search found about one position.

    Attributes:
        action: The action of highest value; drawn among several.
        model: The position searched, a copy that is not to be changed.
        player: The player who searched; values are returns from this player's view.
        actions: int32[n], the legal actions, ascending.
        values: float64[n], the value of each.
        are_exact: bool[n], whether the value is exact; else it is an upper bound, below the best.
        value: The value of the position, that of the best action.
        depth: Decisions looked ahead; 1 where there is but one action, if a heuristic can value it.
        is_complete: Whether that was everywhere to the end of the game. The values are then the
            true ones, except where the game repeats draws (`ForwardModel.repeats_draws`).
        nodes: Positions visited after the root, in all searches done for this one.
        positions: Those of them that were valued by the heuristic or as ends of the game.
        cutoffs: How often a search of *-minimax left the rest out: at a "decision", at a "chance"
            node, or at one while "probing". Empty for others.
        num_clipped: Values that *-minimax moved to one of its bounds.
        seconds: Wall time.
    """

    action: int
    model: ForwardModel
    player: int
    actions: np.ndarray
    values: np.ndarray
    are_exact: np.ndarray
    value: float
    depth: int
    is_complete: bool
    nodes: int
    positions: int
    cutoffs: dict[str, int]
    num_clipped: int
    seconds: float

    def __str__(self) -> str:
        order = np.argsort(-self.values, kind="stable")[:10]
        rows = [f"{'action':>9} {'value':>9}"]
        for i in order:
            mark = "*" if self.actions[i] == self.action else " "
            bound = "" if self.are_exact[i] else " or less"
            rows.append(f"{mark}{self.actions[i]:>8} {self.values[i]:>9.4f}{bound}")
        if len(self.actions) > len(order):
            rows.append(f"{'...':>9} {len(self.actions) - len(order)} more actions")
        rows.append(
            f"depth {self.depth}, {self.positions} positions valued, {self.nodes} visited, "
            f"{self.seconds:.3f} s"
        )
        return "\n".join(rows)


class LookaheadAgent(Planner):
    """Base of agents that search to a fixed depth, or as deep as a budget allows."""

    search_class: type[Lookahead]

    def __init__(
        self,
        depth: int | None = None,
        heuristic: Heuristic = None,
        *,
        max_positions: int | None = None,
        time_limit: float | None = None,
        seed: Seed = None,
    ) -> None:
        self._is_deepening = max_positions is not None or time_limit is not None
        if depth is not None:
            check_count("depth", depth, 1, MAX_DEPTH)
        if max_positions is not None:
            check_count("max_positions", max_positions, 1, MAX_POSITIONS)
        if time_limit is not None:
            check_seconds("time_limit", time_limit)
        self.depth = depth or (MAX_DEPTH if self._is_deepening else 1)
        self.heuristic = heuristic
        self.max_positions = max_positions
        self.time_limit = time_limit
        self.rng = Rng(seed)

    def search(self, game: Any) -> LookaheadResult:
        """Searches the position and says what was found.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.

        Returns:
            A `LookaheadResult`. Its actions are those of the model.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move, or the game does not know the heuristic.
        """
        start = time.perf_counter()
        model = model_to_move(game)
        lookahead = self._lookahead(model)
        depth, is_complete, (actions, values, are_exact) = self._deepen(lookahead)
        best = values.max()
        ties = np.flatnonzero(are_exact & ~(values < best - TIE * max(1, abs(best))))
        return LookaheadResult(
            action=int(actions[ties[self.rng.below(len(ties))]]),
            model=model.clone(),
            player=model.current_player(),
            actions=actions,
            values=values,
            are_exact=are_exact,
            value=float(best),
            depth=depth,
            is_complete=is_complete,
            nodes=lookahead.nodes,
            positions=lookahead.positions,
            cutoffs=lookahead.cutoffs,
            num_clipped=lookahead.num_clipped,
            seconds=time.perf_counter() - start,
        )

    def _lookahead(self, model: ForwardModel, is_other: bool = False) -> Lookahead:
        """A new search, perhaps for the other player than the one whose bounds are known."""
        return self.search_class(model, self.heuristic, self.max_positions, self.time_limit)

    def _deepen(self, lookahead: Lookahead) -> tuple[int, bool, Found]:
        """Depth of the deepest search that was finished, if it was complete, what it found."""
        is_forced = lookahead.num_actions == 1 and lookahead.has_heuristic
        depth = 1 if self._is_deepening or is_forced else self.depth
        found = lookahead.search(depth)
        while depth < self.depth and not (is_forced or lookahead.is_complete):
            try:
                found = lookahead.search(depth + 1)
            except OutOfBudgetError:
                return depth, False, found
            depth += 1
        return depth, lookahead.is_complete, found

    def principal_variation(self, result: LookaheadResult) -> list[tuple[int, int]]:
        """The line of best actions, with the likeliest outcome wherever chance draws.

        Every position of the line is searched anew, one decision less deep than the one before; the
        line ends earlier if that exceeds the budget.
        """
        model, action = result.model.clone(), result.action
        line: list[tuple[int, int]] = []
        for depth in range(result.depth - 1, -1, -1):
            line.append((model.current_player(), action))
            model.apply_action(action)
            while model.is_chance_node():
                outcomes, probabilities = model.chance_outcomes()
                line.append((CHANCE, int(outcomes[int(np.argmax(probabilities))])))
                model.apply_action(line[-1][1])
            if depth == 0 or model.is_terminal():
                break
            try:
                is_other = model.current_player() != result.player
                actions, values, _ = self._lookahead(model, is_other).search(depth)
            except OutOfBudgetError:
                break
            action = int(actions[values.argmax()])  # those that are bounds are below the best
        return line
