"""The game that the option ``--game`` names."""

from __future__ import annotations

from dataclasses import dataclass

from agents.catalogue import game_names, make_game
from agents.forward_model import ForwardModel


@dataclass(frozen=True)
class NamedGame:
    """A game by its specification. Calling it with a seed starts a game.

    Attributes:
        specification: A specification of `agents.games.make`.
    """

    specification: str

    def __call__(self, seed: int) -> ForwardModel:
        """The start of a game."""
        return make_game(self.specification, seed=seed)


def named_game(text: str | None) -> NamedGame:
    """The game that a text names.

    Raises:
        ValueError: If there is no text.
    """
    if text is None:
        raise ValueError(f"--game must name one of the games {', '.join(game_names())}")
    return NamedGame(text.strip())
