"""The forward model of Carcassonne: the contract of agents.forward_model over one `State`."""

from agents.forward_model cimport ForwardModel
from agents.rng cimport Rng

from .board cimport Points, State


cdef class CarcassonneModel(ForwardModel):
    cdef State state

    cdef void set_sizes(self, int num_players) noexcept
    cdef set_order(self, order, counts)
    cdef shuffle(self, Rng rng)
    cdef int lead(self, const Points* points, int player) noexcept nogil
