# distutils: extra_compile_args = -O1
"""Evaluators: their calls, their answers, and the leaves of a batch."""

cimport cython

import numpy as np

from libc.stdint cimport int32_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, data_of
from agents.mcts.expansion cimport list_with_priors, note_list
from agents.mcts.state cimport ROOT, SearchState, step_to
from agents.mcts.tree cimport mean_of_children

from agents.mcts.answers import numbers_of


cdef int evaluate_leaf(SearchState s, uint32_t leaf) except -1 nogil:
    if s.is_outside and draw_on(s) == TERMINAL:
        return s.model.c_sample_returns(&s.rng.state, s.means)
    if s.afterstates is not None:
        return value_actions(s, leaf)
    with gil:
        return note_answer(s, leaf, ask(s, [s.model])[0])


cdef int value_actions(SearchState s, uint32_t leaf) except -1 nogil:
    """Has the evaluator in C fill `means` and list the actions of a leaf."""
    cdef uint32_t first = s.tree.reserve_actions(s.root.max_legal_actions)
    cdef int count = s.afterstates.c_evaluate(
        s.model, s.tree.actions + first, s.tree.priors + first, s.means
    )
    s.calls += count
    if s.is_outside or s.is_frozen or s.tree.nodes[leaf].is_listed:
        s.tree.num_actions = first   # gives the room back
        return 0
    return note_list(s, leaf, first, count)


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


cdef int draw_on(SearchState s) except? -99 nogil:
    cdef int32_t outcome = 0
    cdef int player = s.model.c_current_player()
    while player == CHANCE:
        s.model.c_sample_chance(&s.rng.state, &outcome)
        s.model.c_apply_action(outcome)
        s.calls += 1
        player = s.model.c_current_player()
    return player


cdef int note_answer(SearchState s, uint32_t leaf, answer) except -1:
    values, priors = answer, None
    if isinstance(answer, tuple) and len(answer) == 2 and np.ndim(answer[0]) == 1:
        values, priors = answer
    numbers = checked_values(values, s.root.num_players)
    memcpy(s.means, data_of(numbers), s.root.num_players * sizeof(double))
    if s.is_outside or s.is_frozen or s.tree.nodes[leaf].is_listed:
        return 0
    probabilities = checked_priors(priors, s.model.legal_actions())
    list_with_priors(s, leaf, <double*> data_of(probabilities), len(probabilities))
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


cdef bint is_waiting(SearchState s, uint32_t leaf) noexcept nogil:
    # A decision node that has been valued has its actions listed.
    cdef bint is_new = s.tree.nodes[leaf].visits == 0 or s.tree.nodes[leaf].is_listed
    return s.tree.nodes[leaf].player >= 0 and not is_new


@cython.final
cdef class Waiting:
    def __dealloc__(self):
        free(self.actions)
        free(self.deciders)
        free(self.means)
        free(self.visits)
        free(self.returns)

    cdef int begin(self, SearchState s, double virtual_loss) except -1:
        cdef uint32_t index
        cdef int i
        self.is_outside = s.is_outside
        self.length = s.path_length
        self.actions = <int32_t*> malloc(self.length * sizeof(int32_t))
        self.deciders = <int*> malloc(self.length * sizeof(int))
        self.means = <double*> malloc(self.length * sizeof(double))
        self.visits = <uint32_t*> malloc(self.length * sizeof(uint32_t))
        self.returns = <double*> malloc(s.root.num_players * sizeof(double))
        if (
            self.actions == NULL
            or self.deciders == NULL
            or self.means == NULL
            or self.visits == NULL
            or self.returns == NULL
        ):
            raise MemoryError("no memory for a leaf that waits")
        if s.model.c_current_player() != TERMINAL:
            self.model = s.model.c_clone()
        memcpy(self.returns, s.means, s.root.num_players * sizeof(double))
        for i in range(self.length):
            index = s.path[i].node
            self.actions[i] = s.tree.nodes[index].action
            self.deciders[i] = s.path[i].decider
            self.means[i] = s.tree.nodes[index].mean
            self.visits[i] = s.tree.nodes[index].visits
            if i and self.visits[i] == 0:   # new: the policy will compare it with its siblings
                s.tree.nodes[index].mean = mean_of_children(s.tree, s.path[i - 1].node)
            s.tree.nodes[index].visits += 1
            s.tree.nodes[index].mean -= virtual_loss / s.tree.nodes[index].visits
        return 0

    cdef int retrace(self, SearchState s) except -1:
        cdef uint32_t index = ROOT
        cdef int i
        s.path_length = 0
        for i in range(self.length):
            if i:
                index = s.tree.child(index, self.actions[i])
            step_to(s, index, self.deciders[i])
        return 0

    cdef int undo(self, SearchState s) except -1:
        cdef int i
        self.retrace(s)
        for i in range(self.length):
            s.tree.nodes[s.path[i].node].mean = self.means[i]
            s.tree.nodes[s.path[i].node].visits = self.visits[i]
        return 0

    cdef int finish(self, SearchState s, answer) except -1:
        self.retrace(s)
        if self.model is None:
            memcpy(s.means, self.returns, s.root.num_players * sizeof(double))
            return 0
        s.model.c_copy_from(self.model)
        s.is_outside = self.is_outside
        return note_answer(s, s.path[s.path_length - 1].node, answer)
