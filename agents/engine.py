"""Players that are other programs, in any language: one JSON object a line, through two pipes.

A program reads requests from its standard input and answers on its standard output, in UTF-8. What
it writes to its standard error is for people. Each request has a ``type``:

- ``game``: a game begins, or the player is asked about a new position. ``protocol``: 1.
  ``num_players``; ``seat``, the program's own, from 0; ``seed``, an integer for its random numbers.
  ``position``: the position as `ForwardModel.to_data` gives it.
- ``action``: a player moved, perhaps the program itself, or chance had an outcome. ``player``: the
  seat, -1 for chance. ``action``: its number, and ``text``: the same in the notation of the game.
  ``position``: the position after it; null if the game is over.
- ``move``: the program is to move. ``actions``: the numbers of the legal actions, and ``texts``,
  the same in the notation of the game and in the same order. ``seconds``: what is left of its time
  for the game. The program answers with one line, ``{"action": 17}`` or ``{"move": "c3"}``.
- ``end``: the game is over. ``returns``: the return of each seat.
- ``quit``: the program is to end.

Only ``move`` is answered. A program may ignore all other types: the next ``game`` or ``action``
before a ``move`` has the position in full. It may answer ``{"error": "..."}`` to give up.

A program should end when its input does: that happens where the player is killed. `ProcessAgent` is
such a program as a player, and `serve` makes any agent such a program.
"""

from __future__ import annotations

import copy
import json
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import IO, Any

import numpy as np

from agents.agent import Agent, PlayerError
from agents.checks import check_seconds
from agents.forward_model import ForwardModel
from agents.rng import Rng, Seed

PROTOCOL = 1
"""The version of the protocol."""
MAX_LINE = 1_000_000
"""Longest answer, in bytes."""
MAX_WAITING = 16
"""Number of answers that nobody asked for, from which on a program is not heard any more."""
QUIT_SECONDS = 1.0
"""Time for a program to end after its input."""
MAX_QUOTED = 300
"""Characters of a program's own words in an error message."""
LAST_LINES = 3
"""Lines of its standard error among them."""


class EngineError(PlayerError):
    """A program did not play; ``kind`` is "timeout", "crash" or "bad answer"."""


class ProcessAgent(Agent):
    """A program that plays by this module's protocol.

    The program starts with the first move of a game and ends with the game. Copies start programs
    of their own.

    Args:
        command: The program and its arguments, as in a shell.
        seconds: Time for all its moves in a game, its start included.
        seed: Draws the seeds that the program gets.

    Attributes:
        words: The program and its arguments.

    Raises:
        TypeError: If the command is no text.
        ValueError: If the command is empty or cannot be split, or `seconds` is not above 0.
    """

    name = "process"

    def __init__(self, command: str, seconds: float = 60.0, seed: Seed = None) -> None:
        check_seconds("seconds", seconds)
        if not isinstance(command, str):
            raise TypeError(f"command must be text, got {command!r}")
        try:
            self.words = shlex.split(command)
        except ValueError as error:
            raise ValueError(f"command must read as in a shell, got {command!r}: {error}") from None
        if not self.words:
            raise ValueError(f"command must name a program, got {command!r}")
        self.seconds = float(seconds)
        self.rng = Rng(seed)
        self._program: Program | None = None
        self._position: ForwardModel | None = None  # the last one that the program knows
        self._left = self.seconds

    def choose(self, model: ForwardModel) -> int:
        """The action that the program answers.

        Raises:
            EngineError: If the program cannot be started, ends, does not answer in time, or answers
                something else. The program is then ended.
            ValueError: If the position cannot be expressed as data.
        """
        program = self._program
        if program is None or self._position != model:
            program = self._begin(model)
        actions = [int(action) for action in model.legal_actions()]
        texts = [model.action_to_string(action) for action in actions]
        asked = {"type": "move", "actions": actions, "texts": texts, "seconds": self._left}
        start = time.perf_counter()
        try:
            return _action_of(program.ask(asked, self._left), actions, texts)
        except PlayerError as error:
            self.close()
            raise type(error)(error.kind, f"{self!r}: {error}") from None
        finally:
            self._left -= time.perf_counter() - start

    def advance(self, action: int) -> None:
        """Tells the program an action or outcome of the game that it plays."""
        if self._program is None or self._position is None:
            return
        model, player = self._position, int(self._position.current_player())
        try:
            text = model.action_to_string(action)
            model.apply_action(action)
            is_over = model.is_terminal()
            position = None if is_over else model.to_data()
        except ValueError:  # it is of another game, or no data expresses the position
            self._position = None
            return
        told = {"type": "action", "player": player, "action": int(action), "text": text}
        self._program.send({**told, "position": position})
        if is_over:
            self._program.send({"type": "end", "returns": [float(r) for r in model.returns()]})
            self.close()

    def close(self) -> None:
        """Ends the program."""
        if self._program is not None:
            self._program.send({"type": "quit"})
            self._program.close()
        self._program = self._position = None

    def _begin(self, model: ForwardModel) -> Program:
        """Starts the program, unless it runs, with a game at a position."""
        position = model.to_data()
        self._left = self.seconds
        self._program = program = self._program or Program(self.words)
        self._position = model.clone()
        program.send(
            {
                "type": "game",
                "protocol": PROTOCOL,
                "num_players": model.num_players,
                "seat": int(model.current_player()),
                "seed": self.rng.below(2**31),
                "position": position,
            }
        )
        return program

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_program": None, "_position": None, "_left": self.seconds}


