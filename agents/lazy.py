"""Packages that import a public name when it is first asked for: importing them is quick."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def on_demand(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package whose imports stand in `if TYPE_CHECKING`.

    Args:
        package: Its ``__name__``.
        file: Its ``__file__``; each `from MODULE import NAME` in it tells where a name is from.
    """
    statements = ast.walk(ast.parse(Path(file).read_text("utf-8")))
    imports = [each for each in statements if isinstance(each, ast.ImportFrom)]
    modules = {alias.name: each.module for each in imports for alias in each.names}

    def get(name: str) -> Any:
        module = modules.get(name)
        if module is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(module), name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted(vars(sys.modules[package]).keys() | modules.keys())

    return get, names
