"""What the environments of all games share: steps, wrong calls, copies and pictures.

`GymnasiumBase` is for one learner, `agents.aec_base.AECBase` for several. Both leave to the game
what its own environments define: the methods of `EnvironmentBase` from `_begin` to `_pixels`.
"""

from __future__ import annotations

import copy
import operator
import reprlib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.checks import check_choice, check_range
from agents.forward_model import ForwardModel
from agents.rng import Rng
from agents.window import Window, check_packages

if TYPE_CHECKING:
    from typing_extensions import Self

Model = TypeVar("Model", bound=ForwardModel)
Observation = dict[str, NDArray[Any]]


class EnvironmentBase(Generic[Model]):
    """An episode of a game, and what can be done with it whoever the learners are.

    Attributes:
        illegal_action: What an illegal action does: "terminate", "raise" or "noop".
        np_random: The generator that a reset with a seed makes anew, and from which `rng` comes.
        rng: The generator of the chance outcomes to come and of random returns.
    """

    illegal_action = "terminate"
    option_names: tuple[str, ...] = ()
    """The options of ``reset``."""
    metadata: dict[str, Any]
    np_random: np.random.Generator
    rng: Rng
    _num_actions: int
    _model: Model = None  # type: ignore[assignment]  # before the first reset
    _kept: tuple[str, ...] = "_model", "rng"
    """The attributes of a state."""

    def _show_in(self, window: str, render_mode: str | None, modes: Sequence[str]) -> None:
        """Sets the render mode and the title of the window."""
        check_choice("render_mode", render_mode, (None, *modes))
        if "rgb_array" in modes and render_mode not in (None, "ansi"):
            check_packages(render_mode)
        self.render_mode = render_mode
        self.window = Window(window)

    # The game

    def new_action_space(self) -> spaces.Discrete:
        """A new action space."""
        raise NotImplementedError

    def new_observation_space(self) -> spaces.Dict:
        """A new observation space."""
        raise NotImplementedError

    def _checked_options(self, options: Mapping[str, Any]) -> Any:
        """The valid options of ``reset`` in the form that `_begin` takes: by default None."""
        check_options(options, self.option_names)

    def _begin(self, is_new_stream: bool, asked: Any) -> None:
        """Sets ``_model`` and ``rng`` to the start of an episode, at a player's decision.

        ``np_random`` was seeded for this episode if the stream is new; `asked` is what
        `_checked_options` returned.
        """
        raise NotImplementedError

    def _observe(self, player: int, is_to_move: bool) -> Observation:
        """What a player sees, in new arrays; the action mask is 0 for a player not to move."""
        raise NotImplementedError

    def _mask(self, player: int, is_to_move: bool) -> NDArray[np.int8]:
        """The mask of `_observe`."""
        return self._observe(player, is_to_move)["action_mask"]

    def _info(self, *, is_illegal: bool = False) -> dict[str, Any]:
        """The info of the position without a mask, in new arrays."""
        return {}

    def _apply(self, action: int) -> None:
        """Applies an action of the model or a chance outcome."""
        self._model.apply_action(action)

    def _play(self, number: int) -> bool:
        """Plays an action, draws what chance decides, and returns True; False if it is illegal."""
        if not self._model.is_legal(number):
            return False
        self._apply(number)
        self._draw()
        return True

    def _draw(self) -> None:
        """Draws what chance decides before a player's decision."""
        model = self._model
        while model.is_chance_node():
            self._apply(model.sample_chance(self.rng))

    def _rewards(self) -> Sequence[float]:
        """Each player's reward for the latest action: by default 0, and at the end the return."""
        model = self._model
        return self._returns() if model.is_terminal() else [0.0] * model.num_players

    def _returns(self) -> Sequence[float]:
        """The reward of each player at the end, in games that pay only there."""
        return list(map(float, self.model.sample_returns(self.rng)))

    def _forfeit(self, player: int) -> float:
        """A player's reward for an illegal action that does not raise."""
        return -1.0

    def _mover(self) -> int:
        """The player to move; at the end, the one whom PettingZoo names first."""
        return max(0, self._model.current_player())

    def _pixels(self) -> NDArray[np.uint8]:
        """A picture of the position: uint8[height, width, 3]."""
        raise NotImplementedError

    # Play

    @property
    def model(self) -> Model:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._model is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._model

    def _check_turn(self, player: int) -> None:
        if self._model.current_player() != player:
            raise gymnasium.error.ResetNeeded(
                "it is not the learner's turn, because an opponent raised an exception or an "
                "action was applied to the model: call reset()"
            )

    def _illegal(self, action: Any, player: int) -> gymnasium.error.InvalidAction:
        legal = np.flatnonzero(self._mask(player, True)).tolist()
        return gymnasium.error.InvalidAction(
            f"action {action} is illegal; {len(legal)} actions are legal: {reprlib.repr(legal)}"
        )

    # Copies

    def clone(self) -> Self:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> Self:
        return self.clone()

    # Pictures

    def render(self) -> Any:
        """Renders the position as the render mode says.

        Returns:
            Text ("ansi"), pixels as uint8[height, width, 3] ("rgb_array"), or None ("human"), as
            they are shown in a window.
        """
        if self.render_mode == "ansi":
            return str(self.model)
        if self.render_mode is None:
            modes = self.metadata["render_modes"]
            gymnasium.logger.warn(f"render() needs a render_mode, one of {modes}")
            return None
        pixels = self._pixels()
        if self.render_mode == "rgb_array":
            return pixels
        self.window.show(pixels, self.metadata["render_fps"])
        return None

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Closes the window if it is open."""
        self.window.close()


class GymnasiumBase(EnvironmentBase[Model], gymnasium.Env[Observation, np.int64]):
    """A game with one learner; if it has other seats, others play them."""

    action_space: spaces.Discrete
    seat = 0
    """The learner's seat."""
    _is_over = True
    _kept: tuple[str, ...] = "_model", "rng", "_is_over"

    def _set_spaces(self, num_players: int) -> None:
        self._num_players = num_players
        self.action_space = self.new_action_space()
        self._num_actions = int(self.action_space.n)
        self.observation_space = self.new_observation_space()  # type: ignore[assignment]

    def _turn_of_others(self) -> Sequence[int]:
        """The next actions of the player to move, who is not the learner."""
        raise NotImplementedError

    def _check_state(self, model: Any, *others: Any) -> None:
        """Raises ValueError unless the parts of a state, `_kept`, are of this game."""
        raise NotImplementedError

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Seeds ``np_random``, from which all draws of this episode and the following ones
                come; players of the other seats begin anew, too.
            options: See Starting State in the documentation of the class; without options there,
                None or empty.

        Raises:
            TypeError: If the options are neither a mapping nor None, or one has a wrong type.
            ValueError: If an option is unknown or has an invalid value, or somebody has set the
                attribute ``seat`` to a seat that the game does not have.
        """
        asked = self._checked_options(options_of(options))
        check_range("seat", self.seat, 0, self._num_players - 1)  # it may have been set
        super().reset(seed=seed)
        self._begin(seed is not None or self._model is None, asked)
        self._play_others()
        self._is_over = False
        self._render_if_human()
        return self._observe_with_info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, and then goes on to the next decision of the learner.

        Raises:
            gymnasium.error.ResetNeeded: If the episode is over or has not begun, and if it is not
                the learner's turn: an opponent raised an exception, or an action was applied to
                ``model`` directly.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        if self._is_over:
            _ = self.model  # raises before the first reset
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        model = self._model
        number = number_of(action, self._num_actions)
        if not model.is_terminal():  # else the others ended the game before the learner's turn
            self._check_turn(self.seat)
            if not self._play(number):
                return self._refuse(action)
            self._play_others()
        self._is_over = model.is_terminal()
        reward = self._rewards()[self.seat]
        self._render_if_human()
        observation, info = self._observe_with_info()
        return observation, reward, self._is_over, False, info

    def _play_others(self) -> None:
        """Plays the turns of the other players."""
        while (player := self._model.current_player()) >= 0 and player != self.seat:
            for action in self._turn_of_others():
                self._apply(action)
                self._draw()

    def _refuse(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        if self.illegal_action == "raise":
            raise self._illegal(action, self.seat)
        self._is_over = self.illegal_action == "terminate"
        reward = self._forfeit(self.seat)
        observation, info = self._observe_with_info(is_illegal=True)
        return observation, reward, self._is_over, False, info

    def _observe_with_info(self, *, is_illegal: bool = False) -> tuple[Observation, dict[str, Any]]:
        """Observation and info of the learner."""
        observation = self._observe(self.seat, not self._is_over)
        info = {"action_mask": observation["action_mask"], **self._info(is_illegal=is_illegal)}
        return observation, info

    def action_masks(self) -> NDArray[np.int8]:
        """The mask of legal actions for MaskablePPO: int8[number of actions] of 0 and 1."""
        return self._mask(self.seat, not self._is_over)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Shares ``spec``: one of its arguments may be a learned opponent, which is not copied."""
        twin = memo[id(self)] = type(self).__new__(type(self))
        memo[id(self.spec)] = self.spec
        vars(twin).update(copy.deepcopy(vars(self), memo))
        return twin

    def get_state(self) -> tuple[Any, ...]:
        """A copy of the position and of all that decides how the episode goes on."""
        _ = self.model  # raises before the first reset
        return copy.deepcopy(tuple(getattr(self, name) for name in self._kept))

    def set_state(self, state: tuple[Any, ...]) -> None:
        """Returns to a state that `get_state` of this or an equal environment returned.

        Raises:
            TypeError: If it is no state.
            ValueError: If the state is of another game.
        """
        if not isinstance(state, tuple) or len(state) != len(self._kept):
            shown = reprlib.repr(state)
            raise TypeError(f"state must be one that get_state() returned, got {shown}")
        self._check_state(*state)
        for name, value in zip(self._kept, copy.deepcopy(state), strict=True):
            setattr(self, name, value)


