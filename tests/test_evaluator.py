"""Evaluators, PUCT, and tree policies that are Python functions: replayed, recomputed, provoked."""

from __future__ import annotations

import functools
import itertools
import math
import pickle
import time
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from agents import (
    CHANCE,
    EAMCTS,
    ESMCTS,
    MCTS,
    TERMINAL,
    ESpMCTS,
    ForwardModel,
    FunctionPolicy,
    PythonForwardModel,
    Rng,
    SearchResult,
)
from games import (
    Corridor,
    Dice,
    GameTree,
    Node,
    Picks,
    ThreePlayers,
    TicTacToe,
    nodes_by_path,
    random_tree,
    reached,
)
from playing import one_player, opening

WORTHS = (0.31, 0.74, 0.12, 0.55, 0.93, 0.48)
GAMES: dict[str, Callable[[], ForwardModel]] = {
    "tic-tac-toe": TicTacToe,
    "one player": lambda: Picks(1, 4, WORTHS),
    "three players": ThreePlayers,
    "chance": Dice,
    "chance, player 2": lambda: Dice(player=2),
    "tree with chance": lambda: random_tree(3, 5),
    "carcassonne": opening,
    "carcassonne, alone": one_player,
}
games = pytest.mark.parametrize("make_model", GAMES.values(), ids=GAMES)


def seed_of(model: ForwardModel) -> int:
    """A number that depends on the position alone, in every process."""
    if isinstance(model, Picks):
        data = repr(model.taken).encode()
    elif isinstance(model, GameTree):
        data = repr(model.node[:2]).encode()  # differs: the seed of its tree is odd
    elif isinstance(model, PythonForwardModel):
        data = repr(model.__dict__).encode()
    else:
        data = pickle.dumps(model)
    return zlib.crc32(data)


@functools.cache
def arbitrary_values(seed: int, num_players: int) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-1, 1, num_players)


@functools.cache
def arbitrary_priors(seed: int, num_actions: int) -> np.ndarray:
    return np.random.default_rng(seed).dirichlet([0.5] * num_actions)


def values_of(model: ForwardModel) -> np.ndarray:
    return arbitrary_values(seed_of(model), model.num_players)


def priors_of(model: ForwardModel) -> np.ndarray:
    return arbitrary_priors(seed_of(model), len(model.legal_actions()))


def judge(model: ForwardModel) -> tuple[np.ndarray, np.ndarray]:
    return values_of(model), priors_of(model)


