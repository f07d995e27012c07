"""A game between people and agents, independent of the front end that shows it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.agent import Agent
from agents.game import is_searching
from agents.rng import Rng

from ..model import CarcassonneModel
from ..position import Move
from .found import Found, found_by
from .worth import final_points


class Played(NamedTuple):
    """A played move: player, letter of the tile, move, and points that each player gained by it.

    The points of the final scoring are not among them; `final_points` has these.
    """

    player: int
    letter: str
    move: Move
    points: tuple[int, ...]


class Mark(NamedTuple):
    """A state of a session: the position, the generator of draws, and the number of actions."""

    model: CarcassonneModel
    rng: Rng
    num_actions: int


class Session:
    """One game of Carcassonne between people and agents.

    A front end repeats two steps until `is_over`. First it gets the next action: from `draw` at a
    chance node, from `decide` for an agent, and from a `Selection` for a person. Then it passes the
    action to `apply`.

    Args:
        model: The position in which the game begins. The session copies it.
        players: An agent for each player; None for a person.
        names: A name for each player.
        rng: The random generator that draws the tiles.
        past: Actions and chance outcomes with which the game has begun.

    Raises:
        ValueError: If the number of players or names is not that of the game, or if the game has
            two steps a turn.
    """

    def __init__(
        self,
        model: CarcassonneModel,
        players: Sequence[Agent | None],
        names: Sequence[str],
        rng: Rng,
        past: Iterable[int] = (),
    ) -> None:
        if not len(players) == len(names) == model.num_players:
            raise ValueError(
                f"the game is for {model.num_players} players, got {len(players)} players and "
                f"{len(names)} names"
            )
        if model.is_two_step:
            raise ValueError("people play games of one step a turn, got two_step=True")
        self.start, self.model = model.clone(), model.clone()  # the first position, the current one
        self.players, self.names = list(players), list(names)
        self.rng = rng
        self.actions: list[int] = []  # with chance outcomes
        self.history: list[Played] = []
        self.marks: list[Mark] = []  # before each move, and the present if no tile is to be drawn
        self.found: Found | None = None  # the result of the last search, if the last agent searched
        self._mark()
        for action in past:
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
    def agent_to_move(self) -> Agent | None:
        """The agent to move; None if a person or chance is to move or the game is over."""
        player = self.model.current_player()
        return self.players[player] if player >= 0 else None

    @property
    def last_ply_of_person(self) -> int | None:
        """Number of moves before the last one of a person; None if no person has moved yet."""
        plies = [i for i, played in enumerate(self.history) if self.players[played.player] is None]
        return plies[-1] if plies else None

    def draw(self) -> int:
        """Draws a random outcome of the current chance node."""
        return self.model.sample_chance(self.rng)

    def decide(self) -> int:
        """Lets the agent to move choose its action, and stores the result of its search in `found`.

        This may take long. Meanwhile other threads may show the game, but may not change it.

        Raises:
            ValueError: If no agent is to move.
        """
        agent = self.agent_to_move
        if agent is None:
            raise ValueError("no agent is to move, but a person or chance, or the game is over")
        action, self.found = decision(agent, self.model.clone())
        return action

    def apply(self, action: int) -> None:
        """Applies an action or a chance outcome, and passes it to the agents' ``advance``."""
        if self.model.is_chance_node():
            self.model.apply_action(action)
        else:
            self._play(action)
        self.actions.append(action)
        self._mark()
        for agent in self.players:
            if agent is not None:
                agent.advance(action)

    def return_to(self, ply: int) -> None:
        """Takes back all moves but the first ``ply`` ones; the same tiles are then drawn again."""
        mark = self.marks[ply]
        self.model = mark.model.clone()
        self.rng = copy.deepcopy(mark.rng)
        del self.actions[mark.num_actions :], self.history[ply:], self.marks[ply + 1 :]
        self.found = None

    def _mark(self) -> None:
        if not self.model.is_chance_node():
            mark = Mark(self.model.clone(), copy.deepcopy(self.rng), len(self.actions))
            self.marks.append(mark)

    def _play(self, action: int) -> None:
        model, move = self.model, self.model.decode_action(action)
        player, letter, before = model.current_player(), model.current_tile or "", model.scores
        model.apply_action(action)
        after = zip(model.scores, final_points(model), before, strict=True)
        points = tuple(now - final - then for now, final, then in after)
        self.history.append(Played(player, letter, move, points))


def decision(agent: Agent, model: CarcassonneModel) -> tuple[int, Found | None]:
    """The action that an agent chooses, and the result of its search or None without one."""
    if is_searching(agent):
        result = agent.decide(model)
        return int(result.action), found_by(agent, result, model)
    return int(agent.act(model)), None