def space_with_mask(shape: tuple[int, ...], num_actions: int) -> spaces.Dict:
    """A new space of observations of numbers in [0, 1] and masks of actions."""
    return spaces.Dict(
        [
            ("observation", spaces.Box(0, 1, shape, np.float32)),
            ("action_mask", spaces.Box(0, 1, (num_actions,), np.int8)),
        ]
    )


def number_of(action: Any, num_actions: int) -> int:
    """An action as an integer; raises InvalidAction unless it is one in [0, num_actions)."""
    try:
        number = operator.index(action)
    except TypeError:
        number = -1
    if not 0 <= number < num_actions:
        raise gymnasium.error.InvalidAction(
            f"action must be an integer in [0, {num_actions}), got {action!r}"
        )
    return number


def options_of(options: Any) -> dict[str, Any]:
    """The options of a reset in a new dictionary; raises TypeError unless a mapping or None."""
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options must be a mapping from names to values or None, got {options!r}")
    return dict(options or {})


def check_options(options: Mapping[str, Any], allowed: Collection[str]) -> None:
    """Raises ValueError if an option is unknown."""
    if unknown := [name for name in options if name not in allowed]:
        among = f"among {' and '.join(map(repr, allowed))}" if allowed else "None or empty"
        raise ValueError(f"options must be {among}, got {unknown}")
