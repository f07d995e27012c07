"""Planners beside learners that act in two steps: they plan whole turns, once."""

from __future__ import annotations

import copy
import pickle
from typing import Any, ClassVar

import gymnasium
import pytest

import carcassonne_env
from agents import MCTS, Expectimax, RandomAgent, Rng, StarMinimax, make
from agents.game import play_game
from carcassonne_env import CarcassonneModel, PolicyAgent, TwoStepAgent
from carcassonne_env.turns import decisions_of, plan_turn
from playing import FEW

ONE, TWO = "Carcassonne-1p-3m-d", "Carcassonne-2p-7m-s"
PLANNERS = {
    "greedy": lambda seed: make("greedy", seed=seed),
    "MCTS": lambda seed: MCTS(30, c=0.1, seed=seed),
    "Star": lambda seed: StarMinimax(1, "vs", seed=seed),
    "online evolution": lambda seed: make("oep(iterations=50)", seed=seed),
}

planners = pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS)


class Counting(MCTS):
    """Counts its searches."""

    searches = 0

    def search(self, game: Any) -> Any:
        self.searches += 1
        return super().search(game)


def final(env: gymnasium.Env, player: Any, seed: int = 0) -> tuple[int, tuple[int, ...], list]:
    """The player's steps, the final scores and the board of a game that it plays to the end."""
    env.reset(seed=seed)
    steps, is_over = 0, False
    while not is_over:
        *_, is_over, _, _ = env.step(player.act(env))
        steps += 1
    return steps, env.unwrapped.model.scores, env.unwrapped.model.board


@planners
@pytest.mark.parametrize("seed", range(3))
def test_planners_play_the_same_in_all_action_modes(planner, seed):
    games = {
        mode: final(gymnasium.make(ONE, action_mode=mode), planner(seed), seed)
        for mode in ("flat", "two_step", "index")
    }
    assert games["flat"] == games["index"]
    assert games["flat"][1:] == games["two_step"][1:]
    assert games["two_step"][0] == 2 * games["flat"][0]


@planners
@pytest.mark.parametrize("seat", [0, 1])
def test_opponents_play_the_same_in_all_action_modes(planner, seat):
    def game(mode):
        settings = {"action_mode": mode, "seat": seat, "tiles": FEW}
        env = gymnasium.make(TWO, opponent=planner(1), **settings)
        return final(env, make("greedy", seed=0))[1:]

    assert game("two_step") == game("flat") == game("index")


def test_the_budget_counts_once_a_turn():
    planner = Counting(20, seed=0)
    settings = {"action_mode": "two_step", "tiles": FEW}
    env = gymnasium.make(TWO, opponent=Counting(20, seed=1), **settings)
    steps = final(env, planner)[0]
    assert steps == 2 * planner.searches
    searches = planner.searches + env.unwrapped._at_play.searches
    assert searches == len(env.unwrapped.model.board) - 1


def test_the_budget_counts_once_a_turn_in_tournaments():
    env = carcassonne_env.env(action_mode="two_step", tiles=FEW)
    flat = carcassonne_env.env(tiles=FEW)
    played = [play_game(game, [MCTS(30, seed=0), MCTS(30, seed=1)], 3) for game in (env, flat)]
    assert played[0].returns == played[1].returns
    assert len(played[0].plies) == 2 * len(played[1].plies)
    assert all(ply.visits is not None for ply in played[1].plies)


def test_after_a_placement_of_somebody_else_the_meeple_is_planned():
    env = gymnasium.make(ONE, action_mode="two_step")
    env.reset(seed=1)
    planner, rng = Counting(50, seed=0), Rng(0)
    for _ in range(10):
        own = planner.act(env)
        others = [a for a in env.unwrapped.action_masks().nonzero()[0] if a != own]
        env.step(others[rng.below(len(others))])
        before = planner.searches
        action = planner.act(env)
        assert planner.searches == before + 1
        assert env.unwrapped.action_masks()[action] == 1
        env.step(action)


