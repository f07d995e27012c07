"""Games in the form of JCloisterZone, and a host in place of the program, for tests."""

from __future__ import annotations

import json
import threading
import uuid
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import ServerConnection, serve

from stub_engine import VERSION

SETUP: dict[str, Any] = {
    "sets": {"basic:1": 1},
    "elements": {"small-follower": 7, "farmers": True},
    "rules": {"tiny-city-scoring": "4", "wagon-move": "C2"},
    "start": [{"tile": "BA/RCr", "x": 0, "y": 0, "rotation": 0}],
    "options": {},
}
"""The base game as the program creates it."""
ENGINE_MESSAGES = ("PLACE_TILE", "DEPLOY_MEEPLE", "PASS", "COMMIT", "UNDO")


def placing(tile: str, degrees: int, x: int, y: int, *place: str) -> list[dict[str, Any]]:
    """The messages of a turn; the place of a meeple is a feature and a location."""
    payload = {"tileId": tile, "rotation": f"R{degrees}", "position": [x, y]}
    meeple: dict[str, Any] = {"type": "PASS", "payload": {}}
    if place:
        pointer = {"position": [x, y], "feature": place[0], "location": place[1]}
        payload_of_meeple = {"pointer": pointer, "meepleId": "0.small.1"}
        meeple = {"type": "DEPLOY_MEEPLE", "payload": payload_of_meeple}
    turn = [{"type": "PLACE_TILE", "payload": payload}, meeple]
    return [*turn, {"type": "COMMIT", "payload": {"random": 0.5}}]


def file_of(replay: list[dict[str, Any]], **members: Any) -> dict[str, Any]:
    """A saved game, with other members than those of the base game for two."""
    players = [{"name": "Ann", "slot": 3}, {"name": "Bob", "slot": 0}]
    return {"appVersion": "5.8.0", "setup": SETUP, "players": players, "replay": replay, **members}


