"""The outlook: its terms against the reference, and its weights."""

from __future__ import annotations

import functools
import itertools
import pickle
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from agents import MCTS, Rng
from carcassonne_env import CarcassonneModel, outlook
from carcassonne_env.outlook import (
    DEMANDS_OF_ONE,
    DEMANDS_OF_SEVERAL,
    HEURISTICS,
    TERMS,
    load_weights,
    save_weights,
    set_demands,
    set_weights,
)
from carcassonne_env.position import Move
from carcassonne_env.tiles import BY_LETTER, LETTERS
from games import reached
from reference_outlook import (
    completion_chances_of,
    position_of,
    terms_of,
)

VARIANTS: dict[str, dict[str, Any]] = {
    "1 player": {"num_players": 1},
    "1 player, small": {"num_players": 1, "num_meeples": 3, "tiles": "small"},
    "2 players": {},
    "2 players, two steps": {"two_step": True},
    "2 players, deterministic": {"deterministic": True},
    "2 players, bounded": {"board_size": 7},
    "2 players, bounded evenly": {"board_size": 6, "num_meeples": 4},
    "2 players, no meeples": {"num_meeples": 0, "tiles": "small"},
    "3 players": {"num_players": 3},
    "3 players, cities": {
        "num_players": 3,
        "tiles": {"C": 2, "D": 1, "E": 10, "H": 8, "I": 8, "M": 4, "N": 12, "R": 6},
    },
    "4 players, roads": {"num_players": 4, "tiles": {"D": 4, "L": 6, "V": 20, "W": 6, "X": 6}},
    "2 players, long roads": {"tiles": {"D": 4, "U": 20, "V": 20}},
    "4 players, discards": {"num_players": 4, "tiles": {"C": 6, "D": 1, "E": 4, "N": 4, "X": 6}},
    "5 players": {"num_players": 5},
    "5 players, two tiles": {"num_players": 5, "tiles": {"D": 2}},
    "5 players, pastures": {"num_players": 5, "tiles": {"B": 12, "D": 1, "E": 20}},
}
STRIDE = 12
"""One of so many positions is compared with the slow reference."""
ONES = np.ones((len(TERMS), 3))


def step(model: CarcassonneModel, rng: Rng, style: str) -> None:
    """Plays a random draw, or an action: at random, or the best of eight in some style."""
    if model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    elif style == "random":
        model.apply_action(model.sample_action(rng))
    else:
        player = model.current_player()
        actions = [model.sample_action(rng) for _ in range(8)]
        model.apply_action(max(actions, key=lambda a: STYLES[style](reached(model, [a]), player)))


STYLES: dict[str, Any] = {
    "random": None,
    "greedy": lambda model, player: model.heuristic(player, "vs"),
    "crowded": lambda model, player: crowd(model),  # features with several meeples, that may meet
}


def crowd(model: CarcassonneModel) -> float:
    """How close large groups of meeples are to other meeples."""
    regions = [feature for feature in model.features if feature.kind in ("city", "road")]
    groups = sum(sum(feature.meeples) ** 2 for feature in regions)
    return groups + 10 * np.count_nonzero(model.outlook_terms())


def game(variant: dict[str, Any], seed: int, style: str = "random") -> Iterator[CarcassonneModel]:
    """Every position of a game; the same model, which moves on."""
    model, rng = CarcassonneModel(**variant, seed=seed), Rng(seed)
    yield model
    while not model.is_terminal():
        step(model, rng, style)
        yield model


def middle(variant: dict[str, Any], seed: int, share: float) -> CarcassonneModel:
    """A position of a greedy game at which at most this share of the tiles is left."""
    positions = game(variant, seed, style="greedy")
    model = next(positions)
    most = share * sum(model.bag.values())
    while not model.is_terminal() and sum(model.bag.values()) > most:
        next(positions)
    return model


