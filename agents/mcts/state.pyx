# distutils: extra_compile_args = -O1
"""The memory of a search."""

from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, realloc

from agents.forward_model cimport ForwardModel


cdef enum:
    MAX_PLAYERS = 127   # of the one byte in a node


cdef class SearchState:
    """Base of `Search`: the fields that every iteration reads and writes, and their memory."""

    def __cinit__(self, ForwardModel root not None, *args: Any):
        cdef size_t width = max(root.max_legal_actions, root.max_chance_outcomes)
        if root.num_players > MAX_PLAYERS:
            raise ValueError(f"MCTS takes at most {MAX_PLAYERS} players, got {root.num_players}")
        self.max_path = 64
        self.path = <Step*> malloc(self.max_path * sizeof(Step))
        self.values = <double*> malloc(width * sizeof(double))
        self.outcomes = <int32_t*> malloc(width * sizeof(int32_t))
        self.returns = <double*> malloc(2 * root.num_players * sizeof(double))
        self.means = self.returns + root.num_players
        if self.path == NULL or self.values == NULL or self.outcomes == NULL or self.returns == NULL:
            raise MemoryError("no memory for a search")

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
