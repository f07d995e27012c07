"""Searches of MCTS done again by the log of their game, to compare every choice with its rule."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents import CHANCE, TERMINAL, PythonForwardModel, Rng, SearchResult


class Recorded(PythonForwardModel):
    """A game of so many moves, with as many actions each; random returns are noted with the moves.

    Players move in turn, chance at the depths named. Two players get opposite returns, more of them
    independent ones; for player 0, low actions are better at first.

    Attributes:
        log: (moves, returns) of every end; all copies of a game write the same one.
    """

    def __init__(
        self, widths: Sequence[int], num_players: int = 1, chance: Sequence[int] = ()
    ) -> None:
        super().__init__(num_players, max(widths))
        self.widths = widths
        self.chance = chance
        self.moves: tuple[int, ...] = ()
        self.log: list[tuple[tuple[int, ...], list[float]]] = []

    def player_at(self, depth: int) -> int:
        if depth in self.chance:
            return CHANCE
        return sum(i not in self.chance for i in range(depth)) % self.num_players

    def current_player(self) -> int:
        depth = len(self.moves)
        return self.player_at(depth) if depth < len(self.widths) else TERMINAL

    def legal_actions(self) -> range:
        return range(self.widths[len(self.moves)])

    def chance_outcomes(self) -> tuple[range, list[float]]:
        """The later ones are more probable."""
        outcomes = self.legal_actions()
        return outcomes, [self.probability(len(self.moves), outcome) for outcome in outcomes]

    def probability(self, depth: int, outcome: int) -> float:
        return (1 + outcome) / sum(range(1, 1 + self.widths[depth]))

    def apply_action(self, action: int) -> None:
        self.moves += (action,)

    def returns(self) -> list[float]:
        """The expectation matters to no search."""
        return [0.0] * self.num_players

    def sample_returns(self, rng: Rng) -> list[float]:
        """In tenths, so that some are the same; never -0.0."""
        noise = [rng.random() - 0.1 * self.moves[0] for _ in range(self.num_players)]
        returns = [round(value, 1) + 0.0 for value in noise]
        if self.num_players == 2:
            returns[1] = 0.0 - returns[0]
        self.log.append((self.moves, returns))
        return returns

    def copy_from(self, source: Recorded) -> None:
        self.widths, self.chance, self.moves = source.widths, source.chance, source.moves
        self.log = source.log


@dataclass
class Visited:
    """A node: what its iterations returned to the player who decided last before it.

    The arithmetic is that of agents/mcts/tree.pxd, to the last bit.
    """

    depth: int = 0
    visits: int = 0
    mean: float = 0.0
    mean_return: float = 0.0
    squares: float = 0.0
    highest: float = -math.inf
    amaf: list[float] = field(default_factory=list)
    children: dict[int, Visited] = field(default_factory=dict)

    def add(self, value: float) -> None:
        self.visits += 1
        self.mean += (value - self.mean) / self.visits
        deviation = value - self.mean_return
        self.mean_return += deviation / self.visits
        self.squares += deviation * (value - self.mean_return)
        self.highest = max(self.highest, value)

    def child(self, action: int) -> Visited:
        """The node behind an action, which is added if it is new."""
        return self.children.setdefault(action, Visited(self.depth + 1))


Values = dict[int, float]
Rule = Callable[[Visited, Visited, int], float]
"""The value of a child of a node in the iteration of this number, from 1."""


def replayed(
    game: Recorded,
    root: Visited,
    rule: Rule,
    urgency: float = math.inf,
    widening: tuple[float, float] = (math.inf, 0),
    is_weighted: bool = True,
) -> Iterator[tuple[Visited, Values, int]]:
    """Searches again by the log of the game; the (parent, values, action) of every selection.

    An iteration starts where the one before it left the tree that is grown below the root.
    """
    for time, (line, returns) in enumerate(game.log, 1):
        path = [root]
        for depth, action in enumerate(line):
            node = path[-1]
            path.append(node.child(action))
            if game.player_at(depth) == CHANCE:
                continue
            values = {a: rule(node, c, time) for a, c in node.children.items() if c.visits}
            has_room = len(values) < widening[0] * node.visits ** widening[1]
            is_open = has_room and max(values.values(), default=-math.inf) <= urgency
            if len(values) < game.widths[depth] and (not values or is_open):
                assert action not in values
                break
            yield node, values, action
        update(game, path, line, returns, is_weighted)


def update(
    game: Recorded, path: list[Visited], line: Sequence[int], returns: list[float], weighted: bool
) -> None:
    """Adds the returns of an iteration to the nodes of its path."""
    players = [game.player_at(depth) for depth in range(len(line))]
    for depth, node in reversed(list(enumerate(path))):
        deciders = [player for player in players[: max(1, depth)] if player != CHANCE]
        node.add(returns[deciders[-1]])
        if depth == len(line):
            continue
        later = [a for a, player in zip(line, players, strict=True) if player == players[depth]]
        later = later[players[:depth].count(players[depth]) :]
        for action, child in node.children.items():
            if action in later:
                child.amaf.append(returns[players[depth]])
        if players[depth] == CHANCE and node.children and weighted:
            shares = {a: game.probability(depth, a) for a in node.children}
            total = sum(share * node.children[a].mean for a, share in shares.items())
            node.mean = total / sum(shares.values())


def variables(game: Recorded, parent: Visited, child: Visited) -> dict[str, Any]:
    """Those of formulas."""
    return {
        **{"Q": child.mean, "n": child.visits, "Q_max": child.highest},
        **{"sd": math.sqrt(child.squares / child.visits), "P": 1 / game.widths[parent.depth]},
        **{"N": parent.visits, "b": len(parent.children), "d": parent.depth},
    }


def assert_same_tree(result: SearchResult, root: Visited) -> None:
    """The tables of a result are those of the tree below the root, to the last bit."""
    rows, nodes = result.tree(), [root]
    for node in nodes:  # breadth first
        nodes += node.children.values()
    assert rows["visits"].tolist() == [node.visits for node in nodes]
    assert rows["mean"].tolist() == [node.mean for node in nodes]
    assert result.value == root.mean
    children = [root.children.get(action, Visited(mean=math.nan)) for action in result.actions]
    np.testing.assert_array_equal(result.visits, [child.visits for child in children])
    np.testing.assert_array_equal(result.means, [child.mean for child in children])
