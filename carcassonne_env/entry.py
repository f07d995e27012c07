"""Carcassonne as `agents.games` finds it by name: the game, its heuristics and its players."""

from .model import CarcassonneModel

make = CarcassonneModel
HEURISTICS = CarcassonneModel.heuristics
PLAYERS = {
    "greedy": "expectimax(depth=1, heuristic=vs)",
    "expectimax-1-s": "expectimax(depth=1, heuristic=s)",
    "expectimax-1-vs": "expectimax(depth=1, heuristic=vs)",
    "expectimax-2-s": "expectimax(depth=2, heuristic=s)",
    "expectimax-2-vs": "expectimax(depth=2, heuristic=vs)",
    # It won most of the configurations that examples/experiments/mcts_family.py compares at equal
    # time in the base game for two, at 0.1 s and at 1 s a move.
    "strongest": "mcts(c=0.02, widening=(2, 0.4), expansion=ordered)",
}
"""Greedy takes the best virtual score; ``expectimax-d-h`` looks d decisions ahead by h."""
