"""Carcassonne as a PettingZoo environment (AEC) for 1 to 5 learners."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.aec_base import AECBase

from .encoding import PLANES
from .episode import METADATA, Episode
from .model import CarcassonneModel

OWN, OTHERS, OPEN = (
    PLANES.index(name) for name in ("own meeple on a city", "other meeple on a city", "open cell")
)
"""The first planes of three groups; planes before `OWN` show tiles."""


@dataclass(eq=False, repr=False)
class CarcassonneAECEnv(Episode, AECBase[CarcassonneModel]):
    """Carcassonne for 1 to 5 players; by default the base game for two. ``player_0`` begins.

    ## Description, Action Space, Observation Space
    They are those of ``CarcassonneEnv``. Each agent has its own observation: "own" meeples are the
    agent's meeples, and the agent's entries come first in the vector. The action mask and plane 23
    are 0 for agents that are not to move. The mask is in the observation only, as in PettingZoo's
    classic games.

    ``state()`` is the position for a centralised critic: the planes of the board, the meeples of
    each player, the open cells, the vector, and the player to move, in one float32 array in
    ``state_space``.

    ## Information
    The ``infos`` are those of ``CarcassonneEnv``, without the action mask. The agents' infos are
    dictionaries of their own with the same arrays.

    ## Rewards
    - ``reward="final"`` (default): 0 before the end. At the end, each player's lead over the best
      other score (with one player, the score), divided by the maximum score.
    - ``"win"``: 0 before the end. At the end, 1 for the only best score, 0 for a shared best score,
      -1 otherwise.
    - ``"score"``: the points that each player gains by a step.
    - ``"virtual"``: what each player's lead over the best other virtual score gains by a step (with
      one player, the virtual score). The sum over an episode is the final lead in points.

    An illegal action has the reward of ``CarcassonneEnv``, which makes it the worst for its agent,
    and gives the others 0.

    ## Episode End
    All agents terminate together when no tile can be drawn or after an illegal action, which sets
    ``infos[agent]["illegal_action"]`` to True for its agent. With few tiles, the game may end
    before some agents have moved. Episodes are never truncated.

    ## Arguments
    - num_players: Number of players, 1 to 5; 2 by default.
    - num_meeples (7 by default), tiles ("base"), deterministic (False), action_mode, board_size,
      observation, reward, info, max_score, max_rows, render_mode, theme: see ``CarcassonneEnv``.
    - illegal_action: "terminate" (default), or "raise" (default of ``raw_env``).

    ``reset`` takes the options ``tiles`` and ``order`` of ``CarcassonneEnv``. It ignores other
    options, as PettingZoo's ``api_test`` demands.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search. You may read and clone it, but must not apply actions to it.

    ## Version History
    - v0: first release.
    """

    num_players: int = 2
    num_meeples: int = 7
    tiles: str | Mapping[str, int] = "base"
    deterministic: bool = False
    _: KW_ONLY
    reward: str = "final"

    illegal_actions = "terminate", "raise"
    metadata = {**METADATA, "name": "carcassonne_v0", "is_parallelizable": False}  # noqa: RUF012

    def __post_init__(self) -> None:
        super().__post_init__()
        self._seat_players(self.num_players)
        num_cells = self.encoder.num_planes - OPEN
        planes = OWN + (OTHERS - OWN) * self.num_players + num_cells
        size = planes * self.encoder.width**2 + self.encoder.vector_size + self.num_players
        self.state_space = spaces.Box(0, 1, (size,), np.float32)

    def _mover(self) -> int:
        return self.model.mover

    def state(self) -> NDArray[np.float32]:
        """All that is known of the position, in a new array, the same from every player's view.

        Board, meeples of each player in the order of the seats, open cells and those where the tile
        fits; then the numbers of the vector, ``player_0`` first; then the player to move (one-hot).
        """
        model, encoder = self.model, self.encoder
        views = [encoder.planes(model, player) for player in range(model.num_players)]
        meeples = (view[OWN:OTHERS] for view in views)
        planes = [views[0][:OWN], *meeples, views[model.mover][OPEN:]]
        mover = np.eye(model.num_players)[model.mover]
        numbers = [*(part.ravel() for part in planes), encoder.vector(model, 0), mover]
        return np.concatenate(numbers, dtype=np.float32)


env = CarcassonneAECEnv
"""The environment for general use, as PettingZoo names it.

It behaves like PettingZoo's classic games in their wrappers, but implements the checks itself,
which takes half the time.
"""


def raw_env(*arguments: Any, **settings: Any) -> CarcassonneAECEnv:
    """The environment with ``illegal_action="raise"``; arguments as for `CarcassonneAECEnv`."""
    return CarcassonneAECEnv(*arguments, **{"illegal_action": "raise", **settings})
