"""Expectimax and *-minimax: the values of brute force, from few positions, within the budget."""

from __future__ import annotations

import itertools
import math
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from zlib import crc32

import numpy as np
import pytest

from agents import (
    CHANCE,
    MCTS,
    TERMINAL,
    Expectimax,
    ForwardModel,
    Rng,
    StarMinimax,
)
from agents.lookahead.expectimax import ExpectimaxSearch
from agents.lookahead.planner import LookaheadAgent, LookaheadResult
from agents.lookahead.star_minimax import StarSearch
from agents.testing import perft
from alone import run_alone
from carcassonne_env import CarcassonneModel
from games import (
    Bandit,
    Corridor,
    Dice,
    Fickle,
    GameTree,
    Node,
    Stairs,
    ThreePlayers,
    TicTacToe,
    children,
    random_tree,
    reached,
    solve,
    trap,
)
from models import advance
from playing import late, opening

TILES = {"D": 1, "A": 1, "E": 3, "V": 1}
POSITIONS = {
    "one player": late(2, 0, 1, 3, TILES, board_size=3),
    "two players": late(2, 0, 2, 1, TILES),
    "two steps": late(2, 0, 2, 3, TILES, two_step=True),
    "known order": late(2, 0, 2, 3, TILES, True, 0),
    "discards": late(4, 0, 2, 1, {"D": 1, "A": 1, "C": 2, "E": 2}, board_size=3),
}
MORE_POSITIONS = POSITIONS | {
    "three players": late(2, 0, 3, 2, {"D": 2, "E": 4}, board_size=3),
    "three players, one meeple": late(2, 0, 3, 1, TILES, board_size=3),
}
KINDS = [Expectimax, StarMinimax]
Kind = type[LookaheadAgent]
kinds = pytest.mark.parametrize("kind", KINDS)


def estimate(model: ForwardModel, player: int) -> float:
    """Any number, different for each player."""
    return crc32(f"{model!r}{player}".encode()) / 2**32


# --- Expectimax ---


def assert_is_brute_force(
    model: ForwardModel, depth: int, heuristic: str | Callable[[ForwardModel, int], float]
) -> None:
    def estimated(model: ForwardModel, player: int) -> float:
        named = isinstance(heuristic, str)
        return model.heuristic(player, heuristic) if named else heuristic(model, player)

    result = Expectimax(depth, heuristic).search(model)
    after = children(model, model.legal_actions())
    values = [solve(child, depth - 1, estimated)[0][model.current_player()] for child in after]
    np.testing.assert_array_equal(result.actions, model.legal_actions())
    np.testing.assert_allclose(result.values, values, rtol=0, atol=1e-12)
    assert result.are_exact.all()
    assert result.value == result.values.max() == result.values[result.actions == result.action]
    assert (result.player, result.depth) == (model.current_player(), depth)


@pytest.mark.parametrize("num_players", [1, 2, 3])
def test_expectimax_is_brute_force_in_random_trees(num_players):
    for seed, depth in itertools.product(range(25), [1, 2, 3, 9]):
        assert_is_brute_force(random_tree(num_players, seed), depth, "estimate")


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize(
    ("model", "heuristic"),
    [
        *(
            (model, estimate)
            for model in (TicTacToe("X...O...."), Dice(2, player=1), ThreePlayers())
        ),
        *itertools.product(MORE_POSITIONS.values(), ["s", "vs"]),
    ],
)
def test_expectimax_is_brute_force_in_games(model, heuristic, depth):
    assert_is_brute_force(model, depth, heuristic)


@kinds
def test_draws_that_are_repeated_are_left_out(kind):
    """On a board that one action nearly closes, orders of tiles that fit nowhere are too many."""
    model = CarcassonneModel()
    for action in [20, 373222, 22, 373269, 21]:
        model.apply_action(action)
    closing = model.clone()
    closing.apply_action(378426)
    drawn = children(closing, closing.chance_outcomes()[0])
    assert sum(child.is_chance_node() for child in drawn) == 6
    assert kind(2, "vs").search(model).nodes < 100_000


# --- *-minimax ---

clipping = pytest.mark.filterwarnings("ignore:.* values lay outside:RuntimeWarning")


