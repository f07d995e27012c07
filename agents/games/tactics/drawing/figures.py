"""Drawings of units, items and special squares, units with all about them, colours of the players.

Each drawing is about 40 units wide, with its middle at (0, 0).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agents.svg import text_svg

from ..terms import EQUIPMENT, SIDES, Unit

PAINT = ("#1769b5", "#d4590f")
"""Blue of player 0 and orange of player 1, which the colour-blind tell apart."""
TINT = ("#cbe0f4", "#f9d8bd")
"""The same, light."""
INK = "#1f2a33"
_CREAM = "#fbf6e9"
GOLD = "#f2b632"

_GREY = "#a9afb3"
_HP = {"knight": 1000, "archer": 800, "cleric": 800, "wizard": 800, "ninja": 800, "crystal": 4500}
_ARMOUR = frozenset({"dragonscale", "helm"})  # each raises the maximum of HP by a tenth

_UNITS = {
    # A great helm from the front, with a cross of gold and a plume.
    "knight": f"""
<path d="M1-14Q-2-21 6-20Q14-19 14-9Q10-14 1-12z" fill="{GOLD}"/>
<path d="M-13-7Q-12-15 0-15T13-7V8Q13 13 0 19Q-13 13-13 8z" fill="#e3e8ec"/>
<path d="M-13-3H-3M3-3H13" stroke-width="4.5" stroke-linecap="butt"/>
<path d="M-2.2-15h4.4V19h-4.4zM-13 1.5H13V5.5H-13z" fill="{GOLD}" stroke-width="1.2"/>
<path d="M-8 10v.1M-8 13.5v.1M8 10v.1M8 13.5v.1" stroke-width="2.4"/>""",
    # A drawn bow with an arrow on the string.
    "archer": f"""
<path d="M-1-19Q-13-3-13 0T-1 19" fill="none" stroke="{_CREAM}" stroke-width="1.8"/>
<path d="M-1-19Q8-14 10-6Q11 0 10 6Q8 14-1 19" fill="none" stroke-width="7"/>
<path d="M-1-19Q8-14 10-6Q11 0 10 6Q8 14-1 19" fill="none" stroke="#e8b878" stroke-width="4"/>
<path d="M-16 0H14" stroke-width="5"/>
<path d="M-16 0H14" stroke="{_CREAM}" stroke-width="2.4"/>
<path d="M11-5L20 0L11 5z" fill="#e3e8ec"/>
<path d="M-19-4.5H-12L-8 0L-12 4.5H-19L-16 0z" fill="{_CREAM}"/>""",
    # A staff that ends in a cross within a ring.
    "cleric": f"""
<circle cy="-5" r="12" fill="none" stroke-width="6"/>
<circle cy="-5" r="12" fill="none" stroke="{GOLD}" stroke-width="3"/>
<path d="M-3-20H3L2.4-8H13L14-8V-2L13-2H2.4L3 20H-3L-2.4-2H-14V-8H-2.4z" fill="{_CREAM}"/>""",
    # A pointed hat with a star.
    "wizard": f"""
<path d="M-20 13Q-14 8-9 8Q-6-6 1-14Q6-20 15-17Q9-15 8-11Q8-2 10 8Q15 8 20 13Q0 21-20 13z"
fill="#5b3f94"/>
<path d="M-10.3 11Q0 14.5 10.8 11L10 6Q0 9-9 6z" fill="{GOLD}"/>
<path d="M1-9l2 4.6 5 .5-3.8 3.3 1.1 4.9-4.3-2.6-4.3 2.6 1.1-4.9-3.8-3.3 5-.5z"
fill="{_CREAM}" stroke-width="1"/>""",
    # A masked head with a headband.
    "ninja": f"""
