"""Benchmarks: games, measures, what is kept apart, the leaderboard and the command."""

from __future__ import annotations

import json
import math
import re
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import make
from agents.agent import Agent, PlayerError, RandomAgent
from agents.benchmark import FIRST_SEED, Benchmark, Task, load, play, result_of, save
from agents.catalogue import NamedGame
from agents.cli.options import code_of, player_of
from agents.engine import EngineError, ProcessAgent
from agents.evaluation import half_width
from agents.game import play_game
from agents.games import make as make_game
from agents.leaderboard import figure, page
from carcassonne_env import CarcassonneModel
from carcassonne_env.cli.benchmark import _entrants
from carcassonne_env.measures import final_scores
from carcassonne_env.play.benchmark import V1
from carcassonne_env.players import weights
from commands import assert_refused, run_here
from test_engine import LAST, game_seeds, program

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
SMALL = "carcassonne(num_players={}, num_meeples=2, tiles={{'D': 2, 'E': 2, 'V': 2}})"
ALONE = Task("alone", SMALL.format(1), 1, 3, "All alone.")
THREE = Task("three", SMALL.format(3), 3, 2)
TOY = Benchmark("Toys v1", (ALONE, THREE), {"random": "random", "greedy": "greedy"})


def first(model: Any) -> int:
    return int(model.legal_actions()[0])


class Broken(Agent):
    """Plays the first action, and fails with the third."""

    def __init__(self, error: Callable[[], Exception]) -> None:
        self.error = error
        self.moves = 0

    def choose(self, model: Any) -> int:
        self.moves += 1
        if self.moves == 3:
            raise self.error()
        return first(model)


def crash() -> PlayerError:
    return EngineError("crash", "the program ended")


def games_of(player: Any, folder: Path, tasks: list[Task] | None = None, **options: Any) -> Any:
    return play(TOY, "me", player, "me=1", folder, tasks or list(TOY.tasks), **options)


def test_every_seat_meets_every_rival_with_the_seeds(tmp_path):
    table = games_of(first, tmp_path)
    assert len(table) == 3 + 2 * 3 * 2
    assert (table["benchmark"] == TOY.hash).all()
    alone, three = table[table["task"] == "alone"], table[table["task"] == "three"]
    assert alone["seed"].tolist() == [FIRST_SEED + i for i in range(3)]
    keys = three[["seed", "rival", "seat"]].drop_duplicates()
    assert len(keys) == 12
    assert set(three["seed"]) == {FIRST_SEED, FIRST_SEED + 1}
    assert set(games_of(first, tmp_path, is_quick=True)["seed"]) == {0, 1}


def test_points_are_shared_by_the_best(tmp_path):
    """As games of the same players and seeds show, with and without ties."""
    task = replace(THREE, game=SMALL.format(3).replace("'E': 2, 'V': 2", "'E': 1"), num_seeds=9)
    toy = Benchmark("Short", (task,), {"random": "random"})
    table = play(toy, "me", "greedy", "me", tmp_path, [task])
    assert {1.0, 1 / 3} <= set(table["points"])
    for row in table.itertuples():
        players = ["greedy" if seat == row.seat else "random" for seat in range(3)]
        record = play_game(NamedGame(task.game), players, row.seed, measure=final_scores)
        scores = [record.measures[f"score_{seat}"] for seat in range(3)]
        winners = [seat for seat in range(3) if scores[seat] == max(scores)]
        assert row.points == (row.seat in winners) / len(winners)
        assert row.score == scores[row.seat]
        assert row.lead == scores.pop(row.seat) - max(scores)
        assert row.moves == sum(ply.player == row.seat for ply in record.plies)


def test_the_result_has_means_and_intervals_by_seed(tmp_path):
    table = games_of(first, tmp_path)
    result = json.loads(json.dumps(result_of(TOY, "me", "learner", "me=1", table)))
    told = {"name": "me", "entry": "me=1", "kind": "learner"}
    assert result.items() >= ({"benchmark": "Toys v1", "hash": TOY.hash} | told).items()
    alone, three = result["tasks"]["alone"], result["tasks"]["three"]
    scores = table["score"][table["task"] == "alone"]
    assert (alone["unit"], alone["games"], alone["lead"]) == ("score", 3, None)
    assert alone["mean"] == pytest.approx(scores.mean(), abs=1e-4)
    assert alone["half_width"] == pytest.approx(half_width(scores), abs=1e-4)
    rows = table[table["task"] == "three"]
    by_seed = rows.groupby("seed")["points"].mean()
    assert (three["unit"], three["games"]) == ("points", 12)
    assert three["mean"] == pytest.approx(by_seed.mean(), abs=1e-4)
    assert three["half_width"] == pytest.approx(half_width(by_seed), abs=1e-4)
    means = [three["rivals"][rival]["mean"] for rival in TOY.rivals]
    assert np.mean(means) == pytest.approx(three["mean"], abs=1e-4)
    assert three["ms_per_move"] > 0
    assert three["failures"] == {}


