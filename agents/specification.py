"""Specifications: ``name(option=value, ...)`` as text, for what has a name and options."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

_SPECIFICATION = re.compile(r"\s*([^\s()]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
_OPTION = re.compile(r"\s*(\w+)\s*=\s*(.*?)\s*", re.DOTALL)
T = TypeVar("T")


def build(kind: str, factories: Mapping[str, Callable[..., T]], text: str, **given: Any) -> T:
    """Makes what a specification describes.

    Args:
        kind: What it is, for messages.
        factories: What makes each, by name; the options are their keyword arguments.
        text: The specification. Values are Python literals; other text, which must have no comma
            outside parentheses, stands for itself.
        given: Options that do not come from the text, where they have one of these names.

    Raises:
        ValueError: If the name or an option is unknown, a value is refused, or the text cannot be
            read.
    """
    name, options = parsed(kind, text)
    if name not in factories:
        raise ValueError(f"{kind} must be one of {', '.join(factories)}, got {name!r}")
    known = _options(factories[name])
    for option in options:
        if option not in known:
            shown = ", ".join(known) or "none"
            raise ValueError(f"{name!r} has no option {option!r}; its options are: {shown}")
        if option in given:
            raise ValueError(f"option {option!r} is given twice, also as {given[option]!r}")
    try:
        inspect.signature(factories[name]).bind(**options, **given)
    except TypeError as error:
        raise ValueError(f"{text!r} is incomplete: {error}") from None
    return factories[name](**options, **given)


def _options(factory: Callable[..., Any]) -> list[str]:
    """The names of the arguments, where a class hands others on those of its base too; no seed."""
    names: list[str] = []
    layers = [factory, *getattr(factory, "__mro__", ())[1:]]
    for layer in layers:
        parameters = inspect.signature(layer).parameters.values()
        names += [p.name for p in parameters if p.kind is not p.VAR_KEYWORD and p.name not in names]
        if all(p.kind is not p.VAR_KEYWORD for p in parameters):
            break
    return [name for name in names if name != "seed"]


def parsed(kind: str, specification: str) -> tuple[str, dict[str, Any]]:
    """The name and the options of a specification."""
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
    """The text cut at its commas, those inside parentheses, brackets or quotes left out."""
    parts, depth, quote = [""], 0, ""
    for character in text:
        if character == "," and depth == 0 and not quote:
            parts.append("")
            continue
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        depth += 0 if quote else (character in "([{") - (character in ")]}")
        parts[-1] += character
    return parts if text.strip() else []


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def given(function: Callable[..., Any], *args: Any, **kwargs: Any) -> dict[str, Any]:
    """The arguments of a call by name, without the seed and those that are the default ones."""
    signature = inspect.signature(function)
    try:
        arguments = signature.bind_partial(*args, **kwargs).arguments
    except TypeError:  # which the call itself will tell better
        return {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            arguments |= arguments.pop(name, {})
    defaults = {name: parameter.default for name, parameter in signature.parameters.items()}
    return {
        name: value
        for name, value in arguments.items()
        if name != "seed" and not (name in defaults and _is_same(value, defaults[name]))
    }


def _is_same(value: Any, default: Any) -> bool:
    return type(value) is type(default) and bool(value == default)


def exact(number: float) -> str:
    """A number as the shortest text that reads back as the same number."""
    text = f"{number:g}"
    return text if float(text) == number else repr(float(number))


def specified(name: str, options: Mapping[str, Any]) -> str:
    """The specification that `build` reads; values without one of their own are shown by repr."""
    shown = ", ".join(f"{option}={_shown(value)}" for option, value in options.items())
    return f"{name}({shown})" if options else name


def _shown(value: Any) -> str:
    """Text stands for itself where it is read back as it is."""
    if not isinstance(value, str):
        return repr(value)
    is_plain = _parts(value) == [value.strip()] == [value] and _value(value) == value
    return value if is_plain else repr(value)
