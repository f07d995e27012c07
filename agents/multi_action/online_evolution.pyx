"""Online evolutionary planning: a population of turns that evolves for the length of a search.

Source: Justesen, Mahlmann, Risi and Togelius, "Playing Multi-Action Adversarial Games: Online Evolution
versus Tree Search", IEEE Transactions on Computational Intelligence and AI in Games, 2017.
"""

cimport cython
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memcpy

from agents.forward_model cimport ForwardModel
from agents.multi_action.builder cimport TurnBuilder
from agents.multi_action.turn cimport Turn
from agents.rng cimport Rng, rng_below, rng_t, rng_uniform


# A turn of the population.
ctypedef struct Genome:
    double value
    int length
    int32_t* actions     # [max_actions]


@cython.final
cdef class Population:
    """Turns, and the operators on them.

    Args:
        turn: The turn to be planned.
        size: Number of genomes, 4 or more.
        is_greedy: Whether Greedy Action repairs genomes; otherwise chance does.
    """

    cdef Turn turn
    cdef TurnBuilder builder
    cdef Genome* genomes
    cdef int32_t* storage
    cdef int size
    cdef rng_t* rng

    def __cinit__(self, Turn turn not None, int size, bint is_greedy):
        cdef int i
        self.genomes = <Genome*> malloc(size * sizeof(Genome))
        self.storage = <int32_t*> malloc(<size_t> size * turn.max_actions * sizeof(int32_t))
        if self.genomes == NULL or self.storage == NULL:
            raise MemoryError("no memory for a population")
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
        size: Number of genomes.
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
