# distutils: extra_compile_args = -O1
"""Reports a search: the action to play, and the `SearchResult`."""

import numpy as np

from libc.math cimport INFINITY, NAN, sqrt
from libc.stdint cimport int32_t, int64_t, uint32_t

from agents.mcts.iteration cimport ROOT, step_to
from agents.mcts.policies cimport argmax
from agents.mcts.search cimport Search
from agents.mcts.tree cimport Node, Tree, mean_of_children
from agents.rng cimport rng_t

from agents.mcts.names import recommendation_of
from agents.mcts.result import SearchResult


def result_of(
    Search search not None, str recommendation, double seconds, others: Sequence[Search] = ()
) -> SearchResult:
    """The `SearchResult` of a search, combined with other searches of the same position.

    Args:
        search: The search whose tree is in the result.
        recommendation: One of `agents.mcts.names.RECOMMENDATIONS`, as text; see `MCTS`.
        seconds: Wall time.
        others: Further searches.
    """
    cdef Tree total = summary([search, *others]) if others else search.tree
    cdef const Node* root = &total.nodes[ROOT]
    cdef int64_t iterations = search.iterations, calls = search.calls
    cdef Search other
    for other in others:
        iterations += other.iterations
        calls += other.calls
    actions = np.sort(np.asarray(search.root.legal_actions(), dtype=np.int32))
    settled = settled_actions(search)
    action = settled[0] if settled else recommended_action(search, total, recommendation)
    visits, means = statistics_of(total, actions)
    return SearchResult(
        action=action,
        model=search.root.clone(),
        player=search.player,
        actions=actions,
        visits=visits,
        means=means,
        standard_errors=standard_errors([search, *others], actions),
        policy_values=policy_values(search, actions),
        value=root.mean,
        is_proven=bool(root.is_proven),
        iterations=iterations,
        model_calls=calls,
        seconds=seconds,
        search_tree=search.tree,
        tree_iterations=search.iterations,
        settled=settled,
        tree_policy=repr(search.tree_policy),
        points=None if search.rollout_policy.changes_returns else search.root.max_score(),
    )


def progress_of(Search search not None, str recommendation, double seconds) -> SearchResult:
    """The `SearchResult` so far of a search that goes on; the arguments are those of `result_of`.

    The search takes the same course as without the report: ties are broken at random, but the random numbers
    are given back.
    """
    cdef rng_t state = search.rng.state
    try:
        return result_of(search, recommendation, seconds)
    finally:
        search.rng.state = state


def action_of(Search search not None, str recommendation) -> int:
    """The action that a search without settled ones recommends."""
    return recommended_action(search, search.tree, recommendation)


cdef int32_t recommended_action(Search search, Tree tree, str recommendation) except? -1:
    return tree.nodes[tree.nodes[ROOT].first_child + recommended(search, tree, ROOT, recommendation)].action


cdef tuple statistics_of(Tree tree, actions):
    """Visits and mean of each action of the root, 0 and NaN for those without a child."""
    cdef const Node* root = &tree.nodes[ROOT]
    cdef const Node* children = &tree.nodes[root.first_child]
    cdef int i
    rows = rows_of_children(tree, actions)
    visits = np.zeros(len(actions), dtype=np.int64)
    means = np.full(len(actions), NAN)
    visits[rows] = [children[i].visits for i in range(root.num_children)]
    means[rows] = [children[i].mean for i in range(root.num_children)]
    return visits, means


cdef object standard_errors(list searches, actions):
    """Standard error of the mean of each action of the root, NaN where it is not known."""
    cdef Tree tree
    cdef Search search
    cdef const Node* root
    cdef int i
    counts, totals, squares = np.zeros((3, len(searches), len(actions)))
    for row, search in enumerate(searches):
        tree = search.tree
        if not tree.has_details:
            return np.full(len(actions), NAN)
        root = &tree.nodes[ROOT]
        for i, column in enumerate(rows_of_children(tree, actions)):
            counts[row, column] = tree.details[root.first_child + i].count
            totals[row, column] = tree.details[root.first_child + i].mean * counts[row, column]
            squares[row, column] = tree.details[root.first_child + i].squares
    count = counts.sum(0)
    with np.errstate(invalid="ignore", divide="ignore"):
        apart = counts * (totals / counts - totals.sum(0) / count) ** 2   # of the trees' own means
        return np.sqrt((squares.sum(0) + np.nansum(apart, 0)) / np.where(count > 1, count - 1, NAN) / count)