@pytest.mark.parametrize(
    ("player", "kind"),
    [(Broken(crash), "crash"), (lambda model: 10**6, "illegal action")],
    ids=["crash", "illegal"],
)
def test_failures_are_counted_and_cost_the_game(player, kind, tmp_path):
    table = games_of(player, tmp_path, [ALONE, THREE])
    failed = table[table["failure"] == kind]
    assert len(failed)
    assert (failed["points"] == 0).all()
    assert (failed["score"] == 0).all()
    result = result_of(TOY, "me", "agent", "me=1", table)["tasks"]
    assert result["alone"]["failures"] == {kind: (table["task"][failed.index] == "alone").sum()}
    text = page(TOY, [result_of(TOY, "me", "agent", "me=1", table)], [])
    assert f"{result['alone']['failures'][kind]} {kind} |" in text
    json.dumps(result, allow_nan=False)  # a mean of no games is null
    if kind == "illegal action":
        assert len(failed) == len(table)
        assert result["three"]["ms_per_move"] is None


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (Broken(ZeroDivisionError), "ZeroDivisionError"),
        ("expectimax(heuristic=oulook)", "heuristic must be .*'oulook'; did you mean 'outlook'"),
    ],
    ids=["fault", "refusal"],
)
def test_what_is_no_failure_in_the_game_ends_the_run(player, message, tmp_path):
    with pytest.raises(RuntimeError, match=message):
        games_of(player, tmp_path, [ALONE])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "Toys v2"},
        {"tasks": (ALONE,)},
        {"tasks": (ALONE, replace(THREE, num_seeds=3))},
        {"rivals": {"random": "random", "greedy": "expectimax(depth=2)"}},
    ],
    ids=lambda change: next(iter(change)),
)
def test_the_hash_changes_with_what_decides_results(change):
    assert replace(TOY, **change).hash != TOY.hash
    assert len(TOY.hash) == 12


def test_the_hash_knows_what_names_stand_for(monkeypatch):
    before, stand_for = TOY.hash, {"greedy": "expectimax(depth=3)"}
    monkeypatch.setattr("agents.benchmark.make", lambda text: make(stand_for.get(text, text)))
    assert TOY.hash != before


def test_the_first_version_is_frozen():
    """Whoever changes what decides a result makes a new version, with another name."""
    assert (V1.name, V1.hash) == ("Carcassonne benchmark v1", "b84bc291b723")


def test_results_of_other_versions_are_not_mixed_in(tmp_path):
    table = games_of(first, tmp_path, [ALONE])
    result = result_of(TOY, "me", "learner", "me=1", table)
    save(result, tmp_path)
    save({**result, "name": "old", "hash": "0" * 12}, tmp_path)
    results, others = load(tmp_path, TOY)
    assert ([found["name"] for found in results], others) == (["me"], ["old"])
    text = page(TOY, results, others)
    assert "another version, which are not compared: `old`." in text
    assert "## alone" in text
    assert "## three" not in text


def test_tasks_of_one_player_come_together(tmp_path):
    for task in (ALONE, THREE):
        table = games_of(first, tmp_path, [task])
        save(result_of(TOY, "me", "learner", "me=1", table), tmp_path)
    ((both,), _) = load(tmp_path, TOY)
    assert [*both["tasks"]] == ["alone", "three"]
    save({**both, "entry": "me=2", "tasks": {"alone": both["tasks"]["alone"]}}, tmp_path)
    ((other,), _) = load(tmp_path, TOY)
    assert [*other["tasks"]] == ["alone"]


def test_an_interrupted_run_continues(tmp_path):
    games_of(first, tmp_path, [ALONE])
    table = games_of("random", tmp_path)  # as the identity is the same, its games are not played
    assert table["score"][:3].tolist() == games_of(first, tmp_path, [ALONE])["score"].tolist()


