"""One game from reset to end: the shared part of the Gymnasium and PettingZoo environments."""

from __future__ import annotations

import copy
import operator
from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.checks import check_choice
from agents.pictures import rasterize
from agents.rng import Rng
from agents.window import RENDER_MODES, Window

from .drawing.rendering import THEMES
from .encoding import PLANES, Encoder
from .model import CarcassonneModel
from .tiles import BASE_SET
from .turns import Plan, plan_turn
from .variant import Variant

Observation = dict[str, NDArray[Any]]

OPTIONS = ("tiles", "order")
"""Options of ``reset``."""
REWARDS = ("score", "final", "win", "virtual")
INFOS = ("numbers", "full")
RENDER_FPS = 2
OWN, OTHERS, OPEN = (
    PLANES.index(name) for name in ("own meeple on a city", "other meeple on a city", "open cell")
)
"""The planes before `OWN` show the board, and those from `OPEN` on its cells."""
FRAME = (720, 720)
"""Width and height of rendered frames in pixels."""
MAX_EPISODE_STEPS = 4 * 2 * sum(BASE_SET.values())
"""The limit of the registered ids: four times two steps for each of 72 tiles. No legal game has as
many, but a learner may repeat an illegal action forever with ``illegal_action="noop"``."""


class Episode:
    """A position and the random generator of its draws, with observations, rewards and pictures.

    Args:
        action_mode: "flat", "two_step" or "index", see `Encoder`.
        reward: "score" (the points gained), "final" (the model's return, at the end), "win" (at the
            end 1 for the only best score, 0 for a shared best score and -1 for a lower score) or
            "virtual" (the gain in virtual score, with more players in the lead by virtual scores).
            None means "score" for one player and "final" for more players.
        render_mode: "ansi", "rgb_array", "human" or None.
        theme: "light" or "dark".
        observation: "full", "features", "planes", "flat" or "scaled_features", see `Encoder`.
        info: "numbers", or "full" for infos with texts and dictionaries, too.
        max_rows: Maximum number of actions that observations describe, see `Encoder`.
        settings: Arguments of `CarcassonneModel`.

    Attributes:
        forfeit: Points that an illegal action forfeits: as many as a player can be behind in a game
            of these tiles; one player, whose score is never negative, forfeits 1.
    """

    def __init__(
        self,
        action_mode: str,
        reward: str | None,
        render_mode: str | None,
        theme: str,
        observation: str = "full",
        info: str = "numbers",
        max_rows: int | None = None,
        **settings: Any,
    ) -> None:
        if reward is None:
            reward = "score" if settings["num_players"] == 1 else "final"
        check_choice("reward", reward, REWARDS)
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        check_choice("theme", theme, tuple(THEMES))
        check_choice("info", info, INFOS)
        tiles = settings["tiles"]
        settings["tiles"] = dict(tiles) if isinstance(tiles, Mapping) else tiles
        self.settings = {**settings, "two_step": action_mode == "two_step"}
        self.reward = reward
        self.render_mode = render_mode
        self.theme = theme
        self.has_texts = info == "full"
        self.window = Window("Carcassonne")
        self.variant = Variant(**self.settings)
        self.encoder = Encoder(
            self.variant.num_tiles,
            self.variant.num_players,
            action_mode,
            settings["board_size"],
            observation,
            max_rows,
        )
        self.rng: Rng | None = None
        self.forfeit = self.variant.forfeit
        self._model: CarcassonneModel | None = None

    # Spaces

    def action_space(self) -> spaces.Discrete:
        """A new action space."""
        return spaces.Discrete(self.encoder.num_actions)

    def observation_space(self) -> spaces.Dict:
        """A new observation space."""
        return spaces.Dict(self.encoder.spaces())

    # Play

    def start(self, np_random: np.random.Generator | None, options: dict[str, Any] | None) -> None:
        """Starts a game and draws the first tile.

        Args:
            np_random: Seeds the generator of the draws. None keeps the current generator.
            options: ``tiles`` and ``order``.

        Raises:
            ValueError: If an option is unknown or its value is not a valid tile set or order.
        """
        variant = self.variant_of(options or {})
        if np_random is not None:
            self.rng = Rng(np_random)
        self.forfeit = variant.forfeit
        self._model = CarcassonneModel.of(variant, self.generator)
        self._draw()

    def variant_of(self, options: dict[str, Any]) -> Variant:
        """The variant of this environment with the tiles or the order that the options give.

        Raises:
            ValueError: If an option is unknown or its value is not a valid tile set or order.
        """
        if unknown := [key for key in options if key not in OPTIONS]:
            raise ValueError(f"options must be among 'tiles' and 'order', got {unknown}")
        variant = Variant(**{**self.settings, **options}) if options else self.variant
        self._check_size(variant.num_tiles)
        return variant

    @property
    def generator(self) -> Rng:
        """The random generator of future draws.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self.rng is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self.rng

    @property
    def model(self) -> CarcassonneModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._model is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._model

    def legal_action(self, action: Any) -> int | None:
        """Converts an action of the environment to the model's action; None if it is illegal.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        model_action = self.model_action(action)
        is_legal = model_action is not None and self.model.is_legal(model_action)
        return model_action if is_legal else None

    def play(self, model_action: int) -> list[float]:
        """Plays a legal action of the model, draws a tile and returns each player's reward."""
        model = self.model
        before = self._points()
        model.apply_action(model_action)
        self._draw()
        if before:
            return [float(now - then) for now, then in zip(self._points(), before, strict=True)]
        if not model.is_terminal():
            return [0.0] * model.num_players
        if self.reward == "final":
            returns: list[float] = model.returns().tolist()
            return returns
        return [float(np.sign(value)) for value in model.returns()]

    def forfeit_of(self, player: int) -> float:
        """A player's reward for an illegal action, after which no legal play has a lower return."""
        if self.reward == "virtual":
            return float(-self.forfeit - leads(self.model.virtual_scores)[player])
        if self.reward == "final":
            return -max(1.0, self.forfeit / self.model.max_score())
        return -1.0

    def _points(self) -> tuple[int, ...]:
        """The points of each player whose gain is the reward; none if rewards come at the end."""
        if self.reward == "score":
            return self.model.scores
        return leads(self.model.virtual_scores) if self.reward == "virtual" else ()

    def _draw(self) -> None:
        while self.model.is_chance_node():
            self.model.apply_action(self.model.sample_chance(self.generator))

    # Actions

    def model_action(self, action: Any) -> int | None:
        """Converts an action of the environment to the model's action, which may be illegal.

        Returns:
            None if the action has no counterpart in this position.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        try:
            number = operator.index(action)
        except TypeError:
            number = -1
        if not 0 <= number < self.encoder.num_actions:
            raise gymnasium.error.InvalidAction(
                f"action must be an integer in [0, {self.encoder.num_actions}), got {action!r}"
            )
        return self.encoder.decode(self.model, number)

    def env_action(self, model_action: int) -> int:
        """Converts a legal action of the model to the environment's action.

        Raises:
            ValueError: If the action is not legal.
        """
        return self.encoder.encode(self.model, model_action)

    @property
    def plan_turn(self) -> Plan | None:
        """Plans what is left of a turn, see `turns.plan_turn`; None if one action is a turn."""
        return partial(plan_turn, self.model) if self.settings["two_step"] else None

    # Observations and pictures

    def observe(self, viewer: int, *, is_to_move: bool = True) -> Observation:
        """The observation of a player, as new arrays."""
        return self.encoder.observe(self.model, viewer, is_to_move)

    def state_space(self) -> spaces.Box:
        """A new space of `state`."""
        players = self.variant.num_players
        num_cells = self.encoder.num_planes - OPEN
        planes = OWN + (OTHERS - OWN) * players + num_cells
        size = planes * self.encoder.width**2 + self.encoder.vector_size + players
        return spaces.Box(0, 1, (size,), np.float32)

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

    def info(self, *, is_illegal: bool = False) -> dict[str, Any]:
        """The ``info`` dictionary of the position, with new arrays and without an action mask.

        Args:
            is_illegal: Whether the last action was illegal.
        """
        info = info_of(self.encoder, self.model, is_illegal=is_illegal)
        return {**info, **texts_of(self.model)} if self.has_texts else info

    def render(self) -> Any:
        """Renders the position as the render mode says: text, uint8[720, 720, 3] or a window."""
        if self.render_mode == "ansi":
            return str(self.model)
        if self.render_mode is None:
            gymnasium.logger.warn(f"render() needs a render_mode, one of {RENDER_MODES}")
            return None
        background = THEMES[self.theme].table
        pixels = rasterize(self.model.svg(self.theme), *FRAME, background=background)
        if self.render_mode == "rgb_array":
            return pixels
        self.window.show(pixels, RENDER_FPS)
        return None

    def render_if_human(self) -> None:
        """Shows the position in the window if the render mode is "human"."""
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window if it is open."""
        self.window.close()

    # Copies

    def get_state(self) -> tuple[CarcassonneModel, Rng]:
        """Copies of the position and of the random generator of future draws."""
        return self.model.clone(), copy.deepcopy(self.generator)

    def set_state(self, model: CarcassonneModel, rng: Rng) -> None:
        """Restores a state that `get_state` of this or an equal environment returned.

        Raises:
            ValueError: If the state has more tiles than this environment, or differs in the number
                of players or meeples, in ``two_step`` or in the board size.
        """
        self._check_size(model.num_tiles)
        mine = (
            self.variant.num_players,
            self.settings["num_meeples"],
            self.settings["two_step"],
            self.encoder.board_size,
        )
        if (model.num_players, model.num_meeples, model.is_two_step, model.board_size) != mine:
            raise ValueError(f"the state is of another variant of the game: {model!r}")
        self._model, self.rng = model.clone(), copy.deepcopy(rng)
        if model.num_players > 1:  # the state may have other tiles than the last episode
            tiles = Counter(tile.tile for tile in model.board) + Counter(model.bag)
            tiles += Counter([model.current_tile] if model.current_tile else [])
            of_state = Variant(model.num_players, model.num_meeples, dict(tiles))
            self.forfeit = max(self.variant.forfeit, of_state.forfeit)

    def _check_size(self, num_tiles: int) -> None:
        if num_tiles > self.variant.num_tiles:
            raise ValueError(
                f"this environment holds at most {self.variant.num_tiles} tiles, got {num_tiles}"
            )


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
    return {
        "tile": model.current_tile or "",
        "points": breakdown[0] if model.num_players == 1 else breakdown,
    }
