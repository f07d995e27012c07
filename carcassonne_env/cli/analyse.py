"""``carcassonne analyse``: searches a position and prints the result of the search."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agents.cli.options import player_of

from .options import KnownOrder, Meeples, Tiles, recorded

if TYPE_CHECKING:
    from agents.agent import Planner

    from ..game_setup import Setup
    from ..model import CarcassonneModel


def analyse(
    planner: Annotated[str, typer.Argument(help="planner that searches, such as mcts")],
    turn: Annotated[
        int, typer.Option(min=0, help="number of tiles placed before the position")
    ] = 20,
    course: Annotated[str, typer.Option(help="player that plays up to the position")] = "greedy",
    games: Annotated[
        Path | None, typer.Option(help="table of a tournament: take the position from its game")
    ] = None,
    row: Annotated[int, typer.Option(min=0, help="row of the game in that table, from 0")] = 0,
    file: Annotated[
        Path | None,
        typer.Option(
            "--position", help="JSON file of a position; see carcassonne_env/position_data.py"
        ),
    ] = None,
    players: Annotated[int, typer.Option(min=1, max=5, help="number of players")] = 2,
    tiles: Tiles = "base",
    meeples: Meeples = 7,
    known_order: KnownOrder = False,
    seed: Annotated[int, typer.Option(min=0, help="seed of the game and the planner")] = 0,
    moves: Annotated[int, typer.Option(min=1, help="number of moves to list")] = 15,
    seeds: Annotated[
        int, typer.Option(min=1, help="number of searches, each with the next seed")
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="folder to which position.svg, and visits.svg, are written"
        ),
    ] = None,
) -> None:
    """Search a position and print its best moves, what they change, and the expected line of play.

    With --seeds it searches several times and tells how often each move was chosen.

    carcassonne analyse "mcts(iterations=20000)" --turn 30

    carcassonne analyse star2.5 --games results/tournament.csv --row 3 --turn 10

    carcassonne analyse greedy --position mine.json
    """
    from ..game_setup import Setup
    from ..position_data import load
    from .search_tables import tell, write_pictures

    agents = planners(planner, range(seed, seed + seeds))
    if file is None:
        setup = Setup(players, meeples, tiles, known_order)
        model = position(setup, turn, course, games, row, seed)
    else:
        model = load(file)
    results = [agent.search(model) for agent in agents]
    tell(model, agents[0], results, moves)
    if out is not None:
        write_pictures(model, results[0], out)


def planners(text: str, seeds: Iterable[int]) -> list[Planner]:
    """The planner that a text names, once for each seed; an object has its own, and comes once."""
    from agents.agent import Planner
    from agents.mcts.planner import MCTS
    from agents.registry import make

    player, seeds = player_of(text), list(seeds)
    if not isinstance(player, str) and len(seeds) > 1:
        raise ValueError(f"--seeds needs a planner that takes a seed, got {text!r}")
    made = []
    for seed in seeds:
        planner = make(player, seed=seed) if isinstance(player, str) else player
        if not isinstance(planner, Planner):
            raise ValueError(f"planner must be an agent that searches, got {text!r}")
        if isinstance(planner, MCTS):
            planner.standard_errors = True
        made.append(planner)
    return made


def position(
    setup: Setup, turn: int, course: str, games: Path | None, row: int, seed: int
) -> CarcassonneModel:
    """The position of a game after ``turn`` turns, with the next tile drawn.

    The game is that of a row of ``games``, the CSV table of a tournament; without one it is a new
    game of the setup and the seed, in which the player ``course`` has all seats.
    """
    from agents.game import play_game

    from ..replaying import SavedGame

    if games is None:
        record = play_game(setup, [player_of(course)] * setup.num_players, seed)
        actions = [ply.action for ply in record.plies]
        moves = SavedGame.of(setup, [course] * setup.num_players, actions, seed).moves()
    else:
        moves = recorded(games, row).moves()
    if turn >= len(moves):
        raise ValueError(f"turn must be in [0, {len(moves) - 1}] in this game, got {turn}")
    return moves[turn][0]
