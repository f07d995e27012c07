"""OpenSpiel both ways: its games as forward models, and forward models as its games."""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

from agents import MCTS, Expectimax, OnlineEvolution, Rng
from agents.environments import gymnasium_env
from agents.game import play_game
from agents.games import Dodgem, make
from agents.testing import check_forward_model
from games import Dice, TicTacToe
from models import in_play

pyspiel = pytest.importorskip("pyspiel", reason="needs the extra openspiel")

from open_spiel.python.algorithms import generate_playthrough, mcts, minimax  # noqa: E402

import carcassonne_env.openspiel  # noqa: E402, F401
import fop_env.openspiel  # noqa: E402, F401
from agents.adapters.openspiel import OpenSpielModel  # noqa: E402
from agents.adapters.openspiel_game import register  # noqa: E402

TYPE = pyspiel.GameType
NOT_SEARCHED = {
    "efg_game": "needs a file",
    "stones_and_gems": "draws random events that are no chance nodes",
}
"""Sequential games with perfect information, and why planners do not search them."""
SEARCHED = sorted(
    kind.short_name
    for kind in pyspiel.registered_games()
    if kind.dynamics == TYPE.Dynamics.SEQUENTIAL
    and kind.information == TYPE.Information.PERFECT_INFORMATION
    and not kind.short_name.startswith("python_")
    and kind.short_name not in NOT_SEARCHED
)
CHECKED = """
2048 amazons backgammon banqi breakthrough catch checkers clobber connect_four cursor_go
dots_and_boxes einstein_wurfelt_nicht havannah hex(board_size=5) maedn mancala morpion_solitaire
nim nine_mens_morris othello oware pentago pig tic_tac_toe twixt ultimate_tic_tac_toe
"""
"""Games whose every law is checked."""
COSTLY = "einstein_wurfelt_nicht|havannah|morpion_solitaire|nine_mens_morris|twixt"
SMALL = "python_carcassonne(tiles=small,num_meeples=1,board_size=5)"


def test_games_are_many():
    assert len(SEARCHED) >= 34
    assert NOT_SEARCHED.keys() <= set(pyspiel.registered_names())


@pytest.mark.parametrize("name", SEARCHED)
def test_games_are_searched(name):
    model = in_play(OpenSpielModel(name))
    result = MCTS(40, c=1.4, seed=0).search(model)
    assert model.is_legal(result.action)
    assert sum(result.visits) == 40


@pytest.mark.parametrize(
    "name",
    [*(n for n in CHECKED.split() if n.partition("(")[0] in SEARCHED), "python_test_tic_tac_toe"],
)
@pytest.mark.slow(keep=f"^(?!{COSTLY})")
def test_laws_hold(name):
    check_forward_model(partial(OpenSpielModel, name), num_games=1)


@pytest.mark.parametrize("name", ["backgammon", "2048", "othello", "python_fop(num_players=2)"])
def test_model_agrees_with_its_state(name):
    rng, model = Rng(1), OpenSpielModel(name)
    state = model.game.new_initial_state()
    while not state.is_terminal():
        assert model.current_player() == state.current_player()
        assert model.returns().tolist() == state.returns()
        if state.is_chance_node():
            outcomes, probabilities = model.chance_outcomes()
            assert list(zip(outcomes, probabilities, strict=True)) == state.chance_outcomes()
            action = model.sample_chance(rng)
        else:
            assert model.legal_actions().tolist() == state.legal_actions()
            action = model.sample_action(rng)
            assert model.action_to_string(action) == state.action_to_string(action)
        model.apply_action(action)
        state.apply_action(action)
    assert model.is_terminal()
    assert model.returns().tolist() == state.returns()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("goofspiel", "dynamics is SEQUENTIAL, that of 'goofspiel' is SIMULTANEOUS"),
        ("kuhn_poker", "information is PERFECT_INFORMATION, that of 'kuhn_poker' is IMPERFECT_INF"),
        ("stones_and_gems", "chance_mode is .*, that of 'stones_and_gems' is SAMPLED_STOCHASTIC"),
        (
            "conect_four",
            "game must be one of OpenSpiel, got 'conect_four'; did you mean 'connect_four'",
        ),
        ("", "game must be one of OpenSpiel, got ''; pyspiel.registered_names"),
        ("hex(size=3)", r"cannot read the game 'hex\(size=3\)': Unknown parameter 'size'"),
        ("nfg_game", "cannot read the game 'nfg_game'"),  # it wants the name of a file
        ("breakthrough(rows=1)", r"the game 'breakthrough\(rows=1\)': .* rows_ > 1"),
    ],
)
def test_unsearchable_games_are_refused(name, message):
    with pytest.raises(ValueError, match=message):
        OpenSpielModel(name)


