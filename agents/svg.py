"""What pictures of games share: elements, and text as paths, which looks alike everywhere."""

from __future__ import annotations

from html import escape

_BOWL = "M9.5 11C9.5 8 7.5 6 5 6S.5 8 .5 11S2.5 16 5 16S9.5 14 9.5 11"
_GLYPHS = {
    " ": (4, ""),
    "0": (10, "M5 0C8 0 10 3 10 8S8 16 5 16S0 13 0 8S2 0 5 0Z"),
    "1": (6, "M0 4L5 0V16"),
    "2": (10, "M.5 4C.5 1.6 2.5 0 5 0S9.5 1.6 9.5 4.2C9.5 7.5 4 11 .5 16H10"),
    "3": (10, "M.5 0H9.5L5 6.2C8 6.2 10 8.3 10 11S8 16 5 16C2.6 16 .8 14.8 0 12.8"),
    "4": (10, "M7.5 16V0L0 11H10"),
    "5": (
        10,
        "M9 0H1.5L.8 7C2 6 3.4 5.8 5 5.8C7.8 5.8 10 8 10 10.9S7.8 16 5 16C2.6 16 1 15 0 13.5",
    ),
    "6": (10, "M8.5 0C3 2 0 6 0 10.8C0 14 2.2 16 5 16S10 13.8 10 11S7.8 6.2 5 6.2S.3 8.2 0 10.8"),
    "7": (10, "M0 0H10L3.5 16"),
    "8": (
        10,
        "M5 7C3 7 1 6 1 3.6S3 0 5 0S9 1 9 3.6S7 7 5 7S0 9 0 11.5S2 16 5 16S10 14 10 11.5S8 7 5 7",
    ),
    "9": (10, "M1.5 16C7 14 10 10 10 5.2C10 2 7.8 0 5 0S0 2.2 0 5S2.2 9.8 5 9.8S9.7 7.8 10 5.2"),
    "a": (10, _BOWL + "M9.5 6V16"),
    "b": (10, _BOWL + "M.5 0V16"),
    "c": (9, "M9 8C8 6.8 6.7 6 5 6C2.5 6 .5 8 .5 11S2.5 16 5 16C6.7 16 8 15.2 9 14"),
    "d": (10, _BOWL + "M9.5 0V16"),
    "e": (10, "M.5 11H9.5C9.5 8 7.5 6 5 6S.5 8 .5 11S2.5 16 5 16C6.8 16 8.2 15.2 9 14"),
    "f": (7, "M7 .3C4-.5 3 1 3 3.5V16M0 6H6.5"),
    "g": (10, _BOWL + "M9.5 6V17C9.5 19.5 7.5 21 5 21C3.3 21 2 20.5 1 19.5"),
    "h": (9, "M.3 0V16M.3 10.5C1 7.7 2.7 6 4.8 6C7.5 6 8.7 7.8 8.7 10.3V16"),
    "i": (2, "M1 6V16M1 1V1.4"),
    "j": (4, "M3 6V18C3 20.3 2 21.2-.5 20.6M3 1V1.4"),
    "k": (9, "M.3 0V16M8 6L.3 12M3.5 9.7L8.7 16"),
    "l": (2, "M1 0V16"),
    "m": (14, "M0 16V6M0 10Q.8 6 3.8 6T7 10V16M7 10Q7.8 6 10.8 6T14 10V16"),
    "n": (9, "M.3 16V6M.3 10.5C1 7.7 2.7 6 4.8 6C7.5 6 8.7 7.8 8.7 10.3V16"),
    "o": (10, "M5 6C8 6 9.5 8 9.5 11S8 16 5 16S.5 14 .5 11S2 6 5 6Z"),
    "p": (10, _BOWL + "M.5 6V21"),
    "q": (10, _BOWL + "M9.5 6V21"),
    "r": (6, "M.3 16V6M.3 11C.8 8 2.5 6 6 6.2"),
    "s": (
        9,
        "M8.2 7.6C7.3 6.5 6 6 4.3 6C2 6 .6 7 .6 8.6C.6 12.3 8.6 9.7 8.6 13.3"
        "C8.6 15 7 16 4.5 16C2.6 16 1 15.4 0 14.1",
    ),
    "t": (7, "M3 2V12.5C3 15.2 4.2 16.4 7 15.8M0 6H6.6"),
    "u": (9, "M.3 6V11.7C.3 14.2 1.5 16 4.2 16C6.4 16 8 14.3 8.7 11.5M8.7 6V16"),
    "v": (9, "M0 6L4.5 16L9 6"),
    "w": (14, "M0 6L3.5 16L7 6.5L10.5 16L14 6"),
    "x": (9, "M0 6L8.5 16M8.5 6L0 16"),
    "y": (9, "M0 6L4.5 16M9 6L4.5 16Q2.8 20.5 0 20.8"),
    "z": (9, "M.5 6H8L0 16H8.5"),
    "-": (7, "M.5 10.5H6.5"),
    "+": (9, "M0 10.5H9M4.5 6V15"),
    "<": (8, "M7.5 6L.5 10.5L7.5 15"),
    ">": (8, "M.5 6L7.5 10.5L.5 15"),
    "/": (7, "M7 0L0 17"),
    "(": (4, "M4-1Q0 3 0 8T4 18"),
    ")": (4, "M0-1Q4 3 4 8T0 18"),
    ".": (2, "M1 15.6V16"),
    ",": (2, "M1.4 15.5L.2 19"),
    ":": (2, "M1 8V8.4M1 15.6V16"),
}
"""Widths and strokes by character; digits are 16 units high, some letters reach below."""
_UNKNOWN = (10, "M0 0H10V16H0Z")
_GAP = 4


