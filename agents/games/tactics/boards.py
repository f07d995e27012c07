"""Boards as text, and decks."""

from __future__ import annotations

import re
from collections.abc import Mapping

from agents.checks import is_integer

from .terms import CARDS, UNITS

BOARDS = {
    "standard": "d000S000D / 00c000C00 / 00P000P00 / 0c00000C0 / d000A000D",
    "small": "d00S00D / 00c0C00 / 0c0P0C0 / d00A00D",
    "tiny": "d0S0P / c0A0C / P0S0D",
}
"""The boards by name; the first is that of the publications."""
SQUARES = {
    "0": "an ordinary square",
    "d": "a deploy square of player 0",
    "D": "a deploy square of player 1",
    "c": "a crystal of player 0",
    "C": "a crystal of player 1",
    "S": "a defence square",
    "A": "an assault square",
    "P": "a power square",
}
"""What the characters of a board's text stand for."""
_COUNTS = {
    "standard": (3, 3, 3, 3, 1, 2, 3, 3, 3, 2, 2),
    "small": (2, 2, 2, 2, 1, 1, 2, 2, 2, 1, 1),
    "tiny": (1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1),
}
DECKS = {name: dict(zip(CARDS, counts, strict=True)) for name, counts in _COUNTS.items()}
"""The decks by name."""
MAX_SQUARES = 64
MAX_WIDTH = 26  # columns are named by letters
MAX_CARDS = 255


def rows_of(board: str) -> tuple[str, ...]:
    """The rows of a board, from the north.

    The board is a name of `BOARDS`, or rows of the characters of `SQUARES`, joined by "/" or line
    breaks. Spaces do not count.
    """
    if not isinstance(board, str):
        raise TypeError(f"board must be a text, got {board!r}")
    text = BOARDS.get(board, board)
    rows = tuple(re.sub(r"\s", "", row) for row in re.split(r"[/\n]", text.strip()))
    for number, row in enumerate(rows, 1):
        _check_row(number, row, len(rows[0]), board)
    if len(rows) * len(rows[0]) > MAX_SQUARES:
        raise ValueError(
            f"board must have at most {MAX_SQUARES} squares, got {len(rows)} rows of {len(rows[0])}"
        )
    for square in "dDcC":
        if square not in "".join(rows):
            raise ValueError(f"board must have {SQUARES[square]} ({square}), got {board!r}")
    return rows


def _check_row(number: int, row: str, width: int, board: str) -> None:
    for column, square in enumerate(row, 1):
        if square not in SQUARES:
            raise ValueError(
                f"board must be one of {tuple(BOARDS)}, or rows of {''.join(SQUARES)}; "
                f"row {number} of {board!r} has {square!r} in column {column}"
            )
    if not row:
        raise ValueError(f"board must have no empty row, got row {number} of {board!r}")
    if len(row) != width or width > MAX_WIDTH:
        raise ValueError(
            f"board must have rows of one length, 1 to {MAX_WIDTH}; row {number} of {board!r} has "
            f"{len(row)} squares, row 1 has {width}"
        )


def deck_of(deck: str | Mapping[str, int] | None, board: str) -> dict[str, int]:
    """The number of each card in a deck: a name of `DECKS`, a mapping, or None.

    None is the deck of the board. A board that is given as rows has the standard deck.
    """
    if deck is None:
        deck = board if board in DECKS else "standard"
    if isinstance(deck, str):
        if deck not in DECKS:
            raise ValueError(f"deck must be one of {tuple(DECKS)} or a mapping, got {deck!r}")
        return dict(DECKS[deck])
    counts = card_counts("deck", deck)
    num_units = sum(counts[card] for card in CARDS if card in UNITS)
    num_items = sum(counts.values()) - num_units
    if min(num_units, num_items) < 3:
        raise ValueError(
            f"deck must have at least 3 units and 3 items, got {num_units} and {num_items}"
        )
    return counts


def card_counts(name: str, cards: Mapping[str, int]) -> dict[str, int]:
    """The counts of all cards, 0 for those that are missing; errors call them `name`."""
    if not isinstance(cards, Mapping):
        raise TypeError(f"{name} must be a mapping from cards to counts, got {cards!r}")
    for card, count in cards.items():
        if card not in CARDS:
            raise ValueError(f"{name} must have cards of {', '.join(CARDS)}, got {card!r}")
        if not is_integer(count):
            raise TypeError(f"{name} must have integers as counts, got {count!r} of {card!r}")
        if count < 0:
            raise ValueError(f"{name} must have counts of 0 or more, got {count!r} of {card!r}")
    counts = {card: int(cards.get(card, 0)) for card in CARDS}
    if sum(counts.values()) > MAX_CARDS:
        raise ValueError(f"{name} must have at most {MAX_CARDS} cards, got {sum(counts.values())}")
    return counts
