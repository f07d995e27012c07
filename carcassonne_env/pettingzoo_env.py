"""Carcassonne as a PettingZoo environment (AEC) for 1 to 5 learners."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from agents.checks import check_choice
from agents.window import SVG_PACKAGES, installed_modes

from .episode import OPTIONS, RENDER_FPS, Episode, Observation
from .model import CarcassonneModel
from .turns import Plan


def env(**kwargs: Any) -> CarcassonneAECEnv:
    """The environment for general use.

    The arguments are those of ``carcassonne_env.pettingzoo_env.CarcassonneAECEnv``.

    The environment behaves like PettingZoo's classic games in their wrappers, but implements the
    checks itself, which takes half the time. An illegal action ends the game with reward -1, or
    with less where a player can lose more (see Rewards). An action outside the action space raises
    ``gymnasium.error.InvalidAction``. A step before the first reset or after the end raises
    ``gymnasium.error.ResetNeeded``.
    """
    return CarcassonneAECEnv(**kwargs)


def raw_env(**kwargs: Any) -> CarcassonneAECEnv:
    """The environment with ``illegal_action="raise"``; arguments as for `CarcassonneAECEnv`."""
    return CarcassonneAECEnv(**{"illegal_action": "raise", **kwargs})


class CarcassonneAECEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """Carcassonne for 1 to 5 players; by default the base game for two. ``player_0`` begins.

    ## Description, Action Space, Observation Space
    They are those of ``CarcassonneEnv``. Each agent has its own observation: "own" meeples are the
    agent's meeples, and the agent's entries come first in the vector. The action mask is 0 for
    agents that are not to move. It is in the observation only, as in PettingZoo's classic games.

    ``state()`` is the position for a centralised critic: the planes of the board, the meeples of
    each player, the open cells, the vector, and the player to move, in one float32 array in
    ``state_space``.

    ## Information
    The ``infos`` are those of ``CarcassonneEnv``, without the action mask.

    ## Rewards
    - ``reward="final"`` (default): 0 before the end. At the end, each player's lead over the best
      other score (with one player, the score), divided by the maximum score.
    - ``"win"``: 0 before the end. At the end, 1 for the only best score, 0 for a shared best score,
      -1 otherwise.
    - ``"score"``: the points that each player gains by a step.
    - ``"virtual"``: what each player's lead over the best other virtual score gains by a step (with
      one player, the virtual score). The sum over an episode is the final lead in points.

    An illegal action has the reward of ``CarcassonneEnv``, which makes it the worst for its agent,
    and gives the others 0.

    ## Episode End
    All agents terminate together when no tile can be drawn or after an illegal action, which sets
    ``infos[agent]["illegal_action"]`` to True for its agent. With few tiles, the game may end
    before some agents have moved. Episodes are never truncated.

    ## Arguments
    - num_players: Number of players, 1 to 5.
    - num_meeples, tiles, deterministic, action_mode, board_size, observation, reward, info,
      max_score, max_rows, render_mode, theme: see ``CarcassonneEnv``.
    - illegal_action: "terminate", or "raise" (default of ``raw_env``).

    ``reset`` takes the options ``tiles`` and ``order`` of ``CarcassonneEnv``. It ignores other
    options, as PettingZoo's ``api_test`` demands.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners search. You may read and clone it, but must not apply actions to it.

    ## Version History
    - v0: first release.
    """

    metadata = {  # noqa: RUF012
        "name": "carcassonne_v0",
        "render_modes": installed_modes(*SVG_PACKAGES),
        "render_fps": RENDER_FPS,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        num_players: int = 2,
        num_meeples: int = 7,
        tiles: str | Mapping[str, int] = "base",
        deterministic: bool = False,
        *,
        action_mode: str = "flat",
        board_size: int | None = None,
        observation: str = "full",
        reward: str = "final",
        illegal_action: str = "terminate",
        info: str = "numbers",
        max_score: int | None = None,
        max_rows: int | None = None,
        render_mode: str | None = None,
        theme: str = "light",
    ) -> None:
        super().__init__()
        check_choice("illegal_action", illegal_action, ("terminate", "raise"))
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.episode = Episode(
            action_mode,
            reward,
            render_mode,
            theme,
            observation,
            info,
            max_rows,
            num_players=num_players,
            num_meeples=num_meeples,
            tiles=tiles,
            deterministic=deterministic,
            board_size=board_size,
            max_score=max_score,
        )
        self._np_random, _ = seeding.np_random()
        self.possible_agents = [f"player_{i}" for i in range(num_players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            a: self.episode.observation_space() for a in self.possible_agents
        }
        self.action_spaces = {a: self.episode.action_space() for a in self.possible_agents}
        self.state_space = self.episode.state_space()

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Determines the draws of this episode and the following ones.
            options: ``tiles`` and ``order``, see the class.

        Raises:
            ValueError: If the value of an option is not a valid tile set or order.
        """
        if seed is not None:
            self._np_random, _ = seeding.np_random(seed)
        is_new_stream = seed is not None or self.episode.rng is None
        known = {key: value for key, value in (options or {}).items() if key in OPTIONS}
        self.episode.start(self._np_random if is_new_stream else None, known)
        self.agents = list(self.possible_agents)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, self.model.is_terminal())
        self.truncations = dict.fromkeys(self.agents, False)
        self._tell()

    def step(self, action: Any) -> None:
        """Plays an action of the agent to move; None removes that agent after the end.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, after all agents were removed, and
                if an action was applied to ``model`` directly.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        self._check_agents()
        model, agent = self.model, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not self._is_to_move(agent):
            raise gymnasium.error.ResetNeeded("an action was applied to the model: call reset()")
        model_action = self.episode.legal_action(action)
        if model_action is None:
            self._refuse(agent, action)
            return
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(self.agents, self.episode.play(model_action), strict=True))
        self.terminations = dict.fromkeys(self.agents, model.is_terminal())
        self._accumulate_rewards()
        self._tell()

    def _refuse(self, agent: str, action: Any) -> None:
        if self.illegal_action == "raise":
            raise gymnasium.error.InvalidAction(
                f"action {action!r} is illegal: see action_mask in the observation"
            )
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = self.episode.forfeit_of(self.agents.index(agent))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.infos = {other: self.episode.info(is_illegal=other == agent) for other in self.agents}

    def _tell(self) -> None:
        """Sets the agent to move and the infos from the position."""
        self.agent_selection = self.agents[self.model.mover]
        self.infos = {agent: self.episode.info() for agent in self.agents}
        self.episode.render_if_human()

    def observe(self, agent: str) -> Observation:
        """The observation of an agent; the mask is 0 if the agent is not to move."""
        viewer = self.possible_agents.index(agent)
        return self.episode.observe(viewer, is_to_move=self._is_to_move(agent))

    def state(self) -> NDArray[np.float32]:
        """The position for a centralised critic, the same from every player's view.

        Returns:
            float32[size] of numbers in [0, 1], see ``Episode.state``.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self.episode.state()

    def _is_to_move(self, agent: str) -> bool:
        is_mover = agent == self.possible_agents[self.model.mover]
        return is_mover and not self.terminations.get(agent, True)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of the agent to step.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset and after all agents were removed.
        """
        self._check_agents()
        return super().last(observe)  # type: ignore[no-any-return]

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """Iterates over the agents in the order of their steps.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        _ = self.model  # raises
        return super().agent_iter(max_iter)

    def _check_agents(self) -> None:
        _ = self.model  # raises before the first reset
        if not self.agents:
            raise gymnasium.error.ResetNeeded("all agents were removed: call reset()")

    def observation_space(self, agent: str) -> spaces.Dict:
        """The same for all agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same for all agents."""
        return self.action_spaces[agent]

    @property
    def model(self) -> CarcassonneModel:
        """The forward model in the current position.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        return self.episode.model

    def env_action(self, model_action: int) -> int:
        """Converts a legal action of the model to the environment's action.

        Raises:
            ValueError: If the action is not legal.
        """
        return self.episode.env_action(model_action)

    @property
    def plan_turn(self) -> Plan | None:
        """Plans what is left of a turn for planners; None if one action is a turn."""
        return self.episode.plan_turn

    def clone(self) -> CarcassonneAECEnv:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> CarcassonneAECEnv:
        return self.clone()

    def render(self) -> Any:
        """Renders the position as the render mode says: text, uint8[720, 720, 3] or a window."""
        return self.episode.render()

    def close(self) -> None:
        """Closes the window if it is open."""
        self.episode.close()
