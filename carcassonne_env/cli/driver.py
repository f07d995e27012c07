"""A terminal driver that survives input which is not valid UTF-8."""

from __future__ import annotations

from textual.driver import Driver


class LenientDriver(Driver):
    """A mixin for Textual drivers that skips input bytes which are not valid UTF-8."""

    def run_input_thread(self) -> None:
        """Reads keys until the driver stops; drops each chunk of input that has invalid bytes."""
        while True:
            try:
                return super().run_input_thread()  # type: ignore[misc, no-any-return]
            except UnicodeDecodeError:
                continue


def lenient(driver: type[Driver]) -> type[Driver]:
    """Returns a subclass of the driver that skips input bytes which are not valid UTF-8."""
    return type(f"Lenient{driver.__name__}", (LenientDriver, driver), {})
