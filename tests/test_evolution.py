"""Formulas that evolve: what mutation makes, what strategies keep, what a search spends on it."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from scipy import stats

from agents import (
    EAMCTS,
    ESMCTS,
    MCTS,
    SIEAMCTS,
    ESpMCTS,
    Evolution,
    Formula,
    FormulaPolicy,
    Grammar,
    Rng,
)
from fop_env import FopModel
from games import Bandit, Corridor, Dice, Lottery, ThreePlayers, TicTacToe, trap
from playing import one_player, opening

ARITY = {"+": 2, "-": 2, "*": 2, "/": 2, "ln": 1, "sqrt": 1}
MUTATIONS = ("subtree", "point", "mixed")
PLANNERS = [EAMCTS, SIEAMCTS, ESMCTS, ESpMCTS]
SMALL: dict[str, Any] = {"generations": 3, "offspring": 2, "fitness_iterations": 5}
PRIZES = ((0, 0.5, 1), (0, 1), (0.5,), (0, 0, 1, 1, 0.5))  # halves: sums are exact, and tie often


GAMES = [
    FopModel,
    lambda: FopModel("f2", branching=3, num_players=2),
    TicTacToe,
    lambda: TicTacToe("XX..O...."),
    Dice,
    lambda: Dice(player=1),
    ThreePlayers,
    lambda: Lottery(*PRIZES),
    one_player,
    opening,
]


# --- Syntax trees, as lists of tokens in postfix order ---


def firsts(tokens: list[Any]) -> list[int]:
    """For each node, where its subtree begins; it ends with the node."""
    found: list[int] = []
    stack: list[int] = []
    for i, token in enumerate(tokens):
        arity = ARITY.get(token, 0)
        first = stack[-arity] if arity else i
        del stack[len(stack) - arity :]
        stack.append(first)
        found.append(first)
    assert stack == [0]
    return found


def leaf_depths(tokens: list[Any]) -> list[int]:
    """Edges from the root to each leaf, from left to right."""
    stack: list[list[int]] = []
    for token in tokens:
        arity = ARITY.get(token, 0)
        below = stack[len(stack) - arity :] if arity else [[-1]]
        del stack[len(stack) - arity :]
        stack.append([depth + 1 for depths in below for depth in depths])
    return stack[0]


def leaves(tokens: list[Any]) -> list[Any]:
    return [token for token in tokens if token not in ARITY]


def shape(tokens: list[Any]) -> list[int]:
    return [ARITY.get(token, 0) for token in tokens]


def replaced(parent: list[Any], child: list[Any], depths: range) -> list[int]:
    """The nodes of the parent in whose place a full tree of such a depth makes it the child."""
    nodes = []
    for node, first in enumerate(firsts(parent)):
        end = len(child) - (len(parent) - node - 1)
        if end <= first or child[:first] != parent[:first] or child[end:] != parent[node + 1 :]:
            continue
        found = leaf_depths(child[first:end]) if is_tree(child[first:end]) else [0]
        if len(set(found)) == 1 and found[0] in depths:
            nodes.append(node)
    return nodes


def is_tree(tokens: list[Any]) -> bool:
    heights = list(itertools.accumulate(1 - arity for arity in shape(tokens)))
    return min(heights) >= 1 and heights[-1] == 1


def is_uniform(values: list[Any], options: list[Any]) -> bool:
    """Whether the values are all of these options, and as often as each other."""
    counts = Counter(values)
    assert set(counts) <= set(options)
    return bool(stats.chisquare([counts[option] for option in options]).pvalue > 1e-4)


def biggest(depth: int) -> str:
    """Text of a formula of 2**(depth + 1) - 1 tokens."""
    if depth == 0:
        return "Q"
    return f"({biggest(depth - 1)} {'+-*/'[depth % 4]} {biggest(depth - 1)})"


def random_formulas(count: int, grammar: Grammar | None = None) -> Iterator[Formula]:
    grammar, rng = grammar or Grammar(), Rng(7)
    for i in range(count):
        yield grammar.grow(i % (grammar.max_depth + 1), rng)


# --- The grammar ---


@pytest.mark.parametrize("depth", range(9))
def test_leaves_of_full_trees_are_equally_deep_and_grown_trees_at_most_so_deep(depth):
    grammar, rng = Grammar(), Rng(depth)
    for _ in range(100):
        formula = grammar.full(depth, rng)
        assert set(leaf_depths(formula.tokens)) == {depth} == {formula.depth}
    assert {grammar.grow(depth, rng).depth for _ in range(300)} == set(range(depth + 1))


def test_nodes_of_grown_trees_are_uniform():
    """Above the depth, of operators and terminals; at the depth, of terminals alone."""
    grammar, rng = Grammar(("Q", "n", "N")), Rng(0)
    formulas = [grammar.grow(1, rng).tokens for _ in range(9000)]
    assert is_uniform([tokens[-1] for tokens in formulas], [*ARITY, "Q", "n", "N"])
    below = [leaf for tokens in formulas for leaf in tokens[:-1]]
    assert is_uniform(below, ["Q", "n", "N"])


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_operators_are_those_of_the_grammar(mutation):
    """Those of a parent stay where the grammar has none with as many operands."""
    grammar, rng = Grammar(operators=("max", "**", "-")), Rng(0)
    assert is_uniform([grammar.full(1, rng).tokens[-1] for _ in range(3000)], ["max", "**", "-"])
    grown = {token for _ in range(200) for token in grammar.grow(3, rng).tokens}
    assert {"max", "**", "-"} <= grown
    assert not {"+", "min", "ln", "abs"} & grown
    parent = Formula("abs(Q) + ln(n)")
    children = [grammar.mutated(parent, rng, mutation) for _ in range(200)]
    found = {token for child in children for token in child.tokens if isinstance(token, str)}
    assert found - set(parent.tokens) - {"N"} == {"max", "**", "-"}
    twin = pickle.loads(pickle.dumps(grammar))
    assert (twin.operators, repr(twin)) == (grammar.operators, repr(grammar))
    assert "operators=('max', '**', '-'), max_depth=8" in repr(grammar)


def test_default_grammar_is_that_of_the_thesis():
    grammar, rng = Grammar(), Rng(0)
    tokens = [token for _ in range(3000) for token in grammar.full(3, rng).tokens]
    constants = [0.25, 0.5, 1, 2, 3, 5, 7, 10]
    assert set(tokens) == {*ARITY, "Q", "N", "n", *constants}
    kinds = [token if isinstance(token, str) else "c or 2" for token in leaves(tokens)]
    counts = Counter(kinds)
    expected = [counts.total() * share / 5 for share in (1, 1, 1, 2)]
    found = [counts[kind] for kind in ("Q", "N", "n", "c or 2")]
    assert stats.chisquare(found, expected).pvalue > 1e-4
    others = [token for token in tokens if token in constants and token != 2]
    assert is_uniform(others, constants[:3] + constants[4:])
    assert (grammar.max_depth, grammar.max_mutation_depth) == (8, 3)
    assert grammar.internal_probability == 0.9


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_mutants_differ_in_one_place(mutation):
    grammar, rng = Grammar(), Rng(0)
    for parent in random_formulas(2000):
        before = parent.tokens
        child = grammar.mutated(parent, rng, mutation)
        assert child != parent
        assert child.depth <= 8
        assert parent.tokens == before
        if mutation == "subtree":
            assert replaced(before, child.tokens, range(1, 4))
            continue
        is_point = shape(child.tokens) == shape(before)
        if mutation == "mixed" and not is_point:
            nodes = replaced(before, child.tokens, range(1, 4))
            assert any(before[node] in ARITY for node in nodes) or parent.size == 1
            continue
        assert is_point
        pairs = zip(before, child.tokens, strict=True)
        assert mutation == "mixed" or sum(one != other for one, other in pairs) == 1


def test_mutation_picks_nodes_uniformly():
    """Of the internal ones, and of the leaves; what is put in is full, of depth 1 to 3.

    The leaves of the parent tell which node is gone, and only what is put in has the number 99.
    """
    formula = Formula("(Q + n)*(N - b)/(Q_max + sd - d)")
    parent, begins = formula.tokens, firsts(formula.tokens)
    nodes = {frozenset(leaves(parent[first : i + 1])): i for i, first in enumerate(begins)}
    internal = [node for node, token in enumerate(parent) if token in ARITY]
    grammar, rng = Grammar((99,)), Rng(0)
    picks: list[int] = []
    depths: list[int] = []
    for _ in range(10_000):
        child = grammar.mutated(formula, rng).tokens
        node = nodes[frozenset(leaves(parent)) - frozenset(leaves(child))]
        inserted = child[begins[node] : len(child) - (len(parent) - node - 1)]
        picks.append(node)
        depths += set(leaf_depths(inserted))
    assert is_uniform([node for node in picks if node in internal], internal)
    others = [node for node in range(len(parent)) if node not in internal]
    assert is_uniform([node for node in picks if node in others], others)
    assert is_uniform(depths, [1, 2, 3])


@pytest.mark.parametrize("mutation", ["subtree", "mixed"])
@pytest.mark.parametrize("internal_probability", [0, 0.3, 0.9, 1])
def test_probability_of_internal_nodes(internal_probability, mutation):
    grammar = Grammar((99,), internal_probability=internal_probability)
    parent, rng = Formula("(Q + n)*(N - b)"), Rng(0)
    gone = [4 - len(grammar.mutated(parent, rng, mutation).variables) for _ in range(2000)]
    num_internal = sum(count > 1 for count in gone)
    deviation = math.sqrt(2000 * internal_probability * (1 - internal_probability))
    assert abs(num_internal - 2000 * internal_probability) <= 4 * deviation


def test_point_mutations_are_uniform():
    grammar, rng = Grammar(("Q", "N", "n", 2)), Rng(0)
    mutants = [grammar.mutated(Formula("sqrt(Q + n)"), rng, "point") for _ in range(12_000)]
    assert {str(mutant) for mutant in mutants if mutant.tokens[3] != "sqrt"} == {"ln(Q + n)"}
    middle = [token for mutant in mutants if (token := mutant.tokens[2]) != "+"]
    assert is_uniform(middle, ["-", "*", "/"])
    first = [token for mutant in mutants if (token := mutant.tokens[0]) != "Q"]
    assert is_uniform(first, ["N", "n", 2])


def test_parents_of_one_leaf():
    grammar, rng = Grammar(("Q", "n", "N")), Rng(0)
    depths = [grammar.mutated(Formula("Q"), rng).depth for _ in range(3000)]
    assert is_uniform(depths, [1, 2, 3])
    for mutation in ("point", "mixed"):
        leaves = [str(grammar.mutated(Formula("Q"), rng, mutation)) for _ in range(1000)]
        assert is_uniform(leaves, ["n", "N"])


def test_a_grammar_of_one_leaf():
    """A copy is the mutant where the grammar knows no other formula."""
    grammar, rng = Grammar(("Q",)), Rng(0)
    for mutation in ("point", "mixed"):
        assert grammar.mutated(Formula("Q"), rng, mutation) == Formula("Q")
    assert {str(grammar.mutated(Formula("ln(Q)"), rng, "point")) for _ in range(50)} == {"sqrt(Q)"}
    assert set(leaves(grammar.mutated(Formula("Q"), rng).tokens)) == {"Q"}
    assert grammar.grow(0, rng) == Formula("Q")
    tight = Grammar(("Q",), max_depth=1, max_mutation_depth=1)
    mutants = {str(tight.mutated(Formula("Q"), rng)) for _ in range(300)}
    assert mutants == {"Q + Q", "Q - Q", "Q*Q", "Q/Q", "ln(Q)", "sqrt(Q)"}


@pytest.mark.parametrize("max_mutation_depth", [3, 8])
def test_the_largest_formulas_have_room(max_mutation_depth):
    """511 tokens, to which mutation would add as many."""
    grammar, rng = Grammar(max_mutation_depth=max_mutation_depth), Rng(0)
    parent = Formula(biggest(8))
    assert (parent.size, parent.depth) == (511, 8)
    for mutation in MUTATIONS:
        children = [grammar.mutated(parent, rng, mutation) for _ in range(500)]
        assert all(child.depth <= 8 and child != parent for child in children)
        assert all(is_tree(child.tokens) for child in children)
        mutant = parent
        for _ in range(300):
            mutant = grammar.mutated(mutant, rng, mutation)
            assert mutant.depth <= 8
    for seed in range(300):
        assert grammar.full(8, Rng(seed)).size <= 511


def test_the_seed_decides_the_formula():
    def formulas(grammar, seed):
        rng = Rng(seed)
        made = [grammar.full(3, rng), grammar.grow(5, rng)]
        return made + [grammar.mutated(made[0], rng, mutation) for mutation in MUTATIONS]

    options = {"max_depth": 6, "max_mutation_depth": 2, "internal_probability": 0.4}
    grammar = Grammar(("Q", "c", 3), (0.1, -2), **options)
    assert formulas(grammar, 0) == formulas(grammar, 0) != formulas(grammar, 1)
    for twin in (pickle.loads(pickle.dumps(grammar)), copy.deepcopy(grammar)):
        assert repr(twin) == repr(grammar)
        assert all(formulas(twin, seed) == formulas(grammar, seed) for seed in range(50))
        assert (twin.max_mutation_depth, twin.internal_probability) == (2, 0.4)


def test_formulas_of_a_grammar_are_what_their_text_says():
    """A negative zero, too, which is written as 0."""
    for formula in random_formulas(300, Grammar(("Q", -0.0, 1e-7, -3.25, "c"), (1e300, 2 / 3))):
        assert Formula(str(formula)) == formula == pickle.loads(pickle.dumps(formula))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(({"terminals": ("Q",) * n}, "1 to 32 terminals and constants, got") for n in (0, 33)),
        *(({"constants": (1.0,) * n}, "1 to 32 terminals and constants, got") for n in (0, 33)),
        ({"terminals": ("Q", "q")}, "terminals other than Q, .*, c must be .* got 'q'"),
        *(({"terminals": (x,)}, f"terminals .* got {x}") for x in (math.nan, None, True)),
        *(
            ({"constants": (x,)}, f"each of constants must be a finite number, got {x!r}")
            for x in (math.inf, "1", 10**400)
        ),
        *(
            ({"operators": names}, rf"must be different ones of .* got {re.escape(repr(names))}")
            for names in (("+", "log"), ("+", "+"))
        ),
        ({"operators": ()}, r"operators must be .* at least one, got \(\)"),
        *(
            ({"max_depth": x}, rf"max_depth must be an integer in \[1, 8\], got {x}")
            for x in (0, 9, 4.5, True)
        ),
        ({"max_depth": 2}, r"max_mutation_depth must be an integer in \[1, 2\], got 3"),
        ({"max_mutation_depth": 0}, r"max_mutation_depth must be an integer in \[1, 8\], got 0"),
        *(
            ({"internal_probability": x}, f"internal_probability must be .* got {x!r}")
            for x in (-0.1, 1.1, math.nan, "half")
        ),
    ],
    ids=lambda value: repr(value)[:80],
)
def test_bad_grammars_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Grammar(**arguments)


def test_bad_depths_and_mutations_are_refused():
    grammar, rng = Grammar(max_depth=4), Rng(0)
    for make in (grammar.full, grammar.grow):
        for depth in (-1, 5):
            with pytest.raises(ValueError, match=rf"depth must be in \[0, 4\], got {depth}"):
                make(depth, rng)
        with pytest.raises(TypeError, match=r"depth must be an integer, got 2\.5"):
            make(2.5, rng)
    with pytest.raises(ValueError, match=r"depth must be in \[0, 4\], got 5"):
        grammar.mutated(Formula(biggest(5)), rng)
    with pytest.raises(ValueError, match=r"mutation must be one of .* got 'swap'"):
        grammar.mutated(Formula("Q"), rng, "swap")


# --- Searches ---


def num_evaluations(planner: EAMCTS) -> int:
    evaluated = planner.offspring + planner.parents * planner.reevaluate_parents
    return int(planner.fitness_iterations * (1 + planner.generations * evaluated))


@pytest.mark.parametrize("make_model", GAMES[1::2])
@pytest.mark.parametrize("planner", PLANNERS)
def test_published_settings(planner, make_model):
    agent = planner(2600, seed=0)
    before = repr(agent.make_tree_policy())
    result = agent.search(make_model())
    evolution = result.evolution
    assert isinstance(evolution, Evolution)
    assert repr(agent.make_tree_policy()) == before != result.tree_policy  # the search has its own
    evaluations = 810 if agent.evaluation != "tree" else 2430
    assert evolution.evaluations == num_evaluations(agent) == evaluations
    assert evolution.num_generations == 20
    assert evolution.fitness.shape == (21,)
    assert evolution.offspring_fitness.shape == (20, 4)
    assert len(evolution.parents) == 21
    assert result.iterations == result.visits.sum() == 2600


def test_where_all_are_equal_the_parent_stays():
    """In EA-MCTS; in SIEA-MCTS, which finds no semantics either, one in five."""
    result = EAMCTS(5000, seed=0).search(Corridor(3))
    assert set(result.evolution.parents) == {result.evolution.formula}
    assert result.evolution.num_ties == 20
    stays = []
    for seed in range(25):
        evolution = SIEAMCTS(3000, fitness_iterations=2, seed=seed).search(Corridor(1)).evolution
        assert (evolution.num_ties, evolution.num_semantic, evolution.num_random) == (20, 0, 20)
        assert evolution.formula == evolution.parents[0]
        stays += [one == other for one, other in itertools.pairwise(evolution.parents)]
    assert stats.binomtest(sum(stays), len(stays), 0.2).pvalue > 1e-4


def test_fitness_is_of_the_player_who_searches():
    """Player 0 only pays here; in the trap, whoever chooses the row sees the same."""
    for planner in PLANNERS:
        evolution = planner(3000, seed=0).search(Dice(player=1)).evolution
        assert evolution.fitness.min() > 0
        first, second = (planner(3000, seed=0).search(trap(player)) for player in (0, 1))
        assert first.evolution.parents == second.evolution.parents
        np.testing.assert_array_equal(first.evolution.fitness, second.evolution.fitness)
        np.testing.assert_array_equal(first.visits, second.visits)


def test_constants_of_the_grammar_are_drawn_at_first():
    grammar = Grammar(constants=(4, 6))
    agents = [EAMCTS(31, grammar=grammar, generations=0, seed=i) for i in range(200)]
    formulas = [agent.search(Corridor(1)).evolution.formula for agent in agents]
    assert is_uniform(formulas, [Formula(EAMCTS().first_formula, c) for c in (4, 6)])
    fixed = EAMCTS(300, 0.7, generations=0, seed=0).search(Corridor(1)).evolution
    assert fixed.formula == Formula("Q + (2*0.7)*sqrt((2*ln(N))/n)")


@pytest.mark.parametrize("opponent", ["negate_q", "negate_formula"])
@pytest.mark.parametrize("make_model", [TicTacToe, FopModel, lambda: trap(1), opening, Dice])
def test_without_generations_it_is_mcts_by_the_first_formula(make_model, opponent):
    agent = EAMCTS(400, 0.3, generations=0, opponent=opponent, seed=5)
    policy = FormulaPolicy(Formula(agent.first_formula, 0.3), opponent)
    plain = MCTS(400, tree_policy=policy, seed=5)
    trees = [planner.search(make_model()).tree() for planner in (agent, plain)]
    np.testing.assert_array_equal(*trees)


@pytest.mark.parametrize("name", ["Q_max", "sd", "P", "b", "d"])
def test_further_terminals(name):
    grammar = Grammar((name, "Q", "n", "N", 2))
    for planner in PLANNERS:
        result = planner(2600, grammar=grammar, seed=1).search(opening())
        assert result.iterations == 2600
    agents = [EAMCTS(2600, grammar=grammar, seed=seed) for seed in range(20)]
    formulas = [agent.search(FopModel()).evolution.formula for agent in agents]
    assert sum(name in formula.variables for formula in formulas) > 5


def test_the_largest_first_formula():
    for planner in PLANNERS:
        options = SMALL | {"grammar": Grammar(max_mutation_depth=8)}
        agent = planner(1500, first_formula=biggest(8), **options)
        evolution = agent.search(FopModel()).evolution
        assert evolution.parents[0].size == 511
        assert max(parent.depth for parent in evolution.parents) <= 8


# --- The iterations that evaluate, one by one ---


class Replay:
    """The draws of a search in a `Lottery`, and the evaluations they were made for.

    Evaluations are ranges of positions in the log; the first is that of the first parent.
    """

    def __init__(self, planner: EAMCTS, model: Lottery) -> None:
        self.planner = planner
        self.result = planner.search(model)
        self.evolution = self.result.evolution
        self.log = model.log
        self.num_arms, size = model.num_actions, planner.fitness_iterations
        self.evaluations = [
            range(self.num_arms + i * size, self.num_arms + (i + 1) * size)
            for i in range(self.evolution.evaluations // size)
        ]

    def fitness(self, evaluation: range) -> float:
        return float(np.mean([self.log[i][1] for i in evaluation]))

    def semantics(self, evaluation: range) -> np.ndarray:
        """Sorted returns, or how often each arm was drawn."""
        if self.planner.semantics == "branches":
            return np.bincount([self.log[i][0] for i in evaluation], minlength=self.num_arms)
        return np.sort([self.log[i][1] for i in evaluation])

    def distance(self, one: range, other: range) -> float:
        """Mean absolute difference of returns, or the share of draws from other arms."""
        difference = np.abs(self.semantics(one) - self.semantics(other))
        if self.planner.semantics == "branches":
            return float(difference.sum() / 2 / len(one))
        return float(difference.mean())

    def is_explained(self, evaluation: range, formula: Formula) -> bool:
        """Whether the formula would have drawn these arms, from what was known at the time."""
        known = list(range(self.num_arms))
        if self.planner.evaluation == "tree":
            known = list(range(evaluation.start))
        visits, means = np.zeros(self.num_arms), np.zeros(self.num_arms)
        for i in [*known, *evaluation]:
            arm, prize = self.log[i]
            if i in evaluation:
                values = formula.evaluate(Q=means, n=visits, N=visits.sum(), b=self.num_arms, d=0)
                if values[arm] != np.nanmax([*values, -np.inf]) and not np.isnan(values).all():
                    return False
                if self.planner.evaluation == "probe":
                    continue
            visits[arm] += 1
            means[arm] += (prize - means[arm]) / visits[arm]
        return True

    def chosen(self, candidates: list[range], parent: range) -> tuple[list[range], str]:
        """Those that the strategy may choose, and why."""
        fitness = [self.fitness(candidate) for candidate in candidates]
        tied = [candidates[i] for i, value in enumerate(fitness) if value == max(fitness)]
        if len(tied) == 1:
            return tied, "fittest"
        if self.planner.semantics is None:
            return tied[:1], "first"
        near = [
            (distance, one)
            for one in tied
            if self.planner.alpha < (distance := self.distance(one, parent)) < self.planner.beta
        ]
        if near:
            least = min(distance for distance, _ in near)
            return [next(one for distance, one in near if distance == least)], "semantic"
        return tied, "random"

    def histories(self) -> set[tuple[int, int, int]]:
        """Numbers of ties, and of those by semantics and by chance, that the record allows.

        Where chance chose, the formula tells which it was, unless several would have drawn the
        same.
        """
        lam, parents = self.planner.offspring, self.evolution.parents
        states = {(self.evaluations[0], 0, 0, 0)}
        for generation, offspring_fitness in enumerate(self.evolution.offspring_fitness):
            first = 1 + generation * lam
            offspring = self.evaluations[first : first + lam]
            assert [self.fitness(one) for one in offspring] == list(offspring_fitness)
            old, new = parents[generation : generation + 2]
            after = set()
            for parent, ties, semantic, random in states:
                is_plus = self.planner.strategy == "plus"
                options, why = self.chosen([parent] * is_plus + offspring, parent)
                counts = (
                    ties + (why != "fittest"),
                    semantic + (why == "semantic"),
                    random + (why == "random"),
                )
                for option in options:
                    is_kept = option == parent
                    if is_kept == (new == old) and (is_kept or self.is_explained(option, new)):
                        after.add((option, *counts))
            assert after, f"generation {generation} is not explained"
            states = after
            fitness = {self.fitness(state[0]) for state in states}
            assert fitness == {self.evolution.fitness[generation + 1]}
        return {state[1:] for state in states}


def replays(planner: type[EAMCTS], count: int, **options: Any) -> Iterator[Replay]:
    settings = {"generations": 8, "offspring": 4, "fitness_iterations": 6, **options}
    for seed in range(count):
        yield Replay(planner(600, seed=seed, **settings), Lottery(*PRIZES))


@pytest.mark.parametrize("planner", PLANNERS)
def test_formulas_draw_what_they_are_evaluated_by(planner):
    """In the tree, in a copy of it as it was at first, or in a tree that stays as it is."""
    for replay in replays(planner, 20):
        evolution = replay.evolution
        assert replay.is_explained(replay.evaluations[0], evolution.parents[0])
        assert evolution.fitness[0] == replay.fitness(replay.evaluations[0])
        rehearsed = 0 if replay.planner.evaluation == "tree" else evolution.evaluations
        assert len(replay.log) == 600 + rehearsed
        kept = replay.log[:4] + replay.log[4 + rehearsed :]
        for arm in range(4):
            prizes = [prize for drawn, prize in kept if drawn == arm]
            assert replay.result.visits[arm] == len(prizes)
            assert replay.result.means[arm] == pytest.approx(np.mean(prizes), abs=1e-12)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"strategy": "comma"},
        {"semantics": "returns"},
        {"semantics": "returns", "alpha": 0, "beta": 0.2},
        {"semantics": "returns", "strategy": "comma", "alpha": 0.2, "beta": 0.3},
        {"semantics": "branches"},
        {"semantics": "branches", "strategy": "comma"},
        {"semantics": "branches", "strategy": "comma", "alpha": 0.3, "beta": 1},
    ],
    ids=repr,
)
def test_ties_are_decided_by_the_rule(options):
    """Of those as fit, the first, or the one of nearest semantics within bounds, or any.

    Survivors are mutants of their parents; the fittest of all selects afterwards.
    """
    searches = list(replays(EAMCTS, 40, fitness_iterations=4, offspring=6, **options))
    for evolution in (replay.evolution for replay in searches):
        if "semantics" not in options:
            assert evolution.formula == evolution.parents[int(np.argmax(evolution.fitness))]
        for old, new in itertools.pairwise(evolution.parents):
            assert new == old or replaced(old.tokens, new.tokens, range(4))
    ties, semantic, random = totals_of(searches)
    assert ties > 50
    if "semantics" in options:
        assert ties == semantic + random
        assert min(semantic, random) >= (10 if "strategy" in options else 5)
    else:
        assert semantic == random == 0


def totals_of(searches: Iterable[Replay]) -> np.ndarray:
    """Ties, and those decided by semantics and by chance, all of which the records explain."""
    totals = np.zeros(3)
    for replay in searches:
        evolution = replay.evolution
        counts = (evolution.num_ties, evolution.num_semantic, evolution.num_random)
        assert counts in replay.histories()
        totals += counts
    return totals


@pytest.mark.parametrize("semantics", ["returns", "branches"])
def test_bounds_of_the_distance_at_their_extremes(semantics):
    """No distance is beyond 1; one between 0 and infinity is all but no distance."""
    for alpha, beta in ((1, 2), (0, math.inf)):
        options = {"strategy": "comma", "alpha": alpha, "beta": beta, "semantics": semantics}
        ties, semantic, random = totals_of(replays(SIEAMCTS, 12, **options))
        assert ties > 20
        if alpha == 1:
            assert (semantic, random) == (0, ties)
        else:
            assert semantic > random


# --- Budgets ---


@pytest.mark.parametrize("options", [{}, {"reevaluate_parents": True, "parents": 2}], ids=repr)
@pytest.mark.parametrize("planner", PLANNERS)
@pytest.mark.slow(keep="reevaluate")
def test_no_iteration_beyond_the_budget(planner, options):
    """The root has three actions; evaluations of 5 in the tree are a part of the budget."""
    for budget in range(1, 101 if options else 401):
        agent = planner(budget, seed=budget, **SMALL, **options)
        result = agent.search(ThreePlayers())
        evolution = result.evolution
        assert result.iterations == result.visits.sum() == result.tree()["visits"][0] == budget
        if agent.evaluation != "tree":
            continue
        assert (evolution is None) == (budget < 3 + 5)
        if evolution is not None and not options:
            assert evolution.evaluations == min(budget - 3, num_evaluations(agent))
            assert evolution.num_generations == min(3, (budget - 8) // 10)
            assert len(evolution.fitness) == len(evolution.parents) == evolution.num_generations + 1
            assert evolution.offspring_fitness.shape == (evolution.num_generations, 2)


@pytest.mark.parametrize("planner", PLANNERS)
def test_no_model_call_beyond_an_iteration(planner):
    """Every iteration makes three calls, evaluations included."""
    stopped = set()
    for budget in range(1, 401, 2):
        agent = planner(model_calls=budget, seed=budget, **SMALL)
        result = agent.search(ThreePlayers())
        assert result.model_calls == 3 * math.ceil(budget / 3)
        rehearsals = 0
        if agent.evaluation != "tree" and result.evolution is not None:
            rehearsals = result.evolution.evaluations
            assert result.iterations + rehearsals == math.ceil(budget / 3)
        stopped.add(result.evolution and result.evolution.num_generations)
    assert stopped == {None, 0, 1, 2, 3}


# --- Refusals ---

CHOICES = {
    **{"mutation": "swap", "strategy": ",", "evaluation": "none", "semantics": "visits"},
    **{"opponent": "friend", "objectives": "size"},
}
SWITCHES: dict[str, Any] = {
    **{"reevaluate_parents": None, "sanity_checks": "no", "keep_evolving": 1},
    **{"protect_exploration": "Q"},
}
"""Options with values that they do not have."""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(({name: x}, f"{name} must be one of .* got {x!r}") for name, x in CHOICES.items()),
        *(({name: x}, f"{name} must be True or False, got {x!r}") for name, x in SWITCHES.items()),
        *(({"alpha": x}, f"alpha must be a finite number .* got {x!r}") for x in (-0.1, True, "x")),
        *(({"beta": x}, f"beta must be a finite number.* got {x}") for x in (-math.inf, math.nan)),
        ({"alpha": 0.5}, "alpha must be below beta=0.5, got 0.5"),
        ({"strategy": "comma", "parents": 5}, "offspring must be at least parents=5 here, got 4"),
        ({"keep_evolving": True, "evaluation": "copy"}, "keep_evolving needs .* got 'copy'"),
        ({"c": math.inf}, "c must be a finite number, got inf"),
        ({"c": 1, "first_formula": "Q"}, "c=1 has no effect beside 'Q'"),
        ({"first_formula": "Q +"}, "this is no formula"),
        ({"first_formula": biggest(9)}, "at most 528 tokens"),
        ({"first_formula": "ln(" * 9 + "Q" + ")" * 9}, "not be deeper .* 8 edges, got 9"),
        ({"grammar": Grammar(max_depth=3)}, "first_formula must not be deeper .* 3 edges, got 6"),
        ({"grammar": ("Q",)}, r"grammar must be a Grammar, got \('Q',\)"),
        ({"protect_exploration": True, "first_formula": "n"}, "starts from Q, got 'n'"),
        ({"opponent": "negate_formula", "first_formula": "Q_max"}, "Q_max is not known"),
        (
            {"opponent": "negate_formula", "grammar": Grammar(("Q", "Q_max"))},
            "Q_max of the grammar is not known",
        ),
        ({"first_formula": 3}, "formula must be a string, got 3"),
        ({"tree_policy": "Q"}, "unexpected keyword argument .tree_policy"),
        ({"phases": 2}, "a planner that evolves its formula needs phases=1, got 2"),
        ({"trees": 2}, "its formula needs trees=1, got 2"),
        ({"reuse_tree": True}, "its formula needs reuse_tree=False, got True"),
        ({"evaluator": len, "batch_size": 2}, "its formula needs batch_size=None, got 2"),
    ],
    ids=lambda value: repr(value)[:60],
)
def test_bad_arguments_are_refused(arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        EAMCTS(**arguments)


# --- ES-MCTS and ES-p-MCTS ---


@pytest.mark.parametrize("planner", [ESMCTS, ESpMCTS])
@pytest.mark.parametrize(
    ("make_model", "resample_terminals"),
    [*((game, True) for game in GAMES), *((game, False) for game in GAMES[:2])],
)
def test_evaluation_adds_nothing_to_the_tree(planner, make_model, resample_terminals):
    """Where the evolution starts, the tree is that of plain MCTS; so it is where it ends."""
    options: dict[str, Any] = {"resample_terminals": resample_terminals, "seed": 6}
    num_actions = len(make_model().legal_actions())
    for count in (1, num_actions - 1, num_actions):
        result = planner(count, **options).search(make_model())
        plain = MCTS(count, **options).search(make_model())
        np.testing.assert_array_equal(result.tree(), plain.tree())
        if count < num_actions:  # no formula is needed
            assert result.evolution is None
            assert result.model_calls == plain.model_calls
        else:
            assert result.evolution.evaluations == 810
            assert result.model_calls >= plain.model_calls + 810


@pytest.mark.parametrize("planner", [ESMCTS, ESpMCTS])
def test_the_highest_mean_is_played(planner):
    differences = 0
    for seed in range(40):
        result = planner(60, seed=seed, **SMALL).search(Bandit(0.4, 0.5, 0.6, 0.5))
        assert result.means[result.action] == result.means.max()
        differences += result.visits[result.action] < result.visits.max()
    assert differences > 3


def test_es_p_draws_from_where_the_tree_ends():
    """From one step below the root, that is, whatever the number of evaluations."""
    model = FopModel()
    agent = ESpMCTS(2, first_formula="0 - Q", generations=0, fitness_iterations=1000, seed=0)
    result = agent.search(model)
    assert result.model_calls == 17 * 1002
    assert result.search_tree.num_nodes == 3
    worse = model.clone()
    worse.apply_action(int(result.actions[np.argmin(result.means)]))
    if result.means[0] != result.means[1]:
        returns = worse.rollout_returns(20_000, 0)[:, 0]
        assert abs(result.evolution.fitness[0] - returns.mean()) < 4 * 0.5 / math.sqrt(1000)


# --- Options ---


@pytest.mark.parametrize("strategy", ["plus", "comma"])
def test_parents_are_reevaluated(strategy):
    """Their fitness is that of the last time; the last parent selects afterwards."""
    num_lower = 0
    for replay in replays(EAMCTS, 10, reevaluate_parents=True, strategy=strategy):
        evolution, size = replay.evolution, replay.planner.offspring + 1
        assert evolution.evaluations == 6 * (1 + 8 * 5)
        for generation in range(8):
            first = 1 + generation * size
            parent, *offspring = map(replay.fitness, replay.evaluations[first : first + size])
            assert list(evolution.offspring_fitness[generation]) == offspring
            candidates = [parent, *offspring] if strategy == "plus" else offspring
            assert evolution.fitness[generation + 1] == max(candidates)
            stays = evolution.parents[generation] == evolution.parents[generation + 1]
            assert stays == (strategy == "plus" and parent >= max(offspring))
            num_lower += evolution.fitness[generation + 1] < evolution.fitness[generation]
            assert replay.is_explained(replay.evaluations[first], evolution.parents[generation])
        assert evolution.formula == evolution.parents[-1]
    assert num_lower > 10


def is_sane(formula: Formula) -> bool:
    """The higher of two returns at equal visits, the fewer visits at equal returns."""
    known = {"sd": 0, "b": 2, "d": 0}
    by_return = formula.evaluate(Q=[1, 0], Q_max=[1, 0], n=1, N=2, **known)
    by_visits = formula.evaluate(Q=0, Q_max=0, n=[1, 2], N=3, **known)
    return bool(by_return[0] > by_return[1] and by_visits[0] > by_visits[1])


def test_offspring_pass_the_sanity_checks():
    """With one child a generation that replaces the parent, every child is on record."""
    sane = {True: [], False: []}
    for sanity_checks, seed in itertools.product((True, False), range(20)):
        agent = EAMCTS(700, strategy="comma", offspring=1, sanity_checks=sanity_checks, seed=seed)
        parents = agent.search(FopModel()).evolution.parents
        assert len(parents) == 21
        sane[sanity_checks] += map(is_sane, parents)
    assert all(sane[True])
    assert sum(sane[False]) < 0.5 * len(sane[False])


def test_evolution_that_never_stops():
    for budget in (7, 250, 1003):
        result = EAMCTS(budget, keep_evolving=True, seed=0, **SMALL).search(ThreePlayers())
        assert result.iterations == budget
        if budget > 7:
            assert result.evolution.num_generations == (budget - 3 - 5) // 10
            assert result.evolution.evaluations == budget - 3
    result = EAMCTS(model_calls=3000, keep_evolving=True, seed=0, **SMALL).search(ThreePlayers())
    assert result.iterations == 1000
    result = EAMCTS(time_limit=0.3, keep_evolving=True, generations=0).search(FopModel())
    assert result.evolution.num_generations > 10
    assert np.all(np.diff(result.evolution.fitness) >= 0)


def test_exploration_is_protected():
    """Only what is left of the last plus evolves; it starts from Q."""
    exploitations = set()
    for seed in range(10):
        agent = EAMCTS(2600, protect_exploration=True, seed=seed)
        parents = agent.search(FopModel()).evolution.parents
        assert parents[0] in [Formula(agent.first_formula, c) for c in Grammar().constants]
        for parent in parents:
            assert parent.tokens[-12:] == parents[0].tokens[1:]
            exploitations.add(tuple(parent.tokens[:-12]))
    assert max(map(len, exploitations)) > 10
    assert len(exploitations) > 20
    grammar = Grammar(max_depth=8, max_mutation_depth=8)
    deep = EAMCTS(2600, protect_exploration=True, grammar=grammar, seed=0)
    assert max(parent.depth for parent in deep.search(FopModel()).evolution.parents) <= 9
    shallow = EAMCTS(2600, 0.5, protect_exploration=True, grammar=Grammar(max_depth=3), seed=0)
    for parent in shallow.search(FopModel()).evolution.parents:
        assert max(leaf_depths([*parent.tokens[:-12]])) <= 3


def test_where_all_are_equal_the_smallest_survive():
    evolution = EAMCTS(5000, objectives="return and size", seed=0).search(Corridor(1)).evolution
    sizes = [parent.size for parent in evolution.parents]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] == 13
    assert sizes[-1] <= 3
    for one, other in itertools.pairwise(evolution.parents):
        assert one == other or one.size > other.size


@pytest.mark.parametrize("strategy", ["plus", "comma"])
def test_small_formulas_are_not_worse(strategy):
    """Than their parents, or else they are the fittest; small parents stay beside fitter ones."""
    num_small_parents = 0
    for replay in replays(EAMCTS, 20, objectives="return and size", strategy=strategy):
        fitness, offspring = replay.evolution.fitness, replay.evolution.offspring_fitness
        for old, new, candidates in zip(fitness, fitness[1:], offspring, strict=False):
            assert new >= old or (strategy == "comma" and new == max(candidates))
            assert new in candidates or (strategy == "plus" and new == old)
            num_small_parents += new < max(candidates)
    assert num_small_parents > 10
    for replay in replays(SIEAMCTS, 5, objectives="return and size", strategy=strategy, parents=3):
        assert replay.evolution.num_generations == 8


@pytest.mark.parametrize("planner", [EAMCTS, SIEAMCTS])
def test_several_parents(planner):
    """The fittest are kept in "plus", however few there are at first; others in "comma"."""
    cases = itertools.product(("plus", "comma"), ((3, 3), (2, 5), (12, 2)))
    for strategy, (parents, offspring) in cases:
        if strategy == "comma" and parents > offspring:
            continue
        for replay in replays(planner, 5, strategy=strategy, parents=parents, offspring=offspring):
            evolution = replay.evolution
            highest = evolution.fitness[0]
            for generation, values in enumerate(evolution.offspring_fitness):
                highest = max(values) if strategy == "comma" else max(highest, *values)
                assert evolution.fitness[generation + 1] == highest


def test_offspring_come_from_any_parent():
    """From one fittest survivor to the next, one token changes; with several parents more do."""
    steps, options = {1: [], 3: []}, {"strategy": "comma", "mutation": "point"}
    for parents, seed in itertools.product(steps, range(10)):
        agent = EAMCTS(1500, parents=parents, fitness_iterations=5, seed=seed, **options)
        for one, other in itertools.pairwise(agent.search(FopModel("f2")).evolution.parents):
            pairs = zip(one.tokens, other.tokens, strict=True)
            steps[parents].append(sum(a != b for a, b in pairs))
    assert set(steps[1]) == {1}
    assert sum(count > 1 for count in steps[3]) > 50
