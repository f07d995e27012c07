"""A game of your own in plain Python, searched by the same planner as Carcassonne.

The player chooses one half of the interval [0, 1], then one half of that half, and so on, seventeen
times. The return is the height of a hilly function in the middle of the last interval. This is the
Function Optimisation Problem of planning research, written from scratch.
"""

from __future__ import annotations

from math import sin

from agents import MCTS, TERMINAL, PythonForwardModel


class Hills(PythonForwardModel):
    """Find the highest hill by halving the interval [0, 1]."""

    def __init__(self, depth: int = 17) -> None:
        super().__init__(num_players=1, num_actions=2)
        self.depth = depth
        self.path = 1  # the choices as binary digits after a leading one

    def current_player(self) -> int:
        return TERMINAL if self.path >> self.depth else 0

    def legal_actions(self) -> tuple[int, ...]:
        return (0, 1)

    def apply_action(self, action: int) -> None:
        self.path = 2 * self.path + action

    def returns(self) -> tuple[float]:
        x = (self.path - (1 << self.depth) + 0.5) / (1 << self.depth)
        return (0.5 * sin(13 * x) * sin(27 * x) + 0.5,)

    def copy_from(self, source: Hills) -> None:
        self.depth, self.path = source.depth, source.path


def main() -> None:
    game, agent = Hills(), MCTS(iterations=20_000, c=0.5, seed=0)
    first = agent.search(game)
    print(first)
    print(f"{first.iterations / first.seconds:,.0f} iterations a second")
    while not game.is_terminal():
        game.apply_action(agent.act(game))
    print(f"Found height {game.returns()[0]:.3f}; the highest hill reaches 0.976.")


if __name__ == "__main__":
    main()
