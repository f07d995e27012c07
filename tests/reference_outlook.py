"""The terms of the outlook, slow and obvious: `CarcassonneModel.outlook_terms` must agree.

Everything is found anew from what the model shows of a position and from the description of the
tiles, by trying each tile of the bag in each rotation at each open cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from carcassonne_env import CarcassonneModel
from carcassonne_env.outlook import DEMANDS_OF_ONE, DEMANDS_OF_SEVERAL
from carcassonne_env.position import Feature, Target
from reference import (
    FACING,
    STEPS,
    Cell,
    Tiles,
    bordering,
    neighbour,
    segment_at,
    segments,
    target_at,
    terrain,
)

KINDS = ("city", "road", "cloister")
KIND_AT = {"C": "city", "R": "road", "F": "farm"}
Chances = np.ndarray
"""float64[2]: the chance in the rest of the game, and in the player's next two turns."""
ANY_USE = 2
"""Other uses of a tile that fits a cell, or joins features there."""
Serves = Callable[[str, int], bool]
"""Whether a tile serves a purpose in a rotation."""


@dataclass(frozen=True)
class Position:
    """What a model shows of a position. ``mover`` places the current tile or draws the next."""

    tiles: Tiles
    features: tuple[Feature, ...]
    scores: tuple[int, ...]
    hands: tuple[int, ...]
    bag: dict[str, int]
    mover: int
    board_size: int | None


def position_of(model: CarcassonneModel) -> Position:
    """The position of a model."""
    return Position(
        tiles={(tile.x, tile.y): (tile.tile, tile.rotation) for tile in model.board},
        features=tuple(model.features),
        scores=model.scores,
        hands=model.meeples,
        bag=model.bag,
        mover=model.mover,
        board_size=model.board_size,
    )


def terms_of(position: Position) -> list[dict[str, float]]:
    """The terms of each player by name."""
    outlook = _Outlook(position)
    return [outlook.terms(player) for player in range(len(position.hands))]


def completion_chances_of(position: Position) -> dict[Feature, float]:
    """The chance of completion of each unfinished city, road and cloister."""
    return _Outlook(position).completion_chances()


