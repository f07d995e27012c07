"""How fast the engine and the planner are, on one core.

``python tests/bench_speed.py`` prints a table. With ``--yardstick FOLDER``, the folder of the two
reference programs, it runs them right before and adds the ratio to what they reach, which means
more than the values: machines differ, and shared ones change by the minute.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import re
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import carcassonne_env
from agents import (
    MCTS,
    SIEAMCTS,
    EvolvedRollout,
    Expectimax,
    ForwardModel,
    Rng,
    TurnPlanner,
    make,
)
from agents.games import Dodgem, Hex, Reversi, TacticsModel
from carcassonne_env import CarcassonneModel
from carcassonne_env.model import STATE_BYTES
from fop_env import FopModel
from models import positions
from playing import decision_after, opening

SECONDS = 1.0


class Figure(NamedTuple):
    """One measured value, and its ratio to the yardstick's where it has that row."""

    name: str
    value: float
    unit: str
    ratio: float | None = None


def best_rate(run: Callable[[], Any], size: int) -> float:
    """The best rate of a run of so many units, a second, over runs of about SECONDS in all."""
    rates = []
    deadline = time.perf_counter() + SECONDS
    while time.perf_counter() < deadline or len(rates) < 3:
        start = time.perf_counter()
        run()
        rates.append(size / (time.perf_counter() - start))
    return max(rates)


def rate_of(call: Callable[[], Any], units: int = 1, calls: int = 1) -> float:
    """The same of a call that is worth so many units, in runs of so many calls."""

    def run() -> None:
        for _ in range(calls):
            call()

    return best_rate(run, units * calls)


def random_games(model: ForwardModel) -> float:
    """Uniformly random games a second, clone and returns included."""
    rng = Rng(0)
    return rate_of(lambda: model.rollout_returns(10_000, rng), 10_000)


def iterations_a_second(agent: MCTS, model: ForwardModel, searches: int = 1) -> float:
    """Iterations a second of searches one after the other, evolution included."""
    return rate_of(lambda: agent.search(model), agent.iterations, searches)


def playout_values(formula: str) -> float:
    """Nanoseconds a position valued in playouts of Reversi, the rest of the search included."""
    agent = MCTS(2_000, 1.4, rollout_policy=EvolvedRollout(formula), seed=0)
    return 1e9 / rate_of(lambda: agent.search(Reversi()), agent.search(Reversi()).model_calls)


def positions_a_second(model: CarcassonneModel, heuristic: str) -> float:
    """Positions that Expectimax values a second in searches to depth 2."""
    agent = Expectimax(2, heuristic, seed=0)
    return rate_of(lambda: agent.search(model), agent.search(model).positions, 10)


def environment_steps(env_id: str) -> float:
    """Steps a second of an unwrapped environment under legal actions that its model draws."""
    env = gymnasium.make(env_id).unwrapped
    translate = getattr(env, "env_action", int)
    rng = Rng(0)

    def run() -> None:
        env.reset(seed=0)
        for _ in range(2_000):
            action = translate(env.model.sample_action(rng))
            if env.step(action)[2]:
                env.reset()

    return best_rate(run, 2_000)


def sampled_steps(**options: Any) -> float:
    """Steps a second of what `gymnasium.make` returns, actions drawn from the mask by Gymnasium."""
    env = gymnasium.make("Carcassonne-1p-3m-d", **options)
    env.action_space.seed(0)

    def run() -> None:
        observation, _ = env.reset(seed=0)
        for _ in range(500):
            action = env.action_space.sample(observation["action_mask"])
            observation, _, is_over, _, _ = env.step(action)
            if is_over:
                observation, _ = env.reset()

    return best_rate(run, 500)


def vector_steps(num_envs: int, **options: Any) -> float:
    """Steps a second of a native vector environment, all games counted, under legal actions."""
    envs = gymnasium.make_vec("Carcassonne-1p-3m-d", num_envs=num_envs, **options)
    envs.reset(seed=0)
    rng = Rng(0)
    return rate_of(lambda: envs.step(envs.unwrapped.sample_actions(rng)), num_envs, 100)


def random_play_steps(num_envs: int) -> float:
    """Steps a second of a random agent within the vector environment, without observations."""
    envs = gymnasium.make_vec("Carcassonne-1p-3m-d", num_envs=num_envs, observation="none")
    envs.reset(seed=0)
    rng = Rng(0)
    return rate_of(lambda: envs.unwrapped.play_randomly(100, rng), 100 * num_envs)


