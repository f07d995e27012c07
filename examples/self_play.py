"""MaskablePPO learns Carcassonne for two by playing MCTS and itself, and is measured in both seats.

`Seat` turns one seat of the AEC environment into an environment for one learner. The player of the
other seat changes from game to game: it is MCTS with few iterations, or an earlier version of the
learner. The reward is the gain in lead, measured by virtual scores. These gains sum up to the final
lead, but show at once how much a move is worth. With the final lead or the winner as reward, the
learner learned less in the same time. ``--quick`` shortens everything to seconds, to see that it
runs. Needs the extras ``rl`` and ``experiments``.
"""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import torch
from gymnasium.wrappers import TransformReward
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.policies import BasePolicy

import carcassonne_env
from agents import MCTS, Agent
from agents.evaluation import evaluate
from carcassonne_env import PolicyAgent
from maskable_ppo import REWARD_SCALE, Curve, command_line, learner, planners

EXPLORATION = 0.05
"""The constant c of MCTS; this value is good for few iterations."""


class Seat(gymnasium.Env):
    """One seat of a game for two. Each game draws the seat, and the rival in the other seat.

    The reward is the gain in lead: the learner's virtual score minus the rival's, in points.

    Args:
        settings: Arguments of `carcassonne_env.env`.
        rivals: The agents that may play the other seat. The list may grow later.
    """

    def __init__(self, settings: dict[str, Any], rivals: list[Agent]) -> None:
        self.game = carcassonne_env.env(reward="virtual", **settings)
        self.rivals = rivals
        self.observation_space = self.game.observation_space("player_0")
        self.action_space = self.game.action_space("player_0")

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Starts a game; the rival moves first if it has the first seat."""
        super().reset(seed=seed)
        self.game.reset(seed=seed)
        self.me = self.game.possible_agents[self.np_random.integers(2)]
        self.rival = self.rivals[self.np_random.integers(len(self.rivals))]
        self.gain = 0.0
        return self._await_turn()

    def step(self, action: int) -> Any:
        """Plays an action, then the rival's turn."""
        self._play(action)
        observation, info = self._await_turn()
        gain, self.gain = self.gain, 0.0
        return observation, gain, self._is_over(), False, info

    def action_masks(self) -> Any:
        """The mask of legal actions for MaskablePPO."""
        return self.game.observe(self.me)["action_mask"]

    def _await_turn(self) -> tuple[Any, dict[str, Any]]:
        """Lets the rival play until it is the learner's turn; returns what the learner sees."""
        while self.game.agent_selection != self.me and not self._is_over():
            self._play(self.rival.act(self.game))
        return self.game.observe(self.me), self.game.infos[self.me]

    def _play(self, action: int) -> None:
        self.game.step(action)
        self.gain += self.game.rewards[self.me]

    def _is_over(self) -> bool:
        return self.game.terminations[self.me]


class Renewal(Curve):
    """Copies the learner's current network to a rival before each rollout."""

    def __init__(self, seconds: float, rival: BasePolicy) -> None:
        super().__init__(seconds, "lead")
        self.rival = rival

    def _on_rollout_start(self) -> None:
        self.rival.load_state_dict(self.model.policy.state_dict())


def main() -> None:
    """Trains, evaluates and writes the results."""
    parser = command_line(__doc__, [10, 100])
    parser.add_argument("--tiles", choices=["small", "base"], default="small")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)  # the rival values boards one by one, so more threads are slower
    num_envs, minutes, episodes = (4, 0.1, 2) if args.quick else (32, args.minutes, 50)
    settings = {"num_meeples": 3, "tiles": args.tiles, "action_mode": "two_step"}

    rivals: list[Agent] = [MCTS(10, c=EXPLORATION, seed=args.seed)]
    envs = make_vec_env(
        lambda: Seat(settings, rivals),
        num_envs,
        seed=args.seed,
        wrapper_class=TransformReward,
        wrapper_kwargs={"func": lambda points: REWARD_SCALE * points},
    )
    model = learner(envs, 64 if args.quick else 512, args.seed)
    earlier = copy.deepcopy(model.policy)
    rivals.append(PolicyAgent(earlier, carcassonne_env.env(**settings)))
    model.learn(10**9, callback=Renewal(60 * minutes, earlier))
    model.save(args.out / "self_play.zip")

    table = evaluate(
        model,
        "Carcassonne-2p-7m-s",
        episodes,
        planners(args.iterations, EXPLORATION),
        seeds=range(10**6, 10**6 + episodes),
        both_seats=True,
        **settings,
    )
    table["policy"] = f"MaskablePPO, {minutes:g} minutes"
    table.to_csv(args.out / "self_play.csv", index=False)
    print(table.to_string(index=False, float_format="%.3g"))


if __name__ == "__main__":
    main()
