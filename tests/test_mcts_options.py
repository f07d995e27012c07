"""The options of MCTS: each does what its definition says, by hand and in its direction."""

from __future__ import annotations

import copy
import itertools
import math
import pickle
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

import playing
from agents import (
    CHANCE,
    EAMCTS,
    MCTS,
    TERMINAL,
    UCB1,
    Expectimax,
    ForwardModel,
    FunctionPolicy,
    Rng,
    RolloutPolicy,
    SearchResult,
    StarMinimax,
    TreePolicy,
)
from agents.checks import exact
from agents.games import Hex
from agents.mcts import names
from agents.mcts.names import rollout_policy_of, tree_policy_of
from fop_env import FopModel
from games import (
    Dice,
    GameTree,
    Lottery,
    Node,
    Picks,
    ThreePlayers,
    TicTacToe,
    children,
    random_tree,
    reached,
    solve,
)
from models import advance
from playing import opening
from replaying import Recorded, Rule, Visited, assert_same_tree, replayed

TILES = {"D": 1, "A": 1, "E": 2, "V": 1, "X": 1}
late = partial(playing.late, num_players=1, num_meeples=3, tiles=TILES, max_score=10)
"""The first decision of a random game for one with so many tiles, or fewer, in the bag."""


def assert_expected(observed: float, probabilities: list[float]) -> None:
    """A count of events with these probabilities is within four and a half standard deviations."""
    deviation = math.sqrt(sum(p * (1 - p) for p in probabilities))
    assert abs(observed - sum(probabilities)) <= 4.5 * deviation + 1e-9


# --- The search by hand ---


def assert_same_search(result: SearchResult, root: Visited, rule: Rule) -> None:
    """The tables and the values of the tree policy are those of the tree by hand."""
    assert_same_tree(result, root)
    for action, child in root.children.items():
        expected = rule(root, child, result.iterations + 1)
        assert result.policy_values[action] == pytest.approx(expected, abs=1e-9)


def ucb1(c: float, decay: int = 0) -> Rule:
    return lambda parent, child, time: (
        child.mean + c / time**decay * math.sqrt(math.log(parent.visits) / child.visits)
    )


def tuned(c: float, scale: float) -> Rule:
    def value(parent: Visited, child: Visited, time: int) -> float:
        ratio = math.log(parent.visits) / child.visits
        bound = child.squares / child.visits / scale**2 + math.sqrt(2 * ratio)
        return child.mean + 2 * c * math.sqrt(ratio * min(0.25, bound))

    return value


def rave(c: float, k: float) -> Rule:
    """The means of all moves as first are of iterations since the child was added."""

    def value(parent: Visited, child: Visited, time: int) -> float:
        beta = math.sqrt(k / (3 * parent.visits + k))
        mixed = (1 - beta) * child.mean + beta * np.mean(child.amaf)
        return float(mixed) + c * math.sqrt(math.log(parent.visits) / child.visits)

    return value


GREEDY = ucb1(0)
BY_HAND: dict[str, tuple[dict[str, Any], Rule, dict[str, Any]]] = {
    "ucb1": ({"c": 0.4}, ucb1(0.4), {}),
    "decaying": ({"tree_policy": "decaying-ucb1(c=40)"}, ucb1(40, 1), {}),
    "tuned": ({"tree_policy": "ucb1-tuned(c=0.7, scale=2)"}, tuned(0.7, 2), {}),
    "tuned, narrow": ({"tree_policy": "ucb1-tuned", "c": 3}, tuned(3, 1), {}),
    "greedy": ({"tree_policy": "greedy"}, GREEDY, {}),
    "rave": ({"tree_policy": "rave(equivalence=50)", "c": 0.1}, rave(0.1, 50), {}),
    "rave alone": ({"tree_policy": "rave"}, rave(0, 1000), {}),
    "urgency": ({"c": 0.4, "first_play_urgency": 2.4}, ucb1(0.4), {"urgency": 2.4}),
    "low urgency": ({"c": 0.4, "first_play_urgency": 0.3}, ucb1(0.4), {"urgency": 0.3}),
    "widening": ({"c": 0.4, "widening": (0.8, 0.4)}, ucb1(0.4), {"widening": (0.8, 0.4)}),
    "width of one": ({"c": 0.4, "widening": (0.01, 0.5)}, ucb1(0.4), {"widening": (0.01, 0.5)}),
    "fixed width": ({"c": 0.4, "widening": (3, 0)}, ucb1(0.4), {"widening": (3, 0)}),
    "both": (
        {"tree_policy": "rave(equivalence=9)", "widening": (2, 0.3), "first_play_urgency": 0.5},
        rave(0, 9),
        {"widening": (2, 0.3), "urgency": 0.5},
    ),
}


@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.parametrize(("options", "rule", "selective"), BY_HAND.values(), ids=BY_HAND)
def test_searches_are_those_by_hand(num_players, options, rule, selective):
    """At every node of every descent an untried action where there is room, else a best child."""
    game = Recorded([6, 5, 4, 3], num_players)
    result = MCTS(250, seed=1, **options).search(game)
    root = Visited()
    num_choices = 0
    for _, values, action in replayed(game, root, rule, **selective):
        assert values[action] >= max(values.values()) - 1e-9
        num_choices += 1
    assert num_choices > 100
    assert_same_search(result, root, rule)


# --- Tree policies ---


