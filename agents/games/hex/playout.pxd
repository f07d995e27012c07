"""Uniformly random games of Hex from a position to their end, without playing every move.

All empty cells are filled in a random order, the players taking turns. Exactly one player then joins the
edges, and the game was over when that player's connection was complete. This is the smallest number k such
that the player's first k stones contain a connection: the latest stone of a path from edge to edge whose
latest stone is as early as possible. Such a path is found as Prim's algorithm finds a spanning tree. A
growing set takes in the earliest of the stones beside it, again and again, until it comes to the far edge.
"""

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memset

from agents.rng cimport rng_below, rng_t

from .board cimport (
    MAX_CELLS, MAX_SIZE, NOWHERE, Board, can_swap, empty_cells, end, lowest_bit, place, swap_stone,
)


cdef enum:
    WIDTH = 32                 # cells of the frame in a row; the board's are surrounded by others
    ORIGIN = WIDTH + 1         # the cell of the frame that is the board's first
    FRAME = (MAX_SIZE + 2) * WIDTH
    MAX_MEN = MAX_CELLS // 2   # stones of one player
    NONE = MAX_MEN             # in place of the number of a stone


ctypedef struct Men:
    uint16_t cells[MAX_MEN]   # cells of the frame, in the order of the stones
    int count


cdef inline void add(Men* men, int cell) noexcept nogil:
    men.cells[men.count] = cell
    men.count += 1


cdef inline int list_stones(const Board* board, int player, Men* men) noexcept nogil:
    """Fills the stones on the board; returns their number."""
    cdef int row
    cdef uint32_t columns
    men.count = 0
    for row in range(board.size):
        columns = board.stones[player][row + 1]
        while columns:
            add(men, ORIGIN + row * WIDTH + lowest_bit(columns))
            columns &= columns - 1
    return men.count


cdef inline int shuffled_cells(const Board* board, rng_t* rng, uint16_t* cells) noexcept nogil:
    """Fills the empty cells in a random order (Fisher and Yates, inside out); returns their number."""
    cdef int row, other, count = 0
    cdef uint32_t columns
    cdef rng_t source = rng[0]
    for row in range(board.size):
        columns = empty_cells(board, row)
        while columns:
            other = rng_below(&source, count + 1)
            cells[count] = cells[other]
            cells[other] = ORIGIN + row * WIDTH + lowest_bit(columns)
            columns &= columns - 1
            count += 1
    rng[0] = source
    return count


cdef inline void mark(uint64_t* stones, int stone) noexcept nogil:
    stones[stone >> 6] |= <uint64_t> 1 << (stone & 63)


cdef inline int connecting_stone(const Men* men, int player, int size) noexcept nogil:
    """The number of the stone that completes the player's connection, or NONE.

    Stones are sets of bits by number, and whatever is no stone of the player counts as stone NONE.
    """
    cdef uint8_t number[FRAME]   # of the stone on each cell, if it is not yet taken in
    cdef uint64_t beside[3]      # the stones beside those taken in
    cdef int i, cell, stone, latest = 0
    cdef int along = 0 if player else 5   # shift to the coordinate that grows from edge to edge
    memset(number, NONE, (size + 2) * WIDTH)
    memset(beside, 0, sizeof(beside))
    for i in range(men.count):
        number[men.cells[i]] = i
    for i in range(size):
        mark(beside, number[ORIGIN + i * (WIDTH if player else 1)])
    while True:
        if beside[0]:
            stone = lowest_bit(beside[0])
            beside[0] &= beside[0] - 1
        elif beside[1]:
            stone = 64 + lowest_bit(beside[1])
            beside[1] &= beside[1] - 1
        else:
            return NONE
        latest = max(latest, stone)
        cell = men.cells[stone]
        number[cell] = NONE
        if (cell >> along & (WIDTH - 1)) == size:
            return latest
        mark(beside, number[cell - 1])
        mark(beside, number[cell + 1])
        mark(beside, number[cell - WIDTH])
        mark(beside, number[cell - WIDTH + 1])
        mark(beside, number[cell + WIDTH])
        mark(beside, number[cell + WIDTH - 1])


cdef inline void place_all(Board* board, const uint16_t* cells, int count) noexcept nogil:
    """The players set stones in turn; nothing else is updated than what the end of a game needs."""
    cdef int i, row = 0, column = 0, player = board.mover
    for i in range(count):
        row = cells[i] // WIDTH - 1
        column = cells[i] % WIDTH - 1
        board.stones[player][row + 1] |= 1 << column
        board.num_stones[player] += 1
        player = 1 - player
    board.last = row * board.size + column
    board.mover = player


cdef inline int pass_swap(Board* board, rng_t* rng) noexcept nogil:
    """Plays the random actions before which or at which a player can still swap; returns their number."""
    cdef int num_cells = board.size * board.size, count = 0
    if board.has_swap and board.last == NOWHERE:
        place(board, rng_below(rng, num_cells))
        count += 1
    if can_swap(board) and rng_below(rng, num_cells) == 0:   # one legal action of that many
        swap_stone(board)
        count += 1
    return count


cdef inline int rollout(Board* board, rng_t* rng) noexcept nogil:
    """Plays uniformly random actions to the end of a game that is not over; returns their number."""
    cdef uint16_t cells[MAX_CELLS]
    cdef Men men[2]
    cdef int old[2]
    cdef int i, stone, count, is_second, player, num_before = pass_swap(board, rng)
    for player in range(2):
        old[player] = list_stones(board, player, &men[player])
    count = shuffled_cells(board, rng, cells)
    for i in range(count):
        add(&men[board.mover ^ (i & 1)], cells[i])
    player = board.mover
    stone = connecting_stone(&men[player], player, board.size)
    is_second = stone == NONE
    if is_second:
        player = 1 - player
        stone = connecting_stone(&men[player], player, board.size)
    count = 2 * (stone - old[player]) + is_second + 1
    place_all(board, cells, count)
    end(board, player)
    return num_before + count
