"""Every forward model as an environment: for one learner in Gymnasium, for several in PettingZoo.

A *game* is given as a `ForwardModel` in its starting position, as the text that `agents.games.make`
reads, such as "fop(function=f4)", or, if the start is random, as a function of a seed that returns
a `ForwardModel`. Text and functions get a new seed at every reset.

A game needs observations for learners: its method ``observation(player)``, or the argument
``observe`` of the environments.
"""

from __future__ import annotations

import copy
import math
import reprlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from agents.agent import Agent
from agents.catalogue import make_game
from agents.checks import check_choice, check_number, check_range
from agents.forward_model import ForwardModel
from agents.game import choose
from agents.game import seat as take_seats
from agents.learner import Function, as_function
from agents.pictures import rasterize
from agents.registry import make
from agents.rng import Rng
from agents.window import RENDER_MODES, SVG_PACKAGES, Window, installed_modes

if TYPE_CHECKING:
    from typing_extensions import Self

Game = ForwardModel | str | Callable[[int], ForwardModel]
"""A model at its start, the text of one, or a function of a seed that returns one."""
Observe = Callable[[Any, int], Any]
"""Returns what a player sees of a position, as numbers in [0, 1], from the model and the player."""
Observation = dict[str, NDArray[Any]]
Opponent = Any
"""A specification, an `Agent`, a learned policy, or a function of the model."""

ILLEGAL_ACTIONS = ("terminate", "raise")
RENDER_FPS = 4
TEXT_MODES = ("ansi", "human")
"""The render modes of games without a picture."""
FRAME = (600, 600)
"""Width and height of rendered pictures in pixels."""


def aec_env(
    model: Game,
    *,
    observe: Observe | None = None,
    illegal_reward: float = -1.0,
    render_mode: str | None = None,
) -> AECEnv:
    """A game as a PettingZoo environment (AEC) in PettingZoo's wrappers, the usual way to use it.

    The arguments are those of `ForwardModelAECEnv`. In the wrappers, an illegal action ends the
    game with the reward ``illegal_reward`` for its player and 0 for the others; other wrong calls
    raise an exception. In a game whose returns can be below -1, give the lowest one as
    ``illegal_reward``, or an illegal action pays.
    """
    check_number("illegal_reward", illegal_reward, -math.inf, math.inf)
    wrapped = raw_aec_env(model, observe=observe, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=illegal_reward)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(wrapped))


def raw_aec_env(
    model: Game, *, observe: Observe | None = None, render_mode: str | None = None
) -> ForwardModelAECEnv:
    """The environment of `aec_env` without wrappers."""
    return ForwardModelAECEnv(model, observe=observe, render_mode=render_mode)


def gymnasium_env(
    model: Game,
    *,
    opponent: Opponent | Sequence[Opponent] = "random",
    seat: int | None = 0,
    observe: Observe | None = None,
    illegal_action: str = "terminate",
    illegal_reward: float = -1.0,
    render_mode: str | None = None,
) -> ForwardModelEnv:
    """A game as a Gymnasium environment; the arguments are those of `ForwardModelEnv`."""
    return ForwardModelEnv(
        model,
        opponent=opponent,
        seat=seat,
        observe=observe,
        illegal_action=illegal_action,
        illegal_reward=illegal_reward,
        render_mode=render_mode,
    )


# What both environments share


