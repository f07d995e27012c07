"""Games written in Python at the border to the compiled planners: what they may do and may not."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import agents
from agents import CHANCE, EAMCTS, MCTS, TERMINAL, ForwardModel, PythonForwardModel, Rng
from agents.games import Hex
from agents.multi_action.models import MutationModel
from agents.multi_action.turn import Turn, greedy_turn
from alone import run_alone
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import Bandit, Corridor, Fickle, GameTree, Node, TicTacToe, random_tree
from models import NO_ACTIONS, in_play
from test_fire import Liar, planners

PLANNERS = {
    "mcts": lambda **options: MCTS(60, seed=0, **options),
    "ea-mcts": lambda **options: EAMCTS(
        120, generations=2, offspring=2, fitness_iterations=5, seed=0, **options
    ),
}
"""Small planners that take the options of MCTS."""


# --- Models of models ---


class Holder(TicTacToe):
    """Tic-tac-toe that shows another position as `model`, as environments show theirs."""

    model = TicTacToe("X...O....")


def test_a_model_that_holds_a_model_is_searched_itself():
    game = Holder()
    assert agents.agent.model_of(game) is game
    result = MCTS(40, seed=0).search(game)
    assert type(result.model) is Holder
    assert result.actions.tolist() == [*range(9)]


# --- Trees that are kept ---


def test_a_large_tree_is_kept_within_a_small_time_limit():
    # Copying 150,000 nodes takes 2 % of the time that adding them takes, on the same machine; of
    # ten searches one at least is not disturbed by other processes.
    model = FopModel("f1", branching=8, threshold=1e-9)
    planner = MCTS(150_000, 3.0, reuse_tree=True, seed=0)
    first = planner.search(model).seconds
    planner.iterations, planner.time_limit = None, first / 5
    results = [planner.search(model) for _ in range(10)]
    assert min(result.search_tree.num_nodes for result in results) > 150_000
    assert min(result.seconds for result in results) < first / 5 + first / 12
    assert max(result.iterations for result in results) > 1


def test_a_large_kept_tree_is_the_same_tree():
    # 60,000 nodes with lists of actions: more than are copied between two looks at signals.
    model = FopModel("f4", branching=6, threshold=1e-6)
    planner = MCTS(70_000, 1.0, reuse_tree=True, seed=0, resample_terminals=False)
    first = planner.search(model)
    planner.iterations = 1
    second = planner.search(model)
    before, after = first.tree(), second.tree()
    columns = ["parent", "depth", "player", "action", "probability"]
    same = np.all([before[name] == after[: len(before)][name] for name in columns], axis=0)
    assert len(after) - len(before) <= 1
    assert same.mean() > 0.4  # up to where the new node comes, breadth first
    assert before["visits"][0] + 1 == after["visits"][0] + (after["visits"][0] == 1)


def test_only_nodes_of_the_search_itself_count_as_expansion():
    model = TicTacToe()
    planner = MCTS(500, reuse_tree=True, seed=0)
    first = planner.search(model).tree_statistics
    planner.iterations = 20
    second = planner.search(model).tree_statistics
    assert second.num_nodes > 500
    assert second.expansion_rate <= 1
    assert second.expansion_rate == (second.num_nodes - first.num_nodes) / 20


class Counters(PythonForwardModel):
    """Five turns in which one of three counters, of NumPy's integers, grows."""

    def __init__(self) -> None:
        super().__init__(num_players=2, num_actions=3)
        self.counts = np.zeros(3, dtype=np.int64)
        self.turn = np.int32(0)
        self.log: dict[str, list[Any]] = {"moves": [], "rows": [np.zeros(2)]}

    def current_player(self) -> int:
        return TERMINAL if self.turn == 5 else self.turn % 2

    def legal_actions(self) -> np.ndarray:
        return np.arange(3)

    def apply_action(self, action: int) -> None:
        self.counts[action] += np.int64(1)
        self.turn = self.turn + np.int32(1)
        self.log["moves"].append(action)

    def returns(self) -> np.ndarray:
        return np.array([self.counts[0] - 1, 1 - self.counts[0]])


