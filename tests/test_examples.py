"""The code in all READMEs, pages and examples runs as written, with warnings as errors."""

from __future__ import annotations

import argparse
import doctest
import importlib
import re
import shlex
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from agents import Agent, make
from agents.catalogue import make_game
from agents.game import play_game
from carcassonne_env import CarcassonneModel, NetworkAgent
from fresh import Run, forking, run_anew

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FOLDERS = (".github", "agents", "carcassonne_env", "examples", "fop_env")
READMES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *(p for f in FOLDERS for p in (ROOT / f).rglob("*.md")))
}
"""By name, the READMEs and what else the site has as pages."""
BLOCKS = [
    pytest.param(code, id=f"{name}-{i}")
    for name, text in sorted(READMES.items())
    for i, code in enumerate(re.findall(r"```python\n(.*?)```", text, re.DOTALL))
]
DOCSTRINGS = {
    path.relative_to(ROOT).as_posix(): count
    for package in ("agents", "carcassonne_env", "fop_env")
    for path in sorted((ROOT / package).rglob("*.py*"))
    if path.suffix in (".py", ".pyx") and (count := path.read_text("utf-8").count(">>> "))
}
"""The number of lines of code in the docstrings of each module that has some."""
NEEDED = {"openspiel": "pyspiel", "openspiel_game": "pyspiel", "sb3": "sb3_contrib"}
"""What the modules of these names import besides."""
EXAMPLES = {
    "alphazero.py": "--quick",
    "behaviour_cloning.py": "--quick",
    "learn_value.py": "--quick",
    "own_game.py": "",
    "openspiel_comparison.py": "--quick",
    "evaluator.py": "",
    "python_tree_policy.py": "",
    "maskable_ppo.py": "--quick --iterations 20",
    "maskable_ppo_hex.py": "--quick",
    "ppo_fop.py": "--quick",
    "rllib_keys.py": "",
    "self_play.py": "--quick",
    "torchrl_collector.py": "--quick",
    "turn_planning.py": "",
    "experiments/endings.py": "--quick",
    "experiments/evomcts.py": "--quick",
    "experiments/evolution_options.py": "--runs 2 --games 2 --iterations 150 --jobs 2",
    "experiments/evolved_formulas.py": "--runs 2 --games 2 --iterations 150 --jobs 2",
    "experiments/fop_trees.py": "--runs 10 --iterations 200 --jobs 2",
    "experiments/fop_values.py": "--depth 3",
    "experiments/landscape.py": "--quick --playouts 2 --games 4",
    "experiments/learn_outlook.py": "--quick",
    "experiments/levels.py": "--quick",
    "experiments/mcts_family.py": "--games 2 --seconds 0.001 "
    "--configurations 'two steps; c=0.1' reuse_tree=True",
    "experiments/mistakes.py": "--quick --jobs 2",
    "experiments/multi_action.py": "--quick",
    "experiments/outlook_calibration.py": "--quick",
    "experiments/outlook_chances.py": "--quick",
    "experiments/pruning.py": "--positions 2 --tiles 8",
    "experiments/reward_readings.py": "--quick --iterations 5",
    "experiments/simulation_league.py": "--games 1 --last-games 1 --iterations 30",
    "experiments/single_player.py": "--games 2 --iterations 20",
    "experiments/two_players.py": "--quick --iterations 20 --final-games 1",
}
"""The scripts, and the options with which they run."""
BASELINES = {
    "masked_dqn": "torch",
    "rllib_ppo": "ray.rllib",
    "sb3_ppo": "sb3_contrib",
    "single_file_ppo": "torch",
    "tianshou_ppo": "tianshou",
    "tiles_ppo": "torch",
    "torchrl_ppo": "torchrl",
}
"""The learners in the folder of baselines, and what they need."""
IMPORTED = {
    "baselines": "common curves hyperparameters network openspiel_mcts tiles_network tiles_player",
    "experiments": "courses find_mistakes published report standings thesis",
}
"""By folder, what the examples share, and what other tests run."""


@pytest.fixture(scope="module")
def run_here():
    """Runs what needs no more than these libraries beside the standard one and this project."""
    libraries = ["gymnasium", "joblib", "matplotlib.figure", "numpy", "pandas", "pettingzoo"]
    libraries += ["scipy.stats"]
    with forking(*filter(find_spec, libraries)) as run:
        yield run


@pytest.fixture(scope="module")
def run_learner():
    with forking(
        *filter(find_spec, ("matplotlib.figure", "pandas", "torch", "sb3_contrib"))
    ) as run:
        yield run


