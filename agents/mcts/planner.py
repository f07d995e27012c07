"""The planner: Monte Carlo tree search with interchangeable parts."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import InitVar, dataclass, field, replace
from typing import Any

from agents.agent import Planner, Watch, model_of, model_to_move
from agents.forward_model import ForwardModel
from agents.mcts.options import Options
from agents.mcts.report import action_of, progress_of, result_of, settle
from agents.mcts.result import SearchResult
from agents.mcts.search import Search, spend_together
from agents.rng import Rng, Seed

PATIENCE = 0.05
"""Seconds for which a planner waits for its threads before it looks for an interrupt."""


@dataclass(eq=False, repr=False)
class MCTS(Options, Planner):
    """Monte Carlo tree search (UCT by default) in any game with a forward model.

    An iteration descends from the root by the tree policy through fully expanded nodes, adds one
    untried action, plays on at random to the end and updates the mean return of every node on the
    path. The mean of a node is in the returns of the player who made the last decision before it,
    and every player maximises their own (max^n; in two-player zero-sum games that is minimax). At a
    chance node an outcome is sampled; a new outcome gets its node in the same iteration.

    The search stops at whichever budget is spent first; 5,000 iterations if none is given.

    Args:
        iterations: Budget in iterations.
        c: Exploration constant of the tree policy, in units of the returns. The default is a
            multiple of the game's ``return_spread`` that each tree policy names, or of 1 if
            rollouts value ends of the game by themselves ("win"). An evaluator with other values
            needs one.
        tree_policy: How a child is chosen: a name in `agents.mcts.names.TREE_POLICIES`, with
            options in parentheses ("epsilon-greedy(epsilon=0.1)"); a `TreePolicy`; a `Formula`, or
            the text of one, in which c may occur; or a function of arrays, see `FunctionPolicy`.
        rollout_policy: How a leaf is valued: a name in `agents.mcts.names.ROLLOUT_POLICIES`, with
            options in parentheses ("truncated(max_moves=4, heuristic=vs)"), or a `RolloutPolicy`.
        rollouts: Rollouts from each new leaf, averaged.
        evaluator: A function that values leaves in place of rollouts. It gets a copy of the model,
            in which a player is to move, and returns the values of all players: one finite number a
            player, in units of the returns. Or it returns a tuple (values, priors), in which priors
            are the probabilities of the model's `legal_actions()`, in that order; the likeliest
            action is then tried first, and "puct" weighs actions by them. Before the first
            iteration the root is evaluated for its priors. Ends of the game are worth their
            returns. The search spends most of its time in the function. Or an evaluator in C,
            an `agents.evaluator.NativeEvaluator`, such as the text "afterstates(heuristic=
            outlook, temperature=0.01)", which values the position after each action by a
            heuristic. Each action counts as a model call.
        batch_size: If given, the evaluator gets a list of at most this many models and returns a
            sequence of as many answers. A batch ends early at a leaf that is in it already.
        virtual_loss: Steers further descents away from a leaf while it waits for its batch: each
            node on its path counts one more visit, whose return is this much below the node's mean
            (a new node has the mean of its siblings; the first one the first-play urgency or, if
            that is None, 0). In units of the returns, 0 or more; None takes the game's
            ``return_spread``.
        root_noise: (share, alpha), for learning from self-play: the priors of the root's actions
            become (1 - share) * priors + share * noise, in which the noise is drawn from a
            symmetric Dirichlet distribution with concentration alpha (Silver et al. 2018, "A
            general reinforcement learning algorithm that masters chess, shogi, and Go through
            self-play"). It needs an evaluator.
        heuristic: One of the model's ``heuristics``, for tree policies that use one; None for the
            first.
        expansion: Which untried action is added: "uniform", a random one; or "ordered", the first
            one in the model's `ordered_actions`. An evaluator's priors take the place of this.
        first_play_urgency: Value of an untried action (Gelly and Wang 2006, "Exploration
            exploitation in Go"). As long as the tree policy gives a tried action a higher value, no
            untried one is added. None: all actions are tried before one is tried again. "puct" adds
            its exploration term to this value, and for None takes the mean return of the actions
            tried so far.
        widening: (k, alpha): a node with N visits has at most k * N**alpha children, rounded up
            (progressive widening; Couëtoux et al. 2011, "Continuous upper confidence trees"). None:
            as many as there are actions.
        solver: Whether exact values are proven from the ends of the game upwards, in games for one
            or, zero-sum, two players (Winands, Björnsson and Saito 2008, "Monte-Carlo tree search
            solver"). The search stops when the root is proven; it raises an error at an end whose
            returns do not sum to 0.
        max_return: The highest possible return: for the solver, an action proven to bring it proves
            the node of the player who moves. Without it, a node is proven only once all its actions
            are: give 1 in games that are won, drawn or lost.
        time_limit: Budget in seconds, looked at between rollouts, none of which is cut short.
        model_calls: Budget in actions and chance outcomes applied to forward models.
        chance_selection: Which outcome of a chance node is visited: "sampled", a random one by
            its probability; or "stratified", the one whose number of visits is furthest below its
            expected number. The means then vary less between searches, and siblings are compared
            on nearly the same outcomes. Best with an evaluator, which sees what an outcome is worth
            at its first visit. Where a full tree lacks nodes of outcomes, they are sampled.
        chance_backup: "weighted": the mean of a chance node is the mean over the outcomes seen so
            far by their probabilities. Nodes above it average the returns of the iterations
            through them, as without chance. "sampled": the chance node does so, too.
        resample_terminals: Whether a terminal node draws new returns at every visit, or keeps its
            first ones. It matters only in games whose returns at the end are random.
        recommendation: "robust" (the most visited action; of several, the one with the highest
            mean), "max" (the highest mean) or "secure" (the highest mean - margin / sqrt(visits);
            the margin, Chaslot's A, is the game's ``return_spread``, or a number in units of the
            returns, as in "secure(margin=0.05)"; Chaslot et al. 2008, "Progressive strategies for
            Monte-Carlo tree search"). Remaining
            ties are broken at random. "robust-random" breaks all ties of visits at random, as the
            programs of some publications do: after few iterations, when most actions have equally
            many visits, it plays much worse. "robust-max", the action that has both the most visits
            and the highest mean, else the most visited one, is always that of "robust".
        max_nodes: Cap on the nodes of the tree, 2 or more (about 100 MB a million in the base
            game). At the cap the tree stops growing: the search descends through the nodes it has,
            and plays on, or evaluates, from the edge of the tree.
        standard_errors: Whether the tree keeps the deviations of returns, so that the result has
            `SearchResult.standard_errors`. It takes 70 bytes more a node and does not change the
            search.
        trees: Independent trees, each in a thread of its own and with its share of the iterations
            and model calls; the visits and means of the root's actions are combined (root
            parallelism; Chaslot, Winands and van den Herik 2008, "Parallel Monte-Carlo tree
            search"). The result holds the first tree.
        determinize: Whether each tree searches one sampled future: all chance outcomes to come are
            drawn before the search, in games that support it (Carcassonne: the order of the tiles).
        vote: How trees are combined: "visits" adds up their visits, "majority" plays the action
            that most trees recommend.
        phases: Number of phases into which the budgets are split evenly (bridge burning; Justesen,
            Mahlmann, Risi and Togelius 2017, "Playing Multi-Action Adversarial Games: Online
            Evolution versus Tree Search"). After each but the last, the action that
            `recommendation` prefers is settled for good, and the search goes on below it. Nothing
            more is settled once that action ends the player's turn, or chance follows it.
        reuse_tree: Whether a search starts from the part of the previous tree that lies below the
            new position; the planner must be told all moves since, with `advance`.
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`. The
            same seed gives the same trees, search after search, unless time is the budget.

    Raises:
        TypeError: If the evaluator is neither text nor an evaluator in C, and cannot be called.
        ValueError: If an argument is out of range, names nothing known, or does not go with
            another one.
    """

    name = "mcts"

    seed: InitVar[Seed] = field(default=None, kw_only=True)

    def __post_init__(self, seed: Seed) -> None:
        """Checks the options."""
        _ = self._policy  # raises
        self._kept: list[Search] = []
        self._moves: list[int] = []
        self.rng = Rng(seed)

    def search(self, game: Any, *, watch: Watch | None = None) -> SearchResult:
        """Searches a position: see `Planner.search`.

        `watch` gets the result so far (of several trees, that of the first), or None before the
        first iteration. Its tree goes on growing once the function returns: whoever reads it then,
        in another thread, may get RuntimeError. The search takes the same course with and without
        it.

        Raises:
            ValueError: Also if an evaluator or a tree policy in Python returns what it must not,
                and if ``max_return`` is below a return.
        """
        start = time.perf_counter()
        model = model_to_move(model_of(game).clone())  # other threads may change the game's
        rng = self.rng.copy()
        searches = self._searches(model, rng)
        first, *others = searches
        if watch is not None:
            self._show(searches, watch, start)
        found = self._grow_all(searches)
        first.look = None
        seconds = time.perf_counter() - start
        result = self._reported(result_of(first, self.recommendation, seconds, others), found)
        if self.vote == "majority":
            result = replace(result, action=self._favourite(searches, result))
        self.rng = rng  # only now: a search that is interrupted consumes no random numbers
        self._kept, self._moves = (searches, []) if self.reuse_tree else ([], [])
        return result

    def search_many(self, games: Iterable[Any]) -> list[SearchResult]:
        """Searches many positions in lockstep: the evaluator values leaves of all in one call.

        Args:
            games: Positions, as `search` takes them; not changed. The evaluator gets a list of at
                most ``batch_size`` models for each of them.

        Returns:
            A `SearchResult` for each position. It is that of a separate search, with a seed that is
            drawn from the planner's generator; ``seconds`` is the time for all of them.

        Raises:
            TypeError, ValueError: As in `search`; also if the planner has no ``batch_size``, or has
                ``phases`` or ``reuse_tree``.
        """
        if self.batch_size is None or self.phases > 1 or self.reuse_tree:
            raise ValueError(
                "search_many needs an evaluator with batch_size, phases=1 and reuse_tree=False, "
                f"got batch_size={self.batch_size!r}, phases={self.phases!r} and "
                f"reuse_tree={self.reuse_tree!r}"
            )
        start = time.perf_counter()
        rng = self.rng.copy()
        searches: list[Search] = []
        for game in games:
            model = model_to_move(model_of(game))
            searches += self._searches(model, Rng(rng))
        spend_together(searches)
        seconds = time.perf_counter() - start
        self.rng = rng
        return [result_of(search, self.recommendation, seconds) for search in searches]

    def principal_variation(self, result: SearchResult) -> list[tuple[int, int]]:
        """The recommended action, and the line of most visited children after it."""
        return result.search_tree.principal_variation(result.settled or (result.action,))

    def advance(self, action: int) -> None:
        """Tells the planner, for ``reuse_tree``, one move since its last search.

        Args:
            action: An action of any player, or a chance outcome, as the model numbers them. If one
                is left out, or the order is wrong, the next search starts a new tree.
        """
        if self.reuse_tree:
            self._moves.append(action)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out the trees kept for ``reuse_tree``, and the policy, which is made anew."""
        state = self.__dict__ | {"_kept": [], "_moves": []}
        state.pop("_policy", None)
        return state

    def _searches(self, model: ForwardModel, rng: Rng) -> list[Search]:
        """One search for each tree, with its share of the budgets and its kept tree."""
        rngs = [rng] if self.trees == 1 else rng.spawn(self.trees)
        searches = [Search(model, self._policy, r, self) for r in rngs]
        for i, search in enumerate(searches):
            iterations = self.iterations and (self.iterations + i) // self.trees
            calls = self.model_calls and (self.model_calls + i) // self.trees
            search.limit(iterations, calls, self.time_limit)
        for search, earlier in zip(searches, self._kept, strict=False):
            search.adopt(earlier, self._moves)
        return searches

    def _reported(self, result: SearchResult, found: Any) -> SearchResult:
        """The result together with what `_grow` returned."""
        return result

    def _so_far(self, search: Search, seconds: float) -> SearchResult:
        """The result so far of a search that goes on."""
        return progress_of(search, self.recommendation, seconds)

    def _show(self, searches: list[Search], watch: Watch, start: float) -> None:
        """Connects `watch` to the first search; once it returns True, all searches stop."""
        latest: SearchResult | None = None

        def look(is_whole: bool) -> None:
            nonlocal latest
            if is_whole:
                latest = self._so_far(searches[0], time.perf_counter() - start)
            if watch(latest):
                for search in searches:
                    search.stop()

        searches[0].look = look

    def _grow_all(self, searches: list[Search]) -> Any:
        """Spends the budgets; several searches run in a thread each."""
        if len(searches) == 1:
            return self._grow(searches[0])
        with ThreadPoolExecutor(len(searches)) as executor:
            try:
                running = {executor.submit(search.spend) for search in searches}
                while running:  # a signal that reaches another thread does not end a wait
                    ended, running = wait(running, PATIENCE, FIRST_EXCEPTION)
                    for future in ended:
                        future.result()
            finally:
                for search in searches:  # an exception in one ends the others
                    search.stop()
        return None

    def _favourite(self, searches: list[Search], total: SearchResult) -> int:
        """The action that most trees recommend; on ties the one with most visits in all."""
        votes = Counter(action_of(search, self.recommendation) for search in searches)
        visits = dict(zip(total.actions.tolist(), total.visits.tolist(), strict=True))
        return max(votes, key=lambda action: (votes[action], visits[action]))

    def _grow(self, search: Search) -> Any:
        """Spends the budgets; returns what the result reports beside the tree."""
        budgets = (self.iterations, self.model_calls, self.time_limit)
        for phase in range(1, self.phases):
            search.limit(*budgets, phase, self.phases)
            search.spend()
            if not settle(search, self.recommendation):
                break
        search.limit(*budgets)
        search.spend()
