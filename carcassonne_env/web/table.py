"""A game of Carcassonne at a table: what everybody at it sees of positions and of searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from agents.game import seat
from agents.playing.analysis import Judged
from agents.playing.players import players_of
from agents.web import table, thinking

from ..game_setup import Setup
from ..model import CarcassonneModel
from ..play.players import ALLOWED, LEVELS
from ..play.points import final_points
from ..play.selection import Selection
from ..play.session import Session, heat_of, points_of_return
from ..play.view import (
    Line,
    Placement,
    facts_of,
    forecast_of,
    line_of,
    placement_of,
    regions_of,
)
from ..replaying import MoveLoss as PointsLost, SavedGame, order_of
from ..replaying.analysis import Loss, loss_of, move_of

QUICK_JUDGE = "expert"
"""The weakest level that judges a game unless the page names one; it answers at once."""


class Table(table.Table):
    """One game between people, who are None among the players, and agents.

    With a past, a saved game of this kind goes on at the table. The seed is that of the tiles and
    of the agents.
    """

    session: Session

    def __init__(
        self,
        setup: Setup,
        players: Sequence[str | None],
        names: Sequence[str],
        seed: int,
        past: SavedGame | None = None,
    ) -> None:
        self.setup = setup
        seated, draws = seat(players, seed)
        start = past.start() if past else setup(seed)
        session = Session(start, seated, names, draws, past.actions if past else ())
        super().__init__(session, "carcassonne", None if past else seed)
        self.judge = judge_of(names)
        self._curve: list[tuple[float, ...] | None] = []  # the forecasts, as far as they were shown

    def undo(self) -> None:
        """Goes back to the position before the last move, or resignation, of a person."""
        super().undo()
        del self._curve[self.ply + 1 :]

    def scores(self) -> tuple[int, ...]:
        """The scores of the players so far."""
        return self.session.model.scores

    def game_of(self, names: Sequence[str], actions: Sequence[int]) -> partial[SavedGame]:
        """Makes a game from this one's start, in any thread and however this one goes on."""
        return partial(SavedGame, self.setup, names, actions, order_of(self.session.start))

    def record(self, first: int = 0, last: int | None = None) -> list[Line]:
        """The moves of the game after so many, up to others, as pages see them."""
        return [line_of(played) for played in self.session.history[first:last]]

    def lost(
        self, judged: Judged[CarcassonneModel], search: Callable[[CarcassonneModel], Any]
    ) -> PointsLost:
        """What a move lost, with its tile."""
        return move_of(judged.position, judged.loss)

    def told(self, loss: PointsLost) -> Loss:
        """What a move lost, as pages see it."""
        return loss_of(loss)

    def own_members(self, model: CarcassonneModel, is_present: bool) -> dict[str, Any]:
        """The members that the game adds to the view of a position."""
        session = self.session
        self._curve += [forecast_of(mark.model) for mark in session.marks[len(self._curve) :]]
        own = {
            "setup": self.setup.name,  # the kind of the game, such as "2p-7m-base-s"
            # the actions by "x,y", rotation and meeple slot, if a person is to move now
            "legal": _legal(model) if is_present and self.is_person_to_move else {},
            "curve": list(self._curve),  # the forecasts after 0, 1, ... moves up to the present
            "bag": model.bag,  # number of tiles left by letter
            "num_discarded": session.start.num_tiles - model.num_tiles,  # that fitted nowhere
            "order": model.order if model.is_deterministic else None,  # the tiles to come, if known
            "regions": regions_of(model),
            # of the game's final scoring, for each player; 0 before its end
            "final_points": final_points(session.model),
        }
        return facts_of(model) | own


class Thinking(thinking.Thinking):
    """One decision of an agent; values are points: the score of a single player, else the lead."""

    model: CarcassonneModel
    scale = staticmethod(points_of_return)

    @staticmethod
    def shown(model: CarcassonneModel, action: int) -> Placement:
        """An action of a position as the page shows it."""
        return placement_of(model, model.decode_action(action))

    def places(self) -> dict[int, tuple[float, float]]:
        """No places: the page knows where a move is on the board."""
        return {}

    def heat(self, result: Any) -> dict[tuple[int, int], float]:
        """The attention that each cell has in the result of a search."""
        return heat_of(self.model, result)


def judge_of(names: Sequence[str]) -> str:
    """The level that judges these players: stronger than each planner, else the strongest."""
    levels = list(LEVELS)
    least = levels.index(QUICK_JUDGE)
    for name in players_of(names):
        if name in LEVELS:
            least = max(least, levels.index(name) + 1)
        elif ALLOWED.player_or_person(name) is not None:
            least = len(levels)  # nobody knows how strong it is
    return levels[min(least, len(levels) - 1)]


def _legal(model: CarcassonneModel) -> dict[str, dict[int, dict[int, int]]]:
    """The legal actions by cell as text, rotation and slot."""
    return {f"{x},{y}": rotations for (x, y), rotations in Selection(model).actions.items()}
