"""MCTS that ends in a race: rollouts from the best actions, on the same futures."""
