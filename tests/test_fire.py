"""Under fire: games, arguments and pickles that are wrong in every way. Nothing crashes or hangs.

All randomness comes from fixed seeds. A fast part of each test runs by default; the rest is slow.
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import itertools
import pickle
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import agents
from agents import CHANCE, EAMCTS, MCTS, TERMINAL, PythonForwardModel, Rng
from alone import run_alone
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import Bandit, Corridor, Stairs, TicTacToe
from models import advance, restored


@contextlib.contextmanager
def guarded() -> Iterator[None]:
    """What takes more than 30 seconds ends the process, which then tells where it was."""
    faulthandler.dump_traceback_later(30, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


# --- Games that lie or fail ---


class Liar(PythonForwardModel):
    """A game of eight turns, with chance in it, of which one answer in all is wrong.

    Args:
        method: Which of its methods errs.
        lie: What it returns then, or an exception class that it raises.
        when: At which call, from 0, of those of all copies.
    """

    heuristics = ("height",)
    playouts = ("short",)

    def __init__(self, method: str = "", lie: Any = None, when: int = 0) -> None:
        super().__init__(num_players=2, num_actions=4)
        self.method, self.lie, self.when = method, lie, when
        self.calls = itertools.count()
        self.steps = self.height = 0

    def told(self, method: str, truth: Any) -> Any:
        """The truth, but for one time."""
        if method != self.method or next(self.calls) != self.when:
            return truth
        if isinstance(self.lie, type) and issubclass(self.lie, BaseException):
            raise self.lie(method)
        return self.lie

    def current_player(self) -> int:
        player = (0, 1, CHANCE)[self.steps % 3] if self.steps < 8 else TERMINAL
        return self.told("current_player", player)

    def legal_actions(self) -> list[int]:
        return self.told("legal_actions", list(range(2 + self.steps % 3)))

    def chance_outcomes(self) -> tuple[list[int], list[float]]:
        return self.told("chance_outcomes", ([0, 1, 3], [0.25, 0.25, 0.5]))

    def sample_chance(self, rng: Rng) -> int:
        return self.told("sample_chance", (0, 1, 3, 3)[rng.below(4)])

    def apply_action(self, action: int) -> None:
        self.told("apply_action", None)
        self.steps += 1
        self.height += action

    def returns(self) -> list[float]:
        value = self.height % 5 / 4 - 0.5
        return self.told("returns", [value, -value])

    def sample_returns(self, rng: Rng) -> list[float]:
        value = self.height % 5 / 4 - 0.5
        return self.told("sample_returns", [value, -value])

    def heuristic(self, player: int, kind: str) -> float:
        return self.told("heuristic", self.height / 20 * (1, -1)[player])

    def ordered_actions(self) -> list[int]:
        return self.told("ordered_actions", list(range(2 + self.steps % 3))[::-1])

    def rollout(self, rng: Rng) -> int:
        return self.told("rollout", super().rollout(rng))

    def playout(self, kind: str, parameter: float, rng: Rng) -> int:
        return self.told("playout", super().rollout(rng))

    def determinize(self, rng: Rng) -> None:
        self.told("determinize", None)

    def copy_from(self, source: Liar) -> None:
        self.method, self.lie, self.when = source.method, source.lie, source.when
        self.calls = source.calls
        self.steps, self.height = source.steps, source.height
        self.told("copy_from", None)

    def __eq__(self, other: object) -> bool:
        is_equal = isinstance(other, Liar) and (self.steps, self.height) == (
            other.steps,
            other.height,
        )
        return self.told("__eq__", is_equal)

    __hash__ = None  # type: ignore[assignment]

    def position_hash(self) -> int:
        return self.told("position_hash", hash((self.steps, self.height)))


METHODS = [
    *(
        name
        for name in vars(Liar)
        if name[0] != "_" and name != "told" and callable(vars(Liar)[name])
    ),
    *("__eq__", "evaluator", "tree_policy"),
]


class Strange:
    """Equal to all, with no order, of a length that is none."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("equal")

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return -5

    def __index__(self) -> int:
        return 2**40

    def __float__(self) -> float:
        raise RuntimeError("float")


