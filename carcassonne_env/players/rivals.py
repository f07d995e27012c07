"""The players of the seats that a learner leaves to others, in many games at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.learner import as_function
from agents.registry import make

from ..encoding import Encoder
from ..model import CarcassonneModel
from .opponents import own_copy, turn_of

STREAM = (1,)
"""With this key, the seed of a game gives the rivals another stream than the game has."""


class Rivals:
    """Players, of which each game draws one.

    A learned policy is asked once for all games that wait for it. Agents play one game after the
    other, and plan whole turns if they are planners.

    Args:
        rivals: One rival or more, see `add`.
        num_games: Number of games.
        encoder: The encoder of the observations and actions.
        prepared: Returns what plays for a rival that is added, by default the rival itself.

    Raises:
        TypeError: If a rival is nothing that `add` takes.
        ValueError: If there is no rival, or `agents.make` refuses a specification.
    """

    def __init__(
        self,
        rivals: Iterable[Any],
        num_games: int,
        encoder: Encoder,
        prepared: Callable[[Any], Any] = lambda rival: rival,
    ) -> None:
        if isinstance(rivals, str) or not (rivals := list(rivals)):
            raise ValueError(f"rivals must be a list of one rival or more, got {rivals!r}")
        self.encoder = encoder
        self._prepared = prepared
        self.rng = np.random.default_rng()
        self._rivals: list[Any] = []
        self._players: list[Any] = []  # the rivals as they play
        self._drawn = np.zeros(num_games, dtype=np.int64)  # the player of each game
        self._plans: list[list[int]] = [[] for _ in range(num_games)]  # what is left of turns
        for rival in rivals:
            self.add(rival)

    def add(self, rival: Any) -> None:
        """Adds a rival for the games that start from now on: see `RivalsVecEnv.add_rival`.

        Raises:
            TypeError: If the rival is none of these.
            ValueError: If `agents.make` refuses the specification.
        """
        self._rivals.append(self._prepared(rival))
        self._players.append(self._begun(self._rivals[-1]))

    def begin(self, seed: int | None) -> None:
        """Forgets all games; a seed starts all random numbers anew."""
        self._plans = [[] for _ in self._plans]
        if seed is not None:
            self.rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=STREAM))
            self._players = [self._begun(rival) for rival in self._rivals]

    def _begun(self, rival: Any) -> Any:
        """A rival as it begins to play: an agent, or a function of observations and infos."""
        if isinstance(rival, str):
            return make(rival, seed=int(self.rng.integers(2**63)))
        is_agent = hasattr(rival, "act") and not isinstance(rival, type)
        return own_copy(rival) if is_agent else as_function(rival)

    def draw(self, games: NDArray[np.bool_]) -> None:
        """Draws the rivals of the games that start."""
        self._drawn[games] = self.rng.integers(len(self._players), size=int(games.sum()))

    def replies(
        self,
        games: NDArray[np.bool_],
        observations: dict[str, NDArray[Any]],
        model_of: Callable[[int], CarcassonneModel],
    ) -> NDArray[np.int64]:
        """The actions of the rivals in the games in which they are to move.

        Args:
            games: bool[num_games], these games.
            observations: The observations of all games, from the view of the players to move.
            model_of: Returns the position of the game with an index.

        Returns:
            int64[num_games], 0 in the other games, and in games without a legal action.
        """
        actions = np.zeros(len(games), dtype=np.int64)
        can_move = games & observations["action_mask"].any(axis=1)
        for drawn in np.unique(self._drawn[can_move]):
            player = self._players[drawn]
            rows = np.flatnonzero(can_move & (self._drawn == drawn))
            if hasattr(player, "act"):
                actions[rows] = [self._next(player, i, model_of(i)) for i in rows.tolist()]
            else:
                is_all = len(rows) == len(games)  # no copies then
                seen = observations if is_all else {n: v[rows] for n, v in observations.items()}
                actions[rows] = player(seen, {"action_mask": seen["action_mask"]})
        return actions

    def _next(self, player: Any, i: int, model: CarcassonneModel) -> int:
        """The next action of the turn that an agent plans, or has planned, in game i."""
        if not self._plans[i]:
            self._plans[i] = turn_of(player, model)
        return self.encoder.encode(model, self._plans[i].pop(0))
