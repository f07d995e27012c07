"""Positions set up from data, such as a JSON file, and positions as data.

The data is an object with these members. Those with a default may be missing.

- ``tiles``: the tiles on the board in any order, each ``{"tile": "E", "x": 0, "y": 1,
  "rotation": 2}``. The start tile, a D at (0, 0) with rotation 0, is one of them.
- ``bag``: the number of tiles in the bag by letter; or ``order``: the letters of the tiles in the
  bag in the order of drawing, if the players know it.
- ``current_tile``: the letter of the tile to place; null, the default, if it is not drawn yet.
- ``discarded``: the number of tiles that fitted nowhere and were discarded; 0 by default.
- ``player``: the player who places it; 0 by default.
- ``meeples``: the meeples on the board, each ``{"player": 0, "x": 0, "y": 1, "target": "city S"}``;
  targets are written as by `position.target_to_string`. None by default.
- ``scores``: for each player the points scored so far by kind of feature, such as
  ``{"city": 8, "road": 3}``; 0 by default.
- ``num_players`` (2 by default), ``num_meeples`` (7), ``two_step``, ``board_size`` and
  ``max_score``: as in `CarcassonneModel`. The default of ``max_score`` depends on all tiles of the
  game: those on the board, in the bag and to place.
"""

from __future__ import annotations

import json
import operator
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agents.checks import check_range, suggestion

from .model import MAX_POINTS, CarcassonneModel
from .position import PlacedTile, segment_targets, target_to_string
from .tiles import BY_LETTER, KINDS, LETTERS, SIDES, START_TILE

_OPTIONS = ("num_players", "num_meeples", "two_step", "board_size", "max_score")
_MEMBERS = (
    *("tiles", "bag", "order", "current_tile", "discarded", "player", "meeples", "scores"),
    *_OPTIONS,
)
_START = PlacedTile(START_TILE, 0, 0, 0)
_MAX_TILES = 72


def from_data(data: Mapping[str, Any]) -> CarcassonneModel:
    """The position that the data describes.

    Args:
        data: An object with the members that this module's description lists.

    Raises:
        TypeError: If a number is not an integer, or a member has another wrong type.
        ValueError: If no game can be in this position, or ``two_step`` is no bool. The message
            names the member.
    """
    _check_members("the position", data, _MEMBERS, needed=("tiles",))
    bag = _letters_of_bag(data)
    tiles = _placed_tiles(data)
    current = data.get("current_tile")
    if current is not None:
        _check_letter("current_tile", current)
    elif "order" in data or not bag:
        raise ValueError(
            "current_tile must be the letter of a tile if the bag is empty or its order known"
        )
    options = {name: data[name] for name in _OPTIONS if name in data}
    counts = Counter([*(tile.tile for tile in tiles), *bag, *(current or "")])
    model = CarcassonneModel(tiles=counts, **options).in_one_step()
    _lay(model, tiles)
    player = data.get("player", 0)
    check_range("player", player, 0, model.num_players - 1)
    meeples = _meeples(model, _listed(data, "meeples"))
    model.set_up(meeples, _points(model, data), player, data.get("discarded", 0))
    if current is not None:
        model.apply_action(LETTERS.index(current))
        if model.current_tile != current:
            raise ValueError(f"current_tile must fit somewhere on the board, got {current!r}")
    if "order" in data:
        model.fix_order(bag)
    return model.in_two_steps() if data.get("two_step") else model


def load(path: str | Path) -> CarcassonneModel:
    """The position that a JSON file describes.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it does not hold a position. The message says what is wrong.
    """
    try:
        return from_data(json.loads(Path(path).read_text(encoding="utf-8")))
    except (RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} does not hold a position: {error}") from None


def to_data(model: CarcassonneModel) -> dict[str, Any]:
    """The position as data: see `CarcassonneModel.to_data`."""
    return model.to_data()


# Members


def _check_members(
    name: str, value: Any, members: Sequence[str], needed: Sequence[str] | None = None
) -> None:
    """Raises an error unless the value is a mapping with known members, among them those needed."""
    if not isinstance(value, Mapping):
        raise TypeError(f"{name} must be a mapping, got {value!r:.80}")
    for member in value:
        if member not in members:
            raise ValueError(
                f"{name} must have no member but {', '.join(members)}, got {member!r}"
                f"{suggestion(member, members)}"
            )
    for member in members if needed is None else needed:
        if member not in value:
            raise ValueError(f"{name} must have the member {member!r}")


def _listed(data: Mapping[str, Any], member: str) -> Sequence[Any]:
    value = data.get(member, [])
    if not isinstance(value, list | tuple):
        raise TypeError(f"{member} must be a list, got {value!r:.80}")
    return value


def _check_letter(name: str, letter: Any) -> None:
    if not isinstance(letter, str) or letter not in BY_LETTER:
        raise ValueError(f"{name} must be the letter of a tile, A to X, got {letter!r}")


def _check_cell(name: str, value: Mapping[str, Any]) -> tuple[int, int]:
    for coordinate in ("x", "y"):
        check_range(f"{name}'s {coordinate}", value[coordinate], -72, 72)
    return value["x"], value["y"]


def _letters_of_bag(data: Mapping[str, Any]) -> str:
    """The tiles in the bag, in the order of drawing if it is known."""
    if ("bag" in data) == ("order" in data):
        raise ValueError("the position must have one of the members 'bag' and 'order'")
    if "order" in data:
        order = data["order"] if isinstance(data["order"], str) else _listed(data, "order")
        for i, letter in enumerate(order):
            _check_letter(f"order[{i}]", letter)
        return "".join(order)
    bag = data["bag"]
    if not isinstance(bag, Mapping):
        raise TypeError(f"bag must be a mapping from letters to numbers, got {bag!r:.80}")
    for letter, count in bag.items():
        _check_letter("a tile of the bag", letter)
        check_range(f"the number of tiles {letter} in the bag", count, 0, _MAX_TILES)
    return "".join(letter * operator.index(count) for letter, count in bag.items())