def printed(run: Run, *arguments: str, folder: Path, **environment: str) -> str:
    done = run(*arguments, folder=folder, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_forks_have_nothing_but_the_libraries(tmp_path, run_here):
    printed(run_here, "-c", "import agents, sys; sys.x = x = 1", folder=tmp_path)
    code = (
        "import os, sys\n"
        "own = {'agents', 'carcassonne_env', 'fop_env', 'fresh'} & {*sys.modules}\n"
        "names = [name for name in globals() if not name.startswith('__')]\n"
        "print(__name__, sys.argv, own, names, hasattr(sys, 'x'), os.getcwd())"
    )
    expected = f"__main__ ['-c'] set() ['os', 'sys', 'own'] False {tmp_path}\n"
    assert printed(run_here, "-c", code, folder=tmp_path) == expected
    code = "import atexit, threading; atexit.register(print, 'end')\n"
    code += "threading.Timer(0.1, print, ['thread']).start()"
    assert printed(run_here, "-c", code, folder=tmp_path) == "thread\nend\n"
    for code, error in (("import warnings; warnings.warn('this')", "this"), ("Path", "NameError")):
        done = run_here("-c", code, folder=tmp_path)
        assert (done.returncode, done.stdout) == (1, "")
        assert error in done.stderr


@pytest.mark.parametrize("code", BLOCKS)
def test_readme_code_runs(code, tmp_path, run_here):
    if "spiel" in code:
        pytest.importorskip("pyspiel")
    if "torch" in code:
        pytest.importorskip("torch")
    if "minari" in code:
        pytest.importorskip("minari")
        pytest.importorskip("jax")  # Minari needs it to record
        lenient = ("-W", "ignore::UserWarning")
        place = {"MINARI_DATASETS_PATH": str(tmp_path)}
        assert printed(run_anew, *lenient, "-c", code, folder=tmp_path, **place)
    else:
        assert printed(run_here, "-c", code, folder=tmp_path)


@pytest.mark.parametrize("path", DOCSTRINGS)
def test_docstrings_hold(path):
    if needed := NEEDED.get(Path(path).stem):
        pytest.importorskip(needed)
    name = ".".join(Path(path).with_suffix("").parts).removesuffix(".__init__")
    failed, attempted = doctest.testmod(importlib.import_module(name))
    assert failed == 0
    assert attempted >= DOCSTRINGS[path]  # a compiled class has its docstring twice


def players_in_tables() -> list[str]:
    """The code at the beginning of the lines of tables whose first column is of players."""
    text = "".join(READMES.values())
    tables = re.findall(r"^\| player \|.*\n((?:\|.*\n)+)", text, re.MULTILINE)
    return re.findall(r"^\| `([^`]+)`", "".join(tables), re.MULTILINE)


def test_players_in_tables_have_names_that_are_known():
    names = set(players_in_tables())
    assert {"greedy", "expectimax-1-outlook", "strongest", "uct"} <= names
    for name in names:
        make(name)


def test_every_example_is_tested():
    scripts = {str(p.relative_to(ROOT / "examples")) for p in (ROOT / "examples").rglob("*.py")}
    others = {f"{folder}/{name}.py" for folder in IMPORTED for name in IMPORTED[folder].split()}
    others |= {"benchmark/engine.py", "carcassonne_learner.py"}
    assert scripts == {*EXAMPLES, *(f"baselines/{name}.py" for name in BASELINES), *others}


NEEDS = {
    "alphazero.py": "torch",
    "learn_value.py": "torch",
    "behaviour_cloning.py": "torch",
    "maskable_ppo.py": "sb3_contrib",
    "maskable_ppo_hex.py": "sb3_contrib",
    "openspiel_comparison.py": "pyspiel",
    "ppo_fop.py": "stable_baselines3",
    "self_play.py": "sb3_contrib",
    "torchrl_collector.py": "torchrl",
}
"""What examples need beside the extra ``experiments``."""
LEARNERS = ("sb3_contrib", "stable_baselines3", "torch")
WARNING = {"torchrl_collector.py": "ignore::DeprecationWarning"}
"""Warnings that libraries give about themselves."""


@pytest.mark.parametrize("script", EXAMPLES)
@pytest.mark.slow(keep="^(?!experiments)|pruning")
def test_example_runs(script, tmp_path, request):
    arguments = [str(ROOT / "examples" / script), *shlex.split(EXAMPLES[script])]
    if needed := NEEDS.get(script):
        pytest.importorskip(needed)
    if script in WARNING:
        assert printed(run_anew, "-W", WARNING[script], *arguments, folder=tmp_path)
    else:
        run = request.getfixturevalue("run_learner" if needed in LEARNERS else "run_here")
        assert printed(run, *arguments, folder=tmp_path)


@pytest.mark.parametrize(
    "options", [["--features=none"], ["--features=position"], ["--env=Carcassonne-2p-7m-s"]]
)
@pytest.mark.slow
def test_maskable_ppo_learns_from_boards_and_in_other_games(options, tmp_path, run_learner):
    pytest.importorskip("sb3_contrib")
    arguments = ("--quick", "--iterations", "20", *options)
    script = str(ROOT / "examples" / "maskable_ppo.py")
    assert printed(run_learner, script, *arguments, folder=tmp_path)
    if options == ["--env=Carcassonne-2p-7m-s"]:
        network = NetworkAgent(str(tmp_path / "results/maskable_ppo.npz"))
        play_game(CarcassonneModel(), [network, "greedy"])


@pytest.mark.parametrize("game", ["carcassonne", "hex"])
def test_alphazero_continues_as_if_it_had_not_stopped(game, tmp_path):
    torch = pytest.importorskip("torch")
    torch.set_num_threads(1)
    import alphazero

    args = argparse.Namespace(game=game, iterations=8, seed=3, workers=2, games=2)
    first, second = alphazero.Learner(args), alphazero.Learner(args)
    with ThreadPoolExecutor(1) as pool:
        first.step(pool)
        first.curve.append([0.1, *first.measure(pool, 2)])
        first.save(tmp_path / "checkpoint.pt")
        second.load(tmp_path / "checkpoint.pt")
        assert (second.progress, second.curve) == (first.progress, first.curve)
        losses = first.step(pool), second.step(pool)
    assert losses[0] == losses[1]
    assert second.progress["games"] == 8
    weights = [learner.network.state_dict() for learner in (first, second)]
    assert all(bool((weights[0][name] == weights[1][name]).all()) for name in weights[0])


def test_alphazero_announces_and_counts_the_games_outside_its_minutes(monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "argv", ["alphazero.py", "--minutes", "7", "--iterations", "4"])
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    import alphazero

    learner = alphazero.Learner(alphazero.command_line())
    text = alphazero.announcement(learner)
    assert text.startswith("7 minutes of training in all, 0 of them done. Not in this time: 90 ")
    assert text.endswith("generations, and 300 at the end.")
    with ThreadPoolExecutor(1) as pool:
        learner.measure(pool, 2)
    assert re.search(r"measuring: .*/6 ", capsys.readouterr().err)


@pytest.mark.parametrize("minutes", ["0", "-1", "nan"])
def test_maskable_ppo_does_not_store_an_untrained_network(minutes, tmp_path, monkeypatch, capsys):
    pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["maskable_ppo.py", "--minutes", minutes])
    import maskable_ppo

    with pytest.raises(SystemExit, match="2"):
        maskable_ppo.main()
    assert "--minutes must be greater than 0, got" in capsys.readouterr().err
    assert not (tmp_path / "results").exists()


