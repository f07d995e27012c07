"""Units as they stand on the board, with hit points and equipment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..terms import Unit
from .figures import INK, PAINT, token_svg, use_svg
from .glyphs import text_svg

_GREY = "#a9afb3"
_HP = {"knight": 1000, "archer": 800, "cleric": 800, "wizard": 800, "ninja": 800, "crystal": 4500}
_EQUIPMENT = ("runemetal", "dragonscale", "helm", "scroll")
_ARMOUR = frozenset({"dragonscale", "helm"})  # each raises the maximum of HP by a tenth


def unit_svg(unit: Unit) -> Iterator[str]:
    """A unit around (0, 0), 64 units wide; its upper left corner is free for a mark."""
    yield f'<g transform="translate(-5 -7)">{_figure(unit)}</g>'
    yield from _hit_points(unit)
    yield from _equipment(_carried(unit))


def unit_words(unit: Unit) -> str:
    """A unit in words, such as "knight of player 0 on d3, 730 of 1100 HP, with helm"."""
    words = (
        f"{unit.kind} of player {unit.player} on {unit.square}, {unit.hp} of {_maximum(unit)} HP"
    )
    carried = _carried(unit)
    return f"{words}, with {', '.join(carried)}" if carried else words


def _maximum(unit: Unit) -> int:
    return _HP[unit.kind] * (10 + len(_ARMOUR & unit.equipment)) // 10


def _carried(unit: Unit) -> list[str]:
    return [item for item in _EQUIPMENT if item in unit.equipment]


def _figure(unit: Unit) -> str:
    """A living unit, which faces the enemy, or a body, which is grey and lies on its back."""
    paint, facing = PAINT[unit.player], 1 if unit.player == 0 else -1
    figure = use_svg(unit.kind, 0, 0, 34 * facing)
    if unit.hp:
        return token_svg(unit.player, paint, f'stroke="{INK}" stroke-width="1.5"') + figure
    outline = f'stroke="{paint}" stroke-width="3" stroke-dasharray="6 4"'
    lying = f'<g transform="rotate({-90 * facing})" opacity=".5">{figure}</g>'
    return token_svg(unit.player, _GREY, outline) + lying


def _hit_points(unit: Unit) -> Iterator[str]:
    """A bar, full at the maximum, and the number on it."""
    bar = '<rect x="-29.5" y="15.5" height="14" rx="3"'
    width = 59 * unit.hp / _maximum(unit)
    yield f'{bar} width="59" fill="{INK}"/>'
    yield f'{bar} width="{width:.4g}" fill="{PAINT[unit.player]}"/>'
    yield f'{bar} width="59" fill="none" stroke="{INK}"/>'
    yield text_svg(str(unit.hp), 0, 22.5, 8.5, "#ffffff", "middle")


def _equipment(carried: Sequence[str]) -> Iterator[str]:
    """Items, one below the other on the right of their unit."""
    step = min(15.5, 46 / max(len(carried), 1))
    for i, item in enumerate(carried):
        yield use_svg(item, 24, -31 + (i + 0.5) * step, step - 0.5)
