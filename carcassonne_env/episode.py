"""One game from reset to end: the shared part of the Gymnasium and PettingZoo environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.checks import check_choice
from agents.env_base import EnvironmentBase, Observation, number_of
from agents.pictures import rasterize
from agents.rng import Rng
from agents.window import RENDER_MODES, installed_modes

from .drawing.rendering import THEMES
from .encoding import Encoder
from .model import CarcassonneModel
from .settings import OPTIONS, Settings
from .turns import Plan, plan_turn

METADATA = {"render_modes": installed_modes(), "render_fps": 2}
FRAME = (720, 720)
"""Width and height of rendered frames in pixels."""


@dataclass(kw_only=True, eq=False, repr=False)
class Episode(Settings, EnvironmentBase[CarcassonneModel]):
    """A position and the random generator of its draws, with observations, rewards and pictures.

    Attributes:
        forfeit: Points that an illegal action forfeits: as many as a player can be behind in a game
            of these tiles; one player, whose score is never negative, forfeits 1.
    """

    render_mode: str | None = None
    theme: str = "light"

    option_names = OPTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("theme", self.theme, tuple(THEMES))
        self._show_in("Carcassonne", self.render_mode, RENDER_MODES)
        self.forfeit = self.variant.forfeit

    def _begin(self, is_new_stream: bool, options: Mapping[str, Any]) -> None:
        variant = self.variant_of(options)
        if is_new_stream:
            self.rng = Rng(self.np_random)
        self.forfeit = variant.forfeit
        self._model = CarcassonneModel.of(variant, self.rng)
        self._draw()

    def _points(self) -> tuple[int, ...]:
        if self.reward == "score":
            return self._model.scores
        return leads(self._model.virtual_scores) if self.reward == "virtual" else ()

    def _returns(self) -> Sequence[float]:
        returns = self._model.returns()
        return list(map(float, np.sign(returns) if self.reward == "win" else returns))

    def _forfeit(self, player: int) -> float:
        """No legal play has a lower return after it."""
        if self.reward == "virtual":
            return float(-self.forfeit - leads(self.model.virtual_scores)[player])
        if self.reward == "final":
            return -max(1.0, self.forfeit / self.model.max_score())
        return -1.0

    # Actions

    def _legal(self, number: int) -> int | None:
        action = self.encoder.decode(self._model, number)
        return None if action is None or not self._model.is_legal(action) else action

    def model_action(self, action: Any) -> int | None:
        """Converts an action of the environment to the model's action, which may be illegal.

        Returns:
            None if the action has no counterpart in this position.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        return self.encoder.decode(self.model, number_of(action, self.encoder.num_actions))

    def env_action(self, model_action: int) -> int:
        """Converts a legal action of the model to the environment's action.

        Raises:
            ValueError: If the action is not legal.
        """
        return self.encoder.encode(self.model, model_action)

    @property
    def plan_turn(self) -> Plan | None:
        """Plans what is left of a turn for planners; None if one action is a turn."""
        return partial(plan_turn, self.model) if self.action_mode == "two_step" else None

    # Observations and pictures

    def _observe(self, player: int, is_to_move: bool) -> Observation:
        return self.encoder.observe(self._model, player, is_to_move)

    def _info(self, *, is_illegal: bool = False) -> dict[str, Any]:
        info = info_of(self.encoder, self._model, is_illegal=is_illegal)
        return {**info, **texts_of(self.model)} if self.info == "full" else info

    def _pixels(self) -> NDArray[np.uint8]:
        background = THEMES[self.theme].table
        return rasterize(self.model.svg(self.theme), *FRAME, background=background)


def leads(scores: tuple[int, ...]) -> tuple[int, ...]:
    """Each player's lead over the best other score; of a single player the score."""
    if len(scores) == 1:
        return scores
    return tuple(
        score - max(scores[:player] + scores[player + 1 :]) for player, score in enumerate(scores)
    )


def info_of(
    encoder: Encoder, model: CarcassonneModel, *, is_illegal: bool = False
) -> dict[str, Any]:
    """The numbers of the ``info`` dictionary of a position, with new arrays."""
    return {**encoder.numbers(model), "illegal_action": is_illegal}


def texts_of(model: CarcassonneModel) -> dict[str, Any]:
    """What ``info="full"`` adds to the ``info`` dictionary: the letter of the tile and points."""
    breakdown = model.score_breakdown
    points = breakdown[0] if model.num_players == 1 else breakdown
    return {"tile": model.current_tile or "", "points": points}
