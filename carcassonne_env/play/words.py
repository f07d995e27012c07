"""Moves, tiles and results in words."""

from __future__ import annotations

from collections.abc import Sequence

from ..model import CarcassonneModel
from ..position import Feature, Move, Target
from ..tiles import BY_LETTER, SIDES


def target_words(target: Target | None) -> str:
    """A meeple's target in words: "no meeple", or "meeple on city N-E" with the sides clockwise."""
    if target is None:
        return "no meeple"
    ends = {end[0] for end in target[1]} if len(target) > 1 else set()
    sides = "-".join(side for side in SIDES if side in ends)
    return f"meeple on {target[0]} {sides}".rstrip()


def move_words(move: Move) -> str:
    """A move in words: "(1, -2) 90° road E-W"."""
    return f"({move.x}, {move.y}) {90 * move.rotation}°{_meeple_words(move)}"


def place_words(move: Move) -> str:
    """The cell of a move and its meeple in words: "(1, -2) road E-W"."""
    return f"({move.x}, {move.y}){_meeple_words(move)}"


def _meeple_words(move: Move) -> str:
    return "" if move.target is None else target_words(move.target).removeprefix("meeple on")


_ROADS = {1: "road end", 2: "road", 3: "junction", 4: "crossroads"}
"""What the roads of a tile are called, by the number of its sides that they reach."""


def tile_words(letter: str) -> str:
    """A tile in words: "city on 2 sides with a shield, road"."""
    segments = BY_LETTER[letter].segments
    cities = [segment for segment in segments if segment.kind == "city"]
    num_ends = sum(len(segment.ends) for segment in segments if segment.kind == "road")
    words = ["two cities"] if len(cities) > 1 else []
    if len(cities) == 1:
        sides = len(cities[0].ends)
        shield = " with a shield" * cities[0].shields
        words.append(f"city on {sides} side{'s' * (sides > 1)}{shield}")
    if num_ends:
        words.append(_ROADS[num_ends])
    words += ["cloister" for segment in segments if segment.kind == "cloister"]
    return ", ".join(words)


def feature_words(feature: Feature) -> str:
    """A feature by its kind and one of its cells."""
    x, y = min(feature.cells)
    return f"{feature.kind} at ({x}, {y})"


def lead_words(points: float, num_players: int) -> str:
    """An expected result in words; points are the score of a single player, else the lead."""
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
