"""Moves and results in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import CarcassonneModel
from ..position import Feature, Move, Target
from ..tiles import SIDES


def target_words(target: Target | None) -> str:
    """A meeple's target in words: "no meeple", or "meeple on city N-E" with the sides clockwise."""
    if target is None:
        return "no meeple"
    kind = "field" if target[0] == "farm" else target[0]
    ends = {end[0] for end in target[1]} if len(target) > 1 else set()
    return f"meeple on {kind} {'-'.join(side for side in SIDES if side in ends)}".rstrip()


def move_words(move: Move) -> str:
    """A move in words: "(1, -2) 90° road E-W"."""
    meeple = "" if move.target is None else target_words(move.target).removeprefix("meeple on")
    return f"({move.x}, {move.y}) {90 * move.rotation}°{meeple}"


def feature_words(feature: Feature) -> str:
    """A feature by its kind and one of its cells."""
    x, y = min(feature.cells)
    return f"{feature.kind} at ({x}, {y})"


def lead_words(points: float, num_players: int) -> str:
    """An expected result in words.

    Args:
        points: The score if there is one player, else the lead over the best other player.
        num_players: Number of players.
    """
    if num_players == 1:
        return f"expects {points:.1f} points at the end"
    if abs(points) < 0.05:
        return "expects a draw"
    return f"expects to {'win' if points > 0 else 'lose'} by {abs(points):.1f}"


def result_words(model: CarcassonneModel, names: Sequence[str]) -> str:
    """The result of a finished game in words."""
    scores = model.scores
    winners = [name for name, score in zip(names, scores, strict=True) if score == max(scores)]
    if model.num_players == 1:
        return f"{scores[0]} points"
    numbers = " : ".join(map(str, scores))
    if len(winners) > 1:
        return f"{numbers}, {' and '.join(winners)} share the victory"
    return f"{numbers}, {winners[0]} {'win' if winners[0] == 'you' else 'wins'}"
