"""Carcassonne as a PettingZoo environment (AEC), for 1 to 5 learners."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from agents.checks import check_choice

from .episode import OPTIONS, RENDER_FPS, RENDER_MODES, Episode, Observation
from .model import CarcassonneModel


def env(**kwargs: Any) -> CarcassonneAECEnv:
    """The environment as it is to be used.

    Arguments as ``carcassonne_env.pettingzoo_env.CarcassonneAECEnv``.

    It does itself, in half the time, what PettingZoo's wrappers do for the classic games: an
    illegal action ends the game with reward -1, actions out of bounds raise
    ``gymnasium.error.InvalidAction``, steps before the first reset or after the end
    ``gymnasium.error.ResetNeeded``.
    """
    return CarcassonneAECEnv(**kwargs)


def raw_env(**kwargs: Any) -> CarcassonneAECEnv:
    """The environment in which an illegal action raises; arguments as `CarcassonneAECEnv`."""
    return CarcassonneAECEnv(**{"illegal_action": "raise", **kwargs})


class CarcassonneAECEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """Carcassonne for 1 to 5 players, ``player_0`` first; by default the base game for two.

    ## Description, Action Space, Observation Space
    As in ``CarcassonneEnv``: each agent observes from its own view, in the vector its own numbers
    come first, and its action mask is 0 unless it is to move.

    ## Rewards
    By ``reward``: ``"final"`` (default) gives every player at the end the score less the best other
    score (alone: the score), divided by the maximum score; ``"win"`` 1 for the sole best score, 0
    for a shared one and -1 for others; ``"score"`` the points that each step brings each player.

    ## Episode End
    All agents terminate together, with few tiles some before their first turn, when no tile can be
    drawn, or after an illegal action: its agent then gets -1, the others 0, and
    ``infos[agent]["illegal_action"]`` tells who it was. Never truncates.

    ## Arguments
    - num_players: 1 to 5.
    - num_meeples, tiles, deterministic, action_mode, board_size, reward, max_score, render_mode,
      theme: see ``CarcassonneEnv``.
    - illegal_action: "terminate", or "raise" (default of ``raw_env``).

    ``reset(options={"tiles": ..., "order": ...})`` plays with other tiles or a given order; other
    options are ignored, as PettingZoo's ``api_test`` asks.

    ## Copies
    ``clone()``, ``copy.deepcopy`` and pickle keep the position. ``model`` is the forward model that
    planners take, to be read and cloned, not to be acted upon.

    ## Version History
    - v0: first release.
    """

    metadata = {  # noqa: RUF012
        "name": "carcassonne_v0",
        "render_modes": [*RENDER_MODES],
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
        reward: str = "final",
        illegal_action: str = "terminate",
        max_score: int | None = None,
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

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Fixes the draws of this episode and the following ones.
            options: ``tiles`` and ``order``, see the class.

        Raises:
            ValueError: If tiles or order are no proper set or order of tiles.
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
        """Plays an action of the agent to move; None removes an agent when the game is over.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, when all agents are gone, and when
                ``model`` was acted upon.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        self._check_agents()
        model, agent = self.model, self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if not self._is_to_move(agent):
            raise gymnasium.error.ResetNeeded("the model was acted upon: call reset()")
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
        self.rewards = {other: -1.0 if other == agent else 0.0 for other in self.agents}
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.infos = {other: self.episode.info(is_to_move=False) for other in self.agents}
        self.infos[agent]["illegal_action"] = True

    def _tell(self) -> None:
        """Who moves next and what all know, by the position."""
        mover = self.agents[self.model.mover]
        self.agent_selection = mover
        self.infos = {agent: self.episode.info(is_to_move=agent == mover) for agent in self.agents}
        self.episode.render_if_human()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is 0 unless it is to move."""
        viewer = self.possible_agents.index(agent)
        return self.episode.observe(viewer, is_to_move=self._is_to_move(agent))

    def _is_to_move(self, agent: str) -> bool:
        is_mover = agent == self.possible_agents[self.model.mover]
        return is_mover and not self.terminations.get(agent, True)

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Observation, cumulative reward, terminated, truncated and info of the agent to step.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, and when all agents are gone.
        """
        self._check_agents()
        return super().last(observe)  # type: ignore[no-any-return]

    def agent_iter(self, max_iter: int = 2**63) -> Any:
        """The agents to step, one after another.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset.
        """
        _ = self.model  # raises
        return super().agent_iter(max_iter)

    def _check_agents(self) -> None:
        _ = self.model  # raises before the first reset
        if not self.agents:
            raise gymnasium.error.ResetNeeded("all agents are gone: call reset()")

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
        """The environment's action for a legal one of the model.

        Raises:
            ValueError: If the action is not legal.
        """
        return self.episode.env_action(model_action)

    def clone(self) -> CarcassonneAECEnv:
        """An independent environment in the same position, with the same future draws."""
        return copy.deepcopy(self)

    def __copy__(self) -> CarcassonneAECEnv:
        return self.clone()

    def render(self) -> Any:
        """A picture of the position by the render mode: text, uint8[720, 720, 3], or a window."""
        return self.episode.render()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self.episode.close()
