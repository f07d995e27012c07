"""The text of the panel beside the board: scores, the selected move, the result of a search."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..drawing.tile_art import PLAYER_COLOURS
from ..model import CarcassonneModel
from ..play.found import Found
from ..play.selection import Selection
from ..play.session import Played
from ..play.words import lead_words, move_words, result_words, target_words
from ..position import Move
from ..tiles import KINDS
from .board_text import move_block, text_of

PANEL_WIDTH = 36
"""Width of the panel in columns, including a margin of one column on either side."""
HELP = """\
Place the tile so that its edges match the tiles around it. You may then
put a meeple on one of its features if the feature has no meeple yet.
A city, road or cloister scores when it is complete, and its meeples
return to their players. Fields score at the end. The highest score wins.

arrows, h j k l  to the next cell in that direction
n, N             to the next, previous cell
click            to that cell
r, R             turn the tile clockwise, back
m, Tab, space    meeple: none, or on each part
Enter            play the move
?                this help
q                quit (asks)     Ctrl-C  at once
Ctrl-Z           suspend the game (not on Windows)

On the board: ▒ city, ◆ shield (a point more), ─ road, · field, † cloister,
a digit is a meeple of that player, + a cell where the tile fits.

Any key goes on."""
WATCHING_HELP = """\
space, p         pause, go on
+, -             faster, slower
arrows, h j k l  scroll the board
?                this help
q                quit (asks)     Ctrl-C  at once
Ctrl-Z           suspend the game (not on Windows)

On the board: ▒ city, ◆ shield (a point more), ─ road, · field, † cloister,
a digit is a meeple of that player.

Any key goes on."""

_HEADING, _DIM = "bold #f0c674", "#9a9586"


# Sections of the panel


def chip(player: int) -> Text:
    """The number of a player in the colour of its meeples."""
    ground = PLAYER_COLOURS[player]
    ink = "#000000" if sum(bytes.fromhex(ground[1:])) > 400 else "#ffffff"
    return Text(f" {player} ", f"bold {ink} on {ground}")


def players_text(model: CarcassonneModel, names: Sequence[str]) -> Text:
    """A line for each player: score, virtual score and meeples in hand."""
    num_left = sum(model.bag.values())
    text = Text().append(f"Tile {model.num_tiles - num_left} of {model.num_tiles}", _HEADING)
    text.append(f", {num_left} in the bag\n", _DIM)
    text.append(f"{'points at end* meeples':>34}\n", _DIM)
    for player, name in enumerate(names):
        mark = "▶" if player == model.current_player() else " "
        text.append(mark).append(chip(player)).append(f" {shortened(name, 11):11}")
        text.append(f"{model.scores[player]:4}", "bold")
        text.append(f"{model.virtual_scores[player]:7}{model.meeples[player]:7}\n")
    return text.append("* if the game ended now\n", _DIM)


def selection_text(selection: Selection, player: int) -> Text:
    """The tile to place in its selected rotation, and the selected move in words."""
    target = target_words(selection.move.target)
    words = [
        f"at ({selection.cell[0]}, {selection.cell[1]}), turned {90 * selection.rotation}°",
        target if selection.num_targets else "no meeple can be put here",
        f"{len(selection.cells)} cells, {selection.num_moves} legal moves",
    ]
    text = Text().append("Your turn: place this tile\n", _HEADING)
    block = move_block(selection.letter, selection.move, player)
    for row, line in zip(block, words, strict=True):
        text.append(text_of(row)).append(f" {line}\n")
    return text


def thinking_text(model: CarcassonneModel, name: str) -> Text:
    """The name of a planner and the tile that it has to place."""
    text = Text().append(f"{shortened(name, 20)} has to place\n", _HEADING)
    for row in move_block(model.current_tile or "", Move(0, 0, 0, None), 0):
        text.append(text_of(row)).append("\n")
    return text


def found_text(found: Found, names: Sequence[str]) -> Text:
    """The result that a search expects, and its best moves."""
    text = Text().append(f"{shortened(names[found.player], 33)}\n", _HEADING)
    text.append(f"{lead_words(found.value, len(names))}\n")
    for move, visits, points in found.rows:
        tried = "" if visits is None else f"{visits} visit{'s' * (visits != 1)} "
        text.append(f"{tried}{points:+.1f} {move_words(move)}\n", _DIM)
    return text


def history_text(history: Sequence[Played]) -> Text:
    """The moves played, latest first."""
    text = Text().append("Last moves\n", _HEADING) if history else Text()
    for player, letter, move, points in reversed(history):
        text.append(chip(player)).append(f" {letter} {move_words(move)}")
        gains = [f"{number:+}" for number in points if number]
        text.append(f" {' '.join(gains)}\n", "bold")
    return text


def result_text(model: CarcassonneModel, names: Sequence[str]) -> Text:
    """The result, and the points of each player by kind of feature."""
    text = Text().append(f"Game over: {result_words(model, names)}\n", _HEADING)
    for player, points in enumerate(model.score_breakdown):
        text.append(chip(player)).append(" ")
        words = [f"{'field' if kind == 'farm' else kind} {points[kind]}" for kind in KINDS]
        text.append(", ".join(words) + "\n")
    return text


def shortened(name: str, length: int) -> str:
    """The name, cut to at most ``length`` characters."""
    return name if len(name) <= length else name[: length - 1] + "…"