class _View:
    """What players see: observations and masks of legal actions, and their spaces.

    Args:
        model: A position in which a player is to move.
        observe: See `Observe`; None asks the model.
    """

    def __init__(self, model: ForwardModel, observe: Observe | None) -> None:
        if observe is not None and not callable(observe):
            raise TypeError(f"observe must be a function of model and player, got {observe!r}")
        self._observe = observe
        self.num_actions = model.num_actions
        self.shape = self.numbers(model, 0).shape
        for player in range(model.num_players):
            self(model, player)  # raises if it cannot be an observation

    def space(self) -> spaces.Dict:
        """A new observation space."""
        return spaces.Dict(
            [
                ("observation", spaces.Box(0, 1, self.shape, np.float32)),
                ("action_mask", spaces.Box(0, 1, (self.num_actions,), np.int8)),
            ]
        )

    def __call__(self, model: ForwardModel, player: int, *, is_over: bool = False) -> Observation:
        """What a player sees, in new arrays; the mask is 0 if the episode is over."""
        numbers = self.numbers(model, player)
        is_array = numbers.ndim > 0 and numbers.size > 0 and numbers.shape == self.shape
        if not (is_array and numbers.min() >= 0 and numbers.max() <= 1):
            raise ValueError(
                "an observation must be an array of numbers in [0, 1], of one shape for all "
                f"positions and players (here {self.shape}), got for player {player} in {model!r}: "
                f"{numbers!r}"
            )
        return {"observation": numbers, "action_mask": self.mask(model, player, is_over=is_over)}

    def mask(self, model: ForwardModel, player: int, *, is_over: bool = False) -> NDArray[np.int8]:
        """The legal actions of a player as 1, all 0 if the player is not to move; a new array."""
        mask = np.zeros(self.num_actions, dtype=np.int8)
        if model.current_player() == player and not is_over:
            mask[np.asarray(model.legal_actions())] = 1
        return mask

    def numbers(self, model: ForwardModel, player: int) -> NDArray[np.float32]:
        if self._observe is not None:
            return np.array(self._observe(model, player), dtype=np.float32)
        try:
            return np.array(model.observation(player), dtype=np.float32)
        except NotImplementedError as error:
            raise TypeError(
                f"{error}: give the argument observe, a function of model and player that returns "
                "an array of numbers in [0, 1]"
            ) from None


@dataclass
class _Episode:
    """A game in progress.

    Attributes:
        model: The position.
        rng: The generator of the chance outcomes to come and of random returns.
        opponents: The players that are not learners, by seat.
    """

    model: ForwardModel
    rng: Rng
    opponents: dict[int, Any]

    def play(self, action: int) -> None:
        """Applies an action, and goes on to the next decision of a learner or to the end."""
        self._apply(action)
        self.advance()

    def advance(self) -> None:
        """Draws chance outcomes and lets the opponents play, until it is a learner's turn."""
        while not self.model.is_terminal():
            player = self.model.current_player()
            if self.model.is_chance_node():
                self._apply(self.model.sample_chance(self.rng))
            elif player in self.opponents:
                self._apply(choose(self.opponents[player], self.model).action)
            else:
                break

    def _apply(self, action: int) -> None:
        for opponent in self.opponents.values():
            if isinstance(opponent, Agent):
                opponent.advance(action)
        self.model.apply_action(action)


