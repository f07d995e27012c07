"""The PettingZoo environment: its contract, what each player sees and gets, copies and options."""

from __future__ import annotations

import copy
import pickle
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import data_equivalence

import carcassonne_env
from agents import MCTS, RandomAgent, Rng
from carcassonne_env import CarcassonneModel, Move, env, raw_env
from carcassonne_env.encoding import ACTION_MODES, PLANES, Encoder
from carcassonne_env.pettingzoo_env import CarcassonneAECEnv
from carcassonne_env.tiles import LETTERS
from reference import STEPS

with warnings.catch_warnings():  # where pygame is installed, PettingZoo warns of a game of its own
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

FEW = {"A": 1, "B": 1, "D": 2, "E": 1, "J": 2, "U": 1, "V": 2}
"""Tiles of short games."""
ORDER = "BAVEDJUVJ"
"""All of them but the start tile."""

makers = pytest.mark.parametrize("make", [env, raw_env])
modes = pytest.mark.parametrize("mode", ACTION_MODES)
players = pytest.mark.parametrize("num_players", range(1, 6))


def small(make: Any = raw_env, seed: int = 0, **kwargs: Any) -> Any:
    """A short game after a reset."""
    game = make(**{"tiles": FEW, "num_meeples": 2, **kwargs})
    game.reset(seed=seed)
    return game


def same(data: Any, other: Any) -> bool:
    """Whether nested tuples, lists and dicts hold equal values and arrays of equal types."""
    return data_equivalence(data, other, exact=True)


def moves(game: Any, seed: int = 0) -> Iterator[str]:
    """Plays random legal actions until the game is over; yields who moves, before each move."""
    rng = Rng(seed)
    while not any(game.terminations.values()):
        agent = game.agent_selection
        yield agent
        legal = np.flatnonzero(game.observe(agent)["action_mask"])
        game.step(int(legal[rng.below(len(legal))]))


def play(game: Any, seed: int = 0) -> list[tuple]:
    """Plays on to the end; returns what each player was told in turn."""
    rng, told = Rng(seed), []
    for agent in game.agent_iter():
        told.append((agent, *game.last()))
        legal = np.flatnonzero(told[-1][1]["action_mask"])
        is_over = game.terminations[agent] or game.truncations[agent]
        game.step(None if is_over else int(legal[rng.below(len(legal))]))
    assert game.agents == []
    return told


def gains(told: list[tuple]) -> dict[str, float]:
    """The sum of the rewards of each player."""
    totals: Counter[str] = Counter()
    for agent, _, reward, *_ in told:
        totals[agent] += reward
    return dict(totals)


# The contract


# Unavoidable: the test knows no observations but arrays.
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
@makers
@modes
@players
def test_api(make, mode, num_players):
    settings = {"num_players": num_players, "action_mode": mode, "tiles": FEW, "num_meeples": 2}
    api_test(make(**settings), num_cycles=30)
    api_test(make(**settings, board_size=4, reward="score"), num_cycles=30)
    api_test(make(num_players=num_players, action_mode=mode), num_cycles=30)


@makers
@modes
@players
def test_seed(make, mode, num_players):
    settings = {"num_players": num_players, "action_mode": mode, "tiles": FEW}
    for deterministic in (True, False):
        seed_test(lambda d=deterministic: make(**settings, deterministic=d), num_cycles=20)


@pytest.mark.parametrize(
    ("num_players", "mode"), [(n, ACTION_MODES[n % len(ACTION_MODES)]) for n in range(1, 6)]
)
@pytest.mark.slow(keep="^[23]")
def test_render_modes(num_players, mode, screen):
    settings = {"num_players": num_players, "action_mode": mode, "tiles": {"B": 1, "D": 2}}
    render_test(lambda **kwargs: env(**settings, **kwargs))


