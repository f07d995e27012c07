"""MaskablePPO learns Carcassonne for two by playing MCTS and itself, and is measured in both seats.

The learner plays one seat in each of many games. A rival plays the other seat: MCTS with few
iterations, or an earlier version of the learner, whose network is asked once for all games that
wait for it. The reward is the gain in lead, measured by virtual scores. These gains sum up to the
final lead, but show at once how much a move is worth. With the final lead or the winner as reward,
the learner learned less in the same time.

The network rates actions by the terms of Carcassonne's outlook after them. ``--features none`` is
for a network that sees the board only. ``--quick`` shortens everything to seconds, to see that it
runs. Needs the extras ``rl`` and ``experiments``.
"""

from __future__ import annotations

import copy

from stable_baselines3.common.policies import BasePolicy

from agents import MCTS
from agents.csv_tables import write_table
from agents.evaluation import evaluate
from agents.files import replacing
from baselines.hyperparameters import REWARD_SCALE
from carcassonne_env.sb3 import RivalsVecEnv
from carcassonne_learner import SETTINGS, learner
from maskable_ppo import Curve, command_line, planners, prepared

NAME = "Carcassonne-2p-7m-s"
EXPLORATION = 0.05
"""The constant c of MCTS; this value is good for few iterations."""


class Renewal(Curve):
    """Copies the learner's current network to a rival before each rollout."""

    def __init__(self, seconds: float, rival: BasePolicy) -> None:
        super().__init__(seconds, "lead")
        self.rival = rival

    def _on_rollout_start(self) -> None:
        self.rival.load_state_dict(self.model.policy.state_dict())


def main() -> None:
    parser = command_line(__doc__, [10, 100])
    parser.add_argument("--tiles", choices=["small", "base"], default="small")
    args = prepared(parser)
    settings = {"num_meeples": 3, "tiles": args.tiles, **SETTINGS[args.features]}

    weak_search = MCTS(10, c=EXPLORATION, seed=args.seed)
    envs = RivalsVecEnv(
        NAME, args.num_envs, [weak_search], reward="virtual", reward_scale=REWARD_SCALE, **settings
    )
    model = learner(envs, args.batch_size, args.seed)
    earlier = copy.deepcopy(model.policy)
    envs.add_rival(earlier)
    model.learn(10**9, callback=Renewal(60 * args.minutes, earlier))
    with replacing(args.out / "self_play.zip") as file:
        model.save(file)

    table = evaluate(
        model,
        NAME,
        args.episodes,
        planners(args.iterations, EXPLORATION),
        seeds=range(10**6, 10**6 + args.episodes),
        both_seats=True,
        **settings,
    )
    table["policy"] = f"MaskablePPO, {args.minutes:g} minutes"
    write_table(args.out / "self_play.csv", table)
    print(table.to_string(index=False, float_format="%.3g"))


if __name__ == "__main__":
    main()