def seeded(player: Any, seed: int, seat: int) -> Any:
    """A copy of a program that draws the seeds of a seat of a game; other players as they are."""
    if isinstance(player, ProcessAgent):
        player = copy.deepcopy(player)
        player.rng = Rng(np.random.SeedSequence(seed, spawn_key=(seat,)))
    return player


def _action_of(line: bytes, actions: list[int], texts: list[str]) -> int:
    """The legal action that an answer names."""
    answer = None
    with suppress(ValueError, RecursionError):
        answer = json.loads(line)
    if isinstance(answer, dict) and "error" in answer:
        raise EngineError("crash", f"the program gives up: {_quoted(answer['error'])}")
    named = None
    if isinstance(answer, dict):
        named = answer.get("move") if answer.get("action") is None else answer["action"]
    if not isinstance(named, int | str) or isinstance(named, bool):
        raise EngineError("bad answer", f'no answer like {{"action": 17}}: {_shown(line)}')
    if named not in (known := [*actions, *texts]):
        raise PlayerError("illegal action", f"{_quoted(named)} is no legal action")
    return actions[known.index(named) % len(actions)]


def _quoted(words: Any) -> str:
    """Words of a program, which a terminal shows as they are."""
    return ascii(words)[:MAX_QUOTED]


def _shown(line: bytes) -> str:
    """A line of a program, as `_quoted` shows words."""
    return _quoted(line.decode(errors="replace").rstrip())


