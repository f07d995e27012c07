"""Games of ``carcassonne play``: the players at the table, the moves, and the result."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from agents.cli.options import player_of
from agents.cli.play import play_on
from agents.forward_model import CHANCE
from agents.game import Ply, seat
from agents.playing.players import PERSON

from ..model import CarcassonneModel
from ..play.players import LEVELS, player_of_page, player_text
from ..play.session import Session
from ..play.words import move_words, tile_words
from ..replaying import SavedGame


def seats_of_file(texts: Sequence[str]) -> list[Any]:
    """The players that a file names, those that a page may name: nothing is imported."""
    try:
        return [player_of_page(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"{error}; name all players of the game after its file") from error


def seat_of(text: str) -> Any:
    """The player that a text names: "me" for a person, which is None, a level, or any player."""
    if text == PERSON:
        return None
    try:
        return player_of(player_text(text))
    except ValueError as error:
        if not text.isalpha():
            raise
        raise ValueError(f"{error}; the levels are {', '.join(LEVELS)}") from error


def play_as_text(game: SavedGame, players: Sequence[Any], seed: int) -> SavedGame:
    """Lets planners play the game to the end, and prints their moves."""
    *_, position = game.positions()
    _, record = play_on(
        position,
        players,
        seed,
        lambda model, ply: ply_words(model, ply, game.players),
        total=position.num_tiles - len(position.board),
        unit="tile",
        done=lambda model: len(model.board) - len(position.board),
    )
    return replace(game, actions=[*game.actions, *(ply.action for ply in record.plies)])


def play_on_screen(game: SavedGame, players: Sequence[Any], seed: int, path: Path) -> SavedGame:
    """Plays a game on in the terminal, and returns it as it was left.

    A player that is None is a person. The game is written to the file after every move.
    """
    from .terminal import play_in_terminal  # here, because Textual takes long to import

    seated, draws = seat(players, seed)
    session = Session(game.start(), seated, game.players, draws, game.actions)

    def left() -> SavedGame:
        return replace(game, actions=session.actions)

    play_in_terminal(session, lambda: left().save(path))
    return left()


def ply_words(model: CarcassonneModel, ply: Ply, names: Sequence[str]) -> str:
    """A move in words, with the scores before it; chance has no words of its own."""
    if ply.player == CHANCE:
        return ""
    name = f"{names[ply.player]}: " if len(names) > 1 else ""
    move = move_words(model.decode_action(ply.action))
    scores = ", ".join(map(str, model.scores))
    return f"{name}{scores} points; {tile_words(model.current_tile or '')}, {move}"


def tell_result(model: CarcassonneModel, names: Sequence[str]) -> None:
    """Prints the scores, in total and by kind of feature."""
    if not model.is_terminal():
        print("The game was not finished.")
    width = max(30, *map(len, names))
    print(f"\n{'':{width}} score" + "".join(f"{kind:>9}" for kind in model.score_breakdown[0]))
    for name, score, parts in zip(names, model.scores, model.score_breakdown, strict=True):
        print(f"{name:{width}} {score:5}" + "".join(f"{points:9}" for points in parts.values()))


def tell_file(path: Path, texts: Sequence[str], *, is_over: bool) -> None:
    """Prints where a game between these players is kept, and what can be done with it."""
    file = shlex.quote(str(path))
    print(f"Game: {path}")
    if not is_over:
        print(f"Go on: carcassonne play {shlex.join(texts)} --resume {file}")
    print(f"Step through it: carcassonne replay {file}")
    print(f"Where were points lost? carcassonne replay {file} --analyse strongest")
