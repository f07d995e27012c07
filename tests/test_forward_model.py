"""The contract of forward models: its checker, its errors, its random numbers."""

from __future__ import annotations

import copy
import math
import pickle
import random

import numpy as np
import pytest
from scipy import stats

from agents import MCTS, Expectimax, ForwardModel, GreedyTurn, PythonForwardModel, Rng
from agents.testing import check_forward_model, perft, playthrough
from carcassonne_env import CarcassonneModel
from games import Corridor, Dice, TicTacToe
from models import finished


def small(deterministic: bool = True) -> CarcassonneModel:
    """At the first decision if deterministic, else at the first chance node."""
    return CarcassonneModel(1, 3, "small", deterministic, seed=0)


def rolling() -> Dice:
    model = Dice()
    model.apply_action(Dice.ROLL)
    return model


# --- The checker ---


def share_faces(self: Dice, source: Dice) -> None:
    self.__dict__.update(source.__dict__)


def forget_points(self: Dice, source: Dice) -> None:
    self.rolls, self.faces, self.is_rolling = source.rolls, list(source.faces), source.is_rolling
    self.points = self.player = 0


def roll_in_secret(self: Dice, action: int) -> None:
    self.points += random.randint(1, 10**6)
    self.rolls = 0


def stop_early(self: Dice, rng: Rng) -> int:
    if self.is_terminal():
        return 0
    self.apply_action(0 if self.is_rolling else self.ROLL)
    return 1


def lie_about_the_count(self: Dice, rng: Rng) -> int:
    PythonForwardModel.rollout(self, rng)
    return 0


OUTCOMES = (0, 1, 2)
BROKEN_LAWS = [
    ("legal_actions", lambda self: [1, 0], "options ascend and differ"),
    ("legal_actions", lambda self: [0, 0, 1], "options ascend and differ"),
    ("is_legal", lambda self, action: False, r"is_legal\(\) of all options"),
    ("sample_action", lambda self, rng: 2, "samples are options"),
    ("chance_outcomes", lambda self: ((2, 0, 1), (0.5, 0.3, 0.2)), "options ascend and differ"),
    ("apply_action", roll_in_secret, "goes on alike"),
    ("copy_from", share_faces, "copies are independent|keeps the position|goes on alike"),
    ("copy_from", forget_points, "goes on alike|keeps the position|equals the model"),
    ("__copy__", lambda self: self, r"copy\.deepcopy\(\) (keeps|equals)|copies are independent"),
    (
        "__deepcopy__",
        lambda self, memo: Dice(9),
        r"copy\.deepcopy\(\) (keeps|equals)|deepcopy\(\) goes on",
    ),
    ("__reduce__", lambda self: (Dice, (9, 0)), "pickle keeps the position"),
    ("rollout", stop_early, r"rollout\(\) reaches the end"),
    ("rollout", lie_about_the_count, r"rollout\(\) counts"),
    ("action_to_string", lambda self, action: "same", "different texts"),
    ("string_to_action", lambda self, text: 2, r"string_to_action\('0'\)"),
    ("__eq__", lambda self, other: True, "makes a difference to =="),
    ("__eq__", lambda self, other: False, "equals the model"),
    ("position_hash", lambda self: id(self), r"position_hash\(\) of clone"),
    ("returns", lambda self: [0.0, 0.0], "one return a player"),
    ("sample_returns", lambda self, rng: [], "one return a player"),
    ("sample_returns", lambda self, rng: [math.inf], "finite returns"),
    ("observation", lambda self, player: np.ones(()), r"type of observation\(\)"),
    ("observation", lambda self, player: np.float32(1), "array with axes"),
    ("observation", lambda self, player: np.full(3, 2, np.float32), r"observation\(\) in \[0, 1\]"),
    ("ordered_actions", lambda self: [0, 0], r"ordered_actions\(\) are the legal ones"),
    ("determinize", lambda self, rng: None, r"chance nodes after determinize\(\)"),
    ("heuristic", lambda self, player, kind: math.nan, "heuristic 'points' is nan"),
    ("observation", lambda self, player: np.ones(3 + self.rolls, np.float32), "one shape"),
]


@pytest.mark.parametrize(("method", "broken", "law"), BROKEN_LAWS)
def test_checker_finds_each_broken_law(monkeypatch, method, broken, law):
    monkeypatch.setattr(Dice, method, broken)
    monkeypatch.setattr(Dice, "heuristics", ("points",) if method == "heuristic" else ())
    start = rolling if method in ("chance_outcomes", "sample_chance") else Dice
    # What the base class refuses by itself comes as its ValueError.
    with pytest.raises((AssertionError, ValueError), match=law):
        check_forward_model(start, num_games=100)


