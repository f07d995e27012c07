"""Docstrings: doctests as code, and names as links."""

from __future__ import annotations

import re
from typing import Any

import griffe

import agents
import carcassonne_env
import fop_env

NAMES = {
    name: f"{package.__name__}.{name}"
    for package in (carcassonne_env, fop_env, agents)
    for name in package.__all__
    if name not in ("env", "raw_env", "__version__")
} | {
    "CarcassonneEnv": "carcassonne_env.gymnasium_env.CarcassonneEnv",
    "FopEnv": "fop_env.gymnasium_env.FopEnv",
}
"""What docstrings name, and where it is documented."""
NAME = re.compile(r"(?<!`)(``?)(\w+)\1(?!`)")
DOCTEST = re.compile(r"^>>> .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)


class Docstrings(griffe.Extension):
    """Makes code blocks of doctests, and links of names."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Changes the docstring of an object."""
        if obj.docstring is not None:
            text = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
            obj.docstring.value = NAME.sub(
                lambda m: m[0] if m[2] not in NAMES else f"[`{m[2]}`][{NAMES[m[2]]}]", text
            )