@makers
def test_render(make):
    game = small(make, render_mode="ansi")
    texts = [game.render() for _ in moves(game)]
    assert len(set(texts)) == len(texts)
    assert "player 1: 0 points, 2 meeples" in texts[0]
    assert game.render() == str(game.unwrapped.model)


@makers
def test_render_pixels(make):
    pytest.importorskip("resvg_py")
    game = small(make, render_mode="rgb_array")
    pixels = game.render()
    assert (pixels.dtype, pixels.ndim, pixels.shape[2]) == (np.uint8, 3, 3)


def test_render_without_a_mode_warns():
    game = small()
    with pytest.warns(UserWarning, match="render_mode"):
        assert game.render() is None


@makers
def test_the_default_is_the_base_game_for_two(make):
    game = make()
    game.reset(seed=0)
    model = game.unwrapped.model
    assert (model.num_players, model.num_meeples, model.num_tiles) == (2, 7, 72)
    assert not model.is_deterministic
    assert game.agents == game.possible_agents == ["player_0", "player_1"]
    assert game.agent_selection == "player_0"
    assert game.action_space("player_1").n == 74 * 74 * 36
    assert game.metadata["name"] == "carcassonne_v0"
    assert not game.metadata["is_parallelizable"]


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="needs PettingZoo 1.26")
def test_registered():
    game = pettingzoo.make("aec", "carcassonne-v0", num_players=3, tiles=FEW, action_mode="index")
    game.reset(seed=0)
    assert game.possible_agents == ["player_0", "player_1", "player_2"]
    assert type(game.unwrapped) is CarcassonneAECEnv
    assert same(play(game), play(small(env, num_players=3, num_meeples=7, action_mode="index")))


# What players see


@makers
@modes
@players
def test_each_player_sees_the_game_from_its_view(make, mode, num_players):
    game = small(make, num_players=num_players, action_mode=mode)
    encoder = Encoder(10, num_players, mode)
    for mover in moves(game):
        model = game.unwrapped.model
        assert mover == f"player_{model.current_player()}"
        for viewer, agent in enumerate(game.agents):
            observation = game.observe(agent)
            assert observation in game.observation_space(agent)
            assert same(observation, encoder.observe(model, viewer, agent == mover))
            assert "action_mask" not in game.infos[agent]  # it stands in one place
            num_legal = len(model.legal_actions()) if agent == mover else 0
            assert observation["action_mask"].sum() == num_legal
            assert observation["observation"][PLANES.index("legal cell")].any() == (
                agent == mover and model.chosen is None
            )
    for agent in game.agents:
        assert not game.observe(agent)["action_mask"].any()


def test_two_players_see_each_other():
    game = small(num_meeples=4)
    own = [i for i, name in enumerate(PLANES) if name.startswith("own")]
    others = [i for i, name in enumerate(PLANES) if name.startswith("other")]
    num_seen = 0
    for _ in moves(game):
        first, second = (game.observe(agent) for agent in game.agents)
        for a, b in ((first, second), (second, first)):
            assert same(a["observation"][own], b["observation"][others])
            assert same(a["vector"][48:51], b["vector"][51:54])
            num_seen += a["observation"][own].sum()
        assert same(first["observation"][:14], second["observation"][:14])
        assert same(first["vector"][:48], second["vector"][:48])
    assert num_seen > 0


def num_cut_off(model: CarcassonneModel) -> int:
    """How many cells next to a tile lie outside the square of three by three."""
    cells = {(tile.x + x, tile.y + y) for tile in model.board for x, y in STEPS.values()}
    return sum(max(map(abs, cell)) > 1 for cell in cells)


