"""Python programs that start from nothing but the libraries, in forks of a process that has those.

So they need not import the libraries again; of this project they find nothing imported.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Protocol

PYTHON = [sys.executable, "-W", "error", "-X", "utf8"]


class Run(Protocol):
    """Runs Python with arguments such as ``-c``, code, or a script, and its own arguments."""

    def __call__(self, *arguments: str, folder: Path, **environment: str) -> Any:
        """What `subprocess.run` returns."""


def run_anew(*arguments: str, folder: Path, **environment: str) -> Any:
    """Runs Python with warnings as errors."""
    return subprocess.run(
        [*PYTHON, *arguments],
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        encoding="utf-8",
    )


@contextmanager
def forking(*libraries: str) -> Iterator[Run]:
    """A function that does the same as `run_anew` in forks of a process with these libraries."""
    if not hasattr(os, "fork"):
        yield run_anew
        return
    pipe = subprocess.PIPE
    with (
        tempfile.TemporaryDirectory() as outputs,
        subprocess.Popen([*PYTHON, __file__, *libraries], stdin=pipe, stdout=pipe, text=True) as p,
    ):
        paths = [Path(outputs, name) for name in ("out", "err")]

        def run(*arguments: str, folder: Path, **environment: str) -> Any:
            assert p.stdin
            assert p.stdout
            request = arguments, str(folder), [str(path) for path in paths], environment
            p.stdin.write(json.dumps(request) + "\n")
            p.stdin.flush()
            code = int(p.stdout.readline())
            texts = [path.read_text(encoding="utf-8") for path in paths]
            return subprocess.CompletedProcess(arguments, code, *texts)

        yield run


def serve(libraries: list[str]) -> None:
    """Runs each program that is asked for in a fork, and prints its exit code."""
    del sys.path[0]  # the folder of this file
    for name in libraries:
        importlib.import_module(name)
    gc.freeze()  # so that no fork copies it all when it looks for garbage
    # How Python ends, but for taking apart all modules, which takes 0.1 s.
    ends = threading._shutdown, atexit._run_exitfuncs, sys.stdout.flush, sys.stderr.flush
    ends += (partial(os._exit, 0),)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            become(*json.loads(line))
            for end in ends:
                end()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(
    arguments: list[str], folder: str, outputs: list[str], environment: dict[str, str]
) -> None:
    """Runs a program in this process, as Python does with these arguments."""
    os.chdir(folder)
    os.environ.update(environment)
    for number, path in enumerate([os.devnull, *outputs]):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    names = globals()
    if arguments[0] == "-c":
        _, code, *sys.argv[1:] = arguments
        sys.argv[0], sys.path[:0] = "-c", [""]
        del names["__file__"]
    else:
        sys.argv[:] = arguments
        script = names["__file__"] = arguments[0]
        code = Path(script).read_text(encoding="utf-8")
        sys.path[:0] = [str(Path(script).parent)]
    program = compile(code, sys.argv[0], "exec")
    for name in [name for name in names if not name.startswith("__")]:
        del names[name]
    exec(program, names)


if __name__ == "__main__":
    serve(sys.argv[1:])
