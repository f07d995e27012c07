"""Digits and letters as SVG paths, so that pictures look alike with and without fonts."""

from __future__ import annotations

_BOWL = "M9.5 11C9.5 8 7.5 6 5 6S.5 8 .5 11S2.5 16 5 16S9.5 14 9.5 11"
_GLYPHS = {
    "0": "M5 0C8 0 10 3 10 8S8 16 5 16S0 13 0 8S2 0 5 0Z",
    "1": "M1 4L6 0V16",
    "2": "M.5 4C.5 1.6 2.5 0 5 0S9.5 1.6 9.5 4.2C9.5 7.5 4 11 .5 16H10",
    "3": "M.5 0H9.5L5 6.2C8 6.2 10 8.3 10 11S8 16 5 16C2.6 16 .8 14.8 0 12.8",
    "4": "M7.5 16V0L0 11H10",
    "5": "M9 0H1.5L.8 7C2 6 3.4 5.8 5 5.8C7.8 5.8 10 8 10 10.9S7.8 16 5 16C2.6 16 1 15 0 13.5",
    "6": "M8.5 0C3 2 0 6 0 10.8C0 14 2.2 16 5 16S10 13.8 10 11S7.8 6.2 5 6.2S.3 8.2 0 10.8",
    "7": "M0 0H10L3.5 16",
    "8": "M5 7C3 7 1 6 1 3.6S3 0 5 0S9 1 9 3.6S7 7 5 7S0 9 0 11.5S2 16 5 16S10 14 10 11.5S8 7 5 7",
    "9": "M1.5 16C7 14 10 10 10 5.2C10 2 7.8 0 5 0S0 2.2 0 5S2.2 9.8 5 9.8S9.7 7.8 10 5.2",
    "a": _BOWL + "M9.5 6V16",
    "b": _BOWL + "M.5 0V16",
    "c": "M9 8C8 6.8 6.7 6 5 6C2.5 6 .5 8 .5 11S2.5 16 5 16C6.7 16 8 15.2 9 14",
    "d": _BOWL + "M9.5 0V16",
    "e": "M.5 11H9.5C9.5 8 7.5 6 5 6S.5 8 .5 11S2.5 16 5 16C6.8 16 8.2 15.2 9 14",
    "f": "M8.5 .3C5.5 -.5 4.3 1 4.3 3.5V16M1.2 6H8",
    "g": _BOWL + "M9.5 6V17C9.5 19.5 7.5 21 5 21C3.3 21 2 20.5 1 19.5",
    "h": "M.8 0V16M.8 10.5C1.5 7.7 3.2 6 5.3 6C8 6 9.2 7.8 9.2 10.3V16",
    "i": "M5 6V16M5 1V1.4",
    "j": "M6 6V18C6 20.3 4.5 21.2 2 20.6M6 1V1.4",
}
"""Strokes by character, in cells of 10 by 16 units; g and j reach below."""
_ADVANCE = 14


def glyphs_svg(text: str, x: float, y: float, height: float, colour: str) -> str:
    """A text of digits and the letters a to j as an SVG group.

    Args:
        text: The characters.
        x: Where the middle of the text is.
        y: Where the middle of its digits is.
        height: Height of a digit.
        colour: Colour of the strokes.
    """
    scale = height / 16
    left = x - (len(text) * _ADVANCE - 4) / 2 * scale
    paths = "".join(
        f'<path d="{_GLYPHS[letter]}" transform="translate({i * _ADVANCE} 0)"/>'
        for i, letter in enumerate(text)
    )
    return (
        f'<g transform="translate({left:g} {y - height / 2:g}) scale({scale:g})" fill="none" '
        f'stroke="{colour}" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">'
        f"{paths}</g>"
    )
