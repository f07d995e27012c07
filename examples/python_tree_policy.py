"""A tree policy in Python: one function of NumPy arrays that chooses among the children of a node.

Slow, as it is called at every node of every descent, but quick to write: the place to try an idea
before it is written in Cython. This one is UCB1-tuned for returns that are 0 or 1, whose variance
is known from their mean, on the Function Optimisation Problem.
"""

from __future__ import annotations

import numpy as np

from agents import MCTS
from fop_env import FopModel


def tuned(
    means: np.ndarray, visits: np.ndarray, priors: np.ndarray, parent_visits: int
) -> np.ndarray:
    """The value of each child, of which the highest is chosen: all arrays have one number a child.

    Args:
        means: Mean returns for the player who moves.
        visits: How often each child was visited, 1 or more.
        priors: Prior probabilities, which an evaluator may give; not used here.
        parent_visits: How often their parent was visited.
    """
    ratio = np.log(parent_visits) / visits
    variance = means * (1 - means) + np.sqrt(2 * ratio)
    return means + np.sqrt(ratio * np.minimum(0.25, variance))


def main() -> None:
    model = FopModel("f2")
    for tree_policy in (tuned, "ucb1-tuned"):
        result = MCTS(4000, tree_policy=tree_policy, seed=0).search(model)
        name = getattr(tree_policy, "__name__", tree_policy)
        print(f"{name}: {result.iterations / result.seconds:,.0f} iterations a second\n{result}\n")
    height = result.tree_statistics.most_visited_result
    print(f"The line of most visits ends at height {height:.3f}; the maximum is 0.976.")


if __name__ == "__main__":
    main()
