"""A game at a table: who sits where, what everybody sees, undo and resignation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from typing import Any, ClassVar, Generic, TypeVar

from agents.agent import Agent
from agents.playing.analysis import Judged, Loss, MoveLoss, loss_of
from agents.playing.game_file import GameFile
from agents.playing.session import Model, Session

from .thinking import Thought

File = TypeVar("File", bound=GameFile[Any])


@dataclass(frozen=True)
class Practice:
    """The position of another game in which a person tries again, or plays a variation."""

    game: str
    ply: int
    is_free: bool  # whether the person took all seats
    mistakes: list[int]  # the positions that the person wants to try, by ply
    solved: list[int]  # those of them in which a good move was found at the first try
    later: list[int]  # and at a later one
    shown: list[int]  # those whose solution was shown
    lost: Loss | None  # what the move of the other game lost, as far as it was analysed
    tries: int = 0  # moves that were tried in this position

    def tried(self) -> Practice:
        """The practice after one more try."""
        return replace(self, tries=self.tries + 1)


@dataclass(frozen=True)
class Variation:
    """A game for practice in which a person moves for all, at the position where it leaves another.

    The first moves, of which a page shows all but the last one, are as in `View.record`.
    """

    game: str
    ply: int
    moves: list[Any]
    losses: list[Loss]  # what these moves lost, as far as they were analysed


@dataclass(frozen=True, kw_only=True)
class View:
    """A position of the game, as everybody at the table may see it; a game adds what it shows."""

    ply: int  # number of moves played before it
    last_ply: int  # of the game so far; equal to `ply` if the view shows the present
    seats: list[dict[str, Any]]  # the name that the page shows, and whether it is_person
    player: int | None  # to move; None at the end
    record: list[Any]  # all moves of the game so far, those after the position too
    resigned: int | None  # the player who has
    is_late: bool  # whether that was because of the clock
    is_over: bool
    undoer: int | None  # the person whose last move can be taken back
    thought: Thought | None
    """The last one of the search from this position; the judge's if the next move lost points."""


