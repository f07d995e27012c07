"""A game between people and agents, whatever screen shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.agent import Agent
from agents.game import is_searching
from agents.rng import Rng

from ..model import CarcassonneModel
from ..position import Move
from .found import Found, found_by


class Played(NamedTuple):
    """A move of the past, with the points that each player got by it."""

    player: int
    letter: str
    move: Move
    points: tuple[int, ...]


class Session:
    """One game of Carcassonne between people and agents.

    Whoever shows it asks for the next action, of chance by `draw`, of an agent by `decide` and of a
    person by a `Selection`, and gives it to `apply`, until `is_over`.

    Args:
        model: Where the game begins; it is not changed.
        players: An agent for each player; None for a person.
        names: What the players are called.
        rng: Draws the tiles.

    Attributes:
        model: The position now.
        history: The moves played.
        found: What the last search found; None before one.

    Raises:
        ValueError: If players or names are not as many as the game's players, or the game has two
            steps a turn.
    """

    def __init__(
        self,
        model: CarcassonneModel,
        players: Sequence[Agent | None],
        names: Sequence[str],
        rng: Rng,
    ) -> None:
        if not len(players) == len(names) == model.num_players:
            raise ValueError(
                f"the game is for {model.num_players} players, got {len(players)} players and "
                f"{len(names)} names"
            )
        if model.is_two_step:
            raise ValueError("people play games of one step a turn, got two_step=True")
        self.model = model.clone()
        self.players = list(players)
        self.names = list(names)
        self.rng = rng
        self.history: list[Played] = []
        self.found: Found | None = None

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
        """Who is to move if it is an agent; None for a person, for chance and after the end."""
        player = self.model.current_player()
        return self.players[player] if player >= 0 else None

    def draw(self) -> int:
        """A random outcome where chance is to move."""
        return self.model.sample_chance(self.rng)

    def decide(self) -> int:
        """The action of the agent that is to move, and in `found` what its search found.

        It may take long. Another thread may show the game meanwhile, but not go on with it.

        Raises:
            ValueError: If no agent is to move.
        """
        agent = self.agent_to_move
        if agent is None:
            raise ValueError("no agent is to move: a person is, or chance, or the game is over")
        action, found = decision(agent, self.model.clone())
        self.found = found
        return action

    def apply(self, action: int) -> None:
        """Plays an action, or an outcome of chance, and tells all agents."""
        if self.model.is_chance_node():
            self.model.apply_action(action)
        else:
            self._play(action)
        for agent in self.players:
            if agent is not None:
                agent.advance(action)

    def _play(self, action: int) -> None:
        model = self.model
        player, letter, before = model.current_player(), model.current_tile or "", model.scores
        move = model.decode_action(action)
        model.apply_action(action)
        points = tuple(now - then for now, then in zip(model.scores, before, strict=True))
        self.history.append(Played(player, letter, move, points))


def decision(agent: Agent, model: CarcassonneModel) -> tuple[int, Found | None]:
    """What an agent plays in a position, and what its search found if it searches."""
    if is_searching(agent):
        result = agent.search(model)
        return int(result.action), found_by(agent, result, model)
    return int(agent.act(model)), None