<path d="M-13-6L-22-9L-19-4L-22 1L-13-2z" fill="{_CREAM}"/>
<circle r="15.5" fill="#2b323b"/>
<path d="M-14.5-5.5Q0-10 14.5-5.5L15.5 0Q0-4-15.5 0z" fill="{_CREAM}" stroke-width="1"/>
<path d="M-14.5 1Q0-3 14.5 1Q13.5 6 12 8Q0 5.5-12 8Q-14 5-14.5 1z" fill="#f1cfa6"
stroke-width="1"/>
<path d="M-9 1.5L-3 3.7A3 3 0 0 1-9 1.5zM9 1.5L3 3.7A3 3 0 0 0 9 1.5z" stroke-width="1"/>""",
    # A cut gem, which takes the paint of its owner.
    "crystal": """
<path d="M0-21L14-8L9 15L0 21L-9 15L-14-8z" fill="#d6f3fb"/>
<path d="M0-21L-14-8L-5-5zM0-21L14-8L5-5z" fill="#fff" stroke="none"/>
<path d="M-14-8L-5-5L-3 21L-9 15z" fill="#9ddcf0" stroke="none"/>
<path d="M5-5L14-8L9 15L2 20z" fill="#63bcd9" stroke="none"/>
<path d="M0-21L-5-5L0 21L5-5zM-14-8L-5-5H5L14-8" fill="none" stroke-width="1.2"/>
<path d="M0-21L14-8L9 15L0 21L-9 15L-14-8z" fill="none"/>""",
}
_ITEMS = {
    # A flame.
    "inferno": """
<path d="M1-20Q4-12 9-7Q16 0 14 9Q11 19 0 19T-14 9Q-15 1-8-5Q-8 1-4 2Q-6-10 1-20z"
fill="#c8322b"/>
<path d="M1-3Q9 4 8 10Q6 17 0 17T-8 10Q-8 5-4 3Q-2 6 0 6Q-1 1 1-3z" fill="#ffc73d" stroke="none"/>
""",
    # A stone with a rune, an arrow that points up.
    "runemetal": f"""
<path d="M-8-18H8L17-5L12 15L0 19L-12 15L-17-5z" fill="#8d9aa8"/>
<path d="M0 12V-11M-8-3L0-11L8-3" fill="none" stroke="{_CREAM}" stroke-width="4.5"/>""",
    # Scales of a dragon.
    "dragonscale": """
<path d="M-16-15Q0-20 16-15V-3Q16 13 0 20Q-16 13-16-3z" fill="#0f8f7b"/>
<path d="M-16-7Q-12 1-8-7Q-4 1 0-7T8-7T16-7M-12-2Q-12 6-8 6T-4-2Q-4 6 0 6T4-2Q4 6 8 6T12-2
M-6 6Q-6 13 0 14Q6 13 6 6" fill="none" stroke="#bdf0e3" stroke-width="2"/>""",
    # An open helmet that shines.
    "helm": f"""
<path d="M-15 13Q-17-14 0-14T15 13L7 15V3H-7V15z" fill="{GOLD}"/>
<path d="M-2-14V2H2V-14" fill="#fff3c4" stroke-width="1.2"/>
<path d="M0-21v3M-11-18l1.6 2.4M11-18l-1.6 2.4" stroke-width="2.4"/>""",
    # A flask.
    "potion": f"""
<path d="M-5-17H5V-7L15 9Q17 18 8 19H-8Q-17 18-15 9L-5-7z" fill="#eef6f8"/>
<path d="M-8.5 0H8.5L13.5 9.5Q15 17 8 17.4H-8Q-15 17-13.5 9.5z" fill="#c63d8f" stroke="none"/>
<path d="M-7-19H7V-14H-7z" fill="#a9784a"/>
<path d="M0 4V14M-5 9H5" stroke="{_CREAM}" stroke-width="3.4"/>""",
    # A roll of parchment with lines of writing.
    "scroll": """
<path d="M-12-14H13V14H-12z" fill="#f6e7bd"/>
<path d="M-17-19H13Q17-19 17-15T13-11H-17Q-13-15-17-19z
M-13 11H17Q13 15 17 19H-13Q-17 19-17 15T-13 11z"
fill="#dcb96c"/>
<path d="M-6-6H8M-6 0H8M-6 6H4" fill="none" stroke="#8a6a2f" stroke-width="2.4"/>""",
}
_SQUARES = {
    # A banner, a gem, a shield, two swords and a flash, in the colour of the <use> element.
    "deploy": """<path d="M-12-18H-8V19H-12zM-7-17Q2-21 8-15Q12-12 17-14V3Q11 6 6 2Q0-3-7 1z"/>""",
    "base": """<path fill-rule="evenodd" d="M0-20L14-8L9 14L0 20L-9 14L-14-8z
M0-14L-9-6L-5.5 11L0 15L5.5 11L9-6z"/>""",
    "defence": """<path fill-rule="evenodd"
d="M0-19Q8-14 17-14V-2Q17 12 0 20Q-17 12-17-2V-14Q-8-14 0-19z
M0-14V15Q12 8 12-2V-10Q6-10 0-14z"/>""",
    "assault": """<g id="tactics-sword"><path d="M-18-19L-11-17L9 3L5 7L-15-12z
M11 1L13 3L3 13L1 11zM9 8L17 15Q18 18 15 18L8 10z"/></g>
<use href="#tactics-sword" transform="scale(-1 1)"/>""",
    "power": """<path d="M5-20L-13 4H-2L-6 20L13-5H2z"/>""",
}


