"""``carcassonne play``: a game against planners, or between them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from tqdm import tqdm

from agents import Agent, Rng, make
from agents.forward_model import ForwardModel

from ..model import CarcassonneModel
from ..rendering import save
from .options import KnownOrder, Meeples, Seed, Tiles, Variant, player_of
from .panel_text import move_words
from .terminal import TerminalGame

ME = "me"
Players = Annotated[
    list[str], typer.Argument(help='1 to 5 players in turn: "me" for yourself, others play alone')
]


def play(
    players: Players,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    seed: Seed = 0,
    watch: Annotated[bool, typer.Option("--watch", help="planners on the whole screen")] = False,
    out: Annotated[Path | None, typer.Option(help="folder for board.svg and board.png")] = None,
) -> None:
    """Play against planners, or have them play.

    carcassonne play me "mcts(c=0.05, iterations=5000)"

    carcassonne play "mcts(c=0.5, iterations=10000)" --tiles small --meeples 3 --out .
    """
    model = Variant(len(players), tiles, meeples, known_order)(seed)
    draws, *seeds = np.random.SeedSequence(seed).spawn(1 + len(players))
    seated = [agent_of(text, child) for text, child in zip(players, seeds, strict=True)]
    if watch or ME in players:
        game = TerminalGame(model, seated, players, Rng(draws))
        game.run()
        model = game.model
    else:
        play_on(model, [agent for agent in seated if agent], players, Rng(draws))
    tell_result(model, players)
    if out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for name in ("board.svg", "board.png"):
            save(model._repr_svg_(), out / name)
            print(f"Picture: {out / name}")


class FunctionAgent(Agent):
    """A function of the model as an agent."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def choose(self, model: ForwardModel) -> int:
        """What the function says."""
        return int(self.function(model))


def agent_of(text: str, seed: np.random.SeedSequence) -> Agent | None:
    """The agent that a text names; None for a person."""
    if text == ME:
        return None
    player = player_of(text)
    if isinstance(player, str):
        return make(player, seed=seed)
    return player if isinstance(player, Agent) else FunctionAgent(player)


def play_on(
    model: CarcassonneModel, players: Sequence[Agent], names: Sequence[str], draws: Rng
) -> None:
    """Plays to the end, telling each move."""
    with tqdm(total=model.num_tiles - 1, unit="tile", desc="game") as progress:
        while not model.is_terminal():
            if model.is_chance_node():
                action = model.sample_chance(draws)
            else:
                player = model.current_player()
                action = players[player].choose(model)
                tile, move = model.current_tile, move_words(model.decode_action(action))
                name = f"{names[player]}: " if len(players) > 1 else ""
                progress.write(f"{name}tile {tile}, {move}; scores {model.scores}")
            for agent in players:
                agent.advance(action)
            model.apply_action(action)
            progress.update(len(model.board) - 1 - progress.n)


def tell_result(model: CarcassonneModel, names: Sequence[str]) -> None:
    """The scores, and where they come from."""
    if not model.is_terminal():
        print("The game was not finished.")
    print(f"\n{'':40} score" + "".join(f"{kind:>10}" for kind in model.score_breakdown[0]))
    for name, score, parts in zip(names, model.scores, model.score_breakdown, strict=True):
        print(f"{name[:40]:40} {score:5}" + "".join(f"{points:10}" for points in parts.values()))
