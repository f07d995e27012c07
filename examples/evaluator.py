"""An evaluator in Python: values and priors for MCTS with PUCT, without rollouts.

A neural network would stand where this heuristic stands: it values a position by what the scores
would be if the game ended now, and gives the actions priors by what they gain at once.
"""

from __future__ import annotations

import numpy as np

from agents import MCTS, ForwardModel
from carcassonne_env import CarcassonneModel

TEMPERATURE = 0.02
"""Gain, in units of the returns, that makes an action e times as likely."""


def values(model: ForwardModel) -> np.ndarray:
    """The value of a position for each player: float64[num_players]."""
    if model.is_terminal():
        return model.returns()
    return np.array([model.heuristic(player, "vs") for player in range(model.num_players)])


def evaluate(model: ForwardModel) -> tuple[np.ndarray, np.ndarray]:
    """Values, and a prior probability for each of the legal actions."""
    gains = []
    for action in model.legal_actions():
        child = model.clone()
        child.apply_action(action)
        gains.append(values(child)[model.current_player()])
    weights = np.exp((np.array(gains) - max(gains)) / TEMPERATURE)
    return values(model), weights / weights.sum()


def evaluate_batch(models: list[ForwardModel]) -> list[tuple[np.ndarray, np.ndarray]]:
    """The same for many positions, which a network would take all at once."""
    return [evaluate(model) for model in models]


def main() -> None:
    model = CarcassonneModel(2, tiles="small")
    model.apply_action(model.sample_chance(0))
    planners = {
        "rollouts, equal priors": MCTS(400, c=0.1, tree_policy="puct", seed=0),
        "evaluator": MCTS(400, c=0.1, tree_policy="puct", evaluator=evaluate, seed=0),
        "evaluator, batches of 16": MCTS(
            400, c=0.1, tree_policy="puct", evaluator=evaluate_batch, batch_size=16, seed=0
        ),
    }
    for name, planner in planners.items():
        result = planner.search(model)
        print(f"{name}: {model.action_to_string(result.action)}\n{result}\n")


if __name__ == "__main__":
    main()
