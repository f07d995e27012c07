"""The games of OpenSpiel as `agents.catalogue` finds them: "openspiel:hex(board_size=7)"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature
from types import SimpleNamespace
from typing import Any

import numpy as np

from agents.adapters.openspiel import OpenSpielModel
from agents.adapters.spiel import check_name, pyspiel

MAX_SEED = 2**31 - 1
"""OpenSpiel's integers have 32 bits."""


def entry(name: str) -> SimpleNamespace:
    """A game of OpenSpiel as an entry point of the group ``agents.games``, by its short name."""
    check_name(name)
    kinds = {kind.short_name: kind for kind in pyspiel.registered_games()}
    make = _maker(name, kinds[name].parameter_specification)
    return SimpleNamespace(make=make, HEURISTICS=OpenSpielModel.heuristics, PLAYERS={})


def _maker(name: str, defaults: Mapping[str, Any]) -> Callable[..., OpenSpielModel]:
    """A function that builds the game; its arguments are the game's parameters."""

    def make(**options: Any) -> OpenSpielModel:
        values = {key: _value(key, value, defaults[key]) for key, value in options.items()}
        given = ",".join(f"{key}={value}" for key, value in values.items() if value is not None)
        return OpenSpielModel(f"{name}({given})")

    parameters = [Parameter(key, Parameter.KEYWORD_ONLY, default=v) for key, v in defaults.items()]
    make.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
    return make


def _value(key: str, value: Any, default: Any) -> Any:
    """A value that OpenSpiel accepts for a parameter: it tells 6 from 6.0, and knows no 1e-05."""
    if key == "seed" and isinstance(value, int):
        return value % MAX_SEED
    if isinstance(default, float) and isinstance(value, int | float):
        return np.format_float_positional(value, trim="0")
    return value
