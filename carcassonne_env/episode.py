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
from .model import ALL_SEATS, CarcassonneModel
from .rewards import Account
from .settings import OPTIONS, Settings
from .turns import Plan, plan_turn
from .variant import Variant

METADATA = {"render_modes": installed_modes(), "render_fps": 2}
FRAME = (720, 720)
"""Width and height of rendered frames in pixels."""


@dataclass(kw_only=True, eq=False, repr=False)
class Episode(Settings, EnvironmentBase[CarcassonneModel]):
    """A position and the random generator of its draws, with observations, rewards and pictures."""

    render_mode: str | None = None
    theme: str = "light"

    option_names = OPTIONS

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice("theme", self.theme, tuple(THEMES))
        self._show_in("Carcassonne", self.render_mode, RENDER_MODES)
        self._open_account(self.variant.forfeit)

    @property
    def forfeit(self) -> int:
        """Points that an illegal action forfeits, see `Account`."""
        return self._account.forfeit

    def _open_account(self, forfeit: int) -> None:
        assert self.reward is not None  # it has been chosen
        self._account = Account(self.reward, forfeit)

    def _checked_options(self, options: Mapping[str, Any]) -> Variant:
        return self.variant_of(options)

    def _begin(self, is_new_stream: bool, asked: Variant) -> None:
        if is_new_stream:
            self.rng = Rng(self.np_random)
        self._open_account(asked.forfeit)
        self._model = CarcassonneModel.of(asked, self.rng)
        self._draw()

    def _decider(self) -> int:
        """The seat whose player decides; the others move at random. `ALL_SEATS`: all decide."""
        return ALL_SEATS

    def _play(self, number: int) -> bool:
        return self.encoder.play(self._model, number, self.rng, self._decider())

    def _draw(self) -> None:
        """Draws tiles, and plays the moves of those who move at random, until a player decides."""
        self._model.go_on(self.rng, self._decider())

    def _rewards(self) -> Sequence[float]:
        return self._account.rewards(self._model)

    def _forfeit(self, player: int) -> float:
        return self._account.forfeited(self._model)[player]

    # Actions

    def model_action(self, action: Any) -> int | None:
        """Converts an action of the environment to the model's action, which may be illegal.

        Returns:
            None if the action has no counterpart in this position.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        return decoded(self.encoder, self.model, action)

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
        return self._with_more(self.encoder.numbers(self._model), is_illegal)

    def _with_more(self, info: dict[str, Any], is_illegal: bool) -> dict[str, Any]:
        """An info of numbers, with what belongs to it besides."""
        info["illegal_action"] = is_illegal
        if self.info == "full":
            info.update(texts_of(self._model))
        return info

    def _pixels(self) -> NDArray[np.uint8]:
        background = THEMES[self.theme].table
        return rasterize(self.model.svg(self.theme), *FRAME, background=background)


def decoded(encoder: Encoder, model: CarcassonneModel, action: Any) -> int | None:
    """What `Episode.model_action` returns, in any position."""
    return encoder.decode(model, number_of(action, encoder.num_actions))


def texts_of(model: CarcassonneModel) -> dict[str, Any]:
    """What ``info="full"`` adds to the ``info`` dictionary: the letter of the tile and points."""
    breakdown = model.score_breakdown
    points = breakdown[0] if model.num_players == 1 else breakdown
    return {"tile": model.current_tile or "", "points": points}
