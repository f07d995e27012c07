"""Pictures given as SVG documents: their pixels, and files.

The drawing libraries are imported when a function that needs them is called.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_count, check_number, extra
from agents.files import replacing, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_WIDTH = 10_000
MAX_SECONDS = 100
"""The longest time of a picture of an animation; a file can hold no more than six times as much."""
PICTURES = ".svg", ".png"
ANIMATIONS = (".gif",)
"""Suffixes of files."""


def rasterize(
    svg: str, width: int | None = None, height: int | None = None, background: str = "#ffffff"
) -> NDArray[np.uint8]:
    """The pixels of an SVG document: uint8[height, width, 3], red, green and blue.

    A width of None draws one pixel for each unit. A height of None keeps the proportions of the
    document; otherwise it is drawn in the middle of the picture, as large as fits. Pixels need the
    extra "render".
    """
    check_pixels()
    import resvg_py
    from PIL import Image, ImageOps

    png = bytes(resvg_py.svg_to_bytes(svg_string=svg, width=width, background=background))
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    if height is not None:
        picture = ImageOps.pad(picture, (picture.width, height), color=background)
    return np.array(picture)


def save(svg: str, path: str | Path) -> None:
    """Writes an SVG document to a file: .svg or, with the extra "render", .png."""
    check_suffix(path, PICTURES)
    if Path(path).suffix == ".svg":
        write_file(path, svg)
        return
    pixels = rasterize(svg)
    from PIL import Image

    with replacing(path) as file:
        Image.fromarray(pixels).save(file, "PNG")


def check_suffix(path: str | Path, allowed: tuple[str, ...]) -> None:
    """Refuses a picture that cannot be saved, before work whose result it is to show."""
    if (suffix := Path(path).suffix) not in allowed:
        raise ValueError(
            f"cannot save a picture as {suffix!r}; allowed: {', '.join(allowed)}, got {str(path)!r}"
        )
    if suffix != ".svg":
        check_pixels()


def check_pixels() -> None:
    """Raises ImportError if the extra "render", which draws pictures of pixels, is missing."""
    with extra("render", "a picture of pixels (rgb_array, PNG, GIF)"):
        import PIL  # noqa: F401
        import resvg_py  # noqa: F401


def save_gif(svgs: Iterable[str], path: str | Path, width: int, seconds: float) -> None:
    """Writes SVG documents of the same proportions as an animated GIF, so many pixels wide.

    Each picture is shown for `seconds`, the last one five times as long; it has all the colours.
    """
    check_suffix(path, ANIMATIONS)
    width = check_count("width", width, 1, MAX_WIDTH)
    check_number("seconds", seconds, 0, MAX_SECONDS, is_open=True)
    from PIL import Image

    pictures = [Image.fromarray(rasterize(svg, width)) for svg in svgs]
    palette = pictures[-1].quantize()  # the same for all: what stays is then written once
    first, *others = [
        picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures
    ]
    pause = round(1000 * seconds)
    durations = [pause] * len(others) + [5 * pause]
    with replacing(path) as file:
        first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0)


def save_figure(figure: Figure, path: str | Path) -> None:
    """Writes a figure of Matplotlib to a PNG file."""
    with replacing(path) as file:
        figure.savefig(file, format="png", dpi=150)
