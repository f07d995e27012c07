"""Tree policies, rollout policies, evaluators and recommendations by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

from agents.checks import check_number, suggestion
from agents.evaluator import NativeEvaluator
from agents.formulas import text as formula_text
from agents.formulas.formula import Formula
from agents.mcts import policies, rollouts
from agents.mcts.policies import FormulaPolicy, FunctionPolicy, TreePolicy
from agents.mcts.rollouts import Afterstates, GuidedRollout, RolloutPolicy
from agents.specification import build, signature_of

TREE_POLICIES: dict[str, Callable[..., TreePolicy]] = {
    "ucb1": lambda c=None, form=policies.UCB1.FORMS[0]: policies.UCB1(c, form),
    "decaying-ucb1": lambda c=None, form=policies.UCB1.FORMS[0]: policies.UCB1(c, form, True),
    "ucb1-tuned": lambda c=None, scale=None: policies.UCB1Tuned(c, scale),
    "greedy": lambda: policies.EpsilonGreedy(0),
    "epsilon-greedy": lambda epsilon=0.3: policies.EpsilonGreedy(epsilon),
    "decaying-epsilon-greedy": lambda epsilon=1.0: policies.EpsilonGreedy(epsilon, True),
    "boltzmann": lambda temperature=None: policies.Boltzmann(temperature),
    "heuristic": lambda: policies.HeuristicPolicy(),
    "puct": lambda c=None: policies.PUCT(c),
    "rave": lambda c=0.0, equivalence=1000.0: policies.RAVE(c, equivalence),
}
"""Factories of tree policies by name. Any other text is read as a formula."""
ROLLOUT_POLICIES: dict[str, Callable[..., RolloutPolicy]] = {
    "uniform": lambda: RolloutPolicy(),
    "win": lambda: rollouts.WinRollout(),
    "greedy": lambda heuristic=None, max_moves=None, final=None: GuidedRollout(
        0, max_moves, heuristic, final
    ),
    "epsilon-greedy": lambda epsilon=0.1, heuristic=None: GuidedRollout(epsilon, None, heuristic),
    "truncated": lambda max_moves=4, heuristic=None: GuidedRollout(1, max_moves, heuristic),
    "direct": lambda heuristic=None: GuidedRollout(1, 0, heuristic),
    "evolved": lambda formula, branching=4: rollouts.EvolvedRollout(formula, branching),
    "ordered": lambda epsilon=0.0: rollouts.OrderedRollout(epsilon),
    "game": lambda name, parameter=0.5: rollouts.GameRollout(name, parameter),
}
"""Factories of rollout policies by name."""
EVALUATORS: dict[str, Callable[..., NativeEvaluator]] = {
    "afterstates": lambda heuristic=None, temperature=None: Afterstates(heuristic, temperature),
}
"""Factories of evaluators by name."""


class Recommendation(NamedTuple):
    """The rule by which a search recommends an action.

    Attributes:
        rule: The name.
        margin: In "secure": how far the bound of an action visited once is below its mean, in units
            of the returns; None for the game's ``return_spread``.
    """

    rule: str
    margin: float | None = 0.0


RECOMMENDATIONS: dict[str, Callable[..., Recommendation]] = {
    "robust": lambda: Recommendation("robust"),
    "robust-random": lambda: Recommendation("robust-random"),
    "max": lambda: Recommendation("max"),
    "robust-max": lambda: Recommendation("robust-max"),
    "secure": lambda margin=None: Recommendation("secure", margin),
}
"""Factories of recommendations by name."""


def tree_policy_of(
    tree_policy: str | Formula | TreePolicy | Callable[..., Any], c: float | None
) -> TreePolicy:
    """The tree policy that the arguments describe."""
    takes_c = False
    if isinstance(tree_policy, TreePolicy):
        policy = tree_policy
    elif isinstance(tree_policy, Formula):
        policy = FormulaPolicy(tree_policy)
    elif callable(tree_policy) and not isinstance(tree_policy, type):
        policy = FunctionPolicy(tree_policy)
    elif not isinstance(tree_policy, str):
        raise ValueError(
            "tree_policy must be text, a Formula, a TreePolicy or a function of arrays, "
            f"got {tree_policy!r}"
        )
    elif (name := tree_policy.partition("(")[0].strip()) in TREE_POLICIES:
        takes_c = "c" in signature_of(TREE_POLICIES[name]).parameters
        given = {"c": c} if takes_c and c is not None else {}
        policy = build("tree_policy", TREE_POLICIES, tree_policy, **given)
    else:
        takes_c = formula_text.has_c(tree_policy)
        policy = FormulaPolicy(_formula(tree_policy, c))
    if c is not None and not takes_c:
        raise ValueError(f"c={c!r} has no effect beside tree_policy={tree_policy!r}")
    return policy


def _formula(text: str, c: float | None) -> Formula:
    try:
        return Formula(text, c)
    except ValueError as error:
        raise ValueError(
            f"tree_policy must be a formula or one of {', '.join(TREE_POLICIES)}, "
            f"got {text!r}{suggestion(text, TREE_POLICIES)}: {error}"
        ) from None


def rollout_policy_of(
    rollout_policy: str | RolloutPolicy, name: str = "rollout_policy"
) -> RolloutPolicy:
    """The rollout policy that the argument of this name describes."""
    if isinstance(rollout_policy, RolloutPolicy):
        return rollout_policy
    if not isinstance(rollout_policy, str):
        raise ValueError(f"{name} must be text or a RolloutPolicy, got {rollout_policy!r}")
    return build(name, ROLLOUT_POLICIES, rollout_policy)


def evaluator_of(
    evaluator: str | NativeEvaluator | Callable[..., Any],
) -> NativeEvaluator | Callable[..., Any]:
    """The evaluator that the argument describes."""
    if isinstance(evaluator, str):
        return build("evaluator", EVALUATORS, evaluator)
    if not isinstance(evaluator, NativeEvaluator) and not callable(evaluator):
        raise TypeError(
            f"evaluator must be text, an evaluator in C or a function of a model, got {evaluator!r}"
        )
    return evaluator


@lru_cache(maxsize=64)
def recommendation_of(recommendation: str) -> Recommendation:
    """The recommendation that the argument describes."""
    found = build("recommendation", RECOMMENDATIONS, recommendation)
    if found.margin is not None:
        check_number("margin", found.margin, 0, math.inf)
    return found
