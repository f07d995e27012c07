"""Render modes of environments: which ones the installed packages allow, and a pygame window."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import extra

RENDER_MODES = ("ansi", "rgb_array", "human")
"""Text, pixels, and a window."""
PACKAGES = ("resvg_py", "PIL", "pygame")
"""What pixels and windows need, from the extra ``render``. Pixels alone do not need pygame, but
Gymnasium opens windows of its own, by pygame, for environments that offer pixels and no window."""


def installed_modes() -> list[str]:
    """The render modes for ``metadata``, which users and checkers of environments may try.

    Without `PACKAGES`, text is left.
    """
    return [*RENDER_MODES] if _missing() is None else ["ansi"]


def check_packages(render_mode: str) -> None:
    """Raises ImportError, which says what to install, if one of `PACKAGES` is missing."""
    with extra("render", f"render_mode={render_mode!r}"):
        if package := _missing():
            raise ModuleNotFoundError(name=package)


def _missing() -> str | None:
    """The first of `PACKAGES` that is missing."""
    return next((package for package in PACKAGES if find_spec(package) is None), None)


class Window:
    """A window that opens at the first picture. If the user closes it, the game goes on without it.

    A copy is a new window. Pygame shows one at a time, so windows of a process take turns.
    """

    def __init__(self, caption: str) -> None:
        self.caption = caption
        self.screen: Any = None
        self.is_closed = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Window, (self.caption,)

    def show(self, pixels: NDArray[np.uint8], frames_per_second: float) -> None:
        """Shows a picture, uint8[height, width, 3], and waits for the duration of a frame."""
        if self.is_closed:
            return
        with extra("render", 'render_mode="human"'):
            import pygame
        size = pixels.shape[1], pixels.shape[0]
        pygame.display.init()
        pygame.display.set_caption(self.caption)
        self.screen = pygame.display.get_surface()  # that of another environment, perhaps
        if self.screen is None or self.screen.get_size() != size:
            self.screen = pygame.display.set_mode(size)
        pygame.surfarray.blit_array(self.screen, pixels.swapaxes(0, 1))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        pygame.time.wait(int(1000 / frames_per_second))

    def close(self) -> None:
        """Closes the window for good."""
        if self.screen is not None:
            import pygame

            pygame.display.quit()
        self.screen = None
        self.is_closed = True