def test_equality_of_python_games_is_by_value():
    one, other = Counters(), Counters()
    for action in (0, 2, 1):
        one.apply_action(action)
        other.apply_action(np.int64(action))
    other.turn = 3  # an int, where the other game has one of NumPy's
    other.counts = other.counts.astype(np.int16)
    assert one == other
    assert one.position_hash() == other.position_hash()
    for change in (
        lambda game: game.counts.__setitem__(1, 7),
        lambda game: game.log["rows"][0].__setitem__(1, 0.5),
        lambda game: game.log["moves"].append(1),
        lambda game: game.log.update(more=1),
        lambda game: setattr(game, "turn", 2),
        lambda game: setattr(game, "counts", np.zeros((3, 1))),
        lambda game: setattr(game, "counts", [1, 1, 1]),
    ):
        changed = other.clone()
        assert changed == one
        change(changed)
        assert changed != one


def trees_of_other_sizes_are_not_kept() -> None:
    """A tree of 1,000 actions a node, before a search that has room for two."""
    for large, small in ((Sized(1, 1000), Sized(1, 2)), (Sized(3, 1000), Sized(1, 1000))):
        planner = MCTS(1500, 1.0, reuse_tree=True, seed=0)
        planner.search(large)
        planner.iterations = 50
        result = planner.search(small)
        assert result.visits.sum() == 50, result
        assert set(result.tree()["player"]) <= {small.num_players - 1, TERMINAL}


def test_a_result_can_be_played_on_without_harm_to_the_kept_tree():
    model = CarcassonneModel(deterministic=True, seed=0)
    planner = MCTS(400, 0.1, reuse_tree=True, seed=0)
    result = planner.search(model)
    result.model.apply_action(result.action)
    model.apply_action(result.action)
    planner.iterations = 20
    assert planner.search(model).visits.sum() == 20  # it was told nothing: no tree is kept


@pytest.mark.parametrize("action", [2**70, -1, "x", None, 1.5, [0]])
@pytest.mark.parametrize("make_model", [TicTacToe, FopModel, lambda: CarcassonneModel(seed=0)])
def test_advancing_by_what_is_no_action_begins_the_tree_anew(make_model, action):
    model = in_play(make_model())
    planner = MCTS(50, reuse_tree=True, seed=0)
    planner.search(model)
    planner.advance(action)
    assert planner.search(model).visits.sum() == 50


# --- Options ---


class Biased(TicTacToe):
    """Tic-tac-toe that knows a way of play of its own: mostly the first legal action."""

    playouts = ("uniform", "first")

    def playout(self, kind: str, parameter: float, rng: Rng) -> int:
        count = 0
        while not self.is_terminal():
            is_random = kind == "uniform" or rng.random() < parameter
            self.apply_action(self.sample_action(rng) if is_random else self.legal_actions()[0])
            count += 1
        return count


def test_python_games_have_playouts_of_their_own():
    policy = "game(name=first, parameter=0)"
    expected = []
    for action in range(9):
        game = Biased()
        game.apply_action(action)
        while not game.is_terminal():
            game.apply_action(game.legal_actions()[0])
        expected.append(game.returns()[0])
    for seed in range(3):
        assert MCTS(9, rollout_policy=policy, seed=seed).search(Biased()).means.tolist() == expected
    uniform = MCTS(700, rollout_policy="game(name=uniform)", seed=0).search(Biased())
    plain = MCTS(700, seed=0).search(TicTacToe())
    assert uniform.model_calls == pytest.approx(plain.model_calls, rel=0.05)


COUNTS = [-1, -(2**31), 2**31, 2**70, 1.5, "x", None, [], np.float64(3)]


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("count", COUNTS)
def test_rollouts_must_return_a_count(name, count):
    class Miscounting(Biased):
        def rollout(self, rng):
            super().rollout(rng)
            return count

        def playout(self, kind, parameter, rng):
            super().playout(kind, parameter, rng)
            return count

    for options in ({}, {"rollouts": 3}, {"rollout_policy": "game(name=first)"}):
        with pytest.raises(ValueError, match="must return the number of actions"):
            PLANNERS[name](**options).search(Miscounting())
    with pytest.raises(ValueError, match="must return the number of actions"):
        Miscounting().rollout_returns(4, 0)


# --- Sizes ---


