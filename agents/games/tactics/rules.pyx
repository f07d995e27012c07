"""Turns, draws and the end of the tactics game."""

from libc.stdint cimport uint8_t, uint64_t

from agents.rng cimport rng_below, rng_t

from agents.bits cimport lowest_bit
from .effects cimport act, add_cards, clear, destroy_bodies, put, take_card
from .legal cimport has_action, sample_action
from .state cimport (
    ACT, DEAL, DRAW, FIRST_ACTION_POINTS, HAND_SIZE, OVER, UNITS_DEALT, Rules, State, troops,
)
from .units cimport CLASSES, CRYSTAL, FIRST_ITEM, NUM_CARDS


cdef void start(const Rules* rules, State* state, const uint8_t* deck) noexcept nogil:
    cdef int player, card
    cdef uint64_t rest
    clear(state)
    for player in range(2):
        rest = rules.board.crystals[player]
        while rest:
            put(rules.board, state, player, lowest_bit(rest), CRYSTAL, CLASSES[CRYSTAL].hp)
            rest &= rest - 1
        for card in range(NUM_CARDS):
            add_cards(state, player, card, 0, deck[card])


cdef bint has_lost(const State* state, int player) noexcept nogil:
    """Whether a player has no crystal, or no unit."""
    if state.living[player] & state.crystals == 0:
        return True
    return not (state.unit_cards[player] or troops(state, player) or state.bodies[player])


cdef bint decide(State* state) noexcept nogil:
    cdef int player = state.player
    if has_lost(state, 1 - player):
        state.winner = player
    elif has_lost(state, player):
        state.winner = 1 - player
    else:
        return False
    state.phase = OVER
    state.action_points = 0
    return True


cdef void end_turn(const Rules* rules, State* state) noexcept nogil:
    destroy_bodies(rules.board, state, state.player, rules.board.squares)
    if decide(state):
        return
    state.turn += 1
    state.action_points = 0
    state.phase = OVER if state.turn >= rules.max_turns else DRAW


cdef void start_turn(const Rules* rules, State* state) noexcept nogil:
    """The turn of the other player; his draws are done."""
    state.player = 1 - state.player
    state.action_points = rules.action_points
    if state.phase == DEAL:
        state.action_points = min(FIRST_ACTION_POINTS, rules.action_points)
    state.phase = ACT
    if not has_action(rules, state):
        end_turn(rules, state)


cdef bint can_draw(const State* state) noexcept nogil:
    return state.hand_sizes[state.player] < HAND_SIZE and state.deck_sizes[state.player] > 0


cdef void proceed(const Rules* rules, State* state) noexcept nogil:
    while state.phase == DEAL or state.phase == DRAW:
        if can_draw(state):
            if not state.is_deterministic:
                return
            take_card(state, draw_card(state, &state.rng))
        elif state.phase == DEAL and state.player == 0:
            state.player = 1
        else:
            start_turn(rules, state)


cdef int find_pool(const State* state, int* first, int* end) noexcept nogil:
    cdef int card, total = 0
    first[0], end[0] = 0, NUM_CARDS
    if state.phase == DEAL and state.hand_sizes[state.player] < UNITS_DEALT:
        end[0] = FIRST_ITEM
    elif state.phase == DEAL:
        first[0] = FIRST_ITEM
    for card in range(first[0], end[0]):
        total += state.decks[state.player][card]
    return total


cdef int draw_card(const State* state, rng_t* rng) noexcept nogil:
    cdef int card = 0, end = 0
    cdef int number = rng_below(rng, find_pool(state, &card, &end))
    while number >= state.decks[state.player][card]:
        number -= state.decks[state.player][card]
        card += 1
    return card


cdef void settle(const Rules* rules, State* state) noexcept nogil:
    if decide(state):
        return
    if state.action_points == 0 or not has_action(rules, state):
        end_turn(rules, state)
    proceed(rules, state)


cdef void apply(const Rules* rules, State* state, int action) noexcept nogil:
    if state.phase == ACT:
        act(rules.board, state, action)
        state.last = action
        state.action_points -= 1
        settle(rules, state)
    else:
        take_card(state, action)
        proceed(rules, state)


cdef int play_out(const Rules* rules, State* state, rng_t* rng) noexcept nogil:
    cdef int length = 0
    cdef rng_t source = rng[0]   # a copy that the compiler can keep in registers
    while state.phase != OVER:
        if state.phase == ACT:
            apply(rules, state, sample_action(rules, state, &source))
        else:
            apply(rules, state, draw_card(state, &source))
        length += 1
    rng[0] = source
    return length


# --- Positions from outside ---

cdef bint is_sound(const Rules* rules, const State* state) noexcept nogil:
    cdef State copy = state[0]
    cdef bint is_decided, is_last = state.turn == rules.max_turns
    cdef int player = state.turn & 1   # whose turn it is, if it has not ended
    if state.player > 1 or state.turn > rules.max_turns:
        return False
    is_decided = decide(&copy)
    if state.phase == ACT:
        return (
            not (is_decided or is_last)
            and state.player == player
            and 0 < state.action_points <= rules.action_points
            and has_action(rules, state)
        )
    if state.action_points:
        return False
    if state.phase == OVER:
        return is_decided != is_last and state.player == player ^ is_last
    if is_decided or is_last or state.is_deterministic or not can_draw(state):
        return False
    if state.phase == DRAW:
        return state.turn > 0 and state.player != player and state.bodies[state.player] == 0
    return state.phase == DEAL and state.turn == 0 and is_sound_deal(state)


cdef bint is_sound_deal(const State* state) noexcept nogil:
    """Whether the first hands can be dealt from here on."""
    cdef int player, card, units
    for player in range(2):
        units = 0
        for card in range(FIRST_ITEM):
            units += state.hands[player][card]
        if (
            state.unit_cards[player] < UNITS_DEALT
            or state.hand_sizes[player] + state.deck_sizes[player]
            < state.unit_cards[player] + HAND_SIZE - UNITS_DEALT
            or units != min(<int> state.hand_sizes[player], UNITS_DEALT)
        ):
            return False
    return state.hand_sizes[1 - state.player] == (HAND_SIZE if state.player else 0)