class Host:
    """A host of one game.

    Attributes:
        port: Where it listens.
        received: The messages of all clients.
        replay: The messages of the game.
        stop_at: The number of messages in the game after which it closes all connections.
    """

    def __init__(self, setup: dict[str, Any] = SETUP, protocol: str = "5.7.102") -> None:
        self.setup, self.protocol = setup, protocol
        self.slots: list[dict[str, Any]] = [
            {"number": n, "clientId": None, "sessionId": None, "name": None} for n in range(9)
        ]
        self.received: list[dict[str, Any]] = []
        self.replay: list[dict[str, Any]] = []
        self.stop_at: int | None = None
        self.is_started = False
        self._sessions: dict[ServerConnection, str] = {}
        self._lock = threading.RLock()
        self._server = serve(self._talk, "127.0.0.1", 0, close_timeout=1)
        self.port = self._server.socket.getsockname()[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Ends the server and its connections, which websockets below 17 leaves open."""
        self._server.shutdown()
        for client in list(self._sessions):
            client.close()

    @property
    def address(self) -> str:
        """Where clients find it."""
        return f"127.0.0.1:{self.port}"

    @property
    def num_taken(self) -> int:
        """The number of slots with a connected client."""
        return sum(slot["sessionId"] is not None for slot in self.slots)

    def start(self, seating: dict[str, int] | None = None) -> None:
        """Begins the game, as its owner does."""
        with self._lock:
            self.is_started = True
            for number, order in (seating or {}).items():
                self.slots[int(number)]["order"] = order
            self._broadcast("START", {"seating": seating} if seating else {})

    def say(self, kind: str, payload: dict[str, Any], player: int) -> None:
        """Sends a message of a player who is no client."""
        with self._lock:
            if kind == "UNDO":
                self.replay.pop()
            else:
                self.replay.append({"type": kind, "payload": payload, "player": player})
            self._broadcast(kind, payload, player=player)

    def saved(self) -> str:
        """The game as the program saves it."""
        seated = [slot for slot in self.slots if slot["clientId"]]
        players = [
            {"name": slot["name"], "slot": slot["number"]}
            for slot in sorted(seated, key=lambda slot: slot["order"])
        ]
        replay = [{name: message[name] for name in ("type", "payload")} for message in self.replay]
        return json.dumps({"setup": self.setup, "players": players, "replay": replay})

    def _talk(self, client: ServerConnection) -> None:
        try:
            for text in client:
                message = json.loads(text)
                with self._lock:
                    self.received.append(message)
                    self._handle(client, message)
        except ConnectionClosed:
            pass
        with self._lock:
            session = self._sessions.pop(client, None)
            for slot in self.slots:
                if session is not None and slot["sessionId"] == session:
                    slot["sessionId"] = None
                    self._broadcast("SLOT", slot)

    def _handle(self, client: ServerConnection, message: dict[str, Any]) -> None:
        kind, payload = message["type"], message["payload"]
        if kind == "HELLO":
            self._hello(client, payload)
        elif kind == "TAKE_SLOT":
            self._take(client, payload)
        elif kind in ENGINE_MESSAGES:
            self._relay(client, message)

    def _hello(self, client: ServerConnection, payload: dict[str, Any]) -> None:
        if (payload["protocolVersion"], payload["engineVersion"]) != (self.protocol, VERSION):
            self._refuse(client, "bad-version", "Incompatible versions")
            client.close()
            return
        own = [s for s in self.slots if s["clientId"] == payload["clientId"] and not s["sessionId"]]
        if self.is_started and not own:
            self._refuse(client, "illegal-game-state", "Game is already started")
            client.close()
            return
        self._sessions[client] = session = uuid.uuid4().hex
        client.client_id, client.client_name = payload["clientId"], payload["name"]
        self._send(client, "WELCOME", {"sessionId": session, "heartbeat": 8000})
        for slot in own:
            slot["sessionId"] = session
        game = {"gameId": "g", "setup": self.setup, "slots": self.slots, "initialRandom": 0.25}
        state = {"state": "R" if self.is_started else "O", "replay": self.replay or None}
        self._send(client, "GAME", {**game, **state, "gameAnnotations": {}})
        for slot in own:
            self._broadcast("SLOT", slot)

    def _take(self, client: ServerConnection, payload: dict[str, Any]) -> None:
        slot = self.slots[payload["number"]]
        if slot["sessionId"]:
            self._refuse(client, "slot-occupied", "Slot is occupied")
            return
        order = 1 + sum(bool(slot["clientId"]) for slot in self.slots)
        slot.update(
            sessionId=self._sessions[client],
            clientId=client.client_id,
            name=payload["name"],
            order=order,
        )
        self._broadcast("SLOT", slot)

    def _relay(self, client: ServerConnection, message: dict[str, Any]) -> None:
        assert message["seq"] == len(self.replay) + 1
        if message["type"] == "COMMIT":
            message["payload"]["random"] = len(self.replay) / 1000
        self.replay.append(message)
        if len(self.replay) == self.stop_at:
            for other in [*self._sessions]:
                other.close()
            return
        self._broadcast(message["type"], message["payload"], player=message["player"])

    def _refuse(self, client: ServerConnection, code: str, words: str) -> None:
        client.send(json.dumps({"type": "ERR", "id": "e", "code": code, "message": words}))

    def _send(self, client: ServerConnection, kind: str, payload: dict[str, Any]) -> None:
        client.send(json.dumps({"type": kind, "id": uuid.uuid4().hex, "payload": payload}))

    def _broadcast(self, kind: str, payload: dict[str, Any], **members: Any) -> None:
        seq = {"seq": len(self.replay)} if members else {}
        message = {"type": kind, "id": uuid.uuid4().hex, "payload": payload, **members, **seq}
        for client in [*self._sessions]:
            client.send(json.dumps(message))