LIES: list[Any] = [
    *(RuntimeError, StopIteration, MemoryError, GeneratorExit),
    *(None, -1, -99, -(2**31), 2**31, 2**70, 1.5, float("nan"), "x"),
    *([], [0], [3, 3, 3, 3, 3], [-1, 2**70], [float("nan")] * 2, [[0, 1], [2, 3]]),
    *(([0], [1.0]), ([0, 1], [0.5]), ([0, 9], [0.5, 0.5]), ([0, 1], [0.5, -0.5])),
    *({0: 1, 1: 2}, np.zeros((2, 2)), np.array([1e300, -1e300])),
    *(Strange(), [Strange(), Strange()], iter([0, 1]), CHANCE, TERMINAL, 0, 1, [1, 0]),
]


def planners(game: Liar) -> Iterator[Any]:
    """Everything that searches, in many ways; small searches."""

    def evaluated(model: Any) -> Any:
        return game.told(
            "evaluator", ([0.5, -0.5], np.full(n := len(model.legal_actions()), 1 / n))
        )

    def evaluated_together(models: list[Any]) -> Any:
        return game.told("evaluator", [[0.5, -0.5]] * len(models))

    def judged(means: np.ndarray, visits: np.ndarray, priors: np.ndarray, num: int) -> Any:
        return game.told("tree_policy", means + 1 / visits)

    options: list[dict[str, Any]] = [
        {},
        {"tree_policy": "rave"},
        *({"tree_policy": name} for name in ("heuristic", "boltzmann")),
        {"tree_policy": "Q + sd + Q_max"},
        {"tree_policy": judged},
        {"tree_policy": "puct", "evaluator": evaluated, "root_noise": (0.5, 1.0)},
        {"evaluator": evaluated_together, "batch_size": 4},
        *({"rollout_policy": name} for name in ("greedy", "truncated(max_moves=2)", "direct")),
        {"rollout_policy": "game(name=short)"},
        {"rollouts": 3, "expansion": "ordered"},
        {"solver": True},
        {"widening": (1, 0.5), "first_play_urgency": 0.2},
        {"max_nodes": 9, "resample_terminals": False, "chance_backup": "sampled"},
        {"determinize": True, "trees": 2},
        {"reuse_tree": True},
    ]
    for arguments in options:
        yield MCTS(40, seed=0, **arguments)
    small = {"generations": 2, "offspring": 2, "fitness_iterations": 4, "seed": 0}
    yield EAMCTS(60, **small)
    yield EAMCTS(60, rollout_policy="greedy", evaluation="copy", **small)
    yield EAMCTS(60, evaluator=evaluated, evaluation="probe", **small)
    yield agents.Expectimax(3, seed=0)
    yield agents.StarMinimax(2, seed=0)
    yield agents.RandomAgent(0)


def lie_to_planners(num_games: int, seed: int) -> None:
    """Searches games that lie once, some twice in a row; every error is an ordinary exception."""
    rng = random.Random(seed)
    num_errors = num_results = 0
    for _ in range(num_games):
        lie = rng.choice(LIES)
        game = Liar(rng.choice(METHODS), lie, rng.choice([0, 1, 2, 5, 20, 100, 400]))
        planner = rng.choice(list(planners(game)))
        with guarded():
            try:
                for _ in range(2):
                    action = planner.act(game)
                    planner.advance(action)
                    num_results += 1
            except (Exception, GeneratorExit):
                num_errors += 1
    assert num_errors > num_games / 20, num_errors
    assert num_results > num_games / 20, num_results


@pytest.mark.parametrize(
    ("num_games", "seed"), [(200, 0), pytest.param(2000, 1, marks=pytest.mark.slow)]
)
def test_games_that_lie_once(num_games, seed):
    run_alone(f"import test_fire; test_fire.lie_to_planners({num_games}, {seed})", seconds=900)


# --- Arguments that are none ---

NO_ARGUMENTS: list[Any] = [
    *(2**70, -(2**70), 2**31, -1, "x", None, 1.5, float("nan"), [], {}, b""),
    *(np.array([0, 1]), np.float64(3), Strange(), object, True),
]

MODELS: list[Callable[[], Any]] = [
    CarcassonneModel,
    lambda: CarcassonneModel(deterministic=True, seed=0, two_step=True, num_players=3),
    FopModel,
    lambda: FopModel("f3", branching=3, dimensions=2, num_players=2),
    TicTacToe,
    Liar,
]