def test_infos_tell_the_position():
    game = small(num_players=3, board_size=3)
    for _ in moves(game):
        model = game.model
        for agent in game.agents:
            info = game.infos[agent]
            assert tuple(info["scores"]) == model.scores
            assert tuple(info["virtual_scores"]) == model.virtual_scores
            assert tuple(info["meeples"]) == model.meeples
            assert info["discarded"] == 10 - model.num_tiles
            assert info["cut_off"] == num_cut_off(model)
            assert LETTERS[info["current_tile"]] == model.current_tile
            assert same(info["score_breakdown"], points(model))
            assert info["illegal_action"] is False
    assert same(game.infos["player_2"]["score_breakdown"], points(game.model))
    assert game.infos["player_0"]["current_tile"] == -1


@modes
@players
def test_the_state_tells_the_whole_position(mode, num_players):
    game = small(num_players=num_players, action_mode=mode)
    encoder = Encoder(10, num_players, mode)
    area, num_meeples = encoder.width**2, 0
    for agent in moves(game):
        state, model = game.state(), game.model
        assert state in game.state_space
        planes = state[: -encoder.vector_size - num_players].reshape(-1, area)
        own = [encoder.planes(model, p)[14:18].reshape(4, area) for p in range(num_players)]
        shown = encoder.planes(model, model.mover).reshape(-1, area)
        assert (planes == np.concatenate([shown[:14], *own, shown[22:]])).all()
        assert (state[len(planes) * area : -num_players] == encoder.vector(model, 0)).all()
        assert state[-num_players:].tolist() == [float(agent == a) for a in game.agents]
        num_meeples += sum(map(np.sum, own))
        state.fill(7)
    assert num_meeples > 0
    assert game.state() in game.state_space
    with pytest.raises(ResetNeeded):
        env(tiles="small").state()


def points(model: CarcassonneModel) -> np.ndarray:
    """The points of each player by kind of feature."""
    kinds = ("city", "road", "cloister", "farm")
    return np.array([[player[kind] for kind in kinds] for player in model.score_breakdown])


def test_full_infos_have_texts_and_dictionaries_too():
    game, plain = small(info="full"), small()
    for agent, _ in zip(moves(game), moves(plain), strict=True):
        more = {"tile": game.model.current_tile, "points": game.model.score_breakdown}
        assert same(game.infos[agent], {**plain.infos[agent], **more})
    assert game.infos["player_0"]["tile"] == ""


@makers
@modes
def test_nothing_is_shared_between_calls(make, mode):
    game, untouched = (small(make, action_mode=mode) for _ in range(2))
    for agent, other in zip(moves(game), moves(untouched), strict=True):
        assert agent == other
        for viewer in game.agents:
            observation, info = game.observe(viewer), game.infos[viewer]
            assert same(observation, untouched.observe(viewer))
            assert same(info, untouched.infos[viewer])
            for returned in (*observation.values(), *info.values()):
                if isinstance(returned, np.ndarray):
                    returned.fill(0)
            observation.clear()


@modes
def test_players_move_in_turn(mode):
    game = small(num_players=3, action_mode=mode)
    movers = list(moves(game))
    num_decisions = 2 if mode == "two_step" else 1
    turns = movers[::num_decisions]
    assert movers == [agent for agent in turns for _ in range(num_decisions)]
    assert turns == [f"player_{i % 3}" for i in range(len(game.model.board) - 1)]


@makers
@modes
def test_players_without_a_turn_end_with_the_others(make, mode):
    tiles = {"B": 1, "D": 1}
    game = small(make, num_players=5, action_mode=mode, tiles=tiles, max_score=10)
    told = play(game)
    num_decisions = 2 if mode == "two_step" else 1
    assert sorted(agent for agent, *_ in told[num_decisions:]) == game.possible_agents
    assert [is_over for _, _, _, is_over, *_ in told] == [False] * num_decisions + [True] * 5
    returns = game.unwrapped.model.returns()
    assert gains(told) == dict(zip(game.possible_agents, returns, strict=True))


@makers
@modes
def test_a_game_ends_when_all_that_is_left_is_discarded(make, mode):
    game = make(num_players=3, action_mode=mode, board_size=3)
    game.reset(seed=0)
    told = play(game)
    info = told[-1][-1]
    assert info["discarded"] == 72 - len(game.unwrapped.model.board) >= 72 - 9
    assert [is_over for _, _, _, is_over, *_ in told[-4:]] == [False, True, True, True]


