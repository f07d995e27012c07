"""Legal actions of the tactics game, and the order in which they look strong."""

from libc.stdint cimport int32_t, uint64_t

from agents.rng cimport rng_below, rng_t

from agents.bits cimport bit, count, has, lowest_bit, nth
from .state cimport (
    ATTACK, HEAL, MAX_ACTIONS, MAX_CHOICES, MOVE, PLAY, RETURN, Action, Choice, Rules, State, all_living,
    decoded, enemies_around, first_play, first_return, healed_hp, kind_on, percent_of, power_on, troops,
)
from .tables cimport CLASSES, CLERIC, FIRST_ITEM, INFERNO, ITEM_BITS, NINJA, NUM_CARDS, POTION, Board


# --- Where units can act ---

cdef inline uint64_t move_targets(const Board* board, const State* state, int source) noexcept nogil:
    cdef int player = state.player, kind = kind_on(state, source)
    cdef uint64_t barred = all_living(state) | board.deploy[1 - player]
    if kind == CLERIC:
        barred |= state.bodies[player]
    return board.within[CLASSES[kind].speed][source] & ~barred


cdef inline uint64_t attack_targets(const Board* board, const State* state, int source) noexcept nogil:
    cdef uint64_t enemies = state.living[1 - state.player]
    cdef uint64_t targets = board.within[CLASSES[kind_on(state, source)].range][source] & enemies
    cdef uint64_t far = targets & ~board.around[source]
    cdef int target
    while far:
        target = lowest_bit(far)
        if board.between[source][target] & enemies:
            targets ^= bit(target)
        far &= far - 1
    return targets


cdef inline uint64_t heal_targets(const Board* board, const State* state, int source) noexcept nogil:
    cdef int player = state.player
    if kind_on(state, source) != CLERIC:
        return 0
    return board.within[CLASSES[CLERIC].range][source] & (
        state.living[player] & state.wounded | state.bodies[player]
    )


cdef inline uint64_t swap_targets(const Board* board, const State* state, int source) noexcept nogil:
    if kind_on(state, source) != NINJA:
        return 0
    return troops(state, state.player) & ~bit(source)


cdef inline uint64_t deed_targets(
    const Board* board, const State* state, int deed, int source
) noexcept nogil:
    """The targets of what a living unit of the player can do."""
    if deed == MOVE:
        return move_targets(board, state, source)
    if deed == ATTACK:
        return attack_targets(board, state, source)
    if deed == HEAL:
        return heal_targets(board, state, source)
    return swap_targets(board, state, source)


# --- Where cards can be played ---

cdef uint64_t troops_without(const State* state, int item) noexcept nogil:
    """The player's living units that lack an item."""
    cdef uint64_t rest = troops(state, state.player), found = rest
    while rest:
        if state.codes[lowest_bit(rest)] & ITEM_BITS[item]:
            found ^= rest & (0 - rest)
        rest &= rest - 1
    return found


cdef bint is_best_inferno(const Board* board, const State* state, int square) noexcept nogil:
    """Whether an inferno there reaches enemies, and no other square more, and no lower one the same."""
    cdef uint64_t targets = enemies_around(board, state, square), rest = targets, as_good = board.squares
    if targets == 0:
        return False
    while rest:   # an inferno reaches all of them from the squares around each of them
        as_good &= board.around[lowest_bit(rest)]
        rest &= rest - 1
    if lowest_bit(as_good) != square:
        return False
    as_good &= as_good - 1
    while as_good:
        if enemies_around(board, state, lowest_bit(as_good)) != targets:
            return False
        as_good &= as_good - 1
    return True


cdef uint64_t best_infernos(const Board* board, const State* state) noexcept nogil:
    cdef int enemy = 1 - state.player, square
    cdef uint64_t enemies = state.living[enemy] | state.bodies[enemy], squares = 0, found = 0
    while enemies:
        squares |= board.around[lowest_bit(enemies)]
        enemies &= enemies - 1
    while squares:
        square = lowest_bit(squares)
        if is_best_inferno(board, state, square):
            found |= bit(square)
        squares &= squares - 1
    return found


