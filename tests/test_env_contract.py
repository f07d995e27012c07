"""What holds for the environments of all games, for one learner and for several."""

from __future__ import annotations

import dataclasses
import itertools
import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.error import InvalidAction, ResetNeeded
from gymnasium.utils.env_checker import check_env

import carcassonne_env
import fop_env
from agents import MCTS, RandomAgent, Rng
from agents.environments import aec_env, gymnasium_env, raw_aec_env
from carcassonne_env.encoding import ACTION_MODES
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.rewards import REWARDS
from carcassonne_env.vector_env import CarcassonneVectorEnv
from envs import (
    AEC,
    DUPLICATES,
    FEW,
    GYMNASIUM,
    IDS,
    every_duplicate,
    future,
    gains,
    illegal_action,
    legal_action,
    mask_of,
    moves,
    results,
    same,
    started,
    steps,
    told,
    wipe,
)
from fop_env.gymnasium_env import FopEnv

with warnings.catch_warnings():  # where pygame is installed, PettingZoo warns of a game of its own
    warnings.simplefilter("ignore")
    from pettingzoo.test import api_test, render_test, seed_test

FOP_IDS = [f"FOP-{function}" for function in fop_env.FUNCTIONS]

learners = pytest.mark.parametrize("make", GYMNASIUM.values(), ids=GYMNASIUM)
games = pytest.mark.parametrize("make", AEC.values(), ids=AEC)
EVERY = {**GYMNASIUM, **{f"AEC {name}": make for name, make in AEC.items()}}
every_environment = pytest.mark.parametrize("make", EVERY.values(), ids=EVERY)
ONE_OF_EACH = [
    *(CarcassonneEnv, partial(carcassonne_env.env, tiles=FEW), FopEnv, fop_env.env),
    *(partial(make, "hex(size=3)") for make in (gymnasium_env, aec_env)),
]
one_of_each = pytest.mark.parametrize("make", ONE_OF_EACH)
every_id = pytest.mark.parametrize("name", [*IDS, *FOP_IDS])


# The checkers of the libraries


@learners
def test_check_env(make):
    check_env(started(make), skip_render_check=True)


@pytest.fixture
def small_pictures(monkeypatch):
    """Rendering takes a tenth of the time."""
    for module in ("agents.environments", "carcassonne_env.episode"):
        monkeypatch.setattr(f"{module}.FRAME", (60, 60))


@pytest.mark.parametrize("name", ["Carcassonne-1p-3m-d", "FOP-f1"])
@pytest.mark.usefixtures("small_pictures")
def test_check_env_of_the_render_modes(name, screen):
    check_env(gymnasium.make(name).unwrapped)


OBSERVATIONS = ["full", "features", "scaled_features", "planes", "flat", "tiles"]


@pytest.mark.parametrize("opponent", ["", "random", "greedy", "mcts(iterations=5)"])
@pytest.mark.parametrize("mode", ACTION_MODES)
def test_check_env_of_every_setting_of_carcassonne(mode, opponent):
    rivals = {"num_players": 2, "opponent": opponent} if opponent else {}
    rewards = itertools.cycle(REWARDS)
    for observation, info in itertools.product(OBSERVATIONS, ["full", "numbers"]):
        settings = {"reward": next(rewards), "observation": observation, "info": info}
        env = CarcassonneEnv(tiles=FEW, action_mode=mode, board_size=9, **rivals, **settings)
        check_env(env, skip_render_check=True)


# Unavoidable: the test knows no observations but arrays.
@pytest.mark.filterwarnings(
    "ignore:Observation space for each agent probably should be:UserWarning",
    "ignore:Observation is not a NumPy array:UserWarning",
)
@games
def test_api(make):
    api_test(make(), num_cycles=50)
    if "action_mask" in make().observation_space("player_0").spaces:
        api_test(make(render_mode="ansi"), num_cycles=10)


@games
def test_seed(make):
    seed_test(make, num_cycles=30)


RENDERED = {
    "carcassonne": partial(carcassonne_env.env, tiles={"B": 1, "D": 2}, action_mode="two_step"),
    "fop": partial(fop_env.env, threshold=0.3),
    **{name: make for name, make in AEC.items() if name.startswith("any game")},
}


@pytest.mark.parametrize("make", RENDERED.values(), ids=RENDERED)
@pytest.mark.slow(keep="^carcassonne|fop|dice|hex")
@pytest.mark.usefixtures("small_pictures")
def test_render_modes(make, screen, capsys):
    render_test(make)
    is_printed = make().metadata["render_modes"] == ["ansi", "human"]
    assert bool(capsys.readouterr().out) == is_printed


