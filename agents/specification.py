"""Specifications: texts ``name(option=value, ...)`` that describe an object."""

from __future__ import annotations

import ast
import inspect
import operator
import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache, partial
from typing import Any, TypeVar

import numpy as np

from agents.checks import suggestion

MAX_LENGTH = 10_000
"""The largest number of characters of a specification; the longest formulas have fewer."""
MAX_NESTING = 200
"""The largest depth of brackets in a specification; Python's parser accepts no more."""
_SPECIFICATION = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OPTION = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL)
T = TypeVar("T")


def build(kind: str, factories: Mapping[str, Callable[..., T]], text: str, **given: Any) -> T:
    """Creates the object that a specification describes, by the factory of its name.

    The options of the text are keyword arguments of the factory, beside those `given`, which the
    text must not set. Values are Python literals. Any other value is taken as text and must have no
    comma outside parentheses. `kind` names the object in errors: "agent", "game".
    """
    name, options = parsed(kind, text)
    if name not in factories:
        hint = suggestion(name, factories) or "."
        names = ", ".join(factories)
        raise ValueError(f"{kind} must be a known name, got {name!r}{hint} Known are {names}")
    known = _options(factories[name])
    if "seed" in given:  # the caller's, which no text sets
        known = [option for option in known if option != "seed"]
    takes_any = signature_of(factories[name]) is _ANY
    for option in options:
        if option not in known and not takes_any:
            shown = ", ".join(known) or "none"
            hint = suggestion(option, known)
            raise ValueError(f"{name!r} has no option {option!r}; its options are: {shown}{hint}")
        if option in given:
            raise ValueError(f"option {option!r} is given twice, also as {given[option]!r}")
    try:
        signature_of(factories[name]).bind(**options, **given)
    except TypeError as error:
        raise ValueError(f"{text!r} is incomplete: {error}") from None
    return factories[name](**options, **given)


def signature_of(function: Callable[..., Any]) -> inspect.Signature:
    """The signature, remembered: finding it takes as long as a hundred iterations of a search."""
    find = _signature_of if isinstance(function, Hashable) else _signature_of.__wrapped__
    return find(function)


@lru_cache(maxsize=256)
def _signature_of(function: Callable[..., Any]) -> inspect.Signature:
    try:
        return inspect.signature(function)
    except ValueError:  # a compiled class tells none
        return _ANY


_ANY = inspect.signature(lambda **options: None)


def _options(factory: Callable[..., Any]) -> list[str]:
    """The names of the arguments.

    If a class takes ``**kwargs``, the arguments of its base class are included.
    """
    names: list[str] = []
    layers = [factory, *getattr(factory, "__mro__", ())[1:]]
    for layer in layers:
        parameters = signature_of(layer).parameters.values()
        names += [p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in names]
        if all(p.kind is not p.VAR_KEYWORD for p in parameters):
            break
    return names


