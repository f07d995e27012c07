"""What the environments of all games share for PettingZoo, where every player is a learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from agents.checks import check_choice
from agents.env_base import EnvironmentBase, Model, Observation, number_of, options_of


class AECBase(EnvironmentBase[Model], AECEnv):  # type: ignore[misc]  # PettingZoo is not typed
    """A game in which every player is a learner, for PettingZoo."""

    def _seat_players(self, num_players: int) -> None:
        """Sets the agents and their spaces."""
        self.np_random, _ = seeding.np_random()
        self.possible_agents = [f"player_{i}" for i in range(num_players)]
        self.agents: list[str] = []
        names = self.possible_agents
        self.observation_spaces = {agent: self.new_observation_space() for agent in names}
        self.action_spaces = {agent: self.new_action_space() for agent in names}
        self._num_actions = int(self.action_spaces[names[0]].n)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts an episode.

        Args:
            seed: Determines the draws of this episode and the following ones.
            options: See the class. Unknown ones are ignored, as PettingZoo's ``api_test`` demands.

        Raises:
            TypeError: If the options are neither a mapping nor None, or one has a wrong type.
            ValueError: If an option has an invalid value.
        """
        known = {k: value for k, value in options_of(options).items() if k in self.option_names}
        asked = self._checked_options(known)
        if seed is not None:
            self.np_random, _ = seeding.np_random(seed)
        self._begin(seed is not None or self._model is None, asked)
        self.agents = list(self.possible_agents)
        self._skip_agent_selection = None
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self._tell(self._rewards())

    def step(self, action: Any) -> None:
        """Plays an action of the agent to move; None removes that agent after the end.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset, after all agents were removed, and
                if an action was applied to ``model`` directly.
            gymnasium.error.InvalidAction: If the action is not in the action space, or it is
                illegal and ``illegal_action="raise"``.
        """
        self._check_agents()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        player = self.possible_agents.index(agent)
        self._check_turn(player)
        is_legal = self._play(number_of(action, self._num_actions))
        if is_legal:
            rewards = self._rewards()
        elif self.illegal_action == "raise":
            raise self._illegal(action, player)
        else:
            rewards = [self._forfeit(p) if p == player else 0.0 for p in range(len(self.agents))]
        self._cumulative_rewards[agent] = 0.0
        self._tell(rewards, refused=None if is_legal else agent)

    def _tell(self, rewards: Sequence[float], *, refused: str | None = None) -> None:
        """Sets what the agents are told; `refused` is who ended the game by an illegal action."""
        is_over = self._model.is_terminal() or refused is not None
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()
        self.agent_selection = self.agents[self._mover()]
        self.terminations = dict.fromkeys(self.agents, is_over)
        self.truncations = dict.fromkeys(self.agents, False)
        info = self._info()
        self.infos = {agent: dict(info) for agent in self.agents}
        if refused is not None:
            self.infos[refused] = self._info(is_illegal=True)
        self._render_if_human()

    def observe(self, agent: str) -> Observation:
        """What an agent sees; the mask is 0 if the agent is not to move.

        Raises:
            ValueError: If there is no such agent, also in `observation_space` and `action_space`.
        """
        check_choice("agent", agent, self.possible_agents)
        player = self.possible_agents.index(agent)
        is_to_move = self.model.current_player() == player
        return self._observe(player, is_to_move and not self.terminations.get(agent, True))

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
        check_choice("agent", agent, self.possible_agents)
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The same for all agents."""
        check_choice("agent", agent, self.possible_agents)
        return self.action_spaces[agent]
