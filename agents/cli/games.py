"""The game that the option ``--game`` names."""

from __future__ import annotations

from agents.catalogue import NamedGame, known_names


def named_game(text: str | None) -> NamedGame:
    """The game that a text names.

    Raises:
        ValueError: If there is no text.
    """
    if text is None:
        raise ValueError(f"--game must name one of the games {', '.join(known_names())}")
    return NamedGame(text.strip())
