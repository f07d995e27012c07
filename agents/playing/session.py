"""A game between people and agents, independent of the front end that shows it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Generic, NamedTuple, TypeVar

from agents.agent import Agent
from agents.forward_model import ForwardModel
from agents.game import Player
from agents.rng import Rng

Model = TypeVar("Model", bound=ForwardModel)


class Played(NamedTuple):
    """A played move: the player, and the move in the game's words."""

    player: int
    words: str


@dataclass(frozen=True)
class Mark(Generic[Model]):
    """A state of a session: the position, the generator of chance, and the number of actions."""

    model: Model
    rng: Rng
    num_actions: int


class Session(Generic[Model]):
    """One game between people and agents.

    A front end repeats two steps until `is_over`. First it gets the next action: from `draw` at a
    chance node, from an agent, or from a person. Then it passes the action to `apply`.

    Of the players, None is a person. The generator draws the chance outcomes. ``past`` are actions
    and chance outcomes with which the game has begun, from the position of the model, which is
    copied.
    """

    def __init__(
        self,
        model: Model,
        players: Sequence[Player | None],
        names: Sequence[str],
        rng: Rng,
        past: Iterable[int] = (),
    ) -> None:
        if not len(players) == len(names) == model.num_players:
            raise ValueError(
                f"the game is for {model.num_players} players, got {len(players)} players and "
                f"{len(names)} names"
            )
        self.start, self.model = model.clone(), model.clone()  # the first position, the current one
        self.players, self.names = list(players), list(names)
        self.rng = rng
        self.actions: list[int] = []  # with chance outcomes
        self.history: list[Any] = []  # what `played` returned for each move
        self.marks: list[Mark[Model]] = []  # before each move, and the present but for chance nodes
        self._mark()
        self._past_draws: list[int] = []  # that `draw` gives again after moves were taken back
        for action in past:
            if self.model.is_chance_node():
                self._past_draws.append(action)
            self.apply(action)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self.model.is_terminal()

    @property
    def is_watched(self) -> bool:
        """Whether no person plays."""
        return None not in self.players

    @property
    def agent_to_move(self) -> Player | None:
        """The agent or function to move; None if a person or chance is, or the game is over."""
        player = self.model.current_player()
        return self.players[player] if player >= 0 else None

    @property
    def last_ply_of_person(self) -> int | None:
        """Number of moves before the last one of a person; None if no person has moved yet."""
        plies = [i for i, played in enumerate(self.history) if self.players[played.player] is None]
        return plies[-1] if plies else None

    def draw(self) -> int:
        """A random outcome of the current chance node; that of the past after moves taken back."""
        num_draws = len(self.actions) - len(self.history)
        if num_draws < len(self._past_draws):
            outcome = self._past_draws[num_draws]
            if self.model.is_legal(outcome):
                return outcome
        return self.model.sample_chance(self.rng)

    def apply(self, action: int) -> None:
        """Applies an action or a chance outcome, and passes it to the agents' ``advance``."""
        if self.model.is_chance_node():
            self.model.apply_action(action)
        else:
            self.history.append(self.played(action))
        self.actions.append(action)
        self._mark()
        for agent in self.players:
            if isinstance(agent, Agent):
                agent.advance(action)

    def played(self, action: int) -> Any:
        """Plays an action of the player to move, and returns what the history tells of it.

        A session of one game may tell more than `Played`, but always the ``player``.
        """
        player, words = self.model.current_player(), self.model.action_to_string(action)
        self.model.apply_action(action)
        return Played(player, words)

    def return_to(self, ply: int) -> None:
        """Takes back all moves but the first ``ply`` ones; chance then has the same outcomes."""
        mark = self.marks[ply]
        self.model = mark.model.clone()
        self.rng = copy.deepcopy(mark.rng)
        del self.actions[mark.num_actions :], self.history[ply:], self.marks[ply + 1 :]

    def num_shared(self, other: Session[Model]) -> int:
        """The number of moves after which another game from the same start leaves this one."""
        pairs = zip(self.actions, other.actions, strict=False)
        num_same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        return sum(mark.num_actions <= num_same for mark in other.marks) - 1

    def _mark(self) -> None:
        if not self.model.is_chance_node():
            mark = Mark(self.model.clone(), copy.deepcopy(self.rng), len(self.actions))
            self.marks.append(mark)
