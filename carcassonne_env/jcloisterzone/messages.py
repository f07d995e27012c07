"""Games of JCloisterZone 5: its setups, messages, tiles and places, and its saved games.

A game is a list of messages, objects with ``type`` and ``payload``. A turn is:

- ``PLACE_TILE``: ``tileId``, such as "BA/RCr"; ``position`` [x, y], y to the south; ``rotation``,
  "R0" to "R270", clockwise.
- ``DEPLOY_MEEPLE``: ``pointer``, with the ``position``, the ``feature`` and its ``location`` on the
  board. Or ``PASS``, or nothing where no meeple can be placed.
- ``COMMIT``.

Locations are sides ("N", "NW", "WE", "NWSE"), all sides but one ("_S"), half-sides ("NL.NR.EL"), or
"I" for a monastery. Half-sides are named as here.

A saved game, with the suffix .jcz, is an object with ``setup``, ``players`` in the order of their
turns, and ``replay``, the messages. It does not tell which tiles were drawn and fitted nowhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from agents.playing.game_file import check_lists, object_in, object_of, read_game

from ..game_setup import Setup
from ..model import CarcassonneModel
from ..position import Move, Target, segment_targets
from ..replaying import SavedGame
from ..tiles import BY_LETTER, LETTERS, SIDES

TILES = {
    "BA/Cccc+": ("C", 0),
    "BA/Ccc+": ("Q", 0),
    "BA/Ccc": ("R", 0),
    "BA/CccR+": ("S", 0),
    "BA/CccR": ("T", 0),
    "BA/Cc+": ("M", 0),
    "BA/Cc.1": ("N", 0),
    "BA/CcRr+": ("O", 0),
    "BA/CcRr": ("P", 0),
    "BA/CFc+": ("F", 0),
    "BA/CFc.1": ("G", 0),
    "BA/CFC.2": ("H", 1),
    "BA/CC.2": ("I", 3),
    "BA/C": ("E", 0),
    "BA/RCr": ("D", 0),
    "BA/CRr": ("J", 0),
    "BA/RrC": ("K", 0),
    "BA/CRRR": ("L", 0),
    "BA/L": ("B", 0),
    "BA/LR": ("A", 0),
    "BA/RFr": ("U", 1),
    "BA/Rr": ("V", 0),
    "BA/RRR": ("W", 0),
    "BA/RRRR": ("X", 0),
}
"""The tile here, and the quarter turns clockwise after which it is as theirs without rotation."""
START = {"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}
KINDS = {"City": "city", "Road": "road", "Field": "farm", "Monastery": "cloister"}
"""The kinds of features here by their names there."""
MEEPLES = "small-follower"
"""The element of a setup whose value is the number of meeples."""
_ROTATIONS = ("R0", "R90", "R180", "R270")
_ELEMENTS = (MEEPLES, "farmers")
_TINY_CITY = "tiny-city-scoring"
"""The only rule of a setup that changes the base game: the points of a city of two tiles."""
_UNREADABLE = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What data of another form than expected raises."""


class Turn(NamedTuple):
    """A turn: the letter of the tile, and the move."""

    tile: str
    move: Move


class Message(dict[str, Any]):
    """An object of their JSON. To read a member that it does not have is a ValueError."""

    def __missing__(self, member: str) -> Any:
        raise ValueError(
            f"a message of JCloisterZone must have the member {member!r}, got {dict(self)!r:.200}"
        )


def parsed(text: str | bytes) -> Message:
    """The message of a text.

    Raises:
        ValueError: If the text is no JSON object.
    """
    message = json.loads(text, object_hook=Message)
    if not isinstance(message, Message):
        raise ValueError(f"a message of JCloisterZone must be a JSON object, got {text!r:.200}")
    return message


# Setups


