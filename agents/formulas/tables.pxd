"""Tables of logarithms and roots of small counts; without them, these would dominate tree policies."""

from libc.math cimport log, sqrt
from libc.stdint cimport uint32_t


cdef enum:
    NUM_TABLED = 8192   # most visit counts in a search are smaller

# Indexed by count; all are 0 at count 0.
cdef double LOG[NUM_TABLED]
cdef double SQRT_LOG[NUM_TABLED]
cdef double SQRT_TWICE_LOG[NUM_TABLED]
cdef double INVERSE_SQRT[NUM_TABLED]


# Fast if x is a small count, right for all numbers x > 0.
cdef inline double log_of(double x) noexcept nogil:
    cdef uint32_t count
    if 0 < x < NUM_TABLED:
        count = <uint32_t> x
        if count == x:
            return LOG[count]
    return log(x)


cdef inline double inverse_sqrt_of(double x) noexcept nogil:
    cdef uint32_t count
    if 0 < x < NUM_TABLED:
        count = <uint32_t> x
        if count == x:
            return INVERSE_SQRT[count]
    return 1 / sqrt(x)
