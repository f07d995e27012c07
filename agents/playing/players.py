"""Players: levels, persons, and the limits of searches that a page or a file asks for."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.agent import Agent
from agents.registry import make
from agents.specification import parsed, specified

from . import MAX_SPECIFICATION

PERSON = "me"
"""A person among the players."""
MAX_SECONDS = 60.0
"""Longest time of one tree search."""
MAX_LOOKAHEAD_SECONDS = 10.0
"""Longest time of another search."""
MAX_ITERATIONS = 5_000_000
MAX_NODES = 1_000_000
"""Most nodes of a tree, which are about 100 MB."""
MAX_DEPTH = 3
PARALLEL_SEARCHES = max(2, os.cpu_count() or 1)
"""Number of searches that run at the same time; further ones wait."""

_PERSONS = ("you", "person", "player")
"""Names of persons; files of earlier versions have the last one."""
_LOOKAHEADS = ("expectimax", "star1", "star2", "star2.5")
_BOUNDS = {
    "time_limit": MAX_SECONDS,
    "iterations": MAX_ITERATIONS,
    "tree_iterations": MAX_ITERATIONS,
    "contestants": 100,
    "max_nodes": MAX_NODES,
    "model_calls": 1_000_000_000,
    "depth": MAX_DEPTH,
    "max_positions": 1_000_000_000,
}
"""Greatest value of options that decide how long a search takes, and how much memory."""
_BUDGETS = frozenset(("iterations", "time_limit", "model_calls", "max_nodes"))
_SEARCH = _BUDGETS.union(
    ("c", "tree_policy", "rollout_policy", "heuristic", "expansion", "chance_selection"),
    ("first_play_urgency", "widening", "chance_backup", "determinize"),
)
_LOOKAHEAD = frozenset(("depth", "heuristic", "time_limit", "max_positions"))
_TURN = frozenset(("iterations", "time_limit", "model_calls"))
_OPTIONS: dict[str, frozenset[str]] = {
    "random": frozenset(),
    "mcts": _SEARCH | {"solver", "recommendation"},
    "racing-mcts": _SEARCH.union(
        ("tree_iterations", "contestants", "race_policy", "min_outcomes", "prior_rollouts")
    ),
    **dict.fromkeys(("ea-mcts", "siea-mcts", "es-mcts"), _BUDGETS),
    **dict.fromkeys(_LOOKAHEADS, _LOOKAHEAD),
    "greedy-action": frozenset(),
    **dict.fromkeys(("greedy-turn", "oep", "greedy-oep", "non-exploring-mcts"), _TURN),
    **dict.fromkeys(("bb-mcts", "emcts"), _TURN | {"c"}),
}
"""The options that a page may give to each kind of planner for every game."""


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

    Nothing is imported for a player, and no file that it names is read.

    Attributes:
        levels: Specifications of `agents.make` by the name of the level.
        named: Specifications of the game's named players.
        options: The options that may be given to kinds of planners that play this game only.
        judges: Specifications with which levels analyse games, where these are other ones.
    """

    levels: Mapping[str, str]
    named: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, frozenset[str]] = field(default_factory=dict)
    judges: Mapping[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """The specification of a level, if the text is the name of one, else the text itself."""
        return self.levels.get(text, text)

    def player(self, text: str) -> str | None:
        """The specification, with its limits, of the player that a page names; None for a person.

        Args:
            text: "me" for a person, a level, or a specification of `agents.make`. Only planners and
                options are allowed whose time and memory have a limit.

        Raises:
            ValueError: If the text names no player, or one that a page may not name.
        """
        if text == PERSON:
            return None
        specification = self.limited(self.text(text))
        make(specification)  # refuses values that the planner does not take
        return specification

    def agent(self, text: str) -> Agent:
        """The agent of a level, or of a specification with its limits.

        Raises:
            ValueError: If the text names no agent, or one that a page may not name.
        """
        return make(self.limited(self.text(text)))

    def judge(self, level: str) -> str:
        """The specification, with its limits, with which a level analyses games.

        Raises:
            ValueError: If there is no such level.
        """
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

    def allows(self, name: str) -> bool:
        """Whether a page may name this player."""
        kind, _ = parsed("player", self.named.get(name, name))
        return kind in _OPTIONS or kind in self.options

    def limited(self, specification: str) -> str:
        """A specification with limits on the time and memory of its search.

        Raises:
            ValueError: If the text cannot be read, or the player or an option is not allowed.
        """
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
        kinds = _OPTIONS | dict(self.options)
        if (allowed := kinds.get(kind)) is None:
            known = ", ".join([*self.levels, *kinds, *self.named])
            raise ValueError(
                f"there is no player {name!r}, but there are these, also with options: {known}"
            )
        for option, value in options.items():
            if option not in allowed:
                shown = ", ".join(sorted(allowed)) or "none"
                raise ValueError(
                    f"the option {option!r} is not allowed here; {name!r} may have: {shown}"
                )
            _check_bound(option, value)
        return specified(name, _with_limits(kind, allowed, options))


def _check_bound(option: str, value: Any) -> None:
    if option not in _BOUNDS or value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{option} must be a number, got {value!r}")
    if not value <= _BOUNDS[option]:
        raise ValueError(f"{option} must be at most {_BOUNDS[option]:g}, got {value!r}")


def _with_limits(kind: str, allowed: frozenset[str], options: dict[str, Any]) -> dict[str, Any]:
    """The options, with limits for a search that has none."""
    if kind in _LOOKAHEADS:
        seconds = min(options.get("time_limit") or MAX_SECONDS, MAX_LOOKAHEAD_SECONDS)
        return {**options, "time_limit": seconds}
    if "time_limit" not in allowed:
        return options
    if "max_nodes" in allowed:
        options = _with_limit(options, "max_nodes")
    if "iterations" not in options and "model_calls" not in options:
        options.setdefault("time_limit", 1.0)
    return _with_limit(options, "time_limit")


def _with_limit(options: dict[str, Any], option: str) -> dict[str, Any]:
    """The options, with the greatest value allowed for one that has none."""
    value = options.get(option)
    return {**options, option: _BOUNDS[option] if value is None else value}
