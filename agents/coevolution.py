"""Evolves formulas for playouts: individuals play against each other, and the better ones breed.

An individual is a formula that values positions (`agents.PositionFormula`). In a game, MCTS plays
for it, with rollouts that choose by the formula (`agents.EvolvedRollout`). Its fitness is its share
of the points: of its games against other individuals, and of those against fixed opponents if there
are *guides*; games against guides that it did not get to meet count as lost.

A run writes these files to its folder as it goes:

- ``settings.json``: the settings of the run;
- ``individuals.csv``: a row for every individual of every generation, with its formula and games;
- ``measurements.csv``: games of the fittest individuals against fixed opponents, which do not count
  for fitness;
- ``generations.csv``: a row for every generation;
- ``finals.csv``: more games of those that were measured best, to choose the champion.

A run that was interrupted, or killed, continues when it is started again, and its results do not
depend on the number of workers. Needs the extra ``experiments``.

Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE
Transactions on Computational Intelligence and AI in Games 6(4), 2014.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from agents.agent import Agent
from agents.arena import MAX_SEED, num_columns
from agents.catalogue import NamedGame, make_game
from agents.checks import check_count, check_fields, check_number, checked, extra
from agents.csv_tables import write_table
from agents.evolving.typed_gp import Operators, Tree
from agents.experiment import run_experiment
from agents.files import write_file
from agents.formulas.position_formula import PositionFormula
from agents.formulas.position_text import MAX_DEPTH
from agents.game import check_fit, play_game
from agents.mcts.planner import MCTS
from agents.mcts.rollouts import EvolvedRollout
from agents.registry import make

with extra("experiments", __name__):
    import pandas as pd
    from tqdm import tqdm

    from agents.progress import progress_bar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_SIZE = 10**6
INDIVIDUALS, MEASUREMENTS = "individuals.csv", "measurements.csv"
FINALS, GENERATIONS, SETTINGS = "finals.csv", "generations.csv", "settings.json"


@dataclass(frozen=True)
class Settings:
    """Settings of a run; the defaults are those of the publication.

    Attributes:
        game: The game, a specification for `agents.games.make` with two players.
        playouts: Iterations of MCTS a move.
        branching: Number of random actions among which a formula chooses.
        generations: Number of generations.
        population: Number of individuals, 2 or more.
        games: Games of each individual as player 0; it plays as many as player 1.
        c: Exploration constant for returns from -1 to 1: twice the published 0.7, which is for
            returns from 0 to 1.
        reuse_tree: Whether MCTS keeps its tree from move to move; False in the publication for Hex.
        max_depth: Largest depth of a formula, 1 to `position_text.MAX_DEPTH`.
        crossover: Probability of crossover between two parents.
        mutation: Probability that a child mutates.
        local_mutation: Probability that a mutation at a part of type F changes its factor only.
        guides: Specifications of fixed opponents that count for fitness, in the order in which an
            individual meets them.
        guide_games: Games of each individual against a guide, in alternate seats.
        guide_cutoff: Points in the games against a guide, of `guide_games`, that an individual
            needs to meet the next one.
        opponents: Specifications of the fixed opponents in the measurements, all different.
        measured_games: Games of the fittest individual against each of `opponents`, in alternate
            seats; an odd number is rounded up.
        measured_every: Number of generations from one measurement to the next.
        seed: Seed of the run, 0 or more.
    """

    game: str
    playouts: int = checked(100, check_count, 1, MAX_SIZE)
    branching: int = 4
    generations: int = checked(100, check_count, 1, MAX_SIZE)
    population: int = checked(120, check_count, 2, MAX_SIZE)
    games: int = checked(25, check_count, 1, MAX_SIZE)
    c: float = 1.4
    reuse_tree: bool = True
    max_depth: int = checked(15, check_count, 1, MAX_DEPTH)
    crossover: float = checked(0.8, check_number, 0, 1)
    mutation: float = checked(0.2, check_number, 0, 1)
    local_mutation: float = checked(0.5, check_number, 0, 1)
    guides: tuple[str, ...] = ()
    guide_games: int = checked(4, check_count, 0, MAX_SEED)
    guide_cutoff: float = 2.0
    opponents: tuple[str, ...] = ()
    measured_games: int = checked(20, check_count, 1, MAX_SIZE)
    measured_every: int = checked(1, check_count, 1, MAX_SIZE)
    seed: int = checked(0, check_count, 0, MAX_SEED)

    def __post_init__(self) -> None:
        check_fields(self)
        check_number("guide_cutoff", self.guide_cutoff, 0, self.guide_games)
        model = make_game(self.game, seed=0)
        if model.num_players != 2:
            raise ValueError(f"game must have two players, {self.game!r} has {model.num_players}")
        if not model.indicators:
            raise ValueError(f"game must have indicators for formulas, {self.game!r} has none")
        for opponent in (*self.guides, *self.opponents):
            check_fit(make(opponent), model)
        if len(set(self.opponents)) < len(self.opponents):
            raise ValueError(f"opponents must differ, got {self.opponents!r}")
        self.player("0")

    def player(self, formula: str, seed: Any = None) -> Agent:
        """The MCTS that plays by a formula."""
        options = {"rollout_policy": EvolvedRollout(formula, self.branching), "seed": seed}
        return MCTS(self.playouts, self.c, reuse_tree=self.reuse_tree, **options)


def evolve(folder: str | Path, settings: Settings, *, workers: int | None = None) -> pd.DataFrame:
    """Runs an evolution, or the rest of it if the folder holds the beginning of the same one.

    Args:
        folder: Where the files are written. It must be a new one after a change of the game or its
            indicators, which the files do not record.
        settings: The settings. To go on after the end, raise `Settings.generations`. With fewer
            generations than before, the record is shorter; the games of the others stay.
        workers: Number of processes; None for joblib's default (`agents.backends.backend`).

    Returns:
        A row for each generation. ``generation`` is its number, from 0. ``fitness`` and
        ``best_fitness`` are shares of the points: the mean, and that of the fittest individual.
        ``size`` and ``best_size`` are numbers of nodes: the mean, and that of the fittest.
        ``points_0``, ``points_1``, ... are the shares of the points of the fittest against each of
        `Settings.opponents`, NaN without a measurement. ``formula`` is that of the fittest.

    Raises:
        RuntimeError: If a game fails, or another run is writing to a table in the folder.
        ValueError: If the folder holds a run with other settings, or a damaged file.
    """
    folder = Path(folder)
    _keep_settings(folder, settings)
    rows: list[dict[str, Any]] = []
    count = settings.population * settings.generations
    desc = f"evolving {settings.game}"
    with progress_bar(total=count, desc=desc, unit="individual") as progress:
        run = _Run(folder, settings, workers, progress)
        for generation, population in enumerate(run.populations()):
            rows.append(run.summary(generation, population))
            best = f"{rows[-1]['best_fitness']:.2f}"
            progress.set_postfix(generation=generation, best=best)
            write_table(folder / GENERATIONS, pd.DataFrame(rows))
    return pd.DataFrame(rows)


def _keep_settings(folder: Path, settings: Settings) -> None:
    """Writes the settings; refuses a folder of a run that differs in more than its length."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / SETTINGS
    if path.exists():
        found = _read_json(path)
        mine = json.loads(json.dumps(asdict(settings)))
        for name in mine:
            if name != "generations" and found.get(name) != mine[name]:
                raise ValueError(
                    f"{folder} holds a run with {name}={found.get(name)!r}, got {mine[name]!r}"
                )
    write_file(path, json.dumps(asdict(settings), indent=1) + "\n")


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (RecursionError, ValueError) as error:
        raise ValueError(f"{path} is damaged, it holds no settings: {error}") from error
    if not isinstance(values, dict):
        raise ValueError(f"{path} holds no settings, got {values!r}")
    return values


