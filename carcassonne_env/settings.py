"""The settings of an environment: what all environments of the game take as arguments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from gymnasium import spaces

from agents.checks import check_choice
from agents.env_base import check_options

from .encoding import Encoder
from .rewards import REWARDS
from .variant import Variant

OPTIONS = ("tiles", "order")
"""Options of ``reset``."""
INFOS = ("numbers", "full")
ILLEGAL_ACTIONS = ("terminate", "noop", "raise")


@dataclass(kw_only=True, eq=False, repr=False)
class Settings:
    """What an environment is made with; ``CarcassonneEnv`` describes each setting.

    An environment is a dataclass that inherits from it. It repeats a setting only to take it by
    position or to give it another default.
    """

    illegal_actions: ClassVar[tuple[str, ...]] = ILLEGAL_ACTIONS

    num_players: int = 1
    num_meeples: int = 3
    tiles: str | Mapping[str, int] = "small"
    deterministic: bool = True
    action_mode: str = "flat"
    board_size: int | None = None
    observation: str = "full"
    reward: str | None = None
    illegal_action: str = "terminate"
    info: str = "numbers"
    max_score: int | None = None
    max_rows: int | None = None

    def __post_init__(self) -> None:
        """Checks the settings."""
        if self.reward is None:
            self.reward = "score" if self.num_players == 1 else "final"
        check_choice("reward", self.reward, REWARDS)
        check_choice("illegal_action", self.illegal_action, self.illegal_actions)
        check_choice("info", self.info, INFOS)
        if isinstance(self.tiles, Mapping):
            self.tiles = dict(self.tiles)
        self.variant = self._variant({})
        kind = self.variant.num_tiles, self.num_players, self.action_mode, self.board_size
        self.encoder = Encoder(*kind, self.observation, self.max_rows)
        self.num_players = self.encoder.num_players  # no longer one of numpy's, which overflow

    def variant_of(self, options: Mapping[str, Any]) -> Variant:
        """The variant of the game with the tiles or the order that the options of a reset give."""
        check_options(options, OPTIONS)
        if not options:
            return self.variant
        variant = self._variant(options)
        self.check_size(variant.num_tiles)
        return variant

    def _variant(self, options: Mapping[str, Any]) -> Variant:
        names = ("num_players", "num_meeples", "tiles", "deterministic", "board_size", "max_score")
        settings = {name: getattr(self, name) for name in names} | dict(options)
        return Variant(two_step=self.action_mode == "two_step", **settings)

    def check_size(self, num_tiles: int) -> None:
        """Raises ValueError if a game has more tiles than the observations hold."""
        if num_tiles > self.variant.num_tiles:
            raise ValueError(
                f"this environment holds at most {self.variant.num_tiles} tiles, got {num_tiles}"
            )

    def new_action_space(self) -> spaces.Discrete:
        """A new action space."""
        return spaces.Discrete(self.encoder.num_actions)

    def new_observation_space(self) -> spaces.Dict:
        """A new observation space with the keys in the order of observations."""
        return spaces.Dict([*self.encoder.spaces().items()])  # of a mapping, it sorts the keys
