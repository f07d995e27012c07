from typing import Any, final

from agents.agent import Agent, SearchResult
from agents.evolution_record import Evolution
from agents.formula import Formula
from agents.forward_model import ForwardModel
from agents.policies import RolloutPolicy, TreePolicy
from agents.rng import Rng, Seed

RECOMMENDATIONS: tuple[str, ...]
DEFAULT_ITERATIONS: int

@final
class Search:
    def __init__(
        self,
        root: ForwardModel,
        tree_policy: TreePolicy,
        rollout_policy: RolloutPolicy,
        rng: Rng,
        rollouts: int,
        is_weighted: bool,
        is_resampling: bool,
        max_nodes: int,
        max_iterations: int,
        max_seconds: float,
        max_calls: int,
    ) -> None: ...
    def result(
        self, recommendation: str, seconds: float, evolution: Evolution | None = None
    ) -> SearchResult: ...

class MCTS(Agent):
    iterations: int | None
    time_limit: float | None
    model_calls: int | None
    tree_policy: TreePolicy
    rollout_policy: RolloutPolicy
    rollouts: int
    chance_backup: str
    resample_terminals: bool
    recommendation: str
    max_nodes: int | None
    rng: Rng
    def __init__(
        self,
        iterations: int | None = None,
        c: float | None = None,
        *,
        tree_policy: str | Formula | TreePolicy = "ucb1",
        rollout_policy: str | RolloutPolicy = "uniform",
        rollouts: int = 1,
        time_limit: float | None = None,
        model_calls: int | None = None,
        chance_backup: str = "weighted",
        resample_terminals: bool = True,
        recommendation: str = "robust",
        max_nodes: int | None = None,
        seed: Seed = None,
    ) -> None: ...
    def search(self, game: Any) -> SearchResult: ...
    def choose(self, model: ForwardModel) -> int: ...
