"""The rules of Reversi on bit boards: moves by parallel prefix fills, turned pieces by carries on rays.

Both methods are those of chess programs: https://www.chessprogramming.org/Kogge-Stone_Algorithm and
https://www.chessprogramming.org/Subtracting_a_Rook_from_a_Blocking_Piece.
"""

from libc.stdint cimport uint64_t
from libc.string cimport memcmp, memset

from agents.forward_model cimport CHANCE, TERMINAL
from agents.rng cimport rng_below, rng_next, rng_t

from .bits cimport (
    Pair, add, bits_t, both, count, down, either, enclosed_above, enclosed_below, has, is_empty, nth, pair,
    up, without,
)


# --- Tables ---

cdef uint64_t RAYS[64][8]           # the squares after a square, in the order of DIRECTIONS
cdef Pair RAYS_PLUS[100][8]
cdef Pair INNER[2]                  # all files but the first and the last
# Rows and columns of a step. The first four lead to higher squares, and each has its opposite below it.
cdef int[8][2] DIRECTIONS = [
    [0, 1], [1, -1], [1, 0], [1, 1],
    [0, -1], [-1, 1], [-1, 0], [-1, -1],
]


cdef bint is_playable(int size, int row, int column) noexcept:
    """Whether a square is on the board and not blocked."""
    if not (0 <= row < size and 0 <= column < size):
        return False
    # A blocked square lies on an edge, at most two squares from a corner.
    cdef int from_row = min(row, size - 1 - row), from_column = min(column, size - 1 - column)
    return size == 8 or from_row * from_column > 0 or from_row + from_column > 2


cdef bint is_corner(int size, int row, int column) noexcept:
    """Whether no line through the square goes on at both sides, so that its piece is never enclosed."""
    cdef int i, to_row, to_column
    for i in range(4):
        to_row, to_column = DIRECTIONS[i][0], DIRECTIONS[i][1]
        if is_playable(size, row + to_row, column + to_column):
            if is_playable(size, row - to_row, column - to_column):
                return False
    return True


cdef Pair ray_from(int size, int row, int column, int rows, int columns) noexcept:
    cdef Pair ray = pair(0, 0)
    row += rows
    column += columns
    while is_playable(size, row, column):
        add(&ray, row * size + column)
        row += rows
        column += columns
    return ray


cdef void fill_tables(bint is_plus) noexcept:
    cdef int i, square, row, column, size = 10 if is_plus else 8
    cdef Pair ray
    for square in range(size * size):
        row, column = square // size, square % size
        if 0 < column < size - 1:
            add(&INNER[is_plus], square)
        if is_playable(size, row, column):
            add(&PLAYABLE[is_plus], square)
            if is_corner(size, row, column):
                add(&CORNERS[is_plus], square)
        for i in range(8):
            ray = ray_from(size, row, column, DIRECTIONS[i][0], DIRECTIONS[i][1])
            if is_plus:
                RAYS_PLUS[square][i] = ray
            else:
                RAYS[square][i] = ray.low


fill_tables(False)
fill_tables(True)


# --- Moves ---

cdef inline bits_t ends_of_lines(bits_t mine, bits_t theirs, int step) noexcept nogil:
    """The squares that follow `mine` and then one or more of `theirs`, both ways along an axis."""
    cdef bits_t pairs = both(theirs, up(theirs, step)), rising, falling
    rising = both(theirs, up(mine, step))
    rising = either(rising, both(theirs, up(rising, step)))
    rising = either(rising, both(pairs, up(rising, 2 * step)))
    rising = either(rising, both(pairs, up(rising, 2 * step)))
    if bits_t is Pair:   # lines of eight in a board of ten
        rising = either(rising, both(pairs, up(rising, 2 * step)))
    pairs = down(pairs, step)
    falling = both(theirs, down(mine, step))
    falling = either(falling, both(theirs, down(falling, step)))
    falling = either(falling, both(pairs, down(falling, 2 * step)))
    falling = either(falling, both(pairs, down(falling, 2 * step)))
    if bits_t is Pair:
        falling = either(falling, both(pairs, down(falling, 2 * step)))
    return either(up(rising, step), down(falling, step))


cdef inline bits_t moves_for(bits_t mine, bits_t theirs) noexcept nogil:
    """The free squares where a move turns pieces."""
    cdef bits_t inner, free, ends
    cdef int size
    if bits_t is uint64_t:
        size, inner, free = 8, theirs & INNER[False].low, ~(mine | theirs)
    else:
        size, inner = 10, both(theirs, INNER[True])
        free = without(PLAYABLE[True], either(mine, theirs))
    ends = ends_of_lines(mine, theirs, size)
    ends = either(ends, ends_of_lines(mine, inner, 1))
    ends = either(ends, ends_of_lines(mine, inner, size - 1))
    ends = either(ends, ends_of_lines(mine, inner, size + 1))
    return both(ends, free)


cdef inline bits_t turned(bits_t mine, bits_t theirs, int square) noexcept nogil:
    """The pieces that a move to a square turns."""
    cdef bits_t pieces
    cdef const bits_t* rays
    cdef int i
    if bits_t is uint64_t:
        rays = RAYS[square]
    else:
        rays = RAYS_PLUS[square]
    pieces = enclosed_above(mine, theirs, rays[0])
    for i in range(1, 4):
        pieces = either(pieces, enclosed_above(mine, theirs, rays[i]))
    for i in range(4, 8):
        pieces = either(pieces, enclosed_below(mine, theirs, rays[i]))
    return pieces


