"""Monte Carlo tree search: one planner with parts to choose."""

from __future__ import annotations

import math
import time
from typing import Any

from agents import formula_text
from agents.agent import Agent, SearchResult, model_to_move
from agents.checks import check_choice, check_count, check_seconds
from agents.evolution_record import Evolution
from agents.formula import Formula
from agents.formula_policy import FormulaPolicy
from agents.forward_model import ForwardModel
from agents.policies import UCB1, RolloutPolicy, TreePolicy
from agents.rng import Rng, Seed
from agents.search import Search

RECOMMENDATIONS = ("robust", "max", "robust-max", "secure")
DEFAULT_ITERATIONS = 5000
MAX_ITERATIONS = 0xFFFFFFFF
"""Visits are counted in 32 bits."""
MAX_NODES = 0x7FFFFFFF


class MCTS(Agent):
    """Monte Carlo tree search (UCT by default) in any game with a forward model.

    An iteration descends from the root by the tree policy through fully expanded nodes, adds one
    untried action, plays on at random to the end and updates the mean return of every node on the
    path. Each node holds the returns of the player who decided last before it, and every player
    maximises their own (max^n; in two-player zero-sum games that is minimax). At a chance node an
    outcome is sampled; one met for the first time gets its node at once.

    The search stops at whichever budget is spent first; 5,000 iterations if none is given.

    Args:
        iterations: Budget in iterations.
        c: Exploration constant of UCB1, in units of the returns; sqrt(2) by default. The returns of
            the base game differ by hundredths, so constants of that size explore less evenly there.
        tree_policy: "ucb1" (that is, ``UCB1(c)``), a `Formula`, the text of one, in which c may
            occur, or a `TreePolicy`; c belongs to the first and third alone.
        rollout_policy: "uniform" or a `RolloutPolicy`.
        rollouts: Rollouts from each new leaf, averaged.
        time_limit: Budget in seconds.
        model_calls: Budget in actions and chance outcomes applied to forward models.
        chance_backup: "weighted": the mean of a chance node is the mean over the outcomes seen so
            far by their probabilities. "sampled": the plain mean of the returns.
        resample_terminals: Whether a terminal node selected again draws its return anew, or reuses
            the first one. It matters only in games whose returns at the end are random.
        recommendation: "robust" (most visited action), "max" (highest mean), "robust-max" (both,
            else most visited) or "secure" (highest mean - 1/sqrt(visits)); Chaslot et al. (2008),
            "Progressive strategies for Monte-Carlo tree search". Ties are broken at random.
        max_nodes: Cap on the nodes of the tree, 2 or more (about 100 MB a million in the base
            game). At the cap the search goes on without growth: it descends through the actions it
            has and plays on from where the tree ends.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng` to start from. The
            same seed gives the same trees, search after search, unless time is the budget.

    Raises:
        ValueError: If an argument is out of range or names nothing known.
    """

    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        tree_policy: str | Formula | TreePolicy = "ucb1",
        rollout_policy: str | RolloutPolicy = "uniform",
        rollouts: int = 1,
        time_limit: float | None = None,
        model_calls: int | None = None,
        chance_backup: str = "weighted",
        resample_terminals: bool = True,
        recommendation: str = "robust",
        max_nodes: int | None = None,
        seed: Seed = None,
    ) -> None:
        if iterations is time_limit is model_calls is None:
            iterations = DEFAULT_ITERATIONS
        check_count("rollouts", rollouts, 1, 2**31 - 1)
        if iterations is not None:
            check_count("iterations", iterations, 1, MAX_ITERATIONS)
        if model_calls is not None:
            check_count("model_calls", model_calls, 1, MAX_ITERATIONS)
        if max_nodes is not None:
            check_count("max_nodes", max_nodes, 2, MAX_NODES)
        if time_limit is not None:
            check_seconds("time_limit", time_limit)
        check_choice("chance_backup", chance_backup, ("weighted", "sampled"))
        check_choice("recommendation", recommendation, RECOMMENDATIONS)
        check_choice("resample_terminals", resample_terminals, (True, False))
        self.iterations = iterations
        self.time_limit = time_limit
        self.model_calls = model_calls
        self.tree_policy = _tree_policy(tree_policy, c)
        if not isinstance(rollout_policy, RolloutPolicy):
            check_choice("rollout_policy", rollout_policy, ("uniform",))
            rollout_policy = RolloutPolicy()
        self.rollout_policy = rollout_policy
        self.rollouts = rollouts
        self.chance_backup = chance_backup
        self.resample_terminals = resample_terminals
        self.recommendation = recommendation
        self.max_nodes = max_nodes
        self.rng = Rng(seed)

    def search(self, game: Any) -> SearchResult:
        """Searches the position and says what was found.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.

        Returns:
            A `SearchResult`. Its actions are those of the model.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move.
        """
        model = model_to_move(game)
        start = time.perf_counter()
        rng = Rng(self.rng)
        search = Search(
            model,
            self._new_tree_policy(),
            self.rollout_policy,
            rng,
            self.rollouts,
            self.chance_backup == "weighted",
            self.resample_terminals,
            self.max_nodes or MAX_NODES,
            self.iterations or MAX_ITERATIONS,
            self.time_limit or math.inf,
            self.model_calls or MAX_ITERATIONS,
        )
        evolution = self._grow(search)
        result = search.result(self.recommendation, time.perf_counter() - start, evolution)
        self.rng = rng  # the next search goes on with the stream; one interrupted leaves none
        return result

    def _new_tree_policy(self) -> TreePolicy:
        """The tree policy of one search."""
        return self.tree_policy

    def _grow(self, search: Search) -> Evolution | None:
        """Spends the budgets; returns the `Evolution` that went on meanwhile, if any."""
        search.spend()
        return None

    def choose(self, model: ForwardModel) -> int:
        """The recommended action."""
        return self.search(model).action

    def _budgets(self) -> str:
        return ", ".join(
            f"{name}={value:g}"
            for name in ("iterations", "time_limit", "model_calls")
            if (value := getattr(self, name)) is not None
        )

    def __repr__(self) -> str:
        return f"MCTS({self._budgets()}, tree_policy={self.tree_policy!r})"


def _tree_policy(tree_policy: str | Formula | TreePolicy, c: float | None) -> TreePolicy:
    """The policy that the arguments mean."""
    if tree_policy == "ucb1":
        return UCB1(math.sqrt(2) if c is None else c)
    policy: TreePolicy
    if isinstance(tree_policy, str):
        try:
            policy = FormulaPolicy(Formula(tree_policy, c))
        except ValueError as error:
            raise ValueError(
                "tree_policy must be 'ucb1', a formula or a TreePolicy, "
                f"got {tree_policy!r}: {error}"
            ) from None
    elif isinstance(tree_policy, Formula):
        policy = FormulaPolicy(tree_policy)
    elif isinstance(tree_policy, TreePolicy):
        policy = tree_policy
    else:
        raise ValueError(
            f"tree_policy must be 'ucb1', a formula or a TreePolicy, got {tree_policy!r}"
        )
    has_c = isinstance(tree_policy, str) and formula_text.has_c(tree_policy)
    if c is not None and not has_c:
        raise ValueError(f"c={c!r} has no effect beside tree_policy={tree_policy!r}")
    return policy