def call_with_nonsense(make_model: Callable[[], Any]) -> int:
    """Calls every public method with every wrong argument, first or second; counts the calls."""
    num_calls = 0
    names = [name for name in dir(make_model()) if not name.startswith("_")]
    for name in names:
        for arguments in [(x,) for x in NO_ARGUMENTS] + [(0, x) for x in NO_ARGUMENTS]:
            model = make_model()
            method = getattr(model, name)
            if not callable(method):
                continue
            num_calls += 1
            try:
                method(*arguments)
            except (Exception, GeneratorExit):
                continue
            str(model)
            repr(model)
            model.clone()
    return num_calls


def call_all_with_nonsense() -> None:
    for make_model in MODELS:
        with guarded():
            assert call_with_nonsense(make_model) > 300


def test_methods_refuse_nonsense():
    run_alone("import test_fire; test_fire.call_all_with_nonsense()")


# --- Long and wide games ---


def test_long_games():
    # 100,000 plies.
    assert MCTS(3, seed=0).search(Corridor(100_000)).value == 1
    assert EAMCTS(4, seed=0).search(Corridor(20_000)).value == 1
    for planner in (agents.Expectimax, agents.StarMinimax):
        assert planner(2, lambda model, player: 0.0).search(Corridor(100_000)).value == 0


@pytest.mark.slow
def test_a_tree_as_deep_as_a_long_game():
    # Every iteration goes one ply deeper: no rollouts.
    result = MCTS(3000, evaluator=lambda model: [0.0], seed=0).search(Corridor(100_000))
    assert result.tree_statistics.max_depth == 3000
    assert len(result.principal_variation) == 3000
    assert len(pickle.loads(pickle.dumps(result)).tree()) == 3001
    with pytest.raises((RecursionError, ValueError)):
        agents.Expectimax(100_000).search(Corridor(100_000))


def test_wide_games():
    game = Bandit(*[0.5] * 65_536)
    for planner in (MCTS(3, seed=0), EAMCTS(3, seed=0), MCTS(3, evaluator=lambda model: [0.0])):
        with pytest.raises(ValueError, match="has 65536 legal actions, MCTS takes 1 to 65535"):
            planner.search(game)
    assert MCTS(3, seed=0).search(Bandit(*[0.5] * 65_535)).visits.sum() == 3
    assert agents.Expectimax(1).search(game).actions.shape == (65_536,)
    assert 0 <= agents.RandomAgent(0).act(game) < 65_536


@pytest.mark.slow
def test_chance_nodes_of_many_outcomes():
    # A chance node gets a child for an outcome that is drawn, so that more than 65,535 do no harm.
    assert MCTS(10, seed=0).search(Stairs(2, 100_000)).visits.sum() == 10


# --- Pickles that are damaged ---


