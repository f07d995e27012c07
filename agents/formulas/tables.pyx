# distutils: extra_compile_args = -O1
"""Fills the tables when the module is imported."""

from libc.math cimport log, sqrt


def _fill():
    cdef int count
    cdef double logarithm
    LOG[0] = SQRT_LOG[0] = SQRT_TWICE_LOG[0] = INVERSE_SQRT[0] = 0
    for count in range(1, NUM_TABLED):
        logarithm = log(count)
        LOG[count] = logarithm
        SQRT_LOG[count] = sqrt(logarithm)
        SQRT_TWICE_LOG[count] = sqrt(2 * logarithm)
        INVERSE_SQRT[count] = 1 / sqrt(count)


_fill()
