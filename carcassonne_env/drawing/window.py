"""A pygame window that shows pictures of a game (extra ``render``)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import extra


class Window:
    """A window that opens at the first picture. If the user closes it, the game goes on without it.

    Args:
        caption: The title of the window.

    Raises:
        ImportError: If pygame is not installed.
    """

    def __init__(self, caption: str) -> None:
        with extra("render", 'render_mode="human"'):
            import pygame
        self.pygame = pygame
        self.caption = caption
        self.screen: Any = None
        self.is_closed = False

    def show(self, pixels: NDArray[np.uint8], frames_per_second: float) -> None:
        """Shows a picture, uint8[height, width, 3], and waits for the duration of a frame."""
        if self.is_closed:
            return
        pygame = self.pygame
        if self.screen is None:
            pygame.display.init()
            pygame.display.set_caption(self.caption)
            self.screen = pygame.display.set_mode((pixels.shape[1], pixels.shape[0]))
        pygame.surfarray.blit_array(self.screen, pixels.swapaxes(0, 1))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
        pygame.time.wait(int(1000 / frames_per_second))

    def close(self) -> None:
        """Closes the window for good."""
        if self.screen is not None:
            self.pygame.display.quit()
        self.screen = None
        self.is_closed = True