class Growing(Corridor):
    """A corridor that grows behind the back of whoever walks in it."""

    def __init__(self, how: str, num_actions: int = 1, num_players: int = 1) -> None:
        PythonForwardModel.__init__(self, num_players, num_actions)
        self.how, self.steps, self.length = how, 0, 6

    def legal_actions(self) -> range:
        return range(self.num_actions)

    def apply_action(self, action: int) -> None:
        """The third step changes the sizes."""
        self.steps += 1
        if self.steps == 3:
            self.grow()

    def grow(self) -> None:
        sizes = {"actions": (1, 50_000), "players": (500, 1)}[self.how.split()[0]]
        num_players, num_actions = sizes
        if "init" in self.how:
            PythonForwardModel.__init__(self, num_players, num_actions)
        else:
            larger = Growing(self.how, num_actions, num_players)
            larger.steps = 3
            self.copy_from(larger)

    def returns(self) -> list[float]:
        return [1.0] * self.num_players


WAYS = ["actions init", "players init", "actions copy", "players copy"]


def sizes_are_kept() -> None:
    tasks: list[Callable[[Any], Any]] = [
        MCTS(50, seed=0).search,
        MCTS(50, seed=0, rollouts=2, tree_policy="rave").search,
        MCTS(50, seed=0, evaluator=lambda model: [0]).search,
        MCTS(50, seed=0, expansion="ordered").search,
        PLANNERS["ea-mcts"]().search,
        agents.Expectimax(6).search,
        agents.StarMinimax(6).search,
        lambda game: game.rollout_returns(3, 0),
    ]
    for task, how in itertools.product(tasks, WAYS):
        with pytest.raises(ValueError, match="cannot change"):
            task(Growing(how))


class Tables(PythonForwardModel):
    """A base class that copies for those who derive from it, and cannot be played itself."""

    def copy_from(self, source: Tables) -> None:
        self.steps = source.steps

    def returns(self) -> list[float]:
        return [0.5] * self.num_players


class Derived(Tables):
    """Ends after two steps."""

    def __init__(self, num_players: int, num_actions: int) -> None:
        super().__init__(num_players, num_actions)
        self.steps = 0

    def current_player(self) -> int:
        return TERMINAL if self.steps == 2 else self.num_players - 1

    def legal_actions(self) -> range:
        return range(self.num_actions)

    def apply_action(self, action: int) -> None:
        self.steps += 1


class DefaultCopies(Derived):
    """Copied in the default way."""

    copy_from = PythonForwardModel.copy_from


class Copying:
    """No game, but it knows how to copy one."""

    def copy_from(self, source: Any) -> None:
        self.steps = source.steps


class Mixed(Copying, Derived):
    """Copied by a class that is no game."""


class Calling(Derived):
    """Copied by the class above it."""

    def copy_from(self, source: Calling) -> None:
        super().copy_from(source)


