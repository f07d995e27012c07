"""Files are replaced in one step: after every end, the old one or the whole new one is there."""

from __future__ import annotations

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from agents import MCTS
from agents.csv_tables import write_table
from agents.files import check_writable, replacing, write_file
from agents.pictures import save, save_figure
from carcassonne_env import CarcassonneModel
from carcassonne_env.game_setup import Setup
from carcassonne_env.outlook import load_weights, save_weights
from carcassonne_env.replaying import SavedGame, replay
from carcassonne_env.replaying.pictures import save_animation

GAME = SavedGame(Setup(2, 3, "small"), ["a", "b"], ())
SVG = CarcassonneModel(2, 3, "small").svg()


def searched() -> Any:
    model = CarcassonneModel(1, 3, "small", deterministic=True, seed=0)
    return MCTS(20, seed=0).search(model)


WRITERS: dict[str, Callable[[Path], object]] = {
    "game.json": GAME.save,
    "game.html": replay(GAME).to_html,
    "board.svg": lambda path: save(SVG, path),
    "board.png": lambda path: save(SVG, path),
    "game.gif": lambda path: save_animation(GAME, path, width=50),
    "tree.html": lambda path: searched().to_html(path),
    "tree.svg": lambda path: searched().to_svg(path),
    "tree.dot": lambda path: searched().to_dot(path),
    "figure.png": lambda path: save_figure(Figure(), path),
    "table.csv": lambda path: write_table(path, pd.DataFrame({"a": [1]})),
    "outlook.txt": lambda path: save_weights(path, np.zeros_like(load_weights(OUTLOOK)), "zero"),
    "text": lambda path: write_file(path, "Größe\n"),
    "bytes": lambda path: write_file(path, b"\xff\n"),
}
"""Everything that writes a file, by the name of the file."""
OUTLOOK = next(Path(sys.modules["carcassonne_env"].__file__ or "").parent.glob("outlook-*.txt"))


@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_file_as_it_was(name, tmp_path, monkeypatch):
    path, write = tmp_path / name, WRITERS[name]
    path.write_text("old")

    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=re.escape(f"No space left on device: '{path}'")):
            write(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == [name]
    write(path)
    assert path.read_bytes() != b"old"
    assert os.listdir(tmp_path) == [name]


KILLED = """
import os, signal, sys
from agents.files import replacing

with replacing(sys.argv[1]) as file:
    file.write(b"new" * 100_000)
    file.flush()
    print("half", flush=True)
    sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_killed_program_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "game.json"
    path.write_text("old")
    command = [sys.executable, "-c", KILLED, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"half\n"
        process.send_signal(signal.SIGKILL)
    assert path.read_text() == "old"
    write_file(path, "new")
    assert path.read_text() == "new"


def write_half(path: Path, error: BaseException) -> None:
    with replacing(path) as file:
        file.write(b"new")
        raise error


def test_an_error_while_writing_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "a"
    path.write_text("old")
    for error in (KeyboardInterrupt(), ValueError("not written")):
        with pytest.raises(type(error)):
            write_half(path, error)
    with pytest.raises(UnicodeEncodeError):
        write_file(path, "\ud800")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(sys.platform == "win32", reason="no permissions and links")
def test_errors_of_the_writer_keep_their_words(tmp_path):
    with pytest.raises(OSError, match=r"^the decoder broke$"), replacing(tmp_path / "file"):
        raise OSError("the decoder broke")


def test_permissions_and_links_are_kept(tmp_path):
    path, link, new = tmp_path / "folder" / "a", tmp_path / "link", tmp_path / "new"
    path.parent.mkdir()
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(Path("folder", "a"))
    write_file(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    dangling = tmp_path / "dangling"
    dangling.symlink_to(new)
    earlier = os.umask(0o027)
    try:
        write_file(dangling, "new")
    finally:
        os.umask(earlier)
    assert dangling.is_symlink()
    assert stat.S_IMODE(new.stat().st_mode) == 0o640


@pytest.mark.parametrize("write", [lambda path: write_file(path, ""), check_writable])
def test_what_cannot_be_written_is_refused(write, tmp_path, monkeypatch):
    with pytest.raises(IsADirectoryError, match=re.escape(f"Is a directory: '{tmp_path}'")):
        write(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*no/a'"):
        write(tmp_path / "no" / "a")
    (tmp_path / "loop").symlink_to("loop")
    for loop in (tmp_path / "loop", tmp_path / "loop" / "a"):
        with pytest.raises(OSError, match=f"Too many levels of symbolic links: '{loop}'"):
            write(loop)
    (tmp_path / "loop").unlink()
    with pytest.raises(IsADirectoryError, match=f"Is a directory: '{tmp_path}/new/'"):
        write(f"{tmp_path}/new/")
    with monkeypatch.context() as patch:  # the superuser may write anywhere
        patch.setattr(os, "access", lambda *_: False)
        (tmp_path / "mine").write_text("old")
        with pytest.raises(PermissionError, match=r"Permission denied: '.*/mine'"):
            write(tmp_path / "mine")

        def forbidden(*_, **__):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), "a part of it")

        patch.setattr(Path, "touch", forbidden)
        with pytest.raises(PermissionError, match=r"Permission denied: '.*/new'"):
            write(tmp_path / "new")
    assert (tmp_path / "mine").read_text() == "old"
    write(tmp_path / "mine")
    assert os.listdir(tmp_path) == ["mine"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes")
def test_what_is_no_file_is_written_to(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    check_writable(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_file(pipe, "new")
    reader.join()
    assert read == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="needs /dev/shm")
def test_files_in_shared_memory_are_replaced():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        path = Path(folder, "file")
        write_file(path, "old")
        write_file(path, "new")
        assert path.read_text() == "new"


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="needs /dev/stdout")
def test_an_open_stream_is_written_on(tmp_path):
    """Standard output may lead to a file, which must not be replaced, or to a pipe."""
    code = "from agents.files import write_file; write_file('/dev/stdout', 'page\\n')"
    command, log = [sys.executable, "-c", code], tmp_path / "log.txt"
    log.write_text("before\n")
    with log.open("a") as file:
        subprocess.run(command, stdout=file, check=True)
    assert log.read_text() == "before\npage\n"
    assert subprocess.run(command, capture_output=True, check=True).stdout == b"page\n"
