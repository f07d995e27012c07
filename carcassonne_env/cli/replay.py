"""``carcassonne replay``: a saved game as a page for the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..replaying import SavedGame
from ..replaying import replay as replay_of


def replay(
    file: Annotated[Path, typer.Argument(help="the game, as `play --save` wrote it")],
    out: Annotated[Path, typer.Option(help="file to which the page is written")] = Path(
        "replay.html"
    ),
) -> None:
    """Write a page on which one steps through a saved game; it opens in any browser.

    carcassonne replay game.json --out replay.html
    """
    replay_of(SavedGame.load(file)).to_html(out)
    print(f"Page: {out}")