GOOD = {"mean": 1, "half_width": 1, "ms_per_move": 1, "games": 2, "failures": {"crash": 1}}
RESULT = {"hash": TOY.hash, "entry": "x", "name": "x", "kind": "agent", "tasks": {"alone": GOOD}}
WRONG = [
    *({"name": "<script>"}, {"name": "y"}, {"kind": "human"}, {"tasks": 4}, {"tasks": {}}),
    {"tasks": {"alone": {}}},
    *(
        {"tasks": {"alone": GOOD | measured}}
        for measured in [
            *({"mean": "<b>"}, {"mean": math.nan}, {"ms_per_move": -1}, {"ms_per_move": 0}),
            {"games": 10**400},
            *({"failures": {"<b>": 1}}, {"rivals": {"random": {}}}),
        ]
    ),
]


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", "[" * 99_999, *(json.dumps(RESULT | wrong) for wrong in WRONG)]
)
def test_files_that_hold_no_result_are_refused(text, tmp_path):
    (tmp_path / "results").mkdir()
    with pytest.raises(ValueError, match="must hold results of 'Toys v1' with the hash"):
        load(tmp_path, TOY)
    path = tmp_path / "results" / "x.json"
    path.write_text(json.dumps(RESULT))
    assert load(tmp_path, TOY) == ([RESULT], [])
    path.write_text(text)
    with pytest.raises(ValueError, match=r"x\.json holds no result of a benchmark"):
        load(tmp_path, TOY)


@pytest.mark.parametrize(
    ("tasks", "message"),
    [
        ({"other": GOOD}, "task must be one of alone, three, got 'other'"),
        ({"three": GOOD | {"rivals": {"random": GOOD}}}, "'x' lacks rivals in 'three'"),
    ],
)
def test_results_of_a_benchmark_have_its_tasks(tasks, message, tmp_path):
    save(RESULT | {"tasks": tasks}, tmp_path)
    with pytest.raises(ValueError, match=message):
        load(tmp_path, TOY)


def test_all_names_of_close_marks_are_drawn():
    others = {str(i): GOOD | {"mean": 8 - i / 10} for i in range(9)}
    measured = {"best": GOOD | {"mean": 60}, **others}
    results = [RESULT | {"name": name, "tasks": {"alone": one}} for name, one in measured.items()]
    drawing = figure(TOY, results)
    drawing.draw_without_rendering()
    (panel,) = drawing.axes
    heights = [annotation.xy[1] for annotation in panel.texts]
    assert len(set(heights)) == 10
    assert min(heights) >= panel.get_ylim()[0]


def test_the_games_are_what_the_names_say():
    for task in V1.tasks:
        model = make_game(task.game, seed=1)
        assert isinstance(model, CarcassonneModel)
        assert model.num_players == task.seats
        assert (model.order is not None) == task.name.endswith("-d")
        assert task.name.startswith(f"{task.seats}p-")


# The command


@pytest.fixture
def command(monkeypatch, tmp_path):
    """Runs the command with the toys in place of the benchmark."""
    from carcassonne_env.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("carcassonne_env.play.benchmark.V1", TOY)
    return lambda *arguments: run_here(main, ("benchmark", *arguments))


def test_a_player_comes_to_the_leaderboard(command):
    told = command("mine=random", "greedy", "--out", "b").checked().out
    command("--table", "--out", "b").checked()
    assert re.search(r"^mine, alone: mean score [\d.]+ ± \S+ points, 3 games, ", told, re.MULTILINE)
    numbers = r"0\.\d+ ± \S+ match points a game, lead [+-]\S+ points"
    assert re.search(rf"^mine, three: {numbers}, 12 games, ", told, re.MULTILINE)
    for rival in TOY.rivals:
        assert re.search(rf"^  against {rival}: {numbers}, 6 games, ", told, re.MULTILINE)
    text = Path("b/leaderboard.md").read_text()
    assert text.index("`greedy`") < text.index("`mine`")
    assert Path("b/leaderboard.png").stat().st_size > 5000
    assert sorted(path.name for path in Path("b/games").iterdir()) == ["greedy.csv", "mine.csv"]


def test_a_quick_run_leaves_no_result(command):
    command("random", "--quick", "--task", "alone", "--task", "alone").checked()
    assert not Path("results/benchmark").exists()


def test_an_imported_player_has_the_name_of_what_is_imported(command):
    Path("clever.py").write_text("def play(model):\n    return int(model.legal_actions()[0])\n")
    done = command("clever:play", "--task", "alone").checked()
    assert done.out.startswith("clever.play, alone: mean score")
    result = json.loads(Path("results/benchmark/results/clever.play.json").read_text())
    assert result["entry"].startswith("clever.play=clever:play #")


def test_changed_code_plays_again_and_failures_say_why(command):
    code = Path("engine.py")
    code.write_text("raise OSError('no book')")
    player = f"mine=process({sys.executable} -S engine.py)"
    told = command(player, "--task", "alone").checked().out
    assert "mean score 0 ± 0 points, 3 games, 3 crash" in told
    assert "crash: process" in told
    assert "OSError: no book" in told
    code.write_text((EXAMPLES / "benchmark" / "engine.py").read_text(encoding="utf-8"))
    assert "crash" not in command(player, "--task", "alone").checked().out
    result = json.loads(Path("results/benchmark/results/mine.json").read_text())
    assert (result["kind"], result["tasks"]["alone"]["failures"]) == ("program", {})