# Registration


@every_id
def test_ids_have_a_specification_in_json_and_a_version(name):
    spec, other = gymnasium.spec(name), gymnasium.spec(name.replace("-", "/", 1) + "-v0")
    restored = EnvSpec.from_json(spec.to_json())
    assert restored == spec
    assert EnvSpec.from_json(other.to_json()) == other
    assert same([*results(gymnasium.make(restored), 1)], [*results(gymnasium.make(name), 1)])
    assert other.version == 0
    for part in ("entry_point", "kwargs", "vector_entry_point", "max_episode_steps"):
        assert getattr(other, part) == getattr(spec, part)


def test_gymnasium_imports_the_package_by_name():
    """That of Carcassonne in the first example of the README, too."""
    program = "import gymnasium as g; g.make('fop_env:FOP-f1').reset(seed=0)"
    root = Path(fop_env.__file__).parents[1]
    subprocess.run([sys.executable, "-W", "error", "-c", program], check=True, cwd=root)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="needs PettingZoo 1.26")
@pytest.mark.parametrize(
    ("name", "make"), [("carcassonne", carcassonne_env.env), ("fop", fop_env.env)]
)
def test_pettingzoo_knows_the_games(name, make):
    game = pettingzoo.make("aec", f"{name}-v0", num_players=1)
    assert game.possible_agents == ["player_0"]
    assert type(game.unwrapped) is make
    assert game.metadata["name"] == f"{name}_v0"
    assert not game.metadata["is_parallelizable"]


# What an episode returns


def kinds(info: dict[str, Any]) -> dict[str, Any]:
    """Type and shape of each value."""
    return {key: (np.asarray(value).dtype, np.shape(value)) for key, value in info.items()}


@learners
def test_results_are_of_their_types(make):
    env = make()
    start, *rest = results(env, 1)
    for observation, *outcome, info in (start, *rest):
        assert observation in env.observation_space
        assert [*observation] == [*env.observation_space.spaces]
        assert [*observation][:2] == ["observation", "action_mask"]
        masks = info["action_mask"], observation["action_mask"]
        assert same(*masks)
        assert np.shares_memory(*masks)
        assert kinds(info).keys() == kinds(start[-1]).keys()
        if not {"tile", "points"} & info.keys():  # texts of info="full"
            assert kinds(info) == kinds(start[-1])
            assert {dtype.kind for dtype, _ in kinds(info).values()} <= set("bif")
        assert [type(part) for part in outcome] in ([], [float, bool, bool])
    assert [result[2] for result in rest] == [False] * (len(rest) - 1) + [True]
    assert not any(result[3] for result in rest)
    assert not rest[-1][0]["action_mask"].any()


@learners
def test_masks_are_the_legal_actions_of_the_learner(make):
    env = started(make)
    agent, is_over = RandomAgent(0), False
    while not is_over:
        model, masks = env.model, env.action_masks()
        assert masks.dtype == np.int8
        assert model.current_player() == env.seat
        numbers = [getattr(env, "env_action", int)(action) for action in model.legal_actions()]
        assert sorted(numbers) == np.flatnonzero(masks).tolist()
        observation, _, is_over, _, info = env.step(agent.act(env))
        for mask in (observation["action_mask"], info["action_mask"]):
            assert same(mask, env.action_masks())


@games
def test_only_the_player_to_move_has_actions(make):
    game = started(make)
    agents = game.possible_agents
    assert game.agents == agents == [f"player_{i}" for i in range(len(agents))]
    infos = kinds(game.infos[agents[0]])
    for mover in moves(game):
        model = game.model
        assert mover == f"player_{model.current_player()}"
        assert game.state() in game.state_space
        for agent in agents:
            observation = game.observe(agent)
            assert observation in game.observation_space(agent)
            legal = model.legal_actions() if agent == mover else []
            numbers = [getattr(game, "env_action", int)(action) for action in legal]
            assert sorted(numbers) == np.flatnonzero(observation["action_mask"]).tolist()
            assert "action_mask" not in game.infos[agent]  # it stands in one place
            assert kinds(game.infos[agent]).keys() == infos.keys()
            assert (game.terminations[agent], game.truncations[agent]) == (False, False)
        assert {type(reward) for reward in game.rewards.values()} == {float}
    assert set(game.terminations.values()) == {True}
    assert set(game.truncations.values()) == {False}
    assert not any(game.observe(agent)["action_mask"].any() for agent in agents)


