"""Genetic programming of formulas that value positions, on DEAP's strongly typed trees.

A tree is a `deap.gp.PrimitiveTree`: its nodes in prefix order. Its text is a formula of the
language of `agents.formulas.position_text`. Needs the extra ``experiments``.

Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE
Transactions on Computational Intelligence and AI in Games 6(4), 2014.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, TypeAlias

from agents.checks import extra
from agents.formulas.position_text import FALSE, FUNCTIONS, TRUE, B, F
from agents.forward_model import Indicator

with extra("experiments", __name__):
    from deap import gp

Tree: TypeAlias = gp.PrimitiveTree
CONSTANTS = (-5.0, 5.0)
"""Random constants are drawn from this range."""
DECIMALS = 4
"""Constants and factors are rounded to so many decimals."""
FACTOR_DEVIATION = 0.1
"""Standard deviation of the changes that local mutation makes to a factor."""
MAX_TRIES = 20
"""How often crossover and mutation try other nodes, if the result is too deep or no type fits."""
INITIAL_DEPTHS = (2, 6)
"""Smallest and largest depth of the first trees. New parts in mutations are not deeper either."""


class Scaled:
    """A node of a tree whose value is multiplied by a factor."""

    def __init__(self, node: Any, factor: float) -> None:
        self.node, self.factor = node, factor
        self.name, self.arity, self.ret = node.name, node.arity, node.ret

    def format(self, *operands: str) -> str:
        """The text of the node and its operands."""
        return f"{self.factor!r}*{self.node.format(*operands)}"


class Product(gp.Primitive):  # type: ignore[misc]  # DEAP is not typed
    """The function mult_erc with its constant."""

    def __init__(self, constant: float) -> None:
        super().__init__("mult_erc", (F,), F)
        self.seq = f"mult_erc({{0}}, {constant!r})"


class Name(str):
    """A drawn terminal, which DEAP writes without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def primitives(indicators: Sequence[Indicator]) -> gp.PrimitiveSetTyped:
    """The functions of the language, its constants, and the indicators of a game."""
    known = gp.PrimitiveSetTyped("position formula", [], F)
    for name, (result, operands) in FUNCTIONS.items():
        kinds = operands[:1] if name == "mult_erc" else operands  # the constant is drawn later
        known.addPrimitive(_not_called, kinds, result, name)
    for name, kind in (("0", F), ("1", F), (TRUE, B), (FALSE, B)):
        known.addTerminal(name, kind, name)
    known.addEphemeralConstant("constant", _constant, F)
    for indicator in indicators:
        if indicator.places:
            draw = partial(_placed, indicator)
            known.addEphemeralConstant(indicator.name, draw, indicator.type)
        else:
            known.addTerminal(indicator.name, indicator.type, indicator.name)
    return known


def _not_called(*operands: Any) -> None:
    """Stands for all functions, because DEAP only makes the trees and does not run them."""


def _placed(indicator: Indicator) -> Name:
    return Name(f"{indicator.name}({random.choice(indicator.places)})")


def _constant() -> float:
    return round(random.uniform(*CONSTANTS), DECIMALS)


@contextmanager
def lent(rng: random.Random) -> Iterator[None]:
    """Lets DEAP, which draws from the global generator of `random`, draw from this one."""
    saved = random.getstate()
    random.setstate(rng.getstate())
    try:
        yield
    finally:
        rng.setstate(random.getstate())
        random.setstate(saved)


class Operators:
    """Random trees, and crossover and mutation that keep the types and the largest depth.

    The depth is the number of functions around a part; `rng` makes all random choices.
    """

    def __init__(self, indicators: Sequence[Indicator], max_depth: int, rng: random.Random) -> None:
        self.known = primitives(indicators)
        self.max_depth = max_depth
        self.rng = rng

    def random_tree(self) -> Tree:
        """A tree by the method "ramped half and half"."""
        low, high = (min(depth, self.max_depth) for depth in INITIAL_DEPTHS)
        return self._generated(gp.genHalfAndHalf, low, high, F)

    def _generated(self, method: Callable[..., Any], low: int, high: int, kind: type) -> Tree:
        with lent(self.rng):
            nodes = method(self.known, low, high, kind)
            return gp.PrimitiveTree(
                [Product(_constant()) if n.name == "mult_erc" else n for n in nodes]
            )

    def crossed(self, first: Tree, second: Tree, is_fitter: bool) -> tuple[Tree, Tree]:
        """Selective crossover: the second tree receives a copy of a part of the first.

        It takes the place of a part of the same type. Unless the first is at least as fit, it
        receives that part in exchange. The trees stay as they are if no try succeeds.
        """
        for _ in range(MAX_TRIES):
            mine = first.searchSubtree(self.rng.randrange(len(first)))
            kind = first[mine.start].ret
            places = [i for i, node in enumerate(second) if node.ret is kind]
            if not places:
                continue
            other = second.searchSubtree(self.rng.choice(places))
            receiver = replaced(second, other, first[mine])
            giver = first if is_fitter else replaced(first, mine, second[other])
            if max(receiver.height, giver.height) <= self.max_depth:
                return giver, receiver
        return first, second

    def mutated(self, tree: Tree, local_probability: float) -> Tree:
        """A mutant: another factor at a random node of type F, or a new random part at any node.

        If the drawn node has type F, the factor changes with this probability. The tree itself does
        not change, and is returned if no try succeeds.
        """
        for _ in range(MAX_TRIES):
            index = self.rng.randrange(len(tree))
            kind = tree[index].ret
            if kind is F and self.rng.random() < local_probability:
                return self._refactored(tree, index)
            part = self._generated(gp.genGrow, 0, INITIAL_DEPTHS[1], kind)
            mutant = replaced(tree, tree.searchSubtree(index), part)
            if mutant.height <= self.max_depth:
                return mutant
        return tree

    def _refactored(self, tree: Tree, index: int) -> Tree:
        node = tree[index]
        inner, factor = (node.node, node.factor) if isinstance(node, Scaled) else (node, 1.0)
        mutant = gp.PrimitiveTree(tree)
        change = self.rng.gauss(0, FACTOR_DEVIATION)
        mutant[index] = Scaled(inner, round(factor + change, DECIMALS))
        return mutant


def replaced(tree: Tree, place: slice, part: Sequence[Any]) -> Tree:
    """A copy of a tree in which other nodes stand at a place."""
    return gp.PrimitiveTree([*tree[: place.start], *part, *tree[place.stop :]])
