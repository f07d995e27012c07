"""``carcassonne web``: the game in the browser."""

from __future__ import annotations

from agents.checks import extra
from agents.cli.options import games_folder
from agents.cli.web import Browser, Host, PageAddress, PagePlayers, Port, opening


def web(
    port: Port = 0,
    players: PagePlayers = None,
    address: PageAddress = None,
    host: Host = "127.0.0.1",
    browser: Browser = True,
) -> None:
    """Play in the browser, and watch planners think. Without --host only you see the page.

    Games are kept where those of `carcassonne play` are, and the page lists them.

    carcassonne web

    carcassonne web --players me --players "strongest(time_limit=3)" --no-browser

    carcassonne web --address address.txt

    carcassonne web --host 0.0.0.0
    """
    with extra("web", "carcassonne web"):
        from agents.web.server import serve

        from ..web.site import Site

    site = Site(players, games_folder("carcassonne"))
    serve(site, port, opening(browser), address=address, host=host)
