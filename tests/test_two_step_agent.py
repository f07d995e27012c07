"""Planners that decide on the tile and on the meeple one after the other."""

from __future__ import annotations

from functools import partial

import pytest

from agents import MCTS, Expectimax, RandomAgent, Rng
from carcassonne_env import CarcassonneModel, TwoStepAgent
from playing import Told, decision_after

position = partial(decision_after, 20)


@pytest.mark.parametrize("seed", range(10))
def test_decisions_are_the_planners(seed):
    """A planner of depth 2 in two steps is one of depth 1 in one."""
    model = position(seed, num_players=2)
    choices = {Expectimax(1, "vs", seed=s).act(model) for s in range(30)}
    agent = TwoStepAgent(Expectimax(2, "vs", seed=seed))
    before = model.clone()
    assert agent.act(model) in choices
    assert model == before
    assert repr(agent) == "TwoStepAgent(planner=expectimax(depth=2, heuristic=vs))"


def test_the_second_decision_goes_on_with_the_tree():
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


class Noting(RandomAgent):
    """Plays at random, and follows the twin of the game by what it is told."""

    def __init__(self, twin: CarcassonneModel, seed: int) -> None:
        super().__init__(seed)
        self.twin = twin

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        assert model == self.twin
        return super().choose(model)

    def advance(self, action: int) -> None:
        self.twin.apply_action(action)


def play(model: CarcassonneModel, agent: TwoStepAgent, seed: int) -> None:
    """Plays to the end: the agent as player 0, all others at random."""
    rng = Rng(seed)
    while not model.is_terminal():
        if model.is_chance_node():
            action = model.sample_chance(rng)
        elif model.current_player() == 0:
            action = agent.act(model)
            assert model.is_legal(action)
        else:
            action = model.sample_action(rng)
        agent.advance(action)
        model.apply_action(action)


@pytest.mark.parametrize("options", [{}, {"deterministic": True}, {"two_step": True}])
def test_the_planner_is_told_every_move_as_two_decisions(options):
    model = CarcassonneModel(num_players=3, tiles="small", seed=0, **options)
    if model.is_chance_node():
        model.apply_action(model.sample_chance(0))
    twin = model.in_two_steps()
    agent = TwoStepAgent(Noting(twin, seed=0))
    play(model, agent, seed=0)
    assert model.in_two_steps() == twin


@pytest.mark.parametrize(
    "options", [{"num_players": 1, "deterministic": True}, {"num_players": 2, "tiles": {"D": 12}}]
)
def test_the_tree_is_kept_between_turns(options):
    searches = []

    class Planner(MCTS):
        def search(self, game):
            searches.append(super().search(game))
            return searches[-1]

    planner = Planner(2000, c=0.5, reuse_tree=True, seed=0)
    model = CarcassonneModel(**{"tiles": "small", "num_meeples": 1, "seed": 0, **options})
    if model.is_chance_node():
        model.apply_action(model.sample_chance(0))
    play(model, TwoStepAgent(planner), seed=0)
    inherited = [int(search.visits.sum()) - 2000 for search in searches[2::2]]
    assert len(inherited) >= 5
    assert sum(visits > 0 for visits in inherited) > 0.5 * len(inherited)
    assert max(inherited) > 100


def test_after_another_move_than_its_own_the_tree_is_begun_anew():
    planner = MCTS(300, c=0.05, reuse_tree=True, seed=0)
    agent = TwoStepAgent(planner)
    model = CarcassonneModel(num_players=1, tiles="small", deterministic=True, seed=0)
    placements = []
    for _ in range(3):
        own = agent.act(model)
        others = [
            a
            for a in model.legal_actions()
            if model.decode_action(a)[:3] != model.decode_action(own)[:3]
        ]
        agent.advance(others[-1])
        model.apply_action(others[-1])
        placements.append(planner.search(model.in_two_steps()).visits.sum())
    assert placements == [300] * 3


@pytest.mark.parametrize("action", [-1, 10**6, 0, 2**70, 1.5, "x", None])
def test_moves_that_cannot_be_made_are_not_told(action):
    agent = TwoStepAgent(Told(0))
    model = position(0)
    agent.act(model)
    told = list(agent.planner.told)
    agent.advance(action)
    agent.advance(int(model.legal_actions()[0]))
    assert agent.planner.told == told
    assert agent.act(model) in model.legal_actions()


def test_nothing_is_told_before_the_first_choice():
    """It could not be translated, and there is no tree yet."""
    agent = TwoStepAgent(Told(0))
    agent.advance(3)
    assert agent.planner.told == []


def test_the_planner_is_an_agent():
    with pytest.raises(TypeError, match="planner must be an Agent, got 'mcts'"):
        TwoStepAgent("mcts")
