"""The final scores that players can expect, in games of any length and number of players."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..model import CarcassonneModel
from ..outlook import load_weights

_WEIGHTS = [load_weights(Path(__file__).parents[1] / f"outlook-{count}.txt") for count in (1, 2)]
"""The weights of the outlook for one player and for several."""
_TURNS = 23.0, 71 / 2
"""Turns of each player in the games from which they were learned."""
_MOST_MEEPLES = 3
"""Most meeples in the games for one player from which the weights were learned."""


def forecast_of(model: CarcassonneModel) -> tuple[float, ...] | None:
    """The expected final score of each player.

    The outlook's weights go from the start to the end of the game with the share of tiles left. In
    games with fewer turns they expect too much at the start: twice the final scores in the 24-tile
    game for two. So the share is here that of the turns that a player has left, out of all turns in
    the games from which the weights were learned. These are the base game for two, and for one
    player 24 tiles with few meeples. For one player in other games nothing is known.

    Returns:
        Points for each player; None if nothing is known.
    """
    several = model.num_players > 1
    if not several and (model.num_tiles > 1 + _TURNS[0] or model.num_meeples > _MOST_MEEPLES):
        return None
    if model.is_terminal():
        return tuple(map(float, model.scores))
    turns = sum(model.bag.values()) / model.num_players
    share = min(1.0, turns / _TURNS[several])
    stage = max(0.0, 1 - 2 * share), 1 - abs(1 - 2 * share), max(0.0, 2 * share - 1)
    scores = model.outlook_terms() @ _WEIGHTS[several] @ np.array(stage)
    return tuple(round(float(score), 2) for score in scores)
