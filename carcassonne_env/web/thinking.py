"""What the page shows of a search: its moves on the board, and points."""

from __future__ import annotations

from typing import Any

from agents.web import thinking

from ..model import CarcassonneModel
from ..play.session import heat_of, points_of_return
from ..play.view import Placement, placement_of


class Thinking(thinking.Thinking[CarcassonneModel]):
    """One decision of an agent; values are points: the score of a single player, else the lead."""

    scale = staticmethod(points_of_return)

    @staticmethod
    def shown(model: CarcassonneModel, action: int) -> Placement:
        """An action of a position as the page shows it."""
        return placement_of(model, model.decode_action(action))

    def heat(self, result: Any) -> dict[tuple[int, int], float]:
        """The attention that each cell has in the result of a search."""
        return heat_of(self.model, result)
