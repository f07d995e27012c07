"""MCTS that ends in a race."""

from __future__ import annotations

import time
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from agents.checks import ON_PAGES, check_count, check_number, checked
from agents.mcts.names import rollout_policy_of
from agents.mcts.options import MAX_ITERATIONS, PAGE_ITERATIONS
from agents.mcts.planner import MCTS
from agents.mcts.policies import TreePolicy
from agents.mcts.result import SearchResult
from agents.mcts.rollouts import RolloutPolicy
from agents.mcts.search import Search
from agents.racing.race import Race
from agents.racing.result import RaceRecord, RaceResult

NEEDS = {
    "trees": 1,
    "phases": 1,
    "batch_size": None,
    "solver": False,  # a race would override proofs
    "recommendation": "robust",  # the contestants are the most visited actions
}
"""Options that a race takes at these values only."""
DEFAULT_ROLLOUTS = 300
"""Rollouts of a race if no budget is given."""
MAX_TREE_ITERATIONS = MAX_ITERATIONS - DEFAULT_ROLLOUTS
MAX_PRIOR_ROLLOUTS = 1e9
MAX_OUTCOMES = 10**6


@dataclass(eq=False, repr=False)
class RacingMCTS(MCTS):
    """MCTS that spends the end of its budget on a race between the best actions.

    A tree whose leaves are valued by a heuristic soon settles: more iterations repeat the errors of
    the heuristic. So this planner grows the tree for a fixed number of iterations only. Then the
    most visited actions race: in each round a rollout policy, which may be slow and good, plays on
    from every one of them, and all meet the same chance outcomes. An action that falls behind by
    more than chance explains leaves the race. The race ends with the budget, or when one action is
    left; close decisions take longest. `RaceResult.race` holds the record. In games without chance,
    and with ``min_outcomes`` where few outcomes are left, the tree gets the whole budget: it sees
    replies that the rollouts miss.

    The rollouts improve on the policy that plays them (Tesauro and Galperin 1996, "On-line policy
    improvement using Monte-Carlo search"). Races are due to Maron and Moore (1994), "Hoeffding
    races: accelerating model selection search for classification and function approximation".

    Args:
        iterations: Budget of the tree's iterations and the rollouts of the race together; without
            any budget, the race has 300 rollouts. See `MCTS`, whose further arguments are taken
            too, except for trees, phases, batch_size, solver and recommendation. Budgets end the
            race between two rounds, a time limit also between two rollouts of a round, which then
            does not count.
        tree_iterations: Iterations of the tree, 1 or more; the race gets the rest of the budgets.
        contestants: Number of actions that race, 2 or more.
        race_policy: How the rollouts of the race are played, in the forms of ``rollout_policy``.
        min_outcomes: Outcomes of the next draw that a race needs, 0 or more.
        prior_rollouts: Number of rollouts for which the mean in the tree counts at most, above 0;
            no mean counts for more than its visits. It should be the variance of the difference
            between two rollouts of a round, divided by the variance of the error of the difference
            between two means in the tree.

    Raises:
        ValueError: If an argument is out of range, names nothing known, or does not go with
            another one.
    """

    name = "racing-mcts"

    _: KW_ONLY
    tree_iterations: int = checked(
        2000, check_count, 1, MAX_TREE_ITERATIONS, on_pages=PAGE_ITERATIONS
    )
    contestants: int = checked(8, check_count, 2, 1000, on_pages=100)
    race_policy: str | RolloutPolicy = field(default="uniform", metadata=ON_PAGES)
    min_outcomes: int = checked(0, check_count, 0, MAX_OUTCOMES, on_pages=True)
    prior_rollouts: float = checked(
        20.0, check_number, 0, MAX_PRIOR_ROLLOUTS, is_open=True, on_pages=True
    )

    def check(self) -> TreePolicy:
        """Checks all options; returns the tree policy."""
        self.need("a race", **NEEDS)
        if self.iterations is self.time_limit is self.model_calls is None:
            self.iterations = self.tree_iterations + DEFAULT_ROLLOUTS
        tree_policy = super().check()
        race_policy = rollout_policy_of(self.race_policy, "race_policy")
        rollout_policy = rollout_policy_of(self.rollout_policy)
        if race_policy.changes_returns != rollout_policy.changes_returns:
            raise ValueError(
                "race_policy and rollout_policy must value ends of the game alike, got "
                f"{race_policy!r} and {rollout_policy!r}"
            )
        self.race_policy = race_policy
        self._race: Race | None = None
        self._tree_seconds = 0.0
        return tree_policy

    def _grow(self, search: Search) -> RaceRecord | None:
        """Spends the budgets; returns the record of the race."""
        assert isinstance(self.race_policy, RolloutPolicy)  # as `check` left it
        race = Race(search, self.race_policy)
        if not race.has_luck(self.min_outcomes):
            super()._grow(search)
            return None
        iterations = self.iterations or self.tree_iterations
        search.limit(min(iterations, self.tree_iterations), self.model_calls, self.time_limit)
        start = time.perf_counter()
        search.spend()
        self._tree_seconds = time.perf_counter() - start
        search.limit(self.iterations, self.model_calls, self.time_limit)
        race.enter(self.contestants, self.prior_rollouts)
        self._race = race
        try:
            race.run()
        finally:
            self._race = None
        return race.record()

    def _so_far(self, search: Search, seconds: float) -> SearchResult:
        result = super()._so_far(search, seconds)
        return result if self._race is None else self._reported(result, self._race.record())

    def _reported(self, result: SearchResult, found: Any) -> RaceResult:
        report = vars(result) | {"race": found}
        if found is not None:
            rows = np.searchsorted(result.actions, found.actions)
            report["means"] = result.means.copy()
            report["means"][rows] = found.values
            report["standard_errors"] = result.standard_errors.copy()
            report["standard_errors"][rows] = found.errors
            report["action"] = int(found.action)
            report["tree_seconds"] = self._tree_seconds
            report["iterations"] = result.iterations + int(found.rollouts.sum())
        report["value"] = float(report["means"][result.actions == report["action"]][0])
        return RaceResult(**report)
