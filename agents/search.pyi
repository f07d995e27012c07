from typing import final

from agents.agent import SearchResult
from agents.evolution_record import Evolution
from agents.forward_model import ForwardModel
from agents.policies import RolloutPolicy, TreePolicy
from agents.rng import Rng

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
    def spend(self) -> None: ...
    def result(
        self, recommendation: str, seconds: float, evolution: Evolution | None = None
    ) -> SearchResult: ...
