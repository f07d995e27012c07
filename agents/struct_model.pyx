# distutils: extra_compile_args = -O1
"""The base class of models whose position is one C struct."""

import zlib

from cpython.bytes cimport PyBytes_AS_STRING
from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memcpy

from agents.forward_model cimport ForwardModel, bytes_at, hash_of


cdef class StructModel(ForwardModel):
    """A forward model whose position is one C struct without pointers; see ``struct_model.pxd``."""

    def __cinit__(self, *args, **kwargs):
        self.hold(&self.version, 0, 0, 0)   # no struct, until the game's class says which

    cdef void hold(self, void* data, size_t num_bytes, size_t num_compared, int version) noexcept:
        self.data = data
        self.num_bytes = num_bytes
        self.num_compared = num_compared
        self.version = version

    cdef int c_copy_from(self, ForwardModel source) except -1 nogil:
        # GCC would turn an assignment of a large struct into a string instruction, which takes longer.
        memcpy(self.data, (<StructModel> source).data, self.num_bytes)
        return 0

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        return memcmp(self.data, (<StructModel> other).data, self.num_compared) == 0

    cdef uint64_t c_hash(self) except? 0 nogil:
        return hash_of(self.data, self.num_compared)

    cdef bint take_over(self, options) except -1:
        raise NotImplementedError("take_over")

    cdef object options(self):
        return None

    def __reduce__(self):
        data = bytes_at(self.data, self.num_bytes)
        return _restored, (type(self), self.version, data, zlib.crc32(data), self.options())


def _restored(kind, version, bytes data not None, checksum, options):
    """A pickled model."""
    cdef StructModel model = kind.__new__(kind)
    if version != model.version or len(data) != model.num_bytes:
        raise ValueError(
            f"the pickle has version {version} and {len(data)} bytes, this release reads version "
            f"{model.version} with {model.num_bytes} bytes"
        )
    memcpy(model.data, PyBytes_AS_STRING(data), model.num_bytes)
    if zlib.crc32(data) != checksum or not model.take_over(options):
        raise ValueError(f"the pickle of a {kind.__name__} is damaged")
    return model
