"""The complete rules of Carcassonne, slow and obvious: what the compiled model is compared with.

A game is the tiles that lie on the board, the meeples that stand on them and the points scored so
far; everything else is found again after each move by flood fill over the segments of the tiles. Of
the package it uses the description of the tiles and the records of a position, no rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache

from carcassonne_env.position import Feature, Move, PlacedMeeple, Target, segment_targets
from carcassonne_env.tiles import BY_LETTER, KINDS, START_TILE, Segment

Cell = tuple[int, int]
Place = tuple[int, int, Target]
"""A segment of the board: its cell and its target, which is unique within a tile."""
Tiles = dict[Cell, tuple[str, int]]
"""The tiles on the board: letter and rotation by cell."""

STEPS = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
FACING = {"N": "S", "E": "W", "S": "N", "W": "E", "L": "R", "R": "L"}
POINTS_PER_FARMED_CITY = 3


class ReferenceGame:
    """A game of Carcassonne between ``num_players`` that is told which tiles are drawn.

    Attributes:
        tiles: The tiles on the board.
        standing: The player whose meeple stands on a segment, for each meeple on the board.
        current_player: The player who moves next.
        is_finished: Whether the game has ended, so that the scores count what is on the board.
    """

    def __init__(self, num_players: int, num_meeples: int) -> None:
        self.tiles: Tiles = {(0, 0): (START_TILE, 0)}
        self.standing: dict[Place, int] = {}
        self.current_player = 0
        self.is_finished = False
        self._num_players = num_players
        self._num_meeples = num_meeples
        self._banked = [Counter() for _ in range(num_players)]
        self._found: dict[Place, Feature] = {}

    # Moves

    def legal_moves(self, letter: str) -> set[Move]:
        """Every move of the current player with a tile of type ``letter``."""
        moves = set()
        for x, y, rotation in self._placements(letter):
            moves.add(Move(x, y, rotation, None))
            if self.meeples[self.current_player] > 0:
                tiles = self.tiles | {(x, y): (letter, rotation)}
                for target in segments(letter, rotation):
                    if not self._meeples_on(connected(tiles, (x, y, target))):
                        moves.add(Move(x, y, rotation, target))
        return moves

    def can_be_placed(self, letter: str) -> bool:
        """Whether a tile of type ``letter`` fits anywhere."""
        return any(True for _ in self._placements(letter))

    def play(self, letter: str, move: Move) -> None:
        """Makes a legal move: places tile and meeple, scores, passes the turn."""
        x, y, rotation, target = move
        self.tiles[x, y] = letter, rotation
        if target is not None:
            self.standing[x, y, target] = self.current_player
        self._found = {}
        for feature in self._occupied_features():
            if feature.is_complete:
                self._award(self._banked, feature)
                for place in feature.segments:
                    self.standing.pop(place, None)
        self._found = {}
        self.current_player = (self.current_player + 1) % self._num_players

    def finish(self) -> None:
        """Ends the game: what is still on the board scores. The meeples stay where they stand."""
        self.is_finished = True

    def _placements(self, letter: str) -> Iterator[tuple[int, int, int]]:
        """Yields (x, y, rotation) wherever the tile fits, identical rotations once."""
        around = {neighbour(cell, side) for cell in self.tiles for side in STEPS}
        rotations = range(BY_LETTER[letter].num_rotations)
        for cell in around - self.tiles.keys():
            for rotation in rotations:
                if self._fits(cell, letter, rotation):
                    yield *cell, rotation

    def _fits(self, cell: Cell, letter: str, rotation: int) -> bool:
        """Whether every side of the tile meets the same terrain or an empty cell."""
        return all(
            terrain(*self.tiles[neighbour(cell, side)], FACING[side])
            == terrain(letter, rotation, side)
            for side in STEPS
            if neighbour(cell, side) in self.tiles
        )

    # Meeples

    @property
    def meeples(self) -> tuple[int, ...]:
        """The meeples that each player has in hand."""
        placed = Counter(self.standing.values())
        return tuple(self._num_meeples - placed[player] for player in range(self._num_players))

    @property
    def placed_meeples(self) -> set[PlacedMeeple]:
        """The meeples on the board."""
        return {PlacedMeeple(player, *place) for place, player in self.standing.items()}

    def _meeples_on(self, places: frozenset[Place]) -> Counter[int]:
        """The number of meeples of each player on ``places``."""
        return Counter(self.standing[place] for place in places & self.standing.keys())

    # Features

    @property
    def features(self) -> set[Feature]:
        """Every city, road, cloister and farm of the board."""
        found = set()
        left = {(*cell, t) for cell, tile in self.tiles.items() for t in segments(*tile)}
        while left:
            feature = self._feature(next(iter(left)))
            found.add(feature)
            left -= feature.segments
        return found

    def _occupied_features(self) -> set[Feature]:
        """The features with at least one meeple."""
        return {self._feature(place) for place in self.standing}

    def _feature(self, place: Place) -> Feature:
        """The feature that covers ``place``, as it is until the next move."""
        if place not in self._found:
            feature = self._new_feature(place)
            self._found |= dict.fromkeys(feature.segments, feature)
        return self._found[place]

    def _new_feature(self, place: Place) -> Feature:
        kind = place[2][0]
        places = connected(self.tiles, place)
        standing = self._meeples_on(places)
        meeples = tuple(standing[player] for player in range(self._num_players))
        feature = Feature(
            kind=kind,
            cells=frozenset((x, y) for x, y, _ in places),
            segments=places,
            shields=sum(segment_at(self.tiles, place).shields for place in places),
            meeples=meeples,
            is_complete=kind != "farm" and all(cell in self.tiles for cell in bordering(places)),
            owners=tuple(p for p in sorted(standing) if standing[p] == max(meeples)),
            points=0,
        )
        return feature._replace(points=self._worth(feature))

    # Scores

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each player."""
        return tuple(points.total() for points in self._points(self.is_finished))

    @property
    def virtual_scores(self) -> tuple[int, ...]:
        """The points that each player would have if the game ended now."""
        return tuple(points.total() for points in self._points(is_finished=True))

    @property
    def score_breakdown(self) -> tuple[dict[str, int], ...]:
        """The points of each player from cities, roads, cloisters and farms."""
        return tuple({k: points[k] for k in KINDS} for points in self._points(self.is_finished))

    def _points(self, is_finished: bool) -> list[Counter[str]]:
        """The points of each player by kind; of a finished game, with what is on the board."""
        points = [Counter(banked) for banked in self._banked]
        if is_finished:
            for feature in self._occupied_features():
                self._award(points, feature)
        return points

    def _award(self, points: list[Counter[str]], feature: Feature) -> None:
        """Adds the points of ``feature`` to those of its owners."""
        for player in feature.owners:
            points[player][feature.kind] += feature.points

    def _worth(self, feature: Feature) -> int:
        """The points of ``feature`` as it lies."""
        if feature.kind == "road":
            return len(feature.cells)
        if feature.kind == "city":
            return (len(feature.cells) + feature.shields) * (2 if feature.is_complete else 1)
        if feature.kind == "cloister":
            return 1 + sum(cell in self.tiles for cell in bordering(feature.segments))
        return POINTS_PER_FARMED_CITY * len(self._completed_cities_touching(feature))

    def _completed_cities_touching(self, farm: Feature) -> set[Feature]:
        """The completed cities, each once, that lie against some part of ``farm``."""
        cities = {
            self._feature((*place[:2], target))
            for place in farm.segments
            if segment_at(self.tiles, place).touches_city
            for target in segments(*self.tiles[place[:2]])
            if target[0] == "city"
        }
        return {city for city in cities if city.is_complete}


