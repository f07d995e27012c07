from collections.abc import Sequence

from agents.mcts.result import SearchResult
from agents.mcts.search import Search

def result_of(
    search: Search, recommendation: str, seconds: float, others: Sequence[Search] = ()
) -> SearchResult: ...
def progress_of(search: Search, recommendation: str, seconds: float) -> SearchResult: ...
def settle(search: Search, recommendation: str) -> bool: ...
