"""The options of MCTS: their types, defaults and checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any

from agents.checks import check_choice, check_count, check_number, check_seconds
from agents.formulas.formula import Formula
from agents.mcts.names import (
    evaluator_of,
    recommendation_of,
    rollout_policy_of,
    tree_policy_of,
)
from agents.mcts.policies import TreePolicy
from agents.mcts.rollouts import Afterstates, RolloutPolicy

DEFAULT_ITERATIONS = 5000
MAX_ITERATIONS = 0xFFFFFFFF
"""Visits are counted in 32 bits."""
MAX_CALLS = 2**62
MAX_NODES = 0x7FFFFFFF
MAX_TREES = 1024
MAX_PHASES = 10**6
MAX_ROLLOUTS = 2**31 - 1
MAX_BATCH = 2**20

TreePolicyLike = str | Formula | TreePolicy | Callable[..., Any]
"""What ``tree_policy`` may be: a name, a formula, a policy, or a function of arrays."""
Evaluator = Callable[[Any], Any]
"""A function that values a model, or a list of models: see `MCTS`."""


@dataclass(eq=False, repr=False)
class Options:
    """All options of MCTS but the seed; `MCTS` explains them.

    ``tree_policy`` and ``rollout_policy`` may be given in several forms; `check` replaces them by
    the policies.

    Raises:
        TypeError: If the evaluator is neither text nor an `Afterstates`, and cannot be called.
        ValueError: If an option is out of range, names nothing known, or does not go with another.
    """

    iterations: int | None = None
    c: float | None = None
    _: KW_ONLY
    tree_policy: TreePolicyLike = "ucb1"
    rollout_policy: str | RolloutPolicy = "uniform"
    rollouts: int = 1
    evaluator: str | Afterstates | Evaluator | None = None
    batch_size: int | None = None
    virtual_loss: float = 1.0
    root_noise: tuple[float, float] | None = None
    heuristic: str | None = None
    expansion: str = "uniform"
    first_play_urgency: float | None = None
    widening: tuple[float, float] | None = None
    solver: bool = False
    max_return: float | None = None
    time_limit: float | None = None
    model_calls: int | None = None
    chance_selection: str = "sampled"
    chance_backup: str = "weighted"
    resample_terminals: bool = True
    recommendation: str = "robust"
    max_nodes: int | None = None
    standard_errors: bool = False
    trees: int = 1
    determinize: bool = False
    vote: str = "visits"
    phases: int = 1
    reuse_tree: bool = False

    def check(self) -> None:
        """Checks all options and makes the policies."""
        self._check_budgets()
        self._check_tree()
        self._check_values()
        self._check_trees()
        self.tree_policy = self.make_tree_policy()
        self.rollout_policy = rollout_policy_of(self.rollout_policy)
        self._check_policies(self.tree_policy, self.rollout_policy)
        self._check_evaluator()

    def make_tree_policy(self) -> TreePolicy:
        """The policy that ``tree_policy`` and ``c`` describe."""
        return tree_policy_of(self.tree_policy, self.c)

    def _check_budgets(self) -> None:
        if self.iterations is self.time_limit is self.model_calls is None:
            self.iterations = DEFAULT_ITERATIONS
        self.iterations = check_count("iterations", self.iterations, 1, MAX_ITERATIONS, also=None)
        self.model_calls = check_count("model_calls", self.model_calls, 1, MAX_CALLS, also=None)
        if self.time_limit is not None:
            check_seconds("time_limit", self.time_limit)

    def _check_tree(self) -> None:
        check_choice("expansion", self.expansion, ("uniform", "ordered"))
        self.max_nodes = check_count("max_nodes", self.max_nodes, 2, MAX_NODES, also=None)
        if self.first_play_urgency is not None:
            check_number("first_play_urgency", self.first_play_urgency, -math.inf, math.inf)
        if self.widening is not None:
            if not isinstance(self.widening, tuple | list) or len(self.widening) != 2:
                raise ValueError(f"widening must be (k, alpha), got {self.widening!r}")
            check_number("k of widening", self.widening[0], 0, math.inf, is_open=True)
            check_number("alpha of widening", self.widening[1], 0, 1)
        if not isinstance(self.recommendation, str):
            raise ValueError(f"recommendation must be text, got {self.recommendation!r}")
        recommendation_of(self.recommendation)  # raises
        check_choice("reuse_tree", self.reuse_tree, (True, False))
        check_choice("standard_errors", self.standard_errors, (True, False))

    def _check_values(self) -> None:
        self.rollouts = check_count("rollouts", self.rollouts, 1, MAX_ROLLOUTS)
        check_choice("chance_selection", self.chance_selection, ("sampled", "stratified"))
        check_choice("chance_backup", self.chance_backup, ("weighted", "sampled"))
        check_choice("resample_terminals", self.resample_terminals, (True, False))
        check_choice("solver", self.solver, (True, False))
        if self.max_return is not None:
            check_number("max_return", self.max_return, -math.inf, math.inf)
            if not self.solver:
                raise ValueError(
                    f"max_return={self.max_return!r} has no effect without solver=True"
                )

    def _check_trees(self) -> None:
        self.trees = check_count("trees", self.trees, 1, MAX_TREES)
        check_choice("determinize", self.determinize, (True, False))
        check_choice("vote", self.vote, ("visits", "majority"))
        if self.trees > min(self.iterations or self.trees, self.model_calls or self.trees):
            raise ValueError(
                f"trees must not outnumber the iterations or model calls, got {self.trees}"
            )
        if self.solver and self.trees > 1:
            raise ValueError(f"solver proves values in one tree, got trees={self.trees}")
        self.phases = check_count("phases", self.phases, 1, MAX_PHASES)
        alone = {"solver": False, "trees": 1, "reuse_tree": False}
        for name, value in alone.items():
            if self.phases > 1 and getattr(self, name) != value:
                raise ValueError(
                    f"phases={self.phases} needs {name}={value!r}, got {getattr(self, name)!r}"
                )
        if self.reuse_tree and self.determinize:
            raise ValueError("reuse_tree needs trees of the same outcomes: determinize=False")
        if self.vote != "visits" and self.trees == 1:
            raise ValueError(f"vote={self.vote!r} has no effect with one tree")

    def _check_policies(self, tree_policy: TreePolicy, rollout_policy: RolloutPolicy) -> None:
        if rollout_policy.changes_returns and (self.solver or not self.resample_terminals):
            raise ValueError(
                f"rollout_policy={rollout_policy!r} values ends of the game by itself, so it needs "
                "solver=False and resample_terminals=True"
            )
        if self.heuristic is not None and not tree_policy.needs_heuristic:
            raise ValueError(f"heuristic={self.heuristic!r} has no effect beside {tree_policy!r}")

    def _check_evaluator(self) -> None:
        self.batch_size = check_count("batch_size", self.batch_size, 1, MAX_BATCH, also=None)
        check_number("virtual_loss", self.virtual_loss, 0, math.inf)
        if self.batch_size is None and self.virtual_loss != 1:
            raise ValueError(f"virtual_loss={self.virtual_loss!r} has no effect without batch_size")
        if self.root_noise is not None:
            self._check_noise(self.root_noise)
        if self.evaluator is None:
            if self.batch_size is not None:
                raise ValueError(
                    f"batch_size={self.batch_size!r} has no effect without an evaluator"
                )
            return
        self.evaluator = evaluator_of(self.evaluator)
        alone = {"rollouts": 1, "solver": False}
        if isinstance(self.evaluator, Afterstates):
            alone["batch_size"] = None  # it values one leaf at a time
        else:
            alone["trees"] = 1
        for name, value in alone.items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"an evaluator needs {name}={value!r}, got {getattr(self, name)!r}"
                )
        if type(self.rollout_policy) is not RolloutPolicy or self.expansion != "uniform":
            raise ValueError(
                "an evaluator takes the place of rollout_policy, and its priors that of expansion; "
                f"got {self.rollout_policy!r} and {self.expansion!r}"
            )

    def _check_noise(self, noise: tuple[float, float]) -> None:
        if not isinstance(noise, tuple | list) or len(noise) != 2:
            raise ValueError(f"root_noise must be (share, alpha), got {noise!r}")
        check_number("share of root_noise", noise[0], 0, 1)
        check_number("alpha of root_noise", noise[1], 0, math.inf, is_open=True)
        if self.evaluator is None or self.reuse_tree:
            raise ValueError(
                f"root_noise={noise!r} needs an evaluator and reuse_tree=False, got "
                f"evaluator={self.evaluator!r} and reuse_tree={self.reuse_tree!r}"
            )
