"""Pictures of a game: its position after a move, and the whole game as an animation."""

from __future__ import annotations

from pathlib import Path

from agents.checks import check_count
from agents.pictures import save, save_gif

from ..drawing.rendering import Bounds, board_svg, bounds_of
from ..model import CarcassonneModel
from .saved_game import SavedGame


def save_picture(game: SavedGame, move: int, path: str | Path) -> None:
    """Writes the position after a number of moves to an SVG or a PNG file.

    Raises:
        ImportError: If the file is a PNG and the extra "render" is not installed.
        ValueError: If the game has fewer moves, or the suffix is neither .svg nor .png.
    """
    boards = game.boards()
    move = check_count("move", move, 0, len(boards) - 1)
    save(_drawn(boards[move]), path)


def save_animation(
    game: SavedGame, path: str | Path, width: int = 600, seconds: float = 0.7
) -> None:
    """Writes the game as an animated GIF, with a picture for the start and for every move.

    Args:
        game: The game.
        path: The file.
        width: Width of the pictures in pixels.
        seconds: Time for which each picture is shown; the last one is shown five times as long.

    Raises:
        ImportError: If the extra "render" is not installed.
        ValueError: If a number is out of range, or the suffix is not .gif.
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
