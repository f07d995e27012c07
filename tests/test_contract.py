"""What holds for every model: laws, legality, sampling, rollouts, pickles, refusals."""

from __future__ import annotations

import contextlib
import itertools
import pickle
import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agents import CHANCE, TERMINAL, ForwardModel, Rng
from agents.testing import check_forward_model
from models import COMPILED, MODELS, NO_ACTIONS, finished, positions, restored

all_models = pytest.mark.parametrize("name", MODELS)
compiled_models = pytest.mark.parametrize("name", COMPILED)
REFUSED = (TypeError, ValueError)
WIDE = ("carcassonne: base", "carcassonne: two steps", "carcassonne: discards")


def games_of(name: str, seed: int = 0) -> Iterator[ForwardModel]:
    """The positions of random games, one game after another."""
    for number in itertools.count(seed):
        yield from (model.clone() for model in positions(MODELS[name](), number))


def moments(name: str) -> Iterator[ForwardModel]:
    """The start, a first decision, a later one, and an end."""
    games = games_of(name)
    yield next(games)
    yield from itertools.islice((model for model in games if model.current_player() >= 0), 0, 5, 4)
    yield finished(MODELS[name]())


@all_models
@pytest.mark.slow(keep="^(?!fop: no table|hex 16)")
def test_laws(name):
    num_games, least = 5, 10
    if name.startswith(("fop", "carcassonne", "hex 1", "reversi")):
        num_games, least = 2, 4
    elif name.startswith(("tactics", "dodgem 8")):
        num_games, least = 1, 100
    assert check_forward_model(MODELS[name], num_games) >= least


@pytest.mark.parametrize(
    "name", [name for name in COMPILED if name in WIDE or not name.startswith("carcassonne")]
)
def test_legal_actions_are_those_that_are_legal(name):
    for model in moments(name):
        if not model.is_chance_node():
            legal = model.legal_actions().tolist()
            assert [a for a in range(-1, model.num_actions + 1) if model.is_legal(a)] == legal
            assert sorted(model.ordered_actions().tolist()) == legal


# --- Sampling ---


def assert_all_fit(pvalues: list[float]) -> None:
    """Neither the worst p-value nor all together speak against the hypothesis, at 0.1% each."""
    assert min(pvalues) * len(pvalues) > 1e-3
    assert stats.combine_pvalues(pvalues, "fisher").pvalue > 1e-3


def decisions(name: str) -> list[ForwardModel]:
    """Three positions in the middle of a game, in Carcassonne also two where one cell fits."""
    games = (p for p in games_of(name) if p.current_player() >= 0)
    choices = (p for p in games if len(p.legal_actions()) > 1)
    some = list(itertools.islice(choices, 200 if name.startswith("carcassonne") else 27))
    forced = [p for p in some[4:] if len(getattr(p, "legal_cells", ())) == 1]
    return some[6:27:7] + forced[:2]


def test_sampled_actions_are_uniform():
    rng, pvalues = Rng(0), []
    for name in MODELS:
        if name in ("corridor", "carcassonne: one type", "carcassonne: two tiles"):
            continue
        for model in decisions(name):
            samples = [model.sample_action(rng) for _ in range(8000)]
            actions, counts = np.unique(samples, return_counts=True)
            assert actions.tolist() == list(model.legal_actions()), name
            pvalues.append(stats.chisquare(counts).pvalue)
    assert len(pvalues) > 100
    assert_all_fit(pvalues)


def test_sampled_outcomes_have_their_probabilities():
    rng, pvalues = Rng(1), []
    for name in MODELS:
        nodes = (p for p in itertools.islice(games_of(name), 60) if p.is_chance_node())
        for model in list(nodes)[:20:4]:
            outcomes, probabilities = model.chance_outcomes()
            samples = [model.sample_chance(rng) for _ in range(20_000)]
            seen, counts = np.unique(samples, return_counts=True)
            assert seen.tolist() == list(outcomes)
            if len(seen) > 1:
                pvalues.append(stats.chisquare(counts, 20_000 * np.asarray(probabilities)).pvalue)
    assert len(pvalues) > 30
    assert_all_fit(pvalues)


@pytest.mark.parametrize(
    "name", [name for name in MODELS if not name.startswith(("hex", "fop", "carcassonne"))]
)
def test_rollouts_are_single_steps(name):
    """These games end where single steps with the same random numbers end."""
    for seed in range(100 if name in ("reversi", "dodgem 5") else 15):
        model, end = MODELS[name](), MODELS[name]()
        num_steps = sum(1 for _ in positions(model, seed)) - 1
        assert end.rollout(seed) == num_steps
        assert end == model
        assert repr(end) == repr(model)
        assert getattr(end, "last_action", 0) == getattr(model, "last_action", 0)


@pytest.mark.parametrize(
    "name", [name for name in MODELS if name.startswith(("hex", "fop: two", "carcassonne"))]
)
@pytest.mark.slow(keep="hex (2|5)|discards")
def test_rollouts_have_the_distribution_of_single_steps(name):
    """The same law for the score of each player and the number of moves."""
    rollouts, games, rng = [], [], Rng(1)
    for _ in range(4000):
        end = MODELS[name]()
        num_moves = end.rollout(rng)
        rollouts.append(summary(end, num_moves))
    for _ in range(1500):
        end = MODELS[name]()
        num_moves = sum(1 for _ in positions(end, rng)) - 1
        games.append(summary(end, num_moves))
    pvalues = [1.0]
    for one, other in zip(np.array(rollouts).T, np.array(games).T, strict=True):
        if np.ptp([*one, *other]) > 0:
            pvalues.append(stats.ks_2samp(one, other).pvalue)
        if min(np.ptp(one), np.ptp(other)) > 0:  # SciPy warns of means of what is constant
            pvalues.append(stats.ttest_ind(one, other, equal_var=False).pvalue)
    assert min(pvalues) * len(pvalues) > 1e-3


