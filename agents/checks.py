"""Checks of arguments, each with an error that names the argument and what is allowed."""

from __future__ import annotations

import math
import numbers
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import Field, field, fields, is_dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

INF = math.inf
ON_PAGES = {"on_pages": True}
"""The metadata of an option without a check of its own that pages may set: see `page_options`."""
PAGE_SECONDS = 60.0
"""Longest search that pages may ask for."""
_NOTHING = object()


@contextmanager
def extra(name: str, what: str) -> Iterator[None]:
    """Imports in the block of this ``with`` raise an error that says what to install.

    Args:
        name: The extra of this distribution that installs the packages.
        what: What needs them, for the error.

    Raises:
        ImportError: If an import in the block fails.
    """
    try:
        yield
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError):
            package = (error.name or str(error)).partition(".")[0]
            reason = f"needs the package {package}, which comes"
        else:  # the package is there, but broken or of another version
            reason = f"cannot import what it needs ({error}); what works comes"
        raise ImportError(
            f'{what} {reason} with the extra "{name}": {install_command(name)}', name=error.name
        ) from error


def install_command(name: str) -> str:
    """The command that installs an extra, from the checkout if the packages come from one."""
    root = Path(__file__).resolve().parents[1]
    if not (root / "pyproject.toml").is_file():
        return f'pip install "carcassonne-planning[{name}]"'
    folder = "." if root == Path.cwd() else root.as_posix()
    return f'pip install -e "{folder}[{name}]"'


def is_text(value: Any) -> bool:
    """Whether a value is text that files and pages can hold; half a surrogate pair is none."""
    return isinstance(value, str) and value == value.encode(errors="replace").decode()


def is_integer(value: Any) -> bool:
    """Whether a value is an integer of any type, such as numpy's; True and False are none."""
    try:
        operator.index(value)
    except TypeError:
        return False
    return not isinstance(value, bool)


def check_count(name: str, value: Any, low: int, high: int, *, also: Any = _NOTHING) -> Any:
    """The value as an integer, or `also` if it equals that.

    Floats such as 1e6 are taken for integers.

    Raises:
        ValueError: Unless it is an integer in [low, high], or equals `also`.
    """
    if also is not _NOTHING and value == also:
        return also
    is_whole = is_integer(value) or (_is_finite(value) and value == int(value))
    if not is_whole or not low <= value <= high:
        others = "" if also is _NOTHING else f" or {also!r}"
        raise ValueError(f"{name} must be an integer in [{low}, {high}]{others}, got {value!r}")
    return int(value)


class CheckedFields:
    """Base class of dataclasses that check the fields made by `checked` whenever they are set."""

    _derived: ClassVar[str] = ""
    """The name of the cached property that is computed anew after a field was set."""
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __setattr__(self, name: str, value: Any) -> None:
        """Sets an attribute; raises ValueError if it is a field that cannot have this value."""
        super().__setattr__(name, _checked(self, name, value))
        if name in self.__dataclass_fields__:
            self.__dict__.pop(self._derived, None)


def checked(
    default: Any,
    check: Callable[..., Any],
    *allowed: Any,
    on_pages: bool | float = False,
    **options: Any,
) -> Any:
    """A field of a dataclass that is checked; None is allowed if it is the default.

    `check` is a function of this module, which gets `allowed` and `options` after name and value.
    `on_pages` is what `page_options` tells: whether web pages and files of strangers may set it,
    or the greatest value there.
    """
    metadata = {"check": lambda *it: check(*it, *allowed, **options), "on_pages": on_pages}
    return field(default=default, metadata=metadata)


def page_options(kind: type) -> dict[str, float]:
    """The options of a player that pages and files of strangers may set, and their greatest values.

    Whatever they give, it runs no code, and takes time and memory that have a limit. The metadata
    of a dataclass's fields tells it, or the `PAGE_OPTIONS` of another class.
    """
    if not is_dataclass(kind):
        return dict(getattr(kind, "PAGE_OPTIONS", {}))
    arguments = {one.name for one in fields(kind) if one.init}
    marked = _marked(kind, "on_pages")
    most = {name: one.metadata["on_pages"] for name, one in marked.items() if name in arguments}
    return {name: INF if value is True else value for name, value in most.items() if value}