def check_setup(setup: Mapping[str, Any]) -> int:
    """The number of meeples of each player in a setup of the base game.

    Raises:
        ValueError: If the setup is another one. The message names what it has and the base game
            has not, or the other way round.
    """
    object_of("setup", setup, ("sets", "elements", "rules", "start"))
    sets, elements, rules = (
        object_of(name, setup[name], ()) for name in ("sets", "elements", "rules")
    )
    strange = [f"the tile set {name!r}" for name in sets if sets[name] and name != "basic:1"]
    strange += [
        f"the element {name!r}" for name in elements if elements[name] and name not in _ELEMENTS
    ]
    if (points := rules.get(_TINY_CITY, "4")) != "4":
        strange.append(f"the rule {_TINY_CITY!r} with the value {points!r}")
    if strange:
        raise ValueError(f"the game must be the base game, got one with {', '.join(strange)}")
    if sets.get("basic:1") != 1 or setup["start"] != [START] or not elements.get("farmers"):
        raise ValueError(
            "the game must be the base game with its 72 tiles, its start tile and farmers, got "
            f"sets {sets!r:.80}, start {setup['start']!r:.80}, elements {elements!r:.80}"
        )
    if type(meeples := elements.get(MEEPLES)) is not int:
        raise ValueError(f"{MEEPLES} must be a number of meeples, got {meeples!r:.80}")
    return meeples


# Tiles and places


def letter_of(tile_id: str) -> str:
    """The letter of a tile of theirs.

    Raises:
        ValueError: If the base game has no such tile.
    """
    if tile_id not in TILES:
        raise ValueError(f"the tile must be one of the base game, got {tile_id!r:.80}")
    return TILES[tile_id][0]


