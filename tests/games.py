"""Small games in plain Python, and their exact solution by brute force."""

from __future__ import annotations

import functools
import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from agents import CHANCE, TERMINAL, Indicator, PythonForwardModel, Rng, SearchResult
from agents.forward_model import ForwardModel

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


@functools.cache
def winner_of(cells: str) -> int | None:
    """The player who has a line of tic-tac-toe."""
    for line in LINES:
        row = "".join(cells[i] for i in line)
        if row in ("XXX", "OOO"):
            return "XO".index(row[0])
    return None


class TicTacToe(PythonForwardModel):
    """Tic-tac-toe: player 0 sets X and begins; the winner gets +1, the loser -1, a draw is 0.

    Args:
        cells: Nine of "X", "O" and ".", row by row; whose turn it is follows from their numbers.
    """

    def __init__(self, cells: str = "." * 9) -> None:
        super().__init__(num_players=2, num_actions=9)
        self.cells = cells

    def current_player(self) -> int:
        if winner_of(self.cells) is not None or "." not in self.cells:
            return TERMINAL
        return self.cells.count("X") - self.cells.count("O")

    def legal_actions(self) -> list[int]:
        return [i for i, cell in enumerate(self.cells) if cell == "."]

    def apply_action(self, action: int) -> None:
        mark = "XO"[self.current_player()]
        self.cells = self.cells[:action] + mark + self.cells[action + 1 :]

    def returns(self) -> tuple[int, int]:
        winner = winner_of(self.cells)
        if winner is None:
            return 0, 0
        return (1, -1) if winner == 0 else (-1, 1)

    def copy_from(self, source: TicTacToe) -> None:
        self.cells = source.cells

    indicators = (
        Indicator("mobility", float),
        Indicator("lines", float),
        Indicator("empty", bool, tuple("012345678")),
        Indicator("friendly", bool, tuple("012345678")),
    )

    def indicator(self, player: int, name: str, place: str | None = None) -> float:
        """Empty cells, lines without a mark of the other player, and cells by their number."""
        if name == "mobility":
            return self.cells.count(".")
        if name == "lines":
            other = "OX"[player]
            return sum(other not in [self.cells[i] for i in line] for line in LINES)
        return self.cells[int(place)] == ("." if name == "empty" else "XO"[player])

    def __repr__(self) -> str:
        return f"TicTacToe({self.cells!r})"


