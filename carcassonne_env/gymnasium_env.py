"""Single-player Carcassonne as a Gymnasium environment."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.rng import Rng

from .encoding import PLANES, Encoder
from .model import CarcassonneModel
from .rendering import rasterize

Observation = dict[str, NDArray[Any]]

REWARDS = ("score", "final")
ILLEGAL_ACTIONS = ("terminate", "noop", "raise")


class CarcassonneEnv(gymnasium.Env[Observation, np.int64]):
    """Single-player Carcassonne: place each tile, and meeples, so that they score most.

    ## Description
    The base game's tiles are drawn one at a time. Each is placed next to those on the board so that
    all touching sides match, and a meeple may be put on one of its features: a city, a road, a
    cloister or a farm. Completed features score and give the meeple back; farms and what is
    unfinished score at the end. The ids ``Carcassonne-1p-1m-d``, ``-1p-1m-s``, ``-1p-3m-d`` and
    ``-1p-3m-s`` have 1 or 3 meeples and one tile of each of the 24 types, in an order that is known
    from the start (d) or drawn by chance (s).

    ## Action Space
    ``Discrete(W * W * 4 * 9)`` with W = number of tiles + 2 (24,336 actions with 24 tiles):
    ``((row * W + column) * 4 + rotation) * 9 + slot``. Row and column are a cell of a window of W
    by W cells in which the start tile lies at ``(W // 2, W // 2)``, row 0 is the north and cells
    are taken modulo W, which no game can exceed. Rotation counts quarter turns clockwise. Slot 0
    places no meeple, slots 1 to 8 place one on that segment of the tile, in the order of
    ``carcassonne_env.tiles``: cities, roads, cloister, farms. ``model_action`` and ``env_action``
    translate to the model's actions and back.

    Which actions are legal is in the observation, in ``info["action_mask"]`` and in
    ``action_masks()``. An illegal one ends the episode with reward -1 and
    ``info["illegal_action"]`` (``"terminate"``), changes nothing (``"noop"``) or raises
    (``"raise"``).

    ## Observation Space
    A ``Dict``:

    - ``observation``: int8[24, W, W] of 0 and 1: planes over the window, listed in
      ``carcassonne_env.encoding.PLANES``: for city, road and field the sides N, E, S, W of each
      tile; cloister; shield; meeples of the mover and of others on a city, road, cloister, farm;
      open cells; cells where the current tile fits.
    - ``action_mask``: int8[W * W * 4 * 9], 1 for legal actions; all 0 at the end.
    - ``vector``: float32[52] in [0, 1]: the current tile (24, one-hot); the probability of each
      type to be drawn from the bag (24); meeples in hand, score and virtual score as shares of the
      meeples and of the maximum score; the share of tiles in the bag.

    The order of the tiles, known to planners in the deterministic games, is not observed.

    ## Starting State
    The start tile D lies in the middle, its city to the north, and a first tile is drawn.
    ``reset(options={"tiles": {...}})`` plays with other tiles (start tile included, not more than
    the environment was made for) and ``{"order": "ABC..."}`` with a given
    order, which planners then know.

    ## Rewards
    ``reward="score"`` (default): the points gained by the step, so that the return is the final
    score. ``"final"``: 0, and at the end the final score divided by the maximum score.

    ## Episode End
    Terminates when no tile can be drawn, and after an illegal action with ``"terminate"``, which
    leaves the position and its mask as they were. Never truncates.

    ## Information
    ``action_mask``, ``scores`` and ``virtual_scores`` (int64[1], points), ``meeples`` (int64[1], in
    hand), ``current_tile`` (its letter, "" at the end); when the game is over ``score_breakdown``
    (points by kind); after an illegal action ``illegal_action``.

    ## Arguments
    - num_meeples: 0 to 255.
    - tiles: "small", "base", or a mapping from letters to counts, start tile included.
    - deterministic: Whether the order is fixed at the start of an episode.
    - reward: "score" or "final".
    - illegal_action: "terminate", "noop" or "raise".
    - max_score: Points that stand for 1 in observations and final rewards; see
      ``CarcassonneModel``.
    - render_mode: "ansi" (text), "rgb_array" (uint8 pixels) or None.

    ## Deviations from the printed rules
    One player. Placing the tile and the meeple is one action.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position; ``get_state`` and ``set_state``
    return to one. ``model`` is the forward model that planners take; acting on it acts on the
    environment.

    ## Version History
    - Unversioned: first release.
    """

    metadata = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        num_meeples: int = 3,
        tiles: str | Mapping[str, int] = "small",
        deterministic: bool = True,
        *,
        reward: str = "score",
        illegal_action: str = "terminate",
        max_score: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        _check_choice("reward", reward, REWARDS)
        _check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        _check_choice("render_mode", render_mode, (None, *self.metadata["render_modes"]))
        self.reward = reward
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self._settings: dict[str, Any] = {
            "num_players": 1,
            "num_meeples": num_meeples,
            "tiles": dict(tiles) if isinstance(tiles, Mapping) else tiles,
            "deterministic": deterministic,
            "max_score": max_score,
        }
        model = CarcassonneModel(**self._settings, seed=0)
        self._num_tiles = model.num_tiles
        self._model: CarcassonneModel | None = None
        self._rng = Rng(0)
        self._is_over = True
        self.encoder = Encoder(self._num_tiles, 1)
        width = self.encoder.width
        self.action_space = spaces.Discrete(self.encoder.num_actions)
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            [
                ("observation", spaces.Box(0, 1, (len(PLANES), width, width), np.int8)),
                ("action_mask", spaces.Box(0, 1, (self.encoder.num_actions,), np.int8)),
                ("vector", spaces.Box(0, 1, (self.encoder.vector_size,), np.float32)),
            ]
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Seeds ``np_random``, from which the order and all draws of the episodes follow.
            options: ``tiles`` and ``order``, see the class.

        Raises:
            ValueError: If an option is unknown or its value is no proper set or order of tiles.
        """
        super().reset(seed=seed)
        options = options or {}
        if unknown := [key for key in options if key not in ("tiles", "order")]:
            raise ValueError(f"options must be among 'tiles' and 'order', got {unknown}")
        rng = Rng(self.np_random)
        model = CarcassonneModel(**{**self._settings, **options}, seed=rng)
        self._check_size(model)
        self._model, self._rng = model, rng
        self._draw()
        self._is_over = self.model.is_terminal()
        observation = self._observation()
        return observation, self._info(observation)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action and draws the next tile.

        Raises:
            gymnasium.error.ResetNeeded: If the episode is over or has not begun.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        model_action = self.model_action(action)
        if model_action is None or not self.model.is_legal(model_action):
            return self._refuse(action)
        before = self.model.scores[0]
        self.model.apply_action(model_action)
        self._draw()
        self._is_over = self.model.is_terminal()
        observation = self._observation()
        return (
            observation,
            self._reward(before),
            self._is_over,
            False,
            self._info(observation),
        )

    def _refuse(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self.illegal_action == "raise":
            raise gymnasium.error.InvalidAction(
                f"action {action} is illegal; {int(self.action_masks().sum())} actions are legal, "
                "see action_masks()"
            )
        self._is_over = self.illegal_action == "terminate"
        observation = self._observation()
        info = {**self._info(observation), "illegal_action": True}
        return observation, -float(self._is_over), self._is_over, False, info

    def _draw(self) -> None:
        while self.model.is_chance_node():
            self.model.apply_action(self.model.sample_chance(self._rng))

    def _reward(self, before: int) -> float:
        if self.reward == "score":
            return float(self.model.scores[0] - before)
        return float(self.model.returns()[0]) if self._is_over else 0.0

    def _observation(self) -> Observation:
        return {
            "observation": self.encoder.planes(self.model),
            "action_mask": self.encoder.mask(self.model),
            "vector": self.encoder.vector(self.model),
        }

    def _info(self, observation: Observation) -> dict[str, Any]:
        info = {
            "action_mask": observation["action_mask"].copy(),
            "scores": np.array(self.model.scores),
            "virtual_scores": np.array(self.model.virtual_scores),
            "meeples": np.array(self.model.meeples),
            "current_tile": self.model.current_tile or "",
        }
        if self.model.is_terminal():
            info["score_breakdown"] = self.model.score_breakdown[0]
        return info

    @property
    def model(self) -> CarcassonneModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._model is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._model

    def action_masks(self) -> NDArray[np.int8]:
        """Legal actions, as MaskablePPO asks for them: int8[num_actions] of 0 and 1."""
        return self.encoder.mask(self.model)

    def model_action(self, action: Any) -> int | None:
        """The model's action for one of the environment; None where no tile can lie.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        try:
            is_action = self.action_space.contains(action)
        except OverflowError:  # an integer beyond 64 bits, in Gymnasium before 1.4
            is_action = False
        if not is_action:
            raise gymnasium.error.InvalidAction(
                f"action must be an integer in [0, {self.encoder.num_actions}), got {action!r}"
            )
        return self.encoder.decode(self.model, int(action))

    def env_action(self, model_action: int) -> int:
        """The environment's action for one of the model."""
        return self.encoder.encode(model_action)

    def clone(self) -> CarcassonneEnv:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> CarcassonneEnv:
        return self.clone()

    def get_state(self) -> tuple[CarcassonneModel, Rng, bool]:
        """The position, the generator of the coming draws, and whether the episode is over."""
        return self.model.clone(), copy.deepcopy(self._rng), self._is_over

    def set_state(self, state: tuple[CarcassonneModel, Rng, bool]) -> None:
        """Returns to a state that `get_state` gave, of this environment or one made like it.

        Raises:
            ValueError: If the state has more tiles than this environment was made for.
        """
        model, rng, is_over = state
        self._check_size(model)
        self._model, self._rng, self._is_over = model.clone(), copy.deepcopy(rng), is_over

    def _check_size(self, model: CarcassonneModel) -> None:
        if model.num_tiles > self._num_tiles:
            raise ValueError(
                f"this environment holds at most {self._num_tiles} tiles, got {model.num_tiles}"
            )

    def render(self) -> Any:
        """A picture of the position: text or uint8[height, width, 3], by the render mode."""
        if self.render_mode == "ansi":
            return str(self.model)
        if self.render_mode == "rgb_array":
            return rasterize(self.model._repr_svg_())
        gymnasium.logger.warn("render() needs a render_mode, one of 'ansi' and 'rgb_array'")
        return None


def _check_choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    if value not in allowed:
        raise ValueError(f"{name} must be one of {allowed}, got {value!r}")