def parsed(kind: str, specification: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a specification."""
    if not isinstance(specification, str):
        raise TypeError(
            f"{kind} must be text like 'name' or 'name(option=value)', got {specification!r:.200}"
        )
    if len(specification) > MAX_LENGTH:
        raise ValueError(
            f"{kind} must have {MAX_LENGTH} characters or less, got {len(specification)}: "
            f"{specification[:50]!r}..."
        )
    match = _SPECIFICATION.fullmatch(specification)
    if match is None:
        raise ValueError(
            f"{kind} must read like 'name' or 'name(option=value)', got {specification!r}"
        )
    name, text = match.groups()
    options: dict[str, Any] = {}
    for part in _parts(text or ""):
        option = _OPTION.fullmatch(part)
        if option is None:
            raise ValueError(
                f"options must read like option=value, got {part!r} in {specification!r}"
            )
        if option[1] in options:
            raise ValueError(f"option {option[1]!r} is given twice in {specification!r}")
        options[option[1]] = _value(option[2])
    return name, options


def _parts(text: str) -> list[str]:
    """Splits the text at commas outside parentheses, brackets and quotes."""
    parts, depth, quote, is_escaped = [""], 0, "", False
    for character in text:
        if character == "," and depth == 0 and not quote:
            parts.append("")
            continue
        if quote:
            quote = "" if character == quote and not is_escaped else quote
            is_escaped = character == "\\" and not is_escaped
        elif character in "\"'":
            quote = character
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        if depth > MAX_NESTING:
            raise _too_deep(text)
        parts[-1] += character
    return parts if text.strip() else []


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    except (RecursionError, MemoryError):  # Python's parser is out of stack
        raise _too_deep(text) from None


def _too_deep(text: str) -> ValueError:
    return ValueError(f"a value must not be nested too deeply, got {text[:50]!r}...")


# Remembering the arguments of a call


def given(function: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name, without the seed and without default values."""
    signature = signature_of(function)
    try:
        arguments = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:  # the call itself raises a clearer error
        return {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(name, {})
    arguments.pop("seed", None)
    for name in signature.parameters.keys() & arguments.keys():
        parameter = signature.parameters[name]
        arguments[name] = value = _as_count(arguments[name], parameter)
        if type(value) is type(parameter.default) and value == parameter.default:
            del arguments[name]
    return arguments


def _as_count(value: Any, parameter: inspect.Parameter) -> Any:
    """A count as an integer, though it may have been given as 1e6."""
    kinds = set(re.findall(r"\w+", str(parameter.annotation)))
    is_count = isinstance(value, float) and value.is_integer() and "int" in kinds
    return int(value) if is_count and "float" not in kinds else value


def specified(name: str, options: Mapping[str, Any]) -> str:
    """The specification that `build` reads; values that `written` refuses appear as their repr."""
    shown = ", ".join(f"{option}={_shown(value)}" for option, value in options.items())
    return f"{name}({shown})" if options else name


def _shown(value: Any) -> str:
    """A value in a specification; text has no quotes if it is read back unchanged without them."""
    if type(value) is str:  # what follows a comma behind it must not become part of it
        is_plain = value == value.strip() != "" and _parts(value + ",") == [value, ""]
        return value if is_plain and _value(value) == value else repr(value)
    return written(value) if is_written(value) else repr(value)


# Texts that identify values


def is_written(value: Any) -> bool:
    """Whether `written` can write a value."""
    try:
        written(value)
    except ValueError:
        return False
    return True


def written(value: Any) -> str:
    """A text that identifies a value: no other value has it, and it is the same in every run.

    Literals are written as in Python, agents as their specifications, functions and classes as
    ``module:name``, and other objects as the call that creates them when they are unpickled. A
    value without such a text raises ValueError: lambdas, functions defined in other functions, and
    objects whose pickle holds more than a call.
    """
    try:
        return _written(value)
    except RecursionError:
        raise ValueError("a value that is nested too deeply has no text of its own") from None


def _written(value: Any) -> str:
    if isinstance(value, np.generic):
        value = value.item()
    kind = type(value)
    if value is None or kind in (bool, int, float, complex, str, bytes):
        return repr(value)
    if kind is tuple:
        return f"({_joined(value)}{',' * (len(value) == 1)})"
    if kind is list:
        return f"[{_joined(value)}]"
    if kind is dict:
        return f"{{{', '.join(f'{_written(k)}: {_written(v)}' for k, v in value.items())}}}"
    if kind in (set, frozenset):
        return f"{kind.__name__}([{', '.join(sorted(map(_written, value)))}])"
    if isinstance(value, partial):
        return _call(partial, (value.func, *value.args), value.keywords)
    if hasattr(value, "__qualname__"):
        return _path(value)
    if isinstance(specification := getattr(value, "specification", None), str):
        return specification
    return _call(*_reduced(value), {})


def _joined(values: Iterable[Any]) -> str:
    return ", ".join(map(_written, values))


def _path(value: Any) -> str:
    """The ``module:name`` from which a function or class can be imported."""
    module, name = getattr(value, "__module__", None) or "", value.__qualname__
    try:
        found = operator.attrgetter(name)(sys.modules[module])
    except (AttributeError, KeyError):
        found = None
    if found is not value:
        raise ValueError(f"{value!r} cannot be imported as {module}:{name}")
    return f"{module}:{name}"


def _reduced(value: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The function, and its arguments, that creates an object when it is unpickled."""
    reduced: Any = ()
    default: Any = object.__reduce__  # this default pickles all attributes
    if type(value).__reduce__ is not default:
        try:
            reduced = value.__reduce__()
        except Exception as error:
            raise ValueError(f"{value!r} cannot be pickled: {error}") from error
    if not isinstance(reduced, tuple) or [part is None for part in reduced[:3]] != [False, False]:
        raise ValueError(f"{value!r} is not made by its arguments alone")
    return reduced[0], reduced[1]


def _call(function: Callable[..., Any], args: Iterable[Any], keywords: Mapping[str, Any]) -> str:
    """A call as text; a class appears under its name alone."""
    if isinstance(function, partial):
        keywords = {**function.keywords, **keywords}
        return _call(function.func, (*function.args, *args), keywords)
    path = _path(function)
    name = function.__qualname__ if isinstance(function, type) else path
    shown = [*map(_written, args), *(f"{key}={_written(v)}" for key, v in keywords.items())]
    return f"{name}({', '.join(shown)})"
