"""Carcassonne as a Gymnasium environment, for one learner."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any, Protocol

import gymnasium
import numpy as np
from numpy.typing import NDArray

from agents.checks import check_choice, check_range
from agents.rng import Rng

from .episode import RENDER_FPS, RENDER_MODES, Episode, Observation
from .model import CarcassonneModel

ILLEGAL_ACTIONS = ("terminate", "noop", "raise")


class Opponent(Protocol):
    """Who plays the other seats: a planner, a `PolicyAgent`, anything with the method ``act``."""

    def act(self, model: CarcassonneModel, /) -> int:
        """A legal action of the model, which is not to be changed."""


class CarcassonneEnv(gymnasium.Env[Observation, np.int64]):
    """Carcassonne: place each tile, and meeples, so that they score most.

    ## Description
    The base game's tiles are drawn one at a time. Each is placed next to those on the board so that
    all touching sides match, and a meeple may be put on one of its features: a city, a road, a
    cloister or a farm. Completed features score and give the meeple back; farms and what is
    unfinished score at the end. The ids ``Carcassonne-1p-1m-d``, ``-1p-1m-s``, ``-1p-3m-d`` and
    ``-1p-3m-s`` have one player, 1 or 3 meeples and one tile of each of the 24 types, in an order
    that is known from the start (d) or drawn by chance (s). ``Carcassonne-2p-7m-s`` is the base
    game of 72 tiles for two, the other seat being played by an opponent.

    ## Action Space
    By ``action_mode``, with W = number of tiles + 2, or the board size:

    - ``"flat"``: ``Discrete(W * W * 4 * 9)`` (24,336 actions with 24 tiles):
      ``((row * W + column) * 4 + rotation) * 9 + slot``.
    - ``"two_step"``: ``Discrete(W * W * 4 + 9)`` (2,713): first
      ``(row * W + column) * 4 + rotation``, then, as a second step, ``W * W * 4 + slot``.
    - ``"index"``: ``Discrete((2 * tiles + 2) * 36)``: the place among the legal actions, which the
      observation describes.

    Row and column are a cell of a window of W by W cells in which the start tile lies at
    ``(W // 2, W // 2)``, row 0 is the north and cells are taken modulo W, which no game can exceed.
    Rotation counts quarter turns clockwise. Slot 0 places no meeple, slots 1 to 8 place one on that
    segment of the tile, in the order of ``carcassonne_env.tiles``: cities, roads, cloister, farms.
    ``model_action`` and ``env_action`` translate to the model's actions and back:

    >>> env = CarcassonneEnv()
    >>> observation, info = env.reset(options={"order": "BACEFGHIJKLMNOPQRSTUVWX"})
    >>> env.model.decode_action(env.model_action(((14 * 26 + 13) * 4 + 0) * 9 + 1))
    Move(x=0, y=-1, rotation=0, target=('cloister',))

    Which actions are legal is in the observation, in ``info["action_mask"]`` and in
    ``action_masks()``. An illegal one ends the episode with reward -1 and
    ``info["illegal_action"]`` (``"terminate"``), changes nothing (``"noop"``) or raises
    (``"raise"``).

    ## Observation Space
    A ``Dict``:

    - ``observation``: int8[24, W, W] of 0 and 1: planes over the window, listed in
      ``carcassonne_env.encoding.PLANES``: 0 to 11 for city, road and field the sides N, E, S, W of
      each tile; 12 cloister; 13 shield; 14 to 17 own meeples on a city, road, cloister, farm; 18 to
      21 meeples of others; 22 open cells; 23 cells where the current tile fits. With ``"two_step"``
      24 is the cell chosen in the first step, where the tile is then shown as if it lay there.
    - ``action_mask``: int8[number of actions], 1 for legal actions; all 0 at the end.
    - ``vector``: float32 in [0, 1]: 0 to 23 the current tile (one-hot); 24 to 47 the probability of
      each type to be drawn from the bag; then for each player from the learner on meeples in hand,
      score and virtual score as shares of the meeples and of the maximum score; then the share of
      the tiles that are in the bag; with ``"two_step"`` last the chosen rotation (4, one-hot).
    - ``actions``, with ``"index"`` alone: int8[number of actions, 5], the legal actions in their
      order, then zeros: x, y, rotation, slot, and what the meeple would stand on (0 nothing, 1
      city, 2 road, 3 cloister, 4 farm).

    The order of the tiles, known to planners in the deterministic games, is not observed.

    ## Starting State
    The start tile D lies in the middle, its city to the north, and a first tile is drawn; players
    before the learner have moved. ``reset(options={"tiles": {...}})`` plays with other tiles (start
    tile included, not more than the environment was made for) and ``{"order": "ABC..."}`` with a
    given order, which planners then know.

    ## Rewards
    ``reward="score"`` (default for one player): the points gained since the last step, so that the
    return is the final score. ``"final"`` (default for more): 0, and at the end the final score,
    for more players less the best other score, divided by the maximum score. ``"win"``: at the end
    1 for the sole best score, 0 for a shared one, -1 else.

    ## Episode End
    Terminates when no tile can be drawn, and after an illegal action with ``"terminate"``, which
    leaves the position and its mask as they were. Never truncates. When the others end the game
    before the learner's first turn (few tiles, a late seat), the mask that ``reset`` gives is 0,
    and one step with any action ends the episode with the reward of the final position.

    ## Information
    ``action_mask``, ``scores`` and ``virtual_scores`` (int64[players], points), ``meeples``
    (int64[players], in hand), ``discarded`` (tiles that fitted nowhere so far), ``current_tile``
    (its letter, "" at the end); with ``board_size`` ``cut_off`` (cells outside the square that lie
    next to a tile, where a tile might lie without the bound); when the game is over
    ``score_breakdown`` (points by kind, for more players a tuple); after an illegal action
    ``illegal_action``.

    ## Arguments
    - num_meeples: 0 to 255.
    - tiles: "small", "base", or a mapping from letters to counts, start tile included.
    - deterministic: Whether the order is fixed at the start of an episode.
    - num_players: 1 to 5.
    - seat: The learner's seat, 0 to num_players - 1.
    - opponent: Who plays the other seats: "random", or an object whose ``act(model)`` returns an
      action of the model, such as every planner of ``agents``, which keeps its own seed, or a
      learned policy as ``carcassonne_env.PolicyAgent``.
    - action_mode: "flat", "two_step" or "index".
    - board_size: Side of a smaller window, 3 or more. **Changes the rules**: no tile may lie
      outside, and tiles that fit nowhere inside are discarded. None: no bound.
    - reward: "score", "final" or "win".
    - illegal_action: "terminate", "noop" or "raise".
    - max_score: Points that stand for 1 in observations and final rewards; see
      ``CarcassonneModel``.
    - render_mode: "ansi" (text), "rgb_array" (uint8[720, 720, 3]), "human" (a window) or None.
    - theme: "light" or "dark", of the pictures.

    ## Deviations from the printed rules
    Placing the tile and the meeple is one action, or two with ``"two_step"``.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position; ``get_state`` and ``set_state``
    return to one. ``model`` is the forward model that planners take, to be read and cloned, not to
    be acted upon.

    ## Version History
    - Unversioned: first release.
    """

    metadata = {"render_modes": [*RENDER_MODES], "render_fps": RENDER_FPS}  # noqa: RUF012

    def __init__(
        self,
        num_meeples: int = 3,
        tiles: str | Mapping[str, int] = "small",
        deterministic: bool = True,
        *,
        num_players: int = 1,
        seat: int = 0,
        opponent: str | Opponent = "random",
        action_mode: str = "flat",
        board_size: int | None = None,
        reward: str | None = None,
        illegal_action: str = "terminate",
        max_score: int | None = None,
        render_mode: str | None = None,
        theme: str = "light",
    ) -> None:
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.episode = Episode(
            action_mode,
            reward,
            render_mode,
            theme,
            num_players=num_players,
            num_meeples=num_meeples,
            tiles=tiles,
            deterministic=deterministic,
            board_size=board_size,
            max_score=max_score,
        )
        check_range("seat", seat, 0, num_players - 1)
        if opponent != "random" and (isinstance(opponent, type) or not hasattr(opponent, "act")):
            raise TypeError(
                f"opponent must be 'random' or have a method act(model), got {opponent!r}"
            )
        if opponent != "random" and num_players == 1:
            raise ValueError(f"there is no seat for opponent={opponent!r} in a game of one player")
        self.seat = seat
        self.opponent = opponent if num_players > 1 else None
        self._is_over = True
        self.action_space = self.episode.action_space()
        self.observation_space = self.episode.observation_space()  # type: ignore[assignment]

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
        is_new_stream = seed is not None or self.episode.rng is None
        self.episode.start(self.np_random if is_new_stream else None, options)
        self._play_others()
        self._is_over = False
        self.episode.render_if_human()
        return self._observe(), self.episode.info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the other players' turns.

        Raises:
            gymnasium.error.ResetNeeded: If the episode is over or has not begun.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        model_action = self.episode.legal_action(action)
        if self.model.current_player() != self.seat:
            reward = self._early_reward()
        elif model_action is None:
            return self._refuse(action)
        else:
            reward = self.episode.play(model_action)[self.seat] + self._play_others()
        self._is_over = self.model.is_terminal()
        self.episode.render_if_human()
        return self._observe(), reward, self._is_over, False, self.episode.info()

    def _early_reward(self) -> float:
        """The reward when the others have ended the game before the learner's first turn."""
        if not self.model.is_terminal():
            raise gymnasium.error.ResetNeeded(
                "it is not the learner's turn, because the opponent raised an exception or the "
                "model was acted upon: call reset()"
            )
        return self.episode.rewards_since(self.model.scores)[self.seat]

    def _play_others(self) -> float:
        """Lets the others move until it is the learner's turn; returns what that earned them."""
        reward = 0.0
        while self.model.current_player() >= 0 and self.model.current_player() != self.seat:
            if isinstance(self.opponent, str | None):
                action = self.model.sample_action(self.episode.generator)
            else:
                action = self.opponent.act(self.model)
            reward += self.episode.play(action)[self.seat]
        return reward

    def _refuse(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self.illegal_action == "raise":
            raise gymnasium.error.InvalidAction(
                f"action {action} is illegal; {int(self.action_masks().sum())} actions are legal, "
                "see action_masks()"
            )
        self._is_over = self.illegal_action == "terminate"
        info = {**self.episode.info(), "illegal_action": True}
        return self._observe(), -1.0 if self._is_over else 0.0, self._is_over, False, info

    def _observe(self) -> Observation:
        return self.episode.observe(self.seat)

    @property
    def model(self) -> CarcassonneModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self.episode.model

    def action_masks(self) -> NDArray[np.int8]:
        """Legal actions, as MaskablePPO asks for them: int8[number of actions] of 0 and 1."""
        return self.episode.encoder.mask(self.model)

    def model_action(self, action: Any) -> int | None:
        """The model's action for one of the environment; None where there is none.

        Raises:
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        return self.episode.model_action(action)

    def env_action(self, model_action: int) -> int:
        """The environment's action for a legal one of the model.

        Raises:
            ValueError: If the action is not legal.
        """
        return self.episode.env_action(model_action)

    def clone(self) -> CarcassonneEnv:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> CarcassonneEnv:
        return self.clone()

    def get_state(self) -> tuple[CarcassonneModel, Rng, bool]:
        """The position, the generator of the coming draws, and whether the episode is over."""
        return (*self.episode.get_state(), self._is_over)

    def set_state(self, state: tuple[CarcassonneModel, Rng, bool]) -> None:
        """Returns to a state that `get_state` gave, of this environment or one made like it.

        Raises:
            ValueError: If the state has more tiles than this environment was made for, or other
                players, meeples, steps or bounds.
        """
        model, rng, is_over = state
        self.episode.set_state(model, rng)
        self._is_over = is_over

    def render(self) -> Any:
        """A picture of the position by the render mode: text, uint8[720, 720, 3], or a window."""
        return self.episode.render()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self.episode.close()
