"""The rules of Dodgem on bit boards.

Bit ``size * row + column`` of a board stands for the square in that row, from the top, and that column,
from the left. Both players drive towards higher bits: black (player 0) by 1, to the right, and white
(player 1) by the size, down. A transposition of the board exchanges them.
"""

from libc.stdint cimport uint64_t

from agents.rng cimport rng_below, rng_t


cdef enum:
    # Directions of a move.
    FORWARD   # off the board from the last row or column
    LOWER     # sideways to a lower bit: black up, white left
    HIGHER    # sideways to a higher bit: black down, white right
    NUM_DIRECTIONS


ctypedef struct Side:
    # What a player's moves depend on beside the cars.
    int num_cars             # at the start
    int ahead                # added to the bit number by a move forward
    int aside                # added or subtracted by a move sideways
    uint64_t exit            # squares from where a move forward leaves the board
    uint64_t has_lower       # squares with another one beside them at a lower bit
    uint64_t has_higher      # squares with another one beside them at a higher bit


ctypedef uint64_t[NUM_DIRECTIONS] Moves   # for each direction the cars that can go there


cdef inline int count_cars(uint64_t cars) noexcept nogil:
    """The number of bits, at most 15, faster than `agents.bits.count`."""
    cars -= (cars >> 1) & <uint64_t> 0x5555555555555555
    cars = (cars & <uint64_t> 0x3333333333333333) + ((cars >> 2) & <uint64_t> 0x3333333333333333)
    return <int> ((cars * <uint64_t> 0x1111111111111111) >> 60)


cdef inline void find_moves(const Side* side, uint64_t own, uint64_t enemy, uint64_t* moves) noexcept nogil:
    """Fills `Moves` of the player with the cars `own`."""
    cdef uint64_t free = ~(own | enemy)
    moves[FORWARD] = own & ((free >> side.ahead) | side.exit)
    moves[LOWER] = own & (free << side.aside) & side.has_lower
    moves[HIGHER] = own & (free >> side.aside) & side.has_higher


cdef inline bint can_move(const Side* side, uint64_t own, uint64_t enemy) noexcept nogil:
    cdef Moves moves
    find_moves(side, own, enemy, moves)
    return (moves[FORWARD] | moves[LOWER] | moves[HIGHER]) != 0


cdef inline int count_moves(const Side* side, uint64_t own, uint64_t enemy) noexcept nogil:
    cdef Moves moves
    find_moves(side, own, enemy, moves)
    return count_cars(moves[FORWARD]) + count_cars(moves[LOWER]) + count_cars(moves[HIGHER])


cdef inline uint64_t ahead_of(const Side* side, uint64_t cars) noexcept nogil:
    """Where cars are after a move forward, those that left the board missing."""
    return (cars & ~side.exit) << side.ahead


cdef inline uint64_t target_of(const Side* side, uint64_t car, int direction) noexcept nogil:
    """Where a car is after a move, 0 if it left the board."""
    if direction == FORWARD:
        return ahead_of(side, car)
    return car >> side.aside if direction == LOWER else car << side.aside


cdef inline int distance(const Side* side, uint64_t cars) noexcept nogil:
    """The number of moves forward that bring all cars off the board."""
    cdef int total = 0
    while cars:
        total += count_cars(cars)
        cars = ahead_of(side, cars)
    return total


cdef inline uint64_t draw_move(
    const Side* side, uint64_t own, uint64_t enemy, rng_t* rng, int* direction
) noexcept nogil:
    """Draws one of a player's moves uniformly; returns the car that moves, or 0 if there is no move."""
    cdef Moves moves
    cdef int forward, sideways, total, choice, is_sideways, is_higher, i
    cdef uint64_t cars
    find_moves(side, own, enemy, moves)
    forward = count_cars(moves[FORWARD])
    sideways = count_cars(moves[LOWER])
    total = forward + sideways + count_cars(moves[HIGHER])
    if total == 0:
        return 0
    # Without branches, which a processor would guess wrongly half of the time.
    choice = rng_below(rng, total)
    is_sideways = choice >= forward
    is_higher = choice >= forward + sideways
    direction[0] = is_sideways + is_higher
    choice -= forward * is_sideways + sideways * is_higher
    cars = moves[direction[0]]
    for i in range(side.num_cars - 1):
        cars &= cars - (i < choice)   # drops the lowest car as often as `choice` says
    return cars & (0 - cars)
