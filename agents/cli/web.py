"""``web``: any installed game in the browser."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path
from threading import Thread
from typing import Annotated
from urllib.parse import urlsplit

import typer

from agents.checks import extra

from .options import games_folder, named_game

Port = Annotated[int, typer.Option(min=0, max=65535, help="port; 0 for a free one")]
PagePlayers = Annotated[
    list[str] | None,
    typer.Option(help='players of the first game, one option each; "me" is you at the page'),
]
PageAddress = Annotated[
    Path | None,
    typer.Option(help="file that keeps the page's address for the next start; it is secret"),
]
Host = Annotated[
    str,
    typer.Option(help="address at which to listen; 0.0.0.0 for all machines of the local network"),
]
OPEN_WARNING = """\
Warning: other machines of the network can open this page. Whoever has the address can play, use
the planners, and see all kept games; whoever listens to the network can read the address."""
Browser = Annotated[
    bool, typer.Option("--browser/--no-browser", help="open the page in the browser")
]


def web(
    game: Annotated[str, typer.Argument(help='game and its options, such as "hex(size=7)"')],
    port: Port = 0,
    players: PagePlayers = None,
    address: PageAddress = None,
    host: Host = "127.0.0.1",
    browser: Browser = True,
) -> None:
    """Play in the browser, and watch planners think. Without --host only you see the page.

    Games are kept in the folder that AGENTS_GAMES names, or the program's, and the page lists them.

    python -m agents web reversi

    python -m agents web "hex(size=7)" --players me --players "mcts(time_limit=3)" --no-browser
    """
    with extra("web", "agents web"):
        from agents.web.server import serve
        from agents.web.site import Site

    site = Site(named_game(game).specification, players, games_folder("agents"))
    serve(site, port, opening(browser), address=address, host=host)


def opening(browser: bool) -> Callable[[str], None]:
    """What tells the address of a page, and opens it in the browser if that is wanted."""

    def ready(url: str) -> None:
        print(f"Open {url}\nStop with Ctrl-C.", flush=True)
        if urlsplit(url).hostname not in ("127.0.0.1", "localhost"):
            with extra("web", "--host"):
                import segno
            print(OPEN_WARNING)
            segno.make(url).terminal(compact=True)
            sys.stdout.flush()
        if browser:
            Thread(target=webbrowser.open, args=(url,), daemon=True).start()

    return ready
