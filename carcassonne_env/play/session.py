"""A game of Carcassonne between people and agents, and what their searches found, in points."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from agents.game import Player, choose, is_searching
from agents.playing import session
from agents.playing.found import attention_by, candidates
from agents.rng import Rng

from ..model import CarcassonneModel
from ..position import Move
from .points import gained


class Found(NamedTuple):
    """The result of a planner's search, converted to points."""

    player: int  # who searched
    value: float  # the expected return of the position
    rows: list[tuple[Move, float]]  # the best moves with their points


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


def points_of_return(planner: Any, model: CarcassonneModel) -> float:
    """The points that a return of 1 stands for; 1.0 if the planner searches with other returns."""
    rollouts = getattr(planner, "rollout_policy", None)
    return 1.0 if getattr(rollouts, "changes_returns", False) else float(model.max_score())


def heat_of(model: CarcassonneModel, result: Any) -> dict[tuple[int, int], float]:
    """Where a search of a position looked: the attention, from 0 to 1, of each cell (x, y)."""
    moves = [model.decode_action(int(action)) for action in result.actions]
    return attention_by([(move.x, move.y) for move in moves], result)


def found_by(planner: Any, result: Any, model: CarcassonneModel) -> Found:
    """Converts the result of a search of a position to points, with its three best moves.

    The result has a ``value``, and may have ``actions`` with ``values``.
    """
    scale, rows = points_of_return(planner, model), []
    for _, action, visits, value in candidates(result, 3) if hasattr(result, "actions") else ():
        if visits != 0:
            rows.append((model.decode_action(action), value * scale))
    return Found(model.current_player(), float(result.value) * scale, rows)
