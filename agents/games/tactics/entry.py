"""The tactics game as `agents.games` finds it by name."""

from __future__ import annotations

from collections.abc import Mapping

from agents.rng import Seed

from .model import TacticsModel


def make(
    board: str = "standard",
    deck: str | Mapping[str, int] | None = None,
    action_points: int = 5,
    deterministic: bool = False,
    pruned: bool = True,
    max_turns: int = 200,
    seed: Seed = None,
) -> TacticsModel:
    """A game at its start; the options are those of `TacticsModel`.

    The seed fixes the draws of a deterministic game; other games do not need it.
    """
    own = seed if deterministic else None
    return TacticsModel(board, deck, action_points, deterministic, pruned, max_turns, own)


HEURISTICS = TacticsModel.heuristics
PLAYERS: dict[str, str] = {}
