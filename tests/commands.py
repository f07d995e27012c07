"""Commands that tests run, in this process or in a shell, and what they print."""

from __future__ import annotations

import functools
import io
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

import pytest


class Done(NamedTuple):
    """How a command ended."""

    code: Any
    out: str
    err: str

    def checked(self) -> Done:
        """This, if the command succeeded."""
        assert self.code == 0, self.err
        return self


@functools.cache
def kept_parameters() -> Callable[..., Any]:
    """Typer's function that evaluates the annotations of commands, which takes most of its time."""
    import typer.main

    return functools.cache(typer.main.get_params_from_function)


def run_here(
    main: Callable[[], None], arguments: tuple[object, ...], typed: str | bytes = ""
) -> Done:
    """Runs a command in this process, on wide paper; ``typed`` is its standard input."""
    data = typed.encode() if isinstance(typed, str) else typed
    out, err, code = io.StringIO(), io.StringIO(), None
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr("typer.main.get_params_from_function", kept_parameters())
        patch.setenv("COLUMNS", "120")
        patch.setenv("NO_COLOR", "1")
        patch.setattr(sys, "argv", ["command", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        try:
            main()
        except SystemExit as end:
            code = end.code
    if isinstance(code, str):  # as Python ends
        err.write(f"{code}\n")
        code = 1
    return Done(code or 0, plain(out.getvalue()), plain(err.getvalue()))


def plain(text: str) -> str:
    """Without colours."""
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", text)


def in_shell(
    *arguments: object, module: str = "carcassonne_env", **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs ``python -m carcassonne_env``, or another module, with warnings as errors."""
    command = [sys.executable, "-W", "error", "-X", "utf8", "-m", module]
    return subprocess.run(
        [*command, *map(str, arguments)], capture_output=True, encoding="utf-8", **options
    )


def assert_refused(done: Any, message: str) -> None:
    """Refused without output: in one line, after a progress bar if one was begun.

    What typer refuses stands in a box below the usage.
    """
    assert done.out == ""
    if done.code == 2:
        words = " ".join(re.sub("[│╭╮╰╯─]", " ", done.err).split())
        assert re.search(message, words), words
        assert "Traceback" not in words
        return
    lines = [line for line in re.split(r"[\r\n]", done.err) if line.strip()]
    lines = [line for line in lines if not re.match(r".*: +\d+%\|", line)]
    assert done.code == 1
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert re.search(message, lines[0]), lines[0]


def assert_lists(done: Done, options: set[str]) -> None:
    """The help of a command has these options, each with words."""
    assert (done.code, done.err) == (0, "")
    listed = dict(re.findall(r"^\W*--([a-z-]+) +(.*)$", done.out, re.MULTILINE))
    assert listed.keys() == options | {"help"}
    for words in listed.values():
        assert re.search(r"[a-z]{2}", re.sub(r"\b(TEXT|INTEGER|PATH)\b", "", words)), words