def read_settings(folder: str | Path) -> Settings:
    """The settings of the run in a folder.

    Raises:
        OSError: If the folder holds no run.
        ValueError: If the file of the settings is damaged, or names a game of a collection: such
            a game may read files, and has no indicators.
    """
    path = Path(folder) / SETTINGS
    values = _read_json(path)
    if ":" in str(values.get("game")):
        raise ValueError(f"{path} must name an installed game, got {values['game']!r:.80}")
    tuples = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
    try:
        return Settings(**{**values, **tuples})
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged, it holds no settings: {error}") from error


# Generations


@dataclass(frozen=True)
class _Run:
    """A run that goes on, and its progress bar, which counts individuals."""

    folder: Path
    settings: Settings
    workers: int | None
    progress: tqdm[Any]

    def populations(self) -> Iterator[pd.DataFrame]:
        """Yields the table of each generation: its formulas, fitness and games."""
        settings = self.settings
        indicators = make_game(settings.game, seed=0).indicators
        rng = random.Random(f"{settings.seed} start")
        operators = Operators(indicators, settings.max_depth, rng)
        trees = [operators.random_tree() for _ in range(settings.population)]
        for generation in range(settings.generations):
            table = self.play(generation, list(map(str, trees)))
            yield table
            operators.rng = random.Random(f"{settings.seed} {generation}")
            trees = _next_generation(trees, table["fitness"].tolist(), operators, settings)

    def play(self, generation: int, formulas: list[str]) -> pd.DataFrame:
        """Plays the games of a generation: a row for each individual, with its fitness."""
        settings = self.settings
        jobs = [
            {"generation": generation, "individual": i, "seed": settings.seed}
            for i in range(settings.population)
        ]
        function, path = partial(_individual_row, settings, formulas), self.folder / INDIVIDUALS
        table = run_experiment(path, function, jobs, workers=self.workers, progress=self.progress)
        if table["formula"].tolist() != formulas:
            raise ValueError(f"{path} holds another run: its formulas differ from this one's")
        fitness = table["guide_points"].to_numpy(float, copy=True)
        possible = 2 * settings.games + settings.guide_games * len(settings.guides)
        for i, games in enumerate(zip(table["met"], table["points"], strict=True)):
            met, points = ([float(cell) for cell in text.split()] for text in games)
            fitness[i] += sum(points)
            for other, point in zip(met, points, strict=True):
                fitness[int(other)] += 1 - point
        return table.assign(fitness=fitness / possible)

    def summary(self, generation: int, table: pd.DataFrame) -> dict[str, Any]:
        """The row of a generation, with the measurements of its fittest individual."""
        best = table.iloc[int(table["fitness"].to_numpy().argmax())]
        row = {
            "generation": generation,
            "fitness": table["fitness"].mean(),
            "best_fitness": best["fitness"],
            "size": table["size"].mean(),
            "best_size": int(best["size"]),
        }
        opponents, games = self.settings.opponents, self.settings.measured_games
        shares = [float("nan")] * len(opponents)
        if opponents and generation % self.settings.measured_every == 0:
            path, formulas = self.folder / MEASUREMENTS, {generation: best["formula"]}
            options = {"workers": self.workers, "progress": progress_bar(disable=True)}
            pairs = range((games + 1) // 2)
            found = _shares(path, self.settings, formulas, opponents, pairs, **options)
            shares = [float(found[generation, opponent]) for opponent in opponents]
        row |= {f"points_{i}": share for i, share in enumerate(shares)}
        return {**row, "formula": best["formula"]}


def _next_generation(
    trees: Sequence[Tree], fitness: Sequence[float], operators: Operators, settings: Settings
) -> list[Tree]:
    """The children of a generation; parents are drawn by tournaments of two."""
    rng = operators.rng

    def winner() -> int:
        one, two = rng.randrange(len(trees)), rng.randrange(len(trees))
        return one if fitness[one] >= fitness[two] else two

    children: list[Tree] = []
    while len(children) < len(trees):
        first, second = winner(), winner()
        pair = trees[first], trees[second]
        if rng.random() < settings.crossover:
            pair = operators.crossed(*pair, is_fitter=fitness[first] >= fitness[second])
        children += [
            operators.mutated(child, settings.local_mutation)
            if rng.random() < settings.mutation
            else child
            for child in pair
        ]
    return children[: len(trees)]


# Games


def _met(settings: Settings, generation: int) -> list[list[int]]:
    """The opponents that each individual meets as player 0.

    Every round seats the individuals in a random circle, and each of them meets its neighbour. So
    all of them play as many games as player 0 and as player 1, and nobody meets itself.
    """
    rng = random.Random(f"{settings.seed} {generation} games")
    met: list[list[int]] = [[] for _ in range(settings.population)]
    for _ in range(settings.games):
        circle = rng.sample(range(settings.population), settings.population)
        for one, other in zip(circle, [*circle[1:], circle[0]], strict=True):
            met[one].append(other)
    return met


def _individual_row(
    settings: Settings, formulas: list[str], generation: int, individual: int, seed: int
) -> dict[str, Any]:
    """The games of an individual as player 0, and against the guides."""
    met = _met(settings, generation)[individual]
    mine = formulas[individual]
    points = [
        _points(settings, (mine, formulas[other]), (seed, generation, individual, game))
        for game, other in enumerate(met)
    ]
    guide_games, guide_points = _guided(settings, mine, (seed, generation, individual))
    return {
        "formula": mine,
        "size": PositionFormula(mine).size,
        "met": " ".join(map(str, met)),
        "points": " ".join(f"{point:g}" for point in points),
        "guide_games": guide_games,
        "guide_points": guide_points,
    }


def _guided(settings: Settings, formula: str, seeds: tuple[int, ...]) -> tuple[int, float]:
    """Games and points against the guides, up to the first one who is too strong."""
    played, total = 0, 0.0
    for number, guide in enumerate(settings.guides, start=settings.games):
        points = against(settings, formula, guide, range(settings.guide_games), (*seeds, number))
        played += settings.guide_games
        total += points
        if points < settings.guide_cutoff:
            break
    return played, total


def against(
    settings: Settings, formula: str, opponent: str, games: range, seeds: tuple[int, ...]
) -> float:
    """The points of a formula in games against an opponent; it is player 0 in the even ones."""
    total = 0.0
    for game in games:
        seats: Any = (formula, make(opponent, seed=_seed(seeds, game)))
        point = _points(settings, seats[:: 1 if game % 2 == 0 else -1], (*seeds, game))
        total += point if game % 2 == 0 else 1 - point
    return total


def _points(
    settings: Settings, seats: tuple[str | Agent, str | Agent], seeds: tuple[int, ...]
) -> float:
    """The points of player 0 in a game: 1, 0.5 or 0. A seat is a formula or an agent."""
    players = [
        settings.player(player, _seed(seeds, seat)) if isinstance(player, str) else player
        for seat, player in enumerate(seats)
    ]
    number = int(_seed(seeds, 2).generate_state(1)[0])
    first, second = play_game(NamedGame(settings.game), players, number).returns
    return 0.5 + 0.5 * ((first > second) - (first < second))


def _seed(seeds: tuple[int, ...], number: int) -> np.random.SeedSequence:
    """A seed of its own for every path; lists of entropy that differ by a last 0 share theirs."""
    entropy, *path = seeds
    return np.random.SeedSequence(entropy, spawn_key=(*path, number))


# Measurements


def _shares(
    path: Path,
    settings: Settings,
    formulas: Mapping[int, str],
    opponents: Sequence[str],
    pairs: range,
    **options: Any,
) -> pd.Series:
    """The shares of the points of formulas, by generation and opponent, in pairs of games."""
    jobs = [
        {"generation": generation, "opponent": opponent, "pair": pair, "seed": settings.seed}
        for generation in formulas
        for opponent in opponents
        for pair in pairs
    ]
    table = run_experiment(path, partial(_pair_row, settings, formulas), jobs, **options)
    return table.groupby(["generation", "opponent"])["points"].mean()


def _pair_row(
    settings: Settings,
    formulas: Mapping[int, str],
    generation: int,
    opponent: str,
    pair: int,
    seed: int,
) -> dict[str, Any]:
    """The share of the points of a generation's formula in two games, one in each seat."""
    games = range(2 * pair, 2 * pair + 2)
    points = against(settings, formulas[generation], opponent, games, (seed, generation))
    return {"points": points / 2}


def champion(
    folder: str | Path,
    settings: Settings,
    record: pd.DataFrame,
    *,
    finalists: int = 8,
    games: int = 200,
    workers: int | None = None,
) -> tuple[PositionFormula, float]:
    """The best formula of a run, chosen by games against the first of `Settings.opponents`.

    Args:
        folder: The folder of the run.
        settings: Its settings.
        record: The table that `evolve` returned.
        finalists: Number of formulas that play: those with the highest ``points_0``.
        games: Games of each finalist, in alternate seats; an even number.
        workers: Number of processes; None for joblib's default.

    Returns:
        The formula, simplified, and its share of the points. The share is too high as an estimate,
        because the best of several is chosen by it.

    Raises:
        RuntimeError: As `evolve`.
        ValueError: If the run has no measurements, a number is out of range, or the table of
            earlier finals is damaged.
    """
    if not settings.opponents:
        raise ValueError("settings.opponents must name an opponent, got none")
    finalists = check_count("finalists", finalists, 1, MAX_SIZE)
    games = check_count("games", games, 2, MAX_SIZE)
    if games % 2:
        raise ValueError(f"games must be even, so that both seats get as many, got {games}")
    measured = record.dropna(subset="points_0").drop_duplicates("formula")
    best = measured.nlargest(finalists, "points_0")
    formulas = dict(zip(best["generation"].tolist(), best["formula"], strict=True))
    first = settings.measured_games  # pairs of games that the measurements did not play
    path, opponent = Path(folder) / FINALS, settings.opponents[0]
    pairs = range(first, first + games // 2)
    found = _shares(path, settings, formulas, [opponent], pairs, workers=workers)
    winner = max(formulas, key=lambda generation: float(found[generation, opponent]))
    return PositionFormula(formulas[winner]).simplified(), float(found[winner, opponent])


def figure(record: pd.DataFrame) -> Figure:
    """Pictures of fitness, points against the fixed opponents, and sizes, by generation.

    `record` is what `evolve` returned, or wrote as ``generations.csv``.
    """
    with extra("experiments", "a figure"):
        from matplotlib.figure import Figure

    picture = Figure(figsize=(12, 3.6), layout="constrained")
    fitness, points, sizes = picture.subplots(1, 3)
    for ax, columns in ((fitness, ("best_fitness", "fitness")), (sizes, ("best_size", "size"))):
        for column, label in zip(columns, ("fittest", "mean"), strict=True):
            ax.plot(record["generation"], record[column], label=label)
        ax.legend(frameon=False)
    for i in range(num_columns(record, "points")):
        shares = record[f"points_{i}"]
        points.plot(record["generation"], shares, ".", color=f"C{i}", alpha=0.4)
        smooth = shares.rolling(9, center=True, min_periods=1).mean()
        points.plot(record["generation"], smooth, color=f"C{i}", label=f"opponent {i}")
    points.axhline(0.5, color="0.7", linewidth=0.8)
    labels = "share of points in coevolution", "share of points of the fittest", "nodes"
    for ax, label in zip((fitness, points, sizes), labels, strict=True):
        ax.set_xlabel("generation")
        ax.set_ylabel(label)
    return picture
