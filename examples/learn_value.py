"""Learns the networks of Carcassonne's heuristic "value" from games of the forecast.

Games for two or more take turns between the base game and that of 24 tiles, games for one between
three meeples and one. The players are greedy on the forecast; a tenth of their moves is any of the
best six. From the positions after a move, the network learns what the forecast expects eight moves
or somewhat more later, when the same player has moved, less what it expects now. This depends less
on luck than the result of the game. It sees a position from the side of the player who moved, in
games for three or more from that of any player.
carcassonne_env/value.pxd describes the network and its inputs. In a further generation, the
players are greedy on the value by the network so far, which also tells what comes eight moves
later; learning goes on from its layers. ``--teacher FILE`` begins with such a network.

The games of every seed are a file in ``--out``, named by the players and the teacher's checksum.
The network of each generation is written, and plays greedily beside the outlook. An interrupted
run plays no game twice; it learns the networks again, in a few minutes each. ``--quick`` shortens
everything to seconds, to see that it runs. Needs the extras ``rl`` and ``experiments``.

    python examples/learn_value.py --jobs 2
    python examples/learn_value.py --jobs 2 --players 1 --generations 10
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import torch
from torch import nn

from agents import CHANCE, Rng, make
from agents.evaluation import half_width
from agents.files import replacing
from agents.game import play_game
from carcassonne_env import CarcassonneModel
from carcassonne_env.outlook import TERMS
from carcassonne_env.value import NUM_INPUTS, SHAPES_OF_LAYERS, load_layers, save_layers, set_layers

GAMES: dict[int, tuple[dict[str, Any], ...]] = {
    1: tuple({"num_players": 1, "num_meeples": n, "tiles": "small"} for n in (3, 1)),
    **{
        n: ({"num_players": n}, {"num_players": n, "num_meeples": 3, "tiles": "small"})
        for n in (2, 3)
    },
}
"""By the number of players: the options of the models, which take turns."""
GAMES_A_FILE = 100
AHEAD = 8
"""After so many moves, or the next multiple of the number of players, the forecast tells what the
network learns."""
EXPLORATION, BEST = 0.1, 6
"""Share of the moves that are drawn from so many best ones."""
BATCH_SIZE = 512
LEARNING_RATE, WEIGHT_DECAY = 2e-3, 1e-2
UNITS, SUMS = SHAPES_OF_LAYERS["features second"]
NUM_POSITION = 2 * len(TERMS) + 2
LEFT, LEAD = NUM_POSITION - 2, NUM_POSITION - 1
"""Indices in the inputs "position"."""
POINTS = 20.0
"""The unit of leads in training."""

Arrays = dict[str, np.ndarray]


# --- Games ---


def play(model: CarcassonneModel, heuristic: str, rng: Rng) -> tuple[list[Arrays], list[float]]:
    """Inputs after each move but the last, and the lead that the player can expect later."""
    player = make(f"expectimax-1-{heuristic}", seed=rng)
    num_players = model.num_players
    inputs: list[Arrays] = []
    sides = []
    leads = []
    while not model.is_terminal():
        if model.current_player() == CHANCE:
            model.apply_action(model.sample_chance(rng))
            continue
        mover = model.current_player()
        found = player.search(model)
        best = found.actions[np.argsort(-found.values)[:BEST]]
        is_random = rng.random() < EXPLORATION
        model.apply_action(int(best[int(rng.random() * len(best))]) if is_random else found.action)
        sides.append(mover if num_players <= 2 else int(rng.random() * num_players))
        inputs.append(model.value_inputs(sides[-1]))
        values = [model.heuristic(p, heuristic) for p in range(num_players)]
        leads.append(np.array(values) * model.max_score())
    ahead = AHEAD + -AHEAD % num_players
    later = leads[ahead:] + leads[-1:] * ahead
    return inputs[:-1], [float(lead[side]) for lead, side in zip(later, sides[:-1], strict=False)]


def played(num_players: int, seed: int, path: Path, teacher: Path | None) -> None:
    """Writes the inputs of some games, and what the network is to learn from them."""
    if teacher:
        set_layers(load_layers(teacher), num_players)
    rng = Rng(seed)
    kept: list[Arrays] = []
    targets: list[float] = []
    for game in range(GAMES_A_FILE):
        kinds = GAMES[num_players]
        model = CarcassonneModel(**kinds[game % len(kinds)])
        inputs, later = play(model, "value" if teacher else "forecast", rng)
        kept += inputs
        targets += [lead - at["position"][LEAD] for at, lead in zip(inputs, later, strict=True)]
    arrays = {name: np.concatenate([at[name] for at in kept]) for name in NUM_INPUTS}
    arrays |= {f"{name} count": np.array([len(at[name]) for at in kept]) for name in NUM_INPUTS}
    arrays |= {"position": np.stack([at["position"] for at in kept]), "target": np.array(targets)}
    with replacing(path) as file:
        np.savez(file, **arrays)


class Positions:
    """The positions of some files."""

    def __init__(self, paths: list[Path]):
        files = [dict(np.load(path)) for path in paths]
        arrays = {name: np.concatenate([file[name] for file in files]) for name in files[0]}
        self.target = torch.tensor(arrays["target"] / POINTS, dtype=torch.float32)
        self.position = torch.from_numpy(arrays["position"])
        self.rows = {name: torch.from_numpy(arrays[name]) for name in NUM_INPUTS}
        self.counts = {name: arrays[f"{name} count"] for name in NUM_INPUTS}
        self.starts = {name: np.cumsum(count) - count for name, count in self.counts.items()}

    def rows_of(self, name: str, positions: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
        """The rows of some positions, and for each row the index of its position among these."""
        counts = self.counts[name][positions]
        offsets = np.repeat(self.starts[name][positions] - np.cumsum(counts) + counts, counts)
        owners = np.repeat(np.arange(len(positions)), counts)
        rows = self.rows[name][torch.from_numpy(offsets + np.arange(len(offsets)))]
        return rows.float(), torch.from_numpy(owners)


# --- The network ---


class Network(nn.Module):
    """The network of value.pxd, for inputs divided by their standard deviations.

    It will learn from these positions. Without `layers` to begin with, they are random and correct
    nothing.
    """

    def __init__(self, positions: Positions, layers: Arrays | None):
        super().__init__()
        self.scales = {n: 1 / (rows.float().std(0) + 0.3) for n, rows in positions.rows.items()}
        self.scales["position"] = 1 / (positions.position.std(0) + 0.1)
        self.first = nn.ModuleDict({n: nn.Linear(k + 1, UNITS) for n, k in NUM_INPUTS.items()})
        self.second = nn.ModuleDict({n: nn.Linear(UNITS, SUMS) for n in NUM_INPUTS})
        self.hidden = nn.Linear(NUM_POSITION + len(NUM_INPUTS) * SUMS, UNITS)
        self.output = nn.Linear(UNITS, 1, bias=False)
        self.linear = nn.Linear(NUM_POSITION, 1)
        with torch.no_grad():
            for layer in self.second.values():  # whose outputs are summed over some twenty rows
                layer.weight *= 0.2
            for layer in (self.output, self.linear):
                layer.weight.zero_()
            self.linear.bias.zero_()
            for name, layer, scale in self.scaled_layers() if layers else ():
                layer.copy_(torch.tensor(layers[name]) / scale)

    def forward(self, data: Positions, indices: np.ndarray) -> torch.Tensor:
        """The corrections of some positions, in units of `POINTS`."""
        position = data.position[torch.from_numpy(indices)]
        parts = [position * self.scales["position"]]
        for name in NUM_INPUTS:
            rows, owners = data.rows_of(name, indices)
            left = position[owners, LEFT, None]
            units = self.first[name](torch.cat([rows * self.scales[name], left], 1)).relu()
            sums = torch.zeros(len(indices), SUMS)
            parts.append(sums.index_add(0, owners, self.second[name](units).relu()))
        hidden = self.hidden(torch.cat(parts, 1)).relu()
        return (self.output(hidden) + self.linear(parts[0]))[:, 0]

    def layers(self) -> Arrays:
        """The layers for `carcassonne_env.value`, which takes inputs as they are."""
        return {
            name: (layer * scale).detach().numpy() for name, layer, scale in self.scaled_layers()
        }

    def scaled_layers(self) -> Iterator[tuple[str, torch.Tensor, torch.Tensor]]:
        """The name of each layer, its numbers, and by what they are multiplied for `layers`."""
        one, points = torch.ones(1), torch.tensor(POINTS)
        for name in NUM_INPUTS:
            scale = torch.cat([self.scales[name], one])
            yield f"{name} first", self.first[name].weight.T, scale[:, None]
            yield f"{name} first bias", self.first[name].bias, one
            yield f"{name} second", self.second[name].weight.T, one
            yield f"{name} second bias", self.second[name].bias, one
        scale = self.scales["position"]
        rest = torch.ones(len(NUM_INPUTS) * SUMS)
        yield "hidden", self.hidden.weight.T, torch.cat([scale, rest])[:, None]
        yield "hidden bias", self.hidden.bias, one
        yield "output", self.output.weight[0], points
        yield "linear", self.linear.weight[0], points * scale
        yield "bias", self.linear.bias, points


def batches(count: int, epochs: int) -> Iterator[np.ndarray]:
    """Indices of positions, `epochs` times in a random order."""
    rng = np.random.default_rng(0)
    for _ in range(epochs):
        order = rng.permutation(count)
        yield from np.array_split(order, max(count // BATCH_SIZE, 1))


def trained(data: Positions, epochs: int, layers: Arrays | None) -> Network:
    """A network that has learned from the positions; `layers` as in `Network`."""
    torch.manual_seed(0)
    network = Network(data, layers)
    steps = list(batches(len(data.target), epochs))
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=len(steps) + 1, pct_start=0.1
    )
    for indices in steps:
        target = data.target[torch.from_numpy(indices)]
        loss = nn.functional.huber_loss(network(data, indices), target)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
    return network


def errors(network: Network, data: Positions) -> tuple[float, float]:
    """The root mean squared error of the network, and of the forecast alone, in points."""
    parts = np.array_split(np.arange(len(data.target)), len(data.target) // 1000 + 1)
    with torch.no_grad():
        rest = torch.cat([network(data, part) for part in parts]) - data.target
    return tuple(POINTS * float((error**2).mean().sqrt()) for error in (rest, data.target))


# --- The script ---


def name_of(teacher: Path | None) -> str:
    """The checksum of a network, or "forecast"."""
    return f"{zlib.crc32(teacher.read_bytes()):08x}" if teacher else "forecast"


def files_of(args: argparse.Namespace, teacher: Path | None) -> list[Path]:
    """The files of games; runs with other players or another teacher have others."""
    kind = f"{args.players}_{name_of(teacher)}"
    seeds = range(max(args.games // GAMES_A_FILE, 2))
    return [args.out / f"games_{kind}_{seed}.npz" for seed in seeds]


def gain(num_players: int, seed: int) -> float:
    """What a seat gains if it plays by the value, not the outlook: points of its lead or score."""
    start = CarcassonneModel(**GAMES[num_players][0])
    seat = seed % num_players
    players = ["expectimax-1-outlook"] * num_players
    before = play_game(start, players, seed).returns[seat]
    players[seat] = "expectimax-1-value"
    return (play_game(start, players, seed).returns[seat] - before) * start.max_score()


def main(args: argparse.Namespace) -> None:
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # the same network, however many cores there are
    kind, teacher = f"{args.players}_{name_of(args.teacher)}", args.teacher
    for generation in range(1, args.generations + 1):
        paths = files_of(args, teacher)
        joblib.Parallel(args.jobs)(
            joblib.delayed(played)(args.players, seed, path, teacher)
            for seed, path in enumerate(paths)
            if not path.exists()
        )
        written = args.out / f"network_{kind}_{generation}.npz"
        learn(args, paths, written, teacher)
        teacher = written


def learn(args: argparse.Namespace, games: list[Path], written: Path, teacher: Path | None) -> None:
    """Learns a network from files of games, writes it, and tells what it gains."""
    num_held_out = len(games) // 20 + 1
    held_out, rest = Positions(games[:num_held_out]), Positions(games[num_held_out:])
    network = trained(rest, args.epochs, load_layers(teacher) if teacher else None)
    layers = network.layers()
    save_layers(written, layers)
    learned, forecast = errors(network, held_out)
    set_layers(layers, args.players)
    gains = pd.Series([gain(args.players, seed) for seed in range(args.pairs)])
    print(
        f"{written}: {len(rest.target):,} positions, error {learned:.2f}, of the forecast "
        f"{forecast:.2f}, gain over the outlook {gains.mean():.1f} ± {half_width(gains):.1f} points"
    )


def arguments(words: list[str] | None = None) -> Any:
    """The options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--players", type=int, choices=GAMES, default=2)
    parser.add_argument("--games", type=int, default=30_000, help="of each generation")
    parser.add_argument("--generations", type=int, default=1)
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument(
        "--pairs", type=int, default=300, help="pairs of games that measure a network"
    )
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--teacher", type=Path, help="a network to begin with; else the forecast")
    parser.add_argument("--out", type=Path, default=Path("results/value"))
    parser.add_argument("--quick", action="store_true")
    args = parser.parse_args(words)
    if args.quick:
        args.games, args.epochs, args.pairs = 2 * GAMES_A_FILE, 1, 4
        args.out /= "quick"
    return args


if __name__ == "__main__":
    main(arguments())
