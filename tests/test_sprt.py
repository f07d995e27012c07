"""The sequential test: against another computation, by hand, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize

from agents.sprt import PAIR_POINTS, SPRT, Decision

SHARES = np.array(PAIR_POINTS) / 2


def share_of(elo: float) -> float:
    return float(1 / (1 + 10 ** (-elo / 400)))


def after(counts: tuple[int, ...], elo0: float = 0, elo1: float = 30, **rates: float) -> SPRT:
    """A test of so many pairs of each result."""
    test = SPRT(elo0, elo1, **rates)
    for points, count in zip(PAIR_POINTS, counts, strict=True):
        for _ in range(count):
            test.add(points)
    return test


def best_log_likelihood(counts: tuple[int, ...], mean: float) -> float:
    """Of all distributions with this mean, by a general optimiser."""
    n = np.array(counts)
    found = optimize.minimize(
        lambda p: -float(n @ np.log(np.maximum(p, 1e-300))),
        [(1 - mean) * 0.9 + 0.02, 0.02, 0.02, 0.02, mean * 0.9 + 0.02],
        jac=lambda p: -n / np.maximum(p, 1e-300),
        bounds=[(1e-12, 1)] * 5,
        constraints=[
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(5)},
            {"type": "eq", "fun": lambda p: p @ SHARES - mean, "jac": lambda p: SHARES},
        ],
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-13},
    )
    assert found.success, found.message
    return -float(found.fun)


# --- The ratio, the bounds and the estimate ---


@pytest.mark.filterwarnings("ignore:Values in x were outside bounds")  # SciPy for Python 3.10
@pytest.mark.parametrize(
    "counts",
    [(1, 1, 1, 1, 1), (3, 7, 20, 9, 6), (0, 0, 5, 1, 0), (4, 0, 0, 0, 9), (0, 2, 0, 0, 0)],
    ids=str,
)
@pytest.mark.parametrize("elos", [(0, 30), (-50, 200)], ids=str)
def test_the_ratio_is_that_of_the_largest_likelihoods(counts, elos):
    expected = best_log_likelihood(counts, share_of(elos[1])) - best_log_likelihood(
        counts, share_of(elos[0])
    )
    assert after(counts, *elos).state.llr == pytest.approx(expected, abs=1e-4)


def test_pairs_of_wins_by_hand():
    """The most likely distribution with a mean share s has two wins with probability s."""
    test = after((0, 0, 0, 0, 7), 0, 100)
    state = test.state
    assert state.llr == pytest.approx(7 * math.log(share_of(100) / 0.5), rel=1e-12)
    assert (state.pairs, state.elo, state.high) == (7, math.inf, math.inf)
    low = math.exp(-3.841458820694124 / 2 / 7)  # of 7 wins in 7, likelihood ratio
    assert state.low == pytest.approx(400 * math.log10(low / (1 - low)), rel=1e-9)


def test_the_ratio_tends_to_that_of_a_normal_distribution():
    counts = (500, 2100, 5000, 2200, 600)
    n, s0, s1 = sum(counts), share_of(0), share_of(2)
    mean = float(np.dot(counts, SHARES)) / n
    variance = float(np.dot(counts, (SHARES - mean) ** 2)) / n
    normal = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    state = after(counts, 0, 2).state
    assert state.llr == pytest.approx(normal, rel=0.01)
    half = 1.959964 * math.sqrt(variance / n)
    expected = [400 * math.log10(s / (1 - s)) for s in (mean, mean - half, mean + half)]
    assert [state.elo, state.low, state.high] == pytest.approx(expected, abs=0.02)


def test_seats_are_symmetric():
    counts = (3, 0, 6, 5, 4)
    one = after(counts, -10, 70, alpha=0.1, beta=0.02).state
    other = after(counts[::-1], -70, 10, alpha=0.02, beta=0.1).state
    assert one.llr == pytest.approx(-other.llr)
    assert (one.lower, one.upper) == pytest.approx((-other.upper, -other.lower))
    assert (one.elo, one.low, one.high) == pytest.approx((-other.elo, -other.high, -other.low))


def test_only_the_bounds_of_wald_are_known_before_the_first_pair():
    state = SPRT(0, 10, alpha=0.01, beta=0.2).state
    assert (state.lower, state.upper) == (math.log(0.2 / 0.99), math.log(0.8 / 0.01))
    assert (state.pairs, state.llr, state.decision) == (0, 0, None)
    assert math.isnan(state.elo)
    assert (state.low, state.high) == (-math.inf, math.inf)


@pytest.mark.parametrize(("points", "decision"), [(2, "accept"), (0, "reject")])
def test_the_test_ends_at_the_bound(points, decision):
    test = SPRT(-100, 100)
    decisions = []
    while not decisions or decisions[-1] is None:
        state = test.state
        assert state.lower < state.llr < state.upper
        decisions.append(test.add(points))
    assert decisions[-1] == test.state.decision == decision
    assert not test.state.lower < test.state.llr < test.state.upper
    assert len(decisions) == math.ceil(math.log(19) / math.log(share_of(100) / share_of(-100)))


def test_a_decision_is_final():
    test = after((0, 0, 0, 0, 60))
    assert test.state.decision == "accept"
    for _ in range(300):
        assert test.add(0) == "accept"
    assert test.state.llr < test.state.lower
    assert test.state.elo < 0
    assert test.state.pairs == 360


def test_extreme_hypotheses_have_finite_ratios():
    for points in PAIR_POINTS:
        test = SPRT(-2000, 2000)
        for _ in range(3):
            test.add(points)
        assert math.isfinite(test.state.llr)


# --- What the rates promise ---

SHAPES = {
    "luck decides": (1, 0, 0, 0, 1),
    "coins": (1, 0, 2, 0, 1),
    "all alike": (1, 1, 1, 1, 1),
    "pairs are drawn": (1, 5, 88, 5, 1),
}


def tilted(shape: tuple[int, ...], mean: float) -> np.ndarray:
    """A distribution with this mean whose logarithm differs from the shape's by a line."""

    def probabilities(slope: float) -> np.ndarray:
        weights = np.array(shape) * np.exp(slope * SHARES)
        return np.asarray(weights / weights.sum())

    return probabilities(
        optimize.brentq(lambda slope: probabilities(slope) @ SHARES - mean, -30, 30)
    )


