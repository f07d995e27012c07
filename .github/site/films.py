"""Films of games for the pages of the environments: ``python .github/site/films.py FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from agents.game import play_game, replay
from agents.games import make as make_game
from agents.pictures import save_gif
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame
from carcassonne_env.replaying.pictures import save_animation
from fop_env.picture import position_svg


def carcassonne(path: Path, setup: Setup) -> None:
    """A game between greedy players."""
    players = ["greedy"] * setup.num_players
    record = play_game(setup, players, seed=1)
    actions = [ply.action for ply in record.plies]
    save_animation(SavedGame.of(setup, players, actions, seed=1), path, width=360, seconds=0.5)


def any_game(path: Path, game: str, player: str, width: int, drawn: Callable[[Any], str]) -> None:
    """A game between equal players, drawn as notebooks draw it."""
    model = make_game(game, seed=1)
    plies = play_game(model, [player] * model.num_players, seed=1).plies
    svgs = []
    for position, _ in replay(model, plies):
        svgs.append(drawn(position))
    save_gif([*svgs, drawn(position)], path, width, seconds=0.7)  # now it is the final position


FILMS: dict[str, Callable[[Path], None]] = {
    "carcassonne_one_player.gif": partial(carcassonne, setup=Setup(1, 3, "small")),
    "carcassonne_two_players.gif": partial(carcassonne, setup=Setup(2, 7, "base")),
    "fop.gif": partial(
        any_game,
        game="fop(function=f4)",
        player="mcts(iterations=300, c=0.5)",
        width=640,
        drawn=lambda model: position_svg(model.evaluate, model.intervals),
    ),
    "hex.gif": partial(
        any_game,
        game="hex(size=7)",
        player="hex.evolved(iterations=100)",
        width=420,
        drawn=lambda model: model._repr_svg_(),
    ),
}
"""Each file, and what writes it."""


if __name__ == "__main__":
    for name, film in FILMS.items():
        film(Path(sys.argv[1]) / name)
