"""Greedy Turn: depth-first search of all sequences of actions, with a table of the positions met."""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc

from agents.forward_model cimport ForwardModel, list_in_order
from agents.multi_action.builder cimport TurnBuilder
from agents.multi_action.turn cimport Turn


cdef enum:
    FIRST_SIZE = 1 << 12   # of the table, a power of two


@cython.final
cdef class SeenPositions:
    """A set of hashes: open addressing, at most half full."""

    cdef uint64_t* hashes    # 0 for an empty place
    cdef size_t size
    cdef size_t count

    def __cinit__(self):
        self.size = FIRST_SIZE
        self.hashes = <uint64_t*> calloc(self.size, sizeof(uint64_t))
        if self.hashes == NULL:
            raise MemoryError("no memory for a table of positions")

    def __dealloc__(self):
        free(self.hashes)

    cdef bint add(self, uint64_t hash) except -1 nogil:
        """Adds a hash; returns whether it is new."""
        cdef size_t place
        hash += hash == 0
        place = self.place_of(hash)
        if self.hashes[place] == hash:
            return False
        self.hashes[place] = hash
        self.count += 1
        if 2 * self.count > self.size:
            self.grow()
        return True

    cdef size_t place_of(self, uint64_t hash) noexcept nogil:
        """Where a hash stands, or the empty place for it."""
        cdef size_t place = hash & (self.size - 1)
        while self.hashes[place] != 0 and self.hashes[place] != hash:
            place = (place + 1) & (self.size - 1)
        return place

    cdef int grow(self) except -1 nogil:
        cdef uint64_t* old = self.hashes
        cdef size_t i, old_size = self.size
        cdef uint64_t* larger = <uint64_t*> calloc(2 * old_size, sizeof(uint64_t))
        if larger == NULL:
            raise MemoryError("no memory for a table of positions")
        self.hashes = larger
        self.size = 2 * old_size
        for i in range(old_size):
            if old[i] != 0:
                self.hashes[self.place_of(old[i])] = old[i]
        free(old)
        return 0


@cython.final
cdef class DepthFirst:
    """The search, as a stack of lists of actions that are still to be tried.

    Args:
        turn: The turn to be planned.
        depth: Number of actions after which a turn is valued as if it ended there, None for complete turns.
        in_order: Whether actions are tried in the game's order; otherwise as the game lists them.
    """

    cdef TurnBuilder builder
    cdef SeenPositions seen
    cdef int depth          # actions of a turn at most
    cdef bint in_order
    cdef int32_t* options   # [depth, max_legal_actions], those of the position after so many actions
    cdef int* counts        # [depth], how many of them are left; the last one is next
    cdef int width          # max_legal_actions

    def __cinit__(self, Turn turn not None, depth: int | None, bint in_order):
        self.depth = min(depth or turn.max_actions, turn.max_actions)
        self.in_order = in_order
        self.width = turn.root.max_legal_actions
        self.builder = TurnBuilder(turn, True)
        self.seen = SeenPositions()
        self.options = <int32_t*> malloc(<size_t> self.depth * self.width * sizeof(int32_t))
        self.counts = <int*> malloc(self.depth * sizeof(int))
        if self.options == NULL or self.counts == NULL:
            raise MemoryError("no memory for a depth-first search")

    def __dealloc__(self):
        free(self.options)
        free(self.counts)

    cdef int search(self) except -1 nogil:
        """Values every end of the turn once, until the budget is spent or no sequence is left."""
        cdef int depth
        self.open()
        while not self.builder.turn.is_over():
            depth = self.builder.length
            if self.counts[depth] == 0:
                if depth == 0:
                    return 0
                self.builder.length -= 1
                continue
            self.counts[depth] -= 1
            self.builder.add(self.options[<size_t> depth * self.width + self.counts[depth]])
            if not self.is_new():
                self.builder.length -= 1
            elif self.builder.length < self.depth and self.builder.is_open():
                self.open()
            else:
                self.builder.value()
                self.builder.length -= 1
        return 0

    cdef bint is_new(self) except -1 nogil:
        """Whether the position was not met before."""
        return self.seen.add((<ForwardModel> self.builder.positions[self.builder.length]).c_hash())

    cdef int open(self) except -1 nogil:
        """Lists the actions of the position, the one to try first last."""
        cdef int depth = self.builder.length, count, i
        cdef int32_t* options = self.options + <size_t> depth * self.width
        if self.in_order:
            count = list_in_order(<ForwardModel> self.builder.positions[depth], options)
        else:
            count = (<ForwardModel> self.builder.positions[depth]).c_legal_actions(options)
        for i in range(count // 2):
            options[i], options[count - 1 - i] = options[count - 1 - i], options[i]
        self.counts[depth] = count
        return 0


def search_turn(Turn turn not None, depth: int | None, bint in_order) -> None:
    """Searches the sequences of actions depth first; the turn keeps the best. See `DepthFirst`."""
    cdef DepthFirst search = DepthFirst(turn, depth, in_order)
    if turn.runs_python:
        search.search()
    else:
        with nogil:
            search.search()
