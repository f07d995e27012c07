"""A position of Hex and its rules, as a plain struct and functions on it.

The neighbours of the cell in row r and column c are (r, c - 1), (r, c + 1), (r - 1, c), (r - 1, c + 1),
(r + 1, c) and (r + 1, c - 1). Player 0 (black) joins the top edge to the bottom edge, player 1 (white) the
left edge to the right edge. The first of the two is called the player's near edge, the second the far edge.

A set of cells is an array of rows. Entry r + 1 is row r, and bit c of it is column c. The entries before the
first and after the last row are 0, so that every row has two rows beside it.
"""

from libc.stdint cimport int16_t, int32_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy, memset

from agents.bits cimport lowest_bit


cdef enum:
    MIN_SIZE = 2
    MAX_SIZE = 16
    NUM_ROWS = MAX_SIZE + 2
    MAX_CELLS = MAX_SIZE * MAX_SIZE
    NOBODY = -1   # in place of a player
    NOWHERE = -1  # in place of a cell


ctypedef struct Board:
    uint16_t stones[2][NUM_ROWS]  # the cells of each player's stones
    uint16_t joined[2][NUM_ROWS]  # the stones connected to the near edge; empty once the game is over
    int16_t size                  # number of rows, and of columns
    int16_t has_swap              # whether white's first action may be a swap
    int16_t num_stones[2]         # of each player
    int16_t last                  # the cell of the last stone, row * size + column, or NOWHERE
    int16_t mover                 # the player to move; at the end the loser
    int16_t winner                # or NOBODY


cdef inline void clear(Board* board, int size, bint has_swap) noexcept nogil:
    memset(board, 0, sizeof(Board))
    board.size = size
    board.has_swap = has_swap
    board.last = NOWHERE
    board.winner = NOBODY


cdef inline bint can_swap(const Board* board) noexcept nogil:
    return board.has_swap and board.mover == 1 and board.num_stones[0] == 1 and board.num_stones[1] == 0


cdef inline uint32_t empty_cells(const Board* board, int row) noexcept nogil:
    """The empty cells of a row, one bit each."""
    return ((1 << board.size) - 1) & ~(board.stones[0][row + 1] | board.stones[1][row + 1])


cdef inline bint is_empty(const Board* board, int cell) noexcept nogil:
    return empty_cells(board, cell // board.size) >> (cell % board.size) & 1


cdef inline int list_actions(const Board* board, int32_t* actions) noexcept nogil:
    """Fills the legal actions, ascending; returns their number."""
    cdef int row, number = 0
    cdef uint32_t cells
    for row in range(board.size):
        cells = empty_cells(board, row)
        while cells:
            actions[number] = row * board.size + lowest_bit(cells)
            cells &= cells - 1
            number += 1
    if can_swap(board):
        actions[number] = board.size * board.size
        number += 1
    return number


# --- Connections ---

cdef inline uint32_t neighbours_in(int step, uint32_t bit) noexcept nogil:
    """The neighbours of a cell in the row above it (step 0), its own row (1) and the row below it (2)."""
    if step == 0:
        return bit | bit << 1
    if step == 1:
        return bit << 1 | bit >> 1
    return bit | bit >> 1


cdef inline uint32_t neighbours_of(const uint16_t* cells, int entry) noexcept nogil:
    """The cells of an entry of a set, and some beyond the board, that have a neighbour in the set."""
    cdef uint32_t above = cells[entry - 1], here = cells[entry], below = cells[entry + 1]
    return above | above >> 1 | here << 1 | here >> 1 | below | below << 1


cdef inline bint join(Board* board, int player, int row, int column) noexcept nogil:
    """Marks a stone, and all that hang together with it, as joined to the near edge.

    Every stone is marked once in a game. Returns whether one of them lies at the far edge.
    """
    cdef uint8_t stack[MAX_CELLS]   # row << 4 | column
    cdef int step, height = 1
    cdef uint32_t bit, fresh
    cdef const uint16_t* stones = board.stones[player]
    cdef uint16_t* joined = board.joined[player]
    stack[0] = row << 4 | column
    joined[row + 1] |= 1 << column
    while height:
        height -= 1
        row = stack[height] >> 4
        column = stack[height] & 15
        if (column if player else row) == board.size - 1:
            return True
        bit = 1 << column
        for step in range(3):
            fresh = stones[row + step] & ~joined[row + step] & neighbours_in(step, bit)
            joined[row + step] |= fresh
            while fresh:
                stack[height] = (row + step - 1) << 4 | lowest_bit(fresh)
                fresh &= fresh - 1
                height += 1
    return False


cdef inline void end(Board* board, int winner) noexcept nogil:
    board.winner = winner
    memset(board.joined, 0, sizeof(board.joined))


# --- Moves ---

cdef inline void place(Board* board, int cell) noexcept nogil:
    """The player to move sets a stone."""
    cdef int player = board.mover, row = cell // board.size, column = cell % board.size
    board.stones[player][row + 1] |= 1 << column
    board.num_stones[player] += 1
    board.last = cell
    board.mover = 1 - player
    if (column if player else row) == 0 or neighbours_of(board.joined[player], row + 1) >> column & 1:
        if join(board, player, row, column):
            end(board, player)


cdef inline void swap_stone(Board* board) noexcept nogil:
    """White makes the only stone its own, mirrored at the diagonal from the top left."""
    cdef int row = board.last // board.size, column = board.last % board.size
    clear(board, board.size, True)
    board.mover = 1
    place(board, column * board.size + row)


cdef inline void play(Board* board, int action) noexcept nogil:
    if action == board.size * board.size:
        swap_stone(board)
    else:
        place(board, action)


# --- The number of stones that a player still needs, if the opponent always passes ---

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


# --- Who holds the cells around the last stone ---

# A window is a set of the 25 cells within two rows and two columns of the last stone. Bit 5 * (rows + 2) +
# columns + 2 is the cell that many rows below it and that many columns to its right.

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


# --- Positions from outside ---

cdef inline bint is_alternate(const Board* board) noexcept nogil:
    """Whether the numbers of stones are those of players who take turns, the last stone the last mover's."""
    cdef int lead = board.num_stones[1] - board.num_stones[0]
    if not 0 <= board.mover <= 1:
        return False
    if board.num_stones[0] + board.num_stones[1] == 0:
        return board.mover == 0 and board.last == NOWHERE
    if not 0 <= board.last < board.size * board.size:
        return False
    if lead != -board.mover and not (board.has_swap and lead == 1 - board.mover):
        return False
    return board.stones[1 - board.mover][board.last // board.size + 1] >> (board.last % board.size) & 1


cdef inline bint is_sound(const Board* board) noexcept nogil:
    """Whether a struct from outside is a position to play on: its stones, set anew, make the same one."""
    cdef Board again
    cdef int player, row
    cdef uint32_t columns
    if not MIN_SIZE <= board.size <= MAX_SIZE or not 0 <= board.has_swap <= 1:
        return False
    clear(&again, board.size, board.has_swap)
    for player in range(2):
        for row in range(board.size):
            columns = board.stones[player][row + 1] & empty_cells(&again, row)
            while columns:
                again.mover = player
                place(&again, row * board.size + lowest_bit(columns))
                columns &= columns - 1
    if again.winner != NOBODY:   # the stones that were set after its last one
        end(&again, again.winner)
    again.last, again.mover = board.last, board.mover
    return (
        is_alternate(&again) and again.winner != again.mover and memcmp(&again, board, sizeof(Board)) == 0
    )