@games
def test_every_player_is_told_the_end_once(make):
    game = started(make)
    seen = told(game)
    over = [agent for agent, _, _, is_over, *_ in seen if is_over]
    assert sorted(over) == game.possible_agents
    assert [is_over for _, _, _, is_over, *_ in seen[-len(over) :]] == [True] * len(over)


@every_environment
def test_nothing_is_shared_between_calls(make):
    env, untouched = started(make, 2), started(make, 2)
    rng, is_over = Rng(0), False
    while not is_over:
        action = legal_action(untouched, rng)
        assert same(mask_of(env), mask_of(untouched))
        returned, expected = env.step(action), untouched.step(action)
        assert same(returned, expected)
        if returned is None:
            returned, expected = (
                [(game.observe(agent), game.infos[agent], game.state()) for agent in game.agents]
                for game in (env, untouched)
            )
            assert same(returned, expected)
        wipe(returned)
        wipe(mask_of(env))
        is_over = untouched.unwrapped.model.is_terminal()


# Seeds


@every_environment
def test_the_seed_decides_everything(make):
    assert same(future(started(make, 5)), future(started(make, 5)))


@pytest.mark.parametrize("deterministic", [True, False])
@pytest.mark.parametrize("make", [CarcassonneEnv, partial(carcassonne_env.env, tiles="small")])
def test_other_seeds_give_other_games_and_without_a_seed_the_stream_goes_on(make, deterministic):
    def boards(seed):
        env, seen = started(make, seed, deterministic=deterministic), []
        for _ in range(3):
            _ = list(steps(env)) if isinstance(env, CarcassonneEnv) else told(env)
            seen.append(repr(env.model.board))
            env.reset()
        return seen

    assert boards(7) == boards(7)
    assert len({board for seed in range(4) for board in boards(seed)}) == 12


@pytest.mark.parametrize("make", [*GYMNASIUM.values()][:2])
def test_steps_do_not_touch_np_random(make):
    env = started(make)
    before = env.np_random.bit_generator.state
    _ = list(steps(env))
    assert env.np_random.bit_generator.state == before


# Wrong calls

OUTSIDE = [-1, 10**6, 10**30, 1.0, "1", None, np.array([1])]


@pytest.mark.parametrize("illegal", ["terminate", "raise"])
@every_environment
def test_an_action_outside_the_space_is_refused(make, illegal):
    settings = {} if "fop_env" in repr(make) else {"illegal_action": illegal}
    env = started(make, **settings)
    before = env.model.clone()
    for action in OUTSIDE:
        with pytest.raises(InvalidAction, match=r"must be an integer in .*, got ") as refusal:
            env.step(action)
        assert repr(action) in str(refusal.value)
    assert env.model == before


@pytest.mark.parametrize("kind", [int, np.int64, np.int32, np.uint16, np.array])
@one_of_each
def test_integers_of_any_kind_are_actions(make, kind):
    env = started(make)
    before = env.model.clone()
    env.step(kind(legal_action(env, Rng(0))))
    assert env.model != before


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_integers_of_any_kind_are_arguments(kind):
    carcassonne_env.env(num_players=kind(2)).reset()
    envs = CarcassonneVectorEnv(kind(2), tiles=FEW)
    envs.reset()
    assert len(envs.play_randomly(kind(100), Rng(0))[0]) == 100


@learners
@pytest.mark.parametrize("num_steps", [0, 3])
def test_an_illegal_action_ends_the_episode(make, num_steps):
    env = started(make, num_steps=num_steps)
    if not mask_of(env).any():
        pytest.skip("the game is over by then")
    before, action = env.model.clone(), illegal_action(env)
    is_carcassonne = isinstance(env, CarcassonneEnv)
    expected = env.action_masks() * is_carcassonne
    observation, reward, *ends, info = env.step(action)
    assert same(observation["action_mask"], expected)
    assert same(env.action_masks(), expected)
    assert ends == [True, False]
    assert type(reward) is float
    assert reward < 0
    assert info.get("illegal_action") == (True if is_carcassonne else None)
    assert env.model == before
    with pytest.raises(ResetNeeded, match="the episode is over: call reset"):
        env.step(action)
    assert not env.reset()[1].get("illegal_action", False)
    assert not next(steps(env))[-1].get("illegal_action", False)