class Table(ABC, Generic[Model, File]):
    """One game between people, who are None among the players, and agents.

    Attributes:
        game: The game's name.
        judge: The level that analyses the game.
        view_type: The class of its views, which have the members of `own_members`, too.
    """

    view_type: ClassVar[type[View]]
    game: str
    judge: str

    def __init__(self, session: Session[Model], seed: int | None) -> None:
        self.session = session
        self.seed = seed  # of the tiles and the like; None for a game that goes on
        self.thoughts: dict[int, Thought] = {}  # the last one of the search at each ply
        self.losses: dict[int, Any] = {}  # by the number of the move, as far as analysed
        self.judged: dict[int, Thought] = {}  # by ply, what the judge thinks before moves that lost
        self.practice: Practice | None = None  # where the game comes from
        self.resigned: int | None = None  # the player who has
        self.is_late = False  # whether that was because of the clock, which nobody can take back
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
    def mover(self) -> int | None:
        """The person to move; None if an agent is, or the game is over."""
        return self.session.model.current_player() if self.is_person_to_move else None

    @property
    def people(self) -> list[int]:
        """The seats of persons."""
        return [i for i, agent in enumerate(self.session.players) if agent is None]

    @property
    def undoer(self) -> int | None:
        """Whose last move, or resignation, can be taken back; None if no person has moved yet."""
        if self.resigned is not None:
            return None if self.is_late else self.resigned
        ply = self.session.last_ply_of_person
        return None if ply is None else self.session.history[ply].player

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
        ply = self.ply if self.resigned is not None else self.session.last_ply_of_person
        if ply is None or self.is_late:
            raise ValueError("there is no move of a person to take back")
        self.resigned = None
        self.session.return_to(ply)
        self.thoughts = {at: thought for at, thought in self.thoughts.items() if at < ply}
        self.forget(ply)

    def forget(self, ply: int) -> None:
        """Forgets what the analysis has found of the moves after so many."""
        self.losses = {number: loss for number, loss in self.losses.items() if number <= ply}
        self.judged = {at: thought for at, thought in self.judged.items() if at < ply}

    def resign(self, people: Sequence[int]) -> None:
        """Of these people, the one to move, or else the first one, gives the game up.

        Raises:
            ValueError: If the game is over or there are none.
        """
        if self.is_over or not people:
            raise ValueError("there is no game that a person could give up")
        mover = self.session.model.current_player()
        self.resigned = int(mover if mover in people else people[0])

    @abstractmethod
    def scores(self) -> Sequence[float] | None:
        """The scores of the players so far; None if the game has none before its end."""

    def summary(self) -> dict[str, Any]:
        """The players and the result so far, for a list of games."""
        return {
            "players": list(self.session.names),
            "seed": self.seed,
            "ply": self.ply,
            "is_over": self.is_over,
            "resigned": self.resigned,
            "is_late": self.is_late,
            "scores": self.scores(),
        }

    def run_out(self, player: int) -> None:
        """The time of a player is over: the game ends as if the player had given it up."""
        self.resigned, self.is_late = int(player), True

    def saved(self) -> File:
        """The game so far."""
        return self.saving()()

    def saving(self) -> Callable[[], File]:
        """Makes the game so far when it is called, in any thread and however the game goes on."""
        return self.game_of(tuple(self.session.names), tuple(self.session.actions))

    def before(self, ply: int, *, is_free: bool) -> File:
        """The game before a move; a person has the seat of the player who made it, or each seat.

        Raises:
            ValueError: If the game has no such move.
        """
        if not 0 <= ply < self.ply:
            raise ValueError(f"ply must be less than the {self.ply} of the game, got {ply}")
        session, names = self.session, self.session.names.copy()
        for player in range(len(names)) if is_free else [session.history[ply].player]:
            if session.players[player] is not None:
                own = ["you", f"{names[player]} (you)"]
                new = chain(own, map("person {}".format, count(player + 1)))
                names[player] = next(name for name in new if name not in names)
        return self.game_of(names, session.actions[: session.marks[ply].num_actions])()

    @abstractmethod
    def game_of(self, names: Sequence[str], actions: Sequence[int]) -> Callable[[], File]:
        """Makes a game from this one's start, in any thread and however this one goes on."""

    def record(self, first: int = 0, last: int | None = None) -> list[Any]:
        """The moves of the game after so many, up to others, as pages see them."""
        return self.session.history[first:last]

    @abstractmethod
    def lost(self, judged: Judged[Model], search: Callable[[Model], Any]) -> MoveLoss[Any]:
        """What a move lost, with moves of the game in place of actions.

        Args:
            judged: The move.
            search: Searches one more position as the judge did.
        """

    def told(self, loss: Any) -> Loss:
        """What a move lost, as pages see it."""
        return loss_of(loss)

    def told_losses(self, first: int = 0, last: int | None = None) -> list[Loss]:
        """What the moves after so many, up to others, lost as far as they were analysed."""
        numbers = range(first + 1, (self.ply if last is None else last) + 1)
        return [self.told(self.losses[each]) for each in numbers if each in self.losses]

    def view(self, ply: int | None = None) -> View:
        """What everybody at the table may see after so many moves; None for the present.

        Raises:
            ValueError: If the game has no such ply.
        """
        ply = self.ply if ply is None else ply
        if not 0 <= ply <= self.ply:
            raise ValueError(f"ply must be from 0 to {self.ply}, got {ply}")
        session, is_present = self.session, ply == self.ply
        model, is_over = session.marks[ply].model, is_present and self.is_over
        mover = model.current_player()
        return self.view_type(
            ply=ply,
            last_ply=self.ply,
            seats=[
                {"name": name, "is_person": agent is None}
                for name, agent in zip(session.names, session.players, strict=True)
            ],
            player=None if mover < 0 or is_over else mover,
            record=self.record(),
            resigned=self.resigned if is_present else None,
            is_late=self.is_late,
            is_over=is_over,
            undoer=self.undoer if is_present else None,
            thought=self.judged.get(ply, self.thoughts.get(ply)),
            **self.own_members(model, is_present),
        )

    @abstractmethod
    def own_members(self, model: Model, is_present: bool) -> dict[str, Any]:
        """The members that the game adds to the view of a position."""

    def _draw(self) -> None:
        while self.session.model.is_chance_node():
            self.session.apply(self.session.draw())
