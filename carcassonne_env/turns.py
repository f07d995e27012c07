"""Turns as one action or as two: a move splits into the placement of the tile and the meeple."""

from __future__ import annotations

from collections.abc import Callable

from .model import CarcassonneModel

Choose = Callable[[CarcassonneModel], int]
"""Chooses an action of a model."""
Plan = Callable[[Choose], list[int]]
"""The actions that are left of a turn in a certain position, see `plan_turn`."""


def plan_turn(model: CarcassonneModel, choose: Choose) -> list[int]:
    """The actions that are left of a turn, chosen as one action where that is possible.

    Args:
        model: A position in which a player is to move; not changed.
        choose: Chooses an action. At the start of a turn of two steps it gets the same position
            with one action a turn, and otherwise the model.

    Returns:
        Actions of the model.
    """
    if model.is_two_step and model.chosen is None:
        whole = model.in_one_step()
        return decisions_of(whole, choose(whole))
    return [choose(model)]


def decisions_of(model: CarcassonneModel, action: int) -> list[int]:
    """Splits an action into the actions of the same game with two steps a turn.

    Raises:
        TypeError: If the action is not an integer.
        ValueError: If the action is not a possible placement.
    """
    if model.is_two_step or model.is_chance_node():
        return [action]
    move, twin = model.decode_action(action), model.in_two_steps()
    placement = twin.encode_action(move)
    twin.apply_action(placement)
    return [placement, twin.encode_action(move)]
