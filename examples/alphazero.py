"""AlphaZero in one file: a network learns a game for two by playing against itself.

Each generation plays games in which MCTS searches every move with the values and priors of the
network ("puct"). The shares of the visits become the network's targets for the priors. The target
for the value is the mean of the search's value and of the result: the search has seen many chance
outcomes, and the game only one. All games of a process move in lockstep, so that the network values
positions of all of them at once (`MCTS.search_many`).

The network rates each legal action by the position after it, so one small network fits games with
any actions. It sees Hex as stones, and Carcassonne as the terms of its outlook without their
weights. Chance is part of the search: the tree of Carcassonne holds the tiles that may be drawn.

Every generation ends with a checkpoint in ``--out``, where the same command goes on. ``--quick``
shortens everything to seconds, to see that it runs. Needs the extras ``rl`` and ``experiments``.

    python examples/alphazero.py --game carcassonne --minutes 20 --workers 2

Silver et al. (2018), "A general reinforcement learning algorithm that masters chess, shogi, and Go
through self-play".
"""

from __future__ import annotations

import argparse
import multiprocessing
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
from tqdm import tqdm

from agents import MCTS, ForwardModel, SearchResult
from agents.game import play_game
from agents.games.hex import Hex
from carcassonne_env import CarcassonneModel
from carcassonne_env.encoding import Encoder

Weights = dict[str, torch.Tensor]

BATCH_SIZE = 256
EPOCHS = 8
"""How often each example is learned from, on average."""

# --- Games, as the network sees them ---


def after_stones(model: ForwardModel) -> np.ndarray:
    """Both players' stones after each action, as if the mover joined top and bottom."""
    mover = model.current_player()
    own, other = model.observation(mover)[:2]
    actions = model.legal_actions()
    rows = np.tile(np.stack([own, other]), (len(actions), 1, 1, 1))
    rows.reshape(len(actions), -1)[np.arange(len(actions)), actions] = 1
    return (rows if mover == 0 else rows.swapaxes(2, 3)).reshape(len(actions), -1)


ENCODER = Encoder(24, 2, "index", observation="features")


def after_tiles(model: ForwardModel) -> np.ndarray:
    """The terms of the outlook after each action, what it changes, and the share of tiles left."""
    assert isinstance(model, CarcassonneModel)
    mover = model.current_player()
    now = ENCODER.features(model, mover)
    after = ENCODER.afterstates(model, mover)[: len(model.legal_actions())]
    left = np.full((len(after), 1), 10 * now[-1])
    return np.float32(0.1) * np.concatenate([after, after - now[:-1], left], axis=1)


class Task(NamedTuple):
    """A game to learn."""

    start: Callable[[], ForwardModel]
    rows: Callable[[ForwardModel], np.ndarray]
    """The network's input: float32[actions, size], a row for each legal action"""
    size: int
    scale: float
    """The return of a clear win, which is 1 for the network"""
    opening: int
    """Number of first moves of self-play that are drawn by their visits"""
    rivals: tuple[str, ...]
    """Specifications of the players to beat, with a place for the number of iterations"""


TASKS = {
    "carcassonne": Task(
        start=partial(CarcassonneModel, 2, 7, "small"),
        rows=after_tiles,
        size=2 * ENCODER.num_terms + 1,
        scale=0.2,
        opening=8,
        rivals=("mcts(c=0.02, iterations={})", "greedy"),
    ),
    "hex": Task(
        start=partial(Hex, 5),
        rows=after_stones,
        size=50,
        scale=1,
        opening=6,
        rivals=("mcts(c=1.4, iterations={})", "greedy(heuristic=distance)"),
    ),
}


# --- The network ---


