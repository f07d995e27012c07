"""A sequential test of which of two players is stronger: it ends as soon as the games are clear.

The test looks at pairs of games. In a pair the players meet twice with the same seed, so with the
same chance outcomes, and swap seats. `agents.league.pairs` finds the pairs in a table of games.
Needs the extra ``experiments``.

References:
    Wald (1945), "Sequential Tests of Statistical Hypotheses", Annals of Mathematical Statistics
    16(2): the sequential probability ratio test and its bounds.
    Li, Liu and Ying (2014), "Generalized Sequential Probability Ratio Test for Separate Families of
    Hypotheses", Sequential Analysis 33(4): the ratio of the largest likelihoods.
    Van den Bergh, http://hardy.uhasselt.be/Fishtest/support_MLE_multinomial.pdf, proposition 1.1:
    the most likely multinomial distribution with a given mean, as Fishtest, which tests changes of
    Stockfish, uses it.
    Owen (1988), "Empirical Likelihood Ratio Confidence Intervals for a Single Functional",
    Biometrika 75(2): the interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

from agents.checks import check_choice, check_number, extra
from agents.league import ELO

with extra("experiments", __name__):
    from scipy import special, stats

PAIR_POINTS = (0, 0.5, 1, 1.5, 2)
"""The points of a player in a pair of games: 1 for a win and 0.5 for a draw."""
MAX_ELO = 2000
"""The largest absolute value of a hypothesis; a player so much better loses one game in 100,000."""
STEPS = 60
"""Steps of a bisection, which end near the precision of floating point."""
SHARES = tuple(points / 2 for points in PAIR_POINTS)
"""The shares of the points of a pair."""
Decision = Literal["accept", "reject"]
QUANTILE = float(stats.chi2.ppf(0.95, 1))
"""Twice the log-likelihood that the ends of a 95% confidence interval lie below the largest one."""


class SPRTState(NamedTuple):
    """What a test has found.

    Attributes:
        pairs: Number of pairs of games so far.
        llr: The log-likelihood ratio of ``elo1`` to ``elo0``, 0 before the first pair.
        lower: The test rejects when `llr` is at most this bound.
        upper: The test accepts when `llr` is at least this bound.
        decision: "accept" for ``elo1``, "reject" for ``elo0``, or None as long as the test goes on.
        elo: The most likely difference in Elo; infinite if a player has all points, and NaN before
            the first pair.
        low: The lower end of the 95% confidence interval of the difference.
        high: The upper end.
    """

    pairs: int
    llr: float
    lower: float
    upper: float
    decision: Decision | None
    elo: float
    low: float
    high: float


class SPRT:
    """A generalised sequential probability ratio test between two differences in Elo.

    The five possible results of a pair have unknown probabilities. The log-likelihood ratio
    compares two of their distributions: the most likely one under which the first player is
    expected to win as many points as ``elo1`` says, and the most likely one for ``elo0``. So
    the test needs no rate of draws, and the two games of a pair need not be independent.

    The error rates hold for long tests. In simulations with hypotheses 30 to 200 Elo apart they
    were at most 1.4 times `alpha` and `beta`, and mostly below them. The interval ignores that the
    test chose when to stop, so a decided test shows the difference as a little too large.

    Args:
        elo0: The smaller difference: how much stronger the first player is if the test rejects.
        elo1: The larger difference: how much stronger the first player is if the test accepts.
        alpha: The probability that the test accepts although the difference is `elo0`, in (0, 0.5].
        beta: The probability that the test rejects although the difference is `elo1`, in (0, 0.5].

    Raises:
        ValueError: If a number is outside its range, or `elo0` is not less than `elo1`.
    """

    def __init__(self, elo0: float, elo1: float, alpha: float = 0.05, beta: float = 0.05) -> None:
        for name, elo in (("elo0", elo0), ("elo1", elo1)):
            check_number(name, elo, -MAX_ELO, MAX_ELO)
        if elo0 >= elo1:
            raise ValueError(f"elo0 must be less than elo1, got {elo0!r} and {elo1!r}")
        check_number("alpha", alpha, 0, 0.5, is_open=True)
        check_number("beta", beta, 0, 0.5, is_open=True)
        self._shares = (float(special.expit(elo0 / ELO)), float(special.expit(elo1 / ELO)))
        self._lower = math.log(beta / (1 - alpha))
        self._upper = math.log((1 - beta) / alpha)
        self._counts = [0] * len(PAIR_POINTS)
        self._decision: Decision | None = None

    def add(self, points: float) -> Decision | None:
        """Adds a pair of games.

        A decision is final. Pairs that are added later, such as those that were being played when
        the test ended, only make the estimate better.

        Args:
            points: The points of the first player in both games: 0, 0.5, 1, 1.5 or 2.

        Returns:
            The decision, or None as long as the test goes on; `state` tells more.

        Raises:
            ValueError: If a pair of games cannot give these points.
        """
        check_choice("points", points, PAIR_POINTS)
        self._counts[PAIR_POINTS.index(points)] += 1
        if self._decision is None:
            llr = self._llr()
            if llr >= self._upper:
                self._decision = "accept"
            elif llr <= self._lower:
                self._decision = "reject"
        return self._decision

    @property
    def state(self) -> SPRTState:
        """What the test has found so far."""
        elos = (float(ELO * special.logit(share)) for share in _interval(self._counts))
        return SPRTState(
            sum(self._counts), self._llr(), self._lower, self._upper, self._decision, *elos
        )

    def _llr(self) -> float:
        share0, share1 = self._shares
        return _deficit(self._counts, share0) - _deficit(self._counts, share1)


def _interval(counts: list[int]) -> tuple[float, float, float]:
    """The mean share of the points, and the ends of its 95% confidence interval."""
    if not any(counts):
        return math.nan, 0.0, 1.0
    mean = sum(n * share for n, share in zip(counts, SHARES, strict=True)) / sum(counts)

    def is_outside(share: float) -> bool:
        return 2 * _deficit(counts, share) > QUANTILE

    low = _change(is_outside, 0.0, mean) if mean > 0 else 0.0
    high = _change(lambda share: not is_outside(share), mean, 1.0) if mean < 1 else 1.0
    return mean, low, high


def _deficit(counts: list[int], mean: float) -> float:
    """The largest log-likelihood of all distributions less that of those with this mean.

    `counts` has the number n of pairs for each of `SHARES`, and N is their sum. Under the
    constraint the most likely probability of a result with share s is n / N / (1 + x (s - mean)). A
    result that did not occur has a probability above 0 only if it is the worst or the best one and
    the results that did occur cannot have this mean, which is strictly between 0 and 1.
    """
    terms = [(n, share - mean) for n, share in zip(counts, SHARES, strict=True) if n]

    def is_below(x: float) -> bool:
        """Whether x is below the root: the sum of the constraint falls as x grows."""
        return sum(n * distance / (1 + x * distance) for n, distance in terms) > 0

    x = _change(is_below, -1 / (1 - mean), 1 / mean)
    return math.fsum(n * math.log1p(x * distance) for n, distance in terms)


def _change(is_before: Callable[[float], bool], low: float, high: float) -> float:
    """Where a condition that holds near `low` ends to hold, by bisection; inside the limits."""
    for _ in range(STEPS):
        middle = (low + high) / 2
        if is_before(middle):
            low = middle
        else:
            high = middle
    return (low + high) / 2