@games
def test_an_illegal_action_ends_the_game(make):
    for num_moves in range(3 if make in [*AEC.values()][:4] else 1):
        game = started(make, num_steps=num_moves)
        before, mover = game.model.clone(), game.agent_selection
        game.step(illegal_action(game))
        assert game.model == before
        assert set(game.terminations.values()) == {True}
        assert not any(game.observe(agent)["action_mask"].any() for agent in game.agents)
        assert [a for a in game.agents if game.infos[a].get("illegal_action", a == mover)] == [
            mover
        ]
        assert all((game.rewards[agent] < 0) == (agent == mover) for agent in game.agents)
        lost = dict(game.rewards)
        assert gains(told(game)) == lost
        game.reset()
        assert not any(game.terminations.values())
        assert told(game)


@every_environment
def test_an_illegal_action_raises(make):
    settings = {} if "fop_env" in repr(make) else {"illegal_action": "raise"}
    env = started(make, **settings)
    expected, action = future(env.clone()), illegal_action(env)
    refusal = rf"action {action} is illegal; {mask_of(env).sum()} actions are legal: \["
    with pytest.raises(InvalidAction, match=refusal):
        env.step(action)
    assert same(future(env), expected)


def test_raw_environments_refuse_illegal_actions():
    for make in (partial(carcassonne_env.raw_env, 3, 2), partial(raw_aec_env, "hex(size=3)")):
        game = started(make, num_steps=1)
        with pytest.raises(InvalidAction, match="is illegal"):
            game.step(illegal_action(game))


def test_an_illegal_action_changes_nothing_with_noop():
    env = started(CarcassonneEnv, num_steps=5, illegal_action="noop")
    expected = future(env.clone())
    for action in np.flatnonzero(env.action_masks() == 0)[::997].tolist():
        observation, *outcome, info = env.step(action)
        assert outcome == [-1.0, False, False]
        assert str(outcome[0]) == "-1.0"  # a plain number
        assert info["illegal_action"] is True
        assert same(observation["action_mask"], env.action_masks())
    assert same(future(env), expected)


@every_environment
def test_steps_out_of_order_are_refused(make):
    env = make()
    asks = [lambda: env.model, lambda: env.step(0), lambda: env.clone().model]
    is_gymnasium = isinstance(env, gymnasium.Env)
    names = ["action_masks", "get_state"] if is_gymnasium else ["last", "agent_iter", "state"]
    asks += [getattr(env, name) for name in names]
    asks += [] if is_gymnasium else [lambda: env.observe("player_0")]
    for ask in asks:
        with pytest.raises(ResetNeeded, match="no position yet: call reset"):
            ask()
    for _ in range(2):
        env.reset()
        _ = list(steps(env)) if is_gymnasium else told(env)
        message = "the episode is over" if is_gymnasium else "all agents were removed"
        for ask in [lambda: env.step(0)] if is_gymnasium else [env.last, lambda: env.step(None)]:
            with pytest.raises(ResetNeeded, match=f"{message}: call reset"):
                ask()
    env.reset()
    env.model.apply_action(env.model.legal_actions()[0])
    if not env.model.is_terminal() and env.model.current_player() != getattr(env, "seat", 0):
        with pytest.raises(ResetNeeded, match="an action was applied to the model: call reset"):
            env.step(0)


@one_of_each
def test_unknown_options_are_refused_by_gymnasium_and_ignored_by_pettingzoo(make):
    env = started(make, num_steps=1)
    before = env.model.clone()
    if isinstance(env, gymnasium.Env):
        with pytest.raises(ValueError, match=r"options must be .*, got \['start'\]"):
            env.reset(seed=12345, options={"start": 1})
        assert env.model == before
        assert env.np_random_seed != 12345  # nor are the draws to come changed
    else:
        env.reset(options={"start": 1})
        assert env.model != before
    env.reset(options={})
    for options in (3, ["start"]):
        with pytest.raises(TypeError, match=r"options must be a mapping .* or None, got "):
            env.reset(options=options)


@pytest.mark.parametrize("make", [CarcassonneEnv, carcassonne_env.env])
def test_a_refused_reset_leaves_the_draws_to_come(make):
    env = started(make, num_steps=1)
    before = env.np_random.bit_generator.state
    with pytest.raises(ValueError, match="order"):
        env.reset(seed=12345, options={"order": "bad"})
    assert env.np_random.bit_generator.state == before


def test_environments_can_be_made_anew_with_other_settings():
    unseen = CarcassonneVectorEnv(2, observation="none")
    for env in (CarcassonneEnv(), CarcassonneVectorEnv(2, self_play=True), unseen):
        other = dataclasses.replace(env, num_meeples=1)
        assert other.num_meeples == 1
        assert other.observation_space == env.observation_space