cdef uint64_t card_targets(const Rules* rules, const State* state, int card) noexcept nogil:
    """The squares on which the player can play a card, if he has it in hand."""
    cdef int player = state.player
    if card < FIRST_ITEM:
        return rules.board.deploy[player] & ~all_living(state)
    if card == INFERNO:
        return best_infernos(rules.board, state) if rules.is_pruned else rules.board.squares
    if card == POTION:
        return state.living[player] & state.wounded | state.bodies[player]
    return troops_without(state, card)


cdef uint64_t cards_held(const State* state, int number) noexcept nogil:
    """The cards of which the player has so many in hand, or more."""
    cdef uint64_t cards = 0
    cdef int card
    for card in range(NUM_CARDS):
        if state.hands[state.player][card] >= number:
            cards |= bit(card)
    return cards


# --- Actions ---

cdef inline int add_choice(Choice* choices, int length, int first, uint64_t targets) noexcept nogil:
    """Appends a choice if it has targets; returns the number of choices."""
    choices[length].first = first
    choices[length].targets = targets
    return length + (targets != 0)


cdef int find_choices(const Rules* rules, const State* state, Choice* choices) noexcept nogil:
    cdef const Board* board = rules.board
    cdef int size = board.num_squares, deed, first, card, length = 0
    cdef uint64_t rest = troops(state, state.player), held = cards_held(state, 1)
    while rest:
        first = lowest_bit(rest) * size
        for deed in range(PLAY):
            length = add_choice(
                choices, length, deed * size * size + first,
                deed_targets(board, state, deed, lowest_bit(rest)),
            )
        rest &= rest - 1
    rest = held
    while rest:
        card = lowest_bit(rest)
        first = first_play(board) + card * size
        length = add_choice(choices, length, first, card_targets(rules, state, card))
        rest &= rest - 1
    if state.deck_sizes[state.player]:
        rest = cards_held(state, 2) if rules.is_pruned else held
        if rest == 0 and length == 0:   # an inferno always reaches a crystal, so these alone were left out
            rest = held
        length = add_choice(choices, length, first_return(board), rest)
    return length


cdef bint has_action(const Rules* rules, const State* state) noexcept nogil:
    cdef int player = state.player
    cdef Choice choices[MAX_CHOICES]
    if state.hand_sizes[player] and (state.deck_sizes[player] or state.hands[player][INFERNO]):
        return True
    return find_choices(rules, state, choices) > 0


cdef bint is_legal(const Rules* rules, const State* state, int number) noexcept nogil:
    cdef Action action = decoded(rules.board, number)
    if action.deed < PLAY:
        return has(troops(state, state.player), action.subject) and has(
            deed_targets(rules.board, state, action.deed, action.subject), action.target
        )
    if state.hands[state.player][action.subject] == 0:
        return False
    if action.deed == RETURN:
        return can_return(rules, state, action.subject)
    if action.subject == INFERNO:
        return not rules.is_pruned or is_best_inferno(rules.board, state, action.target)
    return has(card_targets(rules, state, action.subject), action.target)


cdef bint can_return(const Rules* rules, const State* state, int card) noexcept nogil:
    """Whether the player can put a card of his hand back into the deck."""
    cdef Choice choices[MAX_CHOICES]
    if state.deck_sizes[state.player] == 0:
        return False
    if state.hands[state.player][card] > 1 or not rules.is_pruned:
        return True
    return (
        find_choices(rules, state, choices) == 1
        and choices[0].first == first_return(rules.board)
        and has(choices[0].targets, card)
    )


cdef int sample_action(const Rules* rules, const State* state, rng_t* rng) noexcept nogil:
    cdef Choice choices[MAX_CHOICES]
    cdef int sizes[MAX_CHOICES]
    cdef int i, total = 0, length = find_choices(rules, state, choices)
    for i in range(length):
        sizes[i] = count(choices[i].targets)
        total += sizes[i]
    total = rng_below(rng, total)
    i = 0
    while total >= sizes[i]:
        total -= sizes[i]
        i += 1
    return choices[i].first + nth(choices[i].targets, total)


# --- Which actions look strong, by J7 (see `tables.pyx`) ---

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
