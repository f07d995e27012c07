from typing import final

from agents.mcts.policies import RolloutPolicy
from agents.mcts.search import Search
from agents.racing.result import RaceRecord

@final
class Race:
    def __init__(
        self, search: Search, policy: RolloutPolicy, contestants: int, prior_rollouts: float
    ) -> None: ...
    def run(self) -> RaceRecord | None: ...
