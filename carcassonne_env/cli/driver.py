"""A terminal driver that survives input which is not valid UTF-8."""

from __future__ import annotations

from textual.driver import Driver


def lenient(driver: type[Driver]) -> type[Driver]:
    """A subclass of a driver of Textual that drops chunks of input which are not valid UTF-8."""

    def run_input_thread(self: Driver) -> None:
        while True:
            try:
                return driver.run_input_thread(self)  # type: ignore[attr-defined, no-any-return]
            except UnicodeDecodeError:
                continue

    return type(f"Lenient{driver.__name__}", (driver,), {"run_input_thread": run_input_thread})
