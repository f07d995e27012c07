"""The forward model of Carcassonne: the contract of agents.forward_model over one `State`."""

cimport cython

from agents.forward_model cimport ForwardModel

from .board cimport State


@cython.final
cdef class CarcassonneModel(ForwardModel):
    cdef State state

    cdef void set_sizes(self) noexcept

    # A model in a copy of a position.
    @staticmethod
    cdef CarcassonneModel at(const State* state)
