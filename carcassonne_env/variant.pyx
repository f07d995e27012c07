# distutils: extra_compile_args = -O1
"""Variants of the game: number of players and meeples, tiles and their order."""

import operator
from collections.abc import Mapping

cimport cython
from libc.string cimport memcpy, memset

from agents.rng cimport rng_t

from . cimport board
from .board cimport State

from agents.checks import check_flag, check_range

from . import tiles as _tiles

_TILE_SETS = {"base": _tiles.BASE_SET, "small": _tiles.SMALL_SET}

PUBLISHED_BASE_MAX_SCORE: int = 593
"""The maximum score of the base game with 7 meeples in Valdez Ameneyro (2024, see the README). The formula
of that thesis, `maximum_score`, gives 570 for the tile counts of the rulebook. The default is 593, so that
results can be compared with the published ones."""


@cython.final
cdef class Variant:
    """A variant of the game with checked arguments. It can start any number of games.

    The arguments and exceptions are those of `CarcassonneModel`.
    """

    def __init__(
        self,
        num_players: int = 2,
        num_meeples: int = 7,
        tiles: str | Mapping[str, int] = "base",
        deterministic: bool = False,
        order: Iterable[str] | None = None,
        two_step: bool = False,
        board_size: int | None = None,
        max_score: int | None = None,
    ):
        cdef State* blank = &self.blank
        check_range("num_players", num_players, 1, board.MAX_PLAYERS)
        check_range("num_meeples", num_meeples, 0, 255)
        check_flag("deterministic", deterministic)
        check_flag("two_step", two_step)
        if board_size is not None:
            check_range("board_size", board_size, 3, board.SPAN)
        counts = _tile_counts(tiles)
        most_points = _most_points(counts, num_meeples)
        self.forfeit = most_points if num_players > 1 else 1
        if max_score is None:
            max_score = most_points
        check_range("max_score", max_score, 1, 2**31 - 1)
        memset(blank, 0, sizeof(State))
        blank.max_score = max_score
        blank.num_players = num_players
        blank.num_meeples = num_meeples
        blank.is_deterministic = bool(deterministic) or order is not None
        blank.is_two_step = bool(two_step)
        blank.board_size = board_size or 0
        left = counts | {_tiles.START_TILE: counts[_tiles.START_TILE] - 1}
        for letter, count in left.items():
            blank.bag[_tiles.LETTERS.index(letter)] = count
        blank.num_left = sum(left.values())
        blank.num_game_tiles = blank.num_left + 1
        self.has_order = order is not None
        if self.has_order:
            order = _letters_of(order, left)
            for i, letter in enumerate(reversed(order)):
                blank.order[i] = _tiles.LETTERS.index(letter)
        self.arguments = (
            num_players, num_meeples, counts, deterministic, order, two_step, board_size, max_score
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return Variant, self.arguments

    @property
    def num_players(self) -> int:
        """Number of players, 1 to 5."""
        return self.blank.num_players

    @property
    def num_tiles(self) -> int:
        """Number of tiles of a game, including the start tile."""
        return self.blank.num_game_tiles

    cdef void start(self, State* state, rng_t* rng) noexcept nogil:
        memcpy(state, &self.blank, sizeof(State))   # an assignment would copy through a temporary
        if state.is_deterministic and not self.has_order:
            board.shuffle(state, rng)
        board.start_game(state)


def _tile_counts(tiles):
    """A new dict from letters to counts, including the start tile."""
    if isinstance(tiles, str):
        if tiles not in _TILE_SETS:
            raise ValueError(f"tiles must be one of {sorted(_TILE_SETS)} or a mapping, got {tiles!r}")
        return dict(_TILE_SETS[tiles])
    if not isinstance(tiles, Mapping):
        raise TypeError(f"tiles must be a name or a mapping from letters to counts, got {tiles!r}")
    for letter, count in tiles.items():
        if letter not in _tiles.BASE_SET:
            raise ValueError(f"tiles must be letters A to X, got {letter!r}")
        check_range(f"the count of tile {letter}", count, 0, board.MAX_TILES)
    counts = {letter: operator.index(count) for letter, count in tiles.items()}
    total = sum(counts.values())
    if not tiles.get(_tiles.START_TILE):
        raise ValueError(f"tiles must hold the start tile, a {_tiles.START_TILE}, got {dict(tiles)!r}")
    check_range("the number of tiles, start tile included,", total, 2, board.MAX_TILES)
    return counts


def _most_points(counts, num_meeples):
    """The default of `max_score`, which no player can be behind."""
    if counts == _tiles.BASE_SET and num_meeples == 7:
        return PUBLISHED_BASE_MAX_SCORE
    return _tiles.maximum_score(counts, operator.index(num_meeples))


def _letters_of(order, counts):
    """The letters of an order, after a check that they are the tiles in the bag."""
    try:
        letters = list(order)
    except TypeError as error:
        raise TypeError(f"order must be a sequence of letters, got {order!r}") from error
    if sorted(letters, key=str) != sorted("".join([letter * count for letter, count in counts.items()])):
        raise ValueError(
            f"order must be a permutation of the {sum(counts.values())} tiles in the bag "
            f"{ {letter: n for letter, n in counts.items() if n} }, got {''.join(map(str, letters))!r}"
        )
    return letters