class _Environment:
    """A game, its episodes, and their pictures: the shared part of both environments."""

    def __init__(self, game: Game, observe: Observe | None, render_mode: str | None) -> None:
        self._game = game.clone() if isinstance(game, ForwardModel) else game
        self._example = _example(self._game)
        self._has_picture = hasattr(self._example, "_repr_svg_")
        modes = RENDER_MODES if self._has_picture else TEXT_MODES
        check_choice("render_mode", render_mode, (None, *modes))
        self.render_mode = render_mode
        self.window = Window(type(self._example).__name__)
        self.metadata = {
            "name": f"{type(self._example).__name__.lower()}_v0",
            "render_modes": installed_modes(*SVG_PACKAGES) if self._has_picture else [*TEXT_MODES],
            "render_fps": RENDER_FPS,
            "is_parallelizable": False,
        }
        self._view = _View(self._example, observe)
        self._episode: _Episode | None = None

    def _begin(self, np_random: np.random.Generator, opponents: dict[int, Opponent]) -> None:
        """Starts an episode and goes on to the first decision of a learner."""
        seed = int(np_random.integers(2**31))
        players, rng = take_seats(list(opponents.values()), seed)
        seated = dict(zip(opponents, players, strict=True))
        self._episode = _Episode(_start(self._game, seed), rng, seated)
        self._episode.advance()
        self._render_if_human()

    def _play(self, action: int) -> None:
        """Plays an action, and goes on to the next decision of a learner or to the end."""
        self._playing.play(action)
        self._render_if_human()

    def _render_if_human(self) -> None:
        if self.render_mode == "human":
            self.render()

    @property
    def _playing(self) -> _Episode:
        """The game in progress.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._episode is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._episode

    @property
    def model(self) -> ForwardModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self._playing.model

    def clone(self) -> Self:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> Self:
        return self.clone()

    def render(self) -> Any:
        """Renders the position as the render mode says.

        Returns:
            Text ("ansi"); uint8[600, 600, 3] ("rgb_array"); or None ("human"), as it is shown in a
            window, or printed if the game has no picture.
        """
        if self.render_mode == "ansi":
            return str(self.model)
        if self.render_mode is None:
            gymnasium.logger.warn(
                f"render() needs a render_mode, one of {self.metadata['render_modes']}"
            )
        elif not self._has_picture:
            print(self.model)
        else:
            pixels = rasterize(self.model._repr_svg_(), *FRAME)  # type: ignore[attr-defined]
            if self.render_mode == "rgb_array":
                return pixels
            self.window.show(pixels, RENDER_FPS)
        return None

    def close(self) -> None:
        """Closes the window if it is open."""
        self.window.close()


def _example(game: Game) -> ForwardModel:
    """A first position of the game in which a player is to move."""
    is_game = isinstance(game, str | ForwardModel) or callable(game)
    if not is_game or isinstance(game, type):
        raise TypeError(
            "model must be a ForwardModel, the text of one for agents.games.make, or a function of "
            f"a seed that returns one, got {game!r}"
        )
    episode = _Episode(_start(game, 0), Rng(0), {})
    if episode.model.is_terminal():
        raise ValueError(f"model must be at the start of a game, got one that is over: {game!r}")
    episode.advance()
    return episode.model


def _start(game: Game, seed: int) -> ForwardModel:
    """A new model at the start of a game."""
    if isinstance(game, ForwardModel):
        return game.clone()
    model = make_game(game, seed=seed) if isinstance(game, str) else game(seed)
    if not isinstance(model, ForwardModel):
        raise TypeError(f"model must be a function that returns a ForwardModel, got {model!r}")
    return model


def _check_turn(model: ForwardModel, player: int) -> None:
    if model.current_player() != player:
        raise gymnasium.error.ResetNeeded(
            "it is not the learner's turn, because an opponent raised an exception or an action "
            "was applied to the model: call reset()"
        )


def _check_in_space(action: Any, space: spaces.Space[Any]) -> None:
    if action not in space:
        raise gymnasium.error.InvalidAction(f"action must be in {space}, got {action!r}")


def _illegal(model: ForwardModel, action: Any) -> gymnasium.error.InvalidAction:
    legal = [int(action) for action in model.legal_actions()]
    return gymnasium.error.InvalidAction(
        f"action {action} is illegal; the {len(legal)} legal actions are {reprlib.repr(legal)}"
    )


# PettingZoo


class ForwardModelAECEnv(_Environment, AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
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
    Rewards are 0 before the end. At the end they are one draw of the returns of the model.

    ## Episode End and Information
    All players terminate together at the end of the game. The ``infos`` are empty.

    ## Arguments
    - model: The game, see the module.
    - observe: A function of the model and the player that returns what the player sees: an array of
      float32 in [0, 1], of the same shape for all positions and players. None asks the model. To
      copy environments to other processes, define the function at the top level of a module.
    - render_mode: "ansi" (text), "rgb_array" (uint8[600, 600, 3], if the model has
      ``_repr_svg_()``), "human" (a window with this picture, or printed text) or None.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search. You may read and clone it, but must not apply actions to it.
    """

    def __init__(
        self, model: Game, *, observe: Observe | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__(model, observe, render_mode)
        self._np_random, _ = seeding.np_random()
        self.possible_agents = [f"player_{i}" for i in range(self._example.num_players)]
        self.agents: list[str] = []
        self.observation_spaces = {agent: self._view.space() for agent in self.possible_agents}
        self.action_spaces = {
            agent: spaces.Discrete(self._view.num_actions) for agent in self.possible_agents
        }
        size = len(self.possible_agents) * math.prod(self._view.shape)
        self.state_space = spaces.Box(0, 1, (size,), np.float32)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Fixes the draws of this episode and the following ones.
            options: Ignored, as PettingZoo's ``api_test`` demands; there are no options.
        """
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
        self._begin(self._np_random, {})
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._update()

    def step(self, action: Any) -> None:
        """Plays an action of the player to move; None removes that player after the end.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, after all players were removed, and
                if an action was applied to ``model`` directly.
            gymnasium.error.InvalidAction: If the action is not in the action space, or is illegal.
        """
        model = self.model
        if not self.agents:
            raise gymnasium.error.ResetNeeded("all players were removed: call reset()")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        _check_turn(model, self.possible_agents.index(agent))
        _check_in_space(action, self.action_spaces[agent])
        if not model.is_legal(action):
            raise _illegal(model, action)
        self._play(int(action))
        self._update()

    def _update(self) -> None:
        """Sets the player to move, the rewards, the terminations and the infos."""
        model, is_over = self.model, self.model.is_terminal()
        if is_over:
            returns = [float(value) for value in model.sample_returns(self._playing.rng)]
            self.rewards = dict(zip(self.agents, returns, strict=True))
        self._accumulate_rewards()
        self.agent_selection = self.agents[0 if is_over else model.current_player()]
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}

    def observe(self, agent: str) -> Observation:
        """What a player sees; the mask is 0 for a player who is not to move."""
        is_over = self.terminations.get(agent, True)
        return self._view(self.model, self.possible_agents.index(agent), is_over=is_over)

    def state(self) -> NDArray[np.float32]:
        """What all players see, one after the other, for a centralised critic: float32[size]."""
        views = [
            self._view.numbers(self.model, player) for player in range(len(self.possible_agents))
        ]
        return np.concatenate([view.ravel() for view in views])

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all players."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all players."""
        return self.action_spaces[agent]


# Gymnasium


class ForwardModelEnv(_Environment, gymnasium.Env[Observation, np.int64]):
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
    ``action_mask``, as in the observation, and nothing else.

    ## Arguments
    - model, observe, render_mode: see `ForwardModelAECEnv`.
    - opponent: The player of the other seats, or a sequence with one for each of them in the order
      of the seats. A player is a specification for `agents.make`; an `Agent`; a learned policy with
      ``predict(observation, ...)``, such as a model of Stable-Baselines3; or a function of the
      model that returns an action. Agents that are made from a specification get a new seed at
      every reset. Agents that are objects are copied at every reset, with their generators.
    - seat: The learner's seat, 0 to num_players - 1. None draws a seat at every reset; ``seat``
      then is the seat of the current episode.
    - illegal_action: "terminate" or "raise".
    - illegal_reward: The reward for an illegal action. It must not be above any return of the game,
      or an illegal action pays. An episode with a lower return warns.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``get_state`` saves a position, and
    ``set_state`` returns to it. Copies of planners leave out the trees that they keep for
    ``reuse_tree``. ``model`` is the forward model that planners search. You may read and clone it,
    but must not apply actions to it.
    """

    def __init__(
        self,
        model: Game,
        *,
        opponent: Opponent | Sequence[Opponent] = "random",
        seat: int | None = 0,
        observe: Observe | None = None,
        illegal_action: str = "terminate",
        illegal_reward: float = -1.0,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(model, observe, render_mode)
        check_choice("illegal_action", illegal_action, ILLEGAL_ACTIONS)
        check_number("illegal_reward", illegal_reward, -math.inf, math.inf)
        num_players = self._example.num_players
        if seat is not None:
            check_range("seat", seat, 0, num_players - 1)
        self.illegal_action = illegal_action
        self.illegal_reward = illegal_reward
        self.seat = 0 if seat is None else seat
        self._draws_seat = seat is None
        self._is_over = True
        self._opponents = [_checked(one, self._view) for one in _each(opponent, num_players - 1)]
        self.action_space = spaces.Discrete(self._view.num_actions)
        self.observation_space = self._view.space()  # type: ignore[assignment]

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts an episode.

        Args:
            seed: Seeds ``np_random``, from which all draws of this episode and the following ones
                come: starts, seats, chance outcomes, and seeds of the opponents.
            options: Must be None or empty, because there are no options.

        Raises:
            ValueError: If options are given.
        """
        super().reset(seed=seed)
        if options:
            raise ValueError(f"options must be None or empty, got {options!r}")
        if self._draws_seat:
            self.seat = int(self.np_random.integers(self._example.num_players))
        others = [player for player in range(self._example.num_players) if player != self.seat]
        self._begin(self.np_random, dict(zip(others, self._opponents, strict=True)))
        self._is_over = False
        return self._told()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, and then goes on to the next decision of the learner.

        Raises:
            gymnasium.error.ResetNeeded: If the episode is over or has not begun, and if an action
                was applied to ``model`` directly.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        model = self.model
        if self._is_over:
            raise gymnasium.error.ResetNeeded("the episode is over: call reset()")
        _check_in_space(action, self.action_space)
        reward = 0.0
        if not model.is_terminal():  # as it is if others ended the game before the first turn
            _check_turn(model, self.seat)
            reward = self._judge(action)
        if model.is_terminal():
            self._is_over = True
            reward = float(model.sample_returns(self._playing.rng)[self.seat])
            self._compare(reward)
        observation, info = self._told()
        return observation, reward, self._is_over, False, info

    def _judge(self, action: Any) -> float:
        """Plays an action if it is legal; returns the reward for an illegal one."""
        if self.model.is_legal(action):
            self._play(int(action))
            return 0.0
        if self.illegal_action == "raise":
            raise _illegal(self.model, action)
        self._is_over = True
        return float(self.illegal_reward)

    def _compare(self, reward: float) -> None:
        """Warns if the return of an episode is below the reward for an illegal action."""
        if reward < self.illegal_reward and self.illegal_action == "terminate":
            gymnasium.logger.warn(
                "an episode had a return below the reward for an illegal action, which then pays: "
                f"illegal_reward must be the lowest return of the game, got {self.illegal_reward!r}"
            )

    def _told(self) -> tuple[Observation, dict[str, Any]]:
        """Observation and info of the learner."""
        observation = self._view(self.model, self.seat, is_over=self._is_over)
        return observation, {"action_mask": observation["action_mask"].copy()}

    def action_masks(self) -> NDArray[np.int8]:
        """The mask of legal actions for MaskablePPO: int8[num_actions] of 0 and 1."""
        return self._view.mask(self.model, self.seat, is_over=self._is_over)

    def get_state(self) -> Any:
        """A copy of the position, its generator, the opponents and the learner's seat."""
        return copy.deepcopy((self._playing, self.seat, self._is_over))

    def set_state(self, state: Any) -> None:
        """Returns to a state that `get_state` of this or an equal environment returned.

        Raises:
            ValueError: If the state is of another game.
        """
        episode, seat, is_over = copy.deepcopy(state)
        if _kind(episode.model) != _kind(self._example):
            raise ValueError(
                f"the state is of another game: {episode.model!r}, this is {self._example!r}"
            )
        self._episode, self.seat, self._is_over = episode, seat, is_over


def _kind(model: ForwardModel) -> tuple[type, int, int]:
    """What positions of one game have in common."""
    return type(model), model.num_players, model.num_actions


def _each(opponent: Opponent | Sequence[Opponent], count: int) -> list[Opponent]:
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


def _checked(opponent: Opponent, view: _View) -> Opponent:
    """An opponent as a specification, an agent, or a function of the model."""
    if isinstance(opponent, str):
        make(opponent)  # raises
        return opponent
    if not isinstance(opponent, type):
        if hasattr(opponent, "predict"):
            return partial(_predicted, as_function(opponent), view)
        if isinstance(opponent, Agent) or callable(opponent):
            return opponent
    raise TypeError(
        "opponent must be a specification, an Agent, a learned policy with predict(observation), "
        f"or a function of the model, got {opponent!r}"
    )


def _predicted(policy: Function, view: _View, model: ForwardModel) -> Any:
    """The action of a learned policy that sees what a learner in its place would see."""
    observation = view(model, model.current_player())
    return policy(observation, {"action_mask": observation["action_mask"].copy()})