def placed(tile_id: str, position: Sequence[int], degrees: int) -> Turn:
    """The turn that places a tile of theirs, without a meeple."""
    letter, quarter_turns = TILES[tile_id]
    x, y = position
    rotation = (degrees // 90 + quarter_turns) % BY_LETTER[letter].num_rotations
    return Turn(letter, Move(x, -y, rotation, None))


def place_of(pointer: Mapping[str, Any]) -> tuple[int, int, Target]:
    """The cell and the target of a meeple on a feature of theirs."""
    x, y = pointer["position"]
    kind, location = KINDS[pointer["feature"]], pointer["location"]
    if kind == "cloister":
        return x, -y, (kind,)
    if kind == "farm":
        return x, -y, (kind, frozenset(location.split(".")))
    sides = frozenset(location.lstrip("_"))
    return x, -y, (kind, sides ^ frozenset(SIDES) if location.startswith("_") else sides)


def placement(action: Mapping[str, Any], move: Move) -> dict[str, Any]:
    """The payload of the ``PLACE_TILE`` of a move.

    Args:
        action: What the engine asks for: ``tileId``, and ``options`` with ``position`` and
            ``rotations`` in degrees.
        move: A move of this tile.

    Raises:
        ValueError: If the engine does not offer this placement.
    """
    tile_id, wanted = action["tileId"], move._replace(target=None)
    for option in action["options"]:
        for degrees in option["rotations"]:
            if placed(tile_id, option["position"], degrees).move == wanted:
                return {
                    "tileId": tile_id,
                    "rotation": f"R{degrees}",
                    "position": option["position"],
                }
    raise ValueError(f"the engine offers no placement {move} of the tile {tile_id}")


def pointer_to(action: Mapping[str, Any], move: Move) -> dict[str, Any]:
    """The pointer to the feature on which a move places a meeple.

    Args:
        action: What the engine asks for, with the pointers as ``options``.
        move: A move with a meeple.

    Raises:
        ValueError: If the engine does not offer this feature.
    """
    for pointer in action["options"]:
        if place_of(pointer) == (move.x, move.y, move.target):
            return dict(pointer)
    raise ValueError(f"the engine offers no meeple for the move {move}")


def meeple_of(player: Mapping[str, Any]) -> str:
    """The meeple that a player of a position can place.

    Raises:
        ValueError: If the engine names none.
    """
    meeples = player["meeples"]["SmallFollower"]
    if not isinstance(meeples, list) or len(meeples) < 2:
        raise ValueError(f"the engine must name a meeple to place, got {meeples!r:.80}")
    return str(meeples[1])


# Turns


def turns_of(messages: Iterable[Mapping[str, Any]]) -> list[Turn]:
    """The turns that messages complete.

    Raises:
        ValueError: If a message is none of the base game, or comes where it cannot.
    """
    turns: list[Turn] = []
    turn: Turn | None = None
    for i, message in enumerate(messages):
        try:
            if message["type"] == "COMMIT" and turn is not None:
                turns.append(turn)
                turn = None
            else:
                turn = _after(turn, message)
        except _UNREADABLE:
            raise ValueError(
                f"message {i} must be one of the base game and of its turn, got {message!r:.200}"
            ) from None
    return turns


def placement_of(message: Mapping[str, Any]) -> Turn:
    """The turn that a ``PLACE_TILE`` begins."""
    payload = message["payload"]
    degrees = 90 * _ROTATIONS.index(payload["rotation"])
    return placed(payload["tileId"], payload["position"], degrees)


def _after(turn: Turn | None, message: Mapping[str, Any]) -> Turn:
    """The turn after a message that does not complete it."""
    payload = message["payload"]
    match message["type"]:
        case "PLACE_TILE" if turn is None:
            return placement_of(message)
        case "DEPLOY_MEEPLE" if turn is not None:
            x, y, target = place_of(payload["pointer"])
            if (x, y) == (turn.move.x, turn.move.y) and target in segment_targets(
                turn.tile, turn.move.rotation
            ):
                return turn._replace(move=turn.move._replace(target=target))
        case "PASS" if turn is not None:
            return turn
    raise ValueError


def play(
    model: CarcassonneModel, turns: Iterable[Turn], discarded: Iterable[str] = ()
) -> list[int]:
    """Plays turns in a model, and returns its draws and actions.

    Args:
        model: The position before the next tile is drawn. It is changed.
        turns: The turns.
        discarded: Letters of the tiles that were drawn and fitted nowhere. Each is drawn as soon as
            it fits nowhere; when it really was drawn does not matter to the last position.

    Raises:
        ValueError: If a turn is illegal, or a discarded tile fitted somewhere all the time.
    """
    actions: list[int] = []
    left = list(discarded)
    for number, (letter, move) in enumerate(turns, start=1):
        _discard(model, left, actions)
        try:
            _apply(model, LETTERS.index(letter), actions)
            _apply(model, model.encode_action(move), actions)
        except (TypeError, ValueError) as error:  # coordinates may be anything
            raise ValueError(
                f"turn {number} must be legal, got the tile {letter} with {move}: {error}"
            ) from None
    _discard(model, left, actions)
    if left:
        raise ValueError(f"the tiles {', '.join(left)} were discarded, but they always fitted")
    return actions


def _discard(model: CarcassonneModel, left: list[str], actions: list[int]) -> None:
    """Draws those of the tiles left that fit nowhere, and takes them from the list."""
    for letter in [letter for letter in left if not _fits(model, letter)]:
        _apply(model, LETTERS.index(letter), actions)
        left.remove(letter)


def _fits(model: CarcassonneModel, letter: str) -> bool:
    """Whether a tile of the bag fits somewhere on the board."""
    drawn = model.clone()
    drawn.apply_action(LETTERS.index(letter))
    return drawn.current_tile == letter


def _apply(model: CarcassonneModel, action: int, actions: list[int]) -> None:
    model.apply_action(action)
    actions.append(action)


# Saved games


def load(path: str | Path) -> SavedGame:
    """Reads a saved game from a file, one of JCloisterZone or one of this package.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it holds no game of the base game. The message says what is wrong.
    """
    return read_game(path, from_json)


def from_json(text: str) -> SavedGame:
    """The game that the text of a file holds, see `load`.

    Raises:
        ValueError: If the text holds no game of the base game.
    """
    members = object_in(text, ())
    return saved_game(members) if "replay" in members else SavedGame.from_json(text)


def saved_game(members: Mapping[str, Any]) -> SavedGame:
    """The game that the members of a file of JCloisterZone describe.

    If every tile that was not placed fitted nowhere at some time, the game is taken for finished,
    and these tiles for discarded.

    Raises:
        ValueError: If they describe no game of the base game.
    """
    object_of("the file", members, ("setup", "players", "replay"))
    check_lists(members, ("players", "replay"))
    names = [object_of("a player", player, ("name",))["name"] for player in members["players"]]
    setup = Setup(len(names), check_setup(members["setup"]))
    turns, model = turns_of(members["replay"]), setup(0)
    actions = play(model, turns)
    bag = [letter for letter, count in model.bag.items() for _ in range(count)]
    with suppress(ValueError):  # the game goes on
        actions = play(setup(0), turns, bag)
    return SavedGame(setup, names, actions)
