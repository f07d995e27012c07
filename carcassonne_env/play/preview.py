"""What a move would do: the points it scores, and the features with meeples that it joins."""

from __future__ import annotations

from typing import TypedDict

from ..model import CarcassonneModel
from .points import gained


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
    """What an action of the player to move would do.

    Raises:
        ValueError: If the action is not legal.
    """
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
