"""Online evolution of turns."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from agents.checks import check_choice, check_count, check_number
from agents.multi_action.online_evolution import evolve_turn
from agents.multi_action.planner import Found, SearchingPlanner
from agents.multi_action.turn import Turn
from agents.rng import Rng, Seed

MAX_POPULATION = 10**6


@dataclass(eq=False, repr=False)
class OnlineEvolution(SearchingPlanner):
    """Online evolutionary planning (OEP): a population of turns evolves, and the best is played.

    In each generation the worse half is removed. Uniform crossover of two survivors, which repairs
    illegal actions, refills the population, and some of the offspring are mutated: one action is
    replaced by another legal one.

    Source: Justesen, Mahlmann, Risi and Togelius (2017), see `GreedyAction`. Greedy repair: Baier
    and Cowling (2018), see `EvolutionaryMCTS`.

    Args:
        iterations: Budget; see `SearchingPlanner` for the other arguments.
        population: Number of turns, 4 or more.
        repair: What replaces an illegal action for which the parents have no legal one: "random",
            a random action, or "greedy", that of Greedy Action.
        greedy_share: The share of the first population that Greedy Action makes; the rest is
            random. None: 0 with random repair and 0.2 with greedy repair.
        mutation_rate: The share of the offspring that are mutated.
    """

    _: KW_ONLY
    population: int = 100
    repair: str = "random"
    greedy_share: float | None = None
    mutation_rate: float = 0.1

    name = "oep"

    def __post_init__(self, seed: Seed) -> None:
        """Checks the arguments."""
        super().__post_init__(seed)
        self.population = check_count("population", self.population, 4, MAX_POPULATION)
        check_choice("repair", self.repair, ("random", "greedy"))
        if self.greedy_share is not None:
            check_number("greedy_share", self.greedy_share, 0, 1)
        check_number("mutation_rate", self.mutation_rate, 0, 1)

    def _plan(self, turn: Turn, rng: Rng, start: float) -> Found:
        is_greedy = self.repair == "greedy"
        share = 0.2 * is_greedy if self.greedy_share is None else self.greedy_share
        evolve_turn(turn, rng, self.population, is_greedy, share, self.mutation_rate)
        return turn.best_actions, None
