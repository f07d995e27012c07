"""The text of the panel beside the board: scores, moves, searches, features, tiles."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from ..drawing.tile_art import PLAYER_COLOURS
from ..drawing.tile_text import SMALLEST, contrast
from ..model import CarcassonneModel
from ..play.selection import Selection
from ..play.session import Found, Played
from ..play.words import lead_words, place_words, result_words, target_words
from ..position import Move
from ..tiles import KINDS
from .board_text import move_block, text_of

PANEL_WIDTH, WIDE_PANEL_WIDTH = 36, 52
"""Width of the panel in columns, including a margin of one column on either side."""
_ON_THE_BOARD = """\
On the board: ▒ city, ◆ shield (a point more), ─ road,
· farm, † cloister, a digit is a meeple of that player,
+ a cell where the tile fits. (2, -1) is column 2 and
row -1, as the numbers beside the board count them.

Any key goes on."""
HELP = f"""\
Place the tile so that its edges match its neighbours.
You may then put a meeple on one of its features, if the
feature has no meeple yet. A city, road or cloister
scores when it is complete, and its meeples return to
their players. Farms score at the end. The highest
score wins.

arrows hjkl  the cell that way      n N  next cell, back
r R          turn the tile          H    a hint
m Tab space  meeple on each part    u    undo your move
Enter        play the move          t    tiles left
click        that cell              f    who leads
q            quit (asks)            ?    this help
Ctrl-C       quit at once

{_ON_THE_BOARD}"""
WATCHING_HELP = f"""\
space p      pause, go on           t    tiles left
+ -          faster, slower         f    who leads
arrows hjkl  scroll the board       ?    this help
q            quit (asks)
Ctrl-C       quit at once

{_ON_THE_BOARD}"""

_HEADING, _DIM = "bold #f0c674", "#9a9586"


# Sections of the panel


def chip(player: int) -> Text:
    """The number of a player, from 1, in the colour of its meeples."""
    ground = PLAYER_COLOURS[player]
    return Text(f" {player + 1} ", f"bold {contrast(ground)} on {ground}")


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


def found_text(found: Found, name: str, num_players: int) -> Text:
    """The result that a search expects, and the moves that it likes best."""
    text = Text().append(f"{shortened(name, 33)}\n", _HEADING)
    text.append(f"{lead_words(found.value, num_players)}\n")
    for move, points in found.rows:
        text.append(f"{points:+6.1f}  {place_words(move)}\n", _DIM)
    return text


def history_text(history: Sequence[Played], final: Sequence[int]) -> Text:
    """The moves played, latest first, and who gained points by them, each in one line.

    Before the end, all players have 0 points of the final scoring.
    """
    text = Text().append("Last moves\n", _HEADING) if history else Text()
    if any(final):
        text.append("final scoring").append(gains_text(final)).append("\n")
    for player, _, move, points in reversed(history):
        feature = f" {move.target[0]}" if move.target else ""
        text.append(chip(player)).append(f" ({move.x}, {move.y}){feature}")
        text.append(gains_text(points)).append("\n")
    return text


def gains_text(points: Sequence[int]) -> Text:
    """The players who gained points, and how many."""
    text = Text()
    for player, number in enumerate(points):
        if number:
            text.append("  ").append(chip(player)).append(f" {number:+}", "bold")
    return text


def leaders_text(model: CarcassonneModel, limit: int | None = None) -> Text:
    """Who leads which feature, and the points that it would bring if the game ended now.

    With a limit, only so many features, those of most points.
    """
    held = [feature for feature in model.features if feature.owners and not feature.is_complete]
    held.sort(key=lambda feature: -feature.points)
    meeples = {(x, y, target) for _, x, y, target in model.placed_meeples}
    text = Text().append("Who leads, for how many points\n", _HEADING)
    for feature in held[:limit]:
        x, y = min(segment[:2] for segment in feature.segments & meeples)
        text.append(f"{feature.points:3} ")
        text.append(Text(" ").join(chip(player) for player in feature.owners))
        text.append(f" {feature.kind} at ({x}, {y})")
        others = [i for i, count in enumerate(feature.meeples) if count and i not in feature.owners]
        for player in others:
            text.append(", not ").append(chip(player))
        text.append("\n")
    return text if held else text.append("nobody has a meeple on the board\n", _DIM)


def next_text(model: CarcassonneModel, width: int) -> Text:
    """The next tiles of a game whose order is known."""
    return _pictures("Next tiles", (model.order or "")[: _num_columns(width)], width)


def tiles_text(model: CarcassonneModel, width: int) -> Text:
    """Pictures of the tiles left: in their order if it is known, else how many of each kind."""
    if model.is_deterministic:
        return _pictures("The tiles to come, in order", model.order or "", width)
    left = {letter: count for letter, count in model.bag.items() if count}
    captions = [f"{count} ×" for count in left.values()]
    return _pictures(f"{sum(left.values())} tiles left", "".join(left), width, captions)


def _num_columns(width: int) -> int:
    """Number of pictures of tiles side by side."""
    return max(1, (width + 1) // (SMALLEST[0] + 1))


def _pictures(heading: str, letters: str, width: int, captions: Sequence[str] = ()) -> Text:
    """Pictures of tiles in rows, with a caption above each, by default its number."""
    captions = captions or [str(i) for i in range(1, len(letters) + 1)]
    text, columns = Text().append(f"{heading}\n", _HEADING), _num_columns(width)
    for first in range(0, len(letters), columns):
        row = slice(first, first + columns)
        text.append(" ".join(f"{caption:^{SMALLEST[0]}}" for caption in captions[row]), _DIM)
        blocks = [move_block(letter, Move(0, 0, 0, None), 0) for letter in letters[row]]
        for lines in zip(*blocks, strict=True):
            text.append("\n").append(Text(" ").join(text_of(line) for line in lines))
        text.append("\n")
    return text


def scores_line(model: CarcassonneModel, names: Sequence[str], width: int) -> Text:
    """The scores in one line, for screens without room for the panel; names may be shortened."""
    text, length = Text(no_wrap=True), max(1, (width - 14) // len(names) - 9)
    for player, name in enumerate(names):
        mark = "▶" if player == model.current_player() else " "
        text.append(mark).append(chip(player)).append(f" {shortened(name, length)} ")
        text.append(f"{model.scores[player]}", "bold")
    return text.append(f"  {sum(model.bag.values())} tiles left", _DIM)


def result_text(model: CarcassonneModel, names: Sequence[str]) -> Text:
    """The result, and the points of each player by kind of feature."""
    words = result_words(model, names).replace(", ", "\n", 1)
    text = Text().append(f"Game over: {words}\n", _HEADING)
    text.append(f"     {'  '.join(KINDS)}\n", _DIM)
    for player, points in enumerate(model.score_breakdown):
        numbers = "".join(f"{points[kind]:{2 + len(kind)}}" for kind in KINDS)
        text.append(chip(player)).append(f"{numbers}\n")
    return text


def shortened(name: str, length: int) -> str:
    """The name, cut to at most ``length`` characters."""
    return name if len(name) <= length else name[: length - 1] + "…"
