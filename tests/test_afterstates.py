"""The evaluator by afterstates: its order, priors and values, by hand from the heuristic."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from agents import MCTS, ForwardModel
from agents.mcts.rollouts import Afterstates
from games import children, random_tree
from playing import decision_after

FEW = {"D": 1, "A": 2, "E": 2, "V": 1}
"""Tiles of a game whose end the search reaches."""


GAMES: list[tuple[Callable[[], ForwardModel], str]] = [
    (lambda: random_tree(1, 3), "estimate"),
    (lambda: random_tree(2, 1), "estimate"),
    (lambda: random_tree(3, 7), "estimate"),
    (lambda: decision_after(1, 0), "s"),
    (lambda: decision_after(4, 0, num_players=3, deterministic=True), "vs"),
    (lambda: decision_after(4, 0, two_step=True), "outlook"),
    (lambda: decision_after(2, 0, num_players=1, num_meeples=3, tiles=FEW), "outlook"),
]


def values_after(model: ForwardModel, kind: str) -> dict[int, list[float]]:
    """For each action, the values of the position after it, by player."""
    players, values = range(model.num_players), {}
    for action in model.legal_actions():
        (child,) = children(model, [action])
        is_over = child.is_terminal()
        values[int(action)] = [
            child.returns()[p] if is_over else child.heuristic(p, kind) for p in players
        ]
    return values


@pytest.mark.parametrize(("make_model", "kind"), GAMES)
def test_every_node_tries_the_best_actions_and_is_worth_the_best(make_model, kind):
    """Of equal actions any may come first, and give its values to a node with one visit."""
    rows = MCTS(150, c=5, evaluator=Afterstates(kind), seed=0).search(make_model()).tree()
    positions, deciders = [make_model()], [make_model().current_player()]
    num_compared = num_valued = 0
    for index, row in enumerate(rows):
        if index:
            parent = row["parent"]
            positions += children(positions[parent], [row["action"]])
            mover = rows["player"][parent]
            deciders.append(mover if mover >= 0 else deciders[parent])
        player = row["player"]
        if player < 0:
            continue
        values = values_after(positions[index], kind)
        own = {action: vector[player] for action, vector in values.items()}
        tried = [own[action] for action in rows["action"][rows["parent"] == index]]
        assert tried == sorted(own.values(), reverse=True)[: len(tried)]
        num_compared += len(tried) > 0 and len(set(own.values())) > 1
        if index and row["visits"] == 1:
            best = [v[deciders[index]] for a, v in values.items() if own[a] == max(own.values())]
            assert row["mean"] in best
            num_valued += 1
    assert num_compared > 0
    assert num_valued > 0


@pytest.mark.parametrize("temperature", [None, 0.01, 0.3, 1e9])
@pytest.mark.parametrize(("make_model", "kind"), GAMES)
def test_priors_are_the_softmax_of_the_values(make_model, kind, temperature):
    model = make_model()
    planner = MCTS(
        60,
        evaluator=Afterstates(kind, temperature),
        tree_policy="puct",
        first_play_urgency=100.0,  # so that all actions of the root are tried
        seed=0,
    )
    rows = planner.search(model).tree()
    player = model.current_player()
    values = {action: vector[player] for action, vector in values_after(model, kind).items()}
    numbers = np.array(list(values.values()))
    unit = model.return_spread if temperature is None else temperature
    expected = dict(zip(values, special.softmax(numbers / unit), strict=True))
    tried = rows[rows["parent"] == 0]
    assert len(tried) >= min(len(values), 40)
    assert tried["probability"].tolist() == pytest.approx([expected[a] for a in tried["action"]])


def test_the_heuristic_is_the_one_named():
    def first(heuristic, seed):
        planner = MCTS(1, evaluator=Afterstates(heuristic), seed=0)
        return int(planner.search(decision_after(7, seed)).tree()["action"][1])

    assert all(first(None, seed) == first("s", seed) for seed in range(10))
    assert any(first("vs", seed) != first("s", seed) for seed in range(10))
    assert any(first("outlook", seed) != first("vs", seed) for seed in range(10))