def check_fields(options: Any) -> None:
    """Checks the fields of a frozen dataclass that `checked` made, and makes counts integers.

    Raises:
        ValueError: If a value is not allowed.
    """
    for one in fields(options):
        value = _checked(options, one.name, getattr(options, one.name))
        object.__setattr__(options, one.name, value)


@cache
def _marked(kind: type, mark: str) -> dict[str, Field[Any]]:
    """The fields of a dataclass, by name, that have a mark in their metadata."""
    bases = filter(is_dataclass, reversed(kind.__mro__))  # one may change a default only
    return {one.name: one for base in bases for one in fields(base) if mark in one.metadata}


def _checked(options: Any, name: str, value: Any) -> Any:
    """The value of an attribute, as an integer if it is a count."""
    one = _marked(type(options), "check").get(name)  # type: ignore[arg-type]  # a type is hashable
    if one is None or (value is None and one.default is None):
        return value
    count = one.metadata["check"](name, value)
    return value if count is None else count  # the other checks return nothing


def check_range(name: str, value: Any, low: int, high: int) -> None:
    """Raises TypeError unless the value is an integer, ValueError unless it is in [low, high].

    Games and environments tell the two errors apart; planners use `check_count`.
    """
    if not is_integer(value):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    if not low <= value <= high:
        raise ValueError(f"{name} must be in [{low}, {high}], got {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Raises ValueError unless the value is True or False."""
    is_number = isinstance(value, numbers.Number) and not isinstance(value, bool)
    if is_number or value not in (True, False):
        raise ValueError(f"{name} must be True or False, got {value!r}")


def check_choice(name: str, value: Any, allowed: Collection[Any], also: str = "") -> None:
    """Raises ValueError unless the value is one of those allowed.

    `also` tells other allowed values in the error, such as "a function or ".
    """
    if value not in allowed:
        hint = suggestion(value, allowed)
        raise ValueError(f"{name} must be {also}one of {tuple(allowed)}, got {value!r}{hint}")


def suggestion(value: Any, known: Iterable[Any]) -> str:
    """The end of an error about an unknown name: "; did you mean 'mcts'?".

    Returns:
        The text with the most similar name; "" if none is similar, or if the value is no text.
    """
    names = {name.lower(): name for name in known if isinstance(name, str)}
    close = get_close_matches(value.lower(), names, 1) if isinstance(value, str) else []
    return f"; did you mean {names[close[0]]!r}?" if close else ""


def check_items(name: str, value: Any, count: int, form: str) -> Any:
    """The value, if it is a tuple or list of so many items.

    Raises:
        TypeError: If it is neither a tuple nor a list; the message says that it must be `form`.
        ValueError: If it has another number of items.
    """
    if not isinstance(value, (tuple, list)) or len(value) != count:
        kind = ValueError if isinstance(value, (tuple, list)) else TypeError
        raise kind(f"{name} must be {form}, got {value!r}")
    return value


def check_seconds(name: str, value: Any) -> None:
    """Raises ValueError unless the value is a finite number of seconds greater than 0."""
    if not _is_finite(value) or value <= 0:
        raise ValueError(f"{name} must be a number of seconds greater than 0, got {value!r}")


def check_number(
    name: str, value: Any, low: float = -INF, high: float = INF, *, is_open: bool = False
) -> None:
    """Raises ValueError unless the value is a finite number in [low, high].

    With ``is_open`` it must be greater than low.
    """
    if not _is_finite(value) or not low <= value <= high or (is_open and value == low):
        allowed = f" in {'(' if is_open else '['}{low:g}, {high:g}{')' if high == INF else ']'}"
        where = "" if (low, high) == (-INF, INF) else allowed
        raise ValueError(f"{name} must be a finite number{where}, got {value!r}")


def _is_finite(value: Any) -> bool:
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    try:
        return is_number and math.isfinite(value)
    except OverflowError:  # an integer of more than 308 digits
        return False


def heuristic_index(model: Any, heuristic: str | None, also: str = "") -> int:
    """The index of a heuristic in the ``heuristics`` of a model; None stands for the first one.

    `also` is that of `check_choice`.

    Raises:
        ValueError: If the model has no such heuristic.
    """
    if heuristic is None:
        if not model.heuristics:
            raise ValueError(f"{type(model).__name__} has no heuristics, but this needs one")
        return 0
    check_choice("heuristic", heuristic, model.heuristics, also)
    return int(model.heuristics.index(heuristic))


def exact(number: float) -> str:
    """A number as the shortest text that reads back as the same number."""
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number))
