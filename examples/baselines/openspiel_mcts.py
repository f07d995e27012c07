"""MCTS of OpenSpiel, its program in C++ on our game, as a player of the benchmark.

    cd examples
    carcassonne benchmark "openspiel-mcts=baselines.openspiel_mcts:mcts" --task 1p-3m-s

It does not learn. Needs the extras ``openspiel`` and ``experiments``.
"""

from __future__ import annotations

import pyspiel

import carcassonne_env.openspiel  # noqa: F401, registers python_carcassonne
from agents import Agent
from carcassonne_env import CarcassonneModel

GAME = "python_carcassonne(num_players=1,num_meeples=3,tiles=small)"


class OpenSpielMCTS(Agent):
    """UCT with a random rollout an iteration; every search has the same seed."""

    def __init__(self, iterations: int, c: float, seed: int = 0) -> None:
        self.iterations, self.c, self.seed = iterations, c, seed

    def choose(self, model: CarcassonneModel) -> int:
        """The action that most iterations chose."""
        game = pyspiel.load_game(GAME)
        state = game.new_initial_state()
        state.model = model.clone()
        evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
        max_memory, solve, verbose = 1000, False, False
        bot = pyspiel.MCTSBot(
            game, evaluator, self.c, self.iterations, max_memory, solve, self.seed, verbose
        )
        number = bot.mcts_search(state).best_child().action
        return int(state.get_game().view.action(model, number))


mcts = OpenSpielMCTS(100, c=0.5)  # for returns that are the score divided by the highest possible
