"""Packages that import a public name when it is first asked for: importing them is quick."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from threading import RLock
from typing import Any

_LOCK = RLock()
"""Threads that import parts of a package at the same time could see half of a module."""


def on_demand(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    Its imports stand in `if TYPE_CHECKING`. Modules of the package are attributes as well.

    Args:
        package: Its ``__name__``.
        file: Its ``__file__``, the source, where each absolute `from MODULE import NAME as NAME`
            tells a public name and where it is from.
    """
    statements = ast.walk(ast.parse(Path(file).read_text("utf-8")))
    imports = [each for each in statements if isinstance(each, ast.ImportFrom)]
    aliases = [(each.module, alias.asname) for each in imports for alias in each.names]
    modules = {name: module for module, name in aliases if name}

    def get(name: str) -> Any:
        module = modules.get(name)
        with _LOCK:
            found = _submodule(package, name) if module is None else import_module(module)
        if module is not None:
            found = getattr(found, name)
        setattr(sys.modules[package], name, found)
        return found

    def names() -> list[str]:
        return sorted(vars(sys.modules[package]).keys() | modules.keys())

    return get, names, sorted(modules)


def _submodule(package: str, name: str) -> Any:
    full_name = f"{package}.{name}"
    try:
        return import_module(full_name)
    except ModuleNotFoundError as error:
        if error.name != full_name:
            raise
        raise AttributeError(f"module {package!r} has no attribute {name!r}") from None
