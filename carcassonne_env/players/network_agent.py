"""Agents that play a learned network without the library in which the network learned."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from agents.agent import Agent, Planner, PlayerError, Watch, refusing
from agents.checks import INF, check_number, suggestion
from agents.registry import AGENTS
from agents.rng import Rng, Seed

from ..model import CarcassonneModel
from ..network import ActionNetwork, NetworkEvaluator, load_network
from ..turns import plan_turn

FOLDER = Path(__file__).with_name("networks")
CHECKPOINTS = tuple(sorted(path.stem for path in FOLDER.glob("*.npz")))
"""Names of the networks of the package, which are players of `agents.make`, too."""


@lru_cache
def shipped_network(name: str) -> ActionNetwork:
    """The network with a name of `CHECKPOINTS`."""
    return load_network(FOLDER / f"{name}.npz")


def has_values(name: str) -> bool:
    """Whether the network with a name of `CHECKPOINTS` has values; this loads no weights."""
    with np.load(FOLDER / f"{name}.npz") as layers:
        return "value" in layers


def checkpoint_of(name: str) -> ActionNetwork:
    """The network with a name of `CHECKPOINTS`, or in the file at a path that ends in .npz.

    Files are read anew: a training may have written another network since.
    """
    if name in CHECKPOINTS:
        return shipped_network(name)
    if not isinstance(name, str) or not name.endswith(".npz"):
        raise ValueError(
            f"checkpoint must be one of {', '.join(CHECKPOINTS)} or the path of an .npz file, "
            f"got {name!r}{suggestion(name, CHECKPOINTS)}"
        )
    return load_network(name)


def _check_game(network: ActionNetwork, model: CarcassonneModel) -> None:
    network.encoder.mask(model.in_one_step())  # raises


class NetworkAgent(Agent):
    """Plays the action that a network rates highest, or draws one by the ratings.

    It plays the game that the network learned, with the same number of players and at most as many
    tiles, in one or in two steps a turn. In the game of known order it does not look ahead.

    Args:
        checkpoint: A name of `CHECKPOINTS`, or the path of a file of `network.save_network`.
        temperature: 0 to 1000. 0 plays the highest rating. Above, an action is drawn with the
            probability that the softmax of the ratings divided by the temperature gives it.
        seed: Seed of the draws: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If there is no such checkpoint, or the temperature is out of range.
    """

    name = "network"
    PAGE_OPTIONS: ClassVar = {"temperature": INF}
    """What `agents.checks.page_options` tells: no checkpoint, which may be a file."""

    def __init__(self, checkpoint: str, temperature: float = 0.0, seed: Seed = None) -> None:
        check_number("temperature", temperature, 0, 1000)
        self.checkpoint = checkpoint
        self.network = checkpoint_of(checkpoint)
        self.temperature = temperature
        self.rng = Rng(seed)

    def check_game(self, model: CarcassonneModel) -> None:
        """Raises ValueError if the network learned another game than that of a turn's start."""
        _check_game(self.network, model)

    def choose(self, model: CarcassonneModel) -> int:  # type: ignore[override]
        """The action that the network plays.

        Raises:
            PlayerError: A ValueError, if the game is not the one that the network learned.
        """
        if not isinstance(model, CarcassonneModel):
            raise PlayerError("refusal", f"{self!r}: the network plays Carcassonne, got {model!r}")
        return plan_turn(model, self._whole_turn)[0]

    def _whole_turn(self, model: CarcassonneModel) -> int:
        with refusing(self):
            ratings = self.network.ratings(model)
        if self.temperature:
            below = np.subtract(ratings, ratings.max(), dtype=np.float64)
            with np.errstate(over="ignore"):  # by a temperature near 0
                weights = np.exp(below / self.temperature)
            chances = weights.cumsum()
            index = int(np.searchsorted(chances, self.rng.random() * chances[-1], side="right"))
        else:
            index = int(ratings.argmax())
        return int(model.legal_actions()[index])


class NetworkMCTS(Planner):
    """MCTS that asks a network for the values of leaves and for priors, as AlphaZero does.

    Args:
        checkpoint: As in `NetworkAgent`; the network must have values.
        iterations: Budget, None for none.
        c: The constant of "puct", 0 or more, in units of the network's values, which lie in
            [-1, 1].
        time_limit: Budget in seconds, None for none.
        seed: As in `NetworkAgent`.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If there is no such checkpoint, or an option is out of range.
    """

    name = "network-mcts"
    PAGE_OPTIONS: ClassVar = {"iterations": 1_000_000, "c": INF}  # about 100 MB of nodes

    def __init__(
        self,
        checkpoint: str,
        iterations: int | None = 100,
        c: float = 1.25,
        time_limit: float | None = None,
        seed: Seed = None,
    ) -> None:
        check_number("c", c, 0)
        self.checkpoint = checkpoint
        self.network = checkpoint_of(checkpoint)
        evaluator = NetworkEvaluator(self.network)
        c *= self.network.scale
        options = {"tree_policy": "puct", "chance_selection": "stratified", "evaluator": evaluator}
        options["time_limit"] = time_limit
        self.planner: Any = AGENTS["mcts"](iterations, c, **options, seed=seed)

    def check_game(self, model: CarcassonneModel) -> None:
        """See `NetworkAgent`."""
        _check_game(self.network, model)

    def search(self, game: Any, *, watch: Watch | None = None) -> Any:
        """The result of `agents.MCTS`; arguments and errors are those of its search, too."""
        return self.planner.search(game, watch=watch)

    def principal_variation(self, result: Any) -> list[tuple[int, int]]:
        """See `agents.MCTS`."""
        line: list[tuple[int, int]] = self.planner.principal_variation(result)
        return line
