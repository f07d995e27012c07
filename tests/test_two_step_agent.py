"""Planners that decide on the tile and on the meeple one after the other."""

from __future__ import annotations

import gymnasium
import pytest

from agents import MCTS, Expectimax, RandomAgent, Rng
from agents.testing import perft
from carcassonne_env import CarcassonneModel, TwoStepAgent


def position(seed: int, **options: object) -> CarcassonneModel:
    """A decision in the middle of a random game."""
    model, rng = CarcassonneModel(seed=seed, **options), Rng(seed)
    while model.is_chance_node() or len(model.board) < 20:
        is_chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if is_chance else model.sample_action(rng))
    return model


@pytest.mark.parametrize("seed", range(10))
def test_two_steps_make_the_same_moves(seed: int) -> None:
    model = position(seed)
    twin = model.in_two_steps()
    assert (twin.is_two_step, model.is_two_step) == (True, False)
    assert perft(twin, 2) == perft(model, 1)
    made = []
    for placement in twin.legal_actions():
        chosen = twin.clone()
        chosen.apply_action(placement)
        made += [model.encode_action(chosen.decode_action(a)) for a in chosen.legal_actions()]
    assert sorted(made) == model.legal_actions().tolist()


@pytest.mark.parametrize("seed", range(10))
def test_decisions_are_the_planners(seed: int) -> None:
    """A planner of depth 2 in two steps is one of depth 1 in one."""
    model = position(seed, num_players=2)
    choices = {Expectimax(1, "vs", seed=s).act(model) for s in range(30)}
    agent = TwoStepAgent(Expectimax(2, "vs", seed=seed))
    before = model.clone()
    assert agent.act(model) in choices
    assert model == before
    assert repr(agent) == "TwoStepAgent(planner=expectimax(depth=2, heuristic=vs))"


def test_the_second_decision_goes_on_with_the_tree() -> None:
    planner = MCTS(300, c=0.05, reuse_tree=True, seed=0)
    searches = []
    search = planner.search
    planner.search = lambda game: searches.append(search(game)) or searches[-1]  # type: ignore[method-assign, func-returns-value]
    model = position(0)
    assert TwoStepAgent(planner).act(model) in model.legal_actions()
    first, second = searches
    assert first.visits.sum() == 300
    assert second.visits.sum() > 300 + second.visits.size
    TwoStepAgent(planner).act(position(1))
    assert searches[2].visits.sum() == 300


@pytest.mark.parametrize("action_mode", ["flat", "two_step", "index"])
def test_it_plays_in_environments(action_mode: str) -> None:
    env = gymnasium.make("Carcassonne-1p-3m-s", action_mode=action_mode)
    for planner in (RandomAgent(0), MCTS(30, seed=0)):
        env.reset(seed=0)
        is_over = False
        while not is_over:
            *_, is_over, _, info = env.step(TwoStepAgent(planner).act(env))
            assert "illegal_action" not in info
