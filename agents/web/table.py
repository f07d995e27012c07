"""A game at a table: who sits where, what everybody sees, undo and resignation."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, count
from typing import Any

from agents import catalogue
from agents.agent import Agent
from agents.game import seat
from agents.playing.analysis import Judged, Loss, MoveLoss, loss_of
from agents.playing.game_file import GameFile, PlayedGame, started
from agents.playing.session import Session
from agents.specification import parsed

from .any_game import HINT, choice_of, choices_of, is_decided, picture_of, places_of
from .thinking import Thought


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

    The first moves, of which a page shows all but the last one, are as in the ``record`` of a view.
    """

    game: str
    ply: int
    moves: list[Any]
    losses: list[Loss]  # what these moves lost, as far as they were analysed


class Table:
    """One game between people, who are None among the players, and agents.

    The methods that say what is shown and kept are those of any game; a game may have its own, and
    ``game`` is then its name, else what `agents.catalogue.make_game` takes. The seed is that of the
    start; None if the list of games shows none.
    """

    judge: str = HINT
    """The level that analyses the game."""

    def __init__(self, session: Session[Any], game: str, seed: int | None) -> None:
        self.session = session
        self.game = game
        self.seed = seed
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
    def position(self) -> Any:
        """A copy of the current position."""
        return self.session.model.clone()

    def play(self, action: int) -> None:
        """Plays an action of the player to move, if it is legal, and draws what chance decides."""
        if self.is_over:
            raise ValueError("the game is over")
        if not self.session.model.is_legal(action):
            raise ValueError(f"action must be one of the legal moves, got {action}")
        self.session.apply(action)
        self._draw()

    def undo(self) -> None:
        """Goes back to the position before the last move, or resignation, of a person."""
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
        """Of these people, the one to move, or else the first one, gives the game up."""
        if self.is_over or not people:
            raise ValueError("there is no game that a person could give up")
        mover = self.session.model.current_player()
        self.resigned = int(mover if mover in people else people[0])

    def scores(self) -> Sequence[float] | None:
        """The scores of the players so far; None if the game has none before its end.

        Those of any game are its returns.
        """
        if not self.session.is_over:
            return None
        rng = copy.deepcopy(self.session.rng)  # returns may be random, and stay as they are
        return list(map(float, self.session.model.sample_returns(rng)))

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

    def saved(self) -> GameFile[Any]:
        """The game so far."""
        return self.saving()()

    def saving(self) -> Callable[[], GameFile[Any]]:
        """Makes the game so far when it is called, in any thread and however the game goes on."""
        return self.game_of(tuple(self.session.names), tuple(self.session.actions))

    def before(self, ply: int, *, is_free: bool) -> GameFile[Any]:
        """The game before a move; a person has the seat of the player who made it, or each seat."""
        if not 0 <= ply < self.ply:
            raise ValueError(f"ply must be less than the {self.ply} of the game, got {ply}")
        session, names = self.session, self.session.names.copy()
        for player in range(len(names)) if is_free else [session.history[ply].player]:
            if session.players[player] is not None:
                own = ["you", f"{names[player]} (you)"]
                new = chain(own, map("person {}".format, count(player + 1)))
                names[player] = next(name for name in new if name not in names)
        return self.game_of(names, session.actions[: session.marks[ply].num_actions])()

    def game_of(self, names: Sequence[str], actions: Sequence[int]) -> Callable[[], GameFile[Any]]:
        """Makes a game from this one's start, in any thread and however this one goes on."""
        assert self.seed is not None  # it is only in games that have files of their own
        return partial(PlayedGame, self.game, self.seed, names, actions)

    def record(self, first: int = 0, last: int | None = None) -> list[Any]:
        """The moves of the game after so many, up to others, as pages see them."""
        return self.session.history[first:last]

    def lost(self, judged: Judged[Any], search: Callable[[Any], Any]) -> MoveLoss[Any]:
        """What a move lost, with moves as a `Choice`; ``search`` searches as the judge did.

        None is better if the loss is less than its error, or the move decides nothing.
        """
        loss: MoveLoss[Any] = judged.loss
        shown = partial(choice_of, judged.position, places=places_of(judged.position))
        better = None if loss.standard_error > loss.difference else loss.better
        if better is not None:
            is_win_or_loss = catalogue.game(parsed("game", self.game)[0]).is_win_or_loss
            better = None if is_win_or_loss and is_decided(judged, search) else shown(better)
        return replace(loss, played=shown(loss.played), better=better)

    def told(self, loss: Any) -> Loss:
        """What a move lost, as pages see it."""
        return loss_of(loss)

    def told_losses(self, first: int = 0, last: int | None = None) -> list[Loss]:
        """What the moves after so many, up to others, lost as far as they were analysed."""
        numbers = range(first + 1, (self.ply if last is None else last) + 1)
        return [self.told(self.losses[each]) for each in numbers if each in self.losses]

    def view(self, ply: int | None = None) -> dict[str, Any]:
        """What everybody at the table may see after so many moves; None for the present."""
        ply = self.ply if ply is None else ply
        if not 0 <= ply <= self.ply:
            raise ValueError(f"ply must be from 0 to {self.ply}, got {ply}")
        session, is_present = self.session, ply == self.ply
        model, is_over = session.marks[ply].model, is_present and self.is_over
        mover = model.current_player()
        view = {
            "ply": ply,  # number of moves played before it
            "last_ply": self.ply,  # of the game so far; equal to `ply` if this is the present
            "seats": [
                {"name": name, "is_person": agent is None}
                for name, agent in zip(session.names, session.players, strict=True)
            ],
            "player": None if mover < 0 or is_over else mover,  # to move; None at the end
            "record": self.record(),  # all moves of the game so far, those after the position too
            "resigned": self.resigned if is_present else None,  # the player who has
            "is_late": self.is_late,  # whether that was because of the clock
            "is_over": is_over,
            "undoer": self.undoer if is_present else None,  # whose last move can be taken back
            # the last one of the search from here; the judge's if the next move lost points
            "thought": self.judged.get(ply, self.thoughts.get(ply)),
        }
        return view | self.own_members(model, is_present)

    def own_members(self, model: Any, is_present: bool) -> dict[str, Any]:
        """The members that the game adds to the view of a position."""
        picture = picture_of(model)
        return {
            "game": self.game,  # its specification
            "picture": picture,  # SVG; None if the game has no pictures
            "text": str(model) if picture is None else None,  # the position, without a picture
            # the legal actions, if a person is to move now
            "choices": choices_of(model) if is_present and self.is_person_to_move else [],
            # of each player, at the end without a resignation
            "returns": self.scores() if is_present else None,
        }

    def _draw(self) -> None:
        while self.session.model.is_chance_node():
            self.session.apply(self.session.draw())


def table_of(
    game: str,
    seed: int,
    players: Sequence[str | None],
    names: Sequence[str],
    past: Iterable[int] = (),
    luck: int | None = None,
) -> Table:
    """A table with any game, of which some actions and chance outcomes are past.

    ``luck`` is the seed of further chance outcomes and of the agents; None for that of the start.
    """
    seated, draws = seat(players, seed if luck is None else luck)
    return Table(Session(started(game, seed), seated, names, draws, past), game, seed)
