"""A game as a page of HTML on which one steps through the moves. It needs no network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from agents.pages import framed, page

from ..drawing.rendering import Stay, game_svg
from ..drawing.tile_art import PLAYER_COLOURS
from ..model import CarcassonneModel
from ..position import PlacedMeeple, move_to_string
from .saved_game import SavedGame

_FRAME_HEIGHT = 720


class Replay:
    """The page of a game. Notebooks show it."""

    def __init__(self, game: SavedGame) -> None:
        self.game = game

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, in one piece.

        Args:
            path: A file to which the page is written as well.
        """
        turns = list(_turns(self.game))
        data = {
            "players": self.game.players,
            "colours": PLAYER_COLOURS,
            "steps": [_step(before, action, model) for before, action, model in turns],
        }
        last = turns[-1][2]
        board = game_svg(last.board, _stays([model.placed_meeples for *_, model in turns]))
        text = page("Carcassonne: replay", __package__, "replay_page", data, board=board)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8")
        return text

    def _repr_html_(self) -> str:
        return framed(self.to_html(), _FRAME_HEIGHT)


def replay(game: SavedGame) -> Replay:
    """The page on which one steps through a game: ``replay(SavedGame.load(path))``."""
    return Replay(game)


Turn = tuple[CarcassonneModel | None, int, CarcassonneModel]
"""The position before a move, the action, and the position after it and the next draw."""


def _turns(game: SavedGame) -> Iterator[Turn]:
    """Yields the start, without position before and action, and every move of a player."""
    before, played = None, -1
    positions = game.positions()
    model = next(positions)
    for action, after in zip(game.actions, positions, strict=True):
        if not model.is_chance_node():
            yield before, played, model
            before, played = model, action
        model = after
    yield before, played, model


def _step(before: CarcassonneModel | None, action: int, model: CarcassonneModel) -> dict[str, Any]:
    """What the page shows after a move."""
    step: dict[str, Any] = {
        "tile": model.current_tile,
        "scores": model.scores,
        "expected": [round(score, 1) for score in model.expected_scores],
        "meeples": model.meeples,
    }
    if before is not None:
        move = before.decode_action(action)
        step["player"] = before.current_player()
        step["move"] = move_to_string(move)
        step["cell"] = [move.x, move.y]
    return step


def _stays(positions: list[list[PlacedMeeple]]) -> Iterator[Stay]:
    """Yields the stay of every meeple, from the meeples after each number of moves."""
    begins: dict[PlacedMeeple, int] = {}
    for move, meeples in enumerate(positions):
        for meeple in meeples:
            begins.setdefault(meeple, move)
        for meeple in [meeple for meeple in begins if meeple not in meeples]:
            yield Stay(meeple, begins.pop(meeple), move)
    for meeple, begin in begins.items():
        yield Stay(meeple, begin, None)
