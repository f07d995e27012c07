"""The solver: exact values, proven from the ends of the game upwards.

Winands, Björnsson and Saito (2008), "Monte-Carlo tree search solver"; for one or, zero-sum, two players.
"""

from libc.stdint cimport uint32_t

from agents.mcts.state cimport SearchState
from agents.mcts.tree cimport Node


# Fills `means` with the expected returns of a terminal leaf, and marks the leaf as proven.
cdef int prove_terminal(SearchState s, uint32_t leaf) except -1 nogil
# Fills `means` with the exact value of a proven leaf.
cdef void repeat_proven(SearchState s, uint32_t leaf) noexcept nogil
# Whether a node of the path is proven, if need be by its children now. The player who moves can take the best
# proven child, so if the returns of this iteration are lower, its value replaces them in `means`.
cdef bint prove(SearchState s, Node* node, int decider) noexcept nogil
