"""A formula as a Python object."""

from agents.formulas.syntax cimport Syntax


cdef class Formula:
    cdef Syntax syntax

    @staticmethod
    cdef Formula of(const Syntax* syntax)
