"""AlphaZero in one file: a network learns a game for two by playing against itself.

In each generation MCTS plays games with the values and priors of the network ("puct"). The network
then learns to foresee the search: its priors, from the shares of the visits, and its values, from
the mean of the search's value and the result of the game. (The result alone depends on chance that
the network cannot foresee.) Chance is part of the search: the trees hold the tiles that may be
drawn.

The network rates each legal action by a row of numbers, beside those of the position, so one kind
of network fits any game. It sees Hex as stones: all games of a process move in lockstep, so that
one call of the network values positions of all of them (see `MCTS.search_many`). It sees
Carcassonne as the terms of the outlook and corrects what the outlook expects of each action. Before
training it is the outlook, then. C evaluates it in the search, without PyTorch (see
`carcassonne_env.network.NetworkEvaluator`).

Each generation ends with a checkpoint in ``--out``, and the same command continues from it.
``--quick`` shortens everything to seconds, to see that it runs. Needs the extras ``rl`` and
``experiments``.

    python examples/alphazero.py --game carcassonne --minutes 20 --workers 2

Silver et al. (2018), "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play".
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from agents import MCTS, ForwardModel, SearchResult
from agents.backends import end_with
from agents.files import replacing
from agents.game import play_game
from agents.games.hex import Hex
from agents.pictures import save_figure
from agents.progress import progress_bar
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import Encoder
from carcassonne_env.network import (
    ActionNetwork,
    NetworkEvaluator,
    expected_returns,
    save_network,
)

EXPLORATION = 1.25
"""The constant c of PUCT, for values in [-1, 1]."""
ROOT_NOISE = (0.25, 0.3)
OPENING = 8
"""Number of first moves of self-play that are drawn by their visits; the others are the best."""
EPOCHS = 8
"""Number of times that the network learns from each example, on average."""
BATCH_SIZE = 256

Weights = dict[str, torch.Tensor]


# --- Games, as the network sees them ---


class Inputs(NamedTuple):
    """What the network sees of a position, and of each legal action in it."""

    position: np.ndarray
    """float[size]"""
    actions: np.ndarray
    """float[actions, size]"""
    returns: np.ndarray
    """float[actions], the mover's return that a heuristic expects, or zeros"""


def stones(model: ForwardModel) -> Inputs:
    """The stones, and the one that each action lays, as if the mover joined top and bottom."""
    mover = model.current_player()
    planes = model.observation(mover)[:2]
    width = planes.shape[-1]
    laid = np.eye(width * width)[model.legal_actions()].reshape(-1, width, width)
    if mover == 1:
        planes, laid = planes.swapaxes(1, 2), laid.swapaxes(1, 2)
    return Inputs(planes.reshape(-1), laid.reshape(len(laid), -1), np.zeros(len(laid)))


TERM_SCALE = 0.1
"""The factor of the terms of the outlook, most of which are points."""


def outlook_terms(encoder: Encoder, model: ForwardModel) -> Inputs:
    """The position with the terms of its outlook, and what each action changes in these terms."""
    assert isinstance(model, CarcassonneModel)
    mover = model.current_player()
    now = encoder.features(model, mover)
    after = encoder.afterstates(model, mover)[: len(model.legal_actions())]
    position = np.concatenate([encoder.vector(model, mover), TERM_SCALE * now])
    return Inputs(position, TERM_SCALE * (after - now[:-1]), expected_returns(model))


class Task(NamedTuple):
    """A game to learn."""

    start: Callable[[], ForwardModel]
    inputs: Callable[[ForwardModel], Inputs]
    sizes: tuple[int, int]
    """Of what the network sees of an action, and of a position"""
    window: int
    """Number of the latest examples, from which the network learns"""
    scale: float
    """The return of a clear win, which is 1 for the network"""
    gains: tuple[float, float]
    """The first factors of the expected returns for logit and value: what the network corrects"""
    rivals: tuple[str, ...]
    """Specifications of the players to beat; {} is the number of iterations"""
    encoder: Encoder | None = None
    """Of Carcassonne, whose network C evaluates"""


