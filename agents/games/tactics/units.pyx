# distutils: extra_compile_args = -O1
"""The numbers of the units, by J7: N. Justesen, T. Mahlmann, S. Risi, J. Togelius, *Playing Multi-Action
Adversarial Games: Online Evolution versus Tree Search*, IEEE TCIAIG 2017, and its public program."""

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
