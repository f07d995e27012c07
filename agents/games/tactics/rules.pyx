"""What the actions of the tactics game do; turns, draws and the end."""

from libc.stdint cimport uint8_t, uint64_t
from libc.string cimport memset

from agents.bits cimport bit, count, has, lowest_bit
from agents.rng cimport rng_below, rng_t

from .legal cimport has_action, sample_action
from .state cimport (
    ACT, ATTACK, DEAL, DRAW, FIRST_ACTION_POINTS, FULL, HAND_SIZE, HEAL, MOVE, NOBODY, NO_ACTION, OVER, PLAY,
    SWAP, UNITS_DEALT, Action, Rules, State, all_living, decoded, healed_hp, kind_on, percent_of, power_on,
    troops,
)
from .tables cimport (
    CARD_WORTH, CLASSES, CRYSTAL, DRAGONSCALE, FIRST_ITEM, HAS_SCROLL, HELM, INFERNO, ITEM_BITS, KNIGHT,
    NUM_CARDS, NUM_DIRECTIONS, OPPOSITE, POTION, TRAITS, WIZARD, Board, direction_between,
)


cdef enum:
    DEFENCE_OF_SQUARE = 20      # physical resistance in percent
    ASSAULT_OF_SQUARE = 300     # damage on crystals
    INFERNO_DAMAGE = 350
    POTION_HEALS = 1000
    POTION_REVIVES = 100
    ARMOUR_SHARE = 10           # a tenth of the hit points comes with a piece of armour
    FIRST_JUMP = 75             # of a wizard's lightning, percent of the power
    SECOND_JUMP = 56


# --- Units on squares ---

cdef inline void credit(State* state, int player, int worth) noexcept nogil:
    """Adds to the evaluation of a player."""
    state.value += worth if player == 0 else -worth


cdef inline int worth_of(const Board* board, const State* state, int square) noexcept nogil:
    """The worth of the unit on a square in its owner's evaluation."""
    cdef int worth = TRAITS[state.codes[square]].worth
    if state.hp[square]:
        worth = 2 * worth + state.hp[square] + board.worth[kind_on(state, square)][square]
    return worth


cdef void put(const Board* board, State* state, int player, int square, int code, int hp) noexcept nogil:
    cdef uint64_t member = bit(square)
    state.codes[square] = code
    state.hp[square] = hp
    if hp:
        state.living[player] |= member
        if code == CRYSTAL:
            state.crystals |= member
        elif hp < TRAITS[code].max_hp:
            state.wounded |= member
    else:
        state.bodies[player] |= member
    credit(state, player, worth_of(board, state, square))


cdef void remove(const Board* board, State* state, int player, int square) noexcept nogil:
    cdef uint64_t others = ~bit(square)
    credit(state, player, -worth_of(board, state, square))
    state.living[player] &= others
    state.bodies[player] &= others
    state.crystals &= others
    state.wounded &= others
    state.codes[square] = 0
    state.hp[square] = 0


cdef void change(const Board* board, State* state, int player, int square, int code, int hp) noexcept nogil:
    """Gives the unit on a square other items or hit points."""
    remove(board, state, player, square)
    put(board, state, player, square, code, hp)


cdef void carry(const Board* board, State* state, int player, int source, int target) noexcept nogil:
    """Takes a unit to another square, where it destroys a body."""
    cdef int code = state.codes[source], hp = state.hp[source]
    remove(board, state, player, source)
    destroy_bodies(board, state, bit(target))
    put(board, state, player, target, code, hp)


cdef void destroy_bodies(const Board* board, State* state, uint64_t squares) noexcept nogil:
    """Takes the bodies on some squares, whoever has them, off the board."""
    cdef uint64_t bodies = (state.bodies[0] | state.bodies[1]) & squares
    while bodies:
        remove(board, state, has(state.bodies[1], lowest_bit(bodies)), lowest_bit(bodies))
        bodies &= bodies - 1


# --- Attacks ---

cdef inline int resistance_on(
    const Board* board, const State* state, int square, bint is_magical
) noexcept nogil:
    """The resistance of the unit on a square, in percent."""
    if is_magical:
        return TRAITS[state.codes[square]].magical
    return TRAITS[state.codes[square]].physical + DEFENCE_OF_SQUARE * has(board.defence, square)


cdef inline int bonus_on_crystals(const Board* board, const State* state) noexcept nogil:
    """What the player's units on assault squares add to damage on crystals."""
    return ASSAULT_OF_SQUARE * count(troops(state, state.player) & board.assault)


cdef void hurt(const Board* board, State* state, int square, int damage) noexcept nogil:
    """Takes hit points from an enemy of the player."""
    cdef int enemy = 1 - state.player, code = state.codes[square], hp = state.hp[square] - damage
    remove(board, state, enemy, square)
    if hp > 0 or code != CRYSTAL:
        put(board, state, enemy, square, code, max(hp, 0))


cdef void strike(const Board* board, State* state, int square, int strength, bint is_magical) noexcept nogil:
    """One hit on an enemy; strength is power times percent."""
    cdef int damage = strength * (FULL - resistance_on(board, state, square, is_magical)) // (FULL * FULL)
    if has(state.crystals, square):
        damage += bonus_on_crystals(board, state)
    hurt(board, state, square, damage)


cdef void push(const Board* board, State* state, int square, int direction) noexcept nogil:
    """Moves an enemy away, if there is room."""
    cdef int target = board.neighbours[square][direction]
    if target >= 0 and not has(all_living(state) | board.deploy[state.player], target):
        carry(board, state, 1 - state.player, square, target)