def summary(end: Any, num_moves: int) -> tuple[float, ...]:
    """What is compared of a game: in Carcassonne scores and the number of tiles."""
    if hasattr(end, "scores"):
        return (*end.scores, len(end.board), num_moves)
    return (*end.returns(), num_moves)


@all_models
def test_rollout_returns(name):
    model, rng = MODELS[name](), Rng(5)
    before = pickle.dumps(model)
    values = model.rollout_returns(100, rng)
    assert values.shape == (100, model.num_players)
    assert values.dtype == np.float64
    assert pickle.dumps(model) == before
    np.testing.assert_array_equal(values, model.rollout_returns(100, 5))
    expected, twin = [], Rng(5)
    for _ in range(100):
        end = model.clone()
        end.rollout(twin)
        expected.append(end.sample_returns(twin))
    np.testing.assert_array_equal(values, expected)
    assert rng.random() == twin.random()


# --- Pickles ---


@compiled_models
def test_damaged_pickles_are_refused(name):
    for model in moments(name):
        data = model.__reduce__()[1][2]
        assert restored(model, data) == model
        for damage in ((data, 1), (data, -1), (data[:-1],), (data + b"x",), (b"",)):
            with pytest.raises(ValueError, match=r"version \d+ and \d+ bytes, this release"):
                restored(model, *damage)
        with pytest.raises(ValueError, match=f"the pickle of a {type(model).__name__} is damaged"):
            restored(model, data, checksum=1)


@pytest.mark.parametrize(
    "name", [name for name in COMPILED if "carcassonne" not in name and "no table" not in name]
)
def test_a_changed_bit_makes_no_impossible_position(name):
    """The checks behind the checksum; `test_fire` forges positions of Carcassonne."""
    rng = random.Random(0)
    for number, model in enumerate(moments(name)):
        data, loaded = model.__reduce__()[1][2], []
        bits = range(8 * len(data))
        for bit in bits if len(data) < 150 else rng.sample(bits, 150):
            changed = bytearray(data)
            changed[bit // 8] ^= 1 << bit % 8
            with contextlib.suppress(ValueError):
                loaded.append(restored(model, bytes(changed)))
        for twin in loaded:
            assert finished(twin).is_terminal()
        for twin in loaded[-1:] if number == 2 else ():
            check_forward_model(twin.clone, num_games=1)


# --- Refusals ---

CALLS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda model: model.rollout(0.5), "seed must be .* got 0.5"),
    (lambda model: model.rollout_returns(0, 0), "count must be at least 1, got 0"),
    (lambda model: model.rollout_returns(1.5, 0), "float"),
    (lambda model: model.rollout_returns(1, "x"), "seed must be .* got 'x'"),
    (lambda model: model.heuristic(model.num_players, "s"), r"player must be in \[0, \d\], got"),
    (lambda model: model.heuristic(-1, "s"), r"player must be in \[0, \d\], got -1"),
    (lambda model: model.heuristic(0.0, "s"), "player must be an integer, got 0.0"),
    (lambda model: model.heuristic(True, "s"), "player must be an integer, got True"),
    (lambda model: model.heuristic(0, "best"), r"kind must be one of \(.*\), got 'best'"),
    (lambda model: model.indicator(model.num_players, "x"), "player must be in"),
    (lambda model: model.indicator(0, "x"), "name must be one of .*, got 'x'"),
    (lambda model: model.string_to_action("z99"), "'z99' is none of the"),
    (lambda model: model.string_to_action(None), "text must be a str, got None"),
    (lambda model: model.copy_from(None), "source must be a .*, got NoneType"),
    (lambda model: model.copy_from(MODELS["tic-tac-toe"]()), ", got TicTacToe"),
    (hash, "unhashable"),
]


@compiled_models
def test_misuse_is_refused(name):
    for model in moments(name):
        before = model.clone()
        for call, message in CALLS:
            with pytest.raises(REFUSED, match=message):
                call(model)
        for action in NO_ACTIONS:
            assert not model.is_legal(action)
            with pytest.raises(ValueError, match=rf"{re.escape(repr(action))} (is n|cannot)"):
                model.apply_action(action)
            for method in {"action_to_string", "decode_action", "encode_action"} & {*dir(model)}:
                with pytest.raises(REFUSED):
                    getattr(model, method)(action)
        for player in (-1, model.num_players):
            with pytest.raises(
                (ValueError, NotImplementedError), match=r"player must be|has no obs"
            ):
                model.observation(player)
        for kind in model.indicators:
            if kind.places:
                with pytest.raises(ValueError, match="place must be one of"):
                    model.indicator(0, kind.name, "z99")
        assert model == before
        assert model != "a model"


@compiled_models
def test_what_needs_another_kind_of_position_is_refused(name):
    for model in moments(name):
        player = model.current_player()
        refused = []
        if player != TERMINAL:
            refused += [model.returns, partial(model.sample_returns, 0)]
        if player != CHANCE:
            refused += [model.chance_outcomes, partial(model.sample_chance, 0)]
        if player < 0:
            refused += [partial(model.sample_action, 0)]
            assert model.legal_actions().tolist() == []
        for call in refused:
            with pytest.raises(ValueError, match=f"current player is {player}"):
                call()


@pytest.mark.parametrize("name", [name for name in COMPILED if not name.startswith("carcassonne")])
def test_only_actions_have_texts(name):
    for model in moments(name):
        for action in (-1, model.num_actions, 10**20):
            with pytest.raises(ValueError, match=rf"must be in \[0, .*got {action}"):
                model.action_to_string(action)
        with pytest.raises(TypeError):
            model.action_to_string("d3")