def test_no_game_is_over_at_its_start():
    for letter in LETTERS:
        game = small(board_size=3, tiles={"D": 1, letter: 1 + (letter == "D")})
        assert not any(game.terminations.values())


# Rewards


def best_other(scores: tuple[int, ...], player: int) -> int:
    """The points of a player's best opponent; 0 if there is none."""
    return max((score for i, score in enumerate(scores) if i != player), default=0)


@makers
@players
def test_rewards_are_those_of_the_result(make, num_players):
    for seed in range(3):
        gained = {}
        for reward in ("final", "win", "score"):
            game = small(make, seed, num_players=num_players, reward=reward, max_score=50)
            gained[reward] = gains(play(game))
        scores = game.unwrapped.model.scores
        leads = [score - best_other(scores, player) for player, score in enumerate(scores)]
        agents = game.possible_agents
        assert gained["score"] == dict(zip(agents, map(float, scores), strict=True))
        assert gained["final"] == {a: lead / 50 for a, lead in zip(agents, leads, strict=True)}
        assert gained["win"] == {a: np.sign(lead) for a, lead in zip(agents, leads, strict=True)}


@makers
def test_rewards_of_a_step(make):
    game = small(make, num_players=2, reward="score")
    before = game.unwrapped.model.scores
    for _ in moves(game):
        now = game.unwrapped.model.scores
        expected = [float(new - old) for new, old in zip(now, before, strict=True)]
        assert list(game.rewards.values()) == (
            expected if game.unwrapped.model.board[1:] else [0, 0]
        )
        assert {type(reward) for reward in game.rewards.values()} == {float}
        before = now


@makers
def test_final_rewards_come_at_the_end_alone(make):
    game = small(make, num_players=4)
    for _ in moves(game):
        assert set(game.rewards.values()) == {0}
        assert set(game.terminations.values()) == set(game.truncations.values()) == {False}
    assert set(game.terminations.values()) == {True}
    assert set(game.truncations.values()) == {False}
    assert list(game.rewards.values()) == game.unwrapped.model.returns().tolist()


# Illegal actions and wrong calls


@modes
def test_an_illegal_action_ends_the_game(mode):
    for num_moves in range(6):
        game = small(env, num_players=3, action_mode=mode)
        playing = moves(game)
        for _ in range(num_moves + 1):
            mover = next(playing)
        before = game.unwrapped.model.clone()
        mask = game.observe(mover)["action_mask"]
        game.step(int(np.flatnonzero(mask == 0)[num_moves]))
        assert game.unwrapped.model == before
        assert set(game.terminations.values()) == {True}
        refused = [a for a in game.agents if game.infos[a]["illegal_action"]]
        assert refused == [mover]
        told = play(game)
        assert gains(told) == {a: -1.0 * (a == mover) for a in game.possible_agents}
        game.reset()
        assert not any(game.terminations.values())
        play(game)


@pytest.mark.parametrize("max_score", [None, 1])
@pytest.mark.parametrize("num_players", [1, 2, 4])
@pytest.mark.parametrize("reward", ["score", "final", "win", "virtual"])
def test_an_illegal_action_never_pays(reward, num_players, max_score):
    kwargs = {"num_players": num_players, "reward": reward, "max_score": max_score}
    game, illegal = small(env, **kwargs, seed=3), -1
    totals = dict.fromkeys(game.agents, 0.0)
    for num_moves, mover in enumerate(moves(game)):
        if num_moves:
            totals = {agent: totals[agent] + game.rewards[agent] for agent in totals}
        twin = game.clone()
        illegal = int(game.observe(mover)["action_mask"].argmin())
        twin.step(illegal)
        lost = twin.rewards[mover]
        assert {**twin.rewards, mover: 0} == dict.fromkeys(totals, 0)
        assert lost < 0
        told = play(twin)
        assert {agent: reward for agent, _, reward, *_ in told}[mover] == lost
        if reward == "virtual":
            forfeit = small(num_players=2).model.max_score() if num_players > 1 else 1
            assert totals[mover] + lost == -forfeit
        for seed in range(3):
            twin = game.clone()
            gain = 0.0
            for _ in moves(twin, seed):
                gain += twin.rewards[mover]
            gain += twin.rewards[mover] - game.rewards[mover]
            assert lost <= gain


