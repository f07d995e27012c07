"""The hyperparameters of PPO, the same in all libraries."""

NUM_ENVS = 64
NUM_STEPS = 48
"""Steps of each game between two updates."""
BATCH_SIZE = 512
EPOCHS = 3
"""How often an update uses each step."""
LEARNING_RATE = 7e-4
GAMMA = 1.0
"""No discount: what counts is the final score."""
GAE_LAMBDA = 0.95
CLIP = 0.2
VALUE_WEIGHT = 0.5
ENTROPY_WEIGHT = 0.01
MAX_GRADIENT = 0.5
"""The norm to which gradients are clipped."""
REWARD_SCALE = 0.1
"""The reward of one point; small rewards are easier to learn for the network."""
