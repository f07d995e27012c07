"""Options of the game that several commands share."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Tiles = Annotated[
    Literal["base", "small"], typer.Option(help="tile set: base has 72 tiles, small 24")
]
Meeples = Annotated[int, typer.Option(min=1, max=7, help="meeples of each player")]
KnownOrder = Annotated[
    bool, typer.Option("--known-order", help="players know the order of the tiles")
]