@pytest.mark.parametrize(
    ("tree_policy", "probability"),
    [
        ("greedy", lambda n: 0),
        ("epsilon-greedy(epsilon=0)", lambda n: 0),
        ("epsilon-greedy", lambda n: 0.3),
        ("epsilon-greedy(epsilon=0.7)", lambda n: 0.7),
        ("epsilon-greedy(epsilon=1)", lambda n: 1),
        ("decaying-epsilon-greedy", lambda n: 1 / n),
        ("decaying-epsilon-greedy(epsilon=0.5)", lambda n: 0.5 / n),
    ],
)
@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.slow(keep=r"^\d-(decaying-)?epsilon-greedy-")
def test_epsilon_is_the_share_of_random_actions(num_players, tree_policy, probability):
    others, expected = 0, []
    for seed in range(15):
        game = Recorded([6, 5, 4], num_players)
        MCTS(120, tree_policy=tree_policy, seed=seed).search(game)
        for parent, values, action in replayed(game, Visited(), GREEDY):
            others += values[action] < max(values.values()) - 1e-9
            num_best = sum(value > max(values.values()) - 1e-9 for value in values.values())
            expected.append(probability(parent.visits) * (1 - num_best / len(values)))
    assert_expected(others, expected)


@pytest.mark.parametrize("temperature", [0.02, 0.1, 1])
def test_boltzmann_follows_the_exponential(temperature):
    prizes = np.array([0.3, 0.35, 0.2, 0.5])
    agent = MCTS(4000, tree_policy=f"boltzmann(temperature={temperature})", seed=0)
    result = agent.search(Lottery(*prizes[:, None]))
    shares = np.exp(prizes / temperature) / np.exp(prizes / temperature).sum()
    np.testing.assert_allclose(result.policy_values, shares, rtol=0, atol=1e-12)
    for visits, share in zip(result.visits, shares, strict=True):
        assert_expected(visits - 1, [share] * 3996)


@pytest.mark.parametrize("urgency", [-0.1, 0.1, 0.4])
def test_boltzmann_waits_for_means_above_the_urgency(urgency):
    """The lottery's untried action is added once no mean is higher, whatever the probabilities."""
    prizes = [0.3, 0.3, 0.3]
    options = {"tree_policy": "boltzmann(temperature=1)", "first_play_urgency": urgency}
    visits = MCTS(60, seed=0, **options).search(Lottery(*[[prize] for prize in prizes])).visits
    assert (visits > 0).sum() == (3 if urgency > 0.3 else 1)


