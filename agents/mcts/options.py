"""The options of MCTS: their types, defaults and checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from typing import Any

from agents.checks import (
    ON_PAGES,
    PAGE_SECONDS,
    CheckedFields,
    check_choice,
    check_count,
    check_flag,
    check_number,
    check_seconds,
    checked,
)
from agents.evaluator import NativeEvaluator
from agents.formulas.formula import Formula
from agents.mcts.names import evaluator_of, recommendation_of, rollout_policy_of, tree_policy_of
from agents.mcts.policies import TreePolicy
from agents.mcts.rollouts import RolloutPolicy

DEFAULT_ITERATIONS = 5000
MAX_ITERATIONS = 0xFFFFFFFF
"""Visits are counted in 32 bits."""
MAX_CALLS = 2**62
"""Model calls are counted in 64 bits."""
MAX_NODES = 0x7FFFFFFF
"""Nodes have 32-bit indices."""
PAGE_ITERATIONS = 5_000_000
"""Most that pages may ask for; see `agents.checks.page_options`."""
PAGE_CALLS = 1_000_000_000
PAGE_NODES = 1_000_000
"""About 100 MB."""
MAX_ALPHA = 1e6
"""Of the noise; with still more of it, all of its numbers are practically equal."""
TreePolicyLike = str | Formula | TreePolicy | Callable[..., Any]
"""What ``tree_policy`` may be: a name, a formula, a policy, or a function of arrays."""
Evaluator = Callable[[Any], Any]
"""A function that values a model, or a list of models: see `MCTS`."""


@dataclass(eq=False, repr=False)
class Options(CheckedFields):
    """All options of MCTS but the seed; `MCTS` explains them.

    `check` fills in the default budget, and replaces the texts of ``rollout_policy`` and
    ``evaluator`` by what they name.
    """

    iterations: int | None = checked(
        None, check_count, 1, MAX_ITERATIONS, also=None, on_pages=PAGE_ITERATIONS
    )
    c: float | None = field(default=None, metadata=ON_PAGES)
    _: KW_ONLY
    tree_policy: TreePolicyLike = field(default="ucb1", metadata=ON_PAGES)
    rollout_policy: str | RolloutPolicy = field(default="uniform", metadata=ON_PAGES)
    rollouts: int = checked(1, check_count, 1, 2**31 - 1, on_pages=1000)
    evaluator: str | NativeEvaluator | Evaluator | None = None
    batch_size: int | None = checked(None, check_count, 1, 2**20, also=None)
    virtual_loss: float | None = checked(None, check_number, 0, math.inf)
    root_noise: tuple[float, float] | None = None
    heuristic: str | None = field(default=None, metadata=ON_PAGES)
    expansion: str = checked("uniform", check_choice, ("uniform", "ordered"), on_pages=True)
    first_play_urgency: float | None = checked(None, check_number, on_pages=True)
    widening: tuple[float, float] | None = field(default=None, metadata=ON_PAGES)
    solver: bool = checked(False, check_flag, on_pages=True)
    max_return: float | None = checked(None, check_number, on_pages=True)
    time_limit: float | None = checked(None, check_seconds, on_pages=PAGE_SECONDS)
    model_calls: int | None = checked(
        None, check_count, 1, MAX_CALLS, also=None, on_pages=PAGE_CALLS
    )
    chance_selection: str = checked(
        "sampled", check_choice, ("sampled", "stratified"), on_pages=True
    )
    chance_backup: str = checked("weighted", check_choice, ("weighted", "sampled"), on_pages=True)
    resample_terminals: bool = checked(True, check_flag, on_pages=True)
    recommendation: str = field(default="robust", metadata=ON_PAGES)
    max_nodes: int | None = checked(None, check_count, 2, MAX_NODES, also=None, on_pages=PAGE_NODES)
    standard_errors: bool = checked(False, check_flag, on_pages=True)
    trees: int = checked(1, check_count, 1, 1024)
    determinize: bool = checked(False, check_flag, on_pages=True)
    vote: str = checked("visits", check_choice, ("visits", "majority"))
    phases: int = checked(1, check_count, 1, 10**6)
    reuse_tree: bool = checked(False, check_flag)

    _derived = "_policy"

    @cached_property
    def _policy(self) -> TreePolicy:
        """The tree policy of all searches until an option is set; all are checked again then."""
        return self.check()

    def check(self) -> TreePolicy:
        """Checks all options; returns the tree policy."""
        self._check_each()
        tree_policy = self.make_tree_policy()
        self.rollout_policy = rollout_policy_of(self.rollout_policy)
        if not isinstance(self.recommendation, str):
            raise ValueError(f"recommendation must be text, got {self.recommendation!r}")
        recommendation_of(self.recommendation)  # raises
        self._check_policies(tree_policy, self.rollout_policy)
        self._check_trees()
        self._check_evaluator()
        return tree_policy

    def make_tree_policy(self) -> TreePolicy:
        """The policy that ``tree_policy`` and ``c`` describe; made anew once an option is set."""
        return tree_policy_of(self.tree_policy, self.c)

    def need(self, what: str, **required: Any) -> None:
        """Raises ValueError unless the options have the values that something else needs."""
        for name, value in required.items():
            if getattr(self, name) != value:
                raise ValueError(f"{what} needs {name}={value!r}, got {getattr(self, name)!r}")

    def _check_each(self) -> None:
        """Checks the options one by one."""
        if self.iterations is self.time_limit is self.model_calls is None:
            self.iterations = DEFAULT_ITERATIONS
        if self.widening is not None:
            k, alpha = _pair("widening", "(k, alpha)", self.widening)
            check_number("k of widening", k, 0, math.inf, is_open=True)
            check_number("alpha of widening", alpha, 0, 1)
        if self.root_noise is not None:
            share, alpha = _pair("root_noise", "(share, alpha)", self.root_noise)
            check_number("share of root_noise", share, 0, 1)
            check_number("alpha of root_noise", alpha, 0, MAX_ALPHA, is_open=True)

    def _check_policies(self, tree_policy: TreePolicy, rollout_policy: RolloutPolicy) -> None:
        if rollout_policy.changes_returns and (self.solver or not self.resample_terminals):
            raise ValueError(
                f"rollout_policy={rollout_policy!r} values ends of the game by itself, so it needs "
                "solver=False and resample_terminals=True"
            )
        if self.heuristic is not None and not tree_policy.needs_heuristic:
            raise ValueError(
                f"heuristic={self.heuristic!r} has no effect beside {tree_policy!r}; rollout "
                "policies and evaluators take it in parentheses: 'greedy(heuristic=...)'"
            )
        is_uniform = type(rollout_policy) is RolloutPolicy and self.evaluator is None
        if tree_policy.needs_amaf and not is_uniform:
            raise ValueError(
                f"{tree_policy!r} needs uniform rollouts, got rollout_policy={rollout_policy!r} "
                f"and evaluator={self.evaluator!r}"
            )
        if self.max_return is not None and not self.solver:
            raise ValueError(f"max_return={self.max_return!r} has no effect without solver=True")

    def _check_trees(self) -> None:
        if self.trees > min(self.iterations or self.trees, self.model_calls or self.trees):
            raise ValueError(
                f"trees must not outnumber the iterations or model calls, got {self.trees}"
            )
        if self.solver:
            self.need("the solver", trees=1)
        if self.phases > 1:
            self.need(f"phases={self.phases}", solver=False, trees=1, reuse_tree=False)
        if self.reuse_tree:
            self.need("reuse_tree", determinize=False)
        if self.vote != "visits" and self.trees == 1:
            raise ValueError(f"vote={self.vote!r} has no effect with one tree")

    def _check_evaluator(self) -> None:
        if self.batch_size is None and self.virtual_loss is not None:
            raise ValueError(f"virtual_loss={self.virtual_loss!r} has no effect without batch_size")
        if self.evaluator is None:
            for name in ("batch_size", "root_noise"):
                if getattr(self, name) is not None:
                    raise ValueError(
                        f"{name}={getattr(self, name)!r} has no effect without an evaluator"
                    )
            return
        self.evaluator = evaluator_of(self.evaluator)
        self.need("an evaluator", rollouts=1, solver=False)
        if isinstance(self.evaluator, NativeEvaluator):
            self.need("an evaluator in C", batch_size=None)  # it values one leaf at a time
        else:
            self.need("an evaluator", trees=1)
        if self.root_noise is not None:
            self.need("root_noise", reuse_tree=False)
        if type(self.rollout_policy) is not RolloutPolicy or self.expansion != "uniform":
            raise ValueError(
                "an evaluator takes the place of rollout_policy, and its priors that of expansion; "
                f"got {self.rollout_policy!r} and {self.expansion!r}"
            )


def _pair(name: str, wanted: str, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise ValueError(f"{name} must be {wanted}, got {value!r}")
    return value[0], value[1]