VARIANT = st.sampled_from(list(VARIANTS.values()))
SEED = st.integers(0, 2**32 - 1)
MIDDLES = st.builds(middle, VARIANT, SEED, st.floats(0, 1))


def assert_terms(model: CarcassonneModel, expected: Sequence[dict[str, float]]) -> None:
    """The terms are those expected, up to the precision of 32 bits."""
    terms = model.outlook_terms()
    assert terms.shape == (model.num_players, len(TERMS))
    for row, wanted in zip(terms, expected, strict=True):
        named = dict(zip(TERMS, row.tolist(), strict=True))
        assert named == pytest.approx(wanted, rel=1e-5, abs=1e-5)


# --- Terms ---


@functools.cache
def compared(variant: str, style: str) -> list[CarcassonneModel]:
    """Positions of a game that are compared with the reference."""
    models = enumerate(game(VARIANTS[variant], 3, style))
    return [m.clone() for number, m in models if number % STRIDE == 0 or m.is_terminal()]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_terms_are_those_of_the_reference(variant, style):
    for model in compared(variant, style):
        assert_terms(model, terms_of(position_of(model)))


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_terms_are_those_of_the_reference_in_all_positions(variant, style):
    for seed in range(4, 8):
        for model in game(VARIANTS[variant], seed, style):
            assert_terms(model, terms_of(position_of(model)))


def test_every_term_is_met():
    """The games above are compared at positions in which a term is not 0, for each term."""
    met = np.zeros(len(TERMS), dtype=int)
    for variant, style in itertools.product(VARIANTS, STYLES):
        for model in compared(variant, style):
            met += (model.outlook_terms() != 0).any(axis=0)
    assert dict(zip(TERMS, met >= 5, strict=True)) == dict.fromkeys(TERMS, True)


def test_the_first_position_by_hand():
    """The start tile alone, and the base game's tiles to come."""
    terms = dict.fromkeys(TERMS, 0.0) | {"further points": 1.0}
    terms |= {"first meeple": 1, "second meeple": 1, "third meeple": 1, "further meeples": 4}
    with_city = sum(t.count for t in BY_LETTER.values() if "C" in t.terrain) - 1
    first = terms | {"to move": 1, "free city": with_city / 71}
    assert_terms(CarcassonneModel(), [first, terms])


def test_a_claimed_city_by_hand():
    """Two of the four tiles left close the city; all are laid in the next two turns of each."""
    model = CarcassonneModel(2, 1, {"D": 1, "G": 1, "E": 2, "U": 2})
    model.apply_action(LETTERS.index("G"))
    model.apply_action(model.encode_action(Move(0, 1, 1, ("city", frozenset("NS")))))
    share = 2 / (2 + DEMANDS_OF_SEVERAL[0][1][0])
    terms = dict.fromkeys(TERMS, 0.0) | {"further points": 1.0}
    city = {"city points": 2, "city growth": 2 / (2 + 2)}
    city |= {"city completion": 2 * share, "city completion soon": 2 * share}
    city |= {"city return": share, "city return soon": share}
    assert_terms(model, [terms | city, terms | {"first meeple": 1, "to move": 1}])


@pytest.mark.parametrize("players", [1, 2])
def test_demands_change_chances_and_are_checked(players):
    """They hold for one player, or for several."""
    model = middle({"num_players": players}, 5, 0.5)
    shipped = DEMANDS_OF_ONE if players == 1 else DEMANDS_OF_SEVERAL
    before = [chance for _, chance in model.completion_chances()]
    try:
        set_demands(3 - players, np.full((3, 2, 2), 1e-9))
        assert [chance for _, chance in model.completion_chances()] == before
        set_demands(players, [[[1e-9, 1], [1e-9, 1]]] * 3)  # no tile is wanted elsewhere
        chances = np.array([chance for _, chance in model.completion_chances()])
        assert chances == pytest.approx((np.array(before) > 0).astype(float))
    finally:
        set_demands(1, DEMANDS_OF_ONE)
        set_demands(2, DEMANDS_OF_SEVERAL)
    assert [chance for _, chance in model.completion_chances()] == before
    with pytest.raises(ValueError, match="players must be 1 or 2, got 3"):
        set_demands(3, shipped)
    for wrong in (
        0,
        [0.5, 0.5],
        np.zeros((3, 2, 2)),
        np.full((3, 2, 2), 2.0),
        np.full((3, 2, 2), np.nan),
        np.full((3, 2, 2), 1e-50),
        np.full((3, 2, 2), np.inf),
    ):
        with pytest.raises(ValueError, match=r"demands must be float\[3, 2, 2\]"):
            set_demands(players, wrong)
    with pytest.raises(ValueError, match="demands must be numbers, got 'many'"):
        set_demands(players, "many")


