"""The rules of the tactics game."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memset

from agents.rng cimport rng_below, rng_t

from .bits cimport bit, count, has, lowest_bit, nth
from .board cimport (
    EAST, NORTH, NUM_DIRECTIONS, OPPOSITE, Board, direction_between,
)
from .units cimport (
    ARCHER, CARD_WORTH, CLASSES, CLERIC, CRYSTAL, DRAGONSCALE, FIRST_ITEM, HAS_SCROLL, HELM, INFERNO,
    ITEM_BITS, KIND_BITS, KNIGHT, NINJA, NUM_CARDS, POTION, TRAITS, WIZARD, UnitClass,
)


cdef enum:
    POWER_OF_SQUARE = 100
    SCROLL_FACTOR = 3
    DEFENCE_OF_SQUARE = 20          # physical resistance in percent
    ASSAULT_OF_SQUARE = 300         # damage on crystals
    INFERNO_DAMAGE = 350
    HEAL_FACTOR = 3                 # of the power, for living units
    REVIVE_FACTOR = 2               # the same for bodies
    POTION_HEALS = 1000
    POTION_REVIVES = 100
    FIRST_JUMP = 75                 # of a wizard's lightning, percent of the power
    SECOND_JUMP = 56
    FULL = 100                      # percent


# --- Units on squares ---

cdef inline int kind_on(const State* state, int square) noexcept nogil:
    return state.codes[square] & KIND_BITS


cdef inline uint64_t all_living(const State* state) noexcept nogil:
    return state.living[0] | state.living[1]


cdef inline uint64_t troops(const State* state, int player) noexcept nogil:
    """The player's living units without his crystals."""
    return state.living[player] & ~state.crystals


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
    destroy_body(board, state, target)
    put(board, state, player, target, code, hp)


cdef void destroy_body(const Board* board, State* state, int square) noexcept nogil:
    """Takes the body on a square, if there is one, off the board."""
    cdef int player
    for player in range(2):
        if has(state.bodies[player], square):
            remove(board, state, player, square)


