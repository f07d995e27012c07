"""Agents that search a number of decisions ahead, and their results."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents.agent import Planner, Watch, model_to_move
from agents.checks import check_count, check_seconds
from agents.formulas.position_formula import Heuristic
from agents.forward_model import CHANCE, ForwardModel
from agents.lookahead.line import TIE, Lookahead, OutOfBudgetError
from agents.rng import Rng, Seed
from agents.tables import ActionTable

MAX_DEPTH = 1000
MAX_POSITIONS = 2**62

Found = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Actions int32[n], values float64[n], are_exact bool[n]."""


@dataclass(frozen=True, eq=False, repr=False)
class LookaheadResult:
    """The result of a depth-limited search of one position.

    Attributes:
        action: The action of highest value, drawn at random if several tie.
        model: A copy of the position searched. Do not change it.
        player: The player who searched. Values are in units of this player's return.
        actions: int32[n], the legal actions, ascending.
        values: float64[n], the value of each action.
        are_exact: bool[n], whether each value is exact. Otherwise it is an upper bound, which is
            below the best value.
        value: The value of the position, which is that of the best action.
        depth: Number of decisions looked ahead. It is 1 if there is only one action and a heuristic
            can value it.
        is_complete: Whether the search followed every line to the end of the game. The values are
            then the true ones, unless the game repeats draws (`ForwardModel.repeats_draws`).
        nodes: Number of positions visited after the root, over all depths searched.
        positions: Number of those that were valued by the heuristic or as ends of the game.
        cutoffs: How often *-minimax left out the rest of a position's actions or outcomes: at a
            "decision", at a "chance" node, or at a chance node while "probing". Empty for
            `Expectimax`.
        num_clipped: Number of values that *-minimax moved to one of its bounds.
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
        return self._table().text()

    def __repr__(self) -> str:
        action = self.model.action_to_string(self.action)
        return f"<LookaheadResult: {action}, value {self.value:.4g}, depth {self.depth}>"

    def _repr_html_(self) -> str:
        """The actions as a table, which notebooks display."""
        return self._table().html()

    def _table(self) -> ActionTable:
        """The actions, those of the highest values first."""
        order = np.argsort(-self.values, kind="stable")
        unit = self.model.max_score()
        rows = [
            [
                self.model.action_to_string(int(self.actions[i])),
                f"{self.values[i]:.4f}",
                *([] if unit is None else [f"{self.values[i] * unit:+.2f}"]),
                "" if self.are_exact[i] else "or less",
            ]
            for i in order
        ]
        note = (
            f"depth {self.depth}, {self.positions} positions valued, {self.nodes} visited, "
            f"{self.seconds:.3f} s"
        )
        header = ["action", "value", *([] if unit is None else ["points"]), ""]
        chosen = int(np.flatnonzero(self.actions[order] == self.action)[0])
        return ActionTable(header, rows, chosen, [note])


class LookaheadAgent(Planner):
    """Base class of agents that search to a fixed depth, or as deep as a budget allows."""

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
            depth = check_count("depth", depth, 1, MAX_DEPTH)
        if max_positions is not None:
            max_positions = check_count("max_positions", max_positions, 1, MAX_POSITIONS)
        if time_limit is not None:
            check_seconds("time_limit", time_limit)
        self.depth = depth or (MAX_DEPTH if self._is_deepening else 1)
        self.heuristic = heuristic
        self.max_positions = max_positions
        self.time_limit = time_limit
        self.rng = Rng(seed)

    def search(self, game: Any, *, watch: Watch | None = None) -> LookaheadResult:
        """Searches the position and values each of its actions: see `Planner.search`.

        `watch` gets None; if it returns True, the search ends as if its budget were spent. Without
        a budget, it then looks 1 decision ahead.

        Raises:
            ValueError: Also if a value of the heuristic is not finite.
            RecursionError: If the search meets a line of more than 5000 actions and outcomes.
            RuntimeError: If `watch` stopped it in a game without a heuristic.
        """
        start = time.perf_counter()
        model = model_to_move(game).clone()  # another thread may change the game
        lookahead = self._lookahead(model)
        lookahead.watch = watch
        depth, is_complete, (actions, values, are_exact) = self._deepen(lookahead)
        best = values.max()
        ties = np.flatnonzero(are_exact & ~(values < best - TIE * max(1, abs(best))))
        return LookaheadResult(
            action=int(actions[ties[self.rng.below(len(ties))]]),
            model=model,
            player=lookahead.player,
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
        """A new search; `is_other` says that the opponent of the agent's player searches."""
        return self.search_class(model, self.heuristic, self.max_positions, self.time_limit)

    def _deepen(self, lookahead: Lookahead) -> tuple[int, bool, Found]:
        """The depth of the deepest finished search, whether it was complete, and its values."""
        is_forced = lookahead.num_actions == 1 and lookahead.has_heuristic
        depth = 1 if self._is_deepening or is_forced else self.depth
        try:
            found = lookahead.search(depth)
        except OutOfBudgetError:  # stopped
            if not lookahead.has_heuristic:
                raise RuntimeError(
                    "the search was stopped before its end, and the game has no heuristic to value "
                    "its positions by"
                ) from None
            depth, found = 1, lookahead.search(1)
            return depth, lookahead.is_complete, found
        while depth < self.depth and not (is_forced or lookahead.is_complete):
            try:
                found = lookahead.search(depth + 1)
            except OutOfBudgetError:
                return depth, False, found
            depth += 1
        return depth, lookahead.is_complete, found

    def principal_variation(self, result: LookaheadResult) -> list[tuple[int, int]]:
        """The line of best actions, with the most probable outcome at each chance node.

        Each position of the line is searched again, to one decision less than the position before.
        Each of these searches has the whole budget; the line ends before a search that exceeds it.

        Returns:
            Pairs (player, action) in order, with `CHANCE` as the player of an outcome.
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
            action = int(actions[values.argmax()])  # upper bounds are below the best value
        return line