def assert_agree(star: LookaheadResult, full: LookaheadResult) -> None:
    """*-minimax chooses as expectimax would, from no more nodes, and what it tells is true."""
    assert star.value == pytest.approx(full.value, abs=1e-9)
    assert full.values[full.actions == star.action] == pytest.approx(full.value, abs=1e-9)
    is_exact = np.abs(star.values - full.values) < 1e-9
    assert np.all(is_exact[star.are_exact])
    assert np.all(star.values > full.values - 1e-9)
    assert np.all(star.values[~star.are_exact] < star.value)
    assert star.nodes <= full.nodes
    assert star.positions <= full.positions


@clipping
@pytest.mark.parametrize("probing_factor", [0, 1, 4])
@pytest.mark.parametrize(("lower", "upper"), [(-1, 1), (-0.3, 0.6)])
@pytest.mark.parametrize("num_players", [1, 2])
@pytest.mark.slow(keep="0.3-0.6-1")
def test_star_minimax_is_expectimax_in_random_trees(num_players, lower, upper, probing_factor):
    cutoffs: Counter[str] = Counter()
    for seed, depth in itertools.product(range(30), [1, 2, 3, 9]):
        agent = StarMinimax(depth, None, lower, upper, probing_factor)
        star = agent.search(random_tree(num_players, seed))
        full = Expectimax(depth).search(random_tree(num_players, seed, lower, upper))
        assert_agree(star, full)
        cutoffs.update(star.cutoffs)
    assert min(cutoffs["decision"], cutoffs["chance"]) > 20
    assert cutoffs["probing"] > 20 or probing_factor == 0


@pytest.mark.parametrize("probing_factor", [0, 1, 4])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("model", POSITIONS.values(), ids=POSITIONS)
def test_star_minimax_is_expectimax_in_carcassonne(model, depth, probing_factor):
    star = StarMinimax(depth, "vs", probing_factor=probing_factor).search(model)
    assert_agree(star, Expectimax(depth, "vs").search(model))


@clipping
@pytest.mark.parametrize("probing_factor", [0, 1, 4])
@pytest.mark.parametrize("model", POSITIONS.values(), ids=POSITIONS)
def test_values_are_moved_into_the_bounds(model, probing_factor):
    """Two decisions ahead, where the game is not over yet."""
    searcher, lower, upper = model.current_player(), -0.01, 0.02

    def moved(model, player):
        value = min(max(model.heuristic(searcher, "vs"), lower), upper)
        return value if player == searcher else -value

    star = StarMinimax(2, "vs", lower, upper, probing_factor).search(model)
    assert_agree(star, Expectimax(2, moved).search(model))


def test_without_chance_star_minimax_is_alpha_beta():
    model = TicTacToe("X...O....")
    star, full = StarMinimax(7).search(model), Expectimax(7).search(model)
    assert full.nodes == sum(perft(model, depth) for depth in range(1, 8))
    assert star.nodes < full.nodes / 4
    assert_agree(star, full)
    assert star.cutoffs == {"decision": star.cutoffs["decision"], "chance": 0, "probing": 0}


def test_good_actions_first_save_positions():
    """Of the four columns, all are looked at in two rows of three, or in one."""
    assert StarMinimax(2).search(trap(looks=(-1, 0, 1))).positions == 4 + 4 + 1
    assert StarMinimax(2).search(trap(looks=(0, 1, 0))).positions == 4 + 1 + 1


def test_values_outside_the_bounds_are_reported():
    with pytest.warns(RuntimeWarning, match=r"1 of 3 values lay outside .* \[-1, 0.5\]"):
        result = StarMinimax(upper=0.5).search(Bandit(0.2, 0.9, 0.5))
    assert result.num_clipped == 1
    assert result.values.tolist() == [0.2, 0.5, 0.5]
    assert StarMinimax().search(Bandit(0.2, 0.9, 0.5)).num_clipped == 0
    assert Expectimax().search(Bandit(2, -2)).num_clipped == 0


# --- The choice ---


@kinds
def test_ties_are_drawn_at_random(kind):
    model = Bandit(0.5, 0.2, 0.5, 0.1, 0.5)
    counts = np.bincount([kind(seed=seed).act(model) for seed in range(900)])
    assert counts[[1, 3]].sum() == 0
    from scipy import stats  # which the processes of this file need not import

    assert stats.chisquare(counts[[0, 2, 4]]).pvalue > 1e-4
    agents = [kind(seed=seed) for seed in (7, 7, 8)]
    first, twin, other = ([agent.act(model) for _ in range(50)] for agent in agents)
    assert first == twin != other


