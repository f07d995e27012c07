"""Sets of small numbers, such as those of squares, as bits of one word."""

from libc.stdint cimport uint64_t


cdef extern from *:
    """
    #if defined(__GNUC__)
    #define lowest_bit(word) __builtin_ctzll(word)
    #else
    static __inline int lowest_bit(unsigned long long word) {
        int step, bit = 0;
        word &= 0 - word;
        for (step = 32; step; step /= 2)
            if (word >> step) { word >>= step; bit += step; }
        return bit;
    }
    #endif
    """
    int lowest_bit(uint64_t word) noexcept nogil   # the number of a bit, in words other than 0


cdef inline uint64_t bit(int number) noexcept nogil:
    return <uint64_t> 1 << number


cdef inline bint has(uint64_t set, int number) noexcept nogil:
    return set >> number & 1


cdef inline int count(uint64_t set) noexcept nogil:
    """The number of members."""
    set -= (set >> 1) & <uint64_t> 0x5555555555555555
    set = (set & <uint64_t> 0x3333333333333333) + ((set >> 2) & <uint64_t> 0x3333333333333333)
    set = (set + (set >> 4)) & <uint64_t> 0x0F0F0F0F0F0F0F0F
    return <int> ((set * <uint64_t> 0x0101010101010101) >> 56)


cdef inline int nth(uint64_t set, int index) noexcept nogil:
    """The number of the member of this index, from the lowest."""
    while index:
        set &= set - 1
        index -= 1
    return lowest_bit(set)
