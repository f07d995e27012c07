"""Monte Carlo tree search: one planner with parts to choose."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

from agents.agent import Planner, model_of, model_to_move
from agents.forward_model import ForwardModel
from agents.mcts.options import Options
from agents.mcts.policies import TreePolicy
from agents.mcts.report import result_of
from agents.mcts.result import SearchResult
from agents.mcts.search import Search
from agents.rng import Rng, Seed


@dataclass(eq=False, repr=False)
class MCTS(Options, Planner):
    """Monte Carlo tree search (UCT by default) in any game with a forward model.

    An iteration descends from the root by the tree policy through fully expanded nodes, adds one
    untried action, plays on at random to the end and updates the mean return of every node on the
    path. Each node holds the returns of the player who decided last before it, and every player
    maximises their own (max^n; in two-player zero-sum games that is minimax). At a chance node an
    outcome is sampled; one met for the first time gets its node at once.

    The search stops at whichever budget is spent first; 5,000 iterations if none is given.

    Args:
        iterations: Budget in iterations.
        c: Exploration constant of UCB1, in units of the returns; sqrt(2) by default. The returns of
            the base game differ by hundredths, so constants of that size explore less evenly there.
        tree_policy: How a child is chosen: a name in `agents.mcts.names.TREE_POLICIES`, options
            behind it ("epsilon-greedy(epsilon=0.1)"), a `TreePolicy`, a `Formula`, or the text of
            one, in which c may occur.
        rollout_policy: How a leaf is valued: a name in `agents.mcts.names.ROLLOUT_POLICIES`,
            options behind it ("truncated(max_moves=4, heuristic=vs)"), or a `RolloutPolicy`.
        rollouts: Rollouts from each new leaf, averaged; "growing" for t of them in iteration t.
        evaluator: Values leaves in place of rollouts: a function of a `ForwardModel`, in which a
            player is to move, that returns the values of all players, as many finite numbers in
            units of the returns; or (values, priors), priors being the probabilities of the model's
            `legal_actions`, in their order, for "puct". Slow, as Python is: the search spends its
            time in the function.
        batch_size: If given, the evaluator is called with a list of at most so many models and
            returns a list of such answers. A leaf that waits counts, for the leaves collected after
            it, as an iteration that lost ``virtual_loss``.
        virtual_loss: In units of the returns, 0 or more.
        heuristic: Which of the model's ``heuristics`` a tree policy that looks at one looks at;
            None for the first.
        expansion: Which untried action is added: "uniform", a random one, or "ordered", the one
            that comes first in the model's `ordered_actions`.
        first_play_urgency: Value of an untried action in comparison with those that the tree policy
            gives the tried ones: while one of these is higher, no action is added (Gelly and Wang
            2006, "Exploration exploitation in Go"). None: all are tried before one is chosen; with
            "puct": the mean return of the actions tried so far.
        widening: (k, alpha): a node with N visits has at most k * N**alpha children, rounded up
            (progressive widening; Coulom 2007, "Computing Elo ratings of move patterns in the game
            of Go"). None: as many as there are actions.
        solver: Whether exact values are proven from the ends of the game upwards, in games for one
            or, zero-sum, two players (Winands, Björnsson and Saito 2008, "Monte-Carlo tree search
            solver"). The search stops when the root is proven.
        max_return: The highest return there is, from which the solver concludes more.
        weight_doubling: Iterations after which a return weighs twice as much in the means as one
            now; None if all weigh the same. Not where chance nodes weight their outcomes.
        time_limit: Budget in seconds.
        model_calls: Budget in actions and chance outcomes applied to forward models.
        chance_backup: "weighted": the mean of a chance node is the mean over the outcomes seen so
            far by their probabilities. "sampled": the plain mean of the returns.
        resample_terminals: Whether a terminal node selected again draws its return anew, or reuses
            the first one. It matters only in games whose returns at the end are random.
        recommendation: "robust" (most visited action), "max" (highest mean), "robust-max" (both,
            else most visited) or "secure" (highest mean - 1/sqrt(visits)); Chaslot et al. (2008),
            "Progressive strategies for Monte-Carlo tree search". Ties are broken at random.
        max_nodes: Cap on the nodes of the tree, 2 or more (about 100 MB a million in the base
            game). At the cap the search goes on without growth: it descends through the actions it
            has and plays on from where the tree ends.
        trees: Independent trees, each in a thread of its own and with its share of the iterations
            and model calls; what they found out about the root's actions is added up (root
            parallelism; Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo tree
            search"). The tree in the result is that of the first one.
        determinize: Whether each tree knows one random future: all chance outcomes to come are
            drawn before the search, where the game can (Carcassonne: the order of the tiles).
        vote: "visits", or "majority": the action that most trees recommend.
        reuse_tree: Whether a search goes on with the part of the tree before that is still of use;
            `advance` tells what happened since.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng` to start from. The
            same seed gives the same trees, search after search, unless time is the budget.

    Raises:
        ValueError: If an argument is out of range or names nothing known.
    """

    name = "mcts"

    seed: InitVar[Seed] = field(default=None, kw_only=True)

    def __post_init__(self, seed: Seed) -> None:
        """Checks the options."""
        self.check()
        self._kept: list[Search] = []
        self._moves: list[int] = []
        self.rng = Rng(seed)

    def search(self, game: Any) -> SearchResult:
        """Searches the position and says what was found.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.

        Returns:
            A `SearchResult`. Its actions are those of the model.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move.
        """
        start = time.perf_counter()
        model = model_to_move(model_of(game).clone())  # other threads may change the game's
        rng = Rng(self.rng)
        searches = self._searches(model, rng)
        found = self._grow_all(searches)
        first, *others = searches
        seconds = time.perf_counter() - start
        result = self._reported(result_of(first, self.recommendation, seconds, others), found)
        if self.vote == "majority":
            result = replace(result, action=self._favourite(searches, result))
        self.rng = rng  # the next search goes on with the stream; one interrupted leaves none
        self._kept, self._moves = (searches, []) if self.reuse_tree else ([], [])
        return result

    def principal_variation(self, result: SearchResult) -> list[tuple[int, int]]:
        """The recommended action, and the line of most visited children after it."""
        return result.search_tree.principal_variation(result.action)

    def advance(self, action: int) -> None:
        """Tells the planner what happened since its last search, with ``reuse_tree``.

        Args:
            action: An action, of whatever player, or a chance outcome, as the model numbers them.
                All are to be told, in order; otherwise the tree is begun anew.
        """
        if self.reuse_tree:
            self._moves.append(action)

    def __getstate__(self) -> dict[str, Any]:
        """Without the trees that are kept."""
        return self.__dict__ | {"_kept": [], "_moves": []}

    def _searches(self, model: ForwardModel, rng: Rng) -> list[Search]:
        """A search for each tree, with its share of the budgets and what is kept for it."""
        rngs = [rng] if self.trees == 1 else [Rng(rng.below(2**32 - 1)) for _ in range(self.trees)]
        searches = [Search(model, self._new_tree_policy(), r, self) for r in rngs]
        for i, search in enumerate(searches):
            budgets = (self.iterations, self.model_calls)
            search.limit(*(b and (b + i) // self.trees for b in budgets))
        for search, earlier in zip(searches, self._kept, strict=False):
            search.adopt(earlier, self._moves)
        return searches

    def _reported(self, result: SearchResult, found: Any) -> SearchResult:
        """The result, with what `_grow` found beside it."""
        return result

    def _grow_all(self, searches: list[Search]) -> Any:
        """Spends the budgets, of several searches in a thread each."""
        if len(searches) == 1:
            return self._grow(searches[0])
        with ThreadPoolExecutor(len(searches)) as executor:
            try:
                futures = [executor.submit(search.spend) for search in searches]
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                for search in searches:  # where there was an exception; others are through
                    search.stop()
        for future in futures:
            future.result()
        return None

    def _favourite(self, searches: list[Search], total: SearchResult) -> int:
        """The action that most trees recommend, of several the one with most visits in all."""
        votes = Counter(result_of(search, self.recommendation, 0.0).action for search in searches)
        visits = dict(zip(total.actions.tolist(), total.visits.tolist(), strict=True))
        return max(votes, key=lambda action: (votes[action], visits[action]))

    def _new_tree_policy(self) -> TreePolicy:
        """The tree policy of one search."""
        assert isinstance(self.tree_policy, TreePolicy)  # as `Options.check` left it
        return self.tree_policy

    def _grow(self, search: Search) -> Any:
        """Spends the budgets; returns what is to be reported beside the tree."""
        search.spend()
