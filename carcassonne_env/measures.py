"""Measures of games of Carcassonne: final scores by kind of feature, and every turn of a game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from agents.forward_model import CHANCE

from .model import CarcassonneModel


def final_scores(model: CarcassonneModel) -> dict[str, int]:
    """The score of each player and its parts: ``score_0``, ``city_0``, ``road_0``, ..."""
    measures = {f"score_{player}": score for player, score in enumerate(model.scores)}
    for player, breakdown in enumerate(model.score_breakdown):
        measures |= {f"{kind}_{player}": points for kind, points in breakdown.items()}
    return measures


def turns(course: Iterable[tuple[CarcassonneModel, Any]]) -> Iterator[dict[str, Any]]:
    """The turns of a game that `agents.game.replay` plays again.

    Args:
        course: The output of `replay`: the position before every action and chance outcome, and the
            ply, which begins with player and action. The position is one object that changes. Each
            move must be one action, so two-step games do not fit.

    Yields:
        For each turn a dictionary with

        - ``turn``: number of the turn, from 1.
        - ``player``, ``tile``, ``x``, ``y``, ``rotation``: who placed which tile where.
        - ``meeple``: kind of the feature on which a meeple was placed, or "".
        - ``in_hand``: meeples in the player's hand before the turn.
        - ``num_farms``, ``num_others``: how many meeples the player has placed so far, this turn
          included, on farms and on other features.
        - ``score``, ``virtual_score``: the player's scores after the turn. Points that players gain
          after their last turn are therefore not included.
    """
    played = Counter[tuple[int, bool]]()
    turn: dict[str, Any] = {}
    model = None
    for model, (player, action, *_) in course:
        if turn:
            yield _ended(turn, model)
            turn = {}
        if player == CHANCE:
            continue
        x, y, rotation, target = model.decode_action(action)
        kind = target[0] if target else ""
        played[player, kind == "farm"] += bool(kind)
        turn = {"turn": len(model.board), "player": player, "tile": model.current_tile}
        turn |= {"x": x, "y": y, "rotation": rotation, "meeple": kind}
        turn |= {"in_hand": model.meeples[player], "num_farms": played[player, True]}
        turn |= {"num_others": played[player, False]}
    if turn and model is not None:
        yield _ended(turn, model)


def _ended(turn: dict[str, Any], model: CarcassonneModel) -> dict[str, Any]:
    """The turn with the player's scores after it."""
    player = turn["player"]
    score, virtual = model.scores[player], model.virtual_scores[player]
    return {**turn, "score": score, "virtual_score": virtual}
