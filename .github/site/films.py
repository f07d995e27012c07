"""Films of games for the pages of the environments: ``python .github/site/films.py FOLDER``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agents.game import play_game, replay
from agents.games import make as make_game
from agents.pictures import save_gif
from carcassonne_env.game_setup import Setup
from carcassonne_env.replaying import SavedGame
from carcassonne_env.replaying.pictures import save_animation
from fop_env.picture import position_svg


def carcassonne(path: Path, num_players: int, num_meeples: int, tiles: str, width: int) -> None:
    """A game between greedy players."""
    setup = Setup(num_players=num_players, num_meeples=num_meeples, tiles=tiles)
    players = ["greedy"] * num_players
    record = play_game(setup, players, seed=1)
    actions = [ply.action for ply in record.plies]
    save_animation(SavedGame.of(setup, players, actions, seed=1), path, width, seconds=0.5)


def any_game(path: Path, game: str, player: str, width: int, drawn: Callable[[Any], str]) -> None:
    """A game between equal players, drawn as notebooks draw it."""
    model = make_game(game, seed=1)
    plies = play_game(model, [player] * model.num_players, seed=1).plies
    svgs = [drawn(position) for position, _ in replay(model, plies)]
    for ply in plies:
        model.apply_action(ply.action)
    save_gif([*svgs, drawn(model)], path, width, seconds=0.7)


def fop(path: Path) -> None:
    """A game by MCTS."""

    def drawn(model: Any) -> str:
        return position_svg(model.evaluate, model.intervals)

    any_game(path, "fop(function=f4)", "mcts(iterations=300, c=0.5)", 640, drawn)


def hex_game(path: Path) -> None:
    """A game between evolved players."""
    player = "hex.evolved(iterations=100)"
    any_game(path, "hex(size=7)", player, 420, lambda model: model._repr_svg_())


FILMS = {
    "carcassonne_one_player.gif": lambda path: carcassonne(path, 1, 3, "small", 360),
    "carcassonne_two_players.gif": lambda path: carcassonne(path, 2, 7, "base", 360),
    "fop.gif": fop,
    "hex.gif": hex_game,
}
"""Each file, and what writes it."""


if __name__ == "__main__":
    for name, film in FILMS.items():
        film(Path(sys.argv[1]) / name)