class Dice(PythonForwardModel):
    """A player rolls two loaded dice, one after the other, or stops with the points so far.

    Two different faces add their sum to the points; two equal ones end the game with nothing.
    Players before the one who rolls only pay.

    Args:
        points: Points at the start; a return is a tenth of them.
        rolls: How often both dice may be rolled.
        player: The player who rolls and decides.
    """

    STOP, ROLL = 0, 1
    PROBABILITIES = (0.5, 0.3, 0.2)  # of the faces 1, 2, 3, which are the outcomes 0, 1, 2

    def __init__(self, points: int = 0, rolls: int = 3, player: int = 0) -> None:
        super().__init__(num_players=player + 1, num_actions=3)
        self.player = player
        self.points = points
        self.rolls = rolls
        self.faces: list[int] = []
        self.is_rolling = False

    def current_player(self) -> int:
        """Chance from the decision to roll until both dice lie."""
        if self.is_rolling:
            return CHANCE
        return self.player if self.rolls else TERMINAL

    def legal_actions(self) -> tuple[int, ...]:
        return self.STOP, self.ROLL

    def chance_outcomes(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        return (0, 1, 2), self.PROBABILITIES

    def apply_action(self, action: int) -> None:
        if not self.is_rolling:
            self.is_rolling = action == self.ROLL
            self.rolls = self.rolls - 1 if self.is_rolling else 0
            return
        self.faces.append(action + 1)
        if len(self.faces) == 2:
            self._score()

    def _score(self) -> None:
        first, second = self.faces
        self.points = 0 if first == second else self.points + first + second
        self.rolls = 0 if first == second else self.rolls
        self.faces.clear()
        self.is_rolling = False

    def returns(self) -> list[float]:
        return [-self.points / 10] * self.player + [self.points / 10]

    def copy_from(self, source: Dice) -> None:
        self.points, self.rolls, self.player = source.points, source.rolls, source.player
        self.faces, self.is_rolling = list(source.faces), source.is_rolling

    def __repr__(self) -> str:
        return f"<Dice: {self.points} points, {self.rolls} rolls, {self.faces}, {self.is_rolling}>"


class OfNumPy(TicTacToe):
    """Tic-tac-toe whose numbers are NumPy's."""

    def current_player(self) -> Any:
        return np.int64(super().current_player())

    def legal_actions(self) -> Any:
        return np.array(super().legal_actions())

    def returns(self) -> Any:
        return np.array(super().returns())


class ThreePlayers(PythonForwardModel):
    """Each of three players chooses once; the returns, in no way zero-sum, depend on all choices.

    Player 0 plays 0 if everyone maximises their own return (max^n), 1 if the others minimise that
    of player 0 (paranoid), 2 if they maximise it.
    """

    NUM_CHOICES = (3, 2, 2)
    RETURNS = {  # noqa: RUF012
        (0, 0, 0): (0.6, 0.8, 0.7),
        (0, 0, 1): (0.1, 0.3, 0.2),
        (0, 1, 0): (0.3, 0.4, 0.9),
        (0, 1, 1): (0.2, 0.9, 0.1),
        (1, 0, 0): (0.4, 0.2, 0.8),
        (1, 0, 1): (0.4, 0.9, 0.5),
        (1, 1, 0): (0.4, 0.3, 0.1),
        (1, 1, 1): (0.4, 0.7, 0.6),
        (2, 0, 0): (1.0, 0.1, 0.4),
        (2, 0, 1): (0.5, 0.6, 0.2),
        (2, 1, 0): (0.2, 0.5, 0.4),
        (2, 1, 1): (0.9, 0.9, 0.1),
    }

    def __init__(self) -> None:
        super().__init__(num_players=3, num_actions=3)
        self.choices: tuple[int, ...] = ()

    def current_player(self) -> int:
        return TERMINAL if len(self.choices) == 3 else len(self.choices)

    def legal_actions(self) -> range:
        return range(self.NUM_CHOICES[len(self.choices)])

    def apply_action(self, action: int) -> None:
        self.choices += (action,)

    def returns(self) -> tuple[float, ...]:
        return self.RETURNS[self.choices]

    def copy_from(self, source: ThreePlayers) -> None:
        self.choices = source.choices


class Arms(PythonForwardModel):
    """One choice among arms.

    Args:
        arms: What each arm pays.
    """

    def __init__(self, *arms: Any) -> None:
        super().__init__(num_players=1, num_actions=len(arms))
        self.arms = arms
        self.arm: int | None = None

    def current_player(self) -> int:
        return 0 if self.arm is None else TERMINAL

    def legal_actions(self) -> range:
        return range(self.num_actions)

    def apply_action(self, action: int) -> None:
        self.arm = action

    def returns(self) -> list[float]:
        return [float(np.mean(self.arms[self.arm]))]

    def copy_from(self, source: Arms) -> None:
        self.__dict__.update(source.__dict__)


class Bandit(Arms):
    """Arms that pay 1 with a probability each: the returns are random."""

    def sample_returns(self, rng: Rng) -> list[float]:
        return [float(rng.random() < self.arms[self.arm])]


class Lottery(Arms):
    """The return is one of the arm's prizes, all equally likely.

    Attributes:
        log: The (arm, prize) of every draw, in order; all copies of a lottery write the same one.
    """

    def __init__(self, *prizes: Sequence[float]) -> None:
        super().__init__(*prizes)
        self.log: list[tuple[int, float]] = []

    def sample_returns(self, rng: Rng) -> list[float]:
        prizes = self.arms[self.arm]
        self.log.append((self.arm, prizes[rng.below(len(prizes))]))
        return [self.log[-1][1]]


class Picks(PythonForwardModel):
    """Players in turn take one of the items that are left; an item is worth the same at all times.

    Args:
        num_players: 1; or 2, whose returns are what the own items are worth more than the others.
        num_picks: Items taken in a game.
        worths: What each item is worth.

    Attributes:
        log: (items in the order taken, returns) of every end; all copies of a game write the same.
    """

    def __init__(self, num_players: int, num_picks: int, worths: Sequence[float]) -> None:
        super().__init__(num_players, num_actions=len(worths))
        self.num_picks = num_picks
        self.worths = worths
        self.taken: tuple[int, ...] = ()
        self.log: list[tuple[tuple[int, ...], list[float]]] = []

    def current_player(self) -> int:
        is_over = len(self.taken) == self.num_picks
        return TERMINAL if is_over else len(self.taken) % self.num_players

    def legal_actions(self) -> list[int]:
        return [item for item in range(self.num_actions) if item not in self.taken]

    def apply_action(self, action: int) -> None:
        self.taken += (action,)

    def returns(self) -> list[float]:
        turns = [self.taken[player :: self.num_players] for player in range(self.num_players)]
        own = [sum(self.worths[item] for item in items) for items in turns]
        return [2 * worth - sum(own) for worth in own]

    def sample_returns(self, rng: Rng) -> list[float]:
        self.log.append((self.taken, self.returns()))
        return self.log[-1][1]

    def copy_from(self, source: Picks) -> None:
        self.num_picks, self.worths = source.num_picks, source.worths
        self.taken, self.log = source.taken, source.log


class Turns(PythonForwardModel):
    """Players in turn take several of the items that are left; neighbours in a turn are worth more.

    The order of its actions starts with the middle item, and is not the order of their worths. The
    heuristic is what the returns would be.

    Args:
        num_players: 1; or 2, whose returns are what they have more than the other.
        moves: Items that a player takes in a turn.
        turns: Turns of each player.
        num_items: Items at the start.
    """

    heuristics = ("worth",)

    def __init__(self, num_players: int, moves: int, turns: int, num_items: int) -> None:
        super().__init__(num_players, num_actions=num_items)
        self.moves = moves
        self.turns = turns
        self.taken: tuple[int, ...] = ()

    def current_player(self) -> int:
        turn = len(self.taken) // self.moves
        return TERMINAL if turn == self.turns * self.num_players else turn % self.num_players

    def legal_actions(self) -> list[int]:
        return [item for item in range(self.num_actions) if item not in self.taken]

    def ordered_actions(self) -> list[int]:
        return sorted(self.legal_actions(), key=lambda item: abs(item - self.num_actions // 2))

    def apply_action(self, action: int) -> None:
        self.taken += (action,)

    def returns(self) -> list[float]:
        own = [0.0] * self.num_players
        for place, item in enumerate(self.taken):
            player = place // self.moves % self.num_players
            own[player] += math.sin(3.7 * item) / 4
            if place % self.moves and abs(item - self.taken[place - 1]) == 1:
                own[player] += math.sqrt(item) / 5
        return [2 * worth - sum(own) for worth in own]

    def heuristic(self, player: int, kind: str) -> float:
        return self.returns()[player]

    def copy_from(self, source: Turns) -> None:
        self.moves, self.turns, self.taken = source.moves, source.turns, source.taken


class Corridor(PythonForwardModel):
    """A walk of so many steps, each of them forced. Its copies are the default ones."""

    def __init__(self, length: float) -> None:
        super().__init__(num_players=1, num_actions=1)
        self.steps = 0
        self.length = length

    def current_player(self) -> int:
        return 0 if self.steps < self.length else TERMINAL

    def legal_actions(self) -> list[int]:
        return [0]

    def apply_action(self, action: int) -> None:
        self.steps += 1

    def returns(self) -> list[float]:
        return [1.0]


class Stairs(Corridor):
    """After the first step chance makes the others, each by one of so many outcomes."""

    def __init__(self, length: float, num_outcomes: int = 1) -> None:
        PythonForwardModel.__init__(self, num_players=1, num_actions=num_outcomes)
        self.steps, self.length = 0, length

    def current_player(self) -> int:
        return CHANCE if 0 < self.steps < self.length else super().current_player()

    def chance_outcomes(self) -> tuple[range, list[float]]:
        return range(self.num_actions), [1 / self.num_actions] * self.num_actions


class Node(NamedTuple):
    """A position of a `GameTree`: the values are the returns at its ends, elsewhere estimates."""

    player: int
    values: tuple[float, ...]
    children: tuple[Node, ...] = ()
    chances: tuple[float, ...] = ()


class GameTree(PythonForwardModel):
    """A game given as its tree; actions and outcomes are the numbers of children.

    Actions that lead to high estimates look strong.
    """

    heuristics = ("estimate",)

    def __init__(self, root: Node, num_actions: int = 4) -> None:
        super().__init__(len(root.values), num_actions)
        self.node = root

    def current_player(self) -> int:
        return self.node.player

    def legal_actions(self) -> range:
        return range(len(self.node.children))

    def ordered_actions(self) -> list[int]:
        estimates = [child.values[self.node.player] for child in self.node.children]
        return sorted(self.legal_actions(), key=lambda action: -estimates[action])

    def chance_outcomes(self) -> tuple[range, tuple[float, ...]]:
        return self.legal_actions(), self.node.chances

    def apply_action(self, action: int) -> None:
        self.node = self.node.children[action]

    def returns(self) -> tuple[float, ...]:
        return self.node.values

    def heuristic(self, player: int, kind: str) -> float:
        return self.node.values[player]

    def copy_from(self, source: GameTree) -> None:
        self.node = source.node


class Fickle(GameTree):
    """Before the end, the answers to the question who is to move come from a list in turn."""

    def __init__(self, root: Node, *answers: int) -> None:
        super().__init__(root)
        self.answers = itertools.cycle(answers)

    def current_player(self) -> int:
        return super().current_player() if self.node.player == TERMINAL else next(self.answers)

    def chance_outcomes(self) -> tuple[range, list[float]]:
        outcomes = self.legal_actions()
        return outcomes, [1 / len(outcomes)] * len(outcomes)

    def copy_from(self, source: Fickle) -> None:
        super().copy_from(source)
        self.answers = source.answers


def trap(player: int = 0, looks: Sequence[float] = (0, 0, 0)) -> GameTree:
    """One player chooses a row, the other a column: zero-sum, and the tempting row is a trap.

    Row 0 has the highest mean and the highest entry, but the best reply to it wins; row 1 is right
    and row 2 loses whatever the reply.

    Args:
        player: The player who chooses the row.
        looks: What the rows look worth to him.
    """

    def values(own: float) -> tuple[float, float]:
        return (-own, own) if player else (own, -own)

    rows = (1, 1, 1, -1), (0.2, 0.2, 0.2, 0.2), (-0.5, -0.5, -0.5, -0.5)  # who chose the row gets
    ends = [tuple(Node(TERMINAL, values(entry)) for entry in row) for row in rows]
    nodes = [Node(1 - player, values(look), row) for look, row in zip(looks, ends, strict=True)]
    return GameTree(Node(player, (0, 0), tuple(nodes)))


def random_tree(num_players: int, seed: int, lower: float = -1, upper: float = 1) -> GameTree:
    """A tree with chance nodes and ends anywhere below its root, zero-sum if for two players.

    Args:
        num_players: 1 or more.
        seed: Values of trees with even seeds are quarters, so that there are ties.
        lower: Values that are less to the first player to move are moved to this one, and the tree
            is the same otherwise.
        upper: Values that are greater are moved to this one.
    """
    rng = random.Random(seed)
    first = rng.randrange(num_players)

    def grown(player: int, height: int) -> Node:
        values = [rng.uniform(-1, 1) for _ in range(num_players)]
        values = [round(4 * x) / 4 for x in values] if seed % 2 == 0 else values
        values = [min(max(x, lower), upper) for x in values]
        if num_players == 2:
            values[1 - first] = -values[first]
        if height == 0 or player == TERMINAL:
            return Node(TERMINAL, tuple(values))
        weights = rng.choices(range(1, 5), k=rng.randint(1, 4) if height < 5 else 4)
        movers = [TERMINAL, *[*range(CHANCE, num_players)] * 3]
        children = tuple(grown(rng.choice(movers), height - 1) for _ in weights)
        return Node(player, tuple(values), children, tuple(w / sum(weights) for w in weights))

    return GameTree(grown(first, 5))


def solve(
    model: ForwardModel,
    depth: float = math.inf,
    heuristic: Callable[[ForwardModel, int], float] | None = None,
) -> tuple[np.ndarray, list[int]]:
    """Solves a game by max^n, with expectations over chance.

    Args:
        model: The position to start from; not changed.
        depth: Decisions after which the heuristic takes the place of the returns. Unless it is
            infinite, draws that are repeated are left out, as lookahead leaves them out.
        heuristic: Estimates the return of a player.

    Returns:
        The return of each player, float64[num_players], and the actions that are best for the
        player to move, none at a chance node, at the end and at depth 0.
    """
    if model.is_terminal():
        return np.array(model.returns(), dtype=float), []
    if depth == 0:
        return np.array([heuristic(model, player) for player in range(model.num_players)]), []
    if model.is_chance_node():
        outcomes, probabilities = model.chance_outcomes()
        after = list(zip(probabilities, children(model, outcomes), strict=True))
        if model.repeats_draws and depth < math.inf:
            after = [(p, child) for p, child in after if not child.is_chance_node()] or after[:1]
        values = [p * solve(child, depth, heuristic)[0] for p, child in after]
        return np.asarray(sum(values) / sum(p for p, _ in after)), []
    player, actions = model.current_player(), model.legal_actions()
    values = [solve(child, depth - 1, heuristic)[0] for child in children(model, actions)]
    highest = max(value[player] for value in values)
    best = [i for i, value in enumerate(values) if value[player] == highest]
    return values[best[0]], [int(actions[i]) for i in best]


def children(model: ForwardModel, actions: Sequence[int]) -> Iterator[ForwardModel]:
    """The positions that the actions lead to."""
    for action in actions:
        child = model.clone()
        child.apply_action(int(action))
        yield child


def reached(model: ForwardModel, path: Sequence[int]) -> ForwardModel:
    """The position after these actions and outcomes."""
    model = model.clone()
    for action in path:
        model.apply_action(action)
    return model


def nodes_by_path(result: SearchResult) -> dict[tuple[int, ...], np.void]:
    """The rows of a search tree by the actions that lead there from the root."""
    rows = result.tree()
    paths: list[tuple[int, ...]] = [()]
    for row in rows[1:]:
        paths.append((*paths[row["parent"]], int(row["action"])))
    return dict(zip(paths, rows, strict=True))


def recommended(children: dict[int, np.void], recommendation: str) -> list[int]:
    """The actions that a recommendation of MCTS allows, by the rows of the children."""
    most = max(child["visits"] for child in children.values())
    value: dict[str, Callable[[Any], float]] = {
        "robust": lambda child: child["mean"] if child["visits"] == most else -math.inf,
        "robust-random": lambda child: child["visits"],
        "max": lambda child: child["mean"],
        "secure": lambda child: child["mean"] - 1 / math.sqrt(child["visits"]),
        "secure(margin=0.2)": lambda child: child["mean"] - 0.2 / math.sqrt(child["visits"]),
    }
    by = {action: value[recommendation](child) for action, child in children.items()}
    return [action for action, x in by.items() if x > max(by.values()) - 1e-12]
