"""One page in the browser: its messages, over a WebSocket, to and from a game."""

from __future__ import annotations

import asyncio
import logging
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from starlette.websockets import WebSocket, WebSocketDisconnect

from .messages import Arrival, written

if TYPE_CHECKING:
    from .room import House, Room

_LOG = logging.getLogger(__name__)
MAX_WAITING = 100
"""Number of messages that wait for a slow page; it is closed when there are more."""


class Visit:
    """One page, from its connection to its end."""

    def __init__(self, house: House, socket: WebSocket) -> None:
        self._house = house
        self._socket = socket
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue()
        self._is_slow = False
        self._room: Room | None = None

    async def run(self) -> None:
        """Reads and answers messages until the page is closed."""
        writing = asyncio.get_running_loop().create_task(self._write())
        try:
            await self._read(writing)
        finally:
            if self._room is not None:
                self._room.leave(self._send)
            writing.cancel()

    async def _read(self, writing: asyncio.Task[None]) -> None:
        while not writing.done():  # then nobody gets the answers to what the page still asks
            event = await self._socket.receive()
            if event["type"] == "websocket.disconnect":
                return
            text, start = event.get("text"), time.perf_counter()
            try:
                if text is None:
                    raise ValueError("a message must be text")
                self._take(text)
            except ValueError as error:
                self._send(written("error", message=str(error)))
            except Exception:
                _LOG.exception("a message of the page failed: %.200r", text)
                words = "this server has a fault; it goes on all the same"
                self._send(written("error", message=words))
            await asyncio.sleep(time.perf_counter() - start)  # half of the time is for others

    def _take(self, text: str) -> None:
        message = self._house.read(text)
        if isinstance(message, Arrival):
            room = self._house.room(message)
            if self._room is not None:
                self._room.leave(self._send)
            self._room = room
            room.enter(self._send, message.browser)
        elif self._room is None:
            raise ValueError("start a game first")
        else:
            self._room.take(message, self._send)

    def _send(self, text: str) -> None:
        if not self._is_slow:
            self._is_slow = self._waiting.qsize() >= MAX_WAITING
            self._waiting.put_nowait(None if self._is_slow else text)

    async def _write(self) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            while (text := await self._waiting.get()) is not None:
                await self._socket.send_text(text)
            await self._socket.close(1013, "the page is too slow")