@kinds
def test_values_that_differ_by_a_rounding_are_ties(kind):
    assert 0.1 + 0.2 != 0.3
    for model in (Bandit(0.1 + 0.2, 0.3, 0.3 - 1e-9), Bandit(0.3 - 1e-9, 0.3, 0.1 + 0.2)):
        actions = {kind(seed=seed).act(model) for seed in range(50)}
        assert actions == set(np.flatnonzero(model.arms > np.float64(0.3 - 1e-10)))


@kinds
def test_the_only_action_is_searched_no_further(kind):
    for options in ({"depth": 3}, {"time_limit": 60}):
        result = kind(heuristic=estimate, **options).search(Corridor(5))
        (after,) = children(Corridor(5), [0])
        assert (result.action, result.value) == (0, estimate(after, 0))
        assert (result.depth, result.nodes, result.positions) == (1, 1, 1)


def search_long_lines(kind: Kind) -> None:
    """Thousands of outcomes in a row, then as many decisions as can be asked for."""
    assert kind(2).search(Stairs(5000)).value == 1
    with pytest.raises(RecursionError, match="a line of 5000 actions and outcomes"):
        kind(2).search(Stairs(5001))
    assert kind(1000).search(Corridor(1000)).value == 1


def search_in_a_small_thread() -> None:
    threading.stack_size(256 * 1024)  # half of what macOS gives its threads
    with ThreadPoolExecutor(1) as pool:
        list(pool.map(search_long_lines, KINDS))


def search_wide_game() -> None:
    """5 * num_actions is 4 in 32 bits."""
    leaves = tuple(Node(TERMINAL, (x, -x)) for x in (-1, 0.5, 1, 0.5))
    root = Node(0, (0, 0), (Node(CHANCE, (0, 0), leaves, (0.1, 0.4, 0.1, 0.4)),) * 2)
    model = GameTree(root, num_actions=858_993_460)
    for kind in KINDS:
        try:
            assert kind(2, None).search(model).value == pytest.approx(0.4)
        except MemoryError as error:
            assert "up to 858993460 actions" in str(error)  # noqa: PT017


# --- Heuristics ---


def test_a_function_is_asked_for_the_views_that_count():
    views = set()

    def virtual_score(model, player):
        views.add(player)
        return model.heuristic(player, "vs")

    for kind, name, expected in [
        (Expectimax, "three players", {0, 1, 2}),
        (StarMinimax, "two players", {POSITIONS["two players"].current_player()}),
    ]:
        views.clear()
        results = [kind(2, how).search(MORE_POSITIONS[name]) for how in (virtual_score, "vs")]
        np.testing.assert_array_equal(results[0].values, results[1].values)
        assert views == expected


@kinds
def test_the_first_heuristic_is_the_default(kind):
    model = POSITIONS["discards"]
    values = [kind(2, heuristic).search(model).values for heuristic in (None, "s", "vs")]
    np.testing.assert_array_equal(values[0], values[1])
    assert not np.array_equal(values[1], values[2])


class HeuristicError(Exception):
    """Raised by a heuristic."""


@kinds
@pytest.mark.parametrize("model", [opening(), TicTacToe()], ids=["compiled", "Python"])
def test_errors_of_a_heuristic_reach_the_caller(kind, model):
    calls = itertools.count()

    def troubled(model, player):
        if next(calls) == 50:
            raise HeuristicError("in the fiftieth call")
        return 0

    with pytest.raises(HeuristicError, match="in the fiftieth call"):
        kind(3, troubled).search(model)


@kinds
def test_heuristics_are_floats(kind):
    with pytest.raises(TypeError, match="the heuristic must return a float, got None for"):
        kind(2, lambda model, player: None).search(opening())


@kinds
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_heuristics_are_finite(kind, value, monkeypatch):
    with pytest.raises(ValueError, match=f"the heuristic must be finite, got {value}"):
        kind(2, lambda model, player: value).search(opening())
    monkeypatch.setattr(GameTree, "heuristic", lambda self, player, kind: value)
    with pytest.raises(ValueError, match=f"heuristics must be finite, got .*{value}"):
        kind(2).search(random_tree(2, 0))


