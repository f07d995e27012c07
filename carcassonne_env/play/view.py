"""Positions, moves and features as pages see them: plain data, with segments as numbers."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, TypedDict

from ..drawing.rendering import located
from ..drawing.tile_art import PLAYER_COLOURS
from ..drawing.tile_drawings import TILE_DRAWINGS
from ..model import CarcassonneModel
from ..outlook import TERMS, load_weights
from ..position import Move, segment_targets
from ..tiles import TILE_TYPES
from .points import final_points
from .session import Played

_HAND = slice(TERMS.index("first meeple"), TERMS.index("further meeples") + 1)
_END, _MIDDLE, _ = load_weights(str(files("carcassonne_env") / "outlook-2.txt"))[_HAND].T
"""What the forecast gives for meeples in hand, at the end and in the middle of the game."""


class Placement(TypedDict):
    """A tile on the board with at most one meeple."""

    player: int  # who places it
    letter: str
    x: int
    y: int  # from south to north
    rotation: int  # quarter turns clockwise
    slot: int  # 0 for no meeple, else 1 + the index of the tile's segment


class Region(TypedDict):
    """A feature of the board."""

    kind: str  # "city", "road", "cloister" or "farm"
    parts: list[tuple[int, int, int]]  # (x, y, index of the tile's segment)
    owners: tuple[int, ...]  # the players with most meeples on it
    meeples: tuple[int, ...]  # number of meeples of each player
    num_tiles: int  # that it covers
    points: int  # what it brings its owners; what it would bring now if it is not complete
    is_complete: bool


class Line(TypedDict):
    """A move of the record: what was placed, and the points it brought."""

    placement: Placement
    points: tuple[int, ...]


def facts_of(model: CarcassonneModel) -> dict[str, Any]:
    """What pages show of a position, whoever plays."""
    return {
        "board": tuple(model.board),  # (letter, x, y, rotation) in the order of play
        "meeples": tuple(  # (player, x, y, index of the tile's segment)
            (player, tile.x, tile.y, segment)
            for tile, segment, player in located(model.board, model.placed_meeples)
        ),
        "tile": model.current_tile,  # letter of the tile to place; None at the end
        "scores": model.scores,  # points of each player
        "breakdown": model.score_breakdown,  # points of each player by kind of feature
        "forecast": forecast_of(model),
        "in_hand": model.meeples,  # meeples in each player's hand
        "num_tiles": model.num_tiles,  # of the game, without the discarded ones
        "final_points": final_points(model),
    }


def game_facts() -> dict[str, Any]:
    """What pages need to know of every game: the colours of the players, and the tiles."""
    tiles = {
        tile.letter: {
            "count": tile.count,
            "kinds": [segment.kind for segment in tile.segments],
            "anchors": TILE_DRAWINGS[tile.letter].meeples,
            "num_rotations": tile.num_rotations,
        }
        for tile in TILE_TYPES
    }
    return {"colours": PLAYER_COLOURS, "tiles": tiles}


def forecast_of(model: CarcassonneModel) -> tuple[float, ...] | None:
    """The expected final score of each player.

    In games for several it is less than `CarcassonneModel.forecast` near the end, which also values
    meeples in hand that their player has no turn left to place.

    None for one player with more than 24 tiles or 3 meeples, from whose games nothing was learned.
    """
    if model.num_players == 1 and (model.num_tiles > 24 or model.num_meeples > 3):
        return None
    scores = model.forecast
    if model.num_players > 1 and not model.is_terminal():
        scores = tuple(score - _idle(model, player) for player, score in enumerate(scores))
    return tuple(round(score, 2) for score in scores)


def _idle(model: CarcassonneModel, player: int) -> float:
    """What the forecast gives a player for meeples in hand beyond the turns left, in points."""
    num_players, num_left = model.num_players, sum(model.bag.values())
    later = (player - model.mover) % num_players
    to_come = num_left + (model.current_tile is not None)
    turns = (to_come + num_players - 1 - later) // num_players
    count = model.meeples[player]
    if count <= turns:
        return 0.0
    weights = _END + 2 * num_left / (71 / 2 * num_players) * (_MIDDLE - _END)
    further = max(0, count - 3) - max(0, turns - 3)
    return float(weights @ [*(turns < nth <= count for nth in (1, 2, 3)), further])


def regions_of(model: CarcassonneModel) -> list[Region]:
    """The features of a position."""
    targets = {(t.x, t.y): segment_targets(t.tile, t.rotation) for t in model.board}
    return [
        {
            "kind": feature.kind,
            "parts": [(x, y, targets[x, y].index(target)) for x, y, target in feature.segments],
            "owners": feature.owners,
            "meeples": feature.meeples,
            "num_tiles": len(feature.cells),
            "points": feature.points,
            "is_complete": feature.is_complete,
        }
        for feature in model.features
    ]


def line_of(played: Played) -> Line:
    """A move of the record."""
    player, letter, move, points = played
    return {"placement": placed(player, letter, move), "points": points}


def placement_of(model: CarcassonneModel, move: Move) -> Placement:
    """A move of the player to move."""
    return placed(model.current_player(), model.current_tile or "", move)


def placed(player: int, letter: str, move: Move) -> Placement:
    """A move with the segment of its meeple as a number."""
    x, y, rotation, target = move
    slot = (None, *segment_targets(letter, rotation)).index(target)
    return Placement(player=player, letter=letter, x=x, y=y, rotation=rotation, slot=slot)
