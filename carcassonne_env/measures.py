"""What is measured of games of Carcassonne: final scores by feature, and the course by turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agents.forward_model import CHANCE

from .model import CarcassonneModel


def final_scores(model: CarcassonneModel) -> dict[str, int]:
    """The scores and where they come from: ``score_0``, ``city_0``, ``road_0``, ..., by player."""
    measures = {f"score_{player}": score for player, score in enumerate(model.scores)}
    for player, breakdown in enumerate(model.score_breakdown):
        measures |= {f"{kind}_{player}": points for kind, points in breakdown.items()}
    return measures


def turns(course: Iterable[tuple[CarcassonneModel, Any]]) -> Iterator[dict[str, Any]]:
    """The turns of a game, from its course as `agents.game.replay` yields it.

    Args:
        course: Before every action and draw, the position and the ply (player and action first).
            The position is one object that goes on. Moves are one action each (not two-step).

    Yields:
        After each turn: ``turn`` (from 1), ``player``, ``tile``, ``x``, ``y``, ``rotation``,
        ``meeple`` (the kind of feature that got one, or ""), ``in_hand`` (the player's meeples
        before it), how many of them were played so far, ``num_farms`` on farms and ``num_others``
        elsewhere, and the player's ``score`` and ``virtual_score`` after it. What a game brings to
        others after their last turn is in none.
    """
    played: dict[tuple[int, bool], int] = {}
    turn: dict[str, Any] = {}
    model = None
    for model, (player, action, *_) in course:
        if turn:
            yield _ended(turn, model)
            turn = {}
        if player == CHANCE:
            continue
        move = model.decode_action(action)
        kind = move.target[0] if move.target else ""
        if kind:
            key = (player, kind == "farm")
            played[key] = played.get(key, 0) + 1
        turn = {
            "turn": len(model.board),
            "player": player,
            "tile": model.current_tile,
            "x": move.x,
            "y": move.y,
            "rotation": move.rotation,
            "meeple": kind,
            "in_hand": model.meeples[player],
            "num_farms": played.get((player, True), 0),
            "num_others": played.get((player, False), 0),
        }
    if turn and model is not None:
        yield _ended(turn, model)


def _ended(turn: dict[str, Any], model: CarcassonneModel) -> dict[str, Any]:
    """The turn with the scores that it led to."""
    player = turn["player"]
    return {
        **turn,
        "score": model.scores[player],
        "virtual_score": model.virtual_scores[player],
    }
