"""What the features of a position are worth, and to whom."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model import CarcassonneModel
from ..position import Feature, Target, segment_targets
from ..tiles import BY_LETTER

_FARM_POINTS = 3
"""Points of a farm for each complete city that it touches."""
Segment = tuple[int, int, Target]


class Worth(NamedTuple):
    """A feature, the players who own it, and its points."""

    feature: Feature
    owners: tuple[int, ...]  # the players with most meeples on it; none if it has no meeple
    points: int  # that it brings each owner: if it is complete, at once, else if the game ended now


def worths(model: CarcassonneModel) -> list[Worth]:
    """The worth of each feature of a position, in the order of ``model.features``."""
    features = model.features
    complete = {
        segment: i
        for i, feature in enumerate(features)
        if feature.kind == "city" and feature.is_complete
        for segment in feature.segments
    }
    tiles = {(tile.x, tile.y): (tile.tile, tile.rotation) for tile in model.board}

    def points(feature: Feature) -> int:
        if feature.kind == "farm":
            cities = {complete.get(city) for city in _cities_beside(feature, tiles)} - {None}
            return _FARM_POINTS * len(cities)
        if feature.kind == "cloister":
            ((x, y),) = feature.cells
            return sum((x + i, y + j) in tiles for i in (-1, 0, 1) for j in (-1, 0, 1))
        size = len(feature.cells) + feature.shields
        return size * (2 if feature.kind == "city" and feature.is_complete else 1)

    def owners(feature: Feature) -> tuple[int, ...]:
        most = max(feature.meeples)
        return tuple(i for i, count in enumerate(feature.meeples) if count == most > 0)

    return [Worth(feature, owners(feature), points(feature)) for feature in features]


def final_points(model: CarcassonneModel) -> tuple[int, ...]:
    """The points that the final scoring gave each player; none before the end of the game."""
    points = [0] * model.num_players
    for feature, owners, worth in worths(model) if model.is_terminal() else ():
        for owner in owners if not feature.is_complete else ():
            points[owner] += worth
    return tuple(points)


def gained(model: CarcassonneModel, before: Sequence[int]) -> tuple[int, ...]:
    """The points that each player gained since these scores, without the final scoring."""
    scores = zip(model.scores, final_points(model), before, strict=True)
    return tuple(now - final - then for now, final, then in scores)


def _cities_beside(
    farm: Feature, tiles: dict[tuple[int, int], tuple[str, int]]
) -> Iterator[Segment]:
    """The city segments that a farm touches, on its own tiles."""
    for x, y, target in farm.segments:
        letter, rotation = tiles[x, y]
        targets = segment_targets(letter, rotation)
        segments = BY_LETTER[letter].segments
        if segments[targets.index(target)].touches_city:
            for segment, other in zip(segments, targets, strict=True):
                if segment.kind == "city":
                    yield x, y, other