def in_batches(evaluator: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda models: [evaluator(model) for model in models]


def planner(iterations: int, batch_size: int | None = None, **options: Any) -> MCTS:
    """PUCT with `judge`."""
    evaluator = options.pop("evaluator", judge)
    if batch_size is not None:
        evaluator = in_batches(evaluator)
    defaults: dict[str, Any] = {"tree_policy": "puct(c=0.8)", "seed": 0}
    return MCTS(iterations, evaluator=evaluator, batch_size=batch_size, **{**defaults, **options})


# --- PUCT with an evaluator, in any game ---

SELECTIVE: list[dict[str, Any]] = [
    {"first_play_urgency": 0.4},
    {"widening": (0.8, 0.4)},
    {"widening": (1.5, 0.3), "first_play_urgency": 1.6},
]


def families(nodes: dict[tuple[int, ...], np.void]) -> dict[tuple[int, ...], dict[int, np.void]]:
    """The children of each node, by their actions."""
    found: dict[tuple[int, ...], dict[int, np.void]] = {path: {} for path in nodes}
    for path, row in nodes.items():
        if path:
            found[path[:-1]][path[-1]] = row
    return found


@pytest.mark.parametrize(
    ("game", "options"),
    [
        *((game, {}) for game in GAMES),
        *itertools.product(("one player", "tree with chance", "carcassonne, alone"), SELECTIVE),
    ],
    ids=str,
)
def test_descents_follow_the_rule(game, options):
    """One more iteration, at every node of its path where a player moves.

    Searches with one seed are prefixes of each other.
    """
    model, c, num_choices, num_added = GAMES[game](), 0.8, 0, 0
    nodes_after = functools.cache(lambda n: nodes_by_path(planner(n, **options).search(model)))
    factor, exponent = options.get("widening", (math.inf, 0))
    for iterations in [*range(1, 35), 41, 60, 97, 130, 149]:
        before, after = nodes_after(iterations), nodes_after(iterations + 1)
        tried_at = families(before)
        for path, row in after.items():
            if not path or path[:-1] not in before or before[path[:-1]]["player"] == CHANCE:
                continue
            if path in before and row["visits"] == before[path]["visits"]:
                continue  # not on the path of the last iteration
            position, tried = reached(model, path[:-1]), tried_at[path[:-1]]
            visits = float(before[path[:-1]]["visits"])
            priors = dict(zip(position.legal_actions(), priors_of(position), strict=True))
            bonus = {a: c * prior * math.sqrt(visits) for a, prior in priors.items()}
            scores = {a: r["mean"] + bonus[a] / (1 + float(r["visits"])) for a, r in tried.items()}
            untried = {a: prior for a, prior in priors.items() if a not in tried}
            is_added = bool(untried) and len(tried) < factor * visits**exponent
            if is_added and tried:
                weights = [float(r["visits"]) for r in tried.values()]
                mean = np.average([r["mean"] for r in tried.values()], weights=weights)
                urgency = options.get("first_play_urgency", mean)
                urgency += bonus[max(untried, key=lambda a: untried[a])]
                is_added = max(scores.values()) <= urgency
            if is_added or not tried:
                assert untried[path[-1]] == max(untried.values())
                num_added += 1
            else:
                assert scores[path[-1]] == pytest.approx(max(scores.values()), abs=1e-12)
                num_choices += 1
    assert num_choices > 20
    assert num_added >= 1


def assert_tree_is_made_of_answers(
    result: SearchResult, model: ForwardModel, value: Callable[[ForwardModel], Any] = values_of
) -> None:
    """Visits and means of all nodes follow from what the leaves are worth.

    Every position where a player moves was valued once, but the root's value is not used; ends have
    their returns; chance nodes have the mean of their outcomes, by the probabilities.
    """
    nodes = nodes_by_path(result)
    below, totals = families(nodes), {}
    for path, row in reversed(nodes.items()):
        position, player = reached(model, path), row["player"]
        visits = sum(int(child["visits"]) for child in below[path].values())
        total = sum((totals[(*path, a)] for a in below[path]), np.zeros(model.num_players))
        if player == TERMINAL:
            visits, total = int(row["visits"]), row["visits"] * np.array(position.returns())
        elif player != CHANCE and path:
            visits, total = visits + 1, total + value(position)
        totals[path] = total
        movers = [nodes[path[:depth]]["player"] for depth in range(len(path))]
        decider = next((mover for mover in reversed(movers) if mover != CHANCE), result.player)
        mean = total[decider] / visits
        if player == CHANCE:
            weights = [child["probability"] for child in below[path].values()]
            mean = np.average([child["mean"] for child in below[path].values()], weights=weights)
        assert player == position.current_player()
        assert row["visits"] == visits
        assert row["mean"] == pytest.approx(mean, abs=1e-12)


def assert_actions_have_priors(
    result: SearchResult, model: ForwardModel, priors: Callable[[ForwardModel], Any]
) -> None:
    nodes = nodes_by_path(result)
    for path, row in nodes.items():
        if path and nodes[path[:-1]]["player"] != CHANCE:
            parent = reached(model, path[:-1])
            expected = dict(zip(parent.legal_actions(), priors(parent), strict=True))
            assert row["probability"] == pytest.approx(expected[path[-1]], abs=1e-12)


def uniform(model: ForwardModel) -> list[float]:
    return [1 / len(model.legal_actions())] * len(model.legal_actions())


@pytest.mark.parametrize("has_priors", [False, True])
@pytest.mark.parametrize("batch_size", [None, 2, 64])
@games
def test_the_tree_is_made_of_the_answers(make_model, batch_size, has_priors):
    """Virtual losses leave no trace."""
    model = make_model()
    evaluator = judge if has_priors else values_of
    loss = {"virtual_loss": 1.0} if batch_size else {}
    result = planner(150, batch_size, evaluator=evaluator, **loss).search(model)
    assert result.iterations == result.visits.sum() == 150
    assert_tree_is_made_of_answers(result, model)
    assert_actions_have_priors(result, model, priors_of if has_priors else uniform)


@pytest.mark.parametrize(
    "tree_policy", ["ucb1", "ucb1-tuned", "greedy", "boltzmann", "Q + sd/n", "Q_max + Q + 1/n"]
)
@pytest.mark.parametrize("batch_size", [None, 16])
def test_any_tree_policy_takes_values(tree_policy, batch_size):
    for model in (ThreePlayers(), opening(), Dice()):
        agent = planner(120, batch_size, tree_policy=tree_policy, evaluator=values_of)
        result = agent.search(model)
        assert result.iterations == result.visits.sum() == 120
        assert_tree_is_made_of_answers(result, model)


def test_the_likeliest_action_is_tried_first():
    """Whatever the tree policy; among equally likely ones a random one."""
    chances = np.array([0, 1, 4, 1, 3, 1, 5, 1, 2]) / 18
    orders = set()

    def evaluator(model):
        return [0, 0], chances if len(model.legal_actions()) == 9 else None

    for seed in range(20):
        rows = planner(9, tree_policy="ucb1", evaluator=evaluator, seed=seed).search(TicTacToe())
        order = tuple(rows.tree()["action"][1:])
        assert order[:4] == (6, 2, 4, 8)
        assert order[8] == 0
        orders.add(order)
    assert len(orders) > 5


# --- What the evaluator is asked ---


class Recorder:
    """An evaluator that keeps what it is asked: a list of positions for every call."""

    def __init__(self, is_batched: bool = False) -> None:
        self.is_batched = is_batched
        self.calls: list[list[ForwardModel]] = []

    def __call__(self, question: Any) -> Any:
        models = question if self.is_batched else [question]
        self.calls.append([model.clone() for model in models])
        answers = [judge(model) for model in models]
        return answers if self.is_batched else answers[0]

    @property
    def sizes(self) -> list[int]:
        return [len(call) for call in self.calls]

    @property
    def positions(self) -> list[ForwardModel]:
        return list(itertools.chain(*self.calls))


def asking(recorder: Recorder, iterations: int, batch_size: int | None, **options: Any) -> MCTS:
    """PUCT, or another policy, with a recorder."""
    options = {"tree_policy": "puct", "seed": 0} | options
    return MCTS(iterations, evaluator=recorder, batch_size=batch_size, **options)


@pytest.mark.parametrize("batch_size", [None, 5])
@games
def test_each_position_of_the_tree_is_asked_about_once(make_model, batch_size):
    """No chance nodes, no ends; the root first, for its priors."""
    model, recorder = make_model(), Recorder(batch_size is not None)
    result = asking(recorder, 100, batch_size).search(model)
    asked = recorder.positions
    assert recorder.sizes[0] == 1
    assert asked[0] == model
    assert all(position.current_player() >= 0 for position in asked)
    nodes = nodes_by_path(result)
    decisions = [path for path, row in nodes.items() if row["player"] >= 0]
    births = sorted(decisions, key=lambda path: (path != (), nodes[path]["birth"]))
    assert asked == [reached(model, path) for path in births]


def test_batches_are_full_where_the_tree_is_wide():
    recorder = Recorder(is_batched=True)
    result = asking(recorder, 1000, 64, c=1.0, virtual_loss=1.0).search(opening())
    assert result.iterations == 1000
    assert max(recorder.sizes) == 64
    assert np.mean(recorder.sizes[1:]) > 32


def test_the_last_batch_is_smaller():
    recorder = Recorder(is_batched=True)
    asking(recorder, 10, 4, tree_policy="ucb1").search(opening())
    assert recorder.sizes == [1, 4, 4, 2]


def test_a_leaf_met_twice_ends_the_batch():
    """In a corridor there is one new leaf at a time; its end is valued without the evaluator."""
    recorder = Recorder(is_batched=True)
    result = asking(recorder, 20, 8).search(Corridor(5))
    assert recorder.sizes == [1] * 5
    assert result.iterations == 20
    assert result.tree()["visits"].tolist() == [20, 20, 19, 18, 17, 16]


@games
def test_a_batch_of_one_is_none(make_model):
    trees = [planner(200, batch_size).search(make_model()).tree() for batch_size in (None, 1)]
    np.testing.assert_array_equal(*trees)


@pytest.mark.parametrize("batch_size", [None, 6])
@games
def test_the_evaluator_may_play_on(make_model, batch_size):
    """The models are its own."""

    def playing(model):
        answer = judge(model)
        model.rollout(0)
        return answer

    trees = [
        planner(100, batch_size, evaluator=evaluator).search(make_model()).tree()
        for evaluator in (judge, playing)
    ]
    np.testing.assert_array_equal(*trees)


@pytest.mark.parametrize(("virtual_loss", "visits"), [(0, [3, 1]), (0.9, [3, 1]), (1.1, [2, 2])])
def test_a_virtual_loss_is_one_return_below_the_mean(virtual_loss, visits):
    """Two children worth 1 and 0.5, visited once each; then a batch of two by their means alone.

    When the first leaf waits below the better child, that child looks worth 1 - virtual_loss / 2.
    """
    end = Node(TERMINAL, (1.0,))
    root = Node(0, (0.0,), (Node(0, (1.0,), (end,) * 4), Node(0, (0.5,), (end,) * 4)))
    options = {"tree_policy": "greedy", "virtual_loss": virtual_loss}
    agent = planner(4, 2, evaluator=lambda model: model.node.values, **options)
    assert agent.search(GameTree(root)).visits.tolist() == visits


def test_a_kept_root_without_children_is_valued_anew():
    agent = planner(1, evaluator=lambda model: (0.9, -0.9), reuse_tree=True)
    model = TicTacToe()
    action = agent.search(model).action
    agent.advance(action)
    model.apply_action(action)
    assert agent.search(model).value == -0.9


def test_the_first_child_that_waits_has_the_urgency_of_its_action():
    """Not the mean of its parent, which is in the returns of the other player."""
    options = {"tree_policy": "puct", "c": 0, "virtual_loss": 0, "first_play_urgency": -0.5}
    batches = []

    def evaluator(models):
        batches.append(len(models))
        return [(0.9, -0.9)] * len(models)

    MCTS(9, batch_size=4, evaluator=evaluator, seed=0, **options).search(TicTacToe())
    assert batches == [1, 4, 4, 1]  # no batch ends early at the leaf that waits


@pytest.mark.parametrize("make_model", [one_player, opening])
@pytest.mark.parametrize("offset", [-64.0, 64.0])
def test_virtual_losses_are_losses_wherever_the_returns_lie(offset, make_model):
    """A new leaf that waits looks worse than its siblings, not than 0: the tree stays the same."""

    def visits(offset):
        def evaluator(model):
            return values_of(model) + offset, priors_of(model)

        agent = planner(300, 16, evaluator=evaluator, virtual_loss=3)
        return agent.search(make_model()).tree()["visits"].tolist()

    assert visits(offset) == visits(0)


@pytest.mark.parametrize("formula", ["Q + 0*sd", "Q + 0*Q_max"])
@pytest.mark.parametrize("loss", [0, 0.1])
def test_leaves_that_wait_have_all_variables(formula, loss):
    """They can be chosen again, which ends the batch, by policies that read them as by others."""
    agents = [
        planner(200, 16, tree_policy=text, evaluator=values_of, virtual_loss=loss)
        for text in (formula, "Q + 0*n")
    ]
    trees = [agent.search(Picks(1, 4, (0, 0, 0, 0))).tree() for agent in agents]
    np.testing.assert_array_equal(*trees)
    assert len(trees[0]) > 20


# --- Budgets, full trees, trees that are kept ---


@pytest.mark.parametrize("batch_size", [None, 6])
def test_the_edge_of_a_full_tree_is_worth_what_the_evaluator_says(batch_size):
    """Leaves are valued again; behind chance nodes at the edge, whatever is drawn."""
    model = TicTacToe()
    result = planner(400, batch_size, max_nodes=6).search(model)
    for path, row in nodes_by_path(result).items():
        if path and not row["num_children"]:
            decider = reached(model, path[:-1]).current_player()
            assert row["mean"] == pytest.approx(values_of(reached(model, path))[decider], abs=1e-12)
    dice = planner(
        4000, batch_size, evaluator=lambda m: [m.points / 10], tree_policy="ucb1(c=10)", max_nodes=3
    ).search(Dice(5, rolls=2))
    thrown = [
        (p * q, 0 if i == j else 5 + i + j)
        for (i, p), (j, q) in itertools.product(enumerate(Dice.PROBABILITIES, 1), repeat=2)
    ]
    expected = sum(chance * points / 10 for chance, points in thrown)
    assert dice.search_tree.num_nodes == 3
    assert abs(dice.means[Dice.ROLL] - expected) < 4 * 0.5 / math.sqrt(dice.visits[Dice.ROLL])


@pytest.mark.parametrize("batch_size", [None, 4])
def test_the_time_limit_is_kept(batch_size):
    """But for the last question, of a batch or half of one; whatever else the machine does."""
    asked: list[float] = []

    def slow(model):
        asked.append(time.perf_counter())
        time.sleep(0.002)
        return values_of(model)

    result = planner(10**6, batch_size, evaluator=slow, time_limit=0.2).search(opening())
    end, count = time.perf_counter(), batch_size or 1
    assert sum(at > asked[0] + 0.2 for at in asked) <= count
    assert result.seconds > 0.2 - (end - asked[-2 * count]) / 2


@pytest.mark.parametrize("batch_size", [None, 5])
def test_trees_are_kept_with_their_priors(batch_size):
    """The root is not asked about again, and the tree is made of answers of both searches."""
    recorder, model = Recorder(batch_size is not None), TicTacToe()
    agent = asking(recorder, 200, batch_size, reuse_tree=True)
    first = agent.search(model)
    agent.advance(first.action)
    model.apply_action(first.action)
    recorder.calls.clear()
    result = agent.search(model)
    assert model not in recorder.positions
    inherited = int(first.visits[first.actions == first.action].item()) - 1
    assert result.visits.sum() == inherited + 200
    assert_actions_have_priors(result, model, priors_of)
    nodes = nodes_by_path(result)
    below = families(nodes)
    for path, row in nodes.items():
        if path and row["player"] != TERMINAL:
            assert row["visits"] == 1 + sum(int(c["visits"]) for c in below[path].values())


# --- Planners that evolve their formula ---


@pytest.mark.parametrize("kind", [EAMCTS, ESMCTS, ESpMCTS])
@pytest.mark.parametrize("make_model", [TicTacToe, opening, Dice])
def test_formulas_evolve_with_an_evaluator(kind, make_model):
    model = make_model()
    agent = kind(700, generations=3, fitness_iterations=10, evaluator=judge, seed=0)
    result = agent.search(model)
    assert result.evolution is not None
    assert result.evolution.num_generations == 3
    assert result.iterations == result.visits.sum() == 700
    assert_tree_is_made_of_answers(result, model)


# --- Many positions in lockstep ---


@pytest.mark.parametrize("batch_size", [1, 5])
@games
def test_searches_in_lockstep_are_separate_searches(make_model, batch_size):
    together, apart, seeds = Recorder(is_batched=True), Recorder(is_batched=True), Rng(0)
    options = {"root_noise": (0.3, 0.5), "max_nodes": 50}
    agent = asking(together, 60, batch_size, **options)
    for result in agent.search_many([make_model() for _ in range(3)]):
        lone = asking(apart, 60, batch_size, **options, seed=seeds)
        alone = lone.search(make_model())
        np.testing.assert_array_equal(result.tree(), alone.tree())
        assert result.action == alone.action
        assert result.iterations == 60
    assert sum(together.sizes) == sum(apart.sizes)


def test_searches_in_lockstep_share_the_calls_of_the_evaluator():
    recorder = Recorder(is_batched=True)
    agent = asking(recorder, 20, 1)
    agent.search_many([opening() for _ in range(4)])
    assert recorder.sizes == [4] * 21  # the roots, then a leaf of each in every iteration


def test_searches_in_lockstep_end_by_themselves():
    """The seed goes on, games may differ, and each search ends by its own budget."""
    agent = planner(10**6, 4, evaluator=values_of, model_calls=100)
    models = [TicTacToe(), TicTacToe(), opening(), one_player(), Dice()]
    results = agent.search_many(models) + agent.search_many([TicTacToe()])
    assert all(100 <= result.model_calls < 120 for result in results)
    assert len({result.iterations for result in results}) > 2
    trees = [results[i].tree()["action"].tolist() for i in (0, 1, 5)]
    assert trees[0] != trees[1] != trees[2] != trees[0]
    assert agent.search_many([]) == []


@pytest.mark.parametrize(
    "options", [{}, {"batch_size": 2, "phases": 2}, {"batch_size": 2, "reuse_tree": True}]
)
def test_lockstep_needs_batches_and_one_search_each(options):
    with pytest.raises(ValueError, match=r"^search_many needs an evaluator with batch_size, "):
        planner(10, **options).search_many([TicTacToe()])


def test_errors_in_lockstep_leave_the_seed():
    is_bad = True

    def evaluator(models):
        return [] if is_bad else [judge(model) for model in models]

    agent = MCTS(20, tree_policy="puct", evaluator=evaluator, batch_size=1, seed=0)
    with pytest.raises(ValueError, match="a sequence of 2 answers"):
        agent.search_many([TicTacToe(), TicTacToe()])
    is_bad = False
    again = agent.search_many([TicTacToe()])[0]
    expected = planner(20, 1, tree_policy="puct").search_many([TicTacToe()])[0]
    np.testing.assert_array_equal(again.tree(), expected.tree())


# --- Noise at the root ---


@pytest.mark.parametrize("evaluator", [judge, "afterstates(heuristic=vs)"])
def test_noise_is_mixed_into_the_priors_of_the_root(evaluator):
    """It is a distribution of the stated share and concentration, and is reflected in the order."""
    model, share, alpha = opening(), 0.4, 0.3

    def priors(seed, noise):
        agent = MCTS(70, tree_policy="ucb1", evaluator=evaluator, root_noise=noise, c=9, seed=seed)
        rows = agent.search(model).tree()
        root = rows[rows["parent"] == 0]
        return dict(zip(root["action"].tolist(), root["probability"].tolist(), strict=True))

    plain = priors(0, None)
    assert sum(plain.values()) == pytest.approx(1)  # all actions were tried
    draws = []
    for seed in range(30):
        noisy = priors(seed, (share, alpha))
        assert list(noisy) == sorted(noisy, key=noisy.__getitem__, reverse=True)
        draws.append([(noisy[action] - (1 - share) * plain[action]) / share for action in plain])
    np.testing.assert_allclose(np.sum(draws, axis=1), 1)
    assert np.min(draws) > -1e-9
    count = len(plain)
    variance = (1 / count) * (1 - 1 / count) / (count * alpha + 1)  # of a component
    assert np.var(draws) == pytest.approx(variance, rel=0.25)
    assert priors(0, (0, alpha)) == plain


# --- Errors and interruptions ---


class EvaluatorError(Exception):
    """Raised by an evaluator."""


VALUES = "^evaluator must value a position by 2 finite numbers, one a player, got "
PRIORS = "^evaluator must give . prior probabilities, one a legal action, that sum to 1, got "
BAD_ANSWERS: list[tuple[Any, str]] = [
    *(
        (answer, VALUES)
        for answer in (
            *(None, 0.5, [], [0.5], [0, 0, 0], [[0, 0]], [math.nan, 0], [0, math.inf], "ab"),
            *({"a": 1}, [0, [1]], [0, None], (0.5, [0.2] * 5), [[0, 0], [0.2] * 5], object()),
            *(([0, 0, 0], None), ([math.nan, 0], [0.5, 0.5]), (np.zeros((1, 2)), None)),
        )
    ),
    *(
        (([0, 0], priors), PRIORS)
        for priors in (
            *(0.5, [], [1], [0.1] * 20, [[0.2] * 5], "x", [None] * 9, {}, object()),
            *([1 / 9] * 8, [0.1] * 9, [1.0, *[0.1] * 8], [1.2, -0.2, *[0] * 7], [math.nan] * 9),
            *([math.inf, *[0] * 8], [-math.inf, *[0] * 8], [0] * 9),
        )
    ),
]


@pytest.mark.parametrize(
    ("answer", "message", "batch_size", "when"),
    [
        *((*bad, 3, 5) for bad in BAD_ANSWERS),
        *((None, VALUES, *where) for where in ((None, 0), (None, 5), (3, 0))),
        *(
            (EvaluatorError("no idea"), "no idea", *where)
            for where in itertools.product((None, 4), (0, 1, 20))
        ),
    ],
)
def test_bad_answers_are_refused(answer, message, batch_size, when):
    """At the root or later, and the planner goes on as if nothing had been."""
    count = itertools.count()
    is_bad = True

    def evaluator(model):
        if not is_bad or next(count) != when:
            return judge(model)
        if isinstance(answer, EvaluatorError):
            raise answer
        return answer

    agent = planner(60, batch_size, evaluator=evaluator)
    with pytest.raises((ValueError, EvaluatorError), match=message):
        agent.search(TicTacToe())
    is_bad = False
    expected = planner(60, batch_size).search(TicTacToe()).tree()
    np.testing.assert_array_equal(agent.search(TicTacToe()).tree(), expected)


@pytest.mark.parametrize(
    ("answers", "shown"),
    [
        (lambda models: [], "got 0"),
        (lambda models: [judge(models[0])] * (len(models) + 1), f"got {1 + 1}"),
        (lambda models: None, "got None"),
        (lambda models: 0.5, "got 0.5"),
        (lambda models: map(judge, models), "got <map object"),
    ],
)
def test_a_batch_has_as_many_answers_as_models(answers, shown):
    with pytest.raises(ValueError, match=f"a sequence of 1 answers, one a model, {shown}"):
        MCTS(10, evaluator=answers, batch_size=3).search(TicTacToe())


def test_an_array_answers_a_batch():
    def evaluator(models):
        return np.array([values_of(model) for model in models], dtype=np.float32)

    result = MCTS(50, evaluator=evaluator, batch_size=8, seed=0).search(TicTacToe())
    assert_tree_is_made_of_answers(
        result, TicTacToe(), lambda model: values_of(model).astype(np.float32)
    )


def test_priors_need_not_sum_to_1_exactly():
    def rounded(model):
        return values_of(model), (priors_of(model) * 1.0005).astype(np.float32)

    result = planner(50, evaluator=rounded).search(TicTacToe())
    rows = result.tree()
    assert rows["probability"][rows["depth"] == 1].sum() <= 1 + 1e-12


def test_priors_need_actions_in_order(monkeypatch):
    """They would fall to other actions; values alone are taken."""
    monkeypatch.setattr(TicTacToe, "legal_actions", lambda self: [8, 7, 6])
    assert planner(3, evaluator=lambda model: [0, 0]).search(TicTacToe()).iterations == 3
    with pytest.raises(ValueError, match=r"need legal_actions\(\) that ascend, got \[8, 7, 6\]"):
        planner(3).search(TicTacToe())


def test_errors_keep_the_tree_of_the_search_before():
    """It still grows on afterwards."""
    is_bad = False

    def evaluator(model):
        if is_bad:
            raise EvaluatorError
        return judge(model)

    agent, model = planner(100, evaluator=evaluator, reuse_tree=True), TicTacToe()
    agent.search(model)
    is_bad = True
    with pytest.raises(EvaluatorError):
        agent.search(model)
    is_bad = False
    assert agent.search(model).visits.sum() == 200


# --- Copies and names ---


def test_what_policies_are_called():
    assert repr(MCTS(c=2, tree_policy="puct")) == "mcts(c=2, tree_policy=puct)"
    policy = FunctionPolicy(max)
    assert repr(policy) == "FunctionPolicy(function=<built-in function max>)"
    assert repr(pickle.loads(pickle.dumps(policy))) == repr(policy)


# --- Tree policies that are functions ---


def test_functions_see_the_children():
    """Their means, visits and priors, and the visits of their parent, in the order of the tree."""
    seen = []

    def policy(means, visits, priors, parent_visits):
        seen.append((means.copy(), visits.copy(), priors.copy(), parent_visits))
        means[:] = visits[:] = priors[:] = -1  # they are its own
        return np.arange(len(means))

    result = planner(40, tree_policy=policy).search(TicTacToe())
    means, visits, priors, parent_visits = seen[-1]  # for `policy_values`
    rows = result.tree()
    rows = rows[rows["depth"] == 1]
    assert means.dtype == priors.dtype == np.float64
    assert visits.dtype == np.int64
    assert type(parent_visits) is int
    assert parent_visits == 40
    np.testing.assert_array_equal(means, rows["mean"])
    np.testing.assert_array_equal(visits, rows["visits"])
    np.testing.assert_array_equal(priors, rows["probability"])
    values = dict(zip(result.actions, result.policy_values, strict=True))
    assert dict(zip(rows["action"], range(9), strict=True)) == values
    assert rows["visits"].tolist() == [1] * 8 + [32]


@pytest.mark.parametrize(
    ("tree_policy", "function"),
    [
        ("Q", lambda means, visits, priors, n: means),
        ("ucb1(c=0.7)", lambda means, visits, priors, n: means + 0.7 * (np.log(n) / visits) ** 0.5),
        ("Q + 1/(9*n)", lambda means, visits, priors, n: list(means + 1 / (9 * visits))),
        (
            "puct(c=0.7)",
            lambda means, visits, priors, n: means + 0.7 * priors * n**0.5 / (1 + visits),
        ),
    ],
)
@games
def test_functions_select_as_compiled_policies(make_model, tree_policy, function):
    """PUCT, which is to add all actions first here as functions do, has an infinite urgency."""
    urgency = {"first_play_urgency": 1e6} if "puct" in tree_policy else {}
    trees = [
        planner(150, tree_policy=policy, **options).search(make_model()).tree()
        for policy, options in ((tree_policy, urgency), (function, {}))
    ]
    np.testing.assert_array_equal(trees[0]["action"], trees[1]["action"])
    np.testing.assert_array_equal(trees[0]["visits"], trees[1]["visits"])


def test_functions_without_priors_see_equal_ones():
    seen = []

    def policy(means, visits, priors, parent_visits):
        seen.append(priors)
        return means

    MCTS(30, tree_policy=policy, seed=0).search(TicTacToe())
    equal = {(round(1 / n, 9),) * n for n in range(1, 10)}
    assert {tuple(priors.round(9)) for priors in seen} <= equal


def test_nan_is_not_chosen():
    def policy(means, visits, priors, parent_visits):
        return [math.nan, *[-1.0] * (len(means) - 2), math.nan]

    result = MCTS(60, tree_policy=policy, seed=0).search(TicTacToe())
    visits = result.tree()["visits"][result.tree()["depth"] == 1]
    assert visits[0] == visits[8] == 1
    assert visits.sum() == 60


@pytest.mark.parametrize(
    "answer", [None, 0.5, [1.0], [0.0] * 10, np.zeros((9, 1)), "x", [[0]] * 9, [0, [1]], {}]
)
def test_bad_tree_policies_are_refused(answer):
    agent = MCTS(50, tree_policy=lambda *arrays: answer, seed=0)
    with pytest.raises(ValueError, match="a tree policy must return 9 numbers here, one a child"):
        agent.search(TicTacToe())


def test_errors_of_tree_policies_pass_through(interrupt_after):
    def troubled(*arrays):
        raise EvaluatorError("no idea")

    with pytest.raises(EvaluatorError, match="no idea"):
        MCTS(50, tree_policy=troubled).search(opening())
    interrupt_after(0.1)
    with pytest.raises(KeyboardInterrupt):
        MCTS(10**9, tree_policy=lambda means, *others: means).search(TicTacToe())
