"""Models whose position is one C struct without pointers: copies, comparison and pickles, written once."""

from agents.forward_model cimport ForwardModel


cdef class StructModel(ForwardModel):
    cdef void* data           # the struct, an attribute of the game's class
    cdef size_t num_bytes     # of the struct
    cdef size_t num_compared  # its first so many bytes, without padding, are equal in equal positions
    cdef int version          # of the struct in pickles

    # Says which struct the model has. To be called in `__cinit__(self, *args, **kwargs)`.
    cdef void hold(self, void* data, size_t num_bytes, size_t num_compared, int version) noexcept

    # A game implements this. It sets all that is outside the struct, which comes from a pickle, and returns
    # whether the rules can lead to the struct. Anything can be in it.
    cdef bint take_over(self, options) except -1
    # What `take_over` needs beside the struct, or None. A game with options outside the struct also
    # overrides `copy_sizes` and `c_equals`.
    cdef object options(self)
