"""Turns as one action or as two: a move splits into the placement of the tile and the meeple."""

from __future__ import annotations

from collections.abc import Callable

from .model import CarcassonneModel

Choose = Callable[[CarcassonneModel], int]
"""Chooses an action of a model."""
Plan = Callable[[Choose], list[int]]
"""The actions that are left of a turn in a certain position, see `plan_turn`."""


def plan_turn(model: CarcassonneModel, choose: Choose) -> list[int]:
    """The model's actions that are left of a turn, chosen as one action where that is possible.

    At the start of a turn of two steps, `choose` gets the same position with one action a turn, and
    otherwise the model.
    """
    if model.is_two_step and model.chosen is None:
        whole = model.in_one_step()
        return decisions_of(whole, choose(whole))
    return [choose(model)]


def decisions_of(model: CarcassonneModel, action: int) -> list[int]:
    """Splits a possible action into the actions of the same game with two steps a turn."""
    if model.is_two_step or model.is_chance_node():
        return [action]
    move, twin = model.decode_action(action), model.in_two_steps()
    placement = twin.encode_action(move)
    twin.apply_action(placement)
    return [placement, twin.encode_action(move)]
