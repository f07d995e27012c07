"""A game at a table: who sits where, what everybody sees, undo and resignation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from agents.agent import Agent
from agents.playing.game_file import GameFile
from agents.playing.session import Model, Session

File = TypeVar("File", bound=GameFile[Any])


class Table(ABC, Generic[Model, File]):
    """One game between people, who are None among the players, and agents."""

    def __init__(self, session: Session[Model]) -> None:
        self.session = session
        self.thoughts: dict[int, Any] = {}  # the last one of the search at each ply
        self.resigned: int | None = None  # the player who has
        self._draw()

    @property
    def ply(self) -> int:
        """Number of moves played."""
        return len(self.session.history)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended, or a player has resigned."""
        return self.resigned is not None or self.session.is_over

    @property
    def agent_to_move(self) -> Agent | None:
        """The agent to move; None if a person is to move or the game is over."""
        return None if self.is_over else self.session.agent_to_move

    @property
    def is_person_to_move(self) -> bool:
        """Whether a person is to move."""
        return not self.is_over and self.session.agent_to_move is None

    @property
    def position(self) -> Model:
        """A copy of the current position."""
        return self.session.model.clone()

    def play(self, action: int) -> None:
        """Plays an action of the player to move, and draws what chance decides.

        Raises:
            ValueError: If the game is over or the action is not legal.
        """
        if self.is_over:
            raise ValueError("the game is over")
        if not self.session.model.is_legal(action):
            raise ValueError(f"action must be one of the legal moves, got {action}")
        self.session.apply(action)
        self._draw()

    def undo(self) -> None:
        """Goes back to the position before the last move of a person.

        Raises:
            ValueError: If no person has moved yet.
        """
        ply = self._undo_ply()
        if ply is None:
            raise ValueError("there is no move of a person to take back")
        self.resigned = None
        self.session.return_to(ply)
        self.thoughts = {at: thought for at, thought in self.thoughts.items() if at < ply}

    def resign(self) -> None:
        """The person to move, or else the first person, gives the game up.

        Raises:
            ValueError: If the game is over or nobody at the table is a person.
        """
        people = [i for i, agent in enumerate(self.session.players) if agent is None]
        if self.is_over or not people:
            raise ValueError("there is no game that a person could give up")
        mover = self.session.model.current_player()
        self.resigned = mover if mover in people else people[0]

    def saved(self) -> File:
        """The game so far."""
        return self.saving()()

    @abstractmethod
    def saving(self) -> Callable[[], File]:
        """Makes the game so far when it is called, in any thread and however the game goes on."""

    @abstractmethod
    def view(self, ply: int | None = None) -> Any:
        """What everybody at the table may see after so many moves; None for the present.

        It is data for the page, with the members ``ply``, ``last_ply`` and ``can_undo`` at least.

        Raises:
            ValueError: If the game has no such ply.
        """

    def _at(self, ply: int | None) -> tuple[int, Model]:
        """The number of moves, and the position after them.

        Raises:
            ValueError: If the game has no such ply.
        """
        ply = self.ply if ply is None else ply
        if not 0 <= ply <= self.ply:
            raise ValueError(f"ply must be from 0 to {self.ply}, got {ply}")
        return ply, self.session.marks[ply].model

    def _seen(self, ply: int) -> dict[str, Any]:
        """The members that views of all games have."""
        session, is_present = self.session, ply == self.ply
        mover = session.marks[ply].model.current_player()
        return {
            "ply": ply,
            "last_ply": self.ply,
            "seats": [
                {"name": name, "is_person": agent is None}
                for name, agent in zip(session.names, session.players, strict=True)
            ],
            "resigned": self.resigned if is_present else None,
            "is_over": is_present and self.is_over,
            "player": None if mover < 0 or (is_present and self.is_over) else mover,
            "can_undo": is_present and self._undo_ply() is not None,
            "thought": self.thoughts.get(ply),
        }

    def _draw(self) -> None:
        while self.session.model.is_chance_node():
            self.session.apply(self.session.draw())

    def _undo_ply(self) -> int | None:
        """The ply of the last move of a person; after a resignation, the present."""
        if self.resigned is not None:
            return self.ply
        return self.session.last_ply_of_person
