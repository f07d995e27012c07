"""Every forward model as an environment: for one learner in Gymnasium, for several in PettingZoo.

A *game* is given as a `ForwardModel` in its starting position, as the text that `agents.games.make`
reads, such as "hex(size=7)", or, if the start is random, as a function of a seed that returns
a `ForwardModel`. Text and functions get a new seed at every reset.

A game needs observations for learners: its method ``observation(player)``, or the argument
``observe`` of the environments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from agents.aec_base import AECBase
from agents.agent import Agent, FunctionAgent
from agents.catalogue import make_game
from agents.checks import check_choice, check_number, check_range
from agents.env_base import EnvironmentBase, GymnasiumBase, Observation, space_with_mask
from agents.forward_model import ForwardModel
from agents.game import Player, choose, seat as take_seats
from agents.learner import Function, as_function
from agents.pictures import rasterize
from agents.registry import as_agent
from agents.rng import Rng
from agents.window import RENDER_MODES, installed_modes

ModelLike = ForwardModel | str | Callable[[int], ForwardModel]
"""A model at its start, the text of one, or a function of a seed that returns one."""
Observe = Callable[[Any, int], Any]
"""Returns what a player sees of a position, as numbers in [0, 1], from the model and the player."""

ILLEGAL_ACTIONS = ("terminate", "raise")
RENDER_FPS = 4
TEXT_MODES = ("ansi", "human")
"""The render modes of games without a picture."""
FRAME = (600, 600)
"""Width and height of rendered pictures in pixels."""

_NO_OBSERVATION = (
    "an observation must be an array of numbers in [0, 1], of one shape for all positions and "
    "players"
)


class _View:
    """What players see: observations and masks of legal actions, and their spaces.

    In `model` a player is to move; without `observe` the model is asked.
    """

    def __init__(self, model: ForwardModel, observe: Observe | None) -> None:
        if observe is not None and not callable(observe):
            raise TypeError(f"observe must be a function of model and player, got {observe!r}")
        self._observe = observe
        self.num_actions = model.num_actions
        self.shape = self.numbers(model, 0).shape
        for player in range(model.num_players):
            self(model, player)  # raises if it cannot be an observation

    def __call__(self, model: ForwardModel, player: int, *, is_to_move: bool = True) -> Observation:
        """What a player sees, in new arrays; the mask is 0 for a player who is not to move."""
        numbers = self.numbers(model, player)
        is_array = numbers.ndim > 0 and numbers.size > 0 and numbers.shape == self.shape
        if not (is_array and numbers.min() >= 0 and numbers.max() <= 1):
            raise ValueError(
                f"{_NO_OBSERVATION} (here {self.shape}), got for player {player} in {model!r}: "
                f"{numbers!r}"
            )
        return {"observation": numbers, "action_mask": self.mask(model, player, is_to_move)}

    def mask(self, model: ForwardModel, player: int, is_to_move: bool) -> NDArray[np.int8]:
        mask = np.zeros(self.num_actions, dtype=np.int8)
        if is_to_move and model.current_player() == player:
            mask[np.asarray(model.legal_actions())] = 1
        return mask

    def numbers(self, model: ForwardModel, player: int) -> NDArray[np.float32]:
        seen = self._seen(model, player)
        try:
            return np.array(seen, dtype=np.float32)
        except (TypeError, ValueError):
            raise ValueError(f"{_NO_OBSERVATION}, got for player {player}: {seen!r}") from None

    def _seen(self, model: ForwardModel, player: int) -> Any:
        if self._observe is not None:
            return self._observe(model, player)
        try:
            return model.observation(player)
        except NotImplementedError as error:
            raise TypeError(
                f"{error}: give the argument observe, a function of model and player that returns "
                "an array of numbers in [0, 1]"
            ) from None


class _AnyGame(EnvironmentBase[ForwardModel]):
    """An episode of a game, for one learner or for several."""

    metadata = {"render_modes": [*RENDER_MODES]}  # noqa: RUF012  # an instance has its game's
    _seated: Mapping[int, Agent] = {}
    """The opponents at play, by seat."""

    def _prepare(
        self,
        game: ModelLike,
        observe: Observe | None,
        illegal_action: str,
        illegal_reward: float,
        render_mode: str | None,
    ) -> None:
        self._game = game.clone() if isinstance(game, ForwardModel) else game
        self._example = _example(self._game)
        name = type(self._example).__name__
        self._has_picture = hasattr(self._example, "_repr_svg_")
        self._show_in(name, render_mode, RENDER_MODES if self._has_picture else TEXT_MODES)
        self.metadata = {
            "name": f"{name.lower()}_v0",
            "render_modes": installed_modes() if self._has_picture else [*TEXT_MODES],
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        check_number("illegal_reward", illegal_reward)
        self.illegal_action = illegal_action
        self.illegal_reward = illegal_reward
        self._view = _View(self._example, observe)
        self._opponents: list[Player] = []

    def _learners(self) -> Sequence[int]:
        """The seats of the learners; the opponents have the others."""
        return range(self._example.num_players)

    def new_action_space(self) -> spaces.Discrete:
        """A new action space."""
        return spaces.Discrete(self._view.num_actions)

    def new_observation_space(self) -> spaces.Dict:
        """A new observation space."""
        return space_with_mask(self._view.shape, self._view.num_actions)

    def _begin(self, is_new_stream: bool, asked: Any) -> None:
        seed = int(self.np_random.integers(2**31))
        seats = [p for p in range(self._example.num_players) if p not in self._learners()]
        players, self.rng = take_seats(self._opponents, seed)
        self._seated = dict(zip(seats, players, strict=True))
        self._model = _start(self._game, seed)
        self._draw()

    def _observe(self, player: int, is_to_move: bool) -> Observation:
        return self._view(self.model, player, is_to_move=is_to_move)

    def _mask(self, player: int, is_to_move: bool) -> NDArray[np.int8]:
        return self._view.mask(self.model, player, is_to_move)

    def _apply(self, action: int) -> None:
        for opponent in self._seated.values():
            opponent.advance(action)
        super()._apply(action)

    def _returns(self) -> Sequence[float]:
        returns = super()._returns()
        lowest = min(returns[learner] for learner in self._learners())
        if lowest < self.illegal_reward and self.illegal_action == "terminate":
            gymnasium.logger.warn(
                "an episode had a return below the reward for an illegal action, which then pays: "
                f"illegal_reward must be the lowest return of the game, got {self.illegal_reward!r}"
            )
        return returns

    def _forfeit(self, player: int) -> float:
        return float(self.illegal_reward)

    def _pixels(self) -> NDArray[np.uint8]:
        return rasterize(self.model._repr_svg_(), *FRAME)  # type: ignore[attr-defined]

    def render(self) -> Any:
        """Renders the position as the render mode says.

        Returns:
            Text ("ansi"); uint8[600, 600, 3] ("rgb_array"); or None ("human"), as it is shown in a
            window, or printed if the game has no picture.
        """
        if self.render_mode == "human" and not self._has_picture:
            print(self.model)
            return None
        return super().render()


def _example(game: ModelLike) -> ForwardModel:
    """A first position of the game in which a player is to move."""
    is_game = isinstance(game, str | ForwardModel) or callable(game)
    if not is_game or isinstance(game, type):
        raise TypeError(
            "model must be a ForwardModel, the text of one for agents.games.make, or a function of "
            f"a seed that returns one, got {game!r}"
        )
    model, rng = _start(game, 0), Rng(0)
    if model.is_terminal():
        raise ValueError(f"model must be at the start of a game, got one that is over: {game!r}")
    while model.is_chance_node():
        model.apply_action(model.sample_chance(rng))
    return model


def _start(game: ModelLike, seed: int) -> ForwardModel:
    """A new model at the start of a game."""
    if isinstance(game, ForwardModel):
        return game.clone()
    model = make_game(game, seed=seed) if isinstance(game, str) else game(seed)
    if not isinstance(model, ForwardModel):
        raise TypeError(f"model must be a function that returns a ForwardModel, got {model!r}")
    return model


class ForwardModelAECEnv(_AnyGame, AECBase[ForwardModel]):
    """A game in which every player is a learner.

    ## Description
    The players of the game are ``player_0``, ``player_1`` and so on. Chance outcomes are drawn by
    the generator of the environment.

    ## Action Space
    ``Discrete(model.num_actions)``: the actions of the model.

    ## Observation Space
    A ``Dict``:

    - ``observation``: float32 in [0, 1]: what the player sees.
    - ``action_mask``: int8[num_actions], 1 for legal actions and 0 for others. All entries are 0
      for a player who is not to move, and at the end.

    ## Rewards
    Rewards are 0 before the end. At the end they are one draw of the returns of the model. With
    ``illegal_action="terminate"``, an illegal action ends the game with the reward
    ``illegal_reward`` for its player and 0 for the others.

    ## Episode End and Information
    All players terminate together at the end of the game or after an illegal action. The ``infos``
    are empty.

    ## Arguments
    - model: The game, see the module.
    - observe: A function of the model and the player that returns what the player sees: an array of
      float32 in [0, 1], of the same shape for all positions and players. None (default) asks the
      model. To copy environments to other processes, define the function at the top level of a
      module.
    - illegal_action: "terminate" (default), or "raise", which raises an exception (default of
      ``raw_aec_env``).
    - illegal_reward: The reward for an illegal action, -1 by default. It must not be above any
      return of the game, or an illegal action pays. An episode with a lower return warns.
    - render_mode: None (default), "ansi" (text), "rgb_array" (uint8[600, 600, 3], if the model has
      ``_repr_svg_()``) or "human" (a window with this picture, or printed text). Pictures need the
      extra ``render``.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search. You may read and clone it, but must not apply actions to it.
    """

    def __init__(
        self,
        model: ModelLike,
        *,
        observe: Observe | None = None,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        self._prepare(model, observe, illegal_action, illegal_reward, render_mode)
        self._seat_players(self._example.num_players)
        size = self._example.num_players * math.prod(self._view.shape)
        self.state_space = spaces.Box(0, 1, (size,), np.float32)

    def state(self) -> NDArray[np.float32]:
        """What all players see, one after the other, for a centralised critic: float32[size]."""
        players = range(self.model.num_players)
        return np.concatenate([self._view.numbers(self.model, p).ravel() for p in players])


aec_env = ForwardModelAECEnv
"""A game as a PettingZoo environment (AEC), which checks the actions itself."""


def raw_aec_env(model: ModelLike, **settings: Any) -> ForwardModelAECEnv:
    """`aec_env` with ``illegal_action="raise"``."""
    return ForwardModelAECEnv(model, **{"illegal_action": "raise", **settings})


class ForwardModelEnv(_AnyGame, GymnasiumBase[ForwardModel]):
    """A game with one learner; opponents play the other seats.

    ## Description
    The learner has a seat. The other players are played by opponents, and chance outcomes are drawn
    by the generator of the environment.

    ## Action Space and Observation Space
    They are those of `ForwardModelAECEnv`. The mask is also in ``info["action_mask"]`` and in
    ``action_masks()``. The argument ``illegal_action`` determines the effect of an illegal action:
    with ``"terminate"`` it ends the episode with the reward ``illegal_reward``, with ``"raise"`` it
    raises an exception.

    ## Starting State
    The start of the game, or the learner's first turn, if chance or other players move before.

    ## Rewards
    The reward is 0 before the end. At the end it is the return of the learner, drawn at random
    where the model draws returns.

    ## Episode End
    The episode terminates at the end of the game, and with ``"terminate"`` after an illegal action.
    It is never truncated. If the game ends before the learner's first turn, the mask of ``reset``
    is 0, and a step with any action ends the episode with the learner's return.

    ## Information
    ``action_mask``, the same array as in the observation, and nothing else.

    ## Arguments
    - model, observe, illegal_action, illegal_reward, render_mode: see `ForwardModelAECEnv`.
    - opponent: The player of the other seats, "random" by default, or a sequence with one for each
      of them in the order of the seats. A player is a specification for `agents.make`; an `Agent`;
      another object with ``act(model)``; a learned policy with ``predict(observation, ...)``, such
      as a model of Stable-Baselines3; or a function of the model that returns an action. Agents
      that are made from a specification get a new seed at every reset. Agents that are objects are
      copied at every reset, with their generators.
    - seat: The learner's seat, 0 (default) to num_players - 1. None draws a seat at every reset;
      ``seat`` then is the seat of the current episode.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``get_state`` saves a position, and
    ``set_state`` returns to it; copies have copies of opponents that are agents, and share all
    others. Copies of planners leave out the trees that they keep for ``reuse_tree``. ``model`` is
    the forward model that planners search. You may read and clone it, but must not apply actions to
    it.
    """

    def __init__(
        self,
        model: ModelLike,
        *,
        opponent: Player | Sequence[Player] = "random",
        seat: int | None = 0,
        observe: Observe | None = None,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        self._prepare(model, observe, illegal_action, illegal_reward, render_mode)
        num_players = self._example.num_players
        if seat is not None:
            check_range("seat", seat, 0, num_players - 1)
        self.seat = 0 if seat is None else seat
        self._draws_seat = seat is None
        self._opponents = [self._as_opponent(one) for one in _each(opponent, num_players - 1)]
        self._set_spaces(num_players)

    _kept = *GymnasiumBase._kept, "seat", "_seated"

    def _as_opponent(self, player: Player) -> str | Agent:
        """The player as a specification that can be read, or an agent."""
        agent = as_agent(player, name="opponent", learned=self._learned)
        return player if isinstance(player, str) else agent

    def _learned(self, policy: Any) -> Agent:
        """The agent that plays a learned policy, which sees what a learner in its place would."""
        return FunctionAgent(partial(_predicted, as_function(policy), self._view))

    def _learners(self) -> Sequence[int]:
        return [self.seat]

    def _begin(self, is_new_stream: bool, asked: Any) -> None:
        if self._draws_seat:
            self.seat = int(self.np_random.integers(self._example.num_players))
        super()._begin(is_new_stream, asked)

    def _turn_of_others(self) -> Sequence[int]:
        opponent = self._seated[self.model.current_player()]
        return [choose(opponent, self.model).action]

    def _check_state(self, model: Any, *others: Any) -> None:
        if not isinstance(model, ForwardModel) or _kind(model) != _kind(self._example):
            raise ValueError(f"the state is of another game: {model!r}, this is {self._example!r}")


gymnasium_env = ForwardModelEnv
"""A game as a Gymnasium environment."""


def _kind(model: ForwardModel) -> tuple[type, int, int]:
    """What positions of one game have in common."""
    return type(model), model.num_players, model.num_actions


def _each(opponent: Player | Sequence[Player], count: int) -> list[Player]:
    """One opponent for each of so many seats."""
    if isinstance(opponent, str) or not isinstance(opponent, Sequence):
        if count == 0 and opponent != "random":
            raise ValueError(f"a game for one player has no seat for opponent={opponent!r}")
        return [opponent] * count
    if len(opponent) != count:
        raise ValueError(
            f"opponent must be one player, or a sequence of {count}, one for each other seat, "
            f"got {len(opponent)}: {opponent!r}"
        )
    return list(opponent)


def _predicted(policy: Function, view: _View, model: ForwardModel) -> Any:
    """The action of a learned policy."""
    observation = view(model, model.current_player())
    return policy(observation, {"action_mask": observation["action_mask"]})