def carcassonne(tiles: str, num_tiles: int, window: int, scale: float, temperature: float) -> Task:
    """Carcassonne for two with a set of tiles, the start tile included.

    At first the actions have the probabilities of what the outlook expects, at this temperature in
    units of the returns.
    """
    encoder = Encoder(num_tiles, 2, "index", observation="features")
    return Task(
        start=partial(CarcassonneModel, 2, 7, tiles),
        inputs=partial(outlook_terms, encoder),
        sizes=(encoder.num_terms, encoder.vector_size + encoder.num_terms + 1),
        window=window,
        scale=scale,
        gains=(1 / temperature, 1 / scale),
        rivals=("mcts(c=0.02, iterations={})", "greedy", "expectimax-1-outlook"),
        encoder=encoder,
    )


TASKS = {
    "carcassonne": carcassonne("small", 24, 20_000, scale=0.2, temperature=0.012),
    "carcassonne-base": carcassonne("base", 72, 60_000, scale=0.04, temperature=0.004),
    "hex": Task(
        start=partial(Hex, 5),
        inputs=stones,
        sizes=(25, 50),
        window=20_000,
        scale=1,
        gains=(0.0, 0.0),
        rivals=("mcts(c=1.4, iterations={})", "expectimax(depth=1, heuristic=distance)"),
    ),
}


# --- The network ---


class Network(nn.Module):
    """Rates each action in its position: a logit, and the value of the position after it."""

    def __init__(self, task: Task, width: int = 64) -> None:
        super().__init__()
        self.actions = nn.Linear(task.sizes[0], width, bias=False)
        self.position = nn.Linear(task.sizes[1], width)
        self.rating = nn.Sequential(
            *(nn.ReLU(), nn.Linear(width, width)),
            *(nn.ReLU(), nn.Linear(width, 2)),
        )
        self.gains = nn.Parameter(torch.tensor(task.gains))
        if any(task.gains):  # the heuristic, as long as nothing is learned
            nn.init.zeros_(self.rating[-1].weight)
            nn.init.zeros_(self.rating[-1].bias)

    def forward(self, inputs: Sequence[Inputs]) -> tuple[torch.Tensor, torch.Tensor]:
        """The policy and the value of each position, for its mover.

        That is: logarithms of probabilities, float[positions, most actions], and the values of the
        actions with the highest ratings, float[positions] in [-1, 1].
        """
        positions, actions, returns = zip(*inputs, strict=True)
        counts = [len(each) for each in actions]
        hidden = self.actions(torch.from_numpy(np.concatenate(actions)).float())
        of_positions = self.position(torch.from_numpy(np.stack(positions)).float())
        hidden = hidden + of_positions.repeat_interleave(torch.tensor(counts), 0)
        expected = torch.from_numpy(np.concatenate(returns)).float()
        ratings = (self.rating(hidden) + expected[:, None] * self.gains).split(counts)
        logits, values = pad_sequence(ratings, batch_first=True, padding_value=-1e9).unbind(2)
        policies = logits.log_softmax(1)
        best = logits.argmax(1, keepdim=True)
        return policies, values.gather(1, best).squeeze(1).tanh()


@torch.no_grad()
def layers_of(encoder: Encoder, network: Network) -> dict[str, np.ndarray]:
    """The weights of the network of Carcassonne as C takes them, for terms that are not scaled."""
    second, third = network.rating[1], network.rating[3]
    scales = torch.ones(network.position.in_features)
    scales[encoder.vector_size :] = TERM_SCALE
    layers = {
        "of_changes": TERM_SCALE * network.actions.weight,
        "of_position": scales * network.position.weight,
        "bias": network.position.bias,
        "rating": second.weight,
        "rating_bias": second.bias,
        "logit": third.weight[0],
        "value": third.weight[1],
        "value_bias": third.bias[1:],
        "outlook": network.gains,
    }
    return {name: layer.numpy() for name, layer in layers.items()}


