"""Pictures of a game: its position after a move, and the whole game as an animation."""

from __future__ import annotations

from pathlib import Path

from agents.checks import check_count
from agents.pictures import save, save_gif

from ..drawing.rendering import Bounds, board_svg, bounds_of
from ..model import CarcassonneModel
from .saved_game import SavedGame


def save_picture(game: SavedGame, move: int, path: str | Path) -> None:
    """Writes the position after a number of moves to an SVG file, or PNG by the extra "render"."""
    boards = game.boards()
    move = check_count("move", move, 0, len(boards) - 1)
    save(_drawn(boards[move]), path)


def save_animation(
    game: SavedGame, path: str | Path, width: int = 600, seconds: float = 0.7
) -> None:
    """Writes the game as an animated GIF, with a picture for the start and for every move.

    The width is in pixels. The last picture is shown five times as long. It needs the extra
    "render".
    """
    boards = game.boards()
    bounds = bounds_of(boards[-1].board)  # so that all pictures have one size
    save_gif((_drawn(model, bounds) for model in boards), path, width, seconds)


def _drawn(model: CarcassonneModel, bounds: Bounds | None = None) -> str:
    return board_svg(
        model.board,
        model.placed_meeples,
        current_tile=model.current_tile,
        scores=model.scores,
        meeples_in_hand=model.meeples,
        last_move=model.board[-1][1:3],
        bounds=bounds,
    )