class _Outlook:
    """The terms of one position."""

    def __init__(self, position: Position) -> None:
        self._tiles = position.tiles
        self._position = position
        self._left = sum(position.bag.values())
        self._feature_at = {place: f for f in position.features for place in f.segments}

    def terms(self, player: int) -> dict[str, float]:
        hand = self._position.hands[player]
        terms = {
            "scored": self._position.scores[player],
            "first meeple": hand >= 1,
            "second meeple": hand >= 2,
            "third meeple": hand >= 3,
            "further meeples": max(hand - 3, 0),
            "to move": player == self._position.mover,
            "further points": 1,
            "free city": self._free_cities(player),
        }
        for part in (self._cities, self._roads, self._cloisters, self._farms, self._joins):
            terms |= part(player)
        terms["stuck"] = sum(f.meeples[player] for f in self._open if self._closing(f)[0] == 0)
        terms["outvoted"] = sum(
            f.meeples[player]
            for f in (*self._open, *self._of_kind("farm"))
            if not holds(f.meeples, player)
        )
        return {name: float(value) for name, value in terms.items()}

    def completion_chances(self) -> dict[Feature, float]:
        return {feature: float(self._closing(feature)[0]) for feature in self._open}

    # --- Tiles of the bag ---

    @cached_property
    def _open_cells(self) -> set[Cell]:
        """The empty cells next to a tile that may get a tile."""
        around = {neighbour(cell, side) for cell in self._tiles for side in STEPS}
        return {cell for cell in around - self._tiles.keys() if self._is_usable(cell)}

    def _is_usable(self, cell: Cell) -> bool:
        """Whether the cell lies in the square to which the board may be bounded."""
        size = self._position.board_size
        if size is None:
            return True
        return 0 <= cell[0] + size // 2 < size and 0 <= size // 2 - cell[1] < size

    @cached_property
    def _fitting(self) -> dict[Cell, list[tuple[str, int]]]:
        """The tiles of the bag that fit at each open cell, with the rotation."""
        return {cell: self._fitting_at(cell) for cell in self._open_cells}

    def _fitting_at(self, cell: Cell) -> list[tuple[str, int]]:
        beyond = {
            side: terrain(*self._tiles[neighbour(cell, side)], FACING[side])
            for side in self._met_sides(cell)
        }
        return [
            (letter, rotation)
            for letter in self._position.bag
            for rotation in range(4)
            if all(terrain(letter, rotation, side) == beyond[side] for side in beyond)
        ]

    def _met_sides(self, cell: Cell) -> list[str]:
        """The sides at which the cell has a neighbouring tile."""
        return [side for side in STEPS if neighbour(cell, side) in self._tiles]

    def _count(self, cell: Cell, serves: Serves = lambda letter, rotation: True) -> int:
        """The number of tiles in the bag that fit at the cell and serve a purpose."""
        letters = {tile[0] for tile in self._fitting[cell] if serves(*tile)}
        return sum(self._position.bag[letter] for letter in letters)

    def _chances(self, wanted: int, others: float = ANY_USE) -> Chances:
        drawn = min(2 * len(self._position.hands), self._left)  # in the next two turns of a player
        return np.array([n / (n + others) for n in (wanted, wanted * drawn / max(self._left, 1))])

    # --- Features ---

    def _of_kind(self, kind: str) -> list[Feature]:
        return [f for f in self._position.features if f.kind == kind]

    @cached_property
    def _open(self) -> list[Feature]:
        """The unfinished cities, roads and cloisters."""
        return [f for f in self._position.features if f.kind != "farm" and not f.is_complete]

    def _ends(self, feature: Feature) -> set[Cell]:
        """The cells that must be filled for the feature to be complete."""
        return bordering(feature.segments) - self._tiles.keys()

    def _met(self, cell: Cell, side: str) -> Feature:
        """The feature that ends in the middle of a side of an open cell."""
        beyond = neighbour(cell, side)
        return self._feature_at[(*beyond, middle(*self._tiles[beyond], FACING[side]))]

    def _closing(self, feature: Feature) -> Chances:
        """The chances that all the cells that the feature needs get a tile that closes it there."""
        demands = DEMANDS_OF_ONE if len(self._position.hands) == 1 else DEMANDS_OF_SEVERAL
        others, together = demands[KINDS.index(feature.kind)][any(feature.meeples)]
        cells = self._ends(feature)
        chances = [self._chances(self._closers(feature, cell), others) for cell in cells]
        return np.prod(chances, axis=0) * together ** (len(cells) - 1)

    def _closers(self, feature: Feature, cell: Cell) -> int:
        """The number of tiles in the bag that give the feature no new end at a cell."""
        if not self._is_usable(cell):
            return 0
        if cell not in self._open_cells:  # half of the tiles are taken to fit
            return self._left // 2
        if feature.kind == "cloister":
            return self._count(cell)
        return self._count(cell, self._closes(feature, cell))

    def _closes(self, feature: Feature, cell: Cell) -> Serves:
        """Whether a tile at the cell gives the feature no new end."""
        met = self._met_sides(cell)
        sides = [side for side in met if self._met(cell, side) is feature]

        def serves(letter: str, rotation: int) -> bool:
            return all(end in met for side in sides for end in middle(letter, rotation, side)[1])

        return serves

    def _growth(self, feature: Feature) -> float:
        cells = self._ends(feature) & self._open_cells
        return sum(self._chances(self._count(cell))[0] for cell in cells)

    def _worth(self, feature: Feature) -> int:
        """The points of a city or road if the game ended now."""
        return len(feature.cells) + feature.shields

    def _cities_of(self, farm: Feature) -> set[Feature]:
        """The cities that lie against a farm."""
        return {
            self._feature_at[(*place[:2], target)]
            for place in farm.segments
            if segment_at(self._tiles, place).touches_city
            for target in segments(*self._tiles[place[:2]])
            if target[0] == "city"
        }

    def _farm_points(self, farm: Feature) -> int:
        return 3 * sum(city.is_complete for city in self._cities_of(farm))

    def _farm_completion(self, farm: Feature) -> float:
        cities = self._cities_of(farm)
        return 3 * sum(self._closing(city)[0] for city in cities if not city.is_complete)

    # --- Terms ---

    def _cities(self, player: int) -> dict[str, float]:
        own = [f for f in self._open if f.kind == "city" and f.meeples[player]]
        held = [f for f in own if holds(f.meeples, player)]
        return {
            "city points": sum(self._worth(f) for f in held),
            "city growth": sum(self._growth(f) for f in held),
            "city pairs": len(list(combinations(own, 2))),
            **twins("city completion", ((self._worth(f), self._closing(f)) for f in held)),
            **twins("city return", ((f.meeples[player], self._closing(f)) for f in own)),
        }

    def _roads(self, player: int) -> dict[str, float]:
        own = [f for f in self._open if f.kind == "road" and f.meeples[player]]
        held = [f for f in own if holds(f.meeples, player)]
        return {
            "road points": sum(self._worth(f) for f in held),
            "road growth": sum(self._growth(f) for f in held),
            **twins("road return", ((f.meeples[player], self._closing(f)) for f in own)),
        }

    def _cloisters(self, player: int) -> dict[str, float]:
        own = [f for f in self._open if f.kind == "cloister" and f.meeples[player]]
        far = [cell for f in own for cell in self._ends(f) if self._is_far(cell)]
        return {
            "cloister points": sum(9 - len(self._ends(f)) for f in own),
            "cloister growth": sum(self._growth(f) for f in own),
            "cloister far": len(far),
            **twins("cloister return", ((1, self._closing(f)) for f in own)),
        }

    def _is_far(self, cell: Cell) -> bool:
        """Whether a usable cell is next to no tile yet."""
        return self._is_usable(cell) and cell not in self._open_cells

    def _farms(self, player: int) -> dict[str, float]:
        held = [f for f in self._of_kind("farm") if holds(f.meeples, player)]
        return {
            "farm points": sum(self._farm_points(f) for f in held),
            "farm completion": sum(self._farm_completion(f) for f in held),
            "farm held": len(held),
        }

    def _free_cities(self, player: int) -> float:
        if player != self._position.mover or not self._position.hands[player] or not self._left:
            return 0
        return sum(
            self._worth(f) * max(self._count(cell) for cell in cells) / self._left
            for f in self._open
            if f.kind == "city" and not any(f.meeples)
            if (cells := self._ends(f) & self._open_cells)
        )

    def _joins(self, player: int) -> dict[str, float]:
        changes = {(kind, way): [] for kind in ("city", "road", "farm") for way in ("gain", "loss")}
        for one, other, chances in self._possible_joins():
            joined = [a + b for a, b in zip(one.meeples, other.meeples, strict=True)]
            points, others = self._promise(one), self._promise(other)
            change = holds(joined, player) * (points + others)
            change -= holds(one.meeples, player) * points
            change -= holds(other.meeples, player) * others
            changes[one.kind, "gain" if change > 0 else "loss"].append((change, chances))
        terms = {}
        for (kind, way), parts in changes.items():
            terms |= twins(f"{kind} {way}", parts)
        return terms

    def _possible_joins(self) -> Iterator[tuple[Feature, Feature, Chances]]:
        """The pairs of features that meet at a cell, at the middle of two of its sides."""
        for cell in self._open_cells:
            for side, other_side in combinations(self._met_sides(cell), 2):
                one, other = self._met(cell, side), self._met(cell, other_side)
                if one is other or one.kind != other.kind or not any(one.meeples + other.meeples):
                    continue

                def joins(letter: str, rotation: int, side=side, other=other_side) -> bool:
                    return middle(letter, rotation, side) == middle(letter, rotation, other)

                yield one, other, self._chances(self._count(cell, joins))

    def _promise(self, feature: Feature) -> float:
        """The points that a feature promises to its holder."""
        if feature.kind == "road":
            return self._worth(feature)
        if feature.kind == "city":
            return self._worth(feature) * (1 + self._closing(feature)[0])
        if not any(feature.meeples):
            return 3
        return self._farm_points(feature) + self._farm_completion(feature)


def holds(meeples: Sequence[int], player: int) -> bool:
    """Whether nobody has more meeples than the player, who has one at least."""
    return 0 < meeples[player] == max(meeples)


def middle(letter: str, rotation: int, side: str) -> Target:
    """The segment in the middle of a side of a tile."""
    kind = KIND_AT[terrain(letter, rotation, side)]
    return target_at(letter, rotation, kind, side + "L" if kind == "farm" else side)


def twins(name: str, parts) -> dict[str, float]:
    """Amounts times their chances, summed: a term and its twin for the chance soon."""
    ever, soon = sum((amount * chances for amount, chances in parts), np.zeros(2))
    return {name: ever, f"{name} soon": soon}