@modes
def test_raw_environments_refuse_illegal_actions(mode):
    game = small(action_mode=mode)
    before = game.model.clone()
    action = int(np.flatnonzero(game.observe("player_0")["action_mask"] == 0)[0])
    with pytest.raises(InvalidAction, match=f"action {action} is illegal"):
        game.step(action)
    assert game.model == before


@makers
@pytest.mark.parametrize("action", [-1, 5184, 10**30, 1.5, "3", None, np.array([3])], ids=repr)
def test_an_action_outside_the_space_is_refused(make, action):
    game = small(make)
    before = game.unwrapped.model.clone()
    with pytest.raises((InvalidAction, AssertionError, TypeError, IndexError)):
        game.step(action)
    assert game.unwrapped.model == before


@makers
def test_no_position_before_a_reset(make):
    game = make(tiles=FEW)
    for ask in (lambda: game.unwrapped.model, lambda: game.step(0), lambda: game.env_action(0)):
        with pytest.raises(ResetNeeded, match="no position yet: call reset"):
            ask()
    assert copy.deepcopy(game).agents == []


@makers
@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *(("num_players", 0), ("num_players", 6), ("num_meeples", -1), ("tiles", "large")),
        *(("action_mode", "both"), ("board_size", 2), ("reward", "difference")),
        *(("render_mode", "svg"), ("deterministic", "no"), ("max_score", 0)),
    ],
)
def test_bad_argument_is_named(make, argument, value):
    with pytest.raises((TypeError, ValueError), match=argument) as refusal:
        make(**{argument: value})
    assert repr(value) in str(refusal.value)


def test_unknown_argument_is_named():
    with pytest.raises(TypeError, match="'opponent'"):
        env(opponent="random")


# Options and seeds


@makers
def test_order_is_given(make):
    game = small(make)
    game.reset(options={"order": ORDER})
    model = game.unwrapped.model
    assert model.current_tile + model.order == ORDER
    game.reset()
    assert not game.unwrapped.model.is_deterministic


@makers
def test_tiles_are_given(make):
    game = make(tiles=FEW)
    game.reset(seed=0, options={"tiles": {"B": 2, "D": 1}, "order": "BB"})
    assert len(play(game)) == 2 + 2
    assert game.unwrapped.model.num_tiles == 3
    game.reset(options={"unknown": 1})
    assert game.unwrapped.model.num_tiles == 10


@makers
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tiles": "small"}, "at most 10 tiles, got 24"),
        ({"order": "ABC"}, "order .* 'ABC'"),
        ({"tiles": {"B": 1}}, "tiles .* a D"),
    ],
)
def test_bad_options_are_named(make, options, message):
    game = make(tiles=FEW)
    with pytest.raises(ValueError, match=message):
        game.reset(options=options)


@makers
@pytest.mark.parametrize("deterministic", [True, False], ids="ds")
def test_same_seed_same_game(make, deterministic):
    def boards(seed: int) -> list:
        game = small(make, seed, deterministic=deterministic)
        play(game)
        seen = [game.unwrapped.model.board]
        for _ in range(2):  # without a seed the stream goes on
            game.reset()
            play(game)
            seen.append(game.unwrapped.model.board)
        return seen

    first = [boards(seed) for seed in range(4)]
    assert first == [boards(seed) for seed in range(4)]
    assert len({repr(board) for seen in first for board in seen}) == 12


