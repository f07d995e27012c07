"""The engine of JCloisterZone 5, a Java program that keeps the position of a game.

Nobody sends a position: every client runs the engine, and passes the setup and all messages of the
game to it, a line each. The engine draws the tiles, from random numbers that come with the setup
and with every ``COMMIT``. It answers with the position, in which ``action`` says who is to do what.
"""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from agents.engine import EngineError, Program

from .messages import Message, parsed

ENGINE_SECONDS = 60.0
"""Time for an answer of the engine, its start included."""


class Engine:
    """The engine of JCloisterZone.

    Args:
        jar: The file Engine.jar. The folder "expansions" beside it has the tiles.
        java: The Java program.

    Raises:
        FileNotFoundError: If there is no such file, or no tiles beside it.
    """

    def __init__(self, jar: Path, java: str = "java") -> None:
        self._definitions = sorted(jar.parent.resolve().glob("expansions/*.xml"))
        if not jar.is_file():
            raise FileNotFoundError(f"the engine {jar} does not exist")
        if not self._definitions:
            raise FileNotFoundError(
                f"the engine {jar} needs the folder 'expansions' of JCloisterZone beside it, with "
                "the tiles in XML files"
            )
        self._words = [java, "-jar", str(jar)]
        self._program: Program | None = None

    def version(self) -> str:
        """What the engine calls its version; an OSError if Java cannot be started."""
        words = [*self._words, "--version"]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=ENGINE_SECONDS)
        except OSError as error:
            raise OSError(f"the engine needs Java, which cannot be started: {error}") from None
        except subprocess.TimeoutExpired:
            raise EngineError("timeout", f"no version from {' '.join(words)}") from None
        if done.returncode or not done.stdout.strip():
            raise EngineError("crash", f"no version from {' '.join(words)}: {done.stderr:.300}")
        return done.stdout.strip()

    def start(self, setup: Mapping[str, Any]) -> Message:
        """Begins a game, and returns its first position."""
        self._program = Program(self._words)
        for path in self._definitions:
            self._program.write(f"%load {path}")
        return self.ask({"type": "GAME_SETUP", "payload": setup})

    def ask(self, message: Mapping[str, Any]) -> Message:
        """The position after a message."""
        assert self._program is not None
        try:
            line = self._program.ask(message, ENGINE_SECONDS)
            return parsed(line)
        except EngineError as error:
            raise EngineError(
                error.kind, f"the engine failed at {message['type']}: {error}"
            ) from None
        except ValueError:
            raise EngineError("bad answer", f"the engine answered no JSON: {line!r:.200}") from None

    def close(self) -> None:
        """Ends the engine."""
        if self._program is not None:
            self._program.close()