@pytest.mark.parametrize("variant", VARIANTS)
def test_chances_of_completion_are_those_of_the_reference(variant):
    """They are listed for all unfinished cities, roads and cloisters, with and without meeples."""
    for number, model in enumerate(game(VARIANTS[variant], 5, "greedy")):
        if number % 8 == 0:
            chances = dict(model.completion_chances())
            assert chances == pytest.approx(completion_chances_of(position_of(model)), rel=1e-5)


# --- Copies and the end of the game ---


@given(VARIANT, SEED)
@settings(max_examples=40, deadline=None)
def test_at_the_end_the_outlook_is_the_return(variant, seed):
    for model in game(variant, seed):
        assert model.is_terminal() or np.isfinite(values_of(model)).all()
    assert values_of(model) == model.returns().tolist()


def values_of(model: CarcassonneModel, kind: str = "outlook") -> list[float]:
    return [model.heuristic(player, kind) for player in range(model.num_players)]


@given(MIDDLES)
@settings(max_examples=40, deadline=None)
def test_copies_have_the_same_outlook(model):
    """Whatever was looked at before: a model keeps what it has seen of a bag and a board."""
    other = CarcassonneModel(model.num_players)
    events = model.chance_outcomes()[0] if model.is_chance_node() else model.legal_actions()
    for event in [] if model.is_terminal() else list(events)[:12]:
        child = reached(model, [event])
        other.copy_from(child)
        np.testing.assert_array_equal(other.outlook_terms(), child.outlook_terms())
    other.copy_from(model)
    for copy in (model.clone(), pickle.loads(pickle.dumps(model)), other):
        np.testing.assert_array_equal(copy.outlook_terms(), model.outlook_terms())
        assert values_of(copy) == values_of(model)


@given(SEED, st.floats(0, 1))
@settings(max_examples=20, deadline=None)
def test_the_order_of_the_bag_does_not_matter(seed, share):
    """A position whose future is fixed has the outlook of the one in which it is not."""
    model = middle({"num_players": 2}, seed, share)
    while model.is_chance_node():
        model.apply_action(model.sample_chance(Rng(seed)))
    if not model.is_terminal():
        fixed = model.clone()
        fixed.determinize(Rng(seed))
        assert fixed.is_deterministic
        np.testing.assert_array_equal(fixed.outlook_terms(), model.outlook_terms())


# --- Weights ---


@pytest.fixture
def weights_restored():
    names = list(HEURISTICS)
    yield
    HEURISTICS[:] = names
    for name in ("outlook-1", "outlook-2"):
        set_weights(name, load_weights(Path(outlook.__file__).with_name(f"{name}.txt")))


needs_weights = pytest.mark.usefixtures("weights_restored")


def random_weights(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(TERMS), 3)).round(3)


def leads(scores: np.ndarray, model: CarcassonneModel) -> np.ndarray:
    """The lead of each player over the best other one (of one player the score), as a return."""
    if len(scores) == 1:
        return scores / model.max_score()
    best = [np.delete(scores, player).max() for player in range(len(scores))]
    return (scores - best) / model.max_score()