@torch.inference_mode()
def evaluate(task: Task, network: Network, models: list[ForwardModel]) -> list[Any]:
    """The evaluator of the search: values in units of the returns, and priors."""
    inputs = [task.inputs(model) for model in models]
    policies, values = network(inputs)
    signs = np.array([(1, -1) if model.current_player() == 0 else (-1, 1) for model in models])
    returns = task.scale * values.numpy()[:, None] * signs
    counts = [len(each.actions) for each in inputs]
    priors = [row[:count] for row, count in zip(policies.exp().numpy(), counts, strict=True)]
    return list(zip(returns, priors, strict=True))


def planner(game: str, weights: Weights, iterations: int, **options: Any) -> MCTS:
    """MCTS that asks a network with these weights."""
    task = TASKS[game]
    network = Network(task)
    network.load_state_dict(weights)
    c = EXPLORATION * task.scale
    options |= {"c": c, "tree_policy": "puct", "chance_selection": "stratified"}
    if task.encoder:
        layers = layers_of(task.encoder, network)
        in_c = ActionNetwork(task.encoder.num_tiles, 2, layers, task.scale)
        return MCTS(iterations, evaluator=NetworkEvaluator(in_c), **options)
    return MCTS(iterations, evaluator=partial(evaluate, task, network), batch_size=1, **options)


def searched(search: MCTS, models: list[ForwardModel]) -> list[SearchResult]:
    """The results of many positions."""
    if search.batch_size:
        return search.search_many(models)
    return [search.search(model) for model in models]


# --- Games: against itself, to learn, and against rivals, to measure ---


class Example(NamedTuple):
    """What the network should find in a position."""

    inputs: Inputs
    """In float16"""
    policy: np.ndarray
    """float32[actions], the shares of the visits"""
    value: float
    """In [-1, 1]"""


def self_play(
    game: str, weights: Weights, iterations: int, num_games: int, seed: list[int]
) -> tuple[list[Example], float]:
    """Plays games side by side; returns an example for each move, and the processor time."""
    begin, task, rng = time.process_time(), TASKS[game], np.random.default_rng(seed)
    search = planner(game, weights, iterations, root_noise=ROOT_NOISE, seed=rng)
    models = [task.start() for _ in range(num_games)]
    moves: list[list[SearchResult]] = [[] for _ in models]
    while running := [i for i, model in enumerate(models) if goes_on(model, rng)]:
        results = searched(search, [models[i] for i in running])
        for i, result in zip(running, results, strict=True):
            action = result.action
            if len(moves[i]) < OPENING:
                action = int(rng.choice(result.actions, p=shares(result)))
            models[i].apply_action(action)
            moves[i].append(result)
    examples = [
        example(task, result, model.returns()[result.player])
        for model, results in zip(models, moves, strict=True)
        for result in results
    ]
    return examples, time.process_time() - begin


def goes_on(model: ForwardModel, rng: np.random.Generator) -> bool:
    """Draws chance outcomes; returns whether a player is to move then."""
    while model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    return not model.is_terminal()


def shares(result: SearchResult) -> np.ndarray:
    """The share of the visits of each action."""
    return result.visits / result.visits.sum()


def example(task: Task, result: SearchResult, final: float) -> Example:
    """The example of a move after which the game ended with this return."""
    value = np.clip((result.value + final) / 2 / task.scale, -1, 1)
    inputs = Inputs(*(each.astype(np.float16) for each in task.inputs(result.model)))
    return Example(inputs, shares(result).astype(np.float32), float(value))


def points(game: str, weights: Weights, iterations: int, match: tuple[str, int]) -> float:
    """The points of the network in a game against a rival: 1 for a win, 0.5 for a draw, else 0.

    Games 2k and 2k + 1 have the same draws of chance and exchanged seats.
    """
    rival, number = match
    seed, seat = divmod(number, 2)
    players: list[Any] = [rival, rival]
    players[seat] = planner(game, weights, iterations, seed=number)
    returns = play_game(TASKS[game].start(), players, seed).returns
    return (1 + float(np.sign(returns[seat] - returns[1 - seat]))) / 2


