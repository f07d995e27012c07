"""Logarithms and roots of small counts, which dominate the values of children in shallow games."""

from libc.math cimport log, sqrt
from libc.stdint cimport uint32_t


cdef enum:
    NUM_TABLED = 4096   # most visit counts of a search are smaller

# By count; at 0 all are 0.
cdef double LOG[NUM_TABLED]
cdef double SQRT_LOG[NUM_TABLED]
cdef double SQRT_TWICE_LOG[NUM_TABLED]
cdef double INVERSE_SQRT[NUM_TABLED]


# Of numbers that often are counts.
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