@pytest.mark.parametrize("shape", [(5,), (2, 3), (2, 2, 3), (2, 1, 1, 3)])
def test_observations_have_any_shape(monkeypatch, shape):
    monkeypatch.setattr(Dice, "observation", lambda self, player: np.ones(shape, np.float32))
    assert check_forward_model(Dice, num_games=1) > 1


def test_checker_compares_copies_with_the_original(monkeypatch):
    """All copies forget the same: only a comparison with the original gives them away."""

    def forgetful(self):
        restore, (*arguments, attributes) = PythonForwardModel.__reduce__(self)
        return restore, (*arguments, {**attributes, "points": 0})

    monkeypatch.setattr(Dice, "copy_from", forget_points)
    monkeypatch.setattr(Dice, "__reduce__", forgetful)
    with pytest.raises(AssertionError, match="equals the model"):
        check_forward_model(Dice, num_games=100)


def test_checker_wants_equal_starts():
    starts = iter([TicTacToe("X........"), TicTacToe()])
    with pytest.raises(AssertionError, match="must build equal positions"):
        check_forward_model(lambda: next(starts))


def test_checker_counts_moves():
    with pytest.raises(AssertionError, match="does not end within 49 moves"):
        check_forward_model(lambda: Corridor(50), max_moves=49)
    assert check_forward_model(lambda: Corridor(50), num_games=1, max_moves=50) == 51


def test_checker_stops_in_an_endless_game(interrupt_after):
    interrupt_after(2)
    try:
        with pytest.raises(AssertionError, match="does not end within 50 moves"):
            check_forward_model(lambda: Corridor(math.inf), max_moves=50)
    except KeyboardInterrupt:
        pytest.fail("check_forward_model() hangs in a game without end")


# --- Counts and records ---


def test_perft_of_tic_tac_toe():
    counts = [perft(TicTacToe(), depth) for depth in range(7)]
    assert counts == [1, 9, 72, 504, 3024, 15120, 54720]


def test_perft_counts_outcomes_but_not_their_depth():
    # Of the nine throws of a roll six go on, with two decisions each.
    assert [perft(Dice(rolls=3), depth) for depth in range(5)] == [1, 2, 6 * 2, 36 * 2, 0]


def test_perft_leaves_the_position():
    model = small()
    before = model.clone()
    perft(model, 2)
    assert model == before
    for depth in (-1, 1.5):
        with pytest.raises(ValueError, match=f"depth must be an integer .* got {depth}"):
            perft(model, depth)


def test_playthrough_is_a_record_of_a_game():
    model = TicTacToe("XX.OO....")
    *lines, last = playthrough(model, seed=0).splitlines()
    assert lines[0].startswith("TicTacToe('XX.OO....') | player 0 | 5 options, checksum 98 | takes")
    for line in lines:
        assert line.startswith(f"{model!r} | player {model.current_player()} |")
        model.apply_action(int(line.split()[-1]))
    assert last == f"{model!r} | returns {[float(value) for value in model.returns()]}"
    assert len({playthrough(TicTacToe(), seed) for seed in (0, 0, 1, 2)}) == 3


def test_golden_playthroughs(golden):
    golden("playthrough_small_deterministic.txt", playthrough(small(), seed=0))
    golden("playthrough_base.txt", playthrough(CarcassonneModel(2), seed=0))


# --- Errors ---

REFUSED = (TypeError, ValueError)
MISUSES = [
    (lambda: small().apply_action(-1), ValueError, "action -1 is not legal; the 30 legal"),
    (lambda: small(False).apply_action(3), ValueError, "3 is no outcome here; allowed are"),
    (lambda: small(False).apply_action("A"), ValueError, "'A' is no outcome here"),
    (lambda: finished(small()).apply_action(7), ValueError, "7 cannot be applied: the game is"),
    (lambda: small().sample_action("seed"), ValueError, "'seed'"),
    (lambda: small(False).sample_chance(-1), ValueError, "-1"),
    (
        lambda: small().heuristic(0, "outlook-2"),
        ValueError,
        r"'vs', 'outlook', 'forecast', 'value'\), got 'outlook-2'",
    ),
    (lambda: TicTacToe().chance_outcomes(), NotImplementedError, "TicTacToe must define chance"),
    (
        lambda: PythonForwardModel(0, 1),
        ValueError,
        "num_players must be an integer in .1, 2147483647., got 0",
    ),
    (
        lambda: PythonForwardModel(1, -1),
        ValueError,
        "num_actions must be an integer in .1, 2147483647., got -1",
    ),
    (lambda: PythonForwardModel(1.5, 1), REFUSED, "float|1.5"),
    (lambda: PythonForwardModel("two", 1), ValueError, "got .two."),
    (lambda: ForwardModel().current_player(), NotImplementedError, "c_current_player"),
    (lambda: ForwardModel().clone(), NotImplementedError, "c_copy_from"),
    (lambda: Rng(-1), ValueError, "got -1"),
    (lambda: Rng(0.5), ValueError, "got 0.5"),
    (lambda: Rng("seed"), ValueError, "got 'seed'"),
    (lambda: Rng(True), ValueError, "got True"),
    (lambda: Rng([1, 2]), ValueError, r"got \[1, 2\]"),
    (lambda: Rng(0).below(0), ValueError, r"\[1, 2\*\*32\), got 0"),
    (lambda: Rng(0).below(-1), ValueError, "got -1"),
    (lambda: Rng(0).below(2**32), ValueError, "got 4294967296"),
    (lambda: Rng(0).below(1.5), REFUSED, "float|1.5"),
]


