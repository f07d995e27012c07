"""A game of Carcassonne between people and agents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agents.game import Player, choose, is_searching
from agents.playing import session
from agents.rng import Rng

from ..model import CarcassonneModel
from ..position import Move
from .found import Found, found_by
from .points import gained


class Played(NamedTuple):
    """A played move: player, letter of the tile, move, and points that each player gained by it.

    The points of the final scoring are not among them; `final_points` has these.
    """

    player: int
    letter: str
    move: Move
    points: tuple[int, ...]


class Session(session.Session[CarcassonneModel]):
    """One game of Carcassonne between people and agents.

    The action of an agent comes from `decide`, that of a person from a `Selection`. A turn is one
    step.
    """

    history: list[Played]

    def __init__(
        self,
        model: CarcassonneModel,
        players: Sequence[Player | None],
        names: Sequence[str],
        rng: Rng,
        past: Iterable[int] = (),
    ) -> None:
        if model.is_two_step:
            raise ValueError("people play games of one step a turn, got two_step=True")
        self.found: Found | None = None  # the result of the last search, if the last agent searched
        super().__init__(model, players, names, rng, past)

    def decide(self) -> int:
        """Lets the agent to move choose its action, and stores the result of its search in `found`.

        This may take long. Meanwhile other threads may show the game, but may not change it.
        """
        agent = self.agent_to_move
        if agent is None:
            raise ValueError("no agent is to move, but a person or chance, or the game is over")
        action, self.found = decision(agent, self.model.clone())
        return action

    def return_to(self, ply: int) -> None:
        """Takes back all moves but the first ``ply`` ones; the same tiles are then drawn again."""
        super().return_to(ply)
        self.found = None

    def played(self, action: int) -> Played:
        """Plays an action of the player to move, and returns what the history tells of it."""
        model, move = self.model, self.model.decode_action(action)
        player, letter, before = model.current_player(), model.current_tile or "", model.scores
        model.apply_action(action)
        return Played(player, letter, move, gained(model, before))


def decision(agent: Player, model: CarcassonneModel) -> tuple[int, Found | None]:
    """The action that a player chooses, and the result of its search or None without one."""
    if is_searching(agent):
        result = agent.decide(model)
        return int(result.action), found_by(agent, result, model)
    return choose(agent, model).action, None