class Network(nn.Module):
    """Rates each action by its row: a logit, and the value of the position after it."""

    def __init__(self, size: int, width: int = 128) -> None:
        super().__init__()
        self.rating = nn.Sequential(
            *(nn.Linear(size, width), nn.ReLU()),
            *(nn.Linear(width, width), nn.ReLU()),
            nn.Linear(width, 2),
        )

    def forward(self, positions: Sequence[torch.Tensor]) -> tuple[torch.Tensor, torch.Tensor]:
        """The policy and the value of each position, for its mover.

        Args:
            positions: float[actions, size] each.

        Returns:
            Logarithms of probabilities, float[positions, most actions], and values in [-1, 1],
            float[positions]: those of the actions, weighted by their probabilities.
        """
        ratings = self.rating(torch.cat(list(positions))).split([len(rows) for rows in positions])
        logits, values = pad_sequence(ratings, batch_first=True, padding_value=-1e9).unbind(2)
        policies = logits.log_softmax(1)
        return policies, (policies.exp() * values.tanh()).sum(1)


class Evaluator:
    """The network as an evaluator for `MCTS`, in the units of the returns."""

    def __init__(self, task: Task, network: Network) -> None:
        self.task, self.network = task, network

    @torch.inference_mode()
    def __call__(self, models: list[ForwardModel]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Values for both players, and a prior probability for each legal action."""
        rows = [self.task.rows(model) for model in models]
        policies, values = self.network([torch.from_numpy(each) for each in rows])
        signs = [(1, -1) if model.current_player() == 0 else (-1, 1) for model in models]
        returns = self.task.scale * values.numpy()[:, None] * np.array(signs)
        priors = policies.exp().numpy()
        return [(returns[i], priors[i, : len(each)]) for i, each in enumerate(rows)]


def planner(game: str, weights: Weights, iterations: int, **options: Any) -> MCTS:
    """MCTS that asks a network with these weights."""
    task = TASKS[game]
    network = Network(task.size)
    network.load_state_dict(weights)
    return MCTS(
        iterations,
        c=1.25 * task.scale,
        tree_policy="puct",
        evaluator=Evaluator(task, network),
        batch_size=1,
        **options,
    )


# --- Self-play ---


class Example(NamedTuple):
    """What the network should answer about a position, for its mover."""

    rows: np.ndarray
    """float16[actions, size], the network's input"""
    policy: np.ndarray
    """float32[actions], the share of the visits of each"""
    value: float
    """In [-1, 1]"""


def self_play(
    game: str, weights: Weights, iterations: int, num_games: int, seed: list[int]
) -> tuple[list[Example], float]:
    """Plays games in lockstep.

    Returns:
        An example for each move, and the processor time in seconds.
    """
    start, task, rng = time.process_time(), TASKS[game], np.random.default_rng(seed)
    search = planner(game, weights, iterations, root_noise=(0.25, 0.3), seed=rng)
    models = [task.start() for _ in range(num_games)]
    moves: list[list[SearchResult]] = [[] for _ in models]
    while running := [i for i, model in enumerate(models) if goes_on(model, rng)]:
        for i, result in zip(
            running, search.search_many([models[i] for i in running]), strict=True
        ):
            is_opening = len(moves[i]) < task.opening
            models[i].apply_action(drawn(result, rng) if is_opening else result.action)
            moves[i].append(result)
    examples = [
        example(task, result, model.returns())
        for model, results in zip(models, moves, strict=True)
        for result in results
    ]
    return examples, time.process_time() - start


def goes_on(model: ForwardModel, rng: np.random.Generator) -> bool:
    """Draws chance outcomes; returns whether a player is to move then."""
    while model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    return not model.is_terminal()


def drawn(result: SearchResult, rng: np.random.Generator) -> int:
    """An action drawn by the visits."""
    return int(rng.choice(result.actions, p=result.visits / result.visits.sum()))


def example(task: Task, result: SearchResult, returns: np.ndarray) -> Example:
    """The example of one move of a game with these returns."""
    value = (result.value + returns[result.player]) / 2 / task.scale
    policy = result.visits / result.visits.sum()
    rows = task.rows(result.model).astype(np.float16)
    return Example(rows, policy.astype(np.float32), float(np.clip(value, -1, 1)))


# --- Matches ---


def points(game: str, weights: Weights, iterations: int, rival: str, number: int) -> float:
    """The points of the network in one game: 1 for a win, 0.5 for a draw, 0 for a loss.

    Games 2k and 2k + 1 have the same chance outcomes and exchanged seats.
    """
    seed, seat = divmod(number, 2)
    players: list[Any] = [rival, rival]
    players[seat] = planner(game, weights, iterations, seed=number)
    returns = play_game(TASKS[game].start(), players, seed).returns
    return (1 + np.sign(returns[seat] - returns[1 - seat])) / 2


# --- Learning ---


class Learner:
    """The network, its optimizer, the latest examples, and the progress so far.

    Attributes:
        progress: The number of generations and games, and the wall and processor time in seconds.
        curve: A row for each evaluation: the minutes of training, and the share of the points
            against each rival.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        torch.manual_seed(args.seed)
        self.args = args
        self.network = Network(TASKS[args.game].size)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=1e-3)
        self.examples: list[Example] = []
        self.progress = {"generations": 0, "games": 0, "seconds": 0.0, "processor seconds": 0.0}
        self.curve: list[list[float]] = []

    def step(self, pool: Executor) -> float:
        """One generation: self-play, then learning; returns the mean loss."""
        args, progress = self.args, self.progress
        begin, cpu = time.monotonic(), time.process_time()
        seeds = [[args.seed, progress["generations"], i] for i in range(args.workers)]
        weights = self.network.state_dict()
        play = partial(self_play, args.game, weights, args.iterations, args.games)
        num_new = 0
        for examples, seconds in pool.map(play, seeds):
            self.examples += examples
            num_new += len(examples)
            progress["processor seconds"] += seconds
        del self.examples[: -args.window]
        loss = self.learn(EPOCHS * num_new // BATCH_SIZE + 1, np.random.default_rng(seeds[0]))
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
            rows, policies, values = zip(*(self.examples[i] for i in chosen), strict=True)
            loss = self.loss(rows, policies, torch.tensor(values))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            total += loss.item()
        return total / num_batches

    def loss(self, rows: Any, policies: Any, values: torch.Tensor) -> torch.Tensor:
        """The cross-entropy of the policies and the squared error of the values."""
        found, valued = self.network([torch.from_numpy(each).float() for each in rows])
        wanted = pad_sequence([torch.from_numpy(each) for each in policies], batch_first=True)
        return -(wanted * found).sum(1).mean() + nn.functional.mse_loss(valued, values)

    def measure(self, pool: Executor, num_games: int) -> list[float]:
        """The shares of the points against the rivals."""
        args = self.args
        shares = []
        for rival in rivals(args.game, args.iterations):
            play = partial(points, args.game, self.network.state_dict(), args.iterations, rival)
            shares.append(float(np.mean(list(pool.map(play, range(num_games))))))
        return shares

    def save(self, path: Path) -> None:
        """Writes a checkpoint, in place of an earlier one only once it is complete."""
        rows, policies, values = zip(*self.examples, strict=True)
        checkpoint = {
            "task": task_of(self.args),
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "rows": torch.from_numpy(np.concatenate(rows)),
            "policies": torch.from_numpy(np.concatenate(policies)),
            "values": values,
            "sizes": [len(each) for each in rows],
            "progress": self.progress,
            "curve": self.curve,
        }
        torch.save(checkpoint, path.with_suffix(".new"))
        path.with_suffix(".new").replace(path)

    def load(self, path: Path) -> None:
        """Goes on from a checkpoint.

        Raises:
            ValueError: If it is that of another game, seed or number of iterations.
        """
        checkpoint = torch.load(path, weights_only=True)
        if checkpoint["task"] != task_of(self.args):
            raise ValueError(
                f"{path} is of {checkpoint['task']}, not {task_of(self.args)}: choose another --out"
            )
        self.network.load_state_dict(checkpoint["network"])
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        columns = [
            [part.numpy() for part in checkpoint[name].split(checkpoint["sizes"])]
            for name in ("rows", "policies")
        ]
        self.examples = list(map(Example, *columns, checkpoint["values"]))
        self.progress, self.curve = checkpoint["progress"], checkpoint["curve"]


def task_of(args: argparse.Namespace) -> dict[str, Any]:
    """What must not change while a network learns."""
    return {"game": args.game, "iterations": args.iterations, "seed": args.seed}


def rivals(game: str, iterations: int) -> list[str]:
    """The specifications of the players to beat."""
    return [rival.format(iterations) for rival in TASKS[game].rivals]


# --- The command ---


def train(learner: Learner, pool: Executor, path: Path) -> None:
    """Trains for the minutes of the command line, and evaluates ten times on the way."""
    args = learner.args
    total = 60 * args.minutes
    done = learner.progress["seconds"]
    with tqdm(total=round(total), initial=round(done), unit="s", desc=args.game) as bar:
        while True:
            done = learner.progress["seconds"]
            if done >= total * len(learner.curve) / 10:
                shares = learner.measure(pool, args.games_on_the_way)
                learner.curve.append([done / 60, *shares])
            if done >= total:
                return
            loss = learner.step(pool)
            learner.save(path)
            bar.update(round(min(total, learner.progress["seconds"])) - bar.n)
            mcts, greedy = (f"{share:.0%}" for share in learner.curve[-1][1:])
            bar.set_postfix(
                games=learner.progress["games"], loss=f"{loss:.2f}", mcts=mcts, greedy=greedy
            )


def draw(learner: Learner, path: Path) -> None:
    """Draws the shares of the points over the minutes of training."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    ax = figure.subplots()
    minutes, *shares = zip(*learner.curve, strict=True)
    args = learner.args
    for rival, share in zip(rivals(args.game, args.iterations), shares, strict=True):
        ax.plot(minutes, share, marker="o", label=f"against {rival}")
    ax.axhline(0.5, color="0.7", lw=1)
    title = f"AlphaZero, {args.game}, {args.iterations} iterations a move"
    ax.set(xlabel="minutes of training", ylabel="share of the points", title=title, ylim=(0, 1))
    ax.legend(loc="lower right")
    figure.savefig(path, dpi=150)


def command_line() -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--game", choices=TASKS, default="carcassonne")
    parser.add_argument("--minutes", type=float, default=20, help="of training, evaluation apart")
    parser.add_argument("--workers", type=int, default=2, help="processes that play")
    parser.add_argument("--iterations", type=int, default=100, help="of the search for each move")
    parser.add_argument("--games", type=int, default=32, help="in lockstep in each process")
    parser.add_argument("--window", type=int, default=20_000, help="latest examples to learn from")
    parser.add_argument("--final-games", type=int, default=100, help="against each rival")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder to write to")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    args = parser.parse_args()
    args.games_on_the_way = 40
    if args.quick:
        args.minutes, args.workers, args.iterations, args.games = 0.02, 1, 10, 2
        args.games_on_the_way = args.final_games = 2
    return args


def main() -> None:
    """Trains or goes on training, evaluates, and writes the curve and a table."""
    args = command_line()
    args.out.mkdir(parents=True, exist_ok=True)
    path = args.out / f"alphazero_{args.game}.pt"
    torch.set_num_threads(1)
    learner = Learner(args)
    if path.exists():
        learner.load(path)
    spawned = multiprocessing.get_context("spawn")  # forks of a process with threads may hang
    with ProcessPoolExecutor(args.workers, spawned, torch.set_num_threads, (1,)) as pool:
        train(learner, pool, path)
        shares = learner.measure(pool, args.final_games)
    draw(learner, path.with_suffix(".png"))
    print(", ".join(f"{name}: {value:,.0f}" for name, value in learner.progress.items()))
    for rival, share in zip(rivals(args.game, args.iterations), shares, strict=True):
        print(f"{share:.1%} of the points in {args.final_games} games against {rival}")


if __name__ == "__main__":
    main()