def test_stored_weights_of_maskable_ppo_play_well(tmp_path, run_learner):
    pytest.importorskip("sb3_contrib")
    import pandas

    folder = ROOT / "examples"
    arguments = ("--quick", "--iterations", "20", "--weights", str(folder / "maskable_ppo.pt"))
    printed(run_learner, str(folder / "maskable_ppo.py"), *arguments, folder=tmp_path)
    learned, random = pandas.read_csv(tmp_path / "results" / "maskable_ppo.csv")["mean"][:2]
    assert learned > 2 * random


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "9"], "10 games or more are needed, got 9"),
        (["--games", "10", "--epochs", "0"], "--epochs and --episodes must be 1 or more"),
        (["--games", "10", "--rivals", "nobody"], "agent must be a known name"),
    ],
)
def test_cloning_refuses_before_it_learns(arguments, message, tmp_path, monkeypatch, capsys):
    pytest.importorskip("torch")
    monkeypatch.setattr(sys, "argv", ["behaviour_cloning.py", *arguments, "--out", str(tmp_path)])
    import behaviour_cloning

    monkeypatch.setattr(behaviour_cloning, "learn", pytest.fail)
    with pytest.raises((SystemExit, ValueError)) as end:
        behaviour_cloning.main()
    assert message in str(end.value) + capsys.readouterr().err


