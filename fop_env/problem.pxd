"""A problem: the function to optimise, on [0, 1] or its square, and how finely it is cut."""

cimport cython
from libc.stdint cimport uint32_t, uint64_t


cdef enum:
    MAX_DIMENSIONS = 2
    MAX_LEVELS = 52   # the centres of up to 2**52 intervals are exact in double precision


@cython.final
cdef class Problem:
    cdef readonly object function     # the name of one of the five functions, or a callable
    cdef readonly int branching       # number of equal parts of an interval, in each dimension
    cdef readonly double threshold    # intervals shorter than this are terminal
    cdef readonly int dimensions
    cdef readonly int num_players     # the second player minimises
    cdef readonly int num_levels      # number of choices from [0, 1] to a terminal interval
    cdef int kind                     # which of the five functions; -1 for a callable
    cdef uint64_t power[MAX_LEVELS + 1]   # branching ** i, for i up to num_levels
    cdef int chunk                    # most levels with power <= 2**31; so many are drawn at once
    cdef bint is_tabled               # whether the callable was called on all terminal cells
    cdef const double* table          # its values on these cells, row by row; they lie in `table_bytes`
    cdef bytes table_bytes

    # The function at the centre of a cell: part `index[i]` of `power[level]` in dimension i.
    cdef double c_value(self, const uint64_t* index, int level) except? -1 nogil
    cdef double called(self, double x, double y) except? -1 with gil

    cdef set_levels(self)
    cdef set_function(self)
