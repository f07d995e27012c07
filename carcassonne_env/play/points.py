"""The points of the final scoring, and those of the last move."""

from __future__ import annotations

from collections.abc import Sequence

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
