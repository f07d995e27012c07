"""A game as a page of HTML on which one steps through the moves. It needs no network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any

from agents.checks import check_choice
from agents.files import write_file
from agents.pages import bundled, framed, included, page
from agents.playing.page_words import ENGLISH, as_data, languages, words_in, words_of
from agents.rng import Rng

from ..drawing.rendering import symbols_svg
from ..play.session import Session
from ..play.view import facts_of, game_facts, line_of, regions_of
from ..position import PlacedTile
from .analysis import MoveLoss, loss_of
from .saved_game import SavedGame

_FRAME_HEIGHT = 720
_LIVE = files("carcassonne_env") / "web" / "static"
"""The folder of the live page, whose board and panels the page shares."""
_COMMON = files("agents") / "web" / "static"
"""The folder of what the pages of all games share."""
_LIVE_ELEMENT = re.compile(
    r'<(\w+)(?=[^>]*\bclass="[^"]*\blive\b)[^>]*>(?:(?!<\1\b).)*?</\1>\n?', re.DOTALL
)
"""What only the live page has, with nothing of its own kind inside."""
_WORDS = files("carcassonne_env") / "web" / "words"
_STEP = ("meeples", "tile", "player", "scores", "breakdown", "forecast", "in_hand")
"""What changes from step to step; the page is told what is not as before."""


class Replay:
    """The page on which one steps through a game: ``replay(SavedGame.load(path))``.

    Notebooks show it.

    Args:
        game: The game.
        losses: What its moves lost, from `analyse_game`. The page then marks the moves that lost
            points, and shows the better ones on the board.
        variations: Games from the same start, with what their moves lost, for the list of moves.
    """

    def __init__(
        self,
        game: SavedGame,
        losses: Iterable[MoveLoss] = (),
        variations: Iterable[tuple[SavedGame, Iterable[MoveLoss]]] = (),
    ) -> None:
        self.game = game
        self.losses = _sorted(losses)
        self.variations = [(other, _sorted(lost)) for other, lost in variations]

    def to_html(self, path: str | Path | None = None, language: str = ENGLISH) -> str:
        """The page, in one piece.

        Args:
            path: A file to which the page is written as well.
            language: One of `agents.playing.page_words.languages`.

        Raises:
            OSError: If the file cannot be written.
            ValueError: If there are no words of the language.
        """
        check_choice("language", language, languages())
        script = bundled(_text(files(__package__) / "replay_page.js"), _LIVE, _COMMON)
        words, data = words_of(language, _WORDS), self._data()
        named = as_data(words_in(script, words))
        html = Template(_without_live(included("$game_html", _LIVE, _COMMON)))
        text = page(
            "Carcassonne: replay",
            data,
            style=_text(_COMMON / "common.css") + _text(_LIVE / "style.css"),
            body=html.substitute(words, words=named, languages="") + symbols_svg(_tiles(data)),
            script=script,
            language=language,
        )
        if path is not None:
            write_file(path, text)
        return text

    def _data(self) -> dict[str, Any]:
        """What the script reads."""
        session, boards = _session(self.game), self.game.boards()
        positions = [facts_of(model) | {"player": model.current_player()} for model in boards]
        variations = [_left(session, *each) for each in self.variations]
        regions = regions_of(boards[-1])
        return {
            **positions[-1],
            "seats": [{"name": name} for name in self.game.players],
            **game_facts(),
            "steps": [_changes({}, positions[0]), *map(_changes, positions, positions[1:])],
            "record": [line_of(played) for played in session.history],
            "regions": [region | {"parts": []} for region in regions if region["owners"]],
            "is_over": boards[-1].is_terminal(),
            "losses": [loss_of(move) for move in self.losses],
            "variations": [variation for variation in variations if variation["moves"]],
        }

    def _repr_html_(self) -> str:
        return framed(self.to_html(), _FRAME_HEIGHT)


replay = Replay


def _sorted(losses: Iterable[MoveLoss]) -> list[MoveLoss]:
    return sorted(losses, key=lambda move: move.number)


def _tiles(data: dict[str, Any]) -> Iterator[PlacedTile]:
    """The tiles that the page shows: on the board, in hand, and of moves that were not played."""
    yield from data["board"]
    yield from (PlacedTile(step["tile"], 0, 0, 0) for step in data["steps"] if step.get("tile"))
    moves = [loss["better"] for loss in data["losses"] if loss["better"]]
    moves += [line["placement"] for each in data["variations"] for line in each["moves"]]
    yield from (PlacedTile(move["letter"], 0, 0, move["rotation"]) for move in moves)


def _session(game: SavedGame) -> Session:
    """The game as it was played."""
    return Session(game.start(), [None] * len(game.players), game.players, Rng(0), game.actions)


def _left(session: Session, other: SavedGame, losses: list[MoveLoss]) -> dict[str, Any]:
    """The moves of a variation after it has left the game, and what they lost."""
    varied = _session(other)
    ply = session.num_shared(varied)
    moves = [line_of(played) for played in varied.history[ply:]]
    return {
        "ply": ply,
        "moves": moves,
        "losses": [loss_of(move) for move in losses if move.number > ply],
    }


def _changes(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {
        name: after[name] for name in _STEP if name not in before or after[name] != before[name]
    }


def _without_live(html: str) -> str:
    """The page without indentation, and without elements of the class "live", inner ones first."""
    before, html = "", re.sub(r"^ +", "", html, flags=re.MULTILINE)
    while html != before:
        before, html = html, _LIVE_ELEMENT.sub("", html)
    return html


def _text(file: Any) -> str:
    return str(file.read_text(encoding="utf-8"))
