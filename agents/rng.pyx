# distutils: extra_compile_args = -O1
"""Random numbers that Python code and the nogil core draw from one stream."""

import numpy as np

from agents.checks import check_count


cdef rng_t rng_from_seed(object seed) except *:
    """A generator seeded from anything `Rng` takes."""
    cdef rng_t rng
    if isinstance(seed, Rng):
        seed = np.random.SeedSequence([rng_next(&(<Rng> seed).state) for _ in range(4)])
    elif isinstance(seed, np.random.Generator):
        seed = np.random.SeedSequence(seed.integers(2**32, size=4, dtype=np.uint32).tolist())
    elif not isinstance(seed, np.random.SeedSequence):
        is_integer = isinstance(seed, (int, np.integer)) and not isinstance(seed, bool)
        if seed is not None and not (is_integer and seed >= 0):
            raise ValueError(
                f"seed must be None, an integer >= 0, a numpy SeedSequence or Generator, or an Rng, "
                f"got {seed!r}"
            )
        seed = np.random.SeedSequence(seed)
    cdef int i
    words = seed.generate_state(4, np.uint64)
    for i in range(4):
        rng.s[i] = words[i]
    return rng


cdef class Rng:
    """A small random number generator (xoshiro256++) shared by Python and C code.

    Forward models hold no generator: the caller of a method that samples passes one in.

    Args:
        seed: None (fresh entropy), an integer >= 0, or a ``numpy.random.SeedSequence``; or a
            ``numpy.random.Generator`` or an ``Rng``, which draws a seed and is so advanced.

    Raises:
        ValueError: If the seed is none of these.
    """

    def __cinit__(self, *args, **kwargs):
        self.state.s[0] = 1   # not all zero also where __init__ is not called

    def __init__(self, seed: int | np.random.SeedSequence | np.random.Generator | Rng | None = None):
        self.state = rng_from_seed(seed)

    def random(self) -> float:
        """A uniform float in [0, 1)."""
        return rng_uniform(&self.state)

    def below(self, n: int) -> int:
        """A uniform integer in [0, n).

        Raises:
            ValueError: If n is not in [1, 2**32).
        """
        if not hasattr(n, "__index__") or not 1 <= n < 2**32:
            raise ValueError(f"n must be an integer in [1, 2**32), got {n!r}")
        return rng_below(&self.state, n)

    def copy(self) -> Rng:
        """A generator in the same state: both go on with the same numbers."""
        cdef Rng twin = Rng.__new__(Rng)
        twin.state = self.state
        return twin

    def spawn(self, n: int) -> list[Rng]:
        """New generators, independent of each other and of this one, which is advanced.

        Args:
            n: Their number, 0 or more.

        Returns:
            A list of n `Rng`.

        Raises:
            ValueError: If n is no integer or negative.
        """
        n = check_count("n", n, 0, 2**31 - 1)
        return [Rng(self) for _ in range(n)]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, ([self.state.s[i] for i in range(4)],)


Seed: TypeAlias = int | np.random.SeedSequence | np.random.Generator | Rng | None
"""The type of the seeds that `Rng` takes."""


def _restored(words):
    """An `Rng` in the state of a pickled one."""
    cdef Rng rng = Rng.__new__(Rng)
    cdef int i
    if len(words) != 4 or not any(words):
        raise ValueError(f"the pickle of an Rng is damaged: {words!r}")
    for i in range(4):
        rng.state.s[i] = words[i]
    return rng