# The board


def _placed_tiles(data: Mapping[str, Any]) -> list[PlacedTile]:
    """The tiles on the board: on different cells, and the start tile among them."""
    tiles = [_placed_tile(f"tiles[{i}]", tile) for i, tile in enumerate(_listed(data, "tiles"))]
    for cell, count in Counter((tile.x, tile.y) for tile in tiles).items():
        if count > 1:
            raise ValueError(f"tiles must lie on different cells, got {cell} twice")
    if _START not in tiles:
        raise ValueError(
            f"tiles must have the start tile, a {START_TILE} at (0, 0) with rotation 0"
        )
    return tiles


def _placed_tile(name: str, value: Any) -> PlacedTile:
    _check_members(name, value, PlacedTile._fields)
    _check_letter(f"{name}'s tile", value["tile"])
    _check_cell(name, value)
    check_range(f"{name}'s rotation", value["rotation"], 0, 3)
    return PlacedTile(**value)


def _lay(model: CarcassonneModel, tiles: Sequence[PlacedTile]) -> None:
    """Lays tiles, each as soon as it touches one that lies."""
    waiting = [i for i, tile in enumerate(tiles) if tile != _START]
    while waiting:
        left = [i for i in waiting if not _is_laid(model, tiles[i])]
        if left == waiting:
            _refuse(model, tiles, waiting)
        waiting = left


def _is_laid(model: CarcassonneModel, tile: PlacedTile) -> bool:
    """Lays a tile if it touches another one and fits."""
    drawn = model.clone()
    drawn.apply_action(LETTERS.index(tile.tile))
    if drawn.current_tile != tile.tile:  # it fits nowhere and was discarded
        return False
    rotation = tile.rotation % BY_LETTER[tile.tile].num_rotations
    action = drawn.encode_action((tile.x, tile.y, rotation, None))
    if not drawn.is_legal(action):
        return False
    drawn.apply_action(action)
    model.copy_from(drawn)
    return True


def _refuse(model: CarcassonneModel, tiles: Sequence[PlacedTile], waiting: Sequence[int]) -> None:
    """Raises the error for tiles that cannot be laid."""
    laid = {(tile.x, tile.y): tile for tile in model.board}
    for i in waiting:
        for side, (dx, dy) in enumerate(((0, 1), (1, 0), (0, -1), (-1, 0))):
            other = laid.get((tiles[i].x + dx, tiles[i].y + dy))
            own = _terrain(tiles[i], side)
            if other is not None and _terrain(other, (side + 2) % 4) != own:
                raise ValueError(
                    f"tiles[{i}] must fit its neighbours, got {tiles[i]}, whose side "
                    f"{SIDES[side]} does not fit {other}"
                )
    i = waiting[0]
    raise ValueError(
        f"tiles[{i}] must be connected with the start tile, inside the board, got {tiles[i]}"
    )


def _terrain(tile: PlacedTile, side: int) -> str:
    """What a tile has at a side of the board: C, R or F."""
    return BY_LETTER[tile.tile].terrain[(side - tile.rotation) % 4]


# Meeples and points


def _meeples(model: CarcassonneModel, meeples: Sequence[Any]) -> list[tuple[int, int, int]]:
    """The meeples as (player, index of the tile on the board, index of its segment)."""
    places = {(tile.x, tile.y): i for i, tile in enumerate(model.board)}
    complete = {part for whole in model.features if whole.is_complete for part in whole.segments}
    found: list[tuple[int, int, int]] = []
    for i, meeple in enumerate(meeples):
        name = f"meeples[{i}]"
        _check_members(name, meeple, ("player", "x", "y", "target"))
        check_range(f"{name}'s player", meeple["player"], 0, model.num_players - 1)
        cell = _check_cell(name, meeple)
        if cell not in places:
            raise ValueError(f"{name} must stand on a tile, got the cell {cell}")
        tile = model.board[places[cell]]
        targets = segment_targets(tile.tile, tile.rotation)
        texts = [target_to_string(target) for target in targets]
        if meeple["target"] not in texts:
            raise ValueError(
                f"{name}'s target must be one of {texts} on {tile}, got {meeple['target']!r}"
            )
        segment = texts.index(meeple["target"])
        if (*cell, targets[segment]) in complete:
            raise ValueError(f"{name} must not stand on a complete feature, got {meeple!r}")
        if places[cell] in {number for _, number, _ in found}:
            raise ValueError(f"{name} must have its tile to itself, got {meeple!r}")
        found.append((meeple["player"], places[cell], segment))
    for player, count in Counter(player for player, _, _ in found).items():
        if count > (most := model.num_meeples):
            raise ValueError(
                f"player {player} must have {most} meeples on the board or fewer, got {count}"
            )
    return found


def _points(model: CarcassonneModel, data: Mapping[str, Any]) -> list[list[int]]:
    """The points of each player by kind of feature."""
    scores = _listed(data, "scores") or [{}] * model.num_players
    if len(scores) != model.num_players:
        raise ValueError(
            f"scores must have an entry for each of {model.num_players} players, got {len(scores)}"
        )
    for i, points in enumerate(scores):
        _check_members(f"scores[{i}]", points, KINDS, needed=())
        for kind, count in points.items():
            check_range(f"scores[{i}]'s {kind}", count, 0, MAX_POINTS)
    return [[points.get(kind, 0) for kind in KINDS] for points in scores]