cdef object policy_values(Search search, actions):
    """Value of each action of the root by the tree policy, NaN for those without a child."""
    cdef const Node* root = &search.tree.nodes[ROOT]
    cdef int i
    values = np.full(len(actions), NAN)
    if root.num_children:
        search.tree_policy.c_values(search.tree, ROOT, 0, search.values)
    rows = rows_of_children(search.tree, actions)
    values[rows] = [search.values[i] for i in range(root.num_children)]
    return values


cdef object rows_of_children(Tree tree, actions):
    """The index of each child of the root in `actions`, which ascend."""
    cdef const Node* root = &tree.nodes[ROOT]
    cdef const Node* children = &tree.nodes[root.first_child]
    cdef int i
    played = [children[i].action for i in range(root.num_children)]
    return np.searchsorted(actions, np.array(played, dtype=np.int32))


def settle(Search search not None, str recommendation) -> bool:
    """Moves the start of all descents down to its best child, if the same player is to move there.

    The path of each iteration still begins at the root, so that the nodes above count all iterations.

    Args:
        search: The search, between two phases.
        recommendation: Which child is best, see `MCTS`.

    Returns:
        Whether the start moved.
    """
    cdef uint32_t start = search.path[search.num_settled].node
    cdef uint32_t child = search.tree.nodes[start].first_child
    if search.tree.nodes[start].num_children == 0:   # the tree is full, or no iteration has come here
        return False
    child += recommended(search, search.tree, start, recommendation)
    if search.tree.nodes[child].player != search.player:
        return False
    search.base = search.base.c_clone()
    search.base.c_apply_action(search.tree.nodes[child].action)
    search.calls += 1
    search.num_settled += 1
    search.path_length = search.num_settled
    step_to(search, child, search.player)   # the node stays in place: those above get no more children
    return True


cdef tuple settled_actions(Search search):
    """The settled actions, first to last."""
    cdef int i
    return tuple([search.tree.nodes[search.path[i + 1].node].action for i in range(search.num_settled)])


cdef int recommended(Search search, Tree tree, uint32_t parent, str recommendation) except -1:
    """Index of the child of a node to play, a random one among ties."""
    cdef const Node* children = &tree.nodes[tree.nodes[parent].first_child]
    cdef int i, count = tree.nodes[parent].num_children, pick
    cdef uint32_t most_visits = 0
    cdef double* values = search.values
    rule, chosen_margin = recommendation_of(recommendation)
    cdef bint is_by_visits = rule not in ("max", "secure"), is_random = rule == "robust-random"
    cdef double margin = search.return_spread if chosen_margin is None else chosen_margin
    for i in range(count):
        if not children[i].is_proven:
            most_visits = max(most_visits, children[i].visits)
    for i in range(count):
        if children[i].is_proven or (is_by_visits and children[i].visits < most_visits):
            values[i] = NAN   # out of the choice
        elif is_random:
            values[i] = 0
        else:
            values[i] = children[i].mean - margin / sqrt(children[i].visits)
    pick = argmax(values, count, &search.rng.state)
    return proven_or(search, pick) if search.is_solving else pick


cdef int proven_or(Search search, int pick) except -1:
    """Index of the best proven child of the root if its value is not below that of `pick`; else `pick`."""
    cdef const Node* root = &search.tree.nodes[ROOT]
    cdef const Node* children = &search.tree.nodes[root.first_child]
    cdef int i, best
    for i in range(root.num_children):
        search.values[i] = children[i].mean if children[i].is_proven else -INFINITY
    best = argmax(search.values, root.num_children, &search.rng.state)
    if children[best].is_proven and (children[best].mean >= children[pick].mean or root.is_proven):
        return best
    return pick


cdef Tree summary(list searches):
    """A root and its children with the combined visits and means of several searches."""
    cdef Tree total = Tree()
    cdef Search search
    cdef const Node* source
    cdef Node* target
    cdef uint32_t i, index, first
    for search in searches:
        first = search.tree.nodes[ROOT].first_child
        for i in range(first, first + search.tree.nodes[ROOT].num_children):
            source = &search.tree.nodes[i]
            index = total.child(ROOT, source.action) or total.add_child(ROOT, source.action, 1, 0)
            target = &total.nodes[index]
            target.visits += source.visits
            target.mean += (source.mean - target.mean) * source.visits / target.visits
    total.nodes[ROOT].mean = mean_of_children(total, ROOT)
    return total