# Copies and planners

DUPLICATES = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda game: pickle.loads(pickle.dumps(game)),
}


@makers
@modes
@pytest.mark.parametrize("duplicate", DUPLICATES.values(), ids=DUPLICATES)
def test_copies_go_on_alike_and_apart(make, mode, duplicate):
    game = small(make, num_players=3, action_mode=mode)
    playing = moves(game)
    for _ in range(6):
        next(playing)
    twin = duplicate(game)
    assert twin.unwrapped.model == game.unwrapped.model
    future = play(twin)
    assert len(game.agents) == 3
    assert same(play(game), future)
    game.reset()
    twin.reset()
    assert same(play(game), play(twin))


@pytest.mark.parametrize("duplicate", [CarcassonneAECEnv.clone, copy.copy])
def test_raw_environment_is_cloned(duplicate):
    game = small()
    twin = duplicate(game)
    future = play(twin)
    assert len(game.model.board) == 1
    assert same(play(game), future)


@makers
@modes
@pytest.mark.parametrize("agent", [MCTS(15, seed=0), RandomAgent(0)], ids=["MCTS", "random"])
def test_agents_act(make, mode, agent):
    game = small(make, action_mode=mode)
    while not game.unwrapped.model.is_terminal():
        before = game.unwrapped.model.clone()
        action = agent.act(game)
        assert game.unwrapped.model == before
        assert game.observe(game.agent_selection)["action_mask"][action] == 1
        game.step(action)
    assert game.rewards["player_0"] == game.unwrapped.model.returns()[0]


@modes
def test_env_action_translates(mode):
    game = small(action_mode=mode)
    for agent in moves(game):
        numbers = [game.env_action(action) for action in game.model.legal_actions()]
        assert sorted(numbers) == np.flatnonzero(game.observe(agent)["action_mask"]).tolist()


def test_a_game_in_words():
    game = raw_env(num_meeples=1, tiles={"B": 2, "D": 1}, reward="score")
    game.reset(options={"order": "BB"})
    for x, cell in ((0, (0, -1)), (1, (0, -2))):
        move = Move(*cell, 0, ("cloister",) if x == 0 else None)
        game.step(game.env_action(game.model.encode_action(move)))
    assert isinstance(game.model, CarcassonneModel)
    assert game.model.scores == (3, 0)  # an unfinished cloister and its two neighbours
    assert game.rewards == {"player_0": 3.0, "player_1": 0.0}
    assert game.terminations == {"player_0": True, "player_1": True}


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
def test_only_the_agent_to_move_has_a_mask_to_the_very_end(action_mode):
    env = carcassonne_env.env(tiles="small", action_mode=action_mode)
    for illegal_at in (0, 7, None):
        env.reset(seed=0)
        for step, agent in enumerate(env.agent_iter()):
            observation, _, is_over, *_ = env.last()
            mask = observation["action_mask"]
            assert mask.any() == (not is_over)
            for other in env.agents:
                if other != agent:
                    assert not env.observe(other)["action_mask"].any()
            action = int(mask.argmin() if step == illegal_at else mask.argmax())
            env.step(None if is_over else action)


def test_steps_out_of_order_are_refused():
    env = carcassonne_env.env(tiles="small")
    for ask in (env.last, env.agent_iter, lambda: env.step(0), lambda: env.observe("player_0")):
        with pytest.raises(ResetNeeded):
            ask()
    env.reset(seed=0)
    env.step(0)  # illegal
    env.step(None)
    env.step(None)
    for ask in (env.last, lambda: env.step(None)):
        with pytest.raises(ResetNeeded, match="all agents were removed"):
            ask()
    env.reset(seed=0)
    env.model.apply_action(env.model.sample_action(0))
    with pytest.raises(ResetNeeded, match="action was applied to the model"):
        env.step(0)