# --- The order of actions ---


@pytest.mark.parametrize("two_step", [False, True])
@pytest.mark.parametrize("num_players", [1, 5])
def test_carcassonne_orders_actions_by_touched_tiles_and_meeples(num_players, two_step):
    model, rng = CarcassonneModel(num_players, 7, two_step=two_step, board_size=11), Rng(0)
    promises: list[tuple[int, bool]] = []
    while not model.is_terminal():
        cells = {(tile.x, tile.y) for tile in model.board}
        actions, promises_here = model.ordered_actions(), []
        for x, y, _, target in map(model.decode_action, actions):
            touched = cells & {(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}
            promises_here.append((len(touched), target is not None))
        assert promises_here == sorted(promises_here, reverse=True)
        np.testing.assert_array_equal(np.sort(actions), model.legal_actions())
        promises += promises_here
        advance(model, rng)
    assert {touched for touched, _ in promises} == {1, 2, 3, 4}


# --- Budgets ---

budgeted = pytest.mark.parametrize(
    "model", [POSITIONS["one player"], POSITIONS["two players"], random_tree(2, 0)], ids=repr
)


@kinds
@budgeted
@pytest.mark.parametrize("max_positions", [1, 20, 300, 2500])
def test_max_positions_are_not_exceeded(kind, model, max_positions):
    """But by the search to depth 1, which values every action once."""
    result = kind(max_positions=max_positions).search(model)
    if not result.is_complete:
        assert result.positions == max(max_positions, len(result.actions))


@kinds
@budgeted
def test_a_budget_buys_whole_searches(kind, model):
    for depth in (1, 2, 3):
        deepest = kind(depth, max_positions=10**9).search(model)
        result = kind(max_positions=deepest.positions).search(model)
        direct = kind(depth).search(model)
        assert result.depth == deepest.depth == depth
        assert result.is_complete == deepest.is_complete == direct.is_complete
        assert result.value == pytest.approx(direct.value, abs=1e-12)
        are_exact = result.are_exact & direct.are_exact
        np.testing.assert_allclose(result.values[are_exact], direct.values[are_exact], atol=1e-12)
        less = kind(max_positions=deepest.positions - 1).search(model)
        assert less.depth == max(1, depth - 1)
        assert less.value == pytest.approx(kind(less.depth).search(model).value, abs=1e-12)


@kinds
def test_deepening_ends_where_the_game_does(kind):
    model = POSITIONS["known order"]
    for options in ({"max_positions": 10**9}, {"time_limit": 60}):
        result = kind(**options).search(model)
        assert (result.depth, result.is_complete) == (3, True)
    assert not kind(2).search(model).is_complete
    assert kind(1000).search(model).value == pytest.approx(result.value, abs=1e-12)


# --- The line that is expected ---


def followed(model: ForwardModel, line: list[tuple[int, int]]) -> ForwardModel:
    """The position at the end of a line that is legal, with the likeliest outcomes of chance."""
    model = model.clone()
    for player, action in line:
        assert player == model.current_player() != TERMINAL
        if player == CHANCE:
            outcomes, probabilities = model.chance_outcomes()
            assert probabilities[list(outcomes).index(action)] == max(probabilities)
        else:
            assert model.is_legal(action)
        model.apply_action(action)
    return model


def num_decisions(line: list[tuple[int, int]]) -> int:
    return sum(player != CHANCE for player, _ in line)


def assert_expected_line(
    agent: LookaheadAgent, model: ForwardModel
) -> tuple[LookaheadResult, ForwardModel]:
    """Its result, and the position at the end of its line: so many decisions on, or at the end."""
    result = agent.search(model)
    line = agent.principal_variation(result)
    assert line[0] == (result.player, result.action)
    end = followed(model, line)
    assert num_decisions(line) == result.depth or end.is_terminal()
    assert not end.is_chance_node()
    assert agent.principal_variation(result) == line
    return result, end


@kinds
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("model", POSITIONS.values(), ids=POSITIONS)
def test_lines_are_as_deep_as_the_search(kind, depth, model):
    before = model.clone()
    result, _ = assert_expected_line(kind(depth, "vs", seed=0), model)
    assert model == result.model == before


def without_chance(num_players: int, seed: int) -> GameTree:
    """A random tree whose chance nodes are decisions of the first player."""

    def changed(node: Node) -> Node:
        player = 0 if node.player == CHANCE else node.player
        return Node(player, node.values, tuple(map(changed, node.children)))

    return GameTree(changed(random_tree(num_players, seed).node))


@kinds
@pytest.mark.parametrize("num_players", [1, 2, 3])
def test_lines_have_the_value_in_random_trees(kind, num_players):
    """Odd seeds: where there are ties, three players can expect more than one thing."""
    if kind is StarMinimax and num_players == 3:
        pytest.skip("for two players")
    for seed, depth in itertools.product(range(1, 40, 2), [1, 2, 3, 9]):
        model = without_chance(num_players, seed)
        result, end = assert_expected_line(kind(depth, "estimate"), model)
        assert end.node.values[result.player] == pytest.approx(result.value, abs=1e-12)


@kinds
def test_lines_go_through_the_likeliest_outcomes(kind):
    """The first die falls on 1, the second one too: the likeliest, though it ends the game."""
    for rolls in (1, 2, 3):
        agent = kind(5, lower=-5, upper=5) if kind is StarMinimax else kind(5)
        line = agent.principal_variation(agent.search(Dice(0, rolls)))
        assert line == [(0, Dice.ROLL), (CHANCE, 0), (CHANCE, 0)]
    for seed in range(60):
        assert_expected_line(kind(9, "estimate"), random_tree(2, seed))


def test_lines_heed_bounds_that_are_not_symmetric():
    """All returns of the first player are in [0, 1], those of the second in [-1, 0]."""
    rows = ((0.9, 0.8, 0.7, 0.3), (0.2, 0.2, 0.2, 0.2), (0.5, 0.5, 0.4, 0.6))
    replies = [tuple(Node(TERMINAL, (x, -x)) for x in row) for row in rows]
    model = GameTree(Node(0, (0, 0), tuple(Node(1, (0, 0), nodes) for nodes in replies)))
    agent = StarMinimax(2, None, 0, 1)
    assert agent.principal_variation(agent.search(model)) == [(0, 2), (1, 2)]


@kinds
def test_an_exceeded_budget_ends_the_line(kind):
    """After the first action there are more positions than the whole search of the root had."""
    leaf = Node(TERMINAL, (0.5, -0.5))
    many = Node(1, (0.5, -0.5), (Node(0, (0.5, -0.5), (leaf,) * 4),) * 4)
    model = GameTree(Node(0, (0, 0), (many, leaf)))
    agent = kind(3, "estimate")
    result = agent.search(model)
    assert num_decisions(agent.principal_variation(result)) in (1, 3)
    for action in (0, 1):
        chosen = replace(result, action=action)
        agent.max_positions = 2
        line = agent.principal_variation(chosen)
        assert line == [(0, action)]
        agent.max_positions = None
        assert num_decisions(agent.principal_variation(chosen)) == (1 if action else 3)


def test_lines_of_trees_are_those_of_the_results():
    for model in (opening(), TicTacToe(), Dice()):
        agent = MCTS(300, c=0.3, seed=0)
        result = agent.search(model)
        line = agent.principal_variation(result)
        assert line[0] == (0, result.action)
        assert line == result.search_tree.principal_variation((result.action,))
        if result.visits.tolist().count(result.visits.max()) == 1:
            assert line == result.principal_variation
        assert len(line) > 1
        reached(model, [action for _, action in line])  # is legal


# --- Refusals ---


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        *(
            ({"lower": x}, f"lower must be a finite .* got {x!r}")
            for x in (-math.inf, math.nan, "x")
        ),
        *(({"lower": x}, rf"upper must be .* in \({x}, inf\), got 1.0") for x in (1, 2)),
        *(({"upper": x}, rf"upper must be .* got {x!r}") for x in (-1, math.inf, math.nan, "x")),
        *(({"probing_factor": x}, f"probing_factor .* got {x}") for x in (-1, True, 0.5, 1001)),
    ],
    ids=repr,
)
def test_bad_bounds_and_probing_factors_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        StarMinimax(**arguments)