@pytest.mark.parametrize("name", BASELINES)
def test_baseline_learns_and_its_weights_play(name, tmp_path):
    import pandas

    pytest.importorskip(BASELINES[name], exc_type=ImportError)
    lenient = [] if BASELINES[name] in ("torch", "sb3_contrib") else ["-W", "default"]
    arguments = ["-m", f"baselines.{name}", "--quick", "--seed", "3", "--out", str(tmp_path)]
    text = printed(run_anew, *lenient, *arguments, folder=ROOT / "examples")
    assert "score" in text
    table = pandas.read_csv(tmp_path / f"{name}-3.csv")
    assert (table["name"] == name).all()
    assert (table["steps"] > 0).all()
    assert table["seconds"].iloc[-1] >= 1
    if name != "tiles_ppo":  # its network has another form
        model = first_turn()
        assert model.is_legal(NetworkAgent(str(tmp_path / f"{name}-3.npz")).act(model))


def first_turn() -> CarcassonneModel:
    """A position of the task of the baselines in which a player is to move."""
    model = CarcassonneModel(1, 3, "small")
    model.apply_action(model.sample_chance(0))
    return model


def test_mcts_of_openspiel_is_an_entry_of_the_benchmark():
    pytest.importorskip("pyspiel")
    from baselines.openspiel_mcts import OpenSpielMCTS

    model = first_turn()
    assert model.is_legal(OpenSpielMCTS(10, c=0.5).act(model))


STORED = sorted((ROOT / "examples/baselines/results").glob("*.npz"))


@pytest.mark.parametrize("path", [path for path in STORED if "tiles" not in path.name])
def test_stored_networks_of_baselines_play_well(path):
    assert mean_score(NetworkAgent(str(path))) > 50  # random play has 8 points, greedy play 38


def test_the_stored_network_of_tiles_has_learned():
    pytest.importorskip("torch")
    from baselines.tiles_player import player

    assert mean_score(player) > 20  # random play has 8 points


def mean_score(agent: Agent) -> float:
    game = make_game("carcassonne(num_players=1, num_meeples=3, tiles=small)")
    returns = [play_game(game, [agent], seed=i).returns[0] for i in range(10)]
    return float(np.mean(returns)) * game.max_score()


def test_the_layers_of_a_network_rate_as_it_does():
    torch = pytest.importorskip("torch")
    from baselines.network import SETTINGS, Rater, sizes_of, tensors
    from carcassonne_env.network import ActionNetwork

    env = gymnasium.make("Carcassonne-1p-3m-s", **SETTINGS)
    torch.manual_seed(0)
    rater = Rater(*sizes_of(env.observation_space.spaces))
    torch.nn.init.normal_(rater.logit.weight)
    network = ActionNetwork(24, 1, rater.layers())
    observation, _ = env.reset(seed=1)
    with torch.inference_mode():
        for _ in range(23):
            batch = tensors({name: array[None] for name, array in observation.items()})
            ratings = network.ratings(env.unwrapped.model)
            expected = (rater(batch) - rater.logit.bias)[0, : len(ratings)].numpy()
            np.testing.assert_allclose(ratings, expected, rtol=1e-3, atol=1e-3)
            observation = env.step(int(ratings.argmax()))[0]


def test_a_baseline_learns_before_it_is_measured(tmp_path):
    pytest.importorskip("torch")
    from baselines.common import Training

    options = argparse.Namespace(seconds=1e-9, seed=0, num_games=2, out=tmp_path)
    assert Training("slow to make", options).goes_on(None, steps=0)


def test_table_of_baselines_is_the_one_of_their_measurements(tmp_path, run_here):
    code, picture = "from baselines.curves import main; main()", str(tmp_path / "curves.png")
    table = printed(run_here, "-c", code, "--out", picture, folder=ROOT / "examples")
    assert table in READMES["examples/baselines/README.md"]
    assert (tmp_path / "curves.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.slow
def test_notebook_runs(tmp_path):
    """What its text says of the results is true, and the file holds none."""
    pytest.importorskip("sb3_contrib")
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    notebook = nbformat.read(ROOT / "examples" / "learners.ipynb", 4)
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in notebook.cells)
    claim = "policy, random, greedy = table['mean'][:3]\nassert 1.5 * random < policy < greedy"
    notebook.cells.append(nbformat.v4.new_code_cell(claim))
    nbclient.NotebookClient(notebook, resources={"metadata": {"path": tmp_path}}).execute()


