"""A person as a player: sees the position as text and types moves, in any game."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress

from agents.agent import Agent
from agents.forward_model import ForwardModel

HELP = """\
Type one of the moves as it is listed and press Enter.
?   shows this help and all legal moves
q   leaves the game, as the end of the input (Ctrl-D) does"""
MAX_ROWS = 8
"""Rows of a list of moves that is not asked for."""
MAX_ERROR = 300
"""Characters of an error message."""


class Left(Exception):  # noqa: N818
    """A person, who was to move in the position `model`, left the game."""

    def __init__(self, model: ForwardModel) -> None:
        super().__init__("a person left the game")
        self.model = model


class Person(Agent):
    """Plays the moves that are typed into the standard input, which need not be a terminal.

    The question for a move calls the person ``called``, such as "you".
    """

    def __init__(self, called: str) -> None:
        self.called = called

    def choose(self, model: ForwardModel) -> int:
        """The action that the person types; prints the position and asks until it is legal.

        It raises `Left` if the person leaves the game.
        """
        moves = [model.action_to_string(int(action)) for action in model.legal_actions()]
        print(f"\n{model}\n\n{listed(moves, MAX_ROWS)}")
        question = f"{self.called.capitalize()} to move (? for help): "
        while (text := asked(question)) is not None:
            try:
                return legal(model, text)
            except ValueError as error:
                if text.lower() in ("q", "quit"):
                    break
                if text.lower() in ("?", "help"):
                    print(f"{HELP}\n\n{listed(moves)}")
                else:
                    print(" ".join(str(error).split())[:MAX_ERROR])
        raise Left(model)


def asked(question: str) -> str | None:
    """A line of the standard input without spaces around it; None at its end."""
    line = None
    with suppress(EOFError):
        line = input(question).strip()
    if line is None or not sys.stdin.isatty():  # a terminal shows what is typed
        print(line or "")
    return line


def legal(model: ForwardModel, text: str) -> int:
    """The legal action that a text names; ValueError if it names none."""
    action = model.string_to_action(text)
    if not model.is_legal(action):
        raise ValueError(f"{text!r} is not legal here")
    return action


def listed(moves: Sequence[str], max_rows: int | None = None) -> str:
    """Moves in columns that fit the terminal, row by row, at most so many rows; None for all."""
    width = max(map(len, moves)) + 2
    columns = max(1, (shutil.get_terminal_size().columns - 1) // width)
    title = f"{len(moves)} legal moves" if len(moves) > 1 else "1 legal move"
    shown = moves if max_rows is None else moves[: columns * max_rows]
    rows = [shown[i : i + columns] for i in range(0, len(shown), columns)]
    lines = ["".join(move.ljust(width) for move in row).rstrip() for row in rows]
    hidden = len(moves) - len(shown)
    return "\n".join([f"{title}:", *lines, *[f"and {hidden} more; ? lists all"] * (hidden > 0)])
