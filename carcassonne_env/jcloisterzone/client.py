"""A player of this package in a game that a program JCloisterZone 5 hosts.

Needs the extra ``web``.
"""

from __future__ import annotations

import platform
import uuid
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

from agents.game import Player, choose
from agents.version import __version__

from ..model import CarcassonneModel
from ..position import Move, move_to_string
from ..tiles import LETTERS
from . import messages
from .engine import Engine
from .host import AGAIN, REPLY_SECONDS, Host, connected

PROTOCOL = "5.7.102"
"""The version of the protocol, which must be the host's."""
MAX_PLAYERS = 5
Tell = Callable[[str], None]
"""Is called with a line for everything that happens."""
_ENGINE_MESSAGES = ("PLACE_TILE", "DEPLOY_MEEPLE", "PASS", "COMMIT", "UNDO")


class Seat:
    """A seat in a hosted game.

    Args:
        host: The connection.
        engine: The engine.
        name: The name of the player.
        protocol: The version of the host's protocol.

    Attributes:
        game: The game as the host described it.
        names: The names of all players, in the order of their turns; once the game has begun.

    Raises:
        OSError: If the connection is lost, or the host does not answer.
        ValueError: If the host refuses something, or the game is not the base game.
    """

    def __init__(self, host: Host, engine: Engine, name: str, protocol: str = PROTOCOL) -> None:
        self._host, self._engine, self._name = host, engine, name
        self._id, secret = (
            uuid.uuid5(uuid.NAMESPACE_URL, f"{what} of {name} on {platform.node()}").hex
            for what in ("client", "secret")
        )
        hello = {
            "appVersion": f"carcassonne-planning {__version__}",
            "engineVersion": engine.version(),
            "protocolVersion": protocol,
            "name": name,
            "clientId": self._id,
            "secret": secret,
        }
        host.send("HELLO", hello)
        self._session = host.receive("WELCOME", seconds=REPLY_SECONDS)["payload"]["sessionId"]
        self.game = host.receive("GAME", seconds=REPLY_SECONDS)["payload"]
        self.names: list[str] = []
        self._num_meeples = messages.check_setup(self.game["setup"])
        if self.game.get("gameAnnotations"):
            raise ValueError("the tiles must be drawn at random, but the host prescribes them")
        self._slots = {slot["number"]: slot for slot in self.game["slots"]}
        self._replay = list(self.game["replay"] or ())
        self._move: Move | None = None  # that is being played

    def take(self, number: int | None = None) -> int:
        """Takes a slot, the first free one by default; after an interruption, the same again.

        Returns:
            Its number.

        Raises:
            OSError, ValueError: As the class does.
        """
        ours = None, self._session  # the host has given us our earlier slot already
        free = {n: slot for n, slot in self._slots.items() if slot.get("sessionId") in ours}
        if not any(slot.get("clientId") == self._id for slot in free.values()):
            if not free or len(self._slots) - len(free) >= MAX_PLAYERS:
                raise ValueError(
                    f"the game must have a free slot and fewer than {MAX_PLAYERS} players"
                )
            number = min(free) if number is None else number
            payload = {"gameId": self.game["gameId"], "number": number, "name": self._name}
            self._host.send("TAKE_SLOT", payload)
        while True:
            slot = self._host.receive("SLOT", seconds=REPLY_SECONDS)["payload"]
            self._slots[slot["number"]] = slot
            if slot["sessionId"] == self._session:
                self._number = int(slot["number"])
                return self._number

    def wait(self) -> None:
        """Waits for the start of the game, unless it has begun."""
        if self.game.get("state") == "R":
            return
        while (message := self._host.receive("SLOT", "START"))["type"] == "SLOT":
            self._slots[message["payload"]["number"]] = message["payload"]
        for number, order in message["payload"].get("seating", {}).items():
            self._slots[int(number)]["order"] = order

    def play(self, player: Player, tell: Tell = print) -> list[int]:
        """Plays to the end of the game.

        Args:
            player: An agent, or a function of the model.
            tell: Tells each move.

        Returns:
            The points of each player.

        Raises:
            OSError, ValueError: As the class does; also if the engine fails, or counts other points
                than the base game's.
        """
        seated = [slot for slot in self._slots.values() if slot.get("clientId")]
        seated.sort(key=lambda slot: slot["order"])
        self.names = [slot["name"] for slot in seated]
        own = [slot["number"] for slot in seated].index(self._number)
        CarcassonneModel(len(self.names), self._num_meeples)  # refuses what it cannot be
        state = self._begun()
        while state["phase"] != "GameOverPhase":
            is_own = state["action"]["player"] == own
            if is_own:
                self._answer(state, player, tell)
            message = self._host.receive(
                "GAME", *_ENGINE_MESSAGES, seconds=REPLY_SECONDS if is_own else None
            )
            if message["type"] == "GAME":
                raise ConnectionError(f"host and player are out of step{AGAIN}")
            self._record(message)
            state = self._engine.ask(message)
        return [int(each["points"]) for each in state["players"]]

    def _begun(self) -> messages.Message:
        """The position after the messages so far."""
        game = self.game
        random = {name: game[name] for name in ("initialRandom", "initialSeed") if name in game}
        setup = {**game["setup"], **random, "gameId": game["gameId"], "players": len(self.names)}
        state = self._engine.start({**setup, "gameAnnotations": {}})
        for message in self._replay:
            state = self._engine.ask(message)
        return state

    def _record(self, message: Mapping[str, Any]) -> None:
        if message["type"] == "UNDO":
            self._replay.pop()
        else:
            self._replay.append(message)

    def _answer(self, state: Mapping[str, Any], player: Player, tell: Tell) -> None:
        """Does what the engine asks for."""
        action = state["action"]
        items = {item["type"]: item for item in action["items"]}
        if (item := items.get("TilePlacement")) is not None:
            letter, self._move = self._chosen(state, item["tileId"], player)
            tell(f"tile {letter}: {move_to_string(self._move)}")
            self._send(state, "PLACE_TILE", messages.placement(item, self._move))
        elif (item := items.get("Meeple")) and (move := self._begun_move(state, player)).target:
            meeple = messages.meeple_of(state["players"][action["player"]])
            payload = {"pointer": messages.pointer_to(item, move), "meepleId": meeple}
            self._send(state, "DEPLOY_MEEPLE", payload)
        elif "Confirm" in items:
            self._send(state, "COMMIT", {})
        elif action["canPass"]:
            self._send(state, "PASS", {})
        else:
            raise ValueError(f"the engine must ask for a move of the base game, got {items!r:.200}")

    def _begun_move(self, state: Mapping[str, Any], player: Player) -> Move:
        """The move of the turn, whose tile lies on the board.

        If the tile was placed before an interruption, the player chooses again. The meeple is left
        out if it would now place the tile elsewhere.
        """
        if self._move is None:
            turn = messages.placement_of(self._replay[-1])
            _, move = self._chosen(state, self._replay[-1]["payload"]["tileId"], player)
            self._move = move if move._replace(target=None) == turn.move else turn.move
        return self._move

    def _send(self, state: Mapping[str, Any], kind: str, payload: Mapping[str, Any]) -> None:
        payload = {**payload, "gameId": self.game["gameId"]}
        members = {"seq": len(self._replay) + 1, "player": state["action"]["player"]}
        self._host.send(kind, payload, **members)

    def _chosen(self, state: Mapping[str, Any], tile_id: str, player: Player) -> tuple[str, Move]:
        """The tile to place, and the move that the player chooses."""
        model = CarcassonneModel(len(self.names), self._num_meeples)
        discarded = [messages.letter_of(name) for name in state["discardedTiles"]]
        messages.play(model, messages.turns_of(self._replay), discarded)
        points = tuple(each["points"] for each in state["players"])
        if points != model.scores:
            raise ValueError(
                f"the game must be scored as the base game: the points are {points}, and should be "
                f"{model.scores}"
            )
        letter = messages.letter_of(tile_id)
        model.apply_action(LETTERS.index(letter))
        return letter, model.decode_action(choose(player, model).action)


def join(
    address: str,
    engine: Engine,
    player: Player,
    *,
    name: str,
    slot: int | None = None,
    protocol: str = PROTOCOL,
    tell: Tell = print,
) -> list[tuple[str, int]]:
    """Takes a seat in a hosted game, and plays the game to its end.

    Args:
        address: Where the host listens, see `connected`.
        engine: The engine, of the same version as the host's.
        player: An agent, or a function of the model.
        name: The name that the others see. After an interruption, the same name takes the same
            seat again.
        slot: The number of the slot, the first free one by default.
        protocol: The version of the host's protocol.
        tell: Tells what happens.

    Returns:
        The name and the points of each player, in the order of their turns.

    Raises:
        OSError: If there is no host, the connection is lost, or the host does not answer.
        ValueError: If the host refuses something, the game is not the base game, or the engine or
            the player fails.
    """
    with connected(address) as host, closing(engine):
        seat = Seat(host, engine, name, protocol)
        tell(f"{name} has slot {seat.take(slot)} and waits for the start")
        seat.wait()
        points = seat.play(player, tell)
    return list(zip(seat.names, points, strict=True))
