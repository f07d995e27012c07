"""The forward model of Carcassonne: the contract of agents.forward_model over one `State`."""

cimport cython

from agents.forward_model cimport ForwardModel
from agents.rng cimport Rng

from .board cimport Points, State


@cython.final
cdef class CarcassonneModel(ForwardModel):
    cdef State state

    cdef void set_sizes(self) noexcept
    cdef set_order(self, order, counts)
    cdef shuffle(self, Rng rng)
    cdef void fill_leads(self, const Points* points, double* returns) noexcept nogil