def test_a_plan_is_not_played_in_another_game():
    envs = [gymnasium.make(ONE, action_mode="two_step") for _ in range(2)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    planner = make("greedy", seed=0)
    for _ in range(40):
        for env in envs:
            action = planner.act(env)
            assert env.unwrapped.action_masks()[action] == 1
            env.step(action)


@pytest.mark.parametrize(
    "duplicate", [copy.deepcopy, lambda planner: pickle.loads(pickle.dumps(planner))]
)
def test_copies_go_on_with_the_plan(duplicate):
    env = gymnasium.make(ONE, action_mode="two_step")
    env.reset(seed=0)
    planner = Counting(50, seed=0)
    env.step(planner.act(env))
    twin = duplicate(planner)
    assert twin.act(env) == planner.act(env)
    assert twin.searches == 1


def test_models_in_two_steps_are_searched_as_they_are():
    """A two-step model is a game of its own, in which planners may look ahead half a turn."""
    model = CarcassonneModel(tiles="small", two_step=True, deterministic=True, seed=0)
    planner = Counting(50, seed=0)
    for _ in range(10):
        model.apply_action(planner.act(model))
    assert planner.searches == 10


# One step and two


def test_two_steps_in_one_step_are_the_same_game():
    model, rng = CarcassonneModel(tiles=FEW, seed=0), Rng(0)
    while not model.is_terminal():
        twin = model.in_two_steps()
        assert twin.in_one_step() == model == model.in_one_step()
        is_chance = model.is_chance_node()
        action = model.sample_chance(rng) if is_chance else model.sample_action(rng)
        decisions = decisions_of(model, action)
        assert len(decisions) == (1 if is_chance else 2)
        for decision in decisions:
            twin.apply_action(decision)
        model.apply_action(action)
        assert twin.in_one_step() == model


def test_between_two_steps_there_is_no_game_of_one():
    model = CarcassonneModel(tiles=FEW, seed=0, two_step=True, deterministic=True)
    model.apply_action(model.legal_actions()[0])
    with pytest.raises(ValueError, match=r"placement \(.*\) is chosen already"):
        model.in_one_step()
    asked: list[CarcassonneModel] = []
    assert plan_turn(model, lambda position: asked.append(position) or 0) == [0]  # type: ignore[func-returns-value]
    assert asked == [model]


# Learned policies in two steps


def first_legal(observation: Any, info: dict[str, Any]) -> int:
    return int(info["action_mask"].argmax())


def test_two_step_policies_play_the_flat_game():
    maker = gymnasium.make(TWO, action_mode="two_step", tiles=FEW)
    agent = TwoStepAgent(PolicyAgent(first_legal, maker))
    flat = gymnasium.make(TWO, opponent=Expectimax(1, "vs", seed=0), tiles=FEW)
    steps, scores, _ = final(flat, agent)
    assert steps == 7
    twin = gymnasium.make(
        TWO, action_mode="two_step", opponent=Expectimax(1, "vs", seed=0), tiles=FEW
    )
    assert final(twin, PolicyAgent(first_legal, maker))[1] == scores


@pytest.mark.parametrize("modes", [("two_step", "flat"), ("flat", "two_step")])
def test_policies_of_the_other_mode_are_led_to_the_agent_in_two_steps(modes):
    maker, env = (gymnasium.make(TWO, action_mode=mode, tiles=FEW) for mode in modes)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"learned with .*TwoStepAgent\(PolicyAgent\("):
        PolicyAgent(first_legal, maker).act(env)


def test_bare_policies_are_led_to_their_agent():
    with pytest.raises(TypeError, match=r"PolicyAgent\(policy, env\)"):
        gymnasium.make(TWO, opponent=first_legal)


def test_others_than_planners_act_step_by_step():
    """They may have learned to."""

    class Asked(RandomAgent):
        models: ClassVar[list[bool]] = []

        def choose(self, model):
            self.models.append(model.is_two_step)
            return super().choose(model)

    env = gymnasium.make(TWO, action_mode="two_step", opponent=Asked(0), tiles=FEW)
    assert final(env, RandomAgent(1))[0] == 14
    assert Asked.models == [True] * 12