cdef inline void put(bits_t* mine, bits_t* theirs, int square) noexcept nogil:
    """Puts a piece on a square and turns what it encloses."""
    cdef bits_t pieces = turned(mine[0], theirs[0], square)
    mine[0] = either(mine[0], pieces)
    add(mine, square)
    theirs[0] = without(theirs[0], pieces)


# --- Positions ---

cdef int square_of_draw(int number) noexcept nogil:
    """The squares of the left half of the middle, row by row."""
    return 10 * (3 + number // 2) + 3 + number % 2


cdef void draw(State* state, int colour) noexcept nogil:
    """Gives the next square at the start of Reversi Plus a colour, and the one two files on the other."""
    cdef int square = square_of_draw(state.num_draws)
    add(&state.pieces[colour], square)
    add(&state.pieces[1 - colour], square + 2)
    state.num_draws += 1
    if state.num_draws == NUM_DRAWS:
        give_turn(state, BLACK)


cdef void give_turn(State* state, int player) noexcept nogil:
    """Makes it a player's turn, or ends the game if neither player can move."""
    state.moves = moves_of(state, player)
    state.player = player
    if is_empty(state.moves) and is_empty(moves_of(state, 1 - player)):
        state.player = TERMINAL


cdef void start(State* state, bint is_plus) noexcept nogil:
    memset(state, 0, sizeof(State))
    state.is_plus = is_plus
    state.last = NOWHERE
    if is_plus:
        state.player = CHANCE
        return
    add(&state.pieces[BLACK], 8 * 3 + 4)
    add(&state.pieces[BLACK], 8 * 4 + 3)
    add(&state.pieces[WHITE], 8 * 3 + 3)
    add(&state.pieces[WHITE], 8 * 4 + 4)
    give_turn(state, BLACK)


cdef Pair moves_of(const State* state, int player) noexcept nogil:
    cdef const Pair* mine = &state.pieces[player]
    cdef const Pair* theirs = &state.pieces[1 - player]
    if state.is_plus:
        return moves_for(mine[0], theirs[0])
    return pair(moves_for(mine.low, theirs.low), 0)


cdef void apply(State* state, int action) noexcept nogil:
    cdef int player = state.player, size = size_of(state)
    if player == CHANCE:
        draw(state, action)
        return
    if action == size * size:
        pass
    elif state.is_plus:
        put(&state.pieces[player], &state.pieces[1 - player], action)
    else:
        put(&state.pieces[player].low, &state.pieces[1 - player].low, action)
    state.last = action
    give_turn(state, 1 - player)


cdef void draw_rest(State* state, rng_t* rng) noexcept nogil:
    while state.player == CHANCE:
        draw(state, rng_next(rng) >> 63)


cdef int play_out(State* state, rng_t* rng) noexcept nogil:
    cdef int num_draws = state.num_draws, player
    draw_rest(state, rng)
    num_draws = state.num_draws - num_draws
    player = state.player
    if player == TERMINAL:
        return num_draws
    if state.is_plus:
        return num_draws + play_moves[Pair](
            state, &state.pieces[player], &state.pieces[1 - player], state.moves, rng
        )
    return num_draws + play_moves[uint64_t](
        state, &state.pieces[player].low, &state.pieces[1 - player].low, state.moves.low, rng
    )


cdef int play_moves(State* state, bits_t* mover, bits_t* other, bits_t moves, rng_t* rng) noexcept nogil:
    """Plays random moves to the end; returns their number."""
    cdef bits_t mine = mover[0], theirs = other[0]
    cdef int num_moves = 0, square
    while True:
        if is_empty(moves):
            square = size_of(state) * size_of(state)
        else:
            square = nth(moves, rng_below(rng, count(moves)))
            put(&mine, &theirs, square)
        num_moves += 1
        mine, theirs = theirs, mine
        moves = moves_for(mine, theirs)
        if is_empty(moves) and is_empty(moves_for(theirs, mine)):
            break
    mover[0], other[0] = (theirs, mine) if num_moves % 2 else (mine, theirs)
    state.moves = pair(0, 0)
    state.player = TERMINAL
    state.last = square
    return num_moves


cdef bint is_sound(const State* state) noexcept nogil:
    cdef int size = size_of(state)
    if not (0 <= state.is_plus <= 1 and NOWHERE <= state.last <= size * size):
        return False
    return is_start(state) if state.player == CHANCE else is_course(state)


cdef bint is_start(const State* state) noexcept nogil:
    """Whether this is a position before the last draw of Reversi Plus."""
    cdef State twin
    cdef int i
    if not (state.is_plus and 0 <= state.num_draws < NUM_DRAWS):
        return False
    start(&twin, True)
    for i in range(state.num_draws):
        draw(&twin, has(state.pieces[WHITE], square_of_draw(i)))
    return memcmp(&twin, state, sizeof(State)) == 0


cdef bint is_course(const State* state) noexcept nogil:
    """Whether this is a position after the start, with the right moves or the right end."""
    cdef State twin = state[0]
    cdef Pair black = state.pieces[BLACK], white = state.pieces[WHITE], pieces = either(black, white)
    if state.player not in (BLACK, WHITE, TERMINAL) or not is_empty(both(black, white)):
        return False
    if state.num_draws != state.is_plus * NUM_DRAWS or count(pieces) < (16 if state.is_plus else 4):
        return False
    give_turn(&twin, BLACK if state.player == TERMINAL else state.player)
    return is_empty(without(pieces, PLAYABLE[state.is_plus])) and memcmp(&twin, state, sizeof(State)) == 0