@pytest.mark.parametrize(("misuse", "error", "message"), MISUSES)
def test_misuse_is_refused(misuse, error, message):
    with pytest.raises(error, match=message):
        misuse()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("current_player", ()),
        ("legal_actions", ()),
        ("chance_outcomes", ()),
        ("apply_action", (0,)),
        ("returns", ()),
        ("sample_returns", (0,)),
        ("heuristic", (0, "s")),
        ("rollout", (0,)),
        ("playout", ("first", 0.0, Rng(0))),
    ],
)
def test_missing_methods_of_python_games(method, arguments):
    with pytest.raises(NotImplementedError, match="PythonForwardModel must define"):
        getattr(PythonForwardModel(1, 2), method)(*arguments)


@pytest.mark.parametrize(
    ("method", "broken", "message"),
    [
        ("legal_actions", lambda self: [3], r"actions must be in \[0, 3\), got 3"),
        ("legal_actions", lambda self: [-1], r"actions must be in \[0, 3\), got -1"),
        ("legal_actions", lambda self: [], "empty although a player is to move"),
        ("chance_outcomes", lambda self: ([3], [1.0]), r"actions must be in \[0, 3\), got 3"),
        ("chance_outcomes", lambda self: ([0] * 4, [0.25] * 4), "num_actions = 3 entries"),
        ("chance_outcomes", lambda self: ([], []), "must sum to 1, got 0 that sum to 0"),
        ("chance_outcomes", lambda self: ([0, 1], [1.0]), r"chance_outcomes\(\) .* shorter"),
        ("chance_outcomes", lambda self: None, r"chance_outcomes\(\) must return two .* got None"),
        ("chance_outcomes", lambda self: ([0], ["x"]), "probabilities must be floats, got 'x'"),
        ("chance_outcomes", lambda self: (OUTCOMES, (0.5, 0.3, 0.1)), "must sum to 1, got 3 that"),
        *(
            ("chance_outcomes", lambda self, p=p: (OUTCOMES, (0.5, 0.5 - p, p)), f"than 0, got {p}")
            for p in (-0.2, 0)
        ),
        *(
            ("chance_outcomes", lambda self, n=n: [(i, 1 / n) for i in range(n)], "not pairs")
            for n in (1, 2, 3)
        ),
        ("sample_chance", lambda self, rng: 3, r"actions must be in \[0, 3\), got 3"),
        ("current_player", lambda self: 1, r"in \[0, 1\), CHANCE \(-1\) or TERMINAL \(-4\), got 1"),
        ("current_player", lambda self: -3, "got -3"),
        ("returns", lambda self: [1.0, 2.0], r"1 entries, got \[1.0, 2.0\]"),
        ("returns", lambda self: [], r"1 entries, got \[\]"),
        ("returns", lambda self: [math.nan], r"finite, got \[nan\]"),
        ("returns", lambda self: "x", "returns must be floats, got 'x'"),
    ],
)
def test_mistakes_in_python_games(monkeypatch, method, broken, message):
    monkeypatch.setattr(Dice, method, broken)
    with pytest.raises((TypeError, ValueError), match=message):
        Dice().rollout_returns(50, 0)


@pytest.mark.parametrize(
    ("method", "answer", "message"),
    [
        ("current_player", None, r"current_player\(\) must return an int, got None"),
        ("ordered_actions", None, r"ordered_actions\(\) must return a sequence of ints, got None"),
        ("position_hash", -5, r"position_hash\(\) must return an int in \[0, 2\*\*64\), got -5"),
        ("position_hash", None, r"position_hash\(\) must return an int .* got None"),
    ],
)
def test_mistakes_that_searches_meet(monkeypatch, method, answer, message):
    """The first two methods are asked at the root, the third where positions may repeat."""
    monkeypatch.setattr(TicTacToe, method, lambda self: answer)
    with pytest.raises((TypeError, ValueError), match=message):
        GreedyTurn(10, heuristic=lambda model, player: 0.0).search(TicTacToe())


