"""AMAF ("all moves as first"): the returns of iterations in which an action was played, here or later."""

from agents.forward_model cimport ForwardModel
from agents.mcts.state cimport SearchState


# A uniformly random rollout that stamps its actions; returns the number of actions and outcomes applied.
cdef int stamped_rollout(SearchState s, ForwardModel model, double* returns) except -1 nogil
# Adds the returns of the iteration to each child of the path whose action its player took there or later.
cdef void note_amaf(SearchState s) noexcept nogil
