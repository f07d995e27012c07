"""Actions in the order in which they look strong, by J7 (see `units.pyx`)."""

from libc.stdint cimport int32_t, uint64_t

from agents.bits cimport count, has
from .board cimport Board
from .state cimport (
    ATTACK, HEAL, MAX_ACTIONS, MOVE, PLAY, RETURN, Action, Rules, State, decoded, enemies_around, healed_hp,
    percent_of, power_on,
)
from .units cimport FIRST_ITEM, INFERNO


cdef enum Rank:
    # What comes first.
    ONTO_BODY
    ATTACKING
    HEALING
    BURNING
    EQUIPPING
    DEPLOYING
    MOVING
    RETURNING
    NUM_RANKS


cdef enum:
    RANK_SHIFT = 60


cdef uint64_t key_of(const Board* board, const State* state, int number) noexcept nogil:
    """A number that is smaller for actions that come earlier."""
    cdef Action action = decoded(board, number)
    cdef int rank = MOVING, strength = 0
    if action.deed == MOVE:
        rank = ONTO_BODY if has(state.bodies[1 - state.player], action.target) else MOVING
    elif action.deed == ATTACK:
        rank = ATTACKING
        strength = power_on(board, state, action.subject)
        strength *= percent_of(board, state, action.subject, action.target)
    elif action.deed == HEAL:
        rank = HEALING
        strength = healed_hp(board, state, action.subject, action.target) - state.hp[action.target]
    elif action.deed == RETURN:
        rank = RETURNING
    elif action.deed == PLAY and action.subject == INFERNO:
        rank = BURNING
        strength = count(enemies_around(board, state, action.target))
    elif action.deed == PLAY:
        rank = DEPLOYING if action.subject < FIRST_ITEM else EQUIPPING
    return (<uint64_t> rank << RANK_SHIFT) + ((<uint64_t> (1 << 24) - strength) << 32) + number


cdef void order(const Rules* rules, const State* state, int32_t* actions, int length) noexcept nogil:
    cdef uint64_t keys[MAX_ACTIONS]
    cdef uint64_t ranked[MAX_ACTIONS]
    cdef int i
    for i in range(length):
        keys[i] = key_of(rules.board, state, actions[i])
    sort_by_rank(keys, ranked, length)
    sort(ranked, length)
    for i in range(length):
        actions[i] = <int32_t> ranked[i]   # the lower half


cdef void sort_by_rank(const uint64_t* keys, uint64_t* ranked, int length) noexcept nogil:
    """Fills `ranked` with the keys by their ranks alone; those of a rank stay as they are."""
    cdef int ends[NUM_RANKS + 1]
    cdef int i
    for i in range(NUM_RANKS + 1):
        ends[i] = 0
    for i in range(length):
        ends[(keys[i] >> RANK_SHIFT) + 1] += 1
    for i in range(NUM_RANKS):
        ends[i + 1] += ends[i]
    for i in range(length):
        ranked[ends[keys[i] >> RANK_SHIFT]] = keys[i]
        ends[keys[i] >> RANK_SHIFT] += 1


cdef void sort(uint64_t* keys, int length) noexcept nogil:
    """Insertion sort: keys sorted by rank are nearly in order, as lists of legal actions are."""
    cdef int i, j
    cdef uint64_t key
    for i in range(1, length):
        key = keys[i]
        j = i
        while j > 0 and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key
