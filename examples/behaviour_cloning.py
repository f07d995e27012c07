"""A network learns to play Carcassonne as a planner does, from games of the planner.

The games are a data set, which the script records, or reads with ``--data`` from a file that
``carcassonne dataset`` wrote. The network is that of baselines/network.py. It learns to choose the
action that the player chose (behaviour cloning). On a tenth of the games, which are held out, the
script measures how often both choose the same, and how often the player itself does with another
seed, as it breaks ties at random. At last the network, which is then in a file that
`carcassonne_env.NetworkAgent` plays, meets players on seeds that are not in the data set; a game
for two is played in both seats. Needs PyTorch and the extra ``experiments``.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from agents import Agent, make
from agents.evaluation import evaluate
from baselines.network import SETTINGS, Rater, sizes_of, tensors
from carcassonne_env import NetworkAgent
from carcassonne_env.dataset import Batch, Dataset, batches, load_dataset
from carcassonne_env.game_setup import Setup
from carcassonne_env.play.recording import record

SETUP, PLAYER = Setup(num_players=1, num_meeples=3, tiles="small"), "expectimax-1-outlook"


def positions(dataset: Dataset, games: np.ndarray) -> Iterator[Batch]:
    """Batches of positions in which the network sees the action played: 997 of 1,000."""
    for batch in batches(dataset, **SETTINGS, games=games.tolist()):
        is_seen = batch.actions < SETTINGS["max_rows"]
        observations = {name: array[is_seen] for name, array in batch.observations.items()}
        yield Batch(observations, *(column[is_seen] for column in batch[1:]))


def learn(network: Rater, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """A step of learning; returns the loss."""
    loss = cross_entropy(network(tensors(batch.observations)), torch.from_numpy(batch.actions))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def repeated(player: Agent, dataset: Dataset, games: np.ndarray) -> float:
    """The share of moves that the player, with another seed, chooses again."""
    moves = itertools.chain(*map(dataset.replay, games))
    same = [player.choose(model) == step.action for model, step in moves if not step.is_random]
    return float(np.mean(same))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--data", type=Path, help="file of a data set, in place of recording one")
    parser.add_argument("--games", type=int, default=2000, help="games to record")
    parser.add_argument("--epochs", type=int, default=5, help="passes over the games")
    parser.add_argument("--episodes", type=int, default=200, help="games at the end")
    parser.add_argument("--rivals", nargs="+", default=[PLAYER, "random"], help="at the end")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    args = parser.parse_args()
    if args.quick:
        args.games, args.epochs, args.episodes = 20, 1, 2
    if min(args.epochs, args.episodes) < 1:
        parser.error("--epochs and --episodes must be 1 or more")
    torch.manual_seed(0)
    torch.set_num_threads(1)  # a second thread helps on an idle machine and harms on a busy one
    if args.data:
        dataset = load_dataset(args.data)
    else:
        dataset = record(args.out / "cloned_games.csv", SETUP, PLAYER, args.games)
    if len(dataset.games) < 10:
        parser.error(f"a tenth is held out: 10 games or more are needed, got {len(dataset.games)}")
    setup, player = dataset.setup, make(dataset.player, seed=1)  # not after hours of learning
    rivals = {name: make(name, seed=0) for name in args.rivals}
    rng = np.random.default_rng(0)
    held_out, games = np.split(rng.permutation(len(dataset.games)), [len(dataset.games) // 10])
    first = next(batches(dataset, **SETTINGS, size=1))
    network = Rater(*sizes_of({name: array[0] for name, array in first.observations.items()}))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        losses = [learn(network, optimizer, b) for b in positions(dataset, rng.permutation(games))]
        same = [network.best(b.observations) == b.actions for b in positions(dataset, held_out)]
        shares = np.mean(losses), np.concatenate(same).mean()
        print("epoch {}: loss {:.3f}, agreement {:.1%}".format(epoch + 1, *shares), flush=True)
    file = args.out / "clone.npz"
    args.out.mkdir(parents=True, exist_ok=True)
    network.save(file, setup(0).num_tiles, setup.num_players)
    print(f"agreement of the player with itself: {repeated(player, dataset, held_out[:20]):.1%}")
    table = evaluate(
        NetworkAgent(str(file)),
        "Carcassonne-1p-3m-s" if setup.num_players == 1 else "Carcassonne-2p-7m-s",
        args.episodes,
        rivals,
        range(900_000, 900_000 + args.episodes),  # benchmarks leave them to development
        both_seats=setup.num_players > 1,
        num_players=setup.num_players,
        num_meeples=setup.num_meeples,
        tiles=setup.tiles,
        deterministic=setup.known_order,
    )
    print(table.round(2).to_string(index=False))
    print(f"Network: {file}")


if __name__ == "__main__":
    main()
