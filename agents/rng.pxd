"""Random numbers for the nogil core: a value type and the few draws that games and planners need.

The generator is xoshiro256++ (Blackman and Vigna, 2021, "Scrambled linear pseudorandom number
generators"): 32 bytes, no allocation, copied by assignment. It is seeded through
``numpy.random.SeedSequence`` (``rng.pyx``), so that streams spawned from one seed are independent.
"""

from libc.stdint cimport uint32_t, uint64_t


ctypedef struct rng_t:
    uint64_t s[4]   # xoshiro256++ state, never all zero


cdef rng_t rng_from_seed(object seed) except *


cdef inline uint64_t rng_next(rng_t* rng) noexcept nogil:
    """64 random bits."""
    cdef uint64_t s0 = rng.s[0], s1 = rng.s[1], s2 = rng.s[2], s3 = rng.s[3]
    cdef uint64_t total = s0 + s3
    cdef uint64_t result = ((total << 23) | (total >> 41)) + s0
    s2 ^= s0
    s3 ^= s1
    rng.s[0] = s0 ^ s3
    rng.s[1] = s1 ^ s2
    rng.s[2] = s2 ^ (s1 << 17)
    rng.s[3] = (s3 << 45) | (s3 >> 19)
    return result


cdef inline uint32_t rng_below(rng_t* rng, uint32_t n) noexcept nogil:
    """A uniform integer in [0, n), n > 0, without bias (Lemire 2019, "Fast random integer ...")."""
    cdef uint64_t product = (rng_next(rng) >> 32) * n
    cdef uint32_t low = <uint32_t> product
    cdef uint32_t threshold
    if low < n:
        threshold = (0 - n) % n
        while low < threshold:
            product = (rng_next(rng) >> 32) * n
            low = <uint32_t> product
    return <uint32_t> (product >> 32)


cdef inline double rng_uniform(rng_t* rng) noexcept nogil:
    """A uniform double in [0, 1), a multiple of 2**-53."""
    return <double> (rng_next(rng) >> 11) * (1.0 / 9007199254740992.0)


cdef inline int rng_index(rng_t* rng, const double* probabilities, int count) noexcept nogil:
    """An index drawn by its probability; the last one has what rounding leaves."""
    cdef double rest = rng_uniform(rng)
    cdef int i
    for i in range(count - 1):
        rest -= probabilities[i]
        if rest < 0:
            return i
    return count - 1


cdef class Rng:
    cdef rng_t state