def neighbour(cell: Cell, side: str) -> Cell:
    """The cell on that side of ``cell``."""
    return cell[0] + STEPS[side][0], cell[1] + STEPS[side][1]


@cache
def terrain(letter: str, rotation: int, side: str) -> str:
    """The terrain on a side of a tile that lies at ``rotation``."""
    sides = list(STEPS)
    return BY_LETTER[letter].terrain[(sides.index(side) - rotation) % 4]


@cache
def segments(letter: str, rotation: int) -> dict[Target, Segment]:
    """The segments of a tile that lies at ``rotation``, by the target that names them."""
    return dict(zip(segment_targets(letter, rotation), BY_LETTER[letter].segments, strict=True))


def segment_at(tiles: Tiles, place: Place) -> Segment:
    """The segment of the tile type that lies at ``place``."""
    return segments(*tiles[place[:2]])[place[2]]


def ends(target: Target) -> frozenset[str]:
    """The sides or half-sides that a target reaches; none for a cloister."""
    return target[1] if len(target) == 2 else frozenset()


def bordering(places: frozenset[Place]) -> set[Cell]:
    """The cells to be filled for a city, road or cloister on ``places`` to be complete."""
    cells = {neighbour((x, y), end[0]) for x, y, target in places for end in ends(target)}
    for x, y, target in places:
        if target == ("cloister",):
            cells |= {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} - {(x, y)}
    return cells


def connected(tiles: Tiles, start: Place) -> frozenset[Place]:
    """Every segment that belongs to one feature with ``start``, by flood fill."""
    reached, frontier = {start}, [start]
    while frontier:
        for place in adjoining(tiles, frontier.pop()):
            if place not in reached:
                reached.add(place)
                frontier.append(place)
    return frozenset(reached)


def adjoining(tiles: Tiles, place: Place) -> Iterator[Place]:
    """Yields the segments of neighbouring tiles that ``place`` meets, once an end."""
    x, y, target = place
    for end in ends(target):
        cell = neighbour((x, y), end[0])
        if cell in tiles:
            yield *cell, target_at(*tiles[cell], target[0], facing(end))


@cache
def facing(end: str) -> str:
    """The end of the neighbouring tile that an end meets."""
    return "".join(FACING[letter] for letter in end)


@cache
def target_at(letter: str, rotation: int, kind: str, end: str) -> Target:
    """The segment of that kind that reaches ``end`` of a tile."""
    (target,) = (t for t in segments(letter, rotation) if t[0] == kind and end in ends(t))
    return target
