"""The 24 tile types of the base game as data. Only `drawing` says more: how tiles look.

Sides are named ``N E S W``, and half-sides ``NL NR EL ER SL SR WL WR``, clockwise from the
north-west corner. L and R are left and right for someone who stands in the centre of the tile and
looks outwards, so the NL of a tile lies against the SR of its northern neighbour. Rotations count
quarter turns clockwise.

The segments of a tile are listed cities first, then roads, the cloister and the farms. A meeple
slot ``s`` of an action is segment ``s - 1`` of this list (slot 0 places no meeple), whatever the
rotation.

Reference: the tile distribution of the base game's rulebook, whose letters A to X are used here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

SIDES = ("N", "E", "S", "W")
KINDS = ("city", "road", "cloister", "farm")


@dataclass(frozen=True)
class Segment:
    """A part of a tile that a meeple can stand on.

    Attributes:
        kind: "city", "road", "cloister" or "farm".
        ends: The sides (of a city or road) or half-sides (of a farm) that it reaches at rotation 0;
            empty for a cloister.
        shields: Number of shields, 0 or 1.
        touches_city: Whether this farm lies against every city of the tile. In the base game, a
            farm lies against all cities of its tile or against none.
    """

    kind: str
    ends: tuple[str, ...] = ()
    shields: int = 0
    touches_city: bool = False


@dataclass(frozen=True)
class TileType:
    """A tile type.

    Attributes:
        letter: "A" to "X".
        count: Number of copies in the full set of 72 tiles, including the start tile.
        terrain: One letter for each of the sides N, E, S, W at rotation 0: C (city), R (road) or F
            (field).
        segments: At most 8 segments: cities first, then roads, the cloister and farms.
    """

    letter: str
    count: int
    terrain: str
    segments: tuple[Segment, ...]

    @cached_property
    def num_rotations(self) -> int:
        """Number of distinct rotations: 1, 2 or 4. They are 0 to ``num_rotations - 1``."""
        for quarter_turns in (1, 2):
            if self._segments_turned(quarter_turns) == self._segments_turned(0):
                return quarter_turns
        return 4

    def _segments_turned(self, quarter_turns: int) -> set[Segment]:
        """The segments after a rotation, as a set, because a symmetry may swap segments."""
        return {
            replace(s, ends=tuple(sorted(turned(end, quarter_turns) for end in s.ends)))
            for s in self.segments
        }


def turned(end: str, quarter_turns: int) -> str:
    """The side or half-side to which ``end`` moves under ``quarter_turns`` clockwise turns."""
    return SIDES[(SIDES.index(end[0]) + quarter_turns) % 4] + end[1:]


def _tile(
    letter: str,
    count: int,
    terrain: str,
    cities: tuple[str, ...] = (),
    roads: tuple[str, ...] = (),
    farms: tuple[str, ...] = (),
    shield: bool = False,
    cloister: bool = False,
) -> TileType:
    """Builds a tile type from space-separated ends; ``*`` marks farms that touch its cities."""
    segments = [Segment("city", tuple(ends.split()), shields=int(shield)) for ends in cities]
    segments += [Segment("road", tuple(ends.split())) for ends in roads]
    segments += [Segment("cloister")] * cloister
    for ends in farms:
        *half_sides, last = ends.split()
        touches = last == "*"
        half_sides += [] if touches else [last]
        segments.append(Segment("farm", tuple(half_sides), touches_city=touches))
    return TileType(letter, count, terrain, tuple(segments))


_ALL = "NL NR EL ER SL SR WL WR"
_CROSSING = ("NR EL", "ER SL", "SR WL", "WR NL")

TILE_TYPES: tuple[TileType, ...] = (
    _tile("A", 2, "FFRF", roads=("S",), cloister=True, farms=(_ALL,)),
    _tile("B", 4, "FFFF", cloister=True, farms=(_ALL,)),
    _tile("C", 1, "CCCC", cities=("N E S W",), shield=True),
    _tile("D", 4, "CRFR", cities=("N",), roads=("E W",), farms=("EL WR *", "ER SL SR WL")),
    _tile("E", 5, "CFFF", cities=("N",), farms=("EL ER SL SR WL WR *",)),
    _tile("F", 2, "FCFC", cities=("E W",), shield=True, farms=("NL NR *", "SL SR *")),
    _tile("G", 1, "FCFC", cities=("E W",), farms=("NL NR *", "SL SR *")),
    _tile("H", 3, "FCFC", cities=("E", "W"), farms=("NL NR SL SR *",)),
    _tile("I", 2, "CCFF", cities=("N", "E"), farms=("SL SR WL WR *",)),
    _tile("J", 3, "CRRF", cities=("N",), roads=("E S",), farms=("EL SR WL WR *", "ER SL")),
    _tile("K", 3, "CFRR", cities=("N",), roads=("S W",), farms=("EL ER SL WR *", "SR WL")),
    _tile("L", 3, "CRRR", ("N",), ("E", "S", "W"), ("EL WR *", "ER SL", "SR WL")),
    _tile("M", 2, "CFFC", cities=("N W",), shield=True, farms=("EL ER SL SR *",)),
    _tile("N", 3, "CFFC", cities=("N W",), farms=("EL ER SL SR *",)),
    _tile("O", 2, "CRRC", ("N W",), ("E S",), ("EL SR *", "ER SL"), shield=True),
    _tile("P", 3, "CRRC", cities=("N W",), roads=("E S",), farms=("EL SR *", "ER SL")),
    _tile("Q", 1, "CCFC", cities=("N E W",), shield=True, farms=("SL SR *",)),
    _tile("R", 3, "CCFC", cities=("N E W",), farms=("SL SR *",)),
    _tile("S", 2, "CCRC", ("N E W",), ("S",), ("SL *", "SR *"), shield=True),
    _tile("T", 1, "CCRC", cities=("N E W",), roads=("S",), farms=("SL *", "SR *")),
    _tile("U", 8, "RFRF", roads=("N S",), farms=("NR EL ER SL", "NL SR WL WR")),
    _tile("V", 9, "FFRR", roads=("S W",), farms=("NL NR EL ER SL WR", "SR WL")),
    _tile("W", 4, "FRRR", roads=("E", "S", "W"), farms=("NL NR EL WR", "ER SL", "SR WL")),
    _tile("X", 1, "RRRR", roads=SIDES, farms=_CROSSING),
)

BY_LETTER = {tile.letter: tile for tile in TILE_TYPES}
LETTERS = "".join(BY_LETTER)
START_TILE = "D"

BASE_SET = {tile.letter: tile.count for tile in TILE_TYPES}
"""The full set of 72 tiles, including the start tile."""
SMALL_SET = dict.fromkeys(LETTERS, 1)
"""One tile of each type, including the start tile: the set of the single-player games."""


def maximum_score(tiles: dict[str, int], num_meeples: int) -> int:
    """The theoretical maximum score in points, by which returns are divided.

    The formula is ``2 p_c + p_r + p_m + 3 n_c m``:

    - ``p_c`` is the sum of 1 + shields over all city segments.
    - ``p_r`` is the number of road segments.
    - ``p_m`` is 9 for each cloister.
    - ``m`` is the number of meeples of each player.
    - ``n_c`` is the number of cities that can be built from caps (segments on one side) and corners
      (joined segments on two adjacent sides): two caps make a city, four corners make one, and one
      cap with three corners makes one.

    The value is a bound for scaling; no game can reach it. The tiles include the start tile.
    """
    city_points = road_points = cloister_points = caps = corners = 0
    for letter, count in tiles.items():
        for segment in BY_LETTER[letter].segments:
            if segment.kind == "city":
                city_points += count * (1 + segment.shields)
                caps += count * (len(segment.ends) == 1)
                corners += count * _is_corner(segment)
            elif segment.kind == "road":
                road_points += count
            elif segment.kind == "cloister":
                cloister_points += 9 * count
    num_cities = caps // 2 + corners // 4 + (caps % 2 == 1 and corners % 4 == 3)
    return 2 * city_points + road_points + cloister_points + 3 * num_cities * num_meeples


def _is_corner(segment: Segment) -> bool:
    sides = [SIDES.index(end) for end in segment.ends]
    return len(sides) == 2 and abs(sides[0] - sides[1]) != 2
