"""Evolution of formulas for playouts: typed trees, fitness, runs that are resumed, the command."""

from __future__ import annotations

import itertools
import json
import math
import random
import re
import shutil
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import agents
from agents import EvolvedRollout, PositionFormula, Rng, coevolution
from agents.cli.evolve import evolve as command
from agents.coevolution import Settings, against, champion, evolve, figure, read_settings
from agents.evolving.typed_gp import Operators, Scaled
from agents.experiment import run_experiment
from agents.formulas import position_text
from agents.games import make

SMALL = Settings(
    "reversi",
    playouts=2,
    generations=3,
    population=6,
    games=2,
    opponents=("random", "mcts(iterations=2)"),
    measured_games=2,
    seed=5,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished run: its folder and its record."""
    folder = tmp_path_factory.mktemp("run")
    return folder, evolve(folder, SMALL)


def tables(folder: Path) -> dict[str, str]:
    """The contents of the tables of a run; rows in order, as workers may swap them."""
    names = ("individuals.csv", "measurements.csv", "generations.csv")
    return {name: sorted((folder / name).read_text().splitlines()) for name in names}


# Trees


def operators(seed: int = 0, max_depth: int = 15) -> Operators:
    return Operators(make("reversi").indicators, max_depth, random.Random(str(seed)))


def test_random_trees_and_their_children_are_formulas_of_the_game():
    ops, model = operators(max_depth=7), make("reversi")
    trees = [ops.random_tree() for _ in range(100)]
    for _ in range(10):
        pairs = [ops.rng.sample(trees, 2) for _ in range(50)]
        crossed = [tree for pair in pairs for tree in ops.crossed(*pair, is_fitter=False)]
        trees = [ops.mutated(tree, 0.5) for tree in crossed]
        for tree in trees:
            formula = PositionFormula(str(tree))
            assert max(formula.depth, tree.height) <= 7
            formula.program(model)  # checks names, places and types
    names = re.findall(r"[a-z_]+", " ".join(map(str, trees)))
    assert {*position_text.FUNCTIONS, "true", "false", "man", "mobility"} <= {*names}


def test_trees_follow_the_seed_and_leave_the_global_generator_alone():
    random.seed(17)
    expected = random.random()
    random.seed(17)
    texts = [[str(operators(seed).random_tree()) for _ in range(3)] for seed in (0, 0, 1)]
    assert random.random() == expected
    assert texts[0] == texts[1] != texts[2]


def test_the_fitter_parent_gives_a_copy_and_stays():
    ops = operators(1)
    changed = 0
    for _ in range(200):
        first, second = ops.random_tree(), ops.random_tree()
        texts = str(first), str(second)
        giver, receiver = ops.crossed(first, second, is_fitter=True)
        assert (str(giver), str(first), str(second)) == (texts[0], *texts)
        changed += str(receiver) != texts[1]
        swapped, _ = ops.crossed(first, second, is_fitter=False)
        changed += str(swapped) != texts[0]
    assert changed > 250


def test_local_mutation_changes_one_factor():
    ops = operators(2)
    num_local = 0
    for _ in range(200):
        tree = ops.random_tree()
        mutant = ops.mutated(tree, local_probability=1)
        pairs = [(a, b) for a, b in zip(tree, mutant, strict=False) if a is not b]
        if len(tree) == len(mutant) and len(pairs) == 1 and isinstance(pairs[0][1], Scaled):
            num_local += 1
            assert pairs[0][0].ret is float
            assert pairs[0][1].node is pairs[0][0]
            assert pairs[0][1].factor != 1
    assert num_local > 100


# Runs


def points_of(rows: pd.DataFrame, points: np.ndarray) -> np.ndarray:
    """The points of all individuals, who have those given before they meet."""
    for i, met, own in zip(rows["individual"], rows["met"], rows["points"], strict=True):
        for other, point in zip(str(met).split(), str(own).split(), strict=True):
            points[i] += float(point)
            points[int(other)] += 1 - float(point)
    return points


def test_every_individual_plays_as_often_in_either_seat(run):
    rows, seen = pd.read_csv(run[0] / "individuals.csv"), set()
    for _, table in rows.groupby("generation"):
        met = [list(map(int, str(others).split())) for others in table["met"]]
        assert [len(others) for others in met] == [SMALL.games] * SMALL.population
        assert np.bincount(np.concatenate(met)).tolist() == [SMALL.games] * SMALL.population
        assert all(i not in others for i, others in zip(table["individual"], met, strict=True))
        seen.add(tuple(table.sort_values("individual")["met"]))
    assert len(seen) == SMALL.generations


def test_fitness_is_the_share_of_the_points(run):
    folder, record = run
    rows = pd.read_csv(folder / "individuals.csv")
    assert len(rows) == SMALL.generations * SMALL.population
    for generation, table in rows.groupby("generation"):
        shares = points_of(table, np.zeros(SMALL.population)) / (2 * SMALL.games)
        assert record["best_fitness"][generation] == shares.max()
        assert record["fitness"][generation] == pytest.approx(0.5)
        best = table.set_index("individual")["formula"][int(shares.argmax())]
        assert record["formula"][generation] == best


def test_a_record_names_sizes_and_points(run):
    folder, record = run
    assert record.columns.tolist() == [
        "generation", "fitness", "best_fitness", "size", "best_size", "points_0", "points_1",
        "formula",
    ]  # fmt: skip
    assert record["best_size"].tolist() == [PositionFormula(f).size for f in record["formula"]]
    assert record[["points_0", "points_1"]].stack().between(0, 1).all()
    assert pd.read_csv(folder / "generations.csv")["formula"].tolist() == record["formula"].tolist()
    assert read_settings(folder) == SMALL


def test_workers_do_not_change_a_run_but_the_seed_does(run, tmp_path):
    folder, record = run
    again = evolve(tmp_path / "again", SMALL, workers=2)
    pd.testing.assert_frame_equal(record, again)
    assert tables(folder) == tables(tmp_path / "again")
    other = evolve(tmp_path / "other", replace(SMALL, seed=6, generations=1))
    assert other["formula"][0] != record["formula"][0]


def test_a_shorter_run_keeps_the_games(run, tmp_path):
    folder, record = run
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    played = (tmp_path / "individuals.csv").read_text()
    pd.testing.assert_frame_equal(evolve(tmp_path, replace(SMALL, generations=2)), record[:2])
    assert (tmp_path / "individuals.csv").read_text() == played
    pd.testing.assert_frame_equal(evolve(tmp_path, SMALL), record)


@pytest.mark.parametrize("name", ["settings.json", "generations.csv"])
def test_a_run_killed_while_it_writes_a_file_goes_on(run, tmp_path, monkeypatch, name):
    folder, _ = run
    evolve(tmp_path, replace(SMALL, generations=1))
    played, real = (tmp_path / "individuals.csv").read_text(), Path.replace

    def killed(part, path):
        if path.name == name:
            raise SystemExit("killed")
        return real(part, path)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        with pytest.raises(SystemExit):
            evolve(tmp_path, SMALL)
    evolve(tmp_path, SMALL)
    assert (tmp_path / "individuals.csv").read_text().startswith(played)
    assert tables(tmp_path) == tables(folder)


TRUNCATED = ["", "{", "[]", '{"game": "rev', "[" * 99_999]
OTHERS = ["{}", '{"game": 5}', '{"game": "reversi", "sede": 1}', '{"game": "hex", "guides": 3}']
OTHERS += ['{"game": "hex", "playouts": 0}']


@pytest.mark.parametrize(
    ("read", "text"),
    [
        *((partial(evolve, settings=SMALL), text) for text in TRUNCATED),
        *((read_settings, text) for text in TRUNCATED + OTHERS),
    ],
)
def test_damaged_settings_are_named(tmp_path, read, text):
    (tmp_path / "settings.json").write_text(text)
    with pytest.raises(ValueError, match=r"settings\.json .*holds no settings"):
        read(tmp_path)


def test_a_file_of_settings_makes_no_game_that_reads_files(tmp_path, monkeypatch):
    monkeypatch.setattr(agents.coevolution, "make_game", lambda *_, **__: pytest.fail("made"))
    (tmp_path / "settings.json").write_text('{"game": "openspiel:efg_game(filename=secret)"}')
    with pytest.raises(ValueError, match=r"settings\.json must name an installed game, got 'open"):
        read_settings(tmp_path)


def test_a_bar_on_a_terminal_shows_the_best(tmp_path, monkeypatch, capsys):
    """Without opponents, of whom there are then no columns, table and picture."""
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    record = evolve(tmp_path, replace(SMALL, generations=1, opponents=()))
    err = capsys.readouterr().err
    assert "evolving reversi" in err
    assert "best=" in err
    assert "points_0" not in record
    assert not (tmp_path / "measurements.csv").exists()
    assert len(figure(record).axes) == 3


def test_guides_count_until_one_is_too_strong():
    settings = replace(SMALL, game="hex(size=4)", playouts=10, guide_games=4, guide_cutoff=3)
    settings = replace(settings, guides=("random", "mcts(iterations=20)", "random"))
    rows = [coevolution._individual_row(settings, ["1"] * 6, 0, i, seed=0) for i in range(6)]
    assert {row["guide_games"] for row in rows} <= {4, 8, 12}
    assert any(row["guide_games"] == 8 for row in rows)  # beat the first guide, not the second
    for row in rows:
        num_met = row["guide_games"] // 4
        assert 3 * (num_met - 1) <= row["guide_points"] <= row["guide_games"]


def test_guides_that_are_not_met_count_as_lost(tmp_path):
    guides = ("random", "mcts(iterations=50)")
    settings = replace(SMALL, game="hex(size=4)", guides=guides, guide_cutoff=3, playouts=10)
    record = evolve(tmp_path, replace(settings, generations=1, opponents=()))
    rows = pd.read_csv(tmp_path / "individuals.csv")
    assert rows["guide_games"].nunique() == 2
    points = points_of(rows, rows["guide_points"].to_numpy(float, copy=True))
    assert record["fitness"][0] == pytest.approx(points.mean() / (2 * 2 + 2 * 4))


def test_the_champion_has_most_points_in_the_finals(run):
    folder, record = run
    formula, share = champion(folder, SMALL, record, finalists=2, games=4)
    table = pd.read_csv(folder / "finals.csv")
    means = table.groupby("generation")["points"].mean()
    assert share == means.max()
    winner = record.set_index("generation")["formula"][means.idxmax()]
    assert formula == PositionFormula(winner).simplified()
    for settings, values, message in (
        (SMALL, {"finalists": 0}, "finalists must be"),
        (SMALL, {"games": 0}, "games must be"),
        (SMALL, {"games": 3}, "games must be even"),
        (replace(SMALL, opponents=()), {}, "must name an opponent"),
    ):
        with pytest.raises(ValueError, match=message):
            champion(folder, settings, record, **values)


def test_finalists_have_been_measured(run, tmp_path):
    _, record = run
    formula = record["formula"][0]
    record = record.assign(formula=formula, points_0=[math.nan, 0.5, math.nan])
    found, _ = champion(tmp_path, SMALL, record, games=2)
    assert found == PositionFormula(formula).simplified()
    assert pd.read_csv(tmp_path / "finals.csv")["generation"].tolist() == [1]


def test_the_picture_shows_the_record(run):
    _, record = run
    fitness, points, sizes = figure(record).axes
    assert [line.get_label() for line in fitness.lines] == ["fittest", "mean"]
    assert points.lines[0].get_ydata().tolist() == record["points_0"].tolist()
    assert sizes.lines[0].get_ydata().tolist() == record["best_size"].tolist()


# Bad input


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"game": "chess"}, "game must be one of"),
        ({"game": "fop"}, "must have two players"),
        ({"game": "carcassonne"}, "must have indicators"),
        ({"population": 1}, r"population must be an integer in \[2"),
        ({"playouts": 0}, "playouts must be an integer"),
        ({"branching": 0}, "branching must be an integer"),
        ({"crossover": 1.5}, r"crossover must be a finite number in \[0, 1\]"),
        ({"opponents": ("nobody",)}, "agent must be a known name"),
        ({"guides": ("random", "nobody")}, "agent must be a known name"),
        ({"guides": ("greedy",)}, "expectimax.*: heuristic must be .* got 'vs'"),
        ({"guide_cutoff": 5}, "guide_cutoff must be"),
        ({"max_depth": 0}, "max_depth must be"),
        ({"opponents": ("random", "random")}, "opponents must differ"),
    ],
)
def test_settings_are_checked(values, message):
    with pytest.raises(ValueError, match=message):
        replace(SMALL, **values)


def test_another_run_in_the_folder_is_refused(run, tmp_path):
    folder, _ = run
    with pytest.raises(ValueError, match="holds a run with playouts=2, got 3"):
        evolve(folder, replace(SMALL, playouts=3))
    evolve(tmp_path, replace(SMALL, generations=1))
    table = (tmp_path / "individuals.csv").read_text()
    settings = json.loads((tmp_path / "settings.json").read_text())
    (tmp_path / "settings.json").write_text(json.dumps(settings | {"seed": 9}))
    with pytest.raises(ValueError, match="holds a run with seed=9, got 5"):
        evolve(tmp_path, SMALL)
    assert (tmp_path / "individuals.csv").read_text() == table


def test_one_bar_counts_the_jobs_of_several_tables(tmp_path):
    from tqdm import tqdm

    jobs = [{"seed": i} for i in range(4)]
    run_experiment(tmp_path / "a.csv", square, jobs[:2])
    with tqdm(total=8, disable=False, file=sys.stderr) as bar:
        run_experiment(tmp_path / "a.csv", square, jobs[:2], progress=bar)
        assert (bar.n, bar.initial, bar.last_print_n) == (2, 2, 2)  # no effect on the rate
        run_experiment(tmp_path / "a.csv", square, jobs[2:], progress=bar)
        assert (bar.n, bar.initial) == (4, 2)
        run_experiment(tmp_path / "b.csv", square, jobs, progress=bar)
        assert (bar.n, bar.initial) == (8, 2)


def square(seed: int) -> dict[str, int]:
    return {"square": seed**2}


def test_new_trees_are_an_option(tmp_path):
    assert SMALL.player("0", seed=0).reuse_tree
    assert not replace(SMALL, reuse_tree=False).player("0", seed=0).reuse_tree
    small = {"playouts": 1, "population": 2, "generations": 1, "games": 1}
    few = {"measured_games": 1, "final_games": 2}
    for name, is_new in (("kept", False), ("new", True)):
        command("hex(size=2)", **small, **few, new_tree=is_new, out=tmp_path / name)
        settings = read_settings(tmp_path / name)
        assert settings.reuse_tree != is_new
        assert settings.opponents == (f"mcts(c=1.4, iterations=1, reuse_tree={not is_new})",)


def test_evolved_players_keep_their_tree_but_in_hex():
    kept = [agents.make(f"{game}.evolved").reuse_tree for game in ("reversi", "dodgem", "hex")]
    assert kept == [True, True, False]


def test_a_formula_in_a_player_keeps_its_text():
    player = SMALL.player("plus(mobility, 1)", seed=0)
    assert isinstance(player.rollout_policy, EvolvedRollout)
    assert str(player.rollout_policy.formula) == "plus(mobility, 1)"


def test_no_two_generators_of_a_game_have_one_stream(monkeypatch):
    made = []

    def played(game, players, seed):
        made.append([p.rng.copy().random() for p in players] + [Rng(seed).random()])
        return SimpleNamespace(returns=(1, -1))

    monkeypatch.setattr(coevolution, "play_game", played)
    for seeds in itertools.product(range(3), repeat=3):
        against(SMALL, "mobility", "mcts(iterations=5)", range(3), seeds)
    for game in made:
        assert len(set(game)) == 3
    assert len({draw for game in made for draw in game}) == 3 * len(made)
