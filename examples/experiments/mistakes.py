"""What players lose in positions in which good players erred, by long rollouts.

The script asks each player for its move in each position of a file. The loss of the move is the
difference of two means: of the final leads after the better move that the file names, and of those
after the player's move. After either move, both players go on greedily on the outlook to the end of
the game, and both moves meet the same draws of tiles. `find_mistakes.py` makes such a file. Choose
another ``--out`` after you change the file or a player.

``python examples/experiments/mistakes.py --players uct expectimax-1-outlook``
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from report import Option, Report, grid, groups_by, markdown, run, with_interval

from agents.experiment import run_experiment
from agents.game import choose, seat
from agents.mcts.names import rollout_policy_of
from agents.rng import Rng, Seed
from carcassonne_env import CarcassonneModel
from carcassonne_env.game_setup import Setup

FILE = Path(__file__).with_name("mistakes.json")
TREE = "strongest(iterations=300)"
GREEDY = "expectimax-1-outlook"
PLAYERS = ("strongest(iterations=2300)", TREE, GREEDY, "greedy")
TILES = {"2p-7m-base-s": "72 tiles", "2p-7m-small-s": "24 tiles"}
STAGES = ("first third", "second third", "last third")

Position = dict[str, Any]
"""A position of the file: a move that was ``played``, after ``actions``, and a ``better`` one.

``lead`` is the mean lead after the better move, in points. The played move loses ``loss``, the mean
over the same ``draws``, with its standard ``error``; in the first draws it lost ``first_loss``.
"""


def main(report: Report) -> None:
    args, positions = report.args, positions_of(report.args.file)
    jobs = grid(player=args.players, position=positions, seed=[args.seed])
    moves = run_experiment(report.path("moves"), partial(move_of, args.file), jobs)
    pairs = moves[["position", "action"]].drop_duplicates().itertuples(index=False)
    jobs = [
        {"position": name, "action": action, "draws": args.draws, "seed": args.seed}
        for name, action in pairs
    ]
    losses = run_experiment(report.path("losses"), partial(loss_in, args.file), jobs)
    table = moves.merge(losses[["position", "action", "loss", "in_file"]])
    stages = pd.Series({name: stage_of(position) for name, position in positions.items()})
    table["stage"] = table["position"].map(stages)
    table["tiles"] = table["position"].map(lambda name: TILES[positions[name]["setup"]])
    report.section(
        "Mean losses",
        f"{len(positions)} positions: points that a move loses to the better move of the file, "
        f"± half of the 95% confidence interval. Moves that the file does not have were compared "
        f"with the better one in {args.draws} draws; *known* is the share of the others.",
        markdown(["player", "CPU ms", "known", "all", *TILES.values(), *STAGES], lines_of(table)),
    )


def positions_of(path: Path) -> dict[str, Position]:
    """The positions of a file by name."""
    positions = json.loads(path.read_text(encoding="utf-8"))
    return {f"{p['setup']}, game {p['seed']}, ply {len(p['actions'])}": p for p in positions}


def model_of(position: Position) -> CarcassonneModel:
    """The position before the move."""
    model = Setup.named(position["setup"])(position["seed"])
    for action in position["actions"]:
        model.apply_action(action)
    return model


def move_of(path: Path, player: str, position: str, seed: int) -> dict[str, Any]:
    """The move of a player, and its time."""
    model = model_of(positions_of(path)[position])
    (agent,), _ = seat([player], seed)
    start = time.process_time()
    action = choose(agent, model).action
    return {"action": action, "seconds": time.process_time() - start}


def loss_in(path: Path, position: str, action: int, draws: int, seed: int) -> dict[str, Any]:
    """What a move loses to the better one of the file, which has the played move's loss."""
    known = positions_of(path)[position]
    if action == known["better"]:
        return {"loss": 0.0, "error": 0.0, "in_file": True}
    if action == known["played"]:
        return {"loss": known["loss"], "error": known["error"], "in_file": True}
    leads = leads_after(model_of(known), [known["better"], action], draws, seed)
    loss, error = loss_of(*leads.T)
    return {"loss": loss, "error": error, "in_file": False}


def stage_of(position: Position) -> str:
    """The third of the game in which a position is."""
    model = model_of(position)
    return STAGES[len(STAGES) * (len(model.board) - 1) // (model.num_tiles - 1)]


def lines_of(table: pd.DataFrame) -> Iterator[list[str]]:
    """A row for each player: the mean losses over all positions and by group."""
    for player, rows in groups_by(table, "player").items():
        groups = [
            *(rows[rows["tiles"] == tiles] for tiles in TILES.values()),
            *(rows[rows["stage"] == stage] for stage in STAGES),
        ]
        means = [with_interval(group["loss"], 2) for group in (rows, *groups)]
        milliseconds = f"{1000 * rows['seconds'].mean():.1f}"
        yield [f"`{player}`", milliseconds, f"{100 * rows['in_file'].mean():.0f} %", *means]


# --- Rollouts ---


def leads_after(
    model: CarcassonneModel, actions: list[int], count: int, seed: Seed
) -> NDArray[np.float64]:
    """The final leads of the player to move, on the same draws: float64[count, actions], points."""
    policy = rollout_policy_of("greedy(heuristic=outlook)")
    player, leads = model.current_player(), np.empty((count, len(actions)))
    future, after = model.clone(), model.clone()
    for row, rng in zip(leads, Rng(seed).spawn(count), strict=True):
        future.copy_from(model)
        future.determinize(rng)
        for i, action in enumerate(actions):
            after.copy_from(future)
            after.apply_action(action)
            row[i] = policy.simulate(after, rng.copy())[player]
    return leads * model.max_score()


def loss_of(better: NDArray[np.float64], leads: NDArray[np.float64]) -> tuple[float, float]:
    """What a move loses to a better one on the same draws, and the standard error."""
    losses = better - leads
    return float(losses.mean()), float(losses.std(ddof=1) / np.sqrt(len(losses)))


if __name__ == "__main__":
    run(
        main,
        "Mistakes",
        players=Option(PLAYERS, "whose moves are valued", quick=(GREEDY,)),
        file=Option(FILE, "the positions"),
        draws=Option(400, "for a move that the file does not have", quick=4, least=2),
        seed=Option(0, "of the players and of the draws", least=0),
    )
