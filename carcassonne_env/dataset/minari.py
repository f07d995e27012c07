"""Exports data sets to Minari, whose data sets libraries for offline learning read.

Importing it raises ImportError without the extra ``minari``.
"""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from agents.checks import check_count, extra

from ..gymnasium_env import CarcassonneEnv
from ..model import CarcassonneModel
from ..tiles import LETTERS
from .files import load_dataset
from .games import Dataset

with extra("minari", __name__):
    import h5py  # noqa: F401  # Minari imports it when it writes
    import minari
    from minari.data_collector import EpisodeBuffer
    from minari.dataset.minari_dataset import parse_dataset_id
    from minari.storage import get_dataset_path

CHUNK = 50
"""Number of episodes that are in memory at a time."""
_ID = "Carcassonne/1p-3m-s-v0"
"""The id of the environment; its settings are replaced by those of the data set."""


def to_minari(
    path: str | Path,
    dataset_id: str,
    settings: Mapping[str, Any] | None = None,
    *,
    num_games: int | None = None,
    **metadata: Any,
) -> minari.MinariDataset:
    """Writes a data set of Minari, with an episode for each seat of each game.

    What an interruption or an error leaves of it is deleted.

    An episode is what the learner of `CarcassonneEnv` meets in its seat. Its ``options`` have the
    order of the tiles, with which ``reset`` begins the same game. Its ``infos`` have the ``value``
    that the search of the player expected, and ``is_random``: such a move is not the player's, and
    so no target. Both have one entry more than there are actions, the last of which means nothing.
    Minari's environment has the player of the data set in the other seats.

    Observations take far more space than games. With 24 tiles, a game takes 1 MB as "full" with
    the action mode "flat", and 0.1 MB as "tiles" with "index" and 128 rows.

    Args:
        path: The file of the data set.
        dataset_id: The name of the new data set, such as "carcassonne/1p-3m-s/greedy-v0".
        settings: Arguments of `CarcassonneEnv` besides the kind of game and the players:
            ``action_mode``, ``observation``, ``max_rows``, ``reward``.
        num_games: Number of games, from the first one on; None for all.
        metadata: Further arguments of ``minari.create_dataset_from_buffers``, such as ``author``.

    Raises:
        OSError: If the file cannot be read.
        TypeError: If an argument is unknown.
        ValueError: If the file is no data set, the name is none for Minari or not new, an argument
            is out of range, or the player of games for several is none that `agents.make` knows.
    """
    _check_new(dataset_id)
    dataset = load_dataset(path)
    total = len(dataset.games)
    count = total if num_games is None else check_count("num_games", num_games, 1, total)
    setup = dataset.setup
    kind = {
        "num_players": setup.num_players,
        "num_meeples": setup.num_meeples,
        "tiles": setup.tiles,
        "deterministic": setup.known_order,
    }
    if given := {*kind, "seat", "opponent"} & {*(settings or {})}:
        raise ValueError(f"settings must not have {', '.join(sorted(given))}: the games have them")
    chosen = {**(settings or {}), **kind}
    others: dict[str, Any] = {"opponent": dataset.player} if setup.num_players > 1 else {}
    seats = itertools.product(range(count), range(setup.num_players))
    episodes = (_episode(dataset, game, seat, chosen) for game, seat in seats)
    metadata = {"algorithm_name": dataset.player, **metadata}
    with closing(gymnasium.make(_ID, **chosen, **others)) as env:
        first = list(itertools.islice(episodes, CHUNK))
        try:
            written = minari.create_dataset_from_buffers(dataset_id, first, env, **metadata)
            while chunk := list(itertools.islice(episodes, CHUNK)):
                written.update_dataset_from_buffer(chunk)
        except BaseException:
            shutil.rmtree(get_dataset_path(dataset_id), ignore_errors=True)
            raise
    return written


def _check_new(dataset_id: str) -> None:
    """Refuses a name before Minari, which makes a folder for any name."""
    try:
        parse_dataset_id(dataset_id)
    except (TypeError, ValueError):
        raise ValueError(
            f"dataset_id must be a name for Minari, like 'carcassonne/games-v0', got {dataset_id!r}"
        ) from None
    if get_dataset_path(dataset_id).exists():
        raise ValueError(f"dataset_id must be new, Minari has a data set {dataset_id!r}")


class _Course:
    """The moves of a game, one after the other, and the opponent that plays them."""

    def __init__(self, dataset: Dataset, game: int, in_two_steps: bool) -> None:
        self.moves = iter(
            [
                step._replace(action=action)
                for model, step in dataset.replay(game)
                for action in step.actions_in(model, in_two_steps)
            ]
        )

    def act(self, model: CarcassonneModel) -> int:
        """The next action."""
        return next(self.moves).action


def _episode(
    dataset: Dataset, number: int, seat: int, settings: Mapping[str, Any]
) -> EpisodeBuffer:
    """What a seat met in a game."""
    course = _Course(dataset, number, settings.get("action_mode") == "two_step")
    opponent = course if dataset.setup.num_players > 1 else "random"
    env = CarcassonneEnv(**settings, seat=seat, opponent=opponent)
    options = {"order": "".join(LETTERS[i] for i in dataset.games[number].outcomes)}
    observation, _ = env.reset(options=options)
    observations, actions, rewards, steps = [observation], [], [], []
    is_over = False
    while not is_over:
        step = next(course.moves)
        actions.append(env.env_action(step.action))
        observation, reward, is_over, _, _ = env.step(actions[-1])
        observations.append(observation)
        rewards.append(reward)
        steps.append(step)
    return EpisodeBuffer(
        options=options,
        observations={name: np.stack([o[name] for o in observations]) for name in observation},
        actions=np.array(actions),
        rewards=np.array(rewards),
        terminations=np.arange(len(steps)) == len(steps) - 1,
        truncations=np.zeros(len(steps), np.bool_),
        infos={
            "value": np.array([*(step.value for step in steps), np.nan], np.float32),
            "is_random": np.array([*(step.is_random for step in steps), False]),
        },
    )
