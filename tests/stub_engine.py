"""A stub in place of JCloisterZone's Engine.jar: it reads the same messages and prints positions.

It is no engine of JCloisterZone: behind the messages is a `CarcassonneModel`, and it draws tiles in
its own way. What it knows of the program are its tiles and the names of places, as in the sources.
The environment variable STUB makes it fail: "mute", "crash", "garbage" or "points".
"""

from __future__ import annotations

import copy
import json
import os
import sys
import time
from collections import defaultdict
from random import Random
from typing import Any

from carcassonne_env import CarcassonneModel
from carcassonne_env.position import Move, Target, segment_targets
from carcassonne_env.tiles import BY_LETTER, LETTERS, turned

VERSION = "stub 1"
TILES = {
    "BA/L": (4, "cloister, farm NL NR EL ER SL SR WL WR"),
    "BA/LR": (2, "cloister, road S, farm NL NR EL ER SL SR WL WR"),
    "BA/RCr": (4, "road W E, city N, farm EL WR, farm ER SL SR WL"),
    "BA/Cccc+": (1, "city+ N W S E"),
    "BA/CccR+": (2, "road S, city+ N W E, farm SL, farm SR"),
    "BA/CccR": (1, "road S, city N W E, farm SL, farm SR"),
    "BA/CFc+": (2, "city+ W E, farm NL NR, farm SL SR"),
    "BA/CFc.1": (1, "city W E, farm NL NR, farm SL SR"),
    "BA/Cc.1": (3, "city N W, farm SL SR EL ER"),
    "BA/Cc+": (2, "city+ N W, farm SL SR EL ER"),
    "BA/CcRr": (3, "road E S, city N W, farm EL SR, farm ER SL"),
    "BA/CcRr+": (2, "road E S, city+ N W, farm EL SR, farm ER SL"),
    "BA/Ccc": (3, "city N E W, farm SL SR"),
    "BA/Ccc+": (1, "city+ N E W, farm SL SR"),
    "BA/CRr": (3, "road E S, city N, farm EL WL WR SR, farm ER SL"),
    "BA/CRRR": (3, "road E, road S, road W, city N, farm WR EL, farm WL SR, farm ER SL"),
    "BA/RrC": (3, "road S W, city N, farm WR EL ER SL, farm WL SR"),
    "BA/C": (5, "city N, farm WL WR SL SR EL ER"),
    "BA/CFC.2": (3, "city N, city S, farm WL WR EL ER"),
    "BA/CC.2": (2, "city N, city W, farm EL ER SL SR"),
    "BA/RRRR": (
        1,
        "road N, road E, road S, road W, farm WR NL, farm NR EL, farm ER SL, farm SR WL",
    ),
    "BA/RRR": (4, "road E, road S, road W, farm WR NL NR EL, farm ER SL, farm SR WL"),
    "BA/Rr": (9, "road W S, farm WR NL NR EL ER SL, farm SR WL"),
    "BA/RFr": (8, "road W E, farm WR NL NR EL, farm ER SL SR WL"),
}
"""The number of each tile, and its features without rotation; "+" is a coat of arms."""
FEATURES = {"city": "City", "road": "Road", "farm": "Field", "cloister": "Monastery"}
SIDES = ("N", "W", "S", "E", "NW", "SW", "SE", "NE", "WE", "NS", "NWSE")
LOCATIONS = {frozenset(name): name for name in SIDES} | {
    frozenset("NWSE") - {side}: f"_{side}" for side in "NWSE"
}


