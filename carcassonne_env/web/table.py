"""A game of Carcassonne at a table, and what everybody at it sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from agents.game import seat
from agents.playing.analysis import Judged
from agents.playing.players import players_of
from agents.web import table

from ..game_setup import Setup
from ..model import CarcassonneModel
from ..play.players import ALLOWED, LEVELS
from ..play.points import final_points
from ..play.selection import Selection
from ..play.session import Session
from ..play.view import Line, Region, facts_of, forecast_of, line_of, regions_of
from ..position import PlacedTile
from ..replaying import MoveLoss as PointsLost, SavedGame, order_of
from ..replaying.analysis import Loss, loss_of, move_of

QUICK_JUDGE = "expert"
"""The weakest level that judges a game unless the page names one; it answers at once."""


@dataclass(frozen=True, kw_only=True)
class View(table.View):
    """A position of the game, as everybody at the table may see it."""

    setup: str  # the kind of the game by name, such as "2p-7m-base-s"
    board: tuple[PlacedTile, ...]  # (letter, x, y, rotation) in the order of play
    meeples: tuple[tuple[int, int, int, int], ...]  # (player, x, y, index of the tile's segment)
    tile: str | None  # letter of the tile to place; None at the end
    legal: dict[str, dict[int, dict[int, int]]]
    """The actions by "x,y", rotation and meeple slot, if a person is to move now."""
    scores: tuple[int, ...]  # points of each player
    breakdown: tuple[dict[str, int], ...]  # points of each player by kind of feature
    forecast: tuple[float, ...] | None  # expected final score of each player, see `forecast_of`
    curve: list[tuple[float, ...] | None]  # the forecasts after 0, 1, ... moves up to the present
    in_hand: tuple[int, ...]  # meeples in each player's hand
    bag: dict[str, int]  # number of tiles left by letter
    order: str | None  # the tiles to come if their order is known
    num_tiles: int  # of the game, without the discarded ones
    num_discarded: int  # tiles that fitted nowhere so far
    regions: list[Region]  # the features
    final_points: tuple[int, ...]  # of the game's final scoring, for each player; 0 before its end


class Table(table.Table[CarcassonneModel, SavedGame]):
    """One game between people, who are None among the players, and agents.

    With a past, a saved game of this kind goes on at the table. The seed is that of the tiles and
    of the agents.

    Raises:
        ValueError: If there is not one player and one name for each seat.
    """

    view_type = View
    game = "carcassonne"
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
        super().__init__(session, None if past else seed)
        self.judge = judge_of(names)
        self._curve: list[tuple[float, ...] | None] = []  # the forecasts, as far as they were shown

    def undo(self) -> None:
        """Goes back to the position before the last move of a person.

        Raises:
            ValueError: If no person has moved yet.
        """
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
            "setup": self.setup.name,
            "legal": _legal(model) if is_present and self.is_person_to_move else {},
            "curve": list(self._curve),
            "bag": model.bag,
            "num_discarded": session.start.num_tiles - model.num_tiles,
            "order": model.order if model.is_deterministic else None,
            "regions": regions_of(model),
            "final_points": final_points(session.model),
        }
        return facts_of(model) | own


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
