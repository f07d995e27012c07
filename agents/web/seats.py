"""Who sits at a table: its pages, and the browsers that have taken seats."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from agents.playing.page_words import languages, words_of
from agents.playing.players import PERSON, Players, players_of

from .table import Table

Send = Callable[[str], None]
"""Sends a text to a page; never waits."""


class Seats:
    """The pages of a game, and for whom each of them may move.

    Every page may move for all persons until a browser takes a seat. From then on each browser
    moves for its own seats, and pages without one only look on. A seat is free again when its
    browser shows the game no more. Only hashes of the browsers' secrets are held.
    """

    def __init__(self, table: Table, players: Players) -> None:
        self._table = table
        self._players = players  # whose names persons may not have
        self.pages: dict[Send, str] = {}  # and the browser of each
        self.owners: dict[int, str] = {}  # the browser of each seat that was taken

    def enter(self, page: Send, browser: str) -> None:
        """Adds a page of a browser with this secret."""
        self.pages[page] = sha256(browser.encode()).hexdigest()

    def is_owner(self, page: Send) -> bool:
        """Whether the browser of a page has taken a seat."""
        return self.pages.get(page) in self.owners.values()

    def own(self, page: Send) -> list[int]:
        """The seats for which a page may move."""
        if not self.owners:
            return list(self._table.people)
        return sorted(seat for seat, owner in self.owners.items() if owner == self.pages[page])

    def taken(self) -> list[int]:
        """The seats whose browsers show the game."""
        present = set(self.pages.values())
        return sorted(seat for seat, owner in self.owners.items() if owner in present)

    def sit(self, page: Send, seat: int, name: str) -> None:
        """Gives a seat to the browser of a page, under a name."""
        browser, names = self.pages[page], self._table.session.names
        is_other = self.owners.get(seat) != browser
        if seat not in self._table.people or (seat in self.taken() and is_other):
            raise ValueError("this seat is not free")
        if not self._is_of_person(name):
            raise ValueError("this name is no name of a person; choose another one")
        if name in names[:seat] + names[seat + 1 :]:
            raise ValueError("another player has this name; choose another one")
        self.owners[seat] = browser
        names[seat] = name

    def _is_of_person(self, name: str) -> bool:
        """Whether a name is none of a planner, and not the word for a person without a name."""
        (player,) = players_of([name.casefold()])
        you = {words_of(language)["name_you"] for language in languages()}
        return (
            name.isprintable()
            and player not in {"", PERSON, *you}
            and self._players.player_or_person(*players_of([name])) is None
        )

    def check_player(self, page: Send) -> None:
        """Raises ValueError if a page only looks on while others play."""
        if self.owners and not self.own(page):
            raise ValueError("you look on; take a seat to play")

    def check_turn(self, page: Send, ply: int) -> None:
        """Raises ValueError if a page is not to move in the position that it shows."""
        if ply != self._table.ply or self._table.mover not in self.own(page):
            raise ValueError("it is no longer your turn in the position that this page shows")
