"""Minari: games recorded with their infos, and read again."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("minari")
pytest.importorskip("jax")  # of the extra minari[create]

import minari

import carcassonne_env  # noqa: F401
from agents import RandomAgent

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:.*:UserWarning"),  # of Minari: no code link, no author
    pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning"),
]


@pytest.mark.parametrize("name", ["Carcassonne-1p-3m-d", "Carcassonne/2p-7m-s-v0", "FOP-f1"])
def test_games_are_recorded_with_their_infos(name, monkeypatch, tmp_path):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    settings = {} if name == "FOP-f1" else {"tiles": "small", "action_mode": "two_step"}
    env = minari.DataCollector(gymnasium.make(name, **settings), record_infos=True)
    infos, agent = [], RandomAgent(0)
    for seed in range(2):
        _, info = env.reset(seed=seed)
        infos.append([info])
        is_over = False
        while not is_over:
            *_, is_over, _, info = env.step(agent.act(env))
            infos[-1].append(info)
    dataset = env.create_dataset(dataset_id="test/games-v0", algorithm_name="random")
    assert dataset.total_episodes == 2
    for told, episode in zip(infos, dataset, strict=True):
        assert len(episode.rewards) == len(told) - 1
        assert episode.infos.keys() == told[0].keys()
        for key, values in episode.infos.items():
            assert (values == np.array([info[key] for info in told])).all()
    assert dataset.recover_environment().spec.id == name