cdef void destroy_bodies(const Board* board, State* state, int player, uint64_t squares) noexcept nogil:
    cdef uint64_t bodies = state.bodies[player] & squares
    while bodies:
        remove(board, state, player, lowest_bit(bodies))
        bodies &= bodies - 1


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
    return (board.within[CLASSES[CLERIC].range][source] | bit(source)) & (
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


cdef inline uint64_t enemies_around(const Board* board, const State* state, int square) noexcept nogil:
    """Those that an inferno on the square reaches, bodies included."""
    return board.around[square] & (state.living[1 - state.player] | state.bodies[1 - state.player])


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

cdef inline int add_choice(Choice* choices, int count, int first, uint64_t targets) noexcept nogil:
    """Appends a choice if it has targets; returns the number of choices."""
    choices[count].first = first
    choices[count].targets = targets
    return count + (targets != 0)


cdef int find_choices(const Rules* rules, const State* state, Choice* choices) noexcept nogil:
    cdef const Board* board = rules.board
    cdef int size = board.num_squares, table = size * size, source, card, count = 0
    cdef int first_card = NUM_DEEDS * table, first_return = first_card + NUM_CARDS * size
    cdef uint64_t rest = troops(state, state.player), held = cards_held(state, 1)
    while rest:
        source = lowest_bit(rest)
        count = add_choice(choices, count, source * size, move_targets(board, state, source))
        count = add_choice(
            choices, count, ATTACK * table + source * size, attack_targets(board, state, source)
        )
        count = add_choice(
            choices, count, HEAL * table + source * size, heal_targets(board, state, source)
        )
        count = add_choice(
            choices, count, SWAP * table + source * size, swap_targets(board, state, source)
        )
        rest &= rest - 1
    rest = held
    while rest:
        card = lowest_bit(rest)
        count = add_choice(choices, count, first_card + card * size, card_targets(rules, state, card))
        rest &= rest - 1
    if state.deck_sizes[state.player]:
        rest = cards_held(state, 2) if rules.is_pruned else held
        if rest == 0 and count == 0:   # an inferno always reaches a crystal, so these alone were left out
            rest = held
        count = add_choice(choices, count, first_return, rest)
    return count


cdef bint has_action(const Rules* rules, const State* state) noexcept nogil:
    cdef int player = state.player
    cdef Choice choices[MAX_CHOICES]
    if state.hand_sizes[player] and (state.deck_sizes[player] or state.hands[player][INFERNO]):
        return True
    return find_choices(rules, state, choices) > 0


cdef bint is_legal(const Rules* rules, const State* state, int action) noexcept nogil:
    cdef int size = rules.board.num_squares, row = action // size, target = action % size
    cdef int deed = row // size, source = row % size, card
    if deed < NUM_DEEDS:
        return has(troops(state, state.player), source) and has(
            deed_targets(rules.board, state, deed, source), target
        )
    card = row - NUM_DEEDS * size
    if card >= NUM_CARDS:
        return can_return(rules, state, action - (NUM_DEEDS * size + NUM_CARDS) * size)
    if state.hands[state.player][card] == 0:
        return False
    if card == INFERNO:
        return not rules.is_pruned or is_best_inferno(rules.board, state, target)
    return has(card_targets(rules, state, card), target)


cdef bint can_return(const Rules* rules, const State* state, int card) noexcept nogil:
    """Whether the player can put a card back into his deck."""
    cdef Choice choices[MAX_CHOICES]
    cdef int held = state.hands[state.player][card], last
    if held == 0 or state.deck_sizes[state.player] == 0:
        return False
    if held > 1 or not rules.is_pruned:
        return True
    last = find_choices(rules, state, choices) - 1
    return last == 0 and has(choices[0].targets, card) and (
        choices[0].first == (NUM_DEEDS * rules.board.num_squares + NUM_CARDS) * rules.board.num_squares
    )


cdef int sample_action(const Rules* rules, const State* state, rng_t* rng) noexcept nogil:
    cdef Choice choices[MAX_CHOICES]
    cdef int sizes[MAX_CHOICES]
    cdef int i, total = 0, number = find_choices(rules, state, choices)
    for i in range(number):
        sizes[i] = count(choices[i].targets)
        total += sizes[i]
    total = rng_below(rng, total)
    i = 0
    while total >= sizes[i]:
        total -= sizes[i]
        i += 1
    return choices[i].first + nth(choices[i].targets, total)


# --- Attacks ---

cdef inline int power_on(const Board* board, const State* state, int square) noexcept nogil:
    """The power of the unit on a square."""
    cdef int code = state.codes[square]
    cdef int power = TRAITS[code].power + POWER_OF_SQUARE * has(board.power, square)
    return power * SCROLL_FACTOR if code & HAS_SCROLL else power


cdef inline int percent_of(const Board* board, const State* state, int source, int target) noexcept nogil:
    """How much of its power a unit brings to bear on a target."""
    if has(board.within[1][source], target):
        return CLASSES[kind_on(state, source)].adjacent_percent
    return FULL


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
    if hp > 0:
        put(board, state, enemy, square, code, hp)
    elif code != CRYSTAL:
        put(board, state, enemy, square, code, 0)


cdef void strike(
    const Board* board, State* state, int square, int strength, bint is_magical
) noexcept nogil:
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
        change(
            board, state, state.player, square, state.codes[square] & ~HAS_SCROLL, state.hp[square]
        )


cdef void attack(const Board* board, State* state, int source, int target) noexcept nogil:
    cdef int kind = kind_on(state, source), power = power_on(board, state, source)
    cdef int direction = direction_between(board, source, target)
    cdef bint can_be_pushed = not has(state.crystals, target)
    strike(
        board,
        state,
        target,
        power * percent_of(board, state, source, target),
        CLASSES[kind].is_magical,
    )
    if kind == KNIGHT and can_be_pushed:
        push(board, state, target, direction)
    elif kind == WIZARD:
        chain(board, state, target, direction, power)
    use_scroll(board, state, source)


# --- What else units do ---

cdef inline int healed_hp(const Board* board, const State* state, int source, int target) noexcept nogil:
    """The hit points of the target once a cleric has healed it."""
    cdef int factor = HEAL_FACTOR if state.hp[target] else REVIVE_FACTOR
    cdef int hp = state.hp[target] + factor * power_on(board, state, source)
    return min(hp, TRAITS[state.codes[target]].max_hp)


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
    destroy_bodies(board, state, enemy, board.around[square])
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
    else:
        hp += TRAITS[code | ITEM_BITS[item]].max_hp - TRAITS[code].max_hp
    change(board, state, state.player, square, code | ITEM_BITS[item], hp)


cdef void play_card(const Board* board, State* state, int card, int square) noexcept nogil:
    cdef int player = state.player
    state.hands[player][card] -= 1
    state.hand_sizes[player] -= 1
    credit(state, player, -CARD_WORTH[card])
    if card < FIRST_ITEM:
        state.unit_cards[player] -= 1
        destroy_body(board, state, square)
        put(board, state, player, square, card, CLASSES[card].hp)
    elif card == INFERNO:
        burn(board, state, square)
    else:
        equip(board, state, card, square)


cdef void return_card(State* state, int card) noexcept nogil:
    """Puts a card of the hand back into the deck."""
    cdef int player = state.player
    state.hands[player][card] -= 1
    state.hand_sizes[player] -= 1
    state.decks[player][card] += 1
    state.deck_sizes[player] += 1


cdef void act(const Board* board, State* state, int action) noexcept nogil:
    cdef int size = board.num_squares, row = action // size, target = action % size
    cdef int deed = row // size, source = row % size
    if deed == MOVE:
        carry(board, state, state.player, source, target)
    elif deed == ATTACK:
        attack(board, state, source, target)
    elif deed == HEAL:
        heal(board, state, source, target)
    elif deed == SWAP:
        swap(board, state, source, target)
    elif row - NUM_DEEDS * size < NUM_CARDS:
        play_card(board, state, row - NUM_DEEDS * size, target)
    else:
        return_card(state, action - (NUM_DEEDS * size + NUM_CARDS) * size)


# --- Turns ---

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


cdef void take_card(State* state, int card) noexcept nogil:
    """A card of the deck comes to the hand."""
    cdef int player = state.player
    state.decks[player][card] -= 1
    state.deck_sizes[player] -= 1
    state.hands[player][card] += 1
    state.hand_sizes[player] += 1


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
    cdef int count = 0
    cdef rng_t source = rng[0]   # a copy that the compiler can keep in registers
    while state.phase != OVER:
        if state.phase == ACT:
            apply(rules, state, sample_action(rules, state, &source))
        else:
            apply(rules, state, draw_card(state, &source))
        count += 1
    rng[0] = source
    return count


# --- Positions from outside ---

cdef bint is_sound(const Rules* rules, const State* state) noexcept nogil:
    cdef State copy = state[0]
    cdef bint is_decided = decide(&copy), is_last = state.turn == rules.max_turns
    cdef int player = state.turn & 1   # whose turn it is, if it has not ended
    if state.player > 1 or state.turn > rules.max_turns:
        return False
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


# --- Order ---

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


cdef uint64_t key_of(const Board* board, const State* state, int action) noexcept nogil:
    """A number that is smaller for actions that come earlier."""
    cdef int size = board.num_squares, row = action // size, target = action % size
    cdef int deed = row // size, source = row % size, card = row - NUM_DEEDS * size
    cdef int rank = MOVING, strength = 0
    if deed == MOVE:
        rank = ONTO_BODY if has(state.bodies[1 - state.player], target) else MOVING
    elif deed == ATTACK:
        rank = ATTACKING
        strength = power_on(board, state, source) * percent_of(board, state, source, target)
    elif deed == HEAL:
        rank = HEALING
        strength = healed_hp(board, state, source, target) - state.hp[target]
    elif deed >= NUM_DEEDS:
        if card == INFERNO:
            rank = BURNING
            strength = count(enemies_around(board, state, target))
        elif card < FIRST_ITEM:
            rank = DEPLOYING
        else:
            rank = EQUIPPING if card < NUM_CARDS else RETURNING
    return (<uint64_t> rank << 60) + ((<uint64_t> (1 << 24) - strength) << 32) + action


cdef void order(const Rules* rules, const State* state, int32_t* actions, int count) noexcept nogil:
    cdef uint64_t keys[MAX_ACTIONS]
    cdef int i
    for i in range(count):
        keys[i] = key_of(rules.board, state, actions[i])
    sort(keys, count)
    for i in range(count):
        actions[i] = <int32_t> keys[i]   # its lower half


cdef void sort(uint64_t* keys, int count) noexcept nogil:
    """Shell's sort, with the gaps of Knuth: fast on the short lists that turns have."""
    cdef int gap = 1, i, j
    cdef uint64_t key
    while 3 * gap + 1 < count:
        gap = 3 * gap + 1
    while gap:
        for i in range(gap, count):
            key = keys[i]
            j = i
            while j >= gap and keys[j - gap] > key:
                keys[j] = keys[j - gap]
                j -= gap
            keys[j] = key
        gap //= 3