def test_indicators_are_floats(monkeypatch):
    monkeypatch.setattr(TicTacToe, "indicator", lambda self, player, name, place: None)
    with pytest.raises(TypeError, match="indicators must be floats, got None"):
        Expectimax(1, "2*mobility").search(TicTacToe())


def test_too_many_actions_of_python_games(monkeypatch):
    monkeypatch.setattr(Corridor, "legal_actions", lambda self: [0, 0])
    with pytest.raises(ValueError, match="more than num_actions = 1 entries"):
        MCTS(1).search(Corridor(1))


# --- Copies ---


class Scratch(Corridor):
    """Keeps what it found out in an attribute that comes with the first step."""

    def apply_action(self, action: int) -> None:
        super().apply_action(action)
        self.last = action


def test_default_copy_is_the_whole_position():
    start, model = Scratch(3), Scratch(3)
    model.apply_action(0)
    model.copy_from(start)
    assert vars(model) == vars(start)


def test_default_copy_shares_nothing():
    model = Corridor(3)
    model.path = [[]]
    twin = model.clone()
    twin.path[0].append(1)
    assert model.path == [[]]
    assert type(twin) is Corridor
    assert (twin.num_players, twin.num_actions, twin.max_legal_actions) == (1, 1, 1)


# --- Random numbers ---


def stream(rng: Rng, length: int = 50) -> list[float]:
    return [rng.random() for _ in range(length)] + [rng.below(1000) for _ in range(length)]


def test_the_seed_decides_the_stream():
    for seed in (0, 2**100, np.int64(7)):
        assert stream(Rng(seed)) == stream(Rng(seed)) == stream(Rng(np.random.SeedSequence(seed)))
    streams = [stream(Rng(seed)) for seed in (0, 1, 2, None, None)]
    assert len(set(map(tuple, streams))) == len(streams)


def test_spawned_streams_are_independent():
    draws = [stream(Rng(child), 500)[:500] for child in np.random.SeedSequence(0).spawn(20)]
    correlations = np.corrcoef(draws)[np.triu_indices(20, 1)]
    # Each is about N(0, 1/500); their squares sum to chi-square.
    assert stats.chi2.sf(500 * np.sum(correlations**2), len(correlations)) > 1e-4
    assert np.abs(correlations).max() < 5 / math.sqrt(500)


@pytest.mark.parametrize("make_source", [np.random.default_rng, Rng])
def test_generators_draw_seeds(make_source):
    source, twin = make_source(0), make_source(0)
    streams = [stream(Rng(source)) for _ in range(3)]
    assert streams == [stream(Rng(twin)) for _ in range(3)]
    assert len(set(map(tuple, [*streams, stream(Rng(0))]))) == 4
    assert source.random() == twin.random()


def test_spawned_generators():
    rng, twin = Rng(0), Rng(0)
    assert [stream(child) for child in rng.spawn(3)] == [stream(Rng(twin)) for _ in range(3)]
    assert stream(rng) == stream(twin)
    assert rng.spawn(0) == []
    assert len(rng.spawn(2.0)) == 2
    with pytest.raises(ValueError, match="n must be an integer"):
        rng.spawn(-1)


@pytest.mark.parametrize(
    "copied", [Rng.copy, copy.copy, copy.deepcopy, lambda rng: pickle.loads(pickle.dumps(rng))]
)
def test_copies_of_an_rng_keep_the_stream(copied):
    rng = Rng(3)
    stream(rng)
    twin = copied(rng)
    assert twin is not rng
    assert stream(twin) == stream(rng)


@pytest.mark.parametrize("n", [2, 3, 10, 96, 3 * 2**30])
def test_below_is_uniform(n):
    rng = Rng(n)
    draws = np.array([rng.below(n) for _ in range(100_000)], dtype=np.int64)
    assert draws.min() >= 0
    assert draws.max() < n
    num_bins = min(n, 96)
    for bins in (draws * num_bins // n, draws % num_bins):
        assert stats.chisquare(np.bincount(bins, minlength=num_bins)).pvalue > 1e-4


def test_random_is_uniform():
    rng = Rng(0)
    draws = np.array([rng.random() for _ in range(100_000)])
    assert draws.min() >= 0
    assert draws.max() < 1
    assert stats.kstest(draws, "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 4 / math.sqrt(len(draws))
