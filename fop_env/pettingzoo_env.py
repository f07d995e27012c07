"""The Function Optimisation Problem as a PettingZoo environment (AEC)."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from agents.checks import check_choice
from agents.rng import Rng
from agents.window import RENDER_MODES, Window, installed_modes

from .model import FopModel
from .observation import (
    PACKAGES,
    RENDER_FPS,
    Observation,
    checked_action,
    describe,
    observation_space,
    observe,
    render,
)
from .problem import Function


def env(**kwargs: Any) -> AECEnv:
    """The environment in PettingZoo's wrappers, which is the usual way to use it.

    The arguments are those of ``fop_env.pettingzoo_env.FopAECEnv``. For wrong actions, the wrappers
    raise their errors.
    """
    wrapped = wrappers.TerminateIllegalWrapper(raw_env(**kwargs), illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


def raw_env(**kwargs: Any) -> FopAECEnv:
    """The environment without wrappers; the arguments are those of `FopAECEnv`."""
    return FopAECEnv(**kwargs)


class FopAECEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """Cut an interval in turns: ``player_0`` seeks a high function value, ``player_1`` a low one.

    ## Description
    The game is that of ``FopEnv``, with one or two players who choose in turns. When the interval
    is shorter than the threshold, ``player_0`` wins with probability f, the value of the function
    at the centre of the interval.

    ## Action Space and Observation Space
    They are those of ``FopEnv`` for both players. The mask is 0 for the player who is not to move.

    ## Rewards
    Rewards are 0 before the end. At the end, ``player_0`` gets 1 with probability f and else 0;
    ``player_1`` gets the same with a minus sign.

    ## Episode End and Information
    Both players terminate together when the interval is shorter than the threshold. The ``infos``
    are those of ``FopEnv``, without the mask.

    ## Arguments
    - function, branching, threshold, dimensions: see ``FopModel``.
    - num_players: 1 or 2 (default).
    - render_mode: "ansi" (text), "rgb_array" (uint8[400, 600, 3]), "human" (a window) or None.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search; applying actions to it changes the environment.

    ## Version History
    - v0: first release.
    """

    metadata = {  # noqa: RUF012
        "name": "fop_v0",
        "render_modes": installed_modes(*PACKAGES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        function: str | Function = "f1",
        branching: int = 2,
        threshold: float = 1e-5,
        dimensions: int = 1,
        num_players: int = 2,
        *,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self.render_mode = render_mode
        self.window = Window("Function Optimisation Problem")
        self._start = FopModel(function, branching, threshold, dimensions, num_players)
        self._model: FopModel | None = None
        self._np_random, _ = seeding.np_random()
        self._rng = Rng(0)
        self.possible_agents = [f"player_{i}" for i in range(self._start.num_players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: observation_space(self._start) for agent in self.possible_agents
        }
        self.state_space = self.observation_spaces[self.possible_agents[0]]["observation"]
        self.action_spaces = {
            agent: spaces.Discrete(self._start.num_actions) for agent in self.possible_agents
        }

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Fixes the rewards of this episode and the following ones.
            options: Ignored, as PettingZoo's ``api_test`` demands; there are no options.
        """
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
        self._rng = Rng(self._np_random)
        self._model = self._start.clone()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self._update()

    def step(self, action: Any) -> None:
        """Chooses a part for the player to move; None removes that player after the end.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
            gymnasium.error.InvalidAction: If the action is not in the action space.
        """
        model = self.model
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        model.apply_action(checked_action(model, action))
        self._cumulative_rewards[agent] = 0.0
        if model.is_terminal():
            returns = model.sample_returns(self._rng).tolist()
            self.rewards = dict(zip(self.agents, returns, strict=True))
        self._accumulate_rewards()
        self._update()

    def _update(self) -> None:
        """Sets the player to move, the terminations and the infos from the position."""
        player = self.model.depth % len(self.agents)
        self.agent_selection = self.agents[player]
        self.terminations = dict.fromkeys(self.agents, self.model.is_terminal())
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: describe(self.model) for agent in self.agents}
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """What a player sees; the mask is 0 for a player who is not to move."""
        return observe(self.model, is_to_move=agent == self.agent_selection)

    def state(self) -> NDArray[np.float32]:
        """The position, which all players see: the array ``observation`` of their observations."""
        return observe(self.model)["observation"]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all players."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same for all players."""
        return self.action_spaces[agent]

    @property
    def model(self) -> FopModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        if self._model is None:
            raise gymnasium.error.ResetNeeded("the environment has no position yet: call reset()")
        return self._model

    def clone(self) -> FopAECEnv:
        """An independent environment in the same position that will draw the same reward."""
        return copy.deepcopy(self)

    def __copy__(self) -> FopAECEnv:
        return self.clone()

    def render(self) -> Any:
        """Renders the position as the render mode says: text, uint8[400, 600, 3] or a window."""
        return render(self.model, self.render_mode, self.window)

    def close(self) -> None:
        """Closes the window if it is open."""
        self.window.close()
