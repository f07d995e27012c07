"""A formula as a Python object."""

from agents.formulas.program cimport Syntax


cdef class Formula:
    cdef Syntax syntax

    @staticmethod
    cdef Formula of(const Syntax* syntax)
