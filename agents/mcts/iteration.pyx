"""One iteration of Monte Carlo tree search, in the order in which it runs: select, expand, simulate, back up.

Browne et al. (2012), "A survey of Monte Carlo tree search methods". `iterate` calls the four steps. They work
at the end of the current path, `last_node`. The fields of `SearchState` are explained in ``iteration.pxd``,
those of a node in ``tree.pxd``. A node's `player` is who moves there, and its mean is that of its *decider*,
the player who decided last before it: selection takes the highest mean and never negates one. A decision node
is *listed* once the tree holds its legal actions; those at the front of its list, the *untried* ones, have no
child yet.

With rollouts, a node is listed when the descent first goes on from it. An evaluator lists a decision node in
the iteration that adds it, together with its value; it values no chance nodes, and the descent passes through
them.

What follows the four steps serves options: the solver, the statistics of RAVE, and evaluators in place of
rollouts.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter
from libc.math cimport INFINITY, pow
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from agents.evaluator cimport sort_by_rating
from agents.forward_model cimport (
    CHANCE, TERMINAL, ForwardModel, allocated, check_zero_sum, data_of, give_way, list_in_order,
    sort_actions, watch_rollout,
)
from agents.mcts.policies cimport UCB1, argmax, highest_bound
from agents.mcts.tree cimport Detail, Node, Tree, weighted_mean
from agents.rng cimport rng_below

from agents.agent import WATCH_SECONDS
from agents.mcts.policies import numbers_of


cdef enum:
    MAX_PLAYERS = 127        # of the one byte in a node
    MAX_ACTIONS = 0xFFFF     # of one node, counted in 16 bits
    PAUSE_INTERVAL = 10000   # rollouts, and actions in them, between two pauses of an iteration


cdef int iterate(SearchState s) except -1 nogil:
    """One iteration: selection and expansion (`descend`), simulation, backup. The caller counts it."""
    descend(s)
    simulate(s)
    if not s.is_frozen:
        backpropagate(s)
    return 0


# --- Selection: by the tree policy where a player moves, by the game's probabilities at chance nodes ---


cdef int descend(SearchState s) except -1 nogil:
    """Descends with the model to a leaf, where the path ends; a new one if the tree may grow.

    With rollouts, a new outcome is no leaf yet: the descent goes on to the first action after it.
    """
    cdef const Node* node
    s.model.c_copy_from(s.base)
    s.path_length = s.num_settled + 1
    s.is_outside = False
    node = last_node(s)
    while not node.is_proven:
        if node.player < 0:   # one comparison finds chance nodes and ends
            if node.player == TERMINAL or not draw(s):
                break
            node = last_node(s)
        elif not node.is_listed and not list_actions(s):   # a list moves no node
            break
        elif node.num_untried and is_to_grow(s, node):
            if not expand(s):
                break
            node = last_node(s)
        else:
            node = select(s, node)
    s.calls += s.path_length - s.num_settled - 1
    return 0


cdef inline const Node* select(SearchState s, const Node* node) except NULL nogil:
    """Steps to the child that the tree policy chooses, or to the next best if that is proven; returns it.

    A proven child has its value already: more iterations through it would teach nothing.
    """
    cdef const Node* children = s.tree.nodes + node.first_child
    cdef int pick
    # Plain UCB1 without a virtual call saves 6 % of the time on the FOP, nothing measurable in Carcassonne.
    if node.visits < s.tree_policy.num_tabled:
        pick = highest_bound(
            children,
            node.num_children,
            (<UCB1> s.tree_policy).factor,
            (<UCB1> s.tree_policy).roots[node.visits],
            &s.rng.state,
        )
    else:
        pick = s.tree_policy.c_select(
            s.tree, last_step(s).node, s.path_length - 1, s.values, &s.rng.state
        )
    if children[pick].is_proven:
        pick = best_unproven(s)
    s.model.c_apply_action(children[pick].action)
    step_to(s, node.first_child + pick, node.player)
    return children + pick


cdef int best_unproven(SearchState s) except -1 nogil:
    """Index of the child that the tree policy values most among those not proven; a random one if all are."""
    cdef const Node* node = last_node(s)
    cdef int i
    s.tree_policy.c_values(s.tree, last_step(s).node, s.path_length - 1, s.values)
    for i in range(node.num_children):
        if s.tree.nodes[node.first_child + i].is_proven:
            s.values[i] = -INFINITY
    return argmax(s.values, node.num_children, &s.rng.state)


cdef bint draw(SearchState s) except -1 nogil:
    """Samples an outcome and steps to its child; returns False if the tree has none and may not grow."""
    cdef uint32_t child
    cdef int32_t outcome = 0
    if s.is_stratified and not (s.is_frozen or last_node(s).is_truncated):
        outcome = draw_stratified(s)
    else:
        s.model.c_sample_chance(&s.rng.state, &outcome)
    child = s.tree.child(last_step(s).node, outcome)
    if child != NOWHERE:
        s.model.c_apply_action(outcome)
        step_to(s, child, last_step(s).decider)
    elif s.tree.num_nodes < s.max_nodes and not s.is_frozen:
        add_child(s, outcome, probability(s, outcome))
    else:
        if not s.is_frozen:
            last_node(s).is_truncated = True
        s.model.c_apply_action(outcome)
        s.calls += 1
        s.is_outside = True
    return not s.is_outside


cdef int32_t draw_stratified(SearchState s) except? -1 nogil:
    """The outcome whose visits are furthest below their expected number; a random one among ties.

    Only where each outcome drawn has a node that counts its visits: any other would be drawn again and again.
    """
    cdef const Node* node = last_node(s)
    cdef const Node* child
    cdef int i, k, count = s.model.c_chance_outcomes(s.outcomes, s.values)
    for i in range(count):
        s.values[i] *= node.visits + 1
    for k in range(node.num_children):
        child = &s.tree.nodes[node.first_child + k]
        for i in range(count):
            if s.outcomes[i] == child.action:
                s.values[i] -= child.visits
                break
    return s.outcomes[argmax(s.values, count, &s.rng.state)]


cdef double probability(SearchState s, int32_t outcome) except -1 nogil:
    """The probability of an outcome at the model's chance node."""
    cdef int i, count = s.model.c_chance_outcomes(s.outcomes, s.values)
    for i in range(count):
        if s.outcomes[i] == outcome:
            return s.values[i]
    with gil:
        raise ValueError(f"chance drew {outcome}, which is not among chance_outcomes()")


