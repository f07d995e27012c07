"""Records games of a player for a data set.

Needs the extra ``experiments``.
"""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from agents.checks import check_count, check_number
from agents.engine import seeded
from agents.experiment import run_experiment
from agents.forward_model import CHANCE, ForwardModel
from agents.game import Player, Ply, choose, play_model, seat
from agents.registry import make
from agents.rng import Rng
from agents.specification import written
from agents.version import __version__

from ..dataset import Dataset, Game
from ..game_setup import Setup
from ..replaying.saved_game import order_of
from ..tiles import LETTERS

MAX_GAMES = 10**7
MAX_SEED = 2**62


def record(
    table: str | Path,
    setup: Setup,
    player: Player,
    num_games: int,
    *,
    name: str | None = None,
    first_seed: int = 0,
    exploration: float = 0.0,
    code: int = 0,
    workers: int | None = None,
) -> Dataset:
    """Plays games with one player in all seats, or goes on with them after an interruption.

    Args:
        table: A CSV file with a row for each game, see `agents.experiment`. Games that have a row
            are not played again.
        setup: The kind of game.
        player: A specification, an agent, or a function of the model.
        num_games: Number of games.
        name: What identifies the player in the table and the data set; None for its specification,
            or ``module:name`` of a function.
        first_seed: The seed of the first game; the next ones are larger by 1 each.
        exploration: As in `play`.
        code: A number that changes with the files of the player, as a checksum of them does. Games
            with another number are played again; without it, delete the table when a file changes.
        workers: Number of processes; None for joblib's default, 1. It does not change the games.

    Raises:
        RuntimeError: If a game fails, as by an illegal action. The rows of other games stay.
        ValueError: If an argument is out of range, the player has no specification, or the table
            is another one.
    """
    num_games = check_count("num_games", num_games, 1, MAX_GAMES)
    first_seed = check_count("first_seed", first_seed, 0, MAX_SEED)
    check_number("exploration", exploration, 0, 1)
    if name is None:
        name = make(player).specification if isinstance(player, str) else written(player)
    jobs = [
        {
            "setup": setup.name,
            "player": name,
            "exploration": float(exploration),
            "package": __version__,
            "code": code,
            "seed": seed,
        }
        for seed in range(first_seed, first_seed + num_games)
    ]
    rows = run_experiment(table, partial(_row, player), jobs, workers=workers)
    games = [_game_of(*row) for row in zip(rows["seed"], rows["game"], strict=True)]
    return Dataset(setup, name, float(exploration), games)


def _row(player: Player, /, setup: str, seed: int, exploration: float, **_: Any) -> dict[str, str]:
    """The cells of a game: its numbers without the seed, as JSON."""
    columns = play(Setup.named(setup), player, seed, exploration)[1:]
    outcomes, actions, values, is_random, scores = (column.tolist() for column in columns)
    values = [None if np.isnan(value) else value for value in values]
    return {"game": json.dumps([outcomes, actions, values, is_random, scores])}


def _game_of(seed: int, cell: str) -> Game:
    return Game.of(int(seed), *json.loads(cell))


def play(setup: Setup, player: Player, seed: int, exploration: float = 0.0) -> Game:
    """Plays a game with one player in all seats.

    Without exploration it is the game that `agents.game.play_game` plays, but a program gets seeds
    of the game and the seat, see `agents.engine`.

    Args:
        setup: The kind of game.
        player: A specification, an agent, or a function of the model.
        seed: The seed of the game.
        exploration: The probability that a move is drawn from the legal ones in place of the
            player's. Players are told these moves, too.
    """
    model = setup(seed)
    players, draws = seat([seeded(player, seed, i) for i in range(setup.num_players)], seed)
    explorer = Rng(np.random.SeedSequence(seed).spawn(2 + setup.num_players)[-1])
    moves: list[tuple[int, float | None, bool]] = []

    def explore(player: Player, model: ForwardModel) -> Ply:
        if is_random := explorer.random() < exploration:
            ply = Ply(model.current_player(), model.sample_action(explorer))
        else:
            ply = choose(player, model)
        index = int(np.searchsorted(model.legal_actions(), ply.action))
        moves.append((index, ply.value, is_random))
        return ply

    outcomes = [LETTERS.index(letter) for letter in order_of(model) or ""]
    plies = play_model(model, players, draws, choose=explore).plies
    outcomes += [ply.action for ply in plies if ply.player == CHANCE]
    actions, values, is_random_of = zip(*moves, strict=True)
    return Game.of(seed, outcomes, actions, values, is_random_of, model.scores)
