"""Docstrings: those of compiled modules; doctests as code, and names as links."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

import griffe

import agents
import carcassonne_env
import fop_env

PARSER: dict[str, Any] = {"parser": "google", "parser_options": {"warnings": False}}
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
    """Gives every object of a stub the docstring of the object in the compiled module."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Looks for stubs in a package."""
        for module in [pkg, *modules_below(pkg)]:
            if getattr(module.filepath, "suffix", None) == ".pyi":
                fill(module, importlib.import_module(module.path))

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        """Makes code blocks of doctests, and links of names."""
        if obj.docstring is not None:
            text = DOCTEST.sub(r"```pycon\n\g<0>\n```", obj.docstring.value)
            obj.docstring.value = NAME.sub(
                lambda m: m[0] if m[2] not in NAMES else f"[`{m[2]}`][{NAMES[m[2]]}]", text
            )


def modules_below(module: griffe.Module) -> list[griffe.Module]:
    """All modules of a package."""
    own = [each for each in module.members.values() if not each.is_alias and each.is_module]
    return own + [below for each in own for below in modules_below(each)]


def fill(target: griffe.Object, compiled: Any) -> None:
    """Gives the members of a module or a class their docstrings."""
    for name, member in target.members.items():
        value = getattr(compiled, name, None)
        if member.is_alias or value is None or member.docstring is not None:
            continue
        if text := docstring(name, member, value):
            member.docstring = griffe.Docstring(text, parent=member, **PARSER)
        if member.is_class:
            fill(member, value)


def docstring(name: str, member: griffe.Object, value: Any) -> str:
    """The docstring of a compiled object, without the signature that Cython writes above it."""
    if member.is_attribute and not inspect.isdatadescriptor(value):
        return ""  # that of the type of a constant
    text = value.__doc__ or ""
    first, _, rest = text.partition("\n")
    return inspect.cleandoc(rest if first.startswith(f"{name}(") else text)
