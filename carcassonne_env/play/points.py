"""The points of the final scoring and of moves, and what a move would do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

from ..model import CarcassonneModel


def final_points(model: CarcassonneModel) -> tuple[int, ...]:
    """The points that the final scoring gave each player; none before the end of the game."""
    points = [0] * model.num_players
    for feature in model.features if model.is_terminal() else ():
        for owner in feature.owners:
            points[owner] += feature.points
    return tuple(points)


def gained(model: CarcassonneModel, before: Sequence[int]) -> tuple[int, ...]:
    """The points that each player gained since these scores, without the final scoring."""
    scores = zip(model.scores, final_points(model), before, strict=True)
    return tuple(now - final - then for now, final, then in scores)


class Joined(TypedDict):
    """A feature with meeples that the tile would be part of."""

    kind: str  # "city", "road", "cloister" or "farm"
    owners: tuple[int, ...]  # the players with most meeples on it
    chance: float | None  # of completion; None for farms, which are never complete
    points: int  # that it would bring each owner if the game ended then


class Preview(TypedDict):
    """What a move would do."""

    points: tuple[int, ...]  # that each player gains at once, without the final scoring
    joins: list[Joined]  # the features that stay incomplete


def preview_of(model: CarcassonneModel, action: int) -> Preview:
    """What an action of the player to move would do; ValueError if it is not legal."""
    if not model.is_legal(action):
        raise ValueError(f"action must be one of the legal moves, got {action}")
    after = model.clone()
    after.apply_action(action)
    move = model.decode_action(action)
    chances = dict(after.completion_chances())
    return {
        "points": gained(after, model.scores),
        "joins": [
            {
                "kind": feature.kind,
                "owners": feature.owners,
                "chance": chances.get(feature),
                "points": feature.points,
            }
            for feature in after.features
            if feature.owners and not feature.is_complete and (move.x, move.y) in feature.cells
        ],
    }