def document(width: float, height: float, *body: str, attributes: str = "") -> str:
    """An SVG document with elements in it, and with more attributes of its root.

    Width and height are in units, each of which is a pixel unless the picture is scaled.
    """
    size = f"{width:g} {height:g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg"{attributes and " " + attributes} '
        f'viewBox="0 0 {size}" width="{width:g}" height="{height:g}">\n'
        + "\n".join(body)
        + "\n</svg>\n"
    )


def element(name: str, *inside: str, **attributes: float | str) -> str:
    """An SVG element with others or text in it.

    Names of attributes have underscores for hyphens; numbers get five digits.
    """
    words = [name]
    for key, value in attributes.items():
        text = value if isinstance(value, str) else f"{value:.5g}"
        words.append(f'{key.replace("_", "-")}="{text}"')
    begin = " ".join(words)
    return f"<{begin}>{''.join(inside)}</{name}>" if inside else f"<{begin}/>"


def text_width(text: str, height: float) -> float:
    """The width of a text whose digits have the given height."""
    widths = [_GLYPHS.get(letter, _UNKNOWN)[0] + _GAP for letter in text.lower()]
    return max(sum(widths) - _GAP, 0) * height / 16


def text_svg(text: str, x: float, y: float, height: float, colour: str, anchor: str) -> str:
    """A text as an SVG group, labelled with the text for those who do not see it.

    `x` is where the text starts, has its middle or ends, as `anchor` says: "start", "middle" or
    "end"; `y` and `height` are the middle and the height of its digits. Capitals look like small
    letters, unknown characters like boxes.
    """
    left = x - {"start": 0, "middle": 0.5, "end": 1}[anchor] * text_width(text, height)
    paths, at = [], 0
    for letter in text.lower():
        width, strokes = _GLYPHS.get(letter, _UNKNOWN)
        if strokes:
            paths.append(f'<path d="{strokes}" transform="translate({at} 0)"/>')
        at += width + _GAP
    return (
        f'<g aria-label="{escape(text)}" '
        f'transform="translate({left:.5g} {y - height / 2:.5g}) scale({height / 16:.4g})" '
        f'fill="none" stroke="{colour}" stroke-width="2.2" stroke-linecap="round" '
        f'stroke-linejoin="round">{"".join(paths)}</g>'
    )
