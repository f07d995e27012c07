"""Carcassonne's PettingZoo environment: what each player sees and gets, and options."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from carcassonne_env import CarcassonneModel, env
from carcassonne_env.encoding import Encoder
from carcassonne_env.tiles import LETTERS
from envs import FEW, SHORT, gains, modes, moves, same, started, told
from models import best_other

players = pytest.mark.parametrize("num_players", [1, 2, 5])
small = partial(started, partial(env, **SHORT))
"""A short game after a reset."""


def test_the_default_is_the_base_game_for_two():
    game = started(env)
    model = game.model
    assert (model.num_players, model.num_meeples, model.num_tiles) == (2, 7, 72)
    assert not model.is_deterministic
    assert game.agents == game.possible_agents == ["player_0", "player_1"]
    assert game.agent_selection == "player_0"
    assert game.action_space("player_1").n == 74 * 74 * 36


# What players see


@modes
@players
def test_each_player_sees_the_game_from_its_view(mode, num_players):
    game = small(num_players=num_players, action_mode=mode)
    encoder = Encoder(10, num_players, mode)
    for mover in moves(game):
        for viewer, agent in enumerate(game.agents):
            expected = encoder.observe(game.model, viewer, agent == mover)
            assert same(game.observe(agent), expected)


def test_infos_tell_the_position():
    game = small(num_players=3)
    for _ in moves(game):
        model = game.model
        for agent in game.agents:
            info = game.infos[agent]
            assert tuple(info["scores"]) == model.scores
            assert tuple(info["virtual_scores"]) == model.virtual_scores
            assert tuple(info["meeples"]) == model.meeples
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


def points(model: CarcassonneModel) -> np.ndarray:
    """The points of each player by kind of feature."""
    kinds = ("city", "road", "cloister", "farm")
    return np.array([[player[kind] for kind in kinds] for player in model.score_breakdown])


@modes
def test_players_without_a_turn_end_with_the_others(mode):
    tiles = {"B": 1, "D": 1}
    game = small(num_players=5, action_mode=mode, tiles=tiles, max_score=10)
    seen = told(game)
    num_decisions = 2 if mode == "two_step" else 1
    assert sorted(agent for agent, *_ in seen[num_decisions:]) == game.possible_agents
    assert [is_over for _, _, _, is_over, *_ in seen] == [False] * num_decisions + [True] * 5
    returns = game.model.returns()
    assert gains(seen) == dict(zip(game.possible_agents, returns, strict=True))


@modes
def test_a_game_ends_when_all_that_is_left_is_discarded(mode):
    game = env(num_players=3, action_mode=mode, board_size=3)
    game.reset(seed=0)
    seen = told(game)
    info = seen[-1][-1]
    assert info["discarded"] == 72 - len(game.model.board) >= 72 - 9
    assert [is_over for _, _, _, is_over, *_ in seen[-4:]] == [False, True, True, True]


def test_no_game_is_over_at_its_start():
    for letter in LETTERS:
        game = small(board_size=3, tiles={"D": 1, letter: 1 + (letter == "D")})
        assert not any(game.terminations.values())


# Rewards


@players
def test_rewards_are_those_of_the_result(num_players):
    for seed in range(3):
        gained = {}
        for reward in ("final", "win", "score"):
            game = small(seed, num_players=num_players, reward=reward, max_score=50)
            gained[reward] = gains(told(game))
        scores = game.model.scores
        leads = [score - best_other(scores, player) for player, score in enumerate(scores)]
        agents = game.possible_agents
        assert gained["score"] == dict(zip(agents, map(float, scores), strict=True))
        assert gained["final"] == {a: lead / 50 for a, lead in zip(agents, leads, strict=True)}
        assert gained["win"] == {a: np.sign(lead) for a, lead in zip(agents, leads, strict=True)}


# Options and seeds


def test_tiles_are_given():
    game = env(tiles=FEW)
    game.reset(seed=0, options={"tiles": {"B": 2, "D": 1}, "order": "BB"})
    assert len(told(game)) == 2 + 2
    assert game.model.num_tiles == 3
    game.reset(options={"unknown": 1})
    assert game.model.num_tiles == 10