@needs_weights
@pytest.mark.parametrize("variant", ["1 player, small", "2 players", "4 players, discards"])
def test_the_weights_are_linear_between_the_stages(variant):
    weights = random_weights(1)
    set_weights("probe", weights)
    shares, num_draws = set(), CarcassonneModel(**VARIANTS[variant]).num_tiles - 1
    for model in game(VARIANTS[variant], 3):
        if model.is_terminal():
            break
        share = sum(model.bag.values()) / num_draws
        now = [np.interp(share, [0, 0.5, 1], row) for row in weights]
        expected = leads(model.outlook_terms() @ now, model)
        assert values_of(model, "probe") == pytest.approx(expected.tolist(), abs=1e-9)
        shares.add(share)
    assert max(shares) == 1
    assert min(shares) < 0.1


@needs_weights
@pytest.mark.parametrize(
    ("variant", "turns"), [("1 player", 23), ("2 players", 35.5), ("5 players", 35.5)]
)
def test_the_forecast_goes_by_the_turns_left(variant, turns):
    weights = random_weights(2)
    set_weights(f"outlook-{min(2, CarcassonneModel(**VARIANTS[variant]).num_players)}", weights)
    shares = set()
    for model in game(VARIANTS[variant], 3):
        if model.is_terminal():
            assert model.forecast == tuple(map(float, model.scores))
            break
        share = min(1, sum(model.bag.values()) / model.num_players / turns)
        now = [np.interp(share, [0, 0.5, 1], row) for row in weights]
        expected = model.outlook_terms() @ now
        assert model.forecast == pytest.approx(expected.tolist(), abs=1e-9)
        assert values_of(model, "forecast") == pytest.approx(
            leads(expected, model).tolist(), abs=1e-9
        )
        shares.add(share)
    assert max(shares) == min(1, 71 / CarcassonneModel(**VARIANTS[variant]).num_players / turns)


@needs_weights
def test_the_weights_are_those_of_the_number_of_players():
    alone, together = (middle({"num_players": n}, 0, 0.5) for n in (1, 3))
    before = values_of(alone), values_of(together)
    set_weights("outlook-1", random_weights(1))
    assert values_of(alone) != before[0]
    assert values_of(together) == before[1]
    set_weights("outlook-2", random_weights(1))
    set_weights("probe", random_weights(1))
    for model in (alone, together):
        assert values_of(model) == values_of(model, "probe")


@needs_weights
def test_further_weights_are_further_heuristics():
    model = middle({}, 0, 0.5)
    before = values_of(model)
    own = tuple(model.heuristics)
    assert own == ("s", "vs", "outlook", "forecast", "value")
    for number in (0, 1, 2, 1):
        set_weights(f"probe {number}", number * ONES)
    assert tuple(model.heuristics) == (*own, "probe 0", "probe 1", "probe 2")
    assert len(model.heuristics) == 8
    assert values_of(model) == before


@needs_weights
def test_planners_use_further_weights():
    """The weight of meeples in hand makes a planner keep them, a negative one spend them."""
    model = CarcassonneModel()
    model.apply_action(LETTERS.index("E"))
    for sign in (1, -1):
        weights = np.zeros((len(TERMS), 3))
        weights[TERMS.index("further meeples")] = sign
        set_weights("probe", weights)
        planner = MCTS(20, evaluator="afterstates(heuristic=probe)", seed=0)
        first = planner.search(model).tree()["action"][1]
        assert (model.decode_action(first).target is None) == (sign == 1)


def test_saved_weights_are_loaded(tmp_path):
    path = tmp_path / "weights.txt"
    weights = 1000 * random_weights(2) + random_weights(3)
    save_weights(str(path), weights.tolist(), "first line\nsecond line")
    np.testing.assert_allclose(load_weights(str(path)), weights, rtol=0, atol=0.0005)
    assert path.read_text().startswith("# first line\n# second line\n# end middle start term\n")