def test_other_objects_are_refused():
    with pytest.raises(TypeError, match=r"game must be a text, a pyspiel\.Game, .* got 3"):
        OpenSpielModel(3)


@pytest.mark.parametrize(
    ("name", "position"),
    [
        *(("hex", position) for position in ("x", "99999\n", "0\n0\n", f"{10**20}\n", "-1\n")),
        ("connect_four", "999999999"),
        ("backgammon", "999999999\n"),
    ],
)
def test_damaged_positions_are_refused(name, position):
    """In C++ some of them would end the process."""
    with pytest.raises(ValueError, match="OpenSpiel cannot read the position '"):
        OpenSpielModel(name, position)


def test_states_are_copied():
    state = pyspiel.load_game("connect_four").new_initial_state()
    model = OpenSpielModel(state)
    assert model == OpenSpielModel(state.get_game()) == OpenSpielModel("connect_four")
    model.apply_action(3)
    assert state.is_initial_state()
    assert model != OpenSpielModel(state)
    assert pickle.loads(pickle.dumps(model)) == model == OpenSpielModel(model.state)


def test_other_starts_are_kept():
    start = pyspiel.load_game("chess").new_initial_state("8/8/8/4k3/8/8/3QK3/8 w - - 0 1")
    model = OpenSpielModel(start)
    assert model != OpenSpielModel("chess")
    assert str(pickle.loads(pickle.dumps(model))) == str(model) == str(start)


@pytest.mark.parametrize("action", [7, 99999, -1])
def test_illegal_actions_are_refused(action):
    """In C++ they would end the process."""
    model = OpenSpielModel("connect_four")
    with pytest.raises(ValueError, match=f"action {action} is not legal; the 7 legal actions are"):
        model.apply_action(action)
    with pytest.raises(ValueError, match="is not legal"):
        model.action_to_string(action)
    assert model == OpenSpielModel("connect_four")


def test_rollouts_are_uniform_and_repeatable():
    """With random moves, X wins 58.5% of the games of tic-tac-toe and O wins 28.8%."""
    model = OpenSpielModel("tic_tac_toe")
    returns = model.rollout_returns(20_000, 0)
    assert (returns == model.rollout_returns(20_000, 0)).all()
    assert (returns != model.rollout_returns(20_000, 1)).any()
    assert (returns[:, 0] == 1).mean() == pytest.approx(0.585, abs=0.015)
    assert (returns[:, 0] == -1).mean() == pytest.approx(0.288, abs=0.015)
    end, played = model.clone(), model.clone()
    assert end.rollout(5) == end.state.move_number()
    played.rollout(7)
    played.copy_from(model)
    played.rollout(5)
    assert played == end


@pytest.mark.parametrize("name", ["tic_tac_toe", "python_test_tic_tac_toe"])
def test_wins_are_found(name):
    """Also in a model that OpenSpiel took from us."""
    model = OpenSpielModel(name)
    for action in (0, 3, 1, 4):
        model.apply_action(action)
    assert MCTS(200, c=1.4, seed=0).search(model).action == 2
    best = Expectimax(depth=9).search(model)
    assert (best.action, best.value) == (2, 1)