def simulated(probabilities: np.ndarray, rng: np.random.Generator) -> Decision:
    """The decision of one test."""
    test, decision = SPRT(0, 100, alpha=0.1, beta=0.05), None
    while decision is None:
        decision = test.add(float(rng.choice(PAIR_POINTS, p=probabilities)))
    return decision


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
@pytest.mark.slow(keep="alike")
def test_errors_are_as_rare_as_promised(shape):
    rng = np.random.default_rng(0)
    runs = 120
    for elo, wrong, rate in ((0, "accept", 0.1), (100, "reject", 0.05)):
        probabilities = tilted(shape, share_of(elo))
        decisions = [simulated(probabilities, rng) for _ in range(runs)]
        error = decisions.count(wrong) / runs
        assert error <= rate + 3 * math.sqrt(rate * (1 - rate) / runs), elo


def test_intervals_hold_what_they_promise():
    rng = np.random.default_rng(0)
    probabilities = tilted((1, 2, 4, 2, 1), share_of(70))
    hits = 0
    for _ in range(100):
        state = after(tuple(rng.multinomial(60, probabilities))).state
        hits += state.low <= 70 <= state.high
    assert 0.91 < hits / 100 < 0.99


# --- What is refused ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((10, 0), "elo0 must be less than elo1, got 10 and 0"),
        ((5, 5), "elo0 must be less than elo1, got 5 and 5"),
        ((math.nan, 5), "elo0 must be a finite number in .* got nan"),
        ((0, math.inf), "elo1 must be a finite number in .* got inf"),
        ((-2001, 0), r"elo0 must be a finite number in \[-2000, 2000\], got -2001"),
        (("0", 5), "elo0 must be a finite number in .* got '0'"),
        ((0, 5, 0), r"alpha must be a finite number in \(0, 0.5\], got 0"),
        ((0, 5, 0.05, 0.6), r"beta must be a finite number in \(0, 0.5\], got 0.6"),
    ],
    ids=str,
)
def test_bad_hypotheses_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SPRT(*arguments)


@pytest.mark.parametrize("points", [-0.5, 0.25, 3, math.nan, "win", None])
def test_bad_points_are_refused(points):
    test = SPRT(0, 5)
    with pytest.raises(ValueError, match=r"points must be one of \(0, 0.5, 1, 1.5, 2\), got"):
        test.add(points)
    assert test.state.pairs == 0