def cart_pole_steps(num_envs: int) -> float:
    """The same of Gymnasium's own vector environment of CartPole."""
    envs = gymnasium.make_vec("CartPole-v1", num_envs, vectorization_mode="vector_entry_point")
    envs.reset(seed=0)
    actions = envs.action_space.sample()
    return rate_of(lambda: envs.step(actions), num_envs, 100)


def turns(env: Any) -> float:
    """Actions a second of a PettingZoo environment, each drawn from the mask of legal actions."""
    draw = random.Random(0).random

    def run() -> None:
        left = 5_000
        while left > 0:
            env.reset(seed=left)
            for _ in env.agent_iter():
                observation, _, is_over, _, _ = env.last()
                if is_over:
                    break
                legal = np.flatnonzero(observation["action_mask"].view(np.bool_))
                env.step(int(legal[int(draw() * len(legal))]))
                left -= 1

    return best_rate(run, 5_000)


def connect_four() -> dict[str, Any]:
    """PettingZoo's connect_four, with and without its wrappers; empty without pygame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            from pettingzoo.classic import connect_four_v3
        except ImportError:
            return {}
    return {"env()": connect_four_v3.env(), "raw_env()": connect_four_v3.raw_env()}


def peak_megabytes() -> float:
    """Peak memory of this process, in MB (10**6 bytes); 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0.0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def search_megabytes(model: CarcassonneModel, iterations: int) -> float:
    """Growth of the process by one search, in MB (10**6 bytes)."""
    before = peak_megabytes()
    result = MCTS(iterations, c=0.5, seed=0).search(model)
    assert result.iterations == iterations
    return peak_megabytes() - before


YARDSTICKS = {
    "random base games": r"2p-base-7m +reject .*?best (\d+)",
    "random 24-tile games, 1 meeple": r"1p-24-1m +reject .*?best (\d+)",
    "random 24-tile games, 3 meeples": r"1p-24-3m +reject .*?best (\d+)",
    "MCTS, start of the base game": r"UCT 5000 it \(with playouts\): it/s best (\d+)",
    "MCTS, FOP-f1": r"C=1.414 tuned2 .*? = ([\d.]+) M it/s",
    "SIEA-MCTS, FOP-f1": r"C=1.414 tuned2 .*? = ([\d.]+) M it/s",
}
"""Where the reference programs print what compares with a figure."""


def yardstick_rates(folder: Path) -> dict[str, float]:
    """Rates of the reference programs, by the name of the figure they compare with."""
    output = ""
    for command in (["carcassonne_limit", "bench", "3"], ["fop_limit", "1"]):
        done = subprocess.run(
            [folder / command[0], *command[1:]], capture_output=True, text=True, check=True
        )
        output += done.stdout
    rates = {name: float(re.search(row, output)[1]) for name, row in YARDSTICKS.items()}
    return {name: rate * (1e6 if "FOP" in name else 1) for name, rate in rates.items()}


TYPICAL = (
    "if(lower_equal(mobility, 3), plus(2.5*corner_difference, if(man(d3), mobility, -1)), "
    "minus(friendly_men, 1.5*plus(enemy_corners, if(friendly(b2), 2, mobility))))"
)
"""A formula as long as evolved ones are, about 20 parts."""


def board_games() -> Iterator[Figure]:
    """Measures the games of `agents.games`."""
    games = {"Reversi": Reversi(), "Dodgem 5 x 5": Dodgem(), "Hex 11 x 11": Hex()}
    for name, model in games.items():
        yield Figure(f"random games of {name}", random_games(model), "games/s")
    for name, model in games.items():
        rate = iterations_a_second(MCTS(5_000, 1.4, seed=0), model)
        yield Figure(f"MCTS, start of {name}", rate, "iterations/s")
    yield Figure("evolved playouts of Reversi, a value", playout_values(TYPICAL), "ns")


def tactics() -> Iterator[Figure]:
    """Measures the tactics game, and planners of its turns in the middle of a game."""
    plies = sum(1 for seed in range(100) for _ in positions(TacticsModel(), seed)) / 100 - 1
    rate = random_games(TacticsModel())
    yield Figure("tactics, random actions and draws", rate * plies, "actions/s")
    for points in (5, 15):
        model = turn_to_plan(points)
        for name in ("oep", "greedy-oep", "emcts"):
            rate = turns_a_second(make(f"{name}(iterations=3300)", seed=0), model)
            yield Figure(f"{name}, turns of {points} actions valued", rate, "turns/s")


def turn_to_plan(action_points: int) -> TacticsModel:
    """A position after twelve turns of Greedy Action against itself."""
    model, rng, agent = TacticsModel(action_points=action_points), Rng(4), make("greedy-action")
    while model.is_chance_node() or model.turn < 12:
        chance = model.is_chance_node()
        model.apply_action(model.sample_chance(rng) if chance else agent.choose(model))
    return model


