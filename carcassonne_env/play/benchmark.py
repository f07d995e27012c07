"""The benchmark of Carcassonne: its tasks and rivals, which never change within a version.

Whatever changes a result makes a new version. Needs the extra ``experiments``.
"""

from agents.benchmark import Benchmark, Task
from agents.files import checksum
from agents.registry import make

from ..players.weights import weights_of

KNOWN_ORDER = (
    "Planners know the order of the tiles here and plan with it; learners do not see it. Compare "
    "learners with learners only."
)

RIVALS = {
    "random": "random",
    "greedy": "greedy",
    "expectimax-1-outlook": "expectimax-1-outlook",
    "uct": "uct(iterations=1000)",
    "strongest": "strongest(iterations=500)",
}

V1 = Benchmark(
    "Carcassonne benchmark v1",
    (
        Task("1p-3m-s", "carcassonne(num_players=1, num_meeples=3, tiles=small)", 1, 200),
        Task("1p-1m-s", "carcassonne(num_players=1, num_meeples=1, tiles=small)", 1, 200),
        Task(
            "1p-3m-d",
            "carcassonne(num_players=1, num_meeples=3, tiles=small, deterministic=True)",
            1,
            200,
            KNOWN_ORDER,
        ),
        Task(
            "1p-1m-d",
            "carcassonne(num_players=1, num_meeples=1, tiles=small, deterministic=True)",
            1,
            200,
            KNOWN_ORDER,
        ),
        Task("2p-small", "carcassonne(num_players=2, num_meeples=3, tiles=small)", 2, 50),
        Task("2p-base", "carcassonne(num_players=2, num_meeples=7, tiles=base)", 2, 30),
        Task("3p-base", "carcassonne(num_players=3, num_meeples=7, tiles=base)", 3, 10),
    ),
    RIVALS,
    checksum(weights_of(" ".join(make(text).specification for text in RIVALS.values()))),
)