def originals() -> list[Any]:
    game = CarcassonneModel(num_players=3, seed=0)
    late = CarcassonneModel(deterministic=True, seed=1, two_step=True)
    rng = Rng(5)
    for model, count in ((game, 81), (late, 51)):
        for _ in range(count):
            advance(model, rng)
    planner = MCTS(60, seed=0, tree_policy="Q + sd")
    return [
        game,
        late,
        FopModel("f4", branching=3, dimensions=2),
        TicTacToe("XO......."),
        planner.search(TicTacToe()),
        planner.search(TicTacToe()).search_tree,
        EAMCTS(900, seed=0).search(FopModel()),
        Rng(3),
        agents.Formula("Q + c*sqrt(ln(N)/n)", 0.5),
        agents.Grammar(),
        planner,
        EAMCTS(10, grammar=agents.Grammar(max_depth=8)),
        *(agents.make(f"mcts(tree_policy={name})") for name in ("rave", "puct", "boltzmann")),
        *(agents.make(f"mcts(rollout_policy={name})") for name in ("greedy", "truncated", "win")),
        agents.GameRollout("meeple", 0.25),
    ]


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The same with one to three bits flipped or bytes replaced, or its end, or a part, missing."""
    changed = bytearray(data)
    kind = rng.randrange(4)
    for _ in range(rng.randint(1, 3)):
        if kind == 0:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            changed[rng.randrange(len(changed))] = rng.choice([0, 1, 127, 128, 255, 46, 78])
    if kind == 2:
        del changed[rng.randrange(len(changed)) :]
    if kind == 3:
        start = rng.randrange(len(changed))
        del changed[start : start + rng.randint(1, 8)]
    return bytes(changed)


class Careful(pickle.Unpickler):
    """Loads only what a pickle of ours may hold: damage could name any function."""

    def find_class(self, module: str, name: str) -> Any:
        """Of our packages, NumPy, and what these need."""
        allowed = (
            "agents.",
            "carcassonne_env.",
            "fop_env.",
            "games",
            "numpy",
            "copyreg",
            "test_fire",
        )
        if not module.startswith(allowed):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def use(thing: Any, rng: Rng) -> None:
    if isinstance(thing, CarcassonneModel | FopModel | TicTacToe):
        use_model(thing, rng)
    elif isinstance(thing, agents.SearchResult):
        str(thing), thing.tree(), thing.principal_variation, thing.search_tree
    elif isinstance(thing, agents.Tree):
        thing.table(), thing.principal_variation(), thing.statistics(5), pickle.dumps(thing)
    elif isinstance(thing, Rng):
        [thing.below(n) for n in (1, 2, 3, 2**31 + 1)]
    elif isinstance(thing, agents.Formula):
        str(thing), thing.evaluate(**dict.fromkeys(thing.variables, 2.0))
    elif isinstance(thing, MCTS):
        # Any other options would do, but some take long.
        thing.iterations, thing.time_limit, thing.rollouts, thing.trees = 30, 0.1, 1, 1
        thing.search(TicTacToe("XO......."))
    else:
        repr(thing), pickle.dumps(thing)


def use_model(model: Any, rng: Rng) -> None:
    for _ in range(6):
        str(model), repr(model), model.clone(), pickle.dumps(model), model.position_hash()
        for kind in model.heuristics:
            model.heuristic(0, kind)
        if hasattr(model, "svg"):
            model.svg(), model.features, model.placed_meeples, model.virtual_scores
        if model.is_terminal():
            break
        model.rollout_returns(2, rng)
        if not model.is_chance_node():
            model.ordered_actions()
            MCTS(20, seed=0).search(model)
        advance(model, rng)
    model.rollout(rng)
    model.returns()


def damage_pickles(count: int, seed: int) -> None:
    """Each of the originals is damaged so often: it loads, and can be used, or raises."""
    warnings.simplefilter("ignore")
    rng, draws = random.Random(seed), Rng(seed)
    num_loaded = 0
    for thing in originals():
        data = pickle.dumps(thing)
        for _ in range(count):
            with guarded(), contextlib.suppress(Exception):
                loaded = Careful(io.BytesIO(mutated(data, rng))).load()
                num_loaded += 1
                use(loaded, draws)
    assert num_loaded > count / 10, num_loaded


def forge_positions(count: int, seed: int) -> None:
    """Positions of Carcassonne are damaged under a right checksum: refused, or sound."""
    rng, draws = random.Random(seed), Rng(seed)
    num_loaded = 0
    for number in range(count):
        model = CarcassonneModel(
            num_players=1 + number % 5,
            num_meeples=rng.choice([0, 1, 7, 255]),
            deterministic=number % 2 == 0,
            two_step=number % 3 == 0,
            board_size=rng.choice([None, 3, 7]),
            seed=number,
        )
        for _ in range(rng.randrange(120)):
            if model.is_terminal():
                break
            advance(model, draws)
        data = model.__reduce__()[1][2]
        for _ in range(25):
            forged = bytearray(data)
            for _ in range(rng.randint(1, 3)):
                # Half of the damage in the turn, the bag and the hands, which come first.
                place = rng.randrange(rng.choice([180, len(data)]))
                forged[place] = rng.choice(
                    [0, 1, 2, 72, 127, 255, forged[place] ^ 1 << rng.randrange(8)]
                )
            with guarded(), contextlib.suppress(ValueError):
                loaded = restored(model, bytes(forged))
                if bytes(forged) != data:
                    num_loaded += 1
                    use_model(loaded, draws)
    print(num_loaded)


@pytest.mark.parametrize(("count", "seed"), [(60, 0), pytest.param(500, 1, marks=pytest.mark.slow)])
def test_damaged_pickles(count, seed):
    # 19 things, each damaged so often. Damage may ask Python's own unpickler for much memory.
    code = f"import test_fire; test_fire.damage_pickles({count}, {seed})"
    run_alone(code, seconds=900, gigabytes=4)


@pytest.mark.parametrize(("count", "seed"), [(10, 0), pytest.param(150, 1, marks=pytest.mark.slow)])
def test_forged_positions(count, seed):
    # So many positions, each forged 25 times; few of them can be in a game.
    code = f"import test_fire; test_fire.forge_positions({count}, {seed})"
    assert int(run_alone(code, seconds=900)) > 5