@pytest.mark.slow
def test_speed_table_has_the_rows_of_the_benchmark(monkeypatch):
    import bench_speed

    monkeypatch.setattr(bench_speed, "best_rate", lambda run, size: 1.0)
    printed = {figure.name for figure in bench_speed.figures({})}
    _, _, section = README.partition("## Speed")
    rows = re.findall(r"^\| (.*?) \|.*\d", section.partition("## More")[0], re.MULTILINE)
    assert rows
    missing = {row for row in rows if row not in printed and "connect_four" not in row}
    assert not missing  # connect_four needs pygame


@pytest.mark.parametrize(
    ("option", "num_rows"), [([], 9), pytest.param(["--training"], 3, marks=pytest.mark.slow)]
)
def test_benchmark_of_self_play_runs(option, num_rows, capsys, monkeypatch):
    pytest.importorskip("sb3_contrib")
    import bench_self_play

    options = ["--rounds", "1", "--steps", "20", "--num-envs", "2", *option]
    monkeypatch.setattr(sys, "argv", ["bench_self_play.py", *options])
    bench_self_play.main()
    _, *rows = capsys.readouterr().out.splitlines()
    assert [row[:32].rstrip() for row in rows] == list(bench_self_play.ROWS)[:num_rows]
    assert all(float(row.split()[-1]) > 0 for row in rows)


@pytest.mark.parametrize("num_logits", [6, 4])
def test_legal_actions_are_distributed_as_in_sb3_contrib(num_logits):
    """Also where the last actions have no logits, if none of them is legal."""
    distributions = pytest.importorskip("sb3_contrib.common.maskable.distributions")
    torch = pytest.importorskip("torch")
    from carcassonne_learner import LegalActions

    logits = torch.randn(50, num_logits, generator=torch.Generator().manual_seed(0))
    masks = np.random.default_rng(0).random((50, 6)) < 0.5
    masks[:, num_logits:] = False
    masks[:, 1] = True
    own = LegalActions(6).proba_distribution(logits)
    stock = distributions.MaskableCategoricalDistribution(num_logits).proba_distribution(logits)
    own.apply_masking(masks)
    stock.apply_masking(masks[:, :num_logits])
    actions = stock.mode()
    assert (own.mode() == actions).all()
    assert torch.allclose(own.log_prob(actions), stock.log_prob(actions), atol=1e-5)
    assert torch.allclose(own.entropy(), stock.entropy(), atol=1e-5)


def test_buffer_of_legal_rows_returns_what_was_added():
    pytest.importorskip("sb3_contrib")
    torch = pytest.importorskip("torch")
    from carcassonne_env.sb3 import NativeVecEnv
    from carcassonne_learner import SETTINGS, learner

    envs = NativeVecEnv("Carcassonne-1p-3m-d", 3, reward="virtual", **SETTINGS["actions"])
    envs.seed(0)
    buffer = learner(envs, batch_size=8, seed=0).rollout_buffer
    seen, rows = dict(envs.reset()), {}
    for step in range(buffer.buffer_size):
        masks = seen["action_mask"]
        numbers = np.arange(3) + 3 * step  # in place of actions, to know the positions again
        for i, number in enumerate(numbers.tolist()):
            rows[number] = seen["afterstates"][i][masks[i, : seen["afterstates"].shape[1]] == 1]
        nothing = np.zeros(3, dtype=np.float32)
        values = torch.zeros(3), torch.zeros(3)
        buffer.add(seen, numbers, nothing, nothing, *values, action_masks=masks)
        seen = dict(envs.step(masks.argmax(axis=1))[0])
    met = []
    for batch in buffer.get(8):
        numbers = batch.actions[:, 0].int().tolist()
        expected = np.concatenate([rows[number] for number in numbers])
        assert (batch.observations["afterstates"].numpy() == expected).all()
        met += numbers
    assert sorted(met) == sorted(rows)


def test_main_job_saves_pictures_and_tells_the_score(tmp_path):
    """The README's first command, with fewer iterations."""
    command = re.search(r"venv/bin/carcassonne (play .*)", README)
    assert command
    arguments = shlex.split(command[1].replace("iterations=10000", "iterations=50"))
    output = printed(run_anew, "-m", "carcassonne_env", *arguments, folder=tmp_path)
    row = re.search(r"^mcts.*?((?: +\d+){5})$", output, re.MULTILINE)
    assert row
    total, *parts = map(int, row[1].split())
    assert total == sum(parts)
    assert (tmp_path / "board.svg").read_text().startswith("<svg")
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("name", sorted(READMES))
def test_readme_names_files_that_are_there(name):
    """That links lead somewhere, `.ci/checks site` tests."""
    for path in re.findall(r"(?<![\w/])(?:examples|tests)/[\w/]+\.\w+", READMES[name]):
        assert (ROOT / path).is_file(), path
