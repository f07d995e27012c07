"""Pages as the server of games in the browser sees them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from html.parser import HTMLParser
from typing import Any

from starlette.testclient import TestClient

from agents.web.address import Address, Guard
from agents.web.site import Site

TOKEN, PORT = "secret", 8000
HERE = {"host": f"127.0.0.1:{PORT}"}
GAME = f"/{TOKEN}/game"


READ = ("alt", "aria-label", "placeholder", "title")
"""Attributes that readers see or hear."""


class Texts(HTMLParser):
    """The texts of a page that readers see or hear, but for names of keys."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: set[str] = set()
        self._tag = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._tag = tag
        self.found |= {value for name, value in attrs if name in READ and value}

    def handle_endtag(self, tag: str) -> None:
        self._tag = ""

    def handle_data(self, data: str) -> None:
        if self._tag not in ("kbd", "script") and data.strip():
            self.found.add(data.strip())


class Page:
    """A page as the server sees it.

    Args:
        socket: That of the test client, or of a server in another process.
        options: Of all games that the page starts.
    """

    def __init__(self, socket: Any, **options: Any) -> None:
        self.socket = socket
        self.options = {"seed": 1, "pause": 0.0} | options
        is_here = hasattr(socket, "send_text")
        self.send_text = socket.send_text if is_here else socket.send
        self.receive = socket.receive_text if is_here else partial(socket.recv, timeout=20)

    def send(self, type: str, **content: Any) -> None:
        self.send_text(json.dumps({"type": type, **content}))

    def next(self, *types: str, **options: Any) -> Any:
        """The next message of one of some types."""
        while (message := json.loads(self.receive(**options)))["type"] not in types:
            pass
        return message

    def shown(self, type: str, **content: Any) -> Any:
        """The next state after a message."""
        self.send(type, **content)
        return self.next("state")

    def turn(self, *type: str, **content: Any) -> Any:
        """The next state in which a person is to move, or the game is over, after a message."""
        if type:
            self.send(*type, **content)
        while True:
            state = self.next("state", "error")
            assert state["type"] == "state", state
            view = state["view"]
            if view.get("legal") or view.get("choices") or view["is_over"]:
                return state

    def start(self, *players: str, **options: Any) -> Any:
        """Starts a game, and returns the first state in which a person is to move."""
        return self.turn("new", players=players or ("me", "greedy"), **self.options | options)

    def play(self, state: Any, pick: int = 0) -> None:
        """Plays one of the legal moves."""
        actions = actions_of(state["view"])
        self.send("play", ply=state["view"]["ply"], action=actions[pick % len(actions)])

    def moved(self, state: Any, pick: int = 0) -> Any:
        """Plays one of the legal moves, and returns the next state in which a person is to move."""
        self.play(state, pick)
        return self.turn()

    def refused(self, type: str, **content: Any) -> str:
        """Sends a message, which the server must refuse at once, and returns why."""
        self.send(type, **content)
        self.send("none")  # which is refused after it
        told = str(self.next("error")["message"])
        assert "'none'" not in told, f"{type} was not refused"
        assert "'none'" in self.next("error")["message"]
        return told


def actions_of(view: Any) -> list[int]:
    """The legal actions in a view of Carcassonne or of any game."""
    if "choices" in view:
        return [choice["action"] for choice in view["choices"]]
    cells = [slots for rotations in view["legal"].values() for slots in rotations.values()]
    return sorted(action for slots in cells for action in slots.values())


def client_of(site: Site) -> TestClient:
    """A client of a server with this site."""
    return TestClient(
        Guard(site.application(), Address(PORT, TOKEN)), base_url=f"http://127.0.0.1:{PORT}"
    )


@contextmanager
def opened(client: TestClient, headers: dict[str, str] = HERE, **options: Any) -> Iterator[Page]:
    """A page that starts games with some options."""
    with client.websocket_connect(GAME, headers=headers) as socket:
        yield Page(socket, **options)
