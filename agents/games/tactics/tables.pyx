# distutils: extra_compile_args = -O1
"""Tables of units, cards and the squares of a board."""

from functools import lru_cache

from agents.bits cimport bit


# --- Units and cards ---

# The numbers are those of J7: N. Justesen, T. Mahlmann, S. Risi, J. Togelius, *Playing Multi-Action
# Adversarial Games: Online Evolution versus Tree Search*, IEEE TCIAIG 2017, and its public program.

CLASSES[KNIGHT] = UnitClass(1000, 2, 1, 200, 20, 0, 100, False)
CLASSES[ARCHER] = UnitClass(800, 2, 3, 300, 0, 0, 50, False)
CLASSES[CLERIC] = UnitClass(800, 2, 2, 200, 0, 0, 100, True)
CLASSES[WIZARD] = UnitClass(800, 2, 2, 200, 0, 10, 100, True)
CLASSES[NINJA] = UnitClass(800, 3, 2, 200, 0, 0, 200, False)
CLASSES[CRYSTAL] = UnitClass(4500, 0, 0, 0, 0, 0, 100, False)

ITEM_BITS[RUNEMETAL] = HAS_RUNEMETAL
ITEM_BITS[DRAGONSCALE] = HAS_DRAGONSCALE
ITEM_BITS[HELM] = HAS_HELM
ITEM_BITS[SCROLL] = HAS_SCROLL

# Worth of an item to a knight, archer, cleric, wizard, ninja; crystals carry none.
cdef int WORTH_OF_ITEM[4][NUM_KINDS]
WORTH_OF_ITEM[0] = [-30, 60, 20, 60, 20, 0]    # runemetal
WORTH_OF_ITEM[1] = [60, 60, 30, 50, 30, 0]     # dragonscale
WORTH_OF_ITEM[2] = [20, 40, 20, 40, 30, 0]     # shining helm
WORTH_OF_ITEM[3] = [-10, 80, 30, 80, 70, 0]    # scroll


cdef Traits traits_of(int code) noexcept:
    cdef int kind = code & KIND_BITS, item
    cdef UnitClass* unit_class = &CLASSES[kind]
    cdef bint has_dragonscale = code & HAS_DRAGONSCALE != 0, has_helm = code & HAS_HELM != 0
    cdef Traits traits
    traits.max_hp = unit_class.hp + unit_class.hp // 10 * (has_dragonscale + has_helm)
    traits.power = unit_class.power + (unit_class.power // 2 if code & HAS_RUNEMETAL else 0)
    traits.physical = unit_class.physical + 20 * has_dragonscale
    traits.magical = unit_class.magical + 20 * has_helm
    traits.worth = unit_class.hp
    for item in range(4):
        if code & HAS_RUNEMETAL << item:
            traits.worth += WORTH_OF_ITEM[item][kind]
    return traits


cdef int code, kind
for code in range(NUM_CODES):
    if code & KIND_BITS < NUM_KINDS:
        TRAITS[code] = traits_of(code)
for kind in range(CRYSTAL):
    CARD_WORTH[kind] = CLASSES[kind].hp * 7 // 4
CARD_WORTH[INFERNO] = 750


# --- Boards ---

# Steps south and east of each direction.
cdef int DOWN[NUM_DIRECTIONS]
cdef int RIGHT[NUM_DIRECTIONS]
DOWN = [-1, 0, 0, 1, -1, -1, 1, 1]
RIGHT = [0, 1, -1, 0, 1, -1, 1, -1]
OPPOSITE = [SOUTH, WEST, EAST, NORTH, SOUTH_WEST, SOUTH_EAST, NORTH_WEST, NORTH_EAST]

# By the sign of the step south, then of that east, each from -1.
cdef int DIRECTION_OF[3][3]
DIRECTION_OF[0] = [NORTH_WEST, NORTH, NORTH_EAST]
DIRECTION_OF[1] = [WEST, -1, EAST]
DIRECTION_OF[2] = [SOUTH_WEST, SOUTH, SOUTH_EAST]

# Of a square to a knight, archer, cleric, wizard, ninja, in the evaluation.
_WORTH = {
    "A": (120, 40, 10, 40, 50),
    "S": (30, 80, 20, 70, 60),
    "P": (30, 120, 40, 100, 70),
    "d": (-75, -75, -75, -75, -75),
    "D": (-75, -75, -75, -75, -75),
}
_NO_WORTH = (0, 0, 0, 0, 0)


cdef int direction_between(const Board* board, int source, int target) noexcept nogil:
    cdef int down = target // board.width - source // board.width
    cdef int right = target % board.width - source % board.width
    return DIRECTION_OF[(down > 0) - (down < 0) + 1][(right > 0) - (right < 0) + 1]


@lru_cache(maxsize=256)
def table_of(rows: tuple[str, ...]) -> BoardTable:
    """The tables of a board, which models share."""
    return BoardTable(rows)


cdef class BoardTable:
    """The tables of a board.

    Args:
        rows: The rows of text, as `boards.rows_of` returns them.
    """

    rows: tuple[str, ...]

    def __init__(self, tuple rows not None: tuple[str, ...]):
        self.rows = rows
        cdef Board* board = &self.board
        board.height, board.width = len(rows), len(rows[0])
        board.num_squares = board.height * board.width
        board.inverse = (2**32 - 1) // board.num_squares + 1
        cdef int source, target
        for source, square in enumerate("".join(rows)):
            add_square(board, source, square)
        for source in range(board.num_squares):
            for target in range(board.num_squares):
                add_pair(board, source, target)


cdef add_square(Board* board, int number, str square):
    """Enters the square in the sets, with its worth and its neighbours."""
    cdef uint64_t member = bit(number)
    cdef int row = number // board.width, column = number % board.width, direction, kind, down, right
    board.squares |= member
    board.around[number] |= member
    for i, letters in enumerate(("dc", "DC")):
        board.deploy[i] |= member if square == letters[0] else 0
        board.crystals[i] |= member if square == letters[1] else 0
    board.assault |= member if square == "A" else 0
    board.defence |= member if square == "S" else 0
    board.power |= member if square == "P" else 0
    for kind in range(CRYSTAL):
        board.worth[kind][number] = _WORTH.get(square, _NO_WORTH)[kind]
    for direction in range(NUM_DIRECTIONS):
        down, right = row + DOWN[direction], column + RIGHT[direction]
        board.neighbours[number][direction] = -1
        if 0 <= down < board.height and 0 <= right < board.width:
            board.neighbours[number][direction] = down * board.width + right
            board.around[number] |= bit(down * board.width + right)


cdef add_pair(Board* board, int source, int target):
    """Enters the distance of two squares, and what lies between them."""
    cdef int width = board.width, row, column, reach
    cdef int down = target // width - source // width, right = target % width - source % width
    cdef int distance = abs(down) + abs(right)
    for reach in range(distance, MAX_REACH + 1):
        if distance:
            board.within[reach][source] |= bit(target)
    if max(abs(down), abs(right)) < 2:
        return
    for row in range(min(0, down), max(0, down) + 1):
        for column in range(min(0, right), max(0, right) + 1):
            # The corners of a square that the line touches are not all strictly on one side of it.
            if 2 * abs(right * row - down * column) <= distance:
                board.between[source][target] |= bit(source + row * width + column)
    board.between[source][target] &= ~(bit(source) | bit(target))