def defs_svg() -> str:
    """The drawings as the definitions of a document, named "tactics-knight" and so on."""
    outline = f'stroke="{INK}" stroke-width="1.6" stroke-linejoin="round" stroke-linecap="round"'
    drawn = [
        f'<g id="tactics-{name}" {outline}>{shapes}</g>'
        for name, shapes in {**_UNITS, **_ITEMS}.items()
    ]
    plain = [f'<g id="tactics-{name}">{shapes}</g>' for name, shapes in _SQUARES.items()]
    return "<defs>" + "\n".join(drawn + plain) + "</defs>"


def use_svg(name: str, x: float, y: float, width: float, extra: str = "") -> str:
    """A drawing with its middle at (x, y), scaled from 40 units to a width, mirrored if negative.

    `extra` has further attributes of the <use> element.
    """
    scale = f"{width / 40:.4g} {abs(width) / 40:.4g}"
    return (
        f'<use href="#tactics-{name}" transform="translate({x:.5g} {y:.5g}) scale({scale})"'
        f"{extra and ' ' + extra}/>"
    )


def group_svg(shapes: Iterable[str], x: float, y: float, title: str = "") -> str:
    """Shapes around (x, y); browsers show the title when the mouse is over them."""
    name = f"<title>{title}</title>" if title else ""
    return f'<g transform="translate({x:g} {y:g})">{name}\n' + "\n".join(shapes) + "\n</g>"


def token_svg(player: int, fill: str, outline: str) -> str:
    """The ground of a player's units: round for player 0, square for player 1."""
    corner = 21 if player == 0 else 5
    return f'<rect x="-21" y="-21" width="42" height="42" rx="{corner}" fill="{fill}" {outline}/>'


def unit_svg(unit: Unit) -> Iterator[str]:
    """A unit around (0, 0), 64 units wide; its upper left corner is free for a mark."""
    yield f'<g transform="translate(-5 -7)">{_figure(unit)}</g>'
    yield from _hit_points(unit)
    yield from _equipment(_carried(unit))


def unit_words(unit: Unit) -> str:
    """A unit in words, such as "knight of blue on d3, 730 of 1100 HP, with helm"."""
    side = SIDES[unit.player]
    words = f"{unit.kind} of {side} on {unit.square}, {unit.hp} of {_maximum(unit)} HP"
    carried = _carried(unit)
    return f"{words}, with {', '.join(carried)}" if carried else words


def _maximum(unit: Unit) -> int:
    return _HP[unit.kind] * (10 + len(_ARMOUR & unit.equipment)) // 10


def _carried(unit: Unit) -> list[str]:
    return [item for item in EQUIPMENT if item in unit.equipment]


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
