"""What the page shows of a search: its moves on the board, and points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.web import thinking

from ..model import CarcassonneModel
from ..play.found import heat_of, points_of_return
from ..play.view import Placement, placement_of


@dataclass(frozen=True)
class Row:
    """An action of the root; see `agents.web.thinking.Ranked`."""

    action: int
    placement: Placement
    visits: int | None
    points: float  # mean return in points: the score of a single player, else the lead
    margin: float | None  # of the points
    is_out: bool


@dataclass(frozen=True, kw_only=True)
class Thought(thinking.Thought):
    """What a search has found so far."""

    points: float  # what it expects, of the action that it recommends
    rows: list[Row]  # the best actions, best first; only the contestants of a race
    places: list[tuple[int, int, float]]
    """(x, y, share of visits) of each cell, or the share of the value's range from worst to best in
    a race, or if no visits are counted."""
    line: list[Placement]  # the principal variation


class Thinking(thinking.Thinking[CarcassonneModel]):
    """One decision of an agent."""

    def thought(self, result: Any, numbers: dict[str, Any]) -> Thought:
        """The thought about a search's result."""
        model = self.model
        scale = points_of_return(self.agent, model)
        rows = [self._row(*ranked) for ranked in self.ranked(result, scale)]
        heat = heat_of(model, result)
        return Thought(
            **numbers,
            points=rows[0].points if rows else float(result.value) * scale,
            rows=rows,
            places=[(*cell, round(share, 4)) for cell, share in heat.items()],
            line=[placement_of(at, at.decode_action(action)) for at, action in self.line(result)],
        )

    def _row(self, action: int, *numbers: Any) -> Row:
        move = self.model.decode_action(action)
        return Row(action, placement_of(self.model, move), *numbers)
