"""Data sets of games: recorded, written, read, refused, played again, shown and exported."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents import CHANCE
from agents.game import play_game
from carcassonne_env import archives, raw_env
from carcassonne_env.cli.main import main
from carcassonne_env.dataset import (
    Dataset,
    Game,
    batches,
    digest,
    files,
    load_dataset,
    save_dataset,
)
from carcassonne_env.encoding import ACTION_MODES, OBSERVATIONS
from carcassonne_env.game_setup import Setup
from carcassonne_env.network import load_network, save_network
from carcassonne_env.play.recording import play, record
from carcassonne_env.tiles import LETTERS
from commands import Done, run_here
from test_engine import LAST, game_seeds, program
from test_network import layers_of

ALONE, PAIR = Setup(1, 3, "small"), Setup(2, 3, "small")
KNOWN = Setup(1, 1, "small", known_order=True)
SETUPS = [ALONE, KNOWN, PAIR, Setup(3, 2, "base", known_order=True)]
setups = pytest.mark.parametrize("setup", SETUPS, ids=lambda setup: setup.name)
PLAYER = "expectimax(depth=1, heuristic=vs)"


def dataset_of(setup: Setup, player: str = PLAYER, exploration: float = 0.2, n: int = 3) -> Dataset:
    games = [play(setup, player, seed, exploration) for seed in range(n)]
    return Dataset(setup, player, exploration, games)


def order_of(game: Game) -> str:
    return "".join(LETTERS[outcome] for outcome in game.outcomes)


def assert_equal(one: Dataset, other: Dataset) -> None:
    for name in ("setup", "player", "exploration", "package"):
        assert getattr(one, name) == getattr(other, name)
    for game, twin in zip(one.games, other.games, strict=True):
        for column, same in zip(game, twin, strict=True):
            assert getattr(column, "dtype", None) == getattr(same, "dtype", None)
            np.testing.assert_array_equal(column, same)


# Recording


@setups
def test_games_are_those_of_the_arena(setup):
    game = play(setup, PLAYER, seed=5)
    record = play_game(setup, [PLAYER] * setup.num_players, 5)
    draws = [ply.action for ply in record.plies if ply.player == CHANCE]
    start = setup(5)
    order = (start.current_tile or "") + (start.order or "")
    assert order_of(game) == order if setup.known_order else game.outcomes.tolist() == draws
    played = list(Dataset(setup, PLAYER, 0.0, [game]).replay(0))
    moves = [ply for ply in record.plies if ply.player != CHANCE]
    assert [step.action for _, step in played] == [ply.action for ply in moves]
    assert game.values.tolist() == np.array([ply.value for ply in moves], np.float32).tolist()
    assert not game.is_random.any()
    assert tuple(game.scores) == played[-1][0].scores


def test_random_moves_are_a_share_and_have_no_value():
    games = dataset_of(ALONE, n=20).games
    is_random = np.concatenate([game.is_random for game in games])
    values = np.concatenate([game.values for game in games])
    assert 0.1 < is_random.mean() < 0.3
    assert (np.isnan(values) == is_random).all()
    all_random = play(ALONE, PLAYER, 0, 1.0)
    assert all_random.is_random.all()
    assert order_of(all_random) == order_of(play(ALONE, PLAYER, 0))  # the draws are the same
    assert np.isnan(play(ALONE, "random", 0).values).all()


def test_the_number_of_processes_changes_nothing(tmp_path):
    player = "mcts(iterations=5, reuse_tree=True)"
    one, two = (
        record(tmp_path / f"{n}.csv", PAIR, player, 4, name="p", exploration=0.3, workers=n)
        for n in (1, 2)
    )
    assert_equal(one, two)
    assert digest(one) == digest(two)
    again = [play(PAIR, player, seed, 0.3) for seed in range(4)]
    assert_equal(one, Dataset(PAIR, "p", 0.3, again))


def test_recorded_games_are_not_played_again(tmp_path):
    whole = record(tmp_path / "whole.csv", ALONE, "greedy", 5, first_seed=7)

    def refuse(model):
        raise AssertionError

    table = tmp_path / "parts.csv"
    record(table, ALONE, PLAYER, 3, first_seed=7)
    record(table, ALONE, refuse, 3, name=PLAYER, first_seed=7)
    assert_equal(record(table, ALONE, "greedy", 5, first_seed=7), whole)
    assert [game.seed for game in whole.games] == [7, 8, 9, 10, 11]
    with pytest.raises(RuntimeError, match="AssertionError"):
        record(table, ALONE, refuse, 6, name=PLAYER, first_seed=7)


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (record, {"num_games": 0}, "num_games must be"),
        (record, {"first_seed": -1}, "first_seed must be"),
        (record, {"exploration": 1.5}, "exploration must be"),
        (record, {"player": lambda model: 0}, "cannot be imported"),
        (batches, {"size": 0}, "size must be in"),
        (batches, {"action_mode": "none"}, "action_mode must be one of"),
        (batches, {"observation": "none"}, "observation must be one of"),
        (batches, {"max_rows": 0}, "max_rows must be in"),
    ],
)
def test_bad_options_are_refused_at_once(function, options, message, tmp_path):
    needed = {"dataset": dataset_of(ALONE, n=1)}
    if function is record:
        needed = {"table": tmp_path / "t.csv", "setup": ALONE, "player": PLAYER, "num_games": 1}
    with pytest.raises(ValueError, match=message):
        function(**needed | options)


@pytest.mark.parametrize("name", ["network", "network-mcts"])
def test_games_are_played_again_when_the_files_of_the_player_change(name, tmp_path):
    out, network = tmp_path / "games.npz", tmp_path / "own.npz"
    scores = []
    for seed in range(2):
        save_network(network, 24, 1, layers_of(24, 1, (8, 8), seed))
        carcassonne(f"{name}(checkpoint={network})", "--games", 2, "--out", out).checked()
        scores.append(digest(load_dataset(out)))
    assert scores[0] != scores[1]


def test_programs_get_seeds_of_game_and_seat(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for seed in (0, 1, 0, 1):
        play(PAIR, program(LAST), seed)
    seeds = game_seeds()
    assert seeds[:4] == seeds[4:]
    assert len(set(seeds)) == 4


# Files


@setups
def test_a_file_reads_back(setup, tmp_path):
    dataset, path = dataset_of(setup), tmp_path / "games.npz"
    save_dataset(path, dataset)
    found = load_dataset(path)
    assert_equal(found, dataset)
    assert digest(found) == digest(dataset) != digest(dataset_of(setup, n=2))
    first = path.read_bytes()
    save_dataset(path, found)
    assert path.read_bytes() == first


Members = dict[str, Any]
Change = Callable[[Members], object]


def header(**members: Any) -> Change:
    def change(arrays: Members) -> None:
        arrays["header"] = np.array(json.dumps({**json.loads(str(arrays["header"])), **members}))

    return change


def put(name: str, value: Any, index: Any = 0) -> Change:
    return lambda arrays: arrays[name].__setitem__(index, value)


def replaced(name: str, change: Callable[[Any], Any]) -> Change:
    return lambda arrays: arrays.__setitem__(name, change(arrays[name]))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (header(format="else"), "format must be 'carcassonne-dataset', got 'else'"),
        (header(version=2), "version must be 1, got 2"),
        (header(version=True), "version must be of type int, got True"),
        (header(setup="1p-9m"), "a game's name must be like '2p-7m-base-s', got '1p-9m'"),
        (header(setup="1p-2m-small-s"), r"game \d \(seed \d\): "),
        (header(player=3), "player must be of type str, got 3"),
        (header(player="a\nb"), "player must be a text without control characters"),
        (header(exploration=None), "exploration must be a finite number in"),
        (header(exploration=2), r"exploration must be a finite number in \[0, 1\], got 2"),
        (replaced("header", lambda text: np.array("[]")), "its header must be a JSON object"),
        (replaced("header", lambda text: np.array("[" * 10**5)), "its header is nested too deep"),
        (replaced("header", lambda text: np.array("{")), "Expecting"),
        (replaced("header", lambda text: np.array(3)), "its header must be a text, got int64"),
        (replaced("header", lambda text: np.array([None])), "allow_pickle=False"),
        (lambda arrays: arrays.pop("values"), "it has no array 'values'"),
        (replaced("values", lambda a: a.astype(float)), "values must have 1 axes of float32"),
        (replaced("scores", lambda a: a[:, 0]), "scores must have 2 axes of int32, got 1 of int32"),
        (replaced("scores", lambda a: a[:2]), "scores must be 3, as many as seeds, got 2"),
        (replaced("scores", lambda a: a[:, [0, 0]]), r"game 0 \(seed 0\): scores must be those"),
        (replaced("actions", lambda a: a[:-1]), r"actions must be \d+, the sum of num_actions"),
        (replaced("outcomes", lambda a: a[1:]), r"outcomes must be \d+, the sum of num_outcomes"),
        (lambda arrays: arrays.update({n: arrays[n][:0] for n in files._ARRAYS}), "one or more"),
        (put("actions", 60_000), r"game 0 \(seed 0\): an action must be an index of \d+ legal"),
        (put("actions", 60_000, -1), r"game 2 \(seed 2\): an action must be an index of \d+ legal"),
        (put("outcomes", 24), r"game 0 \(seed 0\): outcomes must be below 24, got 24"),
        (put("outcomes", 3), r"game 0 \(seed 0\): "),  # no second tile D
        (put("scores", 999, (1, 0)), r"game 1 \(seed 1\): scores must be those of the last posit"),
        (put("values", np.inf), r"game 0 \(seed 0\): values must be finite or NaN"),
    ],
)
def test_files_that_are_wrong_are_refused(change, message, tmp_path):
    path = tmp_path / "games.npz"
    save_dataset(path, dataset_of(ALONE))
    with np.load(path) as members:
        arrays = dict(members)
    change(arrays)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=message) as error:
        load_dataset(path)
    assert str(error.value).startswith(f"{path} is not a data set of games: ")


def test_games_end_where_they_end():
    game = play(ALONE, PLAYER, 0)
    for columns in (("outcomes",), ("actions", "values", "is_random")):
        longer = {name: np.append(getattr(game, name), getattr(game, name)[:1]) for name in columns}
        shorter = {name: getattr(game, name)[:-1] for name in columns}
        with pytest.raises(ValueError, match=f"{columns[0]} must end with the game, got 1 more"):
            Dataset(ALONE, PLAYER, 0.0, [game._replace(**longer)])
        with pytest.raises(ValueError, match=f"{columns[0]} must go on to the end of the game"):
            Dataset(ALONE, PLAYER, 0.0, [game._replace(**shorter)])
    negative = game._replace(actions=game.actions.astype(int) - game.actions[0] - 1)
    with pytest.raises(ValueError, match=r"must be an index of .* got -1"):
        Dataset(ALONE, PLAYER, 0.0, [negative])
    with pytest.raises(ValueError, match="must have one length"):
        Dataset(ALONE, PLAYER, 0.0, [game._replace(values=game.values[1:])])


def test_damaged_files_are_refused_or_hold_the_same_games(tmp_path):
    dataset, path, rng = dataset_of(ALONE, n=1), tmp_path / "games.npz", random.Random(0)
    save_dataset(path, dataset)
    whole = path.read_bytes()
    refused = []
    for i in range(300):
        data = bytearray(whole)
        if i % 3:
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        else:
            del data[rng.randrange(len(data)) :]
        path.write_bytes(data)
        try:
            found = load_dataset(path)
        except ValueError as error:
            refused.append(str(error))
        else:
            assert digest(found) == digest(dataset)
    assert len(refused) > 200
    assert all(text.startswith(f"{path} is not a data set of games: ") for text in refused)


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"\x93NUMPY"])
def test_other_files_are_refused(content, tmp_path):
    path = tmp_path / "games.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is not a data set of games: File is not a zip file"):
        load_dataset(path)
    with pytest.raises(FileNotFoundError):
        load_dataset(tmp_path / "none.npz")


def test_files_that_claim_to_be_huge_are_refused(tmp_path, monkeypatch):
    path, claim = tmp_path / "games.npz", io.BytesIO()
    save_dataset(path, dataset_of(ALONE))
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    np.lib.format.write_array_header_1_0(
        claim, {"descr": "<f4", "fortran_order": False, "shape": (2**40,)}
    )
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**members, "values.npy": claim.getvalue()}.items():
            archive.writestr(name, data)
    with pytest.raises(ValueError, match="is not a data set of games: "):
        load_dataset(path)
    save_dataset(path, dataset_of(ALONE))
    monkeypatch.setattr(archives, "MAX_BYTES", 1000)
    with pytest.raises(ValueError, match="must take 1000 bytes or less, got"):
        load_dataset(path)


@pytest.mark.parametrize(
    "words",
    [
        None,  # no array at all
        "{'descr': '<f4', (",
        "\n  {}\n {}",
        "{'descr': (), 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 0}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (10**30,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1%s,)}" % ("0" * 30),
    ],
)
def test_arrays_that_numpy_stumbles_over_are_refused(words, tmp_path):
    for load, name in ((load_dataset, "header"), (load_network, "num_tiles")):
        path = tmp_path / "broken.npz"
        with zipfile.ZipFile(path, "w") as archive:
            size = len(words or "") + 1
            data = b"\x93NUMPY\x01\x00" + size.to_bytes(2, "little") + f"{words}\n".encode()
            archive.writestr(f"{name}.npy", data if words else b"no array")
        with pytest.raises(ValueError, match=r"broken\.npz is not a (data set|network)"):
            load(path)


# Positions


MODES = list(zip(ACTION_MODES * 2, OBSERVATIONS, strict=True))
"""Every mode and every observation."""


@setups
@pytest.mark.parametrize(("mode", "shown"), MODES)
def test_batches_show_what_the_environment_shows(setup, mode, shown):
    dataset = dataset_of(setup, "random", 0.0, n=1 if setup.tiles == "base" else 2)
    settings = {"action_mode": mode, "observation": shown}
    kind = {"num_players": setup.num_players, "num_meeples": setup.num_meeples}
    env = raw_env(**kind, tiles=setup.tiles, deterministic=True, **settings)
    found = batches(dataset, 7, **settings)
    positions = ((batch, i) for batch in found for i in range(len(batch.actions)))
    for number, game in enumerate(dataset.games):
        env.reset(options={"order": order_of(game)})
        while not env.terminations[env.agent_selection]:
            batch, i = next(positions)
            seen = env.observe(env.agent_selection)
            assert seen.keys() == batch.observations.keys()
            for name, array in seen.items():
                assert array.dtype == batch.observations[name].dtype
                np.testing.assert_array_equal(batch.observations[name][i], array)
            assert batch.games[i] == number
            env.step(batch.actions[i])
        assert env.model.scores == tuple(game.scores)
    assert next(positions, None) is None


def test_batches_have_the_targets_of_the_player_to_move():
    dataset = dataset_of(PAIR)
    movers, values, returns, games = [], [], [], []
    for number, game in enumerate(dataset.games):
        *_, (last, _) = dataset.replay(number)
        for model, step in dataset.replay(number):
            if not step.is_random:
                movers.append(model.current_player())
                values.append(step.value)
                returns.append(last.returns()[movers[-1]])
                games.append(number)
        assert (game.scores[0] > game.scores[1]) == (last.returns()[0] > 0)
    found = list(batches(dataset, 10))
    assert {len(batch.actions) for batch in found[:-1]} == {10}
    columns = [np.concatenate([batch[i] for batch in found]) for i in range(1, 5)]
    assert {*movers} == {0, 1}
    assert columns[1].tolist() == np.array(values, np.float32).tolist()
    assert columns[2].tolist() == np.array(returns, np.float32).tolist()
    assert columns[3].tolist() == games
    assert [column.dtype for column in columns] == [np.int64, np.float32, np.float32, np.int64]


def test_games_are_chosen_in_any_order():
    dataset = dataset_of(ALONE)
    whole = next(batches(dataset, 100))
    part = next(batches(dataset, 100, games=[2, 0], action_mode="index", max_rows=5))
    assert list(dict.fromkeys(part.games.tolist())) == [2, 0]
    assert part.observations["actions"].shape == (len(part.actions), 5, 5)
    expected = np.concatenate([whole.values[whole.games == i] for i in (2, 0)])
    assert part.values.tolist() == expected.tolist()
    for number in (3, -1):
        with pytest.raises(IndexError, match=rf"number must be in \[0, 3\), got {number}"):
            list(batches(dataset, games=[number]))


def test_games_are_in_their_smallest_types():
    game = Game.of(3, [1], [2], [None], [True], [4])
    assert [column.dtype.name for column in game[1:]] == [
        *("uint8", "uint16", "float32", "bool", "int32")
    ]
    assert np.isnan(game.values[0])


# The command


def carcassonne(*arguments: object) -> Done:
    return run_here(main, ("dataset", *arguments))


def test_the_command_records(tmp_path):
    out = tmp_path / "new" / "games.npz"
    options = ("--games", 3, "--seats", 2, "--exploration", 0.1, "--seed", 4, "--out", out)
    done = carcassonne("greedy", *options)
    assert (done.code, done.err) == (0, "")
    found = load_dataset(out)
    assert_equal(found, Dataset(PAIR, PLAYER, 0.1, [play(PAIR, PLAYER, s, 0.1) for s in (4, 5, 6)]))
    assert f"Games: 3 of 2p-3m-small-s with 69 moves of {PLAYER}\n" in done.out
    assert f"SHA-256 of the games: {digest(found)}\n" in done.out
    assert f"{out.stat().st_size:,} bytes" in done.out
    assert carcassonne("greedy", *options) == done
    assert len(out.with_suffix(".csv").read_text().splitlines()) == 4


# Minari


@pytest.fixture
def minari(tmp_path, monkeypatch):
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    return pytest.importorskip("minari")


@pytest.mark.filterwarnings("ignore::UserWarning")  # of Minari: no code link, no author
@pytest.mark.parametrize("setup", [ALONE, KNOWN, PAIR], ids=lambda setup: setup.name)
@pytest.mark.parametrize("mode", ["two_step", "index"])
def test_a_data_set_is_exported(setup, mode, minari, tmp_path, monkeypatch):
    from carcassonne_env.dataset import minari as exporting

    monkeypatch.setattr(exporting, "CHUNK", 2)
    dataset, path = dataset_of(setup), tmp_path / "games.npz"
    save_dataset(path, dataset)
    settings = {"action_mode": mode, "observation": "tiles"}
    exporting.to_minari(path, "test/games-v0", settings, description="games")
    found = minari.load_dataset("test/games-v0")
    assert found.total_episodes == len(dataset.games) * setup.num_players
    env = found.recover_environment()
    assert found.storage.metadata["algorithm_name"] == PLAYER
    assert env.unwrapped.action_mode == mode
    assert env.unwrapped.num_players == setup.num_players
    assert env.unwrapped.deterministic == setup.known_order
    told = found.storage.get_episode_metadata(range(len(found)))
    orders = [order_of(game) for game in dataset.games for _ in range(setup.num_players)]
    assert [one["options"]["order"] for one in told] == orders
    episodes = iter(found.iterate_episodes())
    for game in dataset.games:
        for seat in range(setup.num_players):
            assert_episode(next(episodes), setup, game, seat, settings)
    with pytest.raises(ValueError, match="num_games must be"):
        exporting.to_minari(path, "test/more-v0", num_games=0)
    with pytest.raises(ValueError, match="settings must not have num_players, seat"):
        exporting.to_minari(path, "test/more-v0", {**settings, "seat": 1, "num_players": 2})


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_export_is_whole_or_not_there(minari, tmp_path, monkeypatch):
    from carcassonne_env.dataset import minari as exporting

    path, episode, name = tmp_path / "games.npz", exporting._episode, "test/games-v0"
    save_dataset(path, dataset_of(ALONE))
    with monkeypatch.context() as patches:
        patches.setattr(exporting, "CHUNK", 1)
        patches.setattr(
            exporting, "_episode", lambda *a: episode(*a) if a[1] < 2 else pytest.fail("at last")
        )
        with pytest.raises(pytest.fail.Exception, match="at last"):
            exporting.to_minari(path, name)
    assert not minari.list_local_datasets()
    for wrong in ("x/games-v0", "games", "a b-v0", 3):
        with pytest.raises(ValueError, match="dataset_id must be a name for Minari"):
            exporting.to_minari(path, wrong)
    assert not minari.list_local_datasets()
    exporting.to_minari(path, name, {"observation": "tiles"})
    with pytest.raises(ValueError, match="dataset_id must be new"):
        exporting.to_minari(path, name)


def assert_episode(
    episode: Any, setup: Setup, game: Game, seat: int, settings: dict[str, Any]
) -> None:
    """The episode has the observations and actions of the seat as batches have, and its return."""
    all_chosen = game._replace(is_random=np.zeros_like(game.is_random))
    dataset = Dataset(setup, PLAYER, 0.0, [all_chosen])
    (batch,) = batches(dataset, 1000, **settings)
    steps = 2 if settings["action_mode"] == "two_step" else 1
    movers = np.array([model.current_player() for model, _ in dataset.replay(0)])
    is_own = np.repeat(movers == seat, steps)
    assert episode.actions.tolist() == batch.actions[is_own].tolist()
    for name, array in batch.observations.items():
        np.testing.assert_array_equal(episode.observations[name][:-1], array[is_own])
    for name, column in (("value", game.values), ("is_random", game.is_random)):
        expected = np.repeat(column, steps)[is_own]
        np.testing.assert_array_equal(episode.infos[name][:-1], expected)
    scale = 1 if setup.num_players > 1 else setup(0).max_score()  # rewards are points
    assert episode.rewards.sum() == pytest.approx(scale * float(batch.returns[is_own][0]), abs=1e-4)
    assert episode.terminations.tolist() == [False] * (is_own.sum() - 1) + [True]
    assert not episode.truncations.any()
