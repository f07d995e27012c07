"""A network learns to play single-player Carcassonne as expectimax-1-outlook does, from its games.

The games are a data set, which the script records, or reads with ``--data`` from a file that
``carcassonne dataset`` wrote. The network is that for actions of carcassonne_learner.py. It learns
to choose the action that the player chose (behaviour cloning). On a tenth of the games, which are
held out, the script measures how often both choose the same, and how often the player itself does
with another seed, as it breaks ties at random. At last the network plays on seeds that are not in
the data set. Needs the extras ``rl`` and ``experiments``.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from torch.nn.functional import cross_entropy

from agents import make
from agents.evaluation import evaluate
from carcassonne_env.dataset import Batch, Dataset, batches, load_dataset
from carcassonne_env.game_setup import Setup
from carcassonne_env.play.recording import record
from carcassonne_learner import SETTINGS, ActionExtractor, ActionHeads

NAME, SETUP = "Carcassonne-1p-3m-s", Setup(num_players=1, num_meeples=3, tiles="small")
PLAYER, SHOWN = "expectimax-1-outlook", SETTINGS["actions"]


class Clone(torch.nn.Module):
    """The network."""

    def __init__(self) -> None:
        super().__init__()
        space = gymnasium.make(NAME, **SHOWN).observation_space
        self.extractor, self.heads = ActionExtractor(space), ActionHeads(space)

    def forward(self, observations: dict[str, np.ndarray]) -> torch.Tensor:
        """The logits of the first actions, float[batch, rows]; -1e8 for illegal ones."""
        tensors = {name: torch.from_numpy(array) for name, array in observations.items()}
        logits = self.heads.forward_actor(self.extractor(tensors))
        return logits.masked_fill(tensors["action_mask"][:, : logits.shape[1]] == 0, -1e8)

    def best(self, observations: dict[str, np.ndarray]) -> np.ndarray:
        """The best actions: int64[batch]."""
        with torch.inference_mode():
            return self(observations).argmax(dim=1).numpy()

    def predict(self, observation: dict[str, np.ndarray], *, deterministic: bool) -> Any:
        """The best action, as `agents.evaluation.evaluate` asks for it."""
        return self.best({name: array[None] for name, array in observation.items()})[0], None


def positions(dataset: Dataset, games: np.ndarray) -> Iterator[Batch]:
    """Batches of positions in which the network sees the action played: 997 of 1,000."""
    for batch in batches(dataset, **SHOWN, games=games.tolist()):
        is_seen = batch.actions < SHOWN["max_rows"]
        observations = {name: array[is_seen] for name, array in batch.observations.items()}
        yield Batch(observations, *(column[is_seen] for column in batch[1:]))


def learn(clone: Clone, optimizer: torch.optim.Optimizer, batch: Batch) -> float:
    """A step of learning; returns the loss."""
    loss = cross_entropy(clone(batch.observations), torch.from_numpy(batch.actions))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


def repeated(dataset: Dataset, games: np.ndarray) -> float:
    """The share of moves that the player chooses again with another seed."""
    player, moves = make(PLAYER, seed=1), itertools.chain(*map(dataset.replay, games))
    same = [player.choose(model) == step.action for model, step in moves if not step.is_random]
    return float(np.mean(same))


def main() -> None:
    """Records, learns and measures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--data", type=Path, help="file of a data set, in place of recording one")
    parser.add_argument("--games", type=int, default=2000, help="games to record")
    parser.add_argument("--epochs", type=int, default=5, help="passes over the games")
    parser.add_argument("--episodes", type=int, default=200, help="games at the end")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    args = parser.parse_args()
    if args.quick:
        args.games, args.epochs, args.episodes = 20, 1, 2
    torch.manual_seed(0)
    torch.set_num_threads(1)  # a second thread helps on an idle machine and harms on a busy one
    if args.data:
        dataset = load_dataset(args.data)
        if dataset.setup != SETUP:
            parser.error(f"--data must be of {SETUP.name}, got {dataset.setup.name}")
    else:
        dataset = record(args.out / "cloned_games.csv", SETUP, PLAYER, args.games)
    rng = np.random.default_rng(0)
    held_out, games = np.split(rng.permutation(len(dataset.games)), [len(dataset.games) // 10])
    clone = Clone()
    optimizer = torch.optim.Adam(clone.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        losses = [learn(clone, optimizer, b) for b in positions(dataset, rng.permutation(games))]
        same = [clone.best(b.observations) == b.actions for b in positions(dataset, held_out)]
        shares = np.mean(losses), np.concatenate(same).mean()
        print("epoch {}: loss {:.3f}, agreement {:.1%}".format(epoch + 1, *shares), flush=True)
    print(f"agreement of the player with itself: {repeated(dataset, held_out):.1%}")
    players = {name: make(name, seed=0) for name in (PLAYER, "random")}
    seeds = range(900_000, 900_000 + args.episodes)  # benchmarks leave them to development
    table = evaluate(clone, NAME, args.episodes, players, seeds, **SHOWN)
    print(table[["policy", "episodes", "mean", "half_width", "difference"]].to_string(index=False))


if __name__ == "__main__":
    main()