class Sized(Derived):
    """A board whose equality leaves out how many may play and what may be done."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sized) and self.steps == other.steps

    __hash__ = None  # type: ignore[assignment]

    def position_hash(self) -> int:
        return self.steps


@pytest.mark.parametrize("kind", [Derived, DefaultCopies, Mixed, Calling])
def test_copies_take_over_the_sizes(kind):
    small, large = kind(2, 3), kind(5, 40)
    large.apply_action(7)
    small.copy_from(large)
    assert (small.num_players, small.num_actions, small.max_legal_actions) == (5, 40, 40)
    assert small.max_chance_outcomes == 40
    assert small == large
    small.apply_action(39)
    assert small.returns() == [0.5] * 5
    assert MCTS(50, seed=0).search(kind(3, 4)).player == 2
    with pytest.raises(TypeError, match="source must be a"):
        small.copy_from(TicTacToe())


def test_what_planners_hand_out_can_take_over_other_sizes():
    def evaluated(model):
        model.copy_from(Derived(5, 40))
        model.rollout(0)
        return [0.0, 1.0]

    result = MCTS(20, evaluator=evaluated, seed=0).search(Derived(2, 3))
    result.model.copy_from(Derived(5, 40))
    assert result.model.num_players == 5


# --- Games that are of two minds ---


def fickle_games_do_not_crash() -> None:
    """Seven ways of being of two minds, all planners, 2 trees each: a result or an error."""
    minds = [(0, 1), (0, 0, 1), (0, 1, CHANCE), (0, CHANCE), (0, 0, 0, TERMINAL), (0, 7), (1, -3)]
    num_results = 0
    for answers in minds:
        for planner, seed in itertools.product(planners(Liar()), range(2)):
            game = Fickle(random_tree(2, seed).node, *answers[seed:], *answers[:seed])
            for _ in range(2):
                try:
                    planner.advance(planner.act(game))
                    num_results += 1
                except (ValueError, NotImplementedError, IndexError):
                    pass
    assert num_results > 200, num_results


class Index:
    """What stands for a different integer every time."""

    def __init__(self, *values: int) -> None:
        self.values = itertools.cycle(values)

    def __index__(self) -> int:
        return next(self.values)

    def __eq__(self, other: object) -> bool:
        return True

    def __lt__(self, other: object) -> bool:
        return False

    __le__ = __gt__ = __ge__ = __eq__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


LIES: list[tuple[Any, type[Exception], str]] = [
    ([Index(0, 99), 1, 2], ValueError, "ordered_actions|actions must be"),
    ([Index(99, 0), 1, 2], ValueError, "ordered_actions"),
    ([Index(-5), 1, 2], ValueError, "ordered_actions"),
    ([0.0, 1.0, 2.0], TypeError, "actions must be ints"),
    ([0, 1], ValueError, "ordered_actions"),
    ([0, 1, 2, 2], ValueError, "ordered_actions"),
    ([0, 1, 1], ValueError, "ordered_actions"),
    ([0, 1, 2**70], ValueError, "ordered_actions"),
    (["0", "1", "2"], TypeError, "actions must be ints"),
    (5, TypeError, "ordered_actions.. must return a sequence"),
    (None, TypeError, "ordered_actions.. must return a sequence"),
]


@pytest.mark.parametrize(("answer", "error", "message"), LIES)
def test_orders_that_are_none_are_refused(answer, error, message):
    class Ordered(Derived):
        def ordered_actions(self):
            return answer

    def search():
        for seed in range(2):  # an item that changes may be right at first
            MCTS(9, expansion="ordered", seed=seed).search(Ordered(2, 3))

    with pytest.raises(error, match=message):
        search()


@pytest.mark.parametrize("number", [Index(-1), Index(2, -1), Index(2**70)])
def test_numbers_are_read_once(number):
    class Indexing(Derived):
        def rollout(self, rng):
            super().rollout(rng)
            return number

    with pytest.raises(ValueError, match="must return the number"):
        MCTS(4, seed=0).search(Indexing(2, 3))
    with pytest.raises(ValueError, match="num_actions must be"):
        PythonForwardModel.__init__(Derived(1, 1), 1, Index(-1))


@pytest.mark.parametrize("make_model", [Hex, FopModel, lambda: in_play(CarcassonneModel(seed=0))])
def test_actions_are_read_once(make_model):
    game, expected = make_model(), make_model()
    action = int(game.legal_actions()[-1])
    game.apply_action(Index(action, 10**9))
    expected.apply_action(action)
    assert game == expected


def test_what_games_do_crashes_nothing():
    tasks = (trees_of_other_sizes_are_not_kept, sizes_are_kept, fickle_games_do_not_crash)
    calls = [f"{task.__name__}()" for task in tasks]
    run_alone("\n".join(["from test_border import *", *calls]))


# --- Memory ---


def wide_games_need_memory_or_say_so() -> None:
    """RAVE counts players times actions: 10**10 here, 1,410,065,408 in 32 bits."""
    game = Sized(100, 10**8)
    try:
        result = MCTS(3, tree_policy="rave", seed=0, expansion="uniform").search(game)
        assert result.iterations == 3
    except (MemoryError, ValueError) as error:
        print(type(error).__name__, error)


def test_rave_in_a_wide_game():
    code = "import test_border; test_border.wide_games_need_memory_or_say_so()"
    assert "MemoryError" in run_alone(code, gigabytes=16)


def test_a_full_tree_takes_no_more_memory():
    """An evaluator in C lists the actions of each leaf, also where the tree keeps none."""
    code = """
import resource
from agents import MCTS
from playing import opening
options = {"max_nodes": 20, "evaluator": "afterstates(heuristic=outlook)", "seed": 0}
used = []
for iterations in (100, 3000):
    for policy in ("ucb1", "puct(c=0.1)"):
        MCTS(iterations, tree_policy=policy, **options).search(opening())
    used.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(used[1] - used[0])
