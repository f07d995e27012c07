"""A game as a page of HTML on which one steps through the moves. It needs no network."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

from agents.files import write_file
from agents.pages import framed, page

from ..drawing.rendering import Proposal, Stay, game_svg
from ..drawing.tile_art import PLAYER_COLOURS
from ..model import CarcassonneModel
from ..play.words import move_words
from ..position import Move, PlacedMeeple, PlacedTile
from .analysis import MoveLoss, rounded, worst
from .saved_game import SavedGame

_FRAME_HEIGHT = 720


class Replay:
    """The page of a game. Notebooks show it."""

    def __init__(self, game: SavedGame, losses: Iterable[MoveLoss] = ()) -> None:
        self.game = game
        self.losses = {move.number: move for move in losses}

    def to_html(self, path: str | Path | None = None) -> str:
        """The page, in one piece.

        Args:
            path: A file to which the page is written as well.
        """
        boards = self.game.boards()
        steps = [_step(model) for model in boards]
        for number, (before, action) in enumerate(self.game.moves(), start=1):
            steps[number] |= _move(before, action)
            if number in self.losses:
                steps[number]["loss"] = _loss(self.losses[number])
        data = {"players": self.game.players, "colours": PLAYER_COLOURS, "steps": steps}
        stays = _stays([model.placed_meeples for model in boards])
        board = game_svg(boards[-1].board, stays, map(_proposal, worst(self.losses.values())))
        text = page("Carcassonne: replay", __package__, "replay_page", data, board=board)
        if path is not None:
            write_file(path, text)
        return text

    def _repr_html_(self) -> str:
        return framed(self.to_html(), _FRAME_HEIGHT)


def replay(game: SavedGame, losses: Iterable[MoveLoss] = ()) -> Replay:
    """The page on which one steps through a game: ``replay(SavedGame.load(path))``.

    Args:
        game: The game.
        losses: What its moves lost, from `analyse_game`. The page then marks the moves that lost
            points, and shows the better ones on the board.
    """
    return Replay(game, losses)


def _step(model: CarcassonneModel) -> dict[str, Any]:
    """What the page shows of a position."""
    return {
        "tile": model.current_tile,
        "scores": model.scores,
        "expected": [round(score, 1) for score in model.expected_scores],
        "meeples": model.meeples,
    }


def _move(before: CarcassonneModel, action: int) -> dict[str, Any]:
    """What the page shows of a move."""
    move = before.decode_action(action)
    return {
        "player": before.current_player(),
        "move": move_words(move),
        "cell": [move.x, move.y],
    }


def _loss(move: MoveLoss) -> dict[str, Any]:
    """What the page shows of an analysed move; NaN becomes null."""
    return {
        "points": rounded(move.loss),
        "difference": rounded(move.difference),
        "error": rounded(move.standard_error),
        "better": None if move.better is None else move_words(move.better),
    }


def _proposal(move: MoveLoss) -> Proposal:
    """The better move; the player's number colours its meeple."""
    x, y, rotation, target = cast(Move, move.better)
    meeple = None if target is None else PlacedMeeple(move.player, x, y, target)
    return Proposal(move.number, PlacedTile(move.tile, x, y, rotation), meeple)


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
