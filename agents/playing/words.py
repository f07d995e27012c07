"""The result of a game in words."""

from __future__ import annotations

from collections.abc import Sequence


def result_words(returns: Sequence[float], names: Sequence[str]) -> list[str]:
    """The return of each player, and who won; a line each."""
    lines = [f"{name}: return {value:.4g}" for name, value in zip(names, returns, strict=True)]
    winners = [name for name, value in zip(names, returns, strict=True) if value == max(returns)]
    if len(names) == 1:
        return lines
    if len(winners) == len(names):
        return [*lines, "Draw: all returns are equal"]
    return [*lines, *(f"Winner: {name}" for name in winners)]
