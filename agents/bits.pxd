"""Sets of small numbers, such as those of squares, as bits of one word."""

from libc.stdint cimport uint64_t


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define highest_bit(word) (63 - __builtin_clzll(word))
    #define lowest_bit(word) __builtin_ctzll(word)
    #else
    static __inline int highest_bit(unsigned long long word) {
        int step, bit = 0;
        for (step = 32; step; step /= 2)
            if (word >> step) { word >>= step; bit += step; }
        return bit;
    }
    static __inline int lowest_bit(unsigned long long word) {
        return highest_bit(word & (0 - word));
    }
    #endif
    """
    int highest_bit(uint64_t word) noexcept nogil   # the number of a bit, in words other than 0
    int lowest_bit(uint64_t word) noexcept nogil


cdef inline uint64_t bit(int number) noexcept nogil:
    return <uint64_t> 1 << number


cdef inline bint has(uint64_t set, int number) noexcept nogil:
    return set >> number & 1


cdef inline uint64_t every_byte(uint64_t byte) noexcept nogil:
    """A word of eight equal bytes."""
    return byte * <uint64_t> 0x0101010101010101


cdef inline uint64_t counts_of_bytes(uint64_t set) noexcept nogil:
    """The number of bits of each byte, in that byte."""
    set -= (set >> 1) & every_byte(0x55)
    set = (set & every_byte(0x33)) + ((set >> 2) & every_byte(0x33))
    return (set + (set >> 4)) & every_byte(0x0F)


cdef inline int count(uint64_t set) noexcept nogil:
    """The number of members."""
    return <int> (every_byte(counts_of_bytes(set)) >> 56)


cdef inline int num_up_to(uint64_t ascending, uint64_t n) noexcept nogil:
    """How many of the eight bytes, each below 128, are at most n, in [0, 127]."""
    return <int> (every_byte(((every_byte(n | 128) - ascending) >> 7) & every_byte(1)) >> 56)


cdef inline int nth(uint64_t set, int index) noexcept nogil:
    """The number of the member of this index, from the lowest.

    Running totals first of the bytes, then of the bits of one byte, tell where it is, without a branch.
    """
    cdef uint64_t totals = every_byte(counts_of_bytes(set))
    cdef int place = 8 * num_up_to(totals, index)
    index -= totals << 8 >> place & 255
    totals = every_byte(set >> place & 255) & <uint64_t> 0x8040201008040201
    totals = every_byte((totals + every_byte(127) | totals) >> 7 & every_byte(1))
    return place + num_up_to(totals, index)