"""
    assert int(run_alone(code)) < 4000  # kilobytes


# --- Interrupts ---


class Slow(TicTacToe):
    def apply_action(self, action: int) -> None:
        time.sleep(0.001)
        super().apply_action(action)


def endless(game: ForwardModel | None = None) -> MutationModel:
    """A compiled game that does not end; that of Carcassonne is slow."""
    turn = Turn(game or FopModel(), max_actions=2)
    return MutationModel(turn, [greedy_turn(turn)])


def alone_with_known_order() -> CarcassonneModel:
    return CarcassonneModel(1, 1, "small", deterministic=True, seed=0)


LONG: list[Callable[[], Any]] = [
    lambda: endless(alone_with_known_order()).rollout(0),
    lambda: MCTS(20, rollout_policy="ordered").search(endless(alone_with_known_order())),
    lambda: MCTS(20, rollout_policy="evolved(formula=1)").search(endless(alone_with_known_order())),
    lambda: MCTS(20, tree_policy="rave").search(endless(alone_with_known_order())),
    lambda: MCTS(rollouts=10**6).search(in_play(CarcassonneModel())),
    lambda: MCTS(rollouts=10**6, rollout_policy="greedy(heuristic=vs)").search(
        in_play(CarcassonneModel(num_meeples=255))
    ),
    lambda: MCTS(rollouts=10**9, rollout_policy="direct").search(FopModel()),
    lambda: MCTS(rollouts=10**6).search(Slow()),
    lambda: MCTS(rollouts=10**9).search(FopModel()),
    lambda: EAMCTS(rollouts=10**6).search(in_play(CarcassonneModel())),
    lambda: MCTS(10**8, tree_policy="rave").search(in_play(CarcassonneModel())),
    lambda: MCTS(10**8, trees=2).search(in_play(CarcassonneModel())),
    lambda: CarcassonneModel().rollout_returns(10**7, 0),
    lambda: FopModel().rollout_returns(10**8, 0),
    lambda: Slow().rollout_returns(10**7, 0),
    lambda: Bandit(0.5, 0.5).rollout_returns(10**7, 0),
]


@pytest.mark.parametrize("task", LONG)
def test_an_interrupt_ends_what_takes_long(task, interrupt_after):
    # Within 0.2 s, in the time of this thread, which other processes do not lengthen.
    interrupt_after(0.1)
    start = time.thread_time()
    with pytest.raises(KeyboardInterrupt):
        task()
    assert time.thread_time() - start < 0.1 + 0.2


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"rollout_policy": "ordered"},
        {"rollout_policy": "evolved(formula=1)"},
        {"tree_policy": "rave"},
    ],
)
def test_rollouts_without_an_end_are_refused(options):
    told = "not ended after 1,048,576 actions; if copy_from.*check_forward_model finds it; rollout"
    with pytest.raises(RuntimeError, match=told):
        MCTS(2, **options).search(endless())


@pytest.mark.slow
def test_guided_rollouts_without_an_end_are_refused():
    class Endless(TicTacToe):
        heuristics = ("none",)

        def apply_action(self, action):
            pass

        def heuristic(self, player, kind):
            return 0.0

    with pytest.raises(RuntimeError, match="a rollout has not ended after 1,048,576 actions"):
        MCTS(2, rollout_policy="truncated(max_moves=2000000)").search(Endless())


# --- Objects made in other ways ---


def test_objects_made_without_init_do_not_crash():
    """Of every compiled class that needs no argument, with every attribute and method."""
    code = """
import contextlib, importlib, pathlib, signal, sys, warnings
import agents, carcassonne_env, fop_env
warnings.simplefilter("ignore")
signal.signal(signal.SIGALRM, signal.default_int_handler)
for package in (agents, carcassonne_env, fop_env):
    folder = pathlib.Path(package.__file__).parent
    for path in sorted(folder.rglob("*.pyx")):
        module = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
        with contextlib.suppress(ImportError):
            names = vars(importlib.import_module(module)).values()
            for kind in [k for k in names if isinstance(k, type) and k.__module__ == module]:
                try:
                    kind.__new__(kind)
                except TypeError:
                    continue
                for name in dir(kind):
                    print(module, kind.__name__, name, file=sys.stderr)
                    one = kind.__new__(kind)   # anew, as one of the methods is __init__
                    for arguments in ((), (0,), (None,), (one,)):
                        signal.alarm(2)
                        with contextlib.suppress(BaseException):
                            attribute = getattr(one, name)
                            callable(attribute) and attribute(*arguments)
                signal.alarm(0)
"""
    run_alone(code)


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
def test_what_is_no_action_is_not_legal_in_python_games(action):
    game = random_tree(2, 3)
    assert not game.is_legal(action)
    assert not GameTree(Node(CHANCE, (0.0,), game.node.children, (0.5, 0.5))).is_legal(action)