def turns_a_second(agent: TurnPlanner, model: ForwardModel) -> float:
    """Complete turns that a planner values a second."""
    return rate_of(lambda: agent.search(model), agent.search(model).evaluations)


def figures(yardstick: dict[str, float]) -> Iterator[Figure]:
    """Measures one figure after the other."""
    base, one_meeple, three_meeples = (
        CarcassonneModel(),
        CarcassonneModel(1, 1, "small"),
        CarcassonneModel(1, 3, "small"),
    )
    to_move = opening()

    def rated(name: str, value: float, unit: str) -> Figure:
        return Figure(name, value, unit, value / yardstick[name] if name in yardstick else None)

    yield Figure("state", STATE_BYTES, "bytes")
    megabytes = search_megabytes(to_move, 100_000)
    yield Figure("MCTS, 100,000 iterations, base game", megabytes, "MB")
    yield rated("random base games", random_games(base), "games/s")
    yield rated("random 24-tile games, 1 meeple", random_games(one_meeple), "games/s")
    yield rated("random 24-tile games, 3 meeples", random_games(three_meeples), "games/s")
    iterations = 5_000
    rate = iterations_a_second(MCTS(iterations, c=0.5, seed=0), to_move)
    yield rated("MCTS, start of the base game", rate, "iterations/s")
    rate = iterations_a_second(SIEAMCTS(iterations, seed=0), to_move, searches=10)
    yield rated("SIEA-MCTS, start of the base game", rate, "iterations/s")
    rate = iterations_a_second(MCTS(iterations, resample_terminals=False, seed=0), FopModel("f1"))
    yield rated("MCTS, FOP-f1", rate, "iterations/s")
    rate = iterations_a_second(SIEAMCTS(iterations, seed=0), FopModel("f1"), searches=100)
    yield rated("SIEA-MCTS, FOP-f1", rate, "iterations/s")
    halfway = decision_after(base.num_tiles // 2, 0)
    for heuristic in ("s", "vs", "outlook"):
        rate = positions_a_second(halfway, heuristic)
        yield Figure(f"Expectimax-2-{heuristic}, half of the base game", rate, "positions/s")
    yield from board_games()
    yield from tactics()
    yield Figure("clone() from Python", 1e9 / rate_of(base.clone, calls=20_000), "ns")
    for env_id in ("Carcassonne-1p-3m-d", "Carcassonne-1p-3m-s", "FOP-f1"):
        yield Figure(f"{env_id}, random steps", environment_steps(env_id), "steps/s")
    for action_mode in ("flat", "two_step", "index"):
        rate = sampled_steps(action_mode=action_mode)
        yield Figure(f"gymnasium.make, action_space.sample, {action_mode}", rate, "steps/s")
    for action_mode, observation in itertools.product(("flat", "two_step"), ("full", "tiles")):
        name = f"1,024 Carcassonne-1p-3m-d, {action_mode}" + ", tiles" * (observation == "tiles")
        settings = {"action_mode": action_mode, "observation": observation}
        yield Figure(name, vector_steps(1024, **settings), "steps/s")
        yield Figure(f"{name}, copy=False", vector_steps(1024, **settings, copy=False), "steps/s")
    rate = vector_steps(1024, observation="none")
    yield Figure("1,024 Carcassonne-1p-3m-d, no observations", rate, "steps/s")
    rate = random_play_steps(1024)
    yield Figure("1,024 Carcassonne-1p-3m-d, play_randomly", rate, "steps/s")
    yield Figure("1,024 CartPole-v1 of Gymnasium", cart_pole_steps(1024), "steps/s")
    for action_mode in ("flat", "two_step", "index"):
        rate = turns(carcassonne_env.env(action_mode=action_mode))
        yield Figure(f"carcassonne_env.env(), base game, {action_mode}", rate, "steps/s")
    for name, env in connect_four().items():
        yield Figure(f"connect_four_v3.{name} of PettingZoo", turns(env), "steps/s")


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--yardstick", type=Path, help="folder of the reference programs")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--core", type=int, default=0, help="processor to run on")
    args = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {args.core})
    for figure in figures(yardstick_rates(args.yardstick) if args.yardstick else {}):
        if args.json:
            print(json.dumps(figure._asdict()), flush=True)
        else:
            ratio = "" if figure.ratio is None else f"{figure.ratio:7.1%} of the yardstick"
            print(f"{figure.name:40} {figure.value:12,.0f} {figure.unit:13}{ratio}", flush=True)


if __name__ == "__main__":
    main()