cdef int next_direction(const Board* board, uint64_t enemies, int square, int direction) noexcept nogil:
    """Where lightning that came to a square in a direction goes on, or -1."""
    cdef int i, target = board.neighbours[square][direction]
    if target >= 0 and has(enemies, target):
        return direction
    for i in range(NUM_DIRECTIONS):
        target = board.neighbours[square][i]
        if i != OPPOSITE[direction] and target >= 0 and has(enemies, target):
            return i
    return -1


cdef void chain(const Board* board, State* state, int square, int direction, int power) noexcept nogil:
    """The jumps of lightning that has hit the square."""
    cdef int i
    cdef int percents[2]
    percents[0], percents[1] = FIRST_JUMP, SECOND_JUMP
    for i in range(2):
        direction = next_direction(board, state.living[1 - state.player], square, direction)
        if direction < 0:
            return
        square = board.neighbours[square][direction]
        strike(board, state, square, power * percents[i], True)


cdef void use_scroll(const Board* board, State* state, int square) noexcept nogil:
    if state.codes[square] & HAS_SCROLL:
        change(board, state, state.player, square, state.codes[square] & ~HAS_SCROLL, state.hp[square])


cdef void attack(const Board* board, State* state, int source, int target) noexcept nogil:
    cdef int kind = kind_on(state, source), power = power_on(board, state, source)
    cdef int direction = direction_between(board, source, target)
    cdef bint can_be_pushed = not has(state.crystals, target)
    strike(board, state, target, power * percent_of(board, state, source, target), CLASSES[kind].is_magical)
    if kind == KNIGHT and can_be_pushed:
        push(board, state, target, direction)
    elif kind == WIZARD:
        chain(board, state, target, direction, power)
    use_scroll(board, state, source)


# --- What else units do ---

cdef void heal(const Board* board, State* state, int source, int target) noexcept nogil:
    cdef int hp = healed_hp(board, state, source, target)
    change(board, state, state.player, target, state.codes[target], hp)
    use_scroll(board, state, source)


cdef void swap(const Board* board, State* state, int source, int target) noexcept nogil:
    cdef int player = state.player, code = state.codes[source], hp = state.hp[source]
    remove(board, state, player, source)
    carry(board, state, player, target, source)
    put(board, state, player, target, code, hp)


# --- Playing cards ---

cdef void burn(const Board* board, State* state, int square) noexcept nogil:
    """An inferno."""
    cdef int enemy = 1 - state.player, target, damage
    cdef uint64_t living = state.living[enemy] & board.around[square]
    destroy_bodies(board, state, state.bodies[enemy] & board.around[square])
    while living:
        target = lowest_bit(living)
        damage = INFERNO_DAMAGE
        if has(state.crystals, target):
            damage += bonus_on_crystals(board, state)
        hurt(board, state, target, damage * (FULL - resistance_on(board, state, target, True)) // FULL)
        living &= living - 1


cdef void equip(const Board* board, State* state, int item, int square) noexcept nogil:
    cdef int code = state.codes[square], hp = state.hp[square]
    if item == POTION:
        hp = min(hp + POTION_HEALS, TRAITS[code].max_hp) if hp else POTION_REVIVES
    elif item == DRAGONSCALE or item == HELM:
        hp = min(hp + hp // ARMOUR_SHARE, TRAITS[code | ITEM_BITS[item]].max_hp)
    change(board, state, state.player, square, code | ITEM_BITS[item], hp)


cdef void play_card(const Board* board, State* state, int card, int square) noexcept nogil:
    cdef int player = state.player
    add_cards(state, player, card, -1, 0)
    if card < FIRST_ITEM:
        destroy_bodies(board, state, bit(square))
        put(board, state, player, square, card, CLASSES[card].hp)
    elif card == INFERNO:
        burn(board, state, square)
    else:
        equip(board, state, card, square)


cdef void act(const Board* board, State* state, int number) noexcept nogil:
    cdef Action action = decoded(board, number)
    if action.deed == MOVE:
        carry(board, state, state.player, action.subject, action.target)
    elif action.deed == ATTACK:
        attack(board, state, action.subject, action.target)
    elif action.deed == HEAL:
        heal(board, state, action.subject, action.target)
    elif action.deed == SWAP:
        swap(board, state, action.subject, action.target)
    elif action.deed == PLAY:
        play_card(board, state, action.subject, action.target)
    else:
        add_cards(state, state.player, action.subject, -1, 1)


# --- Setting up ---

cdef void clear(State* state) noexcept nogil:
    memset(state, 0, sizeof(State))
    state.winner = NOBODY
    state.last = NO_ACTION


cdef void add_cards(State* state, int player, int card, int in_hand, int in_deck) noexcept nogil:
    state.hands[player][card] += in_hand
    state.decks[player][card] += in_deck
    state.hand_sizes[player] += in_hand
    state.deck_sizes[player] += in_deck
    if card < FIRST_ITEM:
        state.unit_cards[player] += in_hand + in_deck
    credit(state, player, CARD_WORTH[card] * (in_hand + in_deck))


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


# --- The course of the game ---

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
    destroy_bodies(rules.board, state, state.bodies[state.player])
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
            add_cards(state, state.player, draw_card(state, &state.rng), 1, -1)
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
        add_cards(state, state.player, action, 1, -1)
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