@pytest.mark.parametrize("make", [CarcassonneEnv, FopEnv])
def test_seats_that_the_game_does_not_have_are_refused_at_the_reset(make):
    (env := started(make)).seat = 1
    before = env.np_random.bit_generator.state
    with pytest.raises(ValueError, match=r"seat must be in \[0, 0\], got 1"):
        env.reset(seed=12345)
    assert env.np_random.bit_generator.state == before


@pytest.mark.parametrize("make", [carcassonne_env.env, fop_env.env, partial(aec_env, "hex")])
def test_unknown_agents_are_refused(make):
    env = started(make)
    for method in (env.observe, env.observation_space, env.action_space):
        with pytest.raises(ValueError, match=r"agent must be one of .* got 'player_9'"):
            method("player_9")


# Copies


@every_duplicate
@every_environment
def test_copies_go_on_alike_and_apart(make, duplicate):
    env = started(make, seed=1, num_steps=3)
    before = env.model.clone()
    twin = duplicate(env)
    expected = future(twin)
    assert env.model == before
    assert same(future(env), expected)


@every_environment
def test_copies_of_what_is_over_are_over(make):
    new, env = make(), started(make)
    _ = list(steps(env)) if isinstance(env, gymnasium.Env) else told(env)
    for original, duplicate in itertools.product((new, env), DUPLICATES.values()):
        with pytest.raises(ResetNeeded):
            duplicate(original).step(0)


@learners
def test_state_is_returned_to(make):
    for seed in range(3):
        env = started(make, seed, num_steps=seed)
        if not mask_of(env).any():
            continue
        state, seat = env.get_state(), env.seat
        expected = list(steps(env))
        for other in (env, env, started(make, 9, num_steps=1), make()):
            other.set_state(state)
            assert other.seat == seat
            assert same(list(steps(other)), expected)
        env.set_state(env.get_state())
        with pytest.raises(ResetNeeded, match="the episode is over"):
            env.step(0)


STATES = {
    CarcassonneEnv: (
        *({}, {"action_mode": "two_step"}, {"board_size": 9}, {"max_score": 9}),
        *({"num_players": 2}, {"num_players": 2, "seat": 1}),
    ),
    FopEnv: ({}, {"function": "f2"}, {"branching": 3}, {"threshold": 0.1}, {"dimensions": 2}),
    gymnasium_env: tuple({"model": f"hex(size={size})"} for size in (3, 4)),
}


@pytest.mark.parametrize("make", STATES, ids=lambda make: make.__name__)
def test_state_of_another_game_is_refused(make):
    for settings, other in itertools.permutations(STATES[make], 2):
        env = started(make, num_steps=2, **settings)
        before = env.model.clone()
        with pytest.raises(ValueError, match="the state is of another"):
            env.set_state(started(make, **other).get_state())
        for state in ((1, 2, 3), env.model, None):
            with pytest.raises((TypeError, ValueError), match="state"):
                env.set_state(state)
        assert env.model == before


# Pictures


@every_environment
def test_text_shows_every_position(make):
    env = started(make, render_mode="ansi")
    texts = [env.render()]
    for _ in steps(env) if isinstance(env, gymnasium.Env) else moves(env):
        assert env.render() == str(env.model)
        texts.append(env.render())
    assert len(set(texts)) > 1


@one_of_each
def test_pixels_show_every_position(make):
    env = started(make, render_mode="rgb_array")
    before = env.render()
    env.step(legal_action(env, Rng(0)))
    after = env.render()
    assert before.dtype == np.uint8
    assert before.shape == after.shape
    height = {"Carc": 720, "FopE": 400, "FopA": 400, "Forw": 600}[type(env).__name__[:4]]
    assert before.shape == (height, max(600, height), 3)
    assert not np.array_equal(before, after)


@one_of_each
@pytest.mark.usefixtures("small_pictures")
def test_a_window_shows_every_position_until_it_is_closed(make, screen):
    env, rng, pictures = started(make, render_mode="human"), Rng(0), []
    for _ in range(2):
        pictures.append(screen.surfarray.array3d(screen.display.get_surface()))
        env.step(legal_action(env, rng))
    assert env.render() is None
    assert pictures[0].shape[0] == (600 if "fop_env" in repr(make) else 60)
    assert not np.array_equal(*pictures)
    twin = env.clone()
    assert twin.window is not env.window
    assert twin.window.screen is None
    screen.event.post(screen.event.Event(screen.QUIT))
    env.step(legal_action(env, rng))
    assert (env.window.is_closed, twin.window.is_closed) == (True, False)
    env.step(legal_action(env, rng))  # the game goes on unseen
    env.close()
    twin.close()
    assert twin.window.is_closed


