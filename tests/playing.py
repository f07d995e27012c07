"""Positions and players for tests of what people play."""

from __future__ import annotations

from agents import RandomAgent, Rng
from carcassonne_env import CarcassonneModel

SMALL = {"D": 3, "E": 2, "V": 2, "B": 1}


class Told(RandomAgent):
    """Plays at random, and notes what it is told."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.told: list[int] = []

    def advance(self, action: int) -> None:
        """Notes the action."""
        self.told.append(action)


def middle_of_a_game(seed: int = 0, moves: int = 30) -> CarcassonneModel:
    """A position with a player to move after so many moves, played at random."""
    model, rng = CarcassonneModel(), Rng(seed)
    for _ in range(2 * moves):
        model.apply_action(
            model.sample_chance(rng) if model.is_chance_node() else model.sample_action(rng)
        )
    if model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    return model


def replayed(actions: list[int]) -> CarcassonneModel:
    """The position after actions and draws, all of which are legal."""
    model = CarcassonneModel(num_players=2, tiles=SMALL)
    for action in actions:
        assert action in (
            model.chance_outcomes()[0] if model.is_chance_node() else model.legal_actions()
        )
        model.apply_action(action)
    return model