def targets(tile: str, degrees: int) -> frozenset[Target]:
    """The features of a tile after a rotation."""
    found: list[Target] = []
    for feature in TILES[tile][1].split(", "):
        kind, *ends = feature.replace("+", "").split()
        place = frozenset(turned(end, degrees // 90) for end in ends)
        found.append((kind, place) if place else (kind,))
    return frozenset(found)


def is_like(tile: str, letter: str) -> bool:
    """Whether a tile is one of `CarcassonneModel`, rotated or not."""
    arms = any(segment.shields for segment in BY_LETTER[letter].segments)
    own = frozenset(segment_targets(letter, 0))
    return ("+" in tile) == arms and own in [targets(tile, d) for d in range(0, 360, 90)]


IDS = {letter: next(tile for tile in TILES if is_like(tile, letter)) for letter in LETTERS}


def degrees_of(letter: str, rotation: int) -> list[int]:
    """The rotations of the program's tile that look like one of `CarcassonneModel`."""
    own = frozenset(segment_targets(letter, rotation))
    return [d for d in range(0, 360, 90) if targets(IDS[letter], d) == own]


def pointer(move: Move) -> dict[str, Any]:
    """The place of a move's meeple."""
    assert move.target is not None
    kind, *ends = move.target
    location = "I"
    if kind == "farm":
        location = ".".join(sorted(ends[0]))
    elif ends:
        location = LOCATIONS[ends[0]]
    return {"position": [move.x, -move.y], "location": location, "feature": FEATURES[kind]}


class Game:
    """A game, and the position after each message."""

    def __init__(self, setup: dict[str, Any]) -> None:
        meeples = setup["elements"]["small-follower"]
        self.model = CarcassonneModel(setup["players"], meeples)
        self.discarded: list[str] = []
        self.move: Move | None = None
        self.phase = "TilePhase"
        self.draw(setup["initialRandom"])

    def draw(self, random: float) -> None:
        """Draws a tile that fits somewhere, or ends the game."""
        rng = Random(random)
        while self.model.is_chance_node():
            bag = self.model.bag
            letter = rng.choice([tile for tile in bag for _ in range(bag[tile])])
            self.model.apply_action(LETTERS.index(letter))
            if self.model.current_tile != letter:
                self.discarded.append(IDS[letter])
        self.phase = "GameOverPhase" if self.model.is_terminal() else "TilePhase"

    def moves(self) -> list[Move]:
        """The legal moves; of the placement that was chosen, if there is one."""
        moves = [self.model.decode_action(action) for action in self.model.legal_actions()]
        return [move for move in moves if self.move is None or move[:3] == self.move[:3]]

    def apply(self, kind: str, payload: dict[str, Any]) -> None:
        """Applies a message in the phase in which it may come."""
        if (kind, self.phase) == ("PLACE_TILE", "TilePhase"):
            (x, y), degrees = payload["position"], int(payload["rotation"][1:])
            letter = self.model.current_tile
            assert payload["tileId"] == IDS[letter]
            (self.move,) = [
                move
                for move in self.moves()
                if (move.x, -move.y, move.target) == (x, y, None)
                and degrees in degrees_of(letter, move.rotation)
            ]
            has_places = any(move.target for move in self.moves())
            self.phase = "ActionPhase" if has_places else "CommitActionPhase"
        elif (kind, self.phase) == ("DEPLOY_MEEPLE", "ActionPhase"):
            assert payload["meepleId"].startswith(f"{self.model.current_player()}.small.")
            wanted = payload["pointer"]
            places = [move for move in self.moves() if move.target and pointer(move) == wanted]
            (self.move,), self.phase = places, "CommitActionPhase"
        elif (kind, self.phase) == ("PASS", "ActionPhase"):
            self.phase = "CommitActionPhase"
        elif (kind, self.phase) == ("COMMIT", "CommitActionPhase"):
            self.model.apply_action(self.model.encode_action(self.move))
            self.move = None
            self.draw(payload["random"])
        else:
            raise ValueError(f"{kind} in the phase {self.phase}")

    def items(self) -> list[dict[str, Any]]:
        """What the player may do."""
        if self.phase == "CommitActionPhase":
            return [{"type": "Confirm"}]
        if self.phase == "ActionPhase":
            places = [pointer(move) for move in self.moves() if move.target]
            return [{"type": "Meeple", "meeple": "SmallFollower", "options": places}]
        letter, cells = self.model.current_tile, defaultdict(list)
        for move in self.moves():
            if move.target is None:
                cells[move.x, -move.y] += degrees_of(letter, move.rotation)
        options = [{"position": [*cell], "rotations": found} for cell, found in cells.items()]
        return [{"type": "TilePlacement", "tileId": IDS[letter], "options": options}]

    def state(self) -> dict[str, Any]:
        """The position as the client reads it."""
        extra = os.environ.get("STUB") == "points"
        players = [
            {"points": points + extra, "meeples": {"SmallFollower": [left, f"{i}.small.{left}"]}}
            for i, (points, left) in enumerate(
                zip(self.model.scores, self.model.meeples, strict=True)
            )
        ]
        state = {"players": players, "discardedTiles": self.discarded, "phase": self.phase}
        if self.phase != "GameOverPhase":
            can_pass = self.phase == "ActionPhase"
            asked = {"player": self.model.mover, "canPass": can_pass, "items": self.items()}
            state["action"] = asked
        return state


def main() -> None:
    """Prints a position after the setup, and after each message."""
    has_tiles, games = False, []
    for line in sys.stdin:
        if line.startswith("%load "):
            has_tiles |= line.endswith("basic.xml\n")
            continue
        message = json.loads(line)
        if message["type"] == "GAME_SETUP":
            assert has_tiles
            games = [Game(message["payload"])]
        elif message["type"] == "UNDO":
            games.pop()
        else:
            fail(os.environ.get("STUB"))
            games.append(copy.deepcopy(games[-1]))
            games[-1].apply(message["type"], message["payload"])
        print(json.dumps(games[-1].state()), flush=True)


def fail(how: str | None) -> None:
    """Fails after a message."""
    if how == "mute":
        time.sleep(60)
    if how == "crash":
        sys.exit("out of memory")
    if how == "garbage":
        print("Exception in thread", flush=True)


if __name__ == "__main__":
    main()