@pytest.mark.parametrize("kind", [MCTS, Expectimax, OnlineEvolution])
def test_other_threads_run_during_a_search(kind):
    """OpenSpiel's C++ runs no bytecode, at which Python would let them run."""
    turns, is_over = 0, threading.Event()

    def take_turns():
        nonlocal turns
        while not is_over.wait(0.001):
            turns += 1

    thread = threading.Thread(target=take_turns)
    thread.start()
    kind(time_limit=0.5, seed=0).search(OpenSpielModel("connect_four"))
    is_over.set()
    thread.join()
    assert turns >= 10


def test_returns_so_far_are_the_heuristic():
    model = OpenSpielModel("cliff_walking")
    model.apply_action(model.string_to_action("UP"))
    assert model.returns().tolist() == [model.heuristic(0, "returns")] == [-1]


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("connect_four", (3, 6, 7)),  # as they are
        ("catch", (1, 10, 5)),
        ("backgammon", (200, 1, 1)),  # with numbers of checkers up to 15
    ],
)
def test_tensors_become_planes(name, shape):
    model = in_play(OpenSpielModel(name))
    found = model.observation(0)
    tensor = np.array(model.state.observation_tensor(0), dtype=np.float32)
    assert found.shape == shape
    assert found.dtype == np.float32
    scale = tensor[tensor > 0][0] / found.ravel()[tensor > 0][0]
    assert found.ravel() * scale == pytest.approx(tensor)
    assert (scale == 1) == (name != "backgammon")
    assert 0 <= found.min() <= found.max() <= 1


def test_games_without_tensor_say_so():
    with pytest.raises(NotImplementedError, match=r"'morpion_solitaire' .* has no observation"):
        OpenSpielModel("morpion_solitaire").observation(0)
    with pytest.raises(ValueError, match="player must be in"):
        OpenSpielModel("catch").observation(1)


# By name


def test_text_makes_games():
    assert make("openspiel:hex(board_size=7)") == OpenSpielModel("hex(board_size=7)")
    assert make("openspiel:go(board_size=5, komi=6)") == OpenSpielModel("go(board_size=5,komi=6.0)")
    assert make("openspiel:go(komi=1e-5)") == OpenSpielModel("go(komi=0.00001)")
    with pytest.raises(ValueError, match=r"'openspiel:hex' has no option 'size'; .* board_size"):
        make("openspiel:hex(size=3)")
    with pytest.raises(
        ValueError, match=r"game must be one of .*, openspiel:NAME, got 'other:hex'"
    ):
        make("other:hex")


def test_seeds_start_games():
    text = "openspiel:python_carcassonne(deterministic=True, tiles=small)"
    one, two, other = (make(text, seed=seed) for seed in (2**40, 2**40, 3))
    assert one == two != other


def test_games_are_played_and_learned():
    text = "openspiel:breakthrough(rows=6,columns=4)"
    record = play_game(make(text), ["mcts(c=1.4, iterations=50)", "random"], seed=0)
    assert sorted(record.returns) == [-1, 1]
    env = gymnasium_env(text, opponent="random", seat=None)
    observation, info = env.reset(seed=0)
    terminated = False
    while not terminated:
        assert env.observation_space.contains(observation)
        action = info["action_mask"].argmax()
        observation, reward, terminated, _, info = env.step(action)
    assert reward in (-1, 1)


# Forward models as games of OpenSpiel

register("python_test_tic_tac_toe", TicTacToe, parameters={}, max_game_length=9, is_zero_sum=True)
register("python_test_dice", Dice, returns=(-6, 6))
register("python_test_dodgem", Dodgem)


@pytest.mark.parametrize(
    "name",
    [
        SMALL,
        "python_carcassonne(num_players=3,tiles=small,action_mode=two_step,board_size=7)",
        "python_carcassonne(num_players=1,tiles=small,action_mode=index,deterministic=True)",
        "python_fop",
        "python_fop(num_players=2,dimensions=2,function=f4)",
        "python_test_tic_tac_toe",
        "python_test_dice",
        "python_test_dodgem",
        pytest.param("python_carcassonne", marks=pytest.mark.slow),
    ],
)
def test_openspiel_tests_pass(name):
    game = pyspiel.load_game(name)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)
    for again in (pyspiel.load_game(str(game)), pickle.loads(pickle.dumps(game))):
        assert again.get_parameters() == game.get_parameters()