def test_rave_credits_each_rollout_by_itself():
    """If all rollouts of a leaf shared their mean, the actions would look alike."""
    few, many = (
        MCTS(2000 // k, rollouts=k, tree_policy="rave(equivalence=1e12)", seed=0).search(Hex(4))
        for k in (20, 1)
    )
    assert np.corrcoef(few.policy_values, many.policy_values)[0, 1] > 0.9
    assert np.std(few.policy_values) > 0.8 * np.std(many.policy_values)


def test_boltzmann_is_for_whoever_moves():
    best, chances = 0, []
    game = Recorded([6, 5, 4, 3], 2)
    MCTS(800, tree_policy="boltzmann(temperature=0.3)", seed=0).search(game)
    for _, values, action in replayed(game, Visited(), GREEDY):
        weights = {a: math.exp(value / 0.3) for a, value in values.items()}
        favourite = max(weights, key=lambda a: weights[a])
        best += action == favourite
        chances.append(weights[favourite] / sum(weights.values()))
    assert_expected(best, chances)


def estimated(value: float, *replies: Node) -> Node:
    """A position for two players that looks worth so much to the first; an end without replies."""
    return Node(1 if replies else TERMINAL, (value, -value), replies)


def test_the_heuristic_is_followed_against_the_returns():
    """Both players play 0, which looks better to them and is worse."""
    won, lost = estimated(0.9, estimated(1)), estimated(-0.9, estimated(-1))
    root = Node(0, (0, 0), (estimated(0.8, lost, won), estimated(-0.8, estimated(1))))
    rows, picks = [], {}
    for name, c in (("heuristic", None), ("ucb1", 0.5)):
        result = MCTS(300, c, tree_policy=name, seed=0).search(GameTree(root))
        picks[name] = result.principal_variation[:2]
        rows.append(result.visits.tolist())
    assert rows[0] == [299, 1]
    assert picks["heuristic"] == [(0, 0), (1, 0)]
    assert picks["ucb1"][0] == (0, 1)


@pytest.mark.parametrize("kind", [None, "s", "vs"])
@pytest.mark.parametrize("model", [opening(), opening(3), late(0, 1), late(1, 0, two_step=True)])
def test_priors_are_the_heuristic_of_who_moves(model, kind):
    result = MCTS(300, tree_policy="heuristic", heuristic=kind, seed=0).search(model)
    after = children(model, model.legal_actions())
    expected = [
        child.returns()[result.player]
        if child.is_terminal()
        else child.heuristic(result.player, kind or "s")
        for child in after
    ]
    np.testing.assert_allclose(result.policy_values, expected, rtol=0, atol=1e-12)


# --- Rollouts ---


def expected_return(model: GameTree, epsilon: float, moves: float, is_ordered: bool) -> np.ndarray:
    """The mean returns of play by the heuristic, or by the first action of the game's order."""
    if model.is_terminal():
        return np.array(model.returns())
    if moves == 0:
        return np.array([model.heuristic(p, "estimate") for p in range(model.num_players)])
    player, is_chance = model.current_player(), model.is_chance_node()
    after = list(children(model, range(len(model.node.children))))
    left = moves - (not is_chance)
    values = [expected_return(child, epsilon, left, is_ordered) for child in after]
    if is_chance:
        return np.average(values, axis=0, weights=model.node.chances)
    estimates = [child.node.values[player] for child in after]
    best = [v for v, e in zip(values, estimates, strict=True) if e == max(estimates)]
    chosen = values[model.ordered_actions()[0]] if is_ordered else np.mean(best, axis=0)
    return epsilon * np.mean(values, axis=0) + (1 - epsilon) * chosen


def test_another_heuristic_may_value_the_end_of_a_rollout():
    """Of the actions that look best by the virtual score, not by the score."""
    model, rng = opening(), Rng(1)
    while len(model.board) < 20 or model.is_chance_node():
        advance(model, rng)
    after = list(children(model, model.legal_actions()))
    looks = [child.heuristic(model.mover, "vs") for child in after]
    scores = [child.heuristic(model.mover, "s") for child in after]
    best = {s for s, look in zip(scores, looks, strict=True) if look == max(looks)}
    assert best.isdisjoint({max(scores), max(looks)})
    policy = rollout_policy_of("greedy(heuristic=vs, max_moves=1, final=s)")
    assert policy.simulate(model, rng)[model.mover] in best


@pytest.mark.parametrize(
    ("rollout_policy", "epsilon", "moves"),
    [
        ("uniform", 1, math.inf),
        ("greedy", 0, math.inf),
        ("epsilon-greedy", 0.1, math.inf),
        ("epsilon-greedy(epsilon=0.6, heuristic=estimate)", 0.6, math.inf),
        ("truncated(max_moves=1)", 1, 1),
        ("truncated(max_moves=2)", 1, 2),
        ("truncated", 1, 4),
        ("direct", 1, 0),
        ("ordered", 0, math.inf),
        ("ordered(epsilon=0.3)", 0.3, math.inf),
    ],
)
def test_rollouts_follow_the_heuristic(rollout_policy, epsilon, moves):
    """Means of first visits, against the expectation by brute force; even seeds have ties."""
    for num_players, seed in [(1, 2), (2, 3), (2, 4), (3, 5)]:
        model = random_tree(num_players, seed)
        count = len(model.legal_actions())
        agent = MCTS(count, rollouts=400, rollout_policy=rollout_policy, seed=0)
        result = agent.search(model)
        exact = [
            expected_return(child, epsilon, moves, "ordered" in rollout_policy)[result.player]
            for child in children(model, result.actions)
        ]
        tolerance = 1e-12 if moves == 0 else 4 * 0.7 / math.sqrt(400)
        np.testing.assert_allclose(result.means, exact, rtol=0, atol=tolerance)
        simulate, rng = rollout_policy_of(rollout_policy).simulate, Rng(seed)
        means = [
            np.mean([simulate(child, rng)[result.player] for _ in range(400)])
            for child in children(model, result.actions)
        ]
        np.testing.assert_allclose(means, exact, rtol=0, atol=tolerance)


def test_games_without_an_order_play_the_lowest_action():
    class Shuffled(Picks):
        def legal_actions(self):
            return super().legal_actions()[::-1]

    game = Shuffled(1, 3, (0.1, 0.2, 0.4, 0.8, 1.6))
    MCTS(5, rollout_policy="ordered", seed=0).search(game)
    lines = sorted(line for line, _ in game.log)
    assert lines == [(0, 1, 2), (1, 0, 2), (2, 0, 1), (3, 0, 1), (4, 0, 1)]


def meeple_play(model: ForwardModel, parameter: float) -> np.ndarray:
    """Mean and mean square of the return of "meeple" playouts, by brute force."""
    if model.is_terminal():
        return np.array([model.returns()[0], model.returns()[0] ** 2])
    if model.is_chance_node():
        outcomes, chances = model.chance_outcomes()
        after = [meeple_play(child, parameter) for child in children(model, outcomes)]
        return np.average(after, axis=0, weights=chances)
    cells: dict[Any, dict[bool, list[np.ndarray]]] = {}
    actions = model.legal_actions()
    for action, child in zip(actions, children(model, actions), strict=True):
        move = model.decode_action(action)
        cell = cells.setdefault(move[:3], {False: [], True: []})
        cell[move.target is not None].append(meeple_play(child, parameter))
    means = [
        (1 - parameter) * cell[False][0] + parameter * mean(cell[True] or cell[False])
        for cell in cells.values()
    ]
    return mean(means)


def mean(arrays: list[np.ndarray]) -> np.ndarray:
    """As NumPy's, which takes longer for a few numbers."""
    return sum(arrays) / len(arrays)


@pytest.mark.parametrize("parameter", [0, 0.3, 1])
@pytest.mark.parametrize("two_step", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.slow(keep="^0-(False|True-0.3)")
def test_meeple_playouts_set_meeples_by_the_probability(parameter, two_step, seed):
    """Tiles are laid uniformly, with a meeple on each free segment alike."""
    model = late(2, seed, two_step=two_step)
    options = {"rollout_policy": f"game(name=meeple, parameter={parameter})", "rollouts": 2000}
    result = MCTS(len(model.legal_actions()), seed=0, **options).search(model)
    for child, mean in zip(children(model, result.actions), result.means, strict=True):
        expected, square = meeple_play(child, parameter)
        deviation = math.sqrt(max(square - expected**2, 0) / 2000)
        assert abs(mean - expected) <= 4.5 * deviation + 1e-9


@pytest.mark.parametrize("options", [{"c": 0.6}, {"c": 0.6, "widening": (0.8, 0.5)}], ids=repr)
def test_searches_for_wins_are_those_by_hand(options):
    """As with returns of 1 for more than the other player has, 0 for as much and -1 for less."""
    game = Recorded([6, 5, 4, 3], 2)
    result = MCTS(250, rollout_policy="win", seed=1, **options).search(game)
    assert {-1, 0, 1} == {np.sign(round(returns[0], 9)) for _, returns in game.log}
    game.log[:] = [(line, np.sign(returns).tolist()) for line, returns in game.log]
    root, rule = Visited(), ucb1(0.6)
    selective = {"widening": options["widening"]} if "widening" in options else {}
    for _, values, action in replayed(game, root, rule, **selective):
        assert values[action] >= max(values.values()) - 1e-9
    assert_same_search(result, root, rule)


def test_wins_are_averaged():
    game = Lottery((-1, -1, 5))
    result = MCTS(20, rollout_policy="win", rollouts=3, seed=0).search(game)
    draws = iter([np.sign(prize) for _, prize in game.log])
    means = [np.mean(list(itertools.islice(draws, 3))) for _ in range(20)]
    assert next(draws, None) is None
    assert result.value == pytest.approx(np.mean(means), abs=1e-12)


@pytest.mark.parametrize("num_players", [2, 3])
def test_the_sole_best_score_wins(num_players):
    """One tile is left: its moves are worth what the scores say."""
    seen = set()
    for seed in range(12):
        model = playing.late(0, seed, num_players, 2, {"D": 1, "A": 1, "E": 3, "V": 2})
        count = len(model.legal_actions())
        result = MCTS(2 * count, rollout_policy="win", seed=0).search(model)
        ends = children(model, result.actions)
        for end, mean, visits in zip(ends, result.means, result.visits, strict=True):
            own = end.scores[result.player]
            best = max(s for p, s in enumerate(end.scores) if p != result.player)
            assert visits
            assert mean == (own > best) - (own < best)
            seen.add(mean)
    assert seen == {-1, 0, 1}


# --- Expansion ---


@pytest.mark.parametrize(
    ("model", "iterations"), [(random_tree(2, 1), 100), (random_tree(3, 7), 100), (opening(), 30)]
)
def test_ordered_expansion_follows_the_order_of_the_game(model, iterations):
    rows = MCTS(iterations, c=5, expansion="ordered", seed=0).search(model).tree()
    positions, num_ordered = [model.clone()], 0
    for index, row in enumerate(rows):
        if index:
            positions.append(reached(positions[row["parent"]], [row["action"]]))
        if row["player"] >= 0:
            tried = rows["action"][rows["parent"] == index]
            assert tried.tolist() == list(positions[index].ordered_actions()[: len(tried)])
            num_ordered += len(tried) > 1
    assert num_ordered > 0


@pytest.mark.parametrize(
    ("urgency", "num_tried"), [(0.5 - 1e-9, 1), (0.5, 3), (0.6, 3), (-5, 1), (0, 1)]
)
def test_the_urgency_is_what_a_child_must_exceed(urgency, num_tried):
    game = Lottery((0.5,), (0.5,), (0.5,))
    options = {"tree_policy": "greedy", "first_play_urgency": urgency, "seed": 0}
    visits = MCTS(100, **options).search(game).visits
    assert np.sum(visits > 0) == num_tried


# --- The solver ---

PROVER = {"solver": True, "tree_policy": "epsilon-greedy(epsilon=1)"}


@pytest.mark.parametrize("max_return", [None, 1])
@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.slow(keep="1$")
def test_proven_values_are_those_of_brute_force(num_players, max_return):
    """With any budget, and with little left to prove: all of them with enough iterations."""
    for seed, iterations in itertools.product(range(40), [10, 60, 10**5]):
        model = random_tree(num_players, seed)
        result = MCTS(iterations, seed=0, max_return=max_return, **PROVER).search(model)
        values = solve(model)[0]
        assert result.is_proven >= (iterations == 10**5)
        if result.is_proven:
            assert result.value == pytest.approx(values[result.player], abs=1e-9)
            assert result.iterations < 10**5
            worth = solve(next(children(model, [result.action])))[0][result.player]
            assert worth == pytest.approx(values[result.player], abs=1e-9)


@pytest.mark.parametrize(
    "options",
    [
        {"tree_policy": "rave"},
        {"tree_policy": "boltzmann(temperature=2)", "rollouts": 2},
        {"widening": (1, 0.6), "expansion": "ordered"},
        {"chance_backup": "sampled"},
        {"rollout_policy": "greedy", "resample_terminals": False},
        {"first_play_urgency": 0.2, "tree_policy": "epsilon-greedy(epsilon=0.9)"},
        {"max_nodes": 300, "c": 20},
    ],
    ids=repr,
)
def test_proofs_are_right_with_other_options(options):
    num_proven = 0
    for seed in range(20):
        model = random_tree(1 + seed % 2, seed)
        result = MCTS(2000, solver=True, max_return=1, seed=0, **options).search(model)
        if result.is_proven:
            num_proven += 1
            assert result.value == pytest.approx(solve(model)[0][result.player], abs=1e-9)
    assert num_proven > 0


def test_the_bound_on_returns_saves_iterations():
    models = [random_tree(2, seed, -0.5, 0.5) for seed in range(40)]
    free, bounded = (
        [MCTS(10**5, max_return=x, seed=0, **PROVER).search(m).iterations for m in models]
        for x in (None, 0.5)
    )
    assert sum(bounded) < 0.7 * sum(free)


def test_nothing_is_proven_in_a_tree_that_is_full():
    results = [
        MCTS(20_000, max_nodes=count, seed=0, **PROVER).search(Dice(5, rolls=1))
        for count in (3, 8, 13, 100)
    ]
    assert [result.is_proven for result in results] == [False, False, False, True]
    assert not MCTS(20_000).search(TicTacToe("XX.OO....")).is_proven  # no solver was asked for


@pytest.mark.parametrize("num_players", [1, 2])
def test_random_returns_are_proven_as_expectations(num_players):
    model = FopModel("f2", 3, 0.05, 1, num_players)
    result = MCTS(10**5, seed=0, **PROVER).search(model)
    assert result.is_proven
    assert result.value == pytest.approx(solve(model)[0][0], abs=1e-12)
    assert [result.action] == solve(model)[1]


def test_a_draw_is_proven_in_as_many_iterations_as_the_game_has_positions():
    model = TicTacToe("X...O....")
    result = MCTS(13_700, solver=True, seed=0).search(model)  # 7! * e ways to go on
    assert (result.is_proven, result.value) == (True, 0)


@pytest.mark.parametrize("planner", [MCTS(9, solver=True), StarMinimax(3)])
def test_returns_of_two_players_that_do_not_sum_to_zero_are_refused(planner):
    end = Node(TERMINAL, (1.0, 0.5))
    with pytest.raises(ValueError, match=r"sum to 0 for two players, got 1\.0 and 0\.5"):
        planner.search(GameTree(Node(0, (0.0, 0.0), (end, end))))


def test_returns_above_the_highest_are_refused():
    planner = MCTS(100, solver=True, max_return=0, seed=2)
    with pytest.raises(
        ValueError, match=r"max_return must be .* 0\.0, but TicTacToe.* returns 1\.0"
    ):
        planner.search(TicTacToe("..XO.X.XO"))


# --- Names, copies, seeds ---


class Closure(MCTS):
    """Its tree policy cannot be pickled."""

    def make_tree_policy(self):
        return FunctionPolicy(lambda means, visits, priors, parent_visits: means)


def test_copies_of_planners_make_the_tree_policy_anew():
    planner = Closure(20, seed=0)
    twin = pickle.loads(pickle.dumps(planner))
    assert twin.search(TicTacToe()).visits.tolist() == planner.search(TicTacToe()).visits.tolist()


def test_options_can_be_replaced_and_are_checked_when_they_are_set():
    planner = replace(replace(MCTS(20, c=1), rollouts=2), c=2)
    assert repr(planner.make_tree_policy()) == repr(MCTS(c=2).make_tree_policy())
    assert (planner.iterations, planner.rollouts) == (20, 2)
    for one, name in ((planner, "iterations"), (EAMCTS(), "offspring"), (Expectimax(), "depth")):
        with pytest.raises(ValueError, match=f"{name} must be an integer in .* got 0"):
            setattr(one, name, 0)
    planner.iterations = 30.0
    assert planner.search(TicTacToe()).iterations == 30
    planner.c = 3
    assert "3" in planner.search(TicTacToe()).tree_policy
    planner.rollout_policy = "win"
    planner.search(opening())
    assert type(planner.rollout_policy) is type(rollout_policy_of("win"))
    planner.rollout_policy, planner.solver, planner.trees = "uniform", True, 4
    with pytest.raises(ValueError, match="the solver needs trees=1, got 4"):
        planner.search(TicTacToe())


class Wide(TicTacToe):
    """Returns that lie far apart, as planners are told."""

    return_spread = 50


def test_exploration_adapts_to_the_returns_of_the_game(monkeypatch):
    planner = MCTS(3, seed=0)
    for model, spread in ((TicTacToe(), 1), (opening(), 10 / 593), (Wide(), 50)):
        shown = f"UCB1(c={exact(math.sqrt(2) * spread)}, "
        assert planner.search(model).tree_policy.startswith(shown)
    assert repr(planner) == "mcts(iterations=3)"
    given = MCTS(3, tree_policy="ucb1(c=1)", seed=0).search(Wide())
    assert given.tree_policy.startswith("UCB1(c=1, ")
    for policy in (UCB1(), pickle.loads(pickle.dumps(UCB1()))):
        assert policy.c is None
    wins = MCTS(3, rollout_policy="win", seed=0).search(opening())  # returns are 1, 0 and -1
    assert wins.tree_policy.startswith(f"UCB1(c={exact(math.sqrt(2))}, ")
    monkeypatch.setattr(Wide, "return_spread", -1)
    with pytest.raises(ValueError, match=r"return_spread must be .* \[0, inf\), got -1"):
        planner.search(Wide())


def test_secure_takes_the_returns_of_rollouts():
    """With "win" they lie in [-1, 1], and the default margin is 1, whatever the game's spread."""
    options = {"rollout_policy": "win", "c": 1.0}
    actions = [
        [MCTS(60, recommendation=rule, seed=seed, **options).act(opening()) for seed in range(30)]
        for rule in ("secure", "secure(margin=1)", "max")
    ]
    assert actions[0] == actions[1] != actions[2]


class Tall(TicTacToe):
    """The same game with returns 64 times as high, which floats multiply without an error."""

    return_spread = 64

    def returns(self) -> tuple[float, ...]:
        return tuple(64 * value for value in super().returns())


@pytest.mark.parametrize(
    "options",
    [
        *({"tree_policy": name} for name in ("ucb1", "ucb1-tuned", "boltzmann", "puct")),
        {"recommendation": "secure"},
        {"evaluator": lambda models: [model.returns() for model in models], "batch_size": 8},
    ],
)
def test_a_search_is_the_same_in_a_game_of_other_units(options):
    for seed in range(5):
        here, there = (MCTS(200, seed=seed, **options).search(it) for it in (TicTacToe(), Tall()))
        assert here.action == there.action
        assert here.visits.tolist() == there.visits.tolist()
        assert (64 * here.values == there.values).all()


TREE_POLICIES = """
    decaying-ucb1(c=2) | UCB1(c=2, form='Q + C*sqrt(ln(N)/n)', is_decaying=True)
    ucb1(c=1, form='Q + 2*C*sqrt(ln(N)/n)')
        | UCB1(c=1, form='Q + 2*C*sqrt(ln(N)/n)', is_decaying=False)
     ucb1-tuned ( c = 1 , scale=2.5 )  | UCB1Tuned(c=1, scale=2.5)
    ucb1-tuned | UCB1Tuned(c=None, scale=None)
    greedy | EpsilonGreedy(epsilon=0, is_decaying=False)
    epsilon-greedy(epsilon=0.1) | EpsilonGreedy(epsilon=0.1, is_decaying=False)
    decaying-epsilon-greedy | EpsilonGreedy(epsilon=1, is_decaying=True)
    boltzmann(temperature=2) | Boltzmann(temperature=2)
    heuristic | HeuristicPolicy()
    rave(c=0.2, equivalence=30) | RAVE(c=0.2, equivalence=30)
    puct | PUCT(c=None)
    puct(c=0.123456789) | PUCT(c=0.123456789)
    Q + sqrt(N/n) | FormulaPolicy(Formula('Q + sqrt(N/n)'), opponent='negate_q')
    Q_max + sd/n | FormulaPolicy(Formula('Q_max + sd/n'), opponent='negate_q')
"""
ROLLOUT_POLICIES = """
    uniform | RolloutPolicy()
    win | WinRollout()
    greedy | GuidedRollout(epsilon=0, max_moves=None, heuristic=None, final=None)
    greedy(heuristic=vs, max_moves=2, final=s)
        | GuidedRollout(epsilon=0, max_moves=2, heuristic='vs', final='s')
    epsilon-greedy | GuidedRollout(epsilon=0.1, max_moves=None, heuristic=None, final=None)
    truncated(max_moves=6, heuristic='s')
        | GuidedRollout(epsilon=1, max_moves=6, heuristic='s', final=None)
    direct | GuidedRollout(epsilon=1, max_moves=0, heuristic=None, final=None)
    ordered | OrderedRollout(epsilon=0)
    game(name=meeple, parameter=1) | GameRollout(name='meeple', parameter=1)
"""


def named(policies: str) -> Any:
    """Parametrises a test by the rows of a table."""
    rows = policies.replace("\n        |", " |").strip("\n").splitlines()
    return pytest.mark.parametrize(("text", "shown"), [row[4:].split(" | ") for row in rows])


@named(TREE_POLICIES)
def test_tree_policies_as_text(text, shown):
    assert repr(MCTS(tree_policy=text).make_tree_policy()) == shown
    assert_copies_are_the_same(tree_policy_of(text, None), shown, "tree_policy")


def test_trees_have_details_unless_the_policy_reads_none():
    """A policy that says nothing gets them: to read what is not there would crash."""
    assert TreePolicy().needs_details
    reading = {name for name in names.TREE_POLICIES if tree_policy_of(name, None).needs_details}
    assert reading == {"ucb1-tuned", "heuristic", "rave"}
    for policy in ("Q", max):
        assert not tree_policy_of(policy, None).needs_details


@named(ROLLOUT_POLICIES)
@pytest.mark.slow(keep="^(greedy-|[^eg]|game)")
def test_rollout_policies_as_text(text, shown):
    assert repr(MCTS(rollout_policy=text).rollout_policy) == shown
    assert_copies_are_the_same(rollout_policy_of(text), shown, "rollout_policy")


def assert_copies_are_the_same(policy: Any, shown: str, option: str) -> None:
    model = opening()
    expected = MCTS(150, seed=0, **{option: policy}).search(model).tree()
    for twin in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert type(twin) is type(policy)
        assert repr(twin) == shown
        twins = MCTS(150, seed=0, **{option: twin}).search(model)
        np.testing.assert_array_equal(twins.tree(), expected)


OPTIONS: list[dict[str, Any]] = [
    *(
        {"tree_policy": name}
        for name in (
            *("decaying-ucb1", "ucb1-tuned", "greedy", "epsilon-greedy", "decaying-epsilon-greedy"),
            *("boltzmann", "heuristic", "rave"),
        )
    ),
    *(
        {"rollout_policy": name}
        for name in (
            *("win", "greedy", "epsilon-greedy", "truncated(max_moves=1)", "direct"),
            "game(name=meeple)",
        )
    ),
    {"expansion": "ordered"},
    {"evaluator": "afterstates(heuristic=outlook)"},
    {"chance_selection": "stratified"},
    {"first_play_urgency": 0.0},
    {"widening": (1, 0.5)},
    {"solver": True},
]
TOGETHER: list[dict[str, Any]] = [
    {"tree_policy": "rave", "widening": (2, 0.4), "expansion": "ordered"},
    {"tree_policy": "ucb1-tuned", "first_play_urgency": 0.1, "rollout_policy": "truncated"},
    {"tree_policy": "heuristic", "heuristic": "vs", "widening": (1, 0.5), "rollouts": 2},
    {
        "tree_policy": "boltzmann",
        "rollout_policy": "epsilon-greedy(heuristic=vs)",
        "solver": True,
        "max_return": 1,
    },
    {"rollout_policy": "game(name=meeple)", "rollouts": 3, "first_play_urgency": 0, "c": 0.01},
    {
        "tree_policy": "puct",
        "evaluator": "afterstates(temperature=0.1)",
        "widening": (2, 0.5),
        "chance_selection": "stratified",
    },
]


@pytest.mark.parametrize("options", OPTIONS + TOGETHER, ids=repr)
def test_the_seed_decides_the_tree_with_every_option(options):
    def tree(seed, **options):
        return MCTS(120, seed=seed, **options).search(late(2, 0)).tree()

    np.testing.assert_array_equal(tree(5, **options), tree(5, **options))
    assert not np.array_equal(tree(5, **options), tree(6, **options))
    assert options == {"solver": True} or not np.array_equal(tree(5, **options), tree(5))


@pytest.mark.parametrize("options", OPTIONS + TOGETHER, ids=repr)
@pytest.mark.parametrize("max_nodes", [2, 60])
@pytest.mark.slow(keep="^60")
def test_options_go_together_in_full_trees(options, max_nodes):
    for model in (opening(), late(2, 0, two_step=True), late(1, 1)):
        result = MCTS(200, max_nodes=max_nodes, seed=0, **options).search(model)
        assert result.search_tree.num_nodes <= max_nodes
        assert result.visits.sum() == result.iterations
        assert result.iterations == 200 or result.is_proven
        assert model.is_legal(result.action)
        assert np.isfinite(result.tree()["mean"]).all()


# --- Chance ---


def visits_of_outcomes(selection: str, model: ForwardModel) -> list[tuple[float, float]]:
    """(visits, expected visits) of each outcome below the chance nodes of a tree."""
    rows = MCTS(2000, chance_selection=selection, seed=0).search(model).tree()
    pairs = []
    for index in np.flatnonzero(rows["player"] == CHANCE):
        below = rows[rows["parent"] == index]
        total = below["visits"].sum()
        pairs += [(row["visits"], row["probability"] * total) for row in below]
    return pairs


@pytest.mark.parametrize("model", [Dice(), late(4, 0)], ids=repr)
def test_stratified_outcomes_are_visited_as_often_as_expected(model):
    pairs = visits_of_outcomes("stratified", model)
    assert len(pairs) > 20
    assert all(visits < expected + 2 for visits, expected in pairs)
    assert any(visits > expected + 2 for visits, expected in visits_of_outcomes("sampled", model))


# --- Refusals ---


def judge(model: ForwardModel) -> list[float]:
    return [0.0] * model.num_players


BAD: list[tuple[dict[str, Any], str]] = [
    ({"iterations": 2**32}, "iterations must be"),
    *(({"c": x}, f"c must be .* got {x}") for x in (-1, math.nan, math.inf)),
    ({"c": 1, "tree_policy": UCB1(2)}, r"c=1 has no effect beside tree_policy=UCB1\(c=2"),
    ({"tree_policy": "uct"}, "tree_policy must be .* got 'uct'"),
    ({"rollout_policy": "greed"}, "rollout_policy .* 'greed'; .*'greedy'. Known are uniform"),
    ({"chance_backup": "mean"}, "chance_backup must be .* got 'mean'"),
    ({"recommendation": "most"}, "got 'most'.* Known are robust, robust-random, max, "),
    ({"recommendation": "secure(margin=-1)"}, "margin must be"),
    ({"recommendation": "max(margin=1)"}, "'max' has no option 'margin'"),
    ({"recommendation": None}, "recommendation must be text, got None"),
    *(
        ({"first_play_urgency": x}, f"first_play_urgency must be a finite number, got {x!r}")
        for x in (math.nan, math.inf, "1", True)
    ),
    ({"widening": 2}, r"widening must be \(k, alpha\), got 2"),
    *(({"widening": (k, 0.5)}, rf"k of widening must .* got {k}") for k in (0, -1, math.inf)),
    *(({"widening": (1, a)}, rf"alpha of widening .* \[0, 1\], got {a}") for a in (-0.1, 1.1)),
    ({"max_return": 1}, "max_return=1 has no effect without solver=True"),
    *(({"max_return": x}, f"max_return must be .* got {x}") for x in (math.nan, math.inf)),
    ({"expansion": "best"}, "expansion must be one of .*'ordered'.* got 'best'"),
    ({"solver": "yes"}, "solver must be True or False, got 'yes'"),
    ({"tree_policy": "ucb1(d=1)"}, "'ucb1' has no option 'd'; its options are: c, form"),
    ({"tree_policy": "ucb1(form=UCT)"}, "form must be one of .* got 'UCT'"),
    ({"tree_policy": "ucb1(c=2)", "c": 1}, "option 'c' is given twice, also as 1"),
    ({"tree_policy": "rave(c=-1)"}, "c must be .* got -1"),
    ({"tree_policy": "rave(equivalence=0)"}, "equivalence must be .* got 0"),
    ({"tree_policy": "ucb1-tuned(scale=0)"}, "scale must be .* got 0"),
    ({"tree_policy": "epsilon-greedy(epsilon=2)"}, "epsilon must be .* got 2"),
    ({"tree_policy": "puct(c=-1)"}, r"c must be a finite number in \[0, inf\), got -1"),
    ({"tree_policy": "boltzmann(temperature=0)"}, "temperature must be .* got 0"),
    ({"tree_policy": "boltzmann", "c": 1}, "c=1 has no effect beside"),
    ({"tree_policy": RolloutPolicy()}, "must be text, a Formula, a TreePolicy or a function of"),
    *(
        ({"tree_policy": "rave", option: x}, f"RAVE.* needs uniform rollouts, .*={shown}")
        for option, x, shown in (
            ("rollout_policy", "direct", "GuidedRoll"),
            ("rollout_policy", "win", "WinRoll"),
            ("evaluator", judge, "<func"),
            ("evaluator", "afterstates", "'afterstates'"),
        )
    ),
    ({"heuristic": "s"}, "heuristic='s' has no effect beside UCB1"),
    ({"rollout_policy": "greedy(epsilon=0)"}, "no option 'epsilon'; .*: heuristic"),
    ({"rollout_policy": "epsilon-greedy(epsilon=-1)"}, "epsilon must be .* got -1"),
    ({"rollout_policy": "truncated(max_moves=-1)"}, "max_moves must be .* got -1"),
    ({"rollout_policy": "greedy(final=s)"}, "final='s' has no effect without max_moves"),
    *(
        ({"rollout_policy": f"ordered(epsilon={x})"}, "epsilon must be .* got")
        for x in (-0.1, 1.1, "much")
    ),
    ({"rollout_policy": "game(name=meeple, parameter=1.5)"}, "parameter must be .* got 1.5"),
    *(
        ({"rollout_policy": "win", option: x}, "so it needs solver=False and resample_terminals")
        for option, x in (("solver", True), ("resample_terminals", False))
    ),
    ({"rollout_policy": 7}, "rollout_policy must be text or a RolloutPolicy, got 7"),
    ({"rollout_policy": "game"}, "'game' is incomplete: missing a required argument: 'name'"),
    ({"chance_selection": "even"}, "chance_selection must be one of .* got 'even'"),
    # evaluators
    ({"evaluator": "rollouts"}, "evaluator must be .* afterstates"),
    ({"evaluator": "afterstates(depth=2)"}, "no option 'depth'; .*: heuristic, temperature"),
    *(
        ({"evaluator": f"afterstates(temperature={x})"}, f"temperature must .* got {x!r}")
        for x in (0, -1, "low", True)
    ),
    ({"evaluator": "afterstates", "batch_size": 8}, "needs batch_size=None, got 8"),
    *(({"evaluator": judge, "batch_size": x}, f"batch_size must be .* got {x}") for x in (0, 2.5)),
    *(
        ({"evaluator": judge, "batch_size": 2, "virtual_loss": x}, f"virtual_loss .* got {x}")
        for x in (-1, math.inf)
    ),
    ({"evaluator": judge, "virtual_loss": 2}, "virtual_loss=2 has no effect without batch_size"),
    ({"batch_size": 2}, "batch_size=2 has no effect without an evaluator"),
    *(
        ({"evaluator": judge, option: x}, f"an evaluator needs {option}={default}, got {x!r}")
        for option, x, default in [("rollouts", 2, 1), ("trees", 2, 1), ("solver", True, False)]
    ),
    ({"evaluator": judge, "rollout_policy": "greedy"}, "takes the place of .* got GuidedRollout"),
    ({"evaluator": judge, "expansion": "ordered"}, "priors that of .* Rollout.*'ordered'"),
    ({"evaluator": judge, "root_noise": 0.3}, r"root_noise must be \(share, alpha\), got 0.3"),
    ({"evaluator": judge, "root_noise": (1.5, 0.3)}, "share of root_noise must be .* got 1.5"),
    *(
        ({"evaluator": judge, "root_noise": (0.5, x)}, f"alpha of root_noise must be .* got {x}")
        for x in (0, 2e6)
    ),
    ({"root_noise": (0.5, 1)}, "root_noise=.* has no effect without an evaluator"),
    ({"evaluator": judge, "root_noise": (0.5, 1), "reuse_tree": True}, "needs reuse_tree=F"),
    # several trees, kept trees, phases
    ({"trees": 3, "iterations": 2}, "trees must not outnumber the iterations"),
    ({"vote": "loudest"}, "vote must be one of"),
    ({"vote": "majority"}, "vote='majority' has no effect with one tree"),
    ({"determinize": None}, "determinize must be True or False"),
    ({"reuse_tree": "yes"}, "reuse_tree must be True or False"),
    ({"reuse_tree": True, "determinize": True}, "determinize=False"),
    ({"trees": 2, "solver": True}, "the solver needs trees=1, got 2"),
    ({"phases": 3, "trees": 2}, "phases=3 needs trees=1, got 2"),
    ({"phases": 3, "solver": True}, "phases=3 needs solver=False, got True"),
    ({"phases": 3, "reuse_tree": True}, "phases=3 needs reuse_tree=False, got True"),
]
"""Options, and what is said of them; those that other planners have are in `test_planners`."""


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_bad_options_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        MCTS(**arguments)


def test_evaluators_and_functions_are_callable():
    with pytest.raises(TypeError, match=r"evaluator must be .* or a function of a model, got 7"):
        MCTS(evaluator=7)
    with pytest.raises(TypeError, match="function must be callable, got 3"):
        FunctionPolicy(3)


@pytest.mark.parametrize(
    ("model", "arguments", "message"),
    [
        (
            opening(),
            {"tree_policy": "heuristic", "heuristic": "outlok"},
            "heuristic must be one of .* got 'outlok'; did you mean 'outlook'?",
        ),
        (TicTacToe(), {"tree_policy": "heuristic"}, "TicTacToe has no heuristics"),
        (opening(), {"tree_policy": "heuristic", "heuristic": "x"}, "'outlook'.*, got 'x'"),
        (TicTacToe(), {"evaluator": "afterstates"}, "TicTacToe has no heuristics"),
        (opening(), {"evaluator": "afterstates(heuristic=x)"}, "'outlook'.*, got 'x'"),
        (TicTacToe(), {"rollout_policy": "greedy"}, "TicTacToe has no heuristics"),
        (
            opening(),
            {"rollout_policy": "direct(heuristic=x)"},
            r"\('s', 'vs', 'outlook', 'forecast', 'value'\), got 'x'",
        ),
        (opening(), {"rollout_policy": "game(name=x)"}, r"one of \('meeple',\), .* got 'x'"),
        (TicTacToe(), {"rollout_policy": "game(name=meeple)"}, r"one of \(\), .* got 'meeple'"),
        (ThreePlayers(), {"solver": True}, "solver is for one or two players, got a game of 3"),
    ],
)
def test_options_must_fit_the_game(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        MCTS(10, **arguments).search(model)
