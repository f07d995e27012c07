"""Distributions that bring games, installed for a test."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from agents.catalogue import collection_names, game, game_names


@contextmanager
def installed(
    folder: Path, entries: Mapping[str, str], group: str = "agents.games"
) -> Iterator[None]:
    """A context in which a distribution in an empty folder brings games.

    Args:
        folder: The folder, which new processes find in PYTHONPATH.
        entries: The code of the module that is the game's entry point, by the game's name.
        group: The group of the entry points.
    """
    for name, code in entries.items():
        (folder / f"{name}_entry.py").write_text(code)
    metadata = folder / "oxo-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: oxo\nVersion: 1.0\n")
    lines = [f"{name} = {name}_entry\n" for name in entries]
    (metadata / "entry_points.txt").write_text("".join([f"[{group}]\n", *lines]))
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(folder))
        forget()
        yield
    forget()
    for name in entries:
        sys.modules.pop(f"{name}_entry", None)


def forget() -> None:
    """Has the games be looked up again."""
    collection_names.cache_clear()
    game_names.cache_clear()
    game.cache_clear()