# --- Learning ---


class Learner:
    """The network, its optimizer, the latest examples, and the progress so far.

    The `curve` has a row for each measurement: the minutes of training, and the share of the points
    against each rival.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args = args
        self.rivals = [rival.format(args.iterations) for rival in TASKS[args.game].rivals]
        self.network = Network(TASKS[args.game])
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.examples: list[Example] = []
        self.progress = {"generations": 0, "games": 0, "seconds": 0.0, "processor seconds": 0.0}
        self.curve: list[list[float]] = []

    def player(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of the game, the network and the iterations, for other processes."""
        return partial(function, self.args.game, self.network.state_dict(), self.args.iterations)

    def step(self, pool: Executor) -> float:
        """Goes through one generation; returns the mean loss."""
        args, progress = self.args, self.progress
        begin, cpu = time.monotonic(), time.process_time()
        seeds = [[args.seed, progress["generations"], i] for i in range(args.workers)]
        num_earlier = len(self.examples)
        for examples, seconds in pool.map(partial(self.player(self_play), args.games), seeds):
            self.examples += examples
            progress["processor seconds"] += seconds
        num_batches = EPOCHS * (len(self.examples) - num_earlier) // BATCH_SIZE + 1
        del self.examples[: -TASKS[args.game].window]
        loss = self.learn(num_batches, np.random.default_rng([*seeds[0], 1]))
        progress["generations"] += 1
        progress["games"] += args.games * args.workers
        progress["seconds"] += time.monotonic() - begin
        progress["processor seconds"] += time.process_time() - cpu
        return loss

    def learn(self, num_batches: int, rng: np.random.Generator) -> float:
        """Takes a step of gradient descent for each batch of random examples."""
        total = 0.0
        for _ in range(num_batches):
            chosen = rng.integers(len(self.examples), size=BATCH_SIZE)
            inputs, policies, values = zip(*(self.examples[i] for i in chosen), strict=True)
            found, valued = self.network(inputs)
            wanted = pad_sequence([torch.from_numpy(each) for each in policies], batch_first=True)
            loss = -(wanted * found).sum(1).mean()
            loss = loss + nn.functional.mse_loss(valued, torch.tensor(values))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / num_batches

    def measure(self, pool: Executor, num_games: int) -> list[float]:
        """The shares of the points against the rivals; a bar of its own counts the games."""
        matches = [(rival, number) for rival in self.rivals for number in range(num_games)]
        games = pool.map(self.player(points), matches)
        bar = progress_bar(games, total=len(matches), desc="measuring", unit="game", leave=False)
        won = np.array(list(bar))
        return [float(share) for share in won.reshape(-1, num_games).mean(1)]

    def save(self, path: Path) -> None:
        """Writes a checkpoint; it takes the place of an earlier one once it is complete.

        The network of Carcassonne is also in an .npz file, for ``network-mcts(checkpoint=FILE)``.
        """
        inputs, policies, values = zip(*self.examples, strict=True)
        positions, actions, returns = zip(*inputs, strict=True)
        checkpoint = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "positions": torch.from_numpy(np.stack(positions)),
            "actions": torch.from_numpy(np.concatenate(actions)),
            "returns": torch.from_numpy(np.concatenate(returns)),
            "policies": torch.from_numpy(np.concatenate(policies)),
            "values": values,
            "counts": [len(each) for each in actions],
            "progress": self.progress,
            "curve": self.curve,
        }
        with replacing(path) as file:
            torch.save(checkpoint, file)
        task = TASKS[self.args.game]
        if task.encoder:
            layers = layers_of(task.encoder, self.network)
            num_tiles = task.encoder.num_tiles
            save_network(path.with_suffix(".npz"), num_tiles, 2, layers, task.scale)

    def load(self, path: Path) -> None:
        """Continues from a checkpoint."""
        checkpoint = torch.load(path, weights_only=True)
        self.network.load_state_dict(checkpoint["network"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        names = ("actions", "returns", "policies")
        actions, returns, policies = (
            [part.numpy() for part in checkpoint[name].split(checkpoint["counts"])]
            for name in names
        )
        inputs = map(Inputs, checkpoint["positions"].numpy(), actions, returns)
        self.examples = list(map(Example, inputs, policies, checkpoint["values"]))
        self.progress, self.curve = checkpoint["progress"], checkpoint["curve"]


def train(learner: Learner, pool: Executor, path: Path) -> None:
    """Trains for the minutes asked for, and measures after 0, 1, 2, 4, 8 ... generations."""
    total, progress = 60 * learner.args.minutes, learner.progress
    with progress_bar(
        total=round(total), initial=round(progress["seconds"]), desc="training", unit="s"
    ) as bar:
        while progress["seconds"] < total:
            generation = int(progress["generations"])
            if generation & (generation - 1) == 0:
                found = learner.measure(pool, learner.args.measured_games)
                learner.curve.append([progress["seconds"] / 60, *found])
            loss = learner.step(pool)
            learner.save(path)
            bar.update(round(min(total, progress["seconds"])) - bar.n)
            latest = ", ".join(f"{share:.0%}" for share in learner.curve[-1][1:])
            bar.set_postfix(games=progress["games"], loss=f"{loss:.2f}", points=latest)


def draw(learner: Learner, path: Path) -> None:
    """Draws the shares of the points over the minutes of training."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.subplots()
    minutes, *columns = zip(*learner.curve, strict=True)
    for rival, column in zip(learner.rivals, columns, strict=True):
        ax.plot(minutes, column, marker="o", label=f"against {rival}")
    ax.axhline(0.5, color="0.7", lw=1)
    ax.set(xlabel="minutes of training", ylabel="share of the points", ylim=(0, 1))
    ax.set_title(f"AlphaZero: {learner.args.game}, {learner.args.iterations} iterations a move")
    ax.legend(loc="lower right")
    save_figure(figure, path)


def command_line() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--game", choices=TASKS, default="carcassonne")
    parser.add_argument(
        "--minutes", type=float, default=20, help="of training; games that measure it come on top"
    )
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    parser.add_argument("--iterations", type=int, default=100, help="of the search of each move")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    args = parser.parse_args()
    if args.workers < 1:
        parser.error(f"argument --workers: must be 1 or more, got {args.workers}")
    args.games, args.measured_games, args.final_games = 32, 30, 100
    if args.quick:
        args.minutes, args.workers, args.iterations = 0.005, 1, 10
        args.games = args.measured_games = args.final_games = 2
    return args


def announcement(learner: Learner) -> str:
    """What the run will do, and how long."""
    args, num_rivals = learner.args, len(learner.rivals)
    return (
        f"{args.minutes:g} minutes of training in all, {learner.progress['seconds'] / 60:.0f} of "
        f"them done. Not in this time: {num_rivals * args.measured_games} games against the rivals "
        f"after 0, 1, 2, 4, 8 ... generations, and {num_rivals * args.final_games} at the end."
    )


def begin_worker(run: int) -> None:
    """Prepares a process that plays: it ends with the run, and computes in one thread."""
    end_with(run)
    torch.set_num_threads(1)  # more help little, and the other processes need them


def main() -> None:
    args = command_line()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"alphazero_{args.game}_{args.iterations}.pt"
    torch.set_num_threads(1)
    learner = Learner(args)
    if path.exists():
        learner.load(path)
    spawned = multiprocessing.get_context("spawn")  # forks of a process with threads may hang
    print(announcement(learner))
    with ProcessPoolExecutor(args.workers, spawned, begin_worker, (os.getpid(),)) as pool:
        train(learner, pool, path)
        found = learner.measure(pool, args.final_games)
    learner.curve.append([learner.progress["seconds"] / 60, *found])
    draw(learner, path.with_suffix(".png"))
    print(", ".join(f"{name}: {value:,.0f}" for name, value in learner.progress.items()))
    for rival, share in zip(learner.rivals, found, strict=True):
        print(f"{share:.1%} of the points in {args.final_games} games against {rival}")


if __name__ == "__main__":
    main()
