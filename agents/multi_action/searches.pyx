"""Searches of turns without a tree: depth first, and by evolution.

Source: Justesen, Mahlmann, Risi and Togelius, "Playing Multi-Action Adversarial Games: Online Evolution
versus Tree Search", IEEE Transactions on Computational Intelligence and AI in Games, 2017.
"""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcpy

from agents.forward_model cimport ForwardModel, allocated, list_in_order, zeroed
from agents.multi_action.turn cimport Turn, TurnBuilder
from agents.rng cimport Rng, rng_below, rng_t, rng_uniform


# --- Greedy Turn: all sequences of actions depth first, with a table of the positions met ---


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
        self.hashes = <uint64_t*> zeroed(self.size * sizeof(uint64_t))

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
        self.hashes = <uint64_t*> zeroed(2 * old_size * sizeof(uint64_t))
        self.size = 2 * old_size
        for i in range(old_size):
            if old[i] != 0:
                self.hashes[self.place_of(old[i])] = old[i]
        free(old)
        return 0


@cython.final
cdef class DepthFirst:
    """The search, as a stack of lists of actions that are still to be tried."""

    cdef TurnBuilder builder
    cdef SeenPositions seen
    cdef dict twins         # of a game in Python, lists of the positions met by their hashes
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
        self.twins = {}
        self.options = <int32_t*> allocated(<size_t> self.depth * self.width * sizeof(int32_t))
        self.counts = <int*> allocated(self.depth * sizeof(int))

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
            if not self.is_new(<ForwardModel> self.builder.positions[depth + 1]):
                self.builder.length -= 1
            elif self.builder.length < self.depth and self.builder.is_open():
                self.open()
            else:
                self.builder.value()
                self.builder.length -= 1
        return 0

    cdef bint is_new(self, ForwardModel position) except -1 nogil:
        """Notes that a position was met; returns whether it is the first time."""
        if not position.needs_gil:
            return self.seen.add(position.c_hash())
        with gil:   # the hashes of different positions may be equal, as those of -1 and -2 are
            twins = self.twins.setdefault(position.c_hash(), [])
            if position in twins:
                return False
            twins.append(position.c_clone())
        return True

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
    """Searches the sequences of actions depth first; the turn keeps the best.

    Args:
        turn: The turn to be planned, with its budget.
        depth: Number of actions after which a turn is valued as if it ended there, None for complete turns.
        in_order: Whether actions are tried in the game's order; otherwise as the game lists them.
    """
    cdef DepthFirst search = DepthFirst(turn, depth, in_order)
    if turn.runs_python:
        search.search()
    else:
        with nogil:
            search.search()


# --- Online evolutionary planning: a population of turns ---


# A turn of the population.
ctypedef struct Genome:
    double value
    int length
    int32_t* actions     # [max_actions]