@pytest.mark.parametrize(("name", "value"), [("lower", 1), ("upper", -1), ("upper", math.nan)])
def test_bounds_that_are_set_later_are_checked_by_a_search(name, value):
    planner = StarMinimax(heuristic="vs")
    setattr(planner, name, value)
    with pytest.raises(ValueError, match=r"upper must be a finite number in \("):
        planner.search(POSITIONS["two players"])


@kinds
def test_the_game_and_the_heuristic_must_fit(kind):
    for game, heuristic, message in [
        (
            opening(),
            "best",
            r"formula or one of \('s', 'vs', 'outlook', 'forecast', 'value'\), got 'best'",
        ),
        (TicTacToe(), "s", r"heuristic must be a function, a formula or one of \(\), got 's'"),
        (TicTacToe(), None, "TicTacToe has no heuristics: give a function or formula"),
    ]:
        with pytest.raises(ValueError, match=message):
            kind(heuristic=heuristic).search(game)


def test_star_minimax_is_for_two_players():
    with pytest.raises(ValueError, match="one or two players, got 3; Expectimax"):
        StarMinimax(3).search(ThreePlayers())


# --- Games and functions that break their promises ---

DECISION = Node(0, (1.0, -1.0), (Node(TERMINAL, (1.0, -1.0)),))