def test_environments_with_windows_play_side_by_side(screen):
    makers = FopEnv, partial(gymnasium_env, "hex(size=3)"), partial(gymnasium_env, "dodgem")
    envs = [started(make, render_mode="human") for make in makers]  # two have equal sizes
    for env in (*envs, *envs):
        env.step(legal_action(env, Rng(0)))
        shown = screen.surfarray.array3d(screen.display.get_surface())
        assert np.array_equal(shown.swapaxes(0, 1), env._pixels())
        assert screen.display.get_caption()[0] == env.window.caption
    envs[0].close()
    envs[1].step(legal_action(envs[1], Rng(0)))
    assert screen.display.get_surface() is envs[1].window.screen
    for env in envs:
        env.close()


@every_environment
def test_render_without_a_mode_warns(make):
    with pytest.warns(UserWarning, match="render_mode.*'ansi'"):
        assert started(make).render() is None


# Planners and vectors


@pytest.mark.parametrize("agent", [MCTS(15, seed=0), RandomAgent(0)], ids=repr)
@every_environment
def test_agents_act(make, agent):
    env = started(make)
    while not env.model.is_terminal():
        before = env.model.clone()
        action = agent.act(env)
        assert env.model == before
        assert mask_of(env)[action] == 1
        env.step(action)


# Bad arguments

CARCASSONNE = [
    *(("num_players", 6), ("num_meeples", -1), ("tiles", "large"), ("board_size", 146)),
    *(("action_mode", value) for value in ("three_step", None)),
    *(("max_rows", value) for value in (0, 10**6, 2.0, 12)),  # without rows in the mode "flat"
    *(("deterministic", "no"), ("max_score", 0), ("reward", "difference"), ("info", "all")),
    *(("observation", "terms"), ("illegal_action", "ignore"), ("illegal_action", None)),
    ("render_mode", "svg"),
]
SEATED = [
    *(("seat", value) for value in (2, -1, "0")),
    *(("opponent", value) for value in ("nobody", "mcts(c=-)", None, RandomAgent)),
]
VECTORS = [
    *(("num_envs", value) for value in (0, -1, 2.0, True, "2", None)),
    *(("num_threads", value) for value in (0, 1.5, True)),
    *(("max_episode_steps", value) for value in (0, -2, 1.5, "9", True)),
    *(("self_play", "yes"), ("autoreset_mode", "Never"), ("render_mode", "rgb_array")),
]
FOP = [
    *(("branching", 1), ("threshold", 2), ("dimensions", 3), ("function", "f6")),
    ("render_mode", "svg"),
]
BOTH = CarcassonneEnv, CarcassonneVectorEnv
BAD = [
    *((make, *bad) for make in (CarcassonneEnv, carcassonne_env.env) for bad in CARCASSONNE),
    *((CarcassonneVectorEnv, *bad) for bad in (*CARCASSONNE, *VECTORS)),
    *((partial(make, num_players=2), *bad) for make in BOTH for bad in SEATED),
    *((make, *bad) for make in BOTH for bad in (("opponent", "greedy"), ("seat", 1))),
    *((CarcassonneEnv, "observation", "none"), (carcassonne_env.env, "illegal_action", "noop")),
    *((make, *bad) for make in (FopEnv, fop_env.env) for bad in FOP),
    *((FopEnv, "reward", "mean"), (fop_env.env, "num_players", 3)),
]


@pytest.mark.parametrize(("make", "argument", "value"), BAD)
def test_bad_argument_is_named(make, argument, value):
    with pytest.raises((TypeError, ValueError), match=argument) as refusal:
        make(**{argument: value})
    assert str(getattr(value, "__name__", value)) in str(refusal.value)


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        *((make, "num_tiles") for make in (CarcassonneEnv, CarcassonneVectorEnv, FopEnv)),
        *((carcassonne_env.env, "opponent"), (fop_env.env, "reward"), (FopEnv, "num_players")),
        *((partial(aec_env, "hex"), "seat"), (CarcassonneVectorEnv, "theme")),
    ],
)
def test_unknown_argument_is_named(make, argument):
    with pytest.raises(TypeError, match=f"'{argument}'"):
        make(**{argument: 1})
