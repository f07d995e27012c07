"""``carcassonne web``: the game in the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from agents.checks import extra

from .folder import games_folder


def web(
    port: Annotated[int, typer.Option(min=0, max=65535, help="port; 0 for a free one")] = 0,
    players: Annotated[
        list[str] | None,
        typer.Option(help='players of the first game, one option each; "me" is you at the page'),
    ] = None,
    address: Annotated[
        Path | None,
        typer.Option(help="file that keeps the page's address for the next start; it is secret"),
    ] = None,
    browser: Annotated[
        bool, typer.Option("--browser/--no-browser", help="open the page in the browser")
    ] = True,
) -> None:
    """Play in the browser, and watch planners think. Nothing leaves this machine.

    Games are kept where those of `carcassonne play` are, and the page lists them.

    carcassonne web

    carcassonne web --players me --players "strongest(time_limit=3)" --no-browser

    carcassonne web --address address.txt
    """
    with extra("web", "carcassonne web"):
        from ..web.server import serve

    def ready(url: str) -> None:
        print(f"Open {url}\nStop with Ctrl-C.", flush=True)
        if browser:
            Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    serve(port, players, ready, games=games_folder(), address=address)
