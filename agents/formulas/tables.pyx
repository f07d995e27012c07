"""Fills the tables when the module is imported."""

from libc.math cimport log, sqrt


def _fill():
    cdef int count
    LOG[0] = SQRT_LOG[0] = SQRT_TWICE_LOG[0] = INVERSE_SQRT[0] = 0
    for count in range(1, NUM_TABLED):
        LOG[count] = log(count)
        SQRT_LOG[count] = sqrt(log(count))
        SQRT_TWICE_LOG[count] = sqrt(2 * log(count))
        INVERSE_SQRT[count] = 1 / sqrt(count)


_fill()