class Program:
    """A running program that reads and answers lines; the words are those of its command.

    Threads write and read, so that no program that reads or says nothing, or too much, holds up the
    player.
    """

    def __init__(self, words: list[str]) -> None:
        try:
            process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,  # Ctrl-C is for the player, and all children end with it
            )
        except OSError as error:
            raise EngineError("crash", f"{words[0]!r} cannot be started: {error}") from None
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._errors: deque[bytes] = deque(maxlen=LAST_LINES)
        _start(_write, process.stdin, self._requests)
        _start(_read, process.stdout, self._answers)
        self._listening = _start(_listen, process.stderr, self._errors)
        self._kill = weakref.finalize(self, _end, process, self._requests)

    def write(self, line: str) -> None:
        """Sends a line in the background."""
        self._requests.put(line.encode() + b"\n")

    def send(self, request: Mapping[str, Any]) -> None:
        """Sends a request in the background, as JSON."""
        self.write(json.dumps(request))

    def ask(self, request: Mapping[str, Any], seconds: float) -> bytes:
        """Sends a request and returns the line of the answer, or raises `EngineError`."""
        if self._answers.qsize():
            if line := self._answers.get():
                words = _shown(line)
                raise EngineError("bad answer", f"the program spoke without being asked: {words}")
            self._answers.put(line)  # it has ended
        self.send(request)
        try:
            line = self._answers.get(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        except queue.Empty:
            raise EngineError("timeout", "the program's time is over") from None
        if line.endswith(b"\n"):
            return line
        if len(line) >= MAX_LINE:
            raise EngineError("bad answer", f"an answer is longer than {MAX_LINE} bytes")
        raise EngineError("crash", f"the program ended{self._last_words()}")

    def _last_words(self) -> str:
        """How the program ended, and what it wrote to its standard error last."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        self._listening.join(QUIT_SECONDS)
        words = "; ".join(map(_shown, self._errors))
        return f" with code {self._process.returncode}{': ' if words else ''}{words}"

    def close(self) -> None:
        """Ends the program's input, and the program if it does not end by itself."""
        self._requests.put(None)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(QUIT_SECONDS)
        self._kill()


def _start(work: Callable[..., None], *arguments: Any) -> threading.Thread:
    thread = threading.Thread(target=work, args=arguments, daemon=True)
    thread.start()
    return thread


def _write(stream: IO[bytes], requests: queue.SimpleQueue[bytes | None]) -> None:
    """Writes requests until there is None, or nobody reads them any more."""
    with suppress(OSError, ValueError):
        while (line := requests.get()) is not None:
            stream.write(line)
            stream.flush()
    with suppress(OSError):
        stream.close()


def _read(stream: IO[bytes], answers: queue.SimpleQueue[bytes]) -> None:
    """Reads lines until the program closes its output, or says much that nobody asked for."""
    with stream:
        while answers.qsize() < MAX_WAITING:
            line = stream.readline(MAX_LINE)
            answers.put(line)
            if not line.endswith(b"\n"):
                return


def _listen(stream: IO[bytes], lines: deque[bytes]) -> None:
    """Keeps the last lines that say something."""
    with stream:
        while line := stream.readline(10_000):
            if line.strip():
                lines.append(line)


def _end(process: subprocess.Popen[bytes], requests: queue.SimpleQueue[bytes | None]) -> None:
    """Ends a program with all that it started in its group of processes."""
    requests.put(None)
    with suppress(ProcessLookupError, PermissionError):  # they have ended by themselves
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


# The other side


def serve(
    begin: Callable[[int], Agent],
    position_of: Callable[[Mapping[str, Any]], ForwardModel],
    requests: Iterable[str],
    answers: IO[str],
) -> None:
    """Plays by the protocol until ``quit`` or the end of the requests, which are lines.

    `begin` returns the agent of a game for a seed, and `position_of` reads the data that
    `ForwardModel.to_data` returned. A line that cannot be served raises ValueError.
    """
    agent = model = None
    for number, line in enumerate(requests, start=1):
        try:
            request = json.loads(line)
            match request["type"]:
                case "game":
                    agent, model = begin(request["seed"]), position_of(request["position"])
                case "action" if agent is not None and model is not None:
                    agent.advance(model.string_to_action(request["text"]))
                    model = position_of(request["position"]) if request["position"] else None
                case "move":
                    if agent is None or model is None:
                        raise ValueError("a move needs a game that is not over")
                    move = model.action_to_string(agent.choose(model))
                    print(json.dumps({"move": move}), file=answers, flush=True)
                case "quit":
                    return
        except (KeyError, RecursionError, TypeError, ValueError) as error:
            raise ValueError(
                f"request {number} cannot be served: {_quoted(line.rstrip())}: {error!r}"
            ) from error
