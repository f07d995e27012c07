"""Players: levels, persons, and the limits of searches that a page or a file asks for."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.agent import Agent
from agents.checks import INF, PAGE_SECONDS, page_options
from agents.registry import AGENTS, make
from agents.specification import parsed, specified

from . import MAX_SPECIFICATION

PERSON = "me"
"""A person among the players."""
DEFAULT_SECONDS = 1.0
"""Time of a search whose planner could have several kinds of budget, and was given none."""
PARALLEL_SEARCHES = max(2, os.cpu_count() or 1)
"""Number of searches that run at the same time; further ones wait."""

_PERSONS = ("you", "person", "player")
"""Names of persons; files of earlier versions have the last one."""
_BUDGETS = frozenset(("iterations", "model_calls", "time_limit"))
_IMPORTED = re.compile(r"[\w.]+:\w+")
"""A player of the command line that is imported."""


def names_of(players: Sequence[str]) -> list[str]:
    """A name for each player: "you" for the only person; equal names are numbered from 1."""
    counts, used = Counter(players), Counter[str]()
    names = []
    for text in players:
        used[text] += 1
        name = text if text != PERSON else "you" if counts[text] == 1 else "person"
        names.append(f"{name} {used[text]}" if counts[text] > 1 else name)
    return names


def players_of(names: Sequence[str]) -> list[str]:
    """The players whose names `names_of` found, which files hold."""
    texts = [re.sub(r" \d+$", "", name) for name in names]
    return [PERSON if text in _PERSONS else text for text in texts]


@dataclass(frozen=True)
class Players:
    """The players that pages and files may name: persons, levels, and planners with limits.

    Nothing is imported for a player, and no file that it names is read. Which options it may have,
    its class tells: `agents.checks.page_options`.

    What they may not name is refused by ValueError.
    """

    levels: Mapping[str, str]  # specifications of `agents.make` by the name of the level
    named: Mapping[str, str] = field(default_factory=dict)  # those of the game's named players
    own: Mapping[str, Callable[..., Agent]] = field(default_factory=dict)  # of this game only
    judges: Mapping[str, str] = field(default_factory=dict)
    """Specifications with which levels analyse games, where these are other ones."""

    @property
    def kinds(self) -> dict[str, Callable[..., Agent]]:
        """The factories of the planners that pages and files may name."""
        return AGENTS | dict(self.own)

    def text(self, text: str) -> str:
        """The specification of a level, if the text is the name of one, else the text itself."""
        return self.levels.get(text, text)

    def player(self, text: str) -> str | None:
        """The specification, with its limits, of the player that a page names; None for a person.

        The text is "me" for a person, a level, or a specification of `agents.make`.
        """
        if text == PERSON:
            return None
        specification = self.limited(self.text(text))
        _made(specification)  # refuses values that the planner does not take
        return specification

    def agent(self, text: str) -> Agent:
        """The agent of a level, or of a specification with its limits."""
        return _made(self.limited(self.text(text)))

    def judge(self, level: str) -> str:
        """The specification, with its limits, with which a level analyses games."""
        if level not in self.levels:
            raise ValueError(
                f"a game is analysed by one of {', '.join(self.levels)}, got {level!r}"
            )
        return self.limited(self.judges.get(level, self.levels[level]))

    def player_or_person(self, name: str) -> str | None:
        """The player of a file: people take the seats of names that no planner has."""
        try:
            return self.player(name)
        except ValueError:
            return None

    def is_missing(self, name: str) -> bool:
        """Whether a name of a file is that of a planner that may not play here."""
        if self.player_or_person(name) is not None or name.endswith(" (you)"):
            return False
        try:
            _, options = parsed("player", name)
        except ValueError:
            return False
        return bool(options) or _IMPORTED.fullmatch(name) is not None

    def options_of(self, kind: str) -> dict[str, float]:
        """The options that a page may give to a kind of planner, and their greatest values."""
        factory: Any = self.kinds[kind]
        return page_options(getattr(factory, "func", factory))  # what a partial calls

    def allows(self, name: str) -> bool:
        """Whether a page may name this player."""
        return parsed("player", self.named.get(name, name))[0] in self.kinds

    def limited(self, specification: str) -> str:
        """A specification with limits on the time and memory of its search."""
        if len(specification) > MAX_SPECIFICATION:
            raise ValueError(
                f"a player must have {MAX_SPECIFICATION} characters or less, "
                f"got {len(specification)}"
            )
        if not specification.isprintable():
            raise ValueError(f"a player must have no control characters, got {specification!r}")
        name, options = specification.strip(), dict[str, Any]()
        if "(" in specification:
            name, options = parsed("player", specification)
        kind = parsed("player", self.named[name])[0] if name in self.named else name
        if kind not in self.kinds:
            known = ", ".join([*self.levels, *self.kinds, *self.named])
            raise ValueError(
                f"there is no player {name!r}, but there are these, also with options: {known}"
            )
        allowed = self.options_of(kind)
        for option, value in options.items():
            if option not in allowed:
                shown = ", ".join(sorted(allowed)) or "none"
                raise ValueError(
                    f"the option {option!r} is not allowed here; {name!r} may have: {shown}"
                )
            _check_bound(option, value, allowed[option])
        return specified(name, _with_limits(options, allowed))


def _made(specification: str) -> Agent:
    try:
        return make(specification)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _check_bound(option: str, value: Any, most: float) -> None:
    most = PAGE_SECONDS if option == "time_limit" else most  # a planner may get less of it
    if most == INF or value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{option} must be a number, got {value!r}")
    if not value <= most:
        raise ValueError(f"{option} must be at most {most:g}, got {value!r}")


def _with_limits(options: Mapping[str, Any], allowed: Mapping[str, float]) -> dict[str, Any]:
    """The options, with limits on nodes and time for a search that has none."""
    limited = dict(options)
    for name in ("max_nodes", "time_limit"):
        if name in allowed:
            value = options.get(name)
            limited[name] = allowed[name] if value is None else min(value, allowed[name])
    if "time_limit" in allowed and "iterations" in allowed and _BUDGETS.isdisjoint(options):
        limited["time_limit"] = DEFAULT_SECONDS
    return limited
