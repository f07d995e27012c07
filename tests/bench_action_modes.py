"""How fast MaskablePPO learns in each action mode, and the size of an observation.

``python tests/bench_action_modes.py`` prints a table, with the best of three runs, in processor
time of one core. MaskablePPO has its "MultiInputPolicy" and 16 games; a run is one update from 16
steps of each, in as many epochs as the library takes by default (10). Steps are actions, of which
"two_step" needs two a turn.
"""

from __future__ import annotations

import time

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from carcassonne_env.sb3 import NativeVecEnv

IDS = ("Carcassonne-1p-3m-d", "Carcassonne-2p-7m-s")
MODES = ("flat", "two_step", "index")
NUM_GAMES, NUM_STEPS, NUM_RUNS = 16, 16, 3


def size_of_observation(envs: NativeVecEnv) -> int:
    """Bytes of the observation of one game."""
    spaces = envs.observation_space.spaces.values()
    return sum(int(np.prod(space.shape)) * space.dtype.itemsize for space in spaces)


def rate(envs: NativeVecEnv) -> float:
    """Steps a second of the fastest run."""
    learner = MaskablePPO("MultiInputPolicy", envs, n_steps=NUM_STEPS, batch_size=128, device="cpu")
    rates = []
    for _ in range(NUM_RUNS):
        start = time.process_time()
        learner.learn(NUM_GAMES * NUM_STEPS)
        rates.append(NUM_GAMES * NUM_STEPS / (time.process_time() - start))
    return max(rates)


def main() -> None:
    """Prints the table."""
    torch.set_num_threads(1)
    for name in IDS:
        for mode in MODES:
            envs = NativeVecEnv(name, NUM_GAMES, action_mode=mode)
            size = size_of_observation(envs) / 1000
            print(f"{name} {mode:8} {size:4.0f} KB {rate(envs):7,.0f} steps/s", flush=True)


if __name__ == "__main__":
    main()
