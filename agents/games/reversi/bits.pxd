"""Sets of squares as bits: one 64-bit word for boards of 8x8, two words for larger ones.

Square i is bit i. The functions take either type, so that the rules are written once for both.
"""

from libc.stdint cimport int32_t, uint64_t

from agents.bits cimport bit, count as count_word, highest_bit, lowest_bit, nth as nth_of_word


ctypedef struct Pair:
    uint64_t low    # squares 0 to 63
    uint64_t high   # squares 64 to 127


ctypedef fused bits_t:
    uint64_t
    Pair


cdef inline Pair pair(uint64_t low, uint64_t high) noexcept nogil:
    cdef Pair bits
    bits.low = low
    bits.high = high
    return bits


# --- Sets ---

cdef inline bits_t both(bits_t one, bits_t two) noexcept nogil:
    """The intersection."""
    if bits_t is uint64_t:
        return one & two
    else:
        return pair(one.low & two.low, one.high & two.high)


cdef inline bits_t either(bits_t one, bits_t two) noexcept nogil:
    """The union."""
    if bits_t is uint64_t:
        return one | two
    else:
        return pair(one.low | two.low, one.high | two.high)


cdef inline bits_t without(bits_t one, bits_t two) noexcept nogil:
    """The squares of the first set that are not in the second."""
    if bits_t is uint64_t:
        return one & ~two
    else:
        return pair(one.low & ~two.low, one.high & ~two.high)


cdef inline bint is_empty(bits_t bits) noexcept nogil:
    if bits_t is uint64_t:
        return bits == 0
    else:
        return (bits.low | bits.high) == 0


cdef inline bint has(bits_t bits, int square) noexcept nogil:
    if bits_t is uint64_t:
        return bits >> square & 1
    else:
        return (bits.high if square & 64 else bits.low) >> (square & 63) & 1


cdef inline void add(bits_t* bits, int square) noexcept nogil:
    if bits_t is uint64_t:
        bits[0] |= bit(square)
    elif square & 64:
        bits.high |= bit(square & 63)
    else:
        bits.low |= bit(square)


# --- Steps and lines ---

cdef inline bits_t up(bits_t bits, int step) noexcept nogil:
    """All squares moved to higher numbers by a step in [1, 63]."""
    if bits_t is uint64_t:
        return bits << step
    else:
        return pair(bits.low << step, bits.high << step | bits.low >> (64 - step))


cdef inline bits_t down(bits_t bits, int step) noexcept nogil:
    """All squares moved to lower numbers by a step in [1, 63]."""
    if bits_t is uint64_t:
        return bits >> step
    else:
        return pair(bits.low >> step | bits.high << (64 - step), bits.high >> step)


cdef inline bits_t enclosed_above(bits_t mine, bits_t theirs, bits_t ray) noexcept nogil:
    """The squares of `theirs` from the start of an ascending ray up to the first square of `mine`.

    The set is empty if another square comes first. Adding 1 carries through all that is not a stop.
    """
    cdef bits_t end
    if bits_t is uint64_t:
        end = ((theirs | ~ray) + 1) & mine & ray
        return (end - (end != 0)) & ray
    else:
        end.low = (theirs.low | ~ray.low) + 1
        end.high = ((theirs.high | ~ray.high) + (end.low == 0)) & mine.high & ray.high
        end.low &= mine.low & ray.low
        if end.low:
            return pair((end.low - 1) & ray.low, 0)
        return pair(ray.low, (end.high - 1) & ray.high) if end.high else end


cdef inline bits_t enclosed_below(bits_t mine, bits_t theirs, bits_t ray) noexcept nogil:
    """The same on a descending ray, which starts at its highest square."""
    cdef bits_t end
    if bits_t is uint64_t:
        end = bit(highest_bit(ray & ~theirs | 1)) & mine & ray
        return (0 - 2 * end) & ray
    else:
        if ray.high & ~theirs.high:
            end.high = enclosed_below(mine.high, theirs.high, ray.high)
            return pair(0, end.high)
        end.low = bit(highest_bit(ray.low & ~theirs.low | 1)) & mine.low & ray.low
        return pair((0 - 2 * end.low) & ray.low, ray.high) if end.low else pair(0, 0)


# --- Members ---

cdef inline int count(bits_t bits) noexcept nogil:
    """The number of squares in the set."""
    if bits_t is uint64_t:
        return count_word(bits)
    else:
        return count_word(bits.low) + (count_word(bits.high) if bits.high else 0)


cdef inline int nth(bits_t bits, int n) noexcept nogil:
    """The square number n of the set, counted from 0 in ascending order."""
    cdef int num_low
    if bits_t is uint64_t:
        return nth_of_word(bits, n)
    else:
        num_low = count_word(bits.low)
        return nth_of_word(bits.low, n) if n < num_low else 64 + nth_of_word(bits.high, n - num_low)


cdef inline int list_members(bits_t bits, int32_t* squares) noexcept nogil:
    """Fills the squares of the set, ascending; returns their number."""
    cdef int size = 0, i, num_low
    if bits_t is uint64_t:
        while bits:
            squares[size] = lowest_bit(bits)
            bits &= bits - 1
            size += 1
        return size
    else:
        num_low = list_members(bits.low, squares)
        size = num_low + list_members(bits.high, squares + num_low)
        for i in range(num_low, size):
            squares[i] += 64
        return size