def test_a_player_is_identified_by_the_code_that_was_imported(command):
    played = "def play(model):\n    {}return int(model.legal_actions()[0])\n"
    change = "Path('changed.py').write_text('')\n    "
    Path("changed.py").write_text(played.format(""))
    Path("changing.py").write_text("from pathlib import Path\n" + played.format(change))
    result = Path("results/benchmark/results/changed.play.json")
    command("changed:play", "--task", "alone").checked()
    entry = json.loads(result.read_text())["entry"]
    command("changing:play", "changed:play", "--task", "alone").checked()
    assert Path("changed.py").read_text() == ""
    assert json.loads(result.read_text())["entry"] == entry


def test_a_player_is_identified_by_its_weights(tmp_path, monkeypatch):
    def identity(player):
        ((_, found),) = _entrants([player])
        return found

    for path in weights.weights_of("value"):
        shutil.copy(path, tmp_path)
    names = ["outlook-1.txt", "outlook-2.txt", "value-1.npz", "value-2.npz", "value-3.npz"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    value, outlook = identity("expectimax-1-value"), identity("strongest")
    assert re.fullmatch(r"expectimax-1-value=expectimax\(.+\) #[0-9a-f]{8}", value)
    monkeypatch.setattr(weights, "PACKAGE", tmp_path)
    assert identity("expectimax-1-value") == value
    (tmp_path / "value-3.npz").write_bytes(b"")
    assert identity("expectimax-1-value") != value
    assert identity("strongest") == outlook
    assert identity("random") == "random=random"
    assert weights.weights_of(make("greedy").specification) == []
    monkeypatch.undo()
    (network,) = {path.name for path in weights.weights_of("x(ppo-1p-3m-s)")}
    assert network == "ppo-1p-3m-s.npz"


def test_a_program_may_have_long_words():
    text = f"process(python -c '{'pass;' * 999}')"
    assert code_of(player_of(text), text) == 0


def test_only_learned_policies_are_learners():
    import gymnasium

    from carcassonne_env import PolicyAgent, TwoStepAgent
    from carcassonne_env.cli.benchmark import _kind_of

    policy = PolicyAgent(lambda observation, info: 0, gymnasium.make("Carcassonne-1p-3m-s"))
    players = ("greedy", policy, TwoStepAgent(policy), first, RandomAgent(0), ProcessAgent("a"))
    kinds = [_kind_of(player) for player in players]
    assert kinds == ["planner", "learner", "learner", "agent", "agent", "program"]


def test_who_may_read_the_order_of_the_tiles_is_no_learner():
    import gymnasium

    from carcassonne_env import PolicyAgent
    from carcassonne_env.cli.benchmark import _kind_of

    env = gymnasium.make("Carcassonne-1p-3m-d")
    seen = gymnasium.wrappers.TransformObservation(
        env, lambda observation: env.unwrapped.model.order, env.observation_space
    )
    assert _kind_of(PolicyAgent(lambda observation, info: 0, seen)) == "agent"


def test_programs_get_the_seed_of_the_game(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("a", "b"):
        games_of(program(LAST), tmp_path / folder, [ALONE])
    seeds = game_seeds()
    assert seeds[:3] == seeds[3:]
    assert len(set(seeds)) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a player, or give --table"),
        (["random", "--quick", "--table"], "does not go with --table"),
        (["random", "--task", "alon"], "task must be one of alone, three, got 'alon'"),
        (["random", "random"], "players must have different names"),
        (["a:b", "a.b=random"], "different names, got 'a.b' twice: put another name"),
        (["process(./engine)"], "got 'process.*: put a name and = before it"),
        (["x=mtcs"], "agent must be a known name"),
        (["--table"], "must hold results of .* got 0 of others"),
    ],
)
def test_bad_commands_are_refused(command, arguments, message):
    assert_refused(command(*arguments), message)
    assert not Path("results/benchmark/games").exists()


def test_rows_in_other_pages_are_those_of_the_leaderboard():
    board = (EXAMPLES / "benchmark" / "leaderboard.md").read_text().splitlines()
    lines = (EXAMPLES / "README.md").read_text().splitlines()
    rows = [line for line in lines if re.match(r"\| `[^`]+` \| (learner|planner) \|", line)]
    assert len(rows) == 10
    assert set(rows) <= set(board)
