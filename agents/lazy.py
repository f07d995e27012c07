"""Packages that are quick to import: their names, and libraries, are loaded when someone asks."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from threading import RLock
from types import ModuleType
from typing import Any

_LOCK = RLock()
"""Threads that import parts of a package at the same time could see half of a module."""


def on_demand(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """The ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its name and file.

    Its imports stand in `if TYPE_CHECKING` of the file, where each absolute `from MODULE import
    NAME as NAME` tells a public name and where it is from. Modules of the package are attributes as
    well.
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


def when_imported(library: str, action: Callable[[], None]) -> None:
    """Calls a function once a library is imported, by whomever; at once if it is already.

    So a package registers with a library, and need not load it for those who do without.
    """
    _WAITING.setdefault(library, []).append(action)
    if _FINDER not in sys.meta_path:
        sys.meta_path.insert(0, _FINDER)
    if library in sys.modules:
        _act(library)


_WAITING: dict[str, list[Callable[[], None]]] = {}
"""What to call when a library is imported."""


class _Finder:
    """Has the other finders find a library, and acts after it is loaded."""

    def find_spec(self, name: str, *rest: Any) -> ModuleSpec | None:
        if name not in _WAITING:
            return None
        found = (each.find_spec(name, *rest) for each in sys.meta_path if each is not self)
        spec = next(filter(None, found), None)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                load(module)
                _act(module.__name__)

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


_FINDER = _Finder()


def _act(library: str) -> None:
    for action in _WAITING.pop(library, ()):
        action()