@cython.final
cdef class Population:
    """Turns, and the operators on them."""

    cdef Turn turn
    cdef TurnBuilder builder
    cdef Genome* genomes
    cdef int32_t* storage
    cdef int size
    cdef rng_t* rng

    def __cinit__(self, Turn turn not None, int size, bint is_greedy):
        cdef int i
        self.genomes = <Genome*> allocated(size * sizeof(Genome))
        self.storage = <int32_t*> allocated(<size_t> size * turn.max_actions * sizeof(int32_t))
        for i in range(size):
            self.genomes[i].actions = self.storage + <size_t> i * turn.max_actions
        self.turn = turn
        self.size = size
        self.builder = TurnBuilder(turn, is_greedy)

    def __dealloc__(self):
        free(self.genomes)
        free(self.storage)

    cdef int evolve(self, int num_greedy, double mutation_rate) except -1 nogil:
        """Evolves until the budget is spent, which never cuts a genome short."""
        cdef int i, survivors = self.size // 2
        for i in range(self.size):
            self.create(&self.genomes[i], i < num_greedy)
            if self.turn.is_over():
                return 0
        while True:
            qsort(self.genomes, self.size, sizeof(Genome), by_value)
            for i in range(survivors, self.size):
                self.cross(&self.genomes[i], survivors)
                if rng_uniform(self.rng) < mutation_rate:
                    self.mutate(&self.genomes[i])
                self.genomes[i].value = self.builder.value()
                if self.turn.is_over():
                    return 0

    cdef int create(self, Genome* genome, bint is_greedy) except -1 nogil:
        """Makes a genome by Greedy Action or at random."""
        cdef bint repairs_greedily = self.builder.is_greedy
        self.builder.is_greedy = is_greedy
        self.builder.rewind(NULL, 0)
        self.builder.complete(NULL, 0, self.rng)
        self.builder.is_greedy = repairs_greedily
        self.keep(genome)
        genome.value = self.builder.value()
        return 0

    cdef int cross(self, Genome* child, int survivors) except -1 nogil:
        """Uniform crossover of two survivors: each place takes the action of either parent.

        If it is illegal, the other parent's action is taken, then that of either parent at the next place.
        """
        cdef int first = rng_below(self.rng, survivors)
        cdef int second = (first + 1 + <int> rng_below(self.rng, survivors - 1)) % survivors
        cdef const Genome* parents[2]
        cdef int32_t proposed[4]
        cdef int place, offset, i, count
        self.builder.rewind(NULL, 0)
        while self.builder.is_open():
            place = self.builder.length
            i = rng_below(self.rng, 2)
            parents[i] = &self.genomes[first]
            parents[1 - i] = &self.genomes[second]
            count = 0
            for offset in range(2):
                for i in range(2):
                    if place + offset < parents[i].length:
                        proposed[count] = parents[i].actions[place + offset]
                        count += 1
            self.builder.add_first_legal(proposed, count, self.rng)
        self.keep(child)
        return 0

    cdef int mutate(self, Genome* genome) except -1 nogil:
        """Changes the action at one place to another legal one, if there is another."""
        cdef int place = rng_below(self.rng, genome.length), i, count
        cdef int32_t* options = self.turn.options
        self.builder.rewind(genome.actions, place)
        count = (<ForwardModel> self.builder.positions[place]).c_legal_actions(options)
        i = rng_below(self.rng, max(1, count - 1))
        if options[i] == genome.actions[place]:
            i = count - 1
        self.builder.add(options[i])
        self.builder.complete(genome.actions, genome.length, self.rng)
        self.keep(genome)
        return 0

    cdef void keep(self, Genome* genome) noexcept nogil:
        """Stores the turn that was built."""
        genome.length = self.builder.length
        memcpy(genome.actions, self.builder.actions, genome.length * sizeof(int32_t))


cdef int by_value(const void* a, const void* b) noexcept nogil:
    """The better genome first; of equal ones the one stored first, for the same order everywhere."""
    cdef const Genome* x = <const Genome*> a
    cdef const Genome* y = <const Genome*> b
    if x.value != y.value:
        return 1 if x.value < y.value else -1
    return (x.actions > y.actions) - (x.actions < y.actions)


def evolve_turn(
    Turn turn not None, Rng rng not None, int size, bint is_greedy, double greedy_share, double mutation_rate
) -> None:
    """Evolves turns until the budget is spent; the turn keeps the best.

    Args:
        turn: The turn to be planned, with its budget.
        rng: The source of random numbers, which is advanced.
        size: Number of genomes, 4 or more.
        is_greedy: Whether Greedy Action repairs genomes; otherwise chance does.
        greedy_share: The share of the first population that Greedy Action makes; the rest is random.
        mutation_rate: The share of the offspring that are mutated.
    """
    cdef Population population = Population(turn, size, is_greedy)
    cdef int num_greedy = <int> (greedy_share * size + 0.5)
    population.rng = &rng.state
    if turn.runs_python:
        population.evolve(num_greedy, mutation_rate)
    else:
        with nogil:
            population.evolve(num_greedy, mutation_rate)