@kinds
def test_values_are_those_of_the_player_who_searched(kind):
    result = kind(2).search(Fickle(DECISION, 0, 1))
    assert result.value == [1, -1][result.player]


@kinds
@pytest.mark.parametrize("answer", [CHANCE, TERMINAL])
def test_a_root_must_keep_its_player(kind, answer):
    with pytest.raises(ValueError, match=f"player must be to move, the current .* is {answer}"):
        kind(2).search(Fickle(DECISION, 0, answer))


def search_with_meddler() -> None:
    """The heuristic keeps the models that it is given and changes them when it is called again."""
    larger, seen = CarcassonneModel(5), deque(maxlen=20)

    def meddler(model: CarcassonneModel, player: int) -> float:
        for kept in seen:
            if kept is not model:
                kept.copy_from(larger)
        seen.append(model)
        return model.heuristic(player, "vs")

    # The search to depth 1 comes first: its leaves are the inner nodes of that to depth 2.
    for kind, model in itertools.product(KINDS, POSITIONS.values()):
        found, expected = (kind(2, how, max_positions=500).search(model) for how in (meddler, "vs"))
        np.testing.assert_array_equal(found.values, expected.values)


def search_after_errors_of_copies() -> None:
    """A game cannot be copied once, at each of the first copies."""

    class Tired(TicTacToe):
        def copy_from(self, source: Tired) -> None:
            if next(rest, None) == 0:
                raise ValueError("tired")
            super().copy_from(source)

    for num_copies in range(1, 6):
        rest = iter([])
        for search in (
            ExpectimaxSearch(Tired(), None, None, None),
            StarSearch(Tired(), None, None, None, -1.0, 1.0, 0),
        ):
            rest = iter(reversed(range(num_copies)))
            for _ in range(2):
                with suppress(ValueError):  # the game has no heuristic, either
                    search.search(2)


def test_what_might_crash_does_not():
    calls = ("search_in_a_small_thread", "search_wide_game", "search_with_meddler")
    calls += ("search_after_errors_of_copies",)
    lines = [f"{call}()" for call in calls]
    run_alone("\n".join(["from test_lookahead import *", *lines]))


# --- Agents ---


def test_results_as_text():
    header, *rows, summary = str(StarMinimax(5).search(TicTacToe("XX.OO...."))).splitlines()
    assert header.split() == ["action", "value"]
    model = CarcassonneModel()
    model.apply_action(3)
    points = str(Expectimax(1, "s").search(model)).splitlines()
    assert points[0].split() == ["action", "value", "points"]
    assert rows[0].split() == ["*", "2", "1.0000"]
    assert len(rows) == 5
    assert all(row.endswith(" or less") for row in rows[1:])
    assert summary.startswith("depth 5, ")
    *_, last, _ = str(Expectimax().search(model)).splitlines()
    assert last.split() == ["...", str(len(model.legal_actions()) - 10), "more", "actions"]
