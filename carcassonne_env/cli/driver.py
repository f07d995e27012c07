"""A terminal whose keyboard is read on, whatever bytes arrive."""

from __future__ import annotations

from textual.driver import Driver


class LenientDriver(Driver):
    """Reads keys as the driver that it is mixed into, but skips bytes that are not UTF-8."""

    def run_input_thread(self) -> None:
        """Reads keys until the driver stops; what arrived together with bad bytes is dropped."""
        while True:
            try:
                return super().run_input_thread()  # type: ignore[misc, no-any-return]
            except UnicodeDecodeError:
                continue


def lenient(driver: type[Driver]) -> type[Driver]:
    """A driver that reads on after bytes that are not UTF-8."""
    return type(f"Lenient{driver.__name__}", (LenientDriver, driver), {})