def test_types_of_games():
    assert pyspiel.load_game("python_carcassonne").num_distinct_actions() == 74**2 * 36
    game = pyspiel.load_game(SMALL)
    assert game.observation_tensor_shape() == [79, 5, 5]
    assert (game.num_distinct_actions(), game.max_chance_outcomes()) == (5 * 5 * 36, 24)
    assert game.get_type().chance_mode == TYPE.ChanceMode.EXPLICIT_STOCHASTIC
    assert (game.get_type().utility, game.utility_sum()) == (TYPE.Utility.ZERO_SUM, 0)
    game = pyspiel.load_game("python_carcassonne(num_players=3,deterministic=True)")
    assert game.get_type().chance_mode == TYPE.ChanceMode.DETERMINISTIC
    assert (game.get_type().utility, game.utility_sum()) == (TYPE.Utility.GENERAL_SUM, None)
    game = pyspiel.load_game("python_test_tic_tac_toe")
    assert (game.max_chance_outcomes(), game.max_game_length()) == (0, 9)
    assert not game.get_type().provides_observation_tensor


def test_wrong_parameters_are_refused():
    with pytest.raises(ValueError, match="num_players must be in"):
        pyspiel.load_game("python_carcassonne(num_players=6)")
    with pytest.raises(ValueError, match="action_mode must be one of"):
        pyspiel.load_game("python_carcassonne(action_mode=flat_earth)")


@pytest.mark.parametrize(("name", "action"), [(SMALL, 899), ("python_fop", 7)])
def test_illegal_actions_of_our_games_are_refused(name, action):
    state = pyspiel.load_game(name).new_initial_state()
    if state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    with pytest.raises(ValueError, match=f"action {action} is not legal"):
        state.apply_action(action)


def test_positions_are_those_of_the_model():
    """A game of random actions, replayed on the model by its texts."""
    rng = Rng(2)
    state = pyspiel.load_game(SMALL).new_initial_state()
    model = make("carcassonne(tiles=small, num_meeples=1, board_size=5)")
    while not state.is_terminal():
        assert state.returns() == [0, 0]
        actions = state.legal_actions()
        action = actions[rng.below(len(actions))]
        model.apply_action(model.string_to_action(state.action_to_string(action)))
        state.apply_action(action)
        assert state.model == state.clone().model == model
    assert state.returns() == state.rewards() == model.returns().tolist()


@pytest.mark.parametrize("name", [SMALL, "python_fop(num_players=2,threshold=0.1)"])
def test_openspiel_plays_our_games(name):
    game = pyspiel.load_game(name)
    state = game.new_initial_state()
    if state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    python = mcts.MCTSBot(
        game, 1.4, 20, mcts.RandomRolloutEvaluator(), random_state=np.random.RandomState(0)
    )
    compiled = pyspiel.MCTSBot(
        game, pyspiel.RandomRolloutEvaluator(1, 0), 1.4, 20, 100, False, 0, False
    )
    _, best = minimax.expectiminimax(state, 1, lambda _: 0.0, 0)
    for action in (python.step(state), compiled.step_with_policy(state)[1], best):
        assert action in state.legal_actions()


@pytest.mark.parametrize(
    ("file", "name"),
    [
        (
            "openspiel_carcassonne.txt",
            "python_carcassonne(tiles=small,num_players=1,board_size=3,action_mode=index)",
        ),
        ("openspiel_fop.txt", "python_fop(num_players=2,threshold=0.1)"),
    ],
)
@pytest.mark.skipif(not pyspiel.__version__.startswith("2."), reason="as OpenSpiel 2 writes it")
def test_golden_playthroughs(golden, file, name):
    golden(file, generate_playthrough.playthrough(name, None, seed=0))


def test_processes_with_games_end_well():
    code = "import carcassonne_env.openspiel, fop_env.openspiel"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