# --- Expansion: nodes get their children one by one ---


cdef bint list_actions(SearchState s) except -1 nogil:
    """Lists the legal actions of the model's position as the untried actions of the last node.

    Returns whether it did: a frozen tree stays, and an evaluator values a node before its children.
    """
    cdef uint32_t first
    cdef int count
    if s.is_frozen or s.is_evaluating:
        return False
    first = s.tree.reserve_actions(s.root.max_legal_actions)
    if s.is_ordered:
        count = list_in_order(s.model, s.tree.actions + first)
        reverse(s.tree.actions + first, count)   # the last one is tried first
    else:
        count = s.model.c_legal_actions(s.tree.actions + first)
    note_list(s, first, count)
    return True


cdef void reverse(int32_t* actions, int count) noexcept nogil:
    cdef int i
    for i in range(count // 2):
        actions[i], actions[count - 1 - i] = actions[count - 1 - i], actions[i]


cdef int note_list(SearchState s, uint32_t first, int count) except -1 nogil:
    """Makes `count` actions of the tree, from index `first` on, the untried actions of the last node."""
    cdef Node* node = last_node(s)
    if not 0 < count <= MAX_ACTIONS:
        with gil:
            raise ValueError(f"a position has {count} legal actions, MCTS takes 1 to {MAX_ACTIONS}")
    s.tree.num_actions = first + count
    node.payload = first
    node.num_untried = count
    node.is_listed = True
    return 0


cdef inline bint is_to_grow(SearchState s, const Node* node) except -1 nogil:
    """Whether the descent takes the next untried action of a node, and not one of the node's children.

    A node without children always answers yes, even if the tree is full: `expand` then ends the descent.
    """
    if node.num_children == 0:
        return True
    return s.tree.num_nodes < s.max_nodes and (not s.is_selective or has_room(s))


cdef bint has_room(SearchState s) except -1 nogil:
    """Whether the last node, which has children and untried actions, gets one more child now.

    It gets none where progressive widening bounds the number of children, or where a child that is not proven
    has a higher value than the urgency of the next untried action. If all children are proven, it gets one.
    """
    cdef uint32_t index = last_step(s).node
    cdef const Node* node = last_node(s)
    cdef double urgency
    cdef int i, num_open = 0
    for i in range(node.num_children):
        num_open += not s.tree.nodes[node.first_child + i].is_proven
    if num_open == 0:
        return True
    if node.num_children >= s.widening_factor * pow(node.visits, s.widening_exponent):
        return False
    urgency = s.tree_policy.c_urgency(s.tree, index, s.path_length - 1, s.first_play_urgency)
    if urgency < INFINITY:
        s.tree_policy.c_values(s.tree, index, s.path_length - 1, s.values)
        for i in range(node.num_children):
            if s.values[i] > urgency and not s.tree.nodes[node.first_child + i].is_proven:
                return False
    return True


cdef bint expand(SearchState s) except -1 nogil:
    """Adds the child of the next untried action and steps to it, if the tree may grow.

    Returns whether the descent goes on: an evaluator values no chance nodes.
    """
    cdef Node* node = last_node(s)
    cdef int last = node.num_untried - 1
    cdef int32_t* untried = s.tree.actions + node.payload
    cdef int pick = last
    cdef int32_t action
    cdef double prior = 1
    if s.is_frozen or s.tree.num_nodes >= s.max_nodes:
        return False
    if s.tree.has_priors:
        prior = s.tree.prior_of_next(last_step(s).node)
    elif not s.is_ordered:
        pick = <int> rng_below(&s.rng.state, last + 1)
    action = untried[pick]
    untried[pick] = untried[last]
    node.num_untried = last
    add_child(s, action, prior)
    return s.is_evaluating and last_node(s).player == CHANCE


cdef int add_child(SearchState s, int32_t action, double probability) except -1 nogil:
    """Adds the child of an action or outcome, applies it to the model and steps to the child."""
    cdef uint32_t child = s.tree.add_child(last_step(s).node, action, probability, s.iterations)
    cdef int player = last_node(s).player
    s.model.c_apply_action(action)
    s.tree.nodes[child].player = s.model.c_current_player()
    step_to(s, child, last_step(s).decider if player == CHANCE else player)
    if s.heuristic >= 0:
        note_heuristic(s)
    return 0


cdef int note_heuristic(SearchState s) except -1 nogil:
    """Stores the heuristic value of a new node for its decider; at the end of the game the return."""
    if last_node(s).player == TERMINAL:
        s.model.c_returns(s.returns)
    else:
        s.model.c_heuristic(s.heuristic, s.returns)
    s.tree.details[last_step(s).node].heuristic = s.returns[last_step(s).decider]
    return 0


# --- Simulation: rollouts from the leaf, or other values of it ---


cdef int simulate(SearchState s) except -1 nogil:
    """Fills `means`, by player, with the value of the leaf, at whose position the model is."""
    cdef const Node* leaf = last_node(s)
    if leaf.is_proven:
        set_means(s, last_step(s).decider, leaf.mean)
    elif leaf.player == TERMINAL and s.is_solving:
        prove_terminal(s)
    elif leaf.player == TERMINAL and not s.is_resampling:
        reuse_returns(s)
    elif leaf.player != TERMINAL and s.is_evaluating:
        evaluate_leaf(s)
    elif s.rollouts == 1:
        s.calls += roll_out(s, s.model, s.means)
    else:
        average_rollouts(s)
        return 0
    if s.stamps != NULL:
        note_amaf(s, s.means)
    return 0


cdef inline int roll_out(SearchState s, ForwardModel model, double* returns) except -1 nogil:
    """Plays on from the leaf; returns the number of actions and outcomes applied."""
    if s.stamps != NULL:
        return stamped_rollout(s, model, returns)
    return s.rollout_policy.c_simulate(model, &s.rng.state, returns)


cdef int average_rollouts(SearchState s) except -1 nogil:
    """Fills `means` from all rollouts, or from those before the search is stopped or its time is over."""
    cdef int player, i, num_players = s.root.num_players
    cdef int64_t pause_interval = 1 if s.root.needs_gil else PAUSE_INTERVAL
    cdef int64_t next_pause = s.calls + pause_interval
    cdef double now
    memset(s.means, 0, num_players * sizeof(double))
    for i in range(s.rollouts):
        if s.calls + i >= next_pause:
            next_pause = s.calls + i + pause_interval
            with gil:
                now = s.pause(False)
            if i and (s.is_stopped or now >= s.deadline):
                for player in range(num_players):
                    s.means[player] *= <double> s.rollouts / i
                return 0
        s.playout.c_copy_from(s.model)
        s.calls += roll_out(s, s.playout, s.returns)
        if s.stamps != NULL:
            note_amaf(s, s.returns)
        for player in range(num_players):
            s.means[player] += s.returns[player] / s.rollouts
    return 0


cdef int reuse_returns(SearchState s) except -1 nogil:
    """Fills `means` with the returns drawn when the terminal leaf was first reached."""
    cdef Node* leaf = last_node(s)
    cdef int num_players = s.root.num_players
    if not leaf.is_listed:
        if s.is_frozen:
            return s.model.c_sample_returns(&s.rng.state, s.means)
        leaf.payload = s.tree.reserve_returns(num_players)
        leaf.is_listed = True
        s.model.c_sample_returns(&s.rng.state, s.tree.returns + leaf.payload)
    memcpy(s.means, s.tree.returns + leaf.payload, num_players * sizeof(double))
    return 0


# --- Backup: visits, means, and the statistics that options need ---


cdef void backpropagate(SearchState s) noexcept nogil:
    """Updates the nodes of the path from `means`, from the leaf to the root."""
    # Local copies: without them the compiler reads these fields again after every write to a node.
    cdef const Step* path = s.path
    cdef const double* means = s.means
    cdef Node* nodes = s.tree.nodes
    cdef bint is_solving = s.is_solving
    cdef int i
    cdef Node* node
    if s.tree.has_details:
        for i in range(s.path_length):
            s.tree.note_return(path[i].node, means[path[i].decider])
    for i in range(s.path_length - 1, -1, -1):
        node = &nodes[path[i].node]
        node.visits += 1
        if is_solving and prove(s, node, path[i].decider):
            continue
        if node.player == CHANCE and has_weights(s, node):
            node.mean = weighted_mean(s.tree, node)
        else:
            node.mean += (means[path[i].decider] - node.mean) / node.visits


cdef inline bint has_weights(SearchState s, const Node* node) noexcept nogil:
    """Whether the mean of a chance node weights its outcomes, all of which are in the tree."""
    return s.is_weighted and node.num_children and not node.is_truncated


# --- The solver: exact values, proven from the ends of the game upwards. Winands, Björnsson and Saito (2008),
# "Monte-Carlo tree search solver"; for one or, zero-sum, two players ---


cdef int prove_terminal(SearchState s) except -1 nogil:
    """Fills `means` with the expected returns of a terminal leaf, and marks the leaf as proven.

    Raises ValueError if they do not sum to 0 for two players, or one is above the highest return.
    """
    cdef Node* leaf = last_node(s)
    cdef int player
    s.model.c_returns(s.means)
    check_zero_sum(s.model, s.means)
    for player in range(s.root.num_players):
        if s.means[player] > s.max_return:
            with gil:
                raise ValueError(
                    f"max_return must be the highest return, got {s.max_return}, but {s.model!r} returns "
                    f"{s.means[player]}"
                )
    leaf.mean = s.means[last_step(s).decider]
    leaf.is_proven = True
    return 0


cdef void set_means(SearchState s, int player, double value) noexcept nogil:
    """Fills `means` with a player's value, and with its negative for the other player."""
    cdef int i
    for i in range(s.root.num_players):
        s.means[i] = value if i == player else -value


cdef bint prove(SearchState s, Node* node, int decider) noexcept nogil:
    """Whether a node of the path is proven, if need be by its children now.

    The player who moves can take the best proven child, so if the returns of this iteration are lower, its
    value replaces them in `means`.
    """
    cdef const Node* children = &s.tree.nodes[node.first_child]
    cdef double highest = -INFINITY
    cdef int i, num_proven = 0
    if node.is_proven:
        return True
    for i in range(node.num_children):
        if children[i].is_proven:
            num_proven += 1
            highest = max(highest, children[i].mean)
    if num_proven == 0:
        return False
    if node.player == CHANCE:
        node.is_proven = num_proven == node.num_children and has_all_outcomes(s, node)
        if node.is_proven:
            node.mean = weighted_mean(s.tree, node)
        return node.is_proven
    node.is_proven = highest >= s.max_return or (
        num_proven == node.num_children and node.num_untried == 0
    )
    if node.is_proven:
        node.mean = highest if decider == node.player else -highest
    if highest > s.means[node.player]:
        set_means(s, node.player, highest)
    return node.is_proven


cdef bint has_all_outcomes(SearchState s, const Node* node) noexcept nogil:
    cdef double mass = 0
    cdef uint32_t child
    for child in range(node.first_child, node.first_child + node.num_children):
        mass += s.tree.probabilities[child]
    return mass > 1 - 1e-9


# --- AMAF ("all moves as first"), for RAVE: the returns of rollouts in which an action was played, on the
# path to the leaf or later. Each action has, by player, the number of the last rollout that played it ---


cdef inline uint32_t* stamps_of(SearchState s, int player) noexcept nogil:
    return s.stamps + <size_t> player * s.root.num_actions


cdef int stamped_rollout(SearchState s, ForwardModel model, double* returns) except -1 nogil:
    """A uniformly random rollout that stamps its actions; returns the number of actions and outcomes."""
    cdef int player, calls = 0
    cdef int32_t action
    while True:
        player = model.c_current_player()
        if player == TERMINAL:
            model.c_sample_returns(&s.rng.state, returns)
            return calls
        if player == CHANCE:
            model.c_sample_chance(&s.rng.state, &action)
        else:
            model.c_sample_action(&s.rng.state, &action)
            stamps_of(s, player)[action] = s.stamp
        model.c_apply_action(action)
        watch_rollout(calls)
        calls += 1


cdef void note_amaf(SearchState s, const double* returns) noexcept nogil:
    """Adds the returns of a rollout to each child whose action its player took there or later."""
    cdef uint32_t now = s.stamp
    cdef const Node* node
    cdef uint32_t* stamps
    cdef Detail* detail
    cdef int i, k
    s.stamp += 1
    if s.is_frozen:
        return
    for i in range(s.path_length - 1, -1, -1):
        node = &s.tree.nodes[s.path[i].node]
        if node.player < 0:
            continue
        stamps = stamps_of(s, node.player)
        if i + 1 < s.path_length:
            stamps[s.tree.nodes[s.path[i + 1].node].action] = now
        for k in range(node.num_children):
            if stamps[s.tree.nodes[node.first_child + k].action] == now:
                detail = &s.tree.details[node.first_child + k]
                detail.amaf_count += 1
                detail.amaf_mean += (returns[node.player] - detail.amaf_mean) / detail.amaf_count


# --- Evaluators, in C or in Python ---


cdef int evaluate_leaf(SearchState s) except -1 nogil:
    if s.is_outside and draw_on(s) == TERMINAL:
        return s.model.c_sample_returns(&s.rng.state, s.means)
    if s.native is not None:
        return value_actions(s)
    with gil:
        return note_answer(s, ask(s, [s.model])[0])


cdef int draw_on(SearchState s) except? -99 nogil:
    cdef int32_t outcome = 0
    cdef int player = s.model.c_current_player()
    while player == CHANCE:
        s.model.c_sample_chance(&s.rng.state, &outcome)
        s.model.c_apply_action(outcome)
        s.calls += 1
        player = s.model.c_current_player()
    return player


cdef inline bint takes_list(SearchState s) noexcept nogil:
    """Whether the leaf has the model's position and needs the list of its actions."""
    return not (s.is_outside or s.is_frozen or last_node(s).is_listed)


cdef int value_actions(SearchState s) except -1 nogil:
    """Has the evaluator in C fill `means` and list the actions of the leaf."""
    cdef uint32_t first = s.tree.reserve_actions(s.root.max_legal_actions)
    cdef int count = s.native.c_evaluate(
        s.model, s.tree.actions + first, s.tree.priors + first, s.means
    )
    s.calls += count
    if takes_list(s):
        return note_list(s, first, count)
    s.tree.num_actions = first   # gives the room back
    return 0


cdef list ask(SearchState s, list models):
    cdef ForwardModel model
    if not models:
        return []
    models = [model.clone() for model in models]   # the evaluator may do with them what it likes
    if not s.is_batched:
        return [s.evaluator(models[0])]
    answers = s.evaluator(models)
    found = len(answers) if hasattr(answers, "__len__") else repr(answers)
    if found != len(models):
        raise ValueError(
            f"evaluator must return a sequence of {len(models)} answers, one a model, got {found}"
        )
    return list(answers)


cdef int note_answer(SearchState s, answer) except -1:
    values, priors = answer, None
    if isinstance(answer, tuple) and len(answer) == 2 and np.ndim(answer[0]) == 1:
        values, priors = answer
    numbers = checked_values(values, s.root.num_players)
    memcpy(s.means, data_of(numbers), s.root.num_players * sizeof(double))
    if takes_list(s):
        probabilities = checked_priors(priors, s.model.legal_actions())
        list_with_priors(s, <double*> data_of(probabilities), len(probabilities))
    return 0


cdef object checked_values(values, int num_players):
    """The values of a position as float64[num_players]."""
    wanted = f"evaluator must value a position by {num_players} finite numbers, one a player"
    numbers = numbers_of(values, num_players, wanted)
    if not np.isfinite(numbers).all():
        raise ValueError(f"{wanted}, got {values!r}")
    return numbers


cdef object checked_priors(priors, actions):
    """The prior probabilities of the actions as a float64 array; uniform ones for None."""
    cdef int count = len(actions)
    if priors is None:
        return np.full(count, 1.0 / count)
    wanted = f"evaluator must give {count} prior probabilities, one a legal action, that sum to 1"
    chances = numbers_of(priors, count, wanted)
    if not (chances >= 0).all() or not abs(chances.sum() - 1) < 1e-3:
        raise ValueError(f"{wanted}, got {priors!r}")
    if not (np.diff(actions) > 0).all():
        raise ValueError(f"prior probabilities need legal_actions() that ascend, got {actions!r}")
    return chances / chances.sum()


cdef int list_with_priors(SearchState s, const double* priors, int count) except -1:
    """Lists the legal actions with their priors, one for each, in ascending order of the actions.

    The action of highest prior is tried first, a random one among ties.
    """
    cdef uint32_t first = s.tree.reserve_actions(s.root.max_legal_actions)
    cdef int32_t* actions = s.tree.actions + first
    cdef double* ratings = s.tree.priors + first
    cdef int i, k
    if s.model.c_legal_actions(actions) != count:
        raise ValueError("the legal actions of a position changed while it was valued")
    sort_actions(actions, count)
    memcpy(ratings, priors, count * sizeof(double))
    for i in range(count - 1, 0, -1):
        k = rng_below(&s.rng.state, i + 1)
        actions[i], actions[k] = actions[k], actions[i]
        ratings[i], ratings[k] = ratings[k], ratings[i]
    sort_by_rating(actions, ratings, count)
    return note_list(s, first, count)


# --- The memory of the state, and its pauses ---


cdef class SearchState:
    """Base of `Search`: the fields that every iteration reads and writes, and their memory."""

    look: Callable[[bool], None] | None

    def __cinit__(self, ForwardModel root not None, *args: Any):
        cdef size_t width = max(root.max_legal_actions, root.max_chance_outcomes)
        if root.num_players > MAX_PLAYERS:
            raise ValueError(f"MCTS takes at most {MAX_PLAYERS} players, got {root.num_players}")
        self.max_path = 64
        self.path = <Step*> allocated(self.max_path * sizeof(Step))
        self.values = <double*> allocated(width * sizeof(double))
        self.outcomes = <int32_t*> allocated(width * sizeof(int32_t))
        self.returns = <double*> allocated(2 * root.num_players * sizeof(double))
        self.means = self.returns + root.num_players
        self.next_look = perf_counter() + WATCH_SECONDS

    def __dealloc__(self):
        free(self.path)
        free(self.values)
        free(self.outcomes)
        free(self.returns)
        free(self.stamps)

    cdef int lengthen_path(self) except -1 nogil:
        cdef Step* longer = <Step*> realloc(self.path, 2 * <size_t> self.max_path * sizeof(Step))
        if longer == NULL:
            raise MemoryError("no memory for a longer path")
        self.path = longer
        self.max_path *= 2
        return 0

    cdef double pause(self, bint is_whole) except -1:
        cdef Tree tree = self.tree
        cdef bint is_growing = tree.is_growing
        if self.root.needs_gil:
            self.next_turn = give_way(self.next_turn)
        PyErr_CheckSignals()
        if self.look is None or perf_counter() < self.next_look:
            return perf_counter()
        if self.is_rehearsing:   # it sees the tree itself, not the copy
            self.tree = self.grown
        tree.is_growing = False   # the search waits for `look`
        try:
            self.look(is_whole)
        finally:
            tree.is_growing = is_growing
            self.tree = tree
        self.next_look = perf_counter() + WATCH_SECONDS
        return perf_counter()
