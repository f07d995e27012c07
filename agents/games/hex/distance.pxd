"""The number of stones that a player still needs, if the opponent always passes."""

from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memcpy, memset

from .board cimport NUM_ROWS, Board, empty_cells


cdef inline uint32_t neighbours_of(const uint16_t* cells, int entry) noexcept nogil:
    """The cells of an entry of a set, and some beyond the board, that have a neighbour in the set."""
    cdef uint32_t above = cells[entry - 1], here = cells[entry], below = cells[entry + 1]
    return above | above >> 1 | here << 1 | here >> 1 | below | below << 1


cdef inline void take_in_stones(uint16_t* reached, const uint16_t* stones, int size) noexcept nogil:
    """Adds all stones that are connected to the set."""
    cdef int entry
    cdef uint32_t fresh
    cdef bint is_growing = True
    while is_growing:
        is_growing = False
        for entry in range(1, size + 1):
            fresh = neighbours_of(reached, entry) & stones[entry] & ~reached[entry]
            reached[entry] |= fresh
            is_growing |= fresh != 0


cdef inline void take_in_empty_cells(uint16_t* reached, const Board* board, int player) noexcept nogil:
    """Adds the empty cells beside the set and those at the near edge."""
    cdef int entry
    cdef uint32_t beside
    cdef uint16_t before[NUM_ROWS]
    memcpy(before, reached, sizeof(before))
    for entry in range(1, board.size + 1):
        beside = neighbours_of(before, entry)
        if player == 1:
            beside |= 1
        elif entry == 1:
            beside = <uint32_t> -1
        reached[entry] |= beside & empty_cells(board, entry - 1)


cdef inline bint is_across(const uint16_t* reached, int player, int size) noexcept nogil:
    """Whether the set has a cell at the far edge."""
    cdef int entry
    cdef uint32_t cells = 0
    if player == 0:
        return reached[size] != 0
    for entry in range(1, size + 1):
        cells |= reached[entry]
    return cells >> (size - 1) & 1


cdef inline int missing_stones(const Board* board, int player) noexcept nogil:
    """The length of the shortest path between the player's edges, in empty cells. The game is not over."""
    cdef uint16_t reached[NUM_ROWS]
    cdef int missing = 0
    memcpy(reached, board.joined[player], sizeof(reached))
    while not is_across(reached, player, board.size):
        take_in_empty_cells(reached, board, player)
        take_in_stones(reached, board.stones[player], board.size)
        missing += 1
    return missing
