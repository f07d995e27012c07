"""Who holds the cells around the last stone.

A window is a set of the 25 cells within two rows and two columns of the last stone. Bit 5 * (rows + 2) +
columns + 2 is the cell that many rows below it and that many columns to its right.
"""

from libc.stdint cimport uint32_t

from .board cimport Board, empty_cells


cdef enum:
    EMPTY = 2             # the holder of a cell, if it is not player 0 or 1
    REACH = 2
    SIDE = 2 * REACH + 1  # rows and columns of a window


cdef inline int bit_of(int columns, int rows) noexcept nogil:
    """The bit of a cell, by its offset from the last stone."""
    return SIDE * (rows + REACH) + columns + REACH


cdef inline uint32_t held_in_row(const Board* board, int holder, int row) noexcept nogil:
    """The cells of a row that a player holds, or with EMPTY the empty ones. Bit c + 2 is column c.

    Beyond the board, black holds the cells above and below, white two cells at the left and two at the right.
    """
    cdef uint32_t ends = (1 << REACH) - 1
    cdef bint is_inside = 0 <= row < board.size
    if holder == EMPTY:
        return empty_cells(board, row) << REACH if is_inside else 0
    if not is_inside:
        return 0 if holder else ((1 << board.size) - 1) << REACH
    return board.stones[holder][row + 1] << REACH | (ends | ends << (board.size + REACH) if holder else 0)


cdef inline uint32_t window(const Board* board, int holder) noexcept nogil:
    """The window of a player's cells, or with EMPTY of the empty ones. There must be a last stone."""
    cdef int i, row = board.last // board.size - REACH, column = board.last % board.size
    cdef uint32_t cells = 0
    for i in range(SIDE):
        cells |= (held_in_row(board, holder, row + i) >> column & ((1 << SIDE) - 1)) << (SIDE * i)
    return cells
