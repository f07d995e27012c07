"""``carcassonne play``: a game against planners or between planners."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from agents import Agent
from agents.cli.options import Seed, player_of
from agents.cli.play import ME, play_on, seed_or_random
from agents.forward_model import CHANCE, ForwardModel
from agents.game import Ply, choose, seat
from agents.pictures import save as save_picture

from ..game_setup import Setup
from ..model import CarcassonneModel
from ..play.session import Session
from ..play.words import move_words
from ..replaying import SavedGame
from .options import KnownOrder, Meeples, Tiles, TileSet
from .terminal import play_in_terminal

Players = Annotated[
    list[str], typer.Argument(help='1 to 5 players in order of play; "me" is you at the keyboard')
]


def play(
    players: Players,
    tiles: Tiles = TileSet.base,
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    seed: Seed = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="show a game of planners on the screen")
    ] = False,
    out: Annotated[
        Path | None, typer.Option(help="folder to which board.svg and board.png are written")
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="file to which the game is written, for `replay`")
    ] = None,
) -> None:
    """Play against planners, or let planners play.

    carcassonne play me "strongest(time_limit=1)"

    carcassonne play "mcts(c=0.5, iterations=10000)" --tiles small --meeples 3 --save game.json
    """
    seed = seed_or_random(seed)
    setup = Setup(len(players), meeples, tiles.value, known_order)
    seated = [None if text == ME else player_of(text) for text in players]
    you = "you" if players.count(ME) == 1 else "player {}"
    names = [you.format(i) if text == ME else text for i, text in enumerate(players)]
    start = setup(seed)
    for folder in (out, save and save.parent):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
    if watch or ME in players:
        session = play_on_screen(start, seated, names, seed)
        model, actions = session.model, session.actions
    else:
        model, record = play_on(
            start,
            seated,
            seed,
            lambda position, ply: ply_words(position, ply, names),
            total=start.num_tiles - 1,
            unit="tile",
            done=lambda position: len(position.board) - 1,
        )
        actions = [ply.action for ply in record.plies]
    tell_result(model, names)
    print(f"Seed: {seed}")
    if save is not None:
        SavedGame.of(setup, names, actions, seed).save(save)
        print(f"Game: {save}")
    if out is not None:
        for name in ("board.svg", "board.png"):
            save_picture(model._repr_svg_(), out / name)
            print(f"Picture: {out / name}")


class FunctionAgent(Agent):
    """An agent that plays what a function of the model returns."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def choose(self, model: ForwardModel) -> int:
        """The action that the function returns."""
        return choose(self.function, model).action


def play_on_screen(
    model: CarcassonneModel, players: Sequence[Any], names: Sequence[str], seed: int
) -> Session:
    """Plays in the terminal and returns the session, which may be unfinished."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise ValueError("players 'me' and the option --watch need a terminal")
    seated, draws = seat(players, seed)
    agents = [p if p is None or isinstance(p, Agent) else FunctionAgent(p) for p in seated]
    session = Session(model, agents, names, draws)
    play_in_terminal(session)
    return session


def ply_words(model: CarcassonneModel, ply: Ply, names: Sequence[str]) -> str:
    """A move in words, with the scores before it; chance has no words of its own."""
    if ply.player == CHANCE:
        return ""
    name = f"{names[ply.player]}: " if len(names) > 1 else ""
    move = move_words(model.decode_action(ply.action))
    scores = ", ".join(map(str, model.scores))
    return f"{name}{scores} points; tile {model.current_tile}, {move}"


def tell_result(model: CarcassonneModel, names: Sequence[str]) -> None:
    """Prints the scores, in total and by kind of feature."""
    if not model.is_terminal():
        print("The game was not finished.")
    print(f"\n{'':30} score" + "".join(f"{kind:>9}" for kind in model.score_breakdown[0]))
    for name, score, parts in zip(names, model.scores, model.score_breakdown, strict=True):
        print(f"{name[:30]:30} {score:5}" + "".join(f"{points:9}" for points in parts.values()))
