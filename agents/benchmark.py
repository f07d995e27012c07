"""Benchmarks: frozen lists of tasks on which players are measured, and their results.

A `Benchmark` fixes games, rivals and seeds. In a *task* for one player, the measure is the final
score. In a task for more players, the measured player meets each rival, which plays all other
seats, from every seat; the measure is the share of the points, where the best result of a game is
one point, shared if several players have it. Intervals allow for the games of one seed, which share
their chance outcomes.

A result has the hash of its benchmark: of the tasks, the rivals with all that their names stand
for, and the version of this distribution. Results with another hash are never compared with it.
Needs the extra ``experiments``.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from agents.agent import PlayerError
from agents.catalogue import NamedGame
from agents.checks import extra, suggestion
from agents.engine import seeded
from agents.evaluation import half_width
from agents.experiment import run_experiment
from agents.files import write_file
from agents.forward_model import ForwardModel
from agents.game import Player, play_game
from agents.registry import make
from agents.version import __version__

with extra("experiments", __name__):
    import pandas as pd

FIRST_SEED = 1_000_000
"""The first seed of the measured games; all lower ones are free for development."""
QUICK_SEEDS = 2
"""Number of seeds of each task and rival in a quick run, which uses seeds for development."""
KINDS = ("planner", "learner", "agent", "program")
"""Kinds of players: specifications, learned policies, code of one's own, other programs."""
FAILURES = ("illegal action", "timeout", "crash", "bad answer")
MAX_MESSAGE = 400
"""Characters of the message of a failure."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+()=, -]{0,79}")
"""Names of players, which are names of files and stand in tables."""


@dataclass(frozen=True)
class Task:
    """A game of a benchmark.

    Attributes:
        name: Its name.
        game: Its specification for `agents.catalogue.make_game`.
        seats: Number of players.
        num_seeds: Number of seeds; each is played from every seat against every rival.
        note: What a reader of the results should know.
    """

    name: str
    game: str
    seats: int
    num_seeds: int
    note: str = ""

    @property
    def unit(self) -> str:
        """What the measure is: "score" for one player, else "points"."""
        return "score" if self.seats == 1 else "points"


@dataclass(frozen=True)
class Benchmark:
    """A versioned list of tasks.

    Attributes:
        name: Its name with its version.
        tasks: The tasks.
        rivals: Specifications of the rivals by name. Their budgets are no times.
        weights: A checksum of the files of weights by which the rivals decide.
    """

    name: str
    tasks: tuple[Task, ...]
    rivals: Mapping[str, str]
    weights: int = 0

    @property
    def hash(self) -> str:
        """12 hexadecimal digits, which change with all that decides a result but code."""
        rivals = {name: make(text).specification for name, text in self.rivals.items()}
        facts = [asdict(self), rivals, FIRST_SEED, __version__]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:12]

    def chosen(self, names: Sequence[str]) -> list[Task]:
        """The tasks with these names; all for no names."""
        known = {task.name: task for task in self.tasks}
        for name in names:
            if name not in known:
                hint = suggestion(name, known)
                raise ValueError(f"task must be one of {', '.join(known)}, got {name!r}{hint}")
        return [known[name] for name in names] or list(self.tasks)

    def rivals_of(self, task: Task) -> list[str]:
        """The names of the rivals of a task; one empty name if nobody else plays."""
        return [""] if task.seats == 1 else list(self.rivals)


def play(
    benchmark: Benchmark,
    name: str,
    player: Player,
    identity: str,
    folder: Path,
    tasks: Sequence[Task],
    *,
    is_quick: bool = False,
    workers: int | None = None,
) -> pd.DataFrame:
    """Plays the games of a player that have not been played yet: a row for each game.

    The rows are kept in ``games/NAME.csv`` of the folder; `identity` is a text that changes with
    the player. A quick run plays `QUICK_SEEDS` development seeds in place of the measured ones. A
    game that fails for another reason than those below, such as a planner that does not fit it,
    raises RuntimeError.

    Columns: ``benchmark``, the hash; ``entry``, the identity; ``task``, ``rival``, ``seat``,
    ``seed``. ``score``, the final score or, in games without scores, the return; ``points``, 0 to
    1; ``lead`` over the best other score; ``moves`` and ``seconds`` of the player. ``failure`` is
    how the player failed, one of `FAILURES`, or "", and ``message`` says more. It then has no
    points, the score 0, and the numbers not known are missing.
    """
    same = {"benchmark": benchmark.hash, "entry": identity}
    measured = {task: range(FIRST_SEED, FIRST_SEED + task.num_seeds) for task in tasks}
    jobs = [
        {**same, "task": task.name, "rival": rival, "seat": seat, "seed": seed}
        for task in tasks
        for seed in (range(QUICK_SEEDS) if is_quick else measured[task])
        for rival in benchmark.rivals_of(task)
        for seat in range(task.seats)
    ]
    function = partial(_row, {task.name: task for task in tasks}, dict(benchmark.rivals), player)
    return run_experiment(folder / "games" / f"{name}.csv", function, jobs, workers=workers)


def _row(
    tasks: Mapping[str, Task],
    rivals: Mapping[str, str],
    player: Player,
    *,
    task: str,
    rival: str,
    seat: int,
    seed: int,
    **_: str,
) -> dict[str, Any]:
    """Plays a game: the results of its row."""
    player = seeded(player, seed, seat)
    seated = [player if i == seat else rivals[rival] for i in range(tasks[task].seats)]
    try:
        record = play_game(NamedGame(tasks[task].game), seated, seed, measure=_scores)
    except PlayerError as error:  # the rivals are ours, and break no rules
        if error.kind not in FAILURES:  # the player refuses the game, so it has no result
            raise
        missing = dict.fromkeys(("lead", "moves", "seconds"))
        message = " ".join(str(error).split())[:MAX_MESSAGE]
        return {"score": 0.0, "points": 0.0, **missing, "failure": error.kind, "message": message}
    own = [ply.seconds for ply in record.plies if ply.player == seat]
    scores = record.measures["scores"] or record.returns
    others = [score for i, score in enumerate(scores) if i != seat]
    best = max(record.returns)
    is_best = record.returns[seat] == best
    return {
        "score": float(scores[seat]),
        "points": is_best / record.returns.count(best),
        "lead": float(scores[seat] - max(others)) if others else None,
        "moves": len(own),
        "seconds": round(sum(own), 6),
        "failure": "",
        "message": "",
    }


def _scores(model: ForwardModel) -> dict[str, Any]:
    return {"scores": getattr(model, "scores", None)}


# Results


def result_of(
    benchmark: Benchmark, name: str, kind: str, identity: str, games: pd.DataFrame
) -> dict[str, Any]:
    """The result of a player, as JSON can express it, from what `play` returned.

    ``benchmark``, ``hash`` and ``version``; ``name``, ``entry`` (the identity) and ``kind``, one of
    `KINDS`, of the player. ``tasks`` by name, each with ``unit``, ``mean``, its ``half_width`` (95%
    by Student's t over the seeds; rivals have equal weight), ``ms_per_move`` (None if no game was
    finished), ``failures`` by kind, and the same numbers by rival in ``rivals``, with the mean
    ``lead``.
    """
    tasks = {}
    for task in benchmark.chosen(games["task"].unique().tolist()):
        played = games[games["task"] == task.name]
        tasks[task.name] = _summary(task, played)
        if task.seats > 1:
            by_rival = played.groupby("rival", sort=False)
            rivals = {str(rival): _summary(task, rows) for rival, rows in by_rival}
            tasks[task.name]["rivals"] = rivals
    return {
        "benchmark": benchmark.name,
        "hash": benchmark.hash,
        "version": __version__,
        "name": name,
        "entry": identity,
        "kind": kind,
        "tasks": tasks,
    }


def _summary(task: Task, games: pd.DataFrame) -> dict[str, Any]:
    """The measure of some games, its interval, times and failures."""
    by_seed = games.groupby("seed")[task.unit].mean()
    moves = games["moves"].sum()
    failures = games["failure"][games["failure"] != ""].value_counts()
    return {
        "unit": task.unit,
        "games": len(games),
        "mean": round(float(by_seed.mean()), 4),
        "half_width": round(half_width(by_seed), 4),
        "lead": None if games["lead"].isna().all() else round(float(games["lead"].mean()), 3),
        "ms_per_move": round(1000 * float(games["seconds"].sum() / moves), 4) if moves else None,
        "failures": {str(kind): int(count) for kind, count in failures.items()},
    }


def save(result: Mapping[str, Any], folder: Path) -> Path:
    """Writes a result to ``results/NAME.json`` and returns the path.

    Tasks that an earlier result of the same player and hash has, and this one lacks, stay.
    """
    path = folder / "results" / f"{result['name']}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    earlier = _read(path) if path.exists() else {}
    is_same = all(earlier.get(key) == result[key] for key in ("hash", "entry"))
    tasks = {**(earlier["tasks"] if is_same else {}), **result["tasks"]}
    write_file(path, json.dumps({**result, "tasks": tasks}, indent=1) + "\n")
    return path


def load(folder: Path, benchmark: Benchmark) -> tuple[list[dict[str, Any]], list[str]]:
    """The results of a benchmark in a folder, and the names of those with another hash.

    If there is no result, or a file holds none, it raises ValueError.
    """
    digest = benchmark.hash
    found = [_read(path) for path in sorted((folder / "results").glob("*.json"))]
    results = [result for result in found if result["hash"] == digest]
    others = [result["name"] for result in found if result["hash"] != digest]
    if not results:
        raise ValueError(
            f"{folder / 'results'} must hold results of {benchmark.name!r} with the hash {digest}, "
            f"got {len(others)} of others"
        )
    for result in results:
        for task in benchmark.chosen([*result["tasks"]]):
            rivals = result["tasks"][task.name].get("rivals", {"": None})
            if [*rivals] != benchmark.rivals_of(task):
                raise ValueError(f"the result {result['name']!r} lacks rivals in {task.name!r}")
    return results, others


def _read(path: Path) -> dict[str, Any]:
    """The result in a file, which anybody may have written."""
    try:
        result: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        if result["name"] != path.stem or not NAME.fullmatch(path.stem):
            raise ValueError(f"its name must be that of the file, got {result['name']!r:.80}")
        if result["kind"] not in KINDS:
            raise ValueError(f"kind must be one of {KINDS}, got {result['kind']!r:.80}")
        if not result["tasks"]:
            raise ValueError("tasks must be one or more, got none")
        for task in result["tasks"].values():
            for measured in (task, *task.get("rivals", {}).values()):
                _check_measured(**measured)
        _ = result["hash"], result["entry"]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} holds no result of a benchmark: {error!r:.300}") from None
    return result


def _check_measured(
    *, mean: Any, half_width: Any, ms_per_move: Any, games: Any, failures: Any, **_: Any
) -> None:
    """Raises an error unless the numbers are numbers."""
    numbers = [mean, half_width, games, *failures.values()]
    numbers += [] if ms_per_move is None else [ms_per_move]
    if not all(0 <= number <= sys.float_info.max for number in numbers):
        raise ValueError(f"numbers must be finite and 0 or more, got {numbers}")
    if ms_per_move == 0:
        raise ValueError("ms_per_move must be greater than 0, or null, got 0")
    if unknown := [kind for kind in failures if kind not in FAILURES]:
        raise ValueError(f"failures must be among {FAILURES}, got {unknown!r:.80}")