TOO_FEW = np.ones((len(TERMS) - 1, 3))
WITH_NAN, WITH_INF = ONES.copy(), ONES.copy()
WITH_NAN[7, 1], WITH_INF[0, 2] = np.nan, -np.inf
BAD_WEIGHTS = {
    "a row too few": (TOO_FEW, r"the shape \(41, 3\), got \(40, 3\)"),
    "two stages": (ONES[:, :2], r"the shape \(41, 3\), got \(41, 2\)"),
    "NaN": (WITH_NAN, f"weights must be finite, .*nan.* for '{TERMS[7]}'"),
    "infinite": (WITH_INF, f"weights must be finite, .*inf.* for '{TERMS[0]}'"),
    "ragged": ([[1.0] * 3] * (len(TERMS) - 1) + [[1.0]], "weights must be numbers"),
    "text": ("abc", "weights must be numbers, got 'abc'"),
    "a mapping": ({term: [1.0] * 3 for term in TERMS}, "weights must be numbers"),
}


@pytest.mark.parametrize("case", BAD_WEIGHTS)
def test_bad_weights_are_refused(case, tmp_path):
    weights, message = BAD_WEIGHTS[case]
    model, path = middle({}, 0, 0.5), tmp_path / "weights.txt"
    before = values_of(model)
    for name in ("probe", "outlook-2"):
        with pytest.raises(ValueError, match=message):
            set_weights(name, weights)
    with pytest.raises(ValueError, match=message):
        save_weights(path, weights, "a test")
    assert not path.exists()
    assert HEURISTICS == ["s", "vs", "outlook", "forecast", "value"]
    assert values_of(model) == before


@pytest.mark.parametrize(
    "name", ["s", "vs", "outlook", "forecast", "value", None, 3, b"probe", ("probe",)]
)
def test_names_are_new_texts(name):
    message = f"name must (not be that of a .*|be text), got {re.escape(repr(name))}"
    with pytest.raises(ValueError if isinstance(name, str) else TypeError, match=message):
        set_weights(name, ONES)
    assert HEURISTICS == ["s", "vs", "outlook", "forecast", "value"]


@needs_weights
def test_there_is_room_for_so_many_sets():
    model = middle({}, 0, 0.5)
    set_weights("one", ONES)
    one = np.array(values_of(model, "one"))
    for number in range(13):
        set_weights(f"probe {number}", number * ONES)
    with pytest.raises(ValueError, match=r"name must be one of .*no room.* got 'one too many'"):
        set_weights("one too many", ONES)
    set_weights("probe 12", 20 * ONES)  # replaces one
    for number in range(12):
        assert values_of(model, f"probe {number}") == pytest.approx((number * one).tolist())
    assert values_of(model, "probe 12") == pytest.approx((20 * one).tolist())


LINES = [f"1 2 3 {term}" for term in TERMS]
BAD_FILES = {
    "empty": ([], f"has no line for {TERMS[0]}"),
    "a term is missing": ([*LINES[:4], *LINES[5:]], f"has no line for {TERMS[4]}"),
    "an unknown term": ([*LINES, "1 2 3 luck"], "one line for each term .* got '1 2 3 luck'"),
    "twice": ([*LINES, LINES[3]], f"one line for each term .* got '{LINES[3]}'"),
    "two numbers": (["1 2 scored", *LINES[1:]], "3 numbers before each term, got '1 2 scored'"),
    "a word": (["1 2 x scored", *LINES[1:]], "weights must be numbers"),
    "NaN": (["1 nan 3 scored", *LINES[1:]], "weights must be finite"),
    "one word": (["scored", *LINES[1:]], "3 numbers before each term, got 'scored'"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files_are_refused(case, tmp_path):
    lines, message = BAD_FILES[case]
    path = tmp_path / "weights.txt"
    path.write_text("\n".join(["# a comment", "", *lines]), encoding="utf-8")
    with pytest.raises(ValueError, match=message) as raised:
        load_weights(path)
    assert path.name in str(raised.value)
