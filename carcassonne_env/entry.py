"""The entry point of `agents.games`: the game Carcassonne, its heuristics and named players."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agents.rng import Seed

from .model import CarcassonneModel
from .players.network_agent import CHECKPOINTS, NetworkAgent, NetworkMCTS, has_values


def make(
    num_players: int = 2,
    num_meeples: int = 7,
    tiles: str | Mapping[str, int] = "base",
    deterministic: bool = False,
    order: Iterable[str] | None = None,
    two_step: bool = False,
    board_size: int | None = None,
    max_score: int | None = None,
    seed: Seed = None,
) -> CarcassonneModel:
    """A game at its start; the options are those of `CarcassonneModel`."""
    return CarcassonneModel(
        num_players,
        num_meeples,
        tiles,
        deterministic,
        seed,
        order=order,
        two_step=two_step,
        board_size=board_size,
        max_score=max_score,
    )


HEURISTICS = CarcassonneModel.heuristics
_RACING = (
    "racing-mcts(tree_policy=puct(c=0.2), chance_selection=stratified, "
    "evaluator=afterstates(heuristic={0}, temperature=0.012), {1})"
)
"""A search by a heuristic, with further options."""
AGENTS = {"network": NetworkAgent, "network-mcts": NetworkMCTS}
PLAYERS = {
    "greedy": "expectimax(depth=1, heuristic=vs)",
    "greedy-outlook": "expectimax(depth=1, heuristic=outlook)",
    "expectimax-1-s": "expectimax(depth=1, heuristic=s)",
    "expectimax-1-vs": "expectimax(depth=1, heuristic=vs)",
    "expectimax-2-s": "expectimax(depth=2, heuristic=s)",
    "expectimax-2-vs": "expectimax(depth=2, heuristic=vs)",
    "expectimax-1-outlook": "expectimax(depth=1, heuristic=outlook)",
    "expectimax-2-outlook": "expectimax(depth=2, heuristic=outlook)",
    "expectimax-1-forecast": "expectimax(depth=1, heuristic=forecast)",
    "expectimax-1-value": "expectimax(depth=1, heuristic=value)",
    # MCTS with random rollouts and without a heuristic, with the game's order of actions: it had
    # the most points among the configurations that examples/experiments/mcts_family.py compares
    # with equal time in the base game for two players.
    "uct": "mcts(c=0.02, widening=(2, 0.4), expansion=ordered)",
    # MCTS that values leaves, orders actions and weighs them by the outlook. After 2,000
    # iterations the best actions race: all players go on greedily on the outlook.
    "strongest": _RACING.format("outlook", "race_policy=greedy(heuristic=outlook, max_moves=16)"),
    # The same in the base game for two, and far stronger with 24 tiles for two. The
    # benchmark has "strongest" as a rival, which therefore stays as it is.
    "strongest-forecast": _RACING.format(
        "forecast", "race_policy=greedy(heuristic=forecast, max_moves=16)"
    ),
    # A small tree by a learned value, and short rollouts that it ends: more of them in the same
    # time. It is the strongest with 0.1 s a move in games for one, and in the base game for two.
    "strongest-value": _RACING.format(
        "value",
        "tree_iterations=20, race_policy=greedy(heuristic=forecast, max_moves=4, final=value)",
    ),
    # For one player with a second a move: a larger tree, longer rollouts by the value itself, and
    # no race near the end of the game.
    "deep-value": _RACING.format(
        "value",
        "tree_iterations=400, min_outcomes=11, race_policy=greedy(heuristic=value, max_moves=8)",
    ),
    # Learned networks: players/README.md says what trained them. Those with values guide a search.
    **{
        name: f"{'network-mcts' if has_values(name) else 'network'}(checkpoint={name})"
        for name in CHECKPOINTS
    },
}
"""Specifications by name. In ``expectimax-d-h``, d is the search depth and h the heuristic."""
SIDES = ("blue", "vermilion", "yellow", "black", "purple")
RULES = """\
You win if you have most points at the end. Place the tile so that its edges match the tiles
around it. You may then put a meeple on a feature of the tile, unless a meeple is on this feature
already. When a road, city or cloister is complete, the player with most meeples on it scores: 1
for each tile of a road, 2 for each tile and shield of a city, 9 for a cloister with all 8 places
around it. The meeples then come home. At the end, incomplete features score 1 for each tile and
shield, and a farm 3 for each complete city beside it. The command carcassonne web opens a page
made for this game."""
TRANSLATED_RULES = {
    "de": """\
Du gewinnst, wenn du am Ende die meisten Punkte hast. Leg das Plättchen so, dass seine Ränder zu
denen der Plättchen daneben passen. Danach darfst du einen Gefolgsmann auf ein Gebiet des
Plättchens setzen, wenn dort noch keiner steht. Ist eine Straße, eine Stadt oder ein Kloster
fertig, so bekommt die Punkte, wer die meisten Gefolgsleute darauf hat: 1 für jedes Plättchen einer
Straße, 2 für jedes Plättchen und jedes Wappen einer Stadt, 9 für ein Kloster, um das alle 8 Plätze
belegt sind. Die Gefolgsleute kommen dann zurück. Am Ende zählen unfertige Gebiete 1 für jedes
Plättchen und jedes Wappen, und eine Wiese 3 für jede fertige Stadt an ihr. Der Befehl carcassonne
web öffnet eine Seite nur für dieses Spiel."""
}
