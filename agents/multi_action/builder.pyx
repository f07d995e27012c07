"""Turns put together action by action: repair, and positions that are kept from one turn to the next."""

cimport cython
from cpython.ref cimport PyObject
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from agents.forward_model cimport ForwardModel
from agents.multi_action.turn cimport Turn
from agents.rng cimport Rng, rng_t


@cython.final
cdef class TurnBuilder:
    """Builds complete turns.

    Args:
        turn: The turn to be planned.
        is_greedy: Whether Greedy Action replaces illegal actions; otherwise a random one does.
    """

    def __cinit__(self, Turn turn not None, bint is_greedy):
        self.actions = <int32_t*> malloc(turn.max_actions * sizeof(int32_t))
        self.positions = <PyObject**> malloc((turn.max_actions + 1) * sizeof(PyObject*))
        if self.actions == NULL or self.positions == NULL:
            raise MemoryError("no memory for a turn")
        self.turn = turn
        self.is_greedy = is_greedy
        self.owned = []
        self.make_position()

    def __dealloc__(self):
        free(self.actions)
        free(self.positions)

    cdef int make_position(self) except -1:
        cdef ForwardModel model = self.turn.root.c_clone()
        self.owned.append(model)
        self.positions[self.num_positions] = <PyObject*> model
        self.num_positions += 1
        return 0

    cdef bint is_open(self) except -1 nogil:
        return self.turn.is_open(<ForwardModel> self.positions[self.length], self.length)

    cdef int rewind(self, const int32_t* actions, int length) except -1 nogil:
        cdef int shared = 0
        while shared < self.length and shared < length and self.actions[shared] == actions[shared]:
            shared += 1
        self.length = shared
        while self.length < length:
            self.add(actions[self.length])
        return 0

    cdef int add(self, int32_t action) except -1 nogil:
        if self.length + 1 == self.num_positions:
            with gil:
                self.make_position()
        cdef PyObject* after = self.positions[self.length + 1]
        (<ForwardModel> after).c_copy_from(<ForwardModel> self.positions[self.length])
        (<ForwardModel> after).c_apply_action(action)
        self.actions[self.length] = action
        self.length += 1
        self.turn.calls += 1
        return 0

    cdef int add_first_legal(self, const int32_t* proposed, int count, rng_t* rng) except -1 nogil:
        cdef PyObject* here = self.positions[self.length]
        cdef int32_t action = 0
        cdef int i
        for i in range(count):
            if (<ForwardModel> here).c_is_legal(proposed[i]):
                return self.add(proposed[i])
        if self.is_greedy:
            action = self.turn.greedy_action(<ForwardModel> here)
        else:
            (<ForwardModel> here).c_sample_action(rng, &action)
        return self.add(action)

    cdef int complete(self, const int32_t* proposed, int length, rng_t* rng) except -1 nogil:
        while self.is_open():
            self.add_first_legal(proposed + self.length, self.length < length, rng)
        return 0

    cdef int follow(self, plan) except -1:
        cdef ForwardModel here
        self.length = 0
        for number, action in enumerate(plan):
            here = <ForwardModel> self.positions[self.length]
            if not self.is_open() or not here.is_legal(action):
                raise ValueError(f"plan[{number}] must be a legal action of the turn, got {action!r}")
            self.add(action)
        return 0

    cdef double value(self) except? -1.5e308 nogil:
        return self.turn.value_turn(
            <ForwardModel> self.positions[self.length], self.actions, self.length
        )


def greedy_turn(Turn turn not None) -> tuple[int, ...]:
    """The turn of Greedy Action: at every step the action after which the position is worth most."""
    cdef TurnBuilder builder = TurnBuilder(turn, True)
    if turn.runs_python:
        builder.complete(NULL, 0, NULL)
        builder.value()
    else:
        with nogil:
            builder.complete(NULL, 0, NULL)
            builder.value()
    return tuple([builder.actions[i] for i in range(builder.length)])


def random_turn(Turn turn not None, Rng rng not None) -> tuple[int, ...]:
    """Builds a turn without valuing it: a random action, then Greedy Action."""
    cdef TurnBuilder builder = TurnBuilder(turn, True)
    cdef int32_t action = 0
    turn.root.c_sample_action(&rng.state, &action)
    builder.add(action)
    builder.complete(NULL, 0, NULL)
    return tuple([builder.actions[i] for i in range(builder.length)])


def value_of(Turn turn not None, plan: Iterable[int]) -> float:
    """Values the end of a plan; the turn counts it, and keeps the plan if it is the best so far.

    Raises:
        ValueError: If an action is not legal, or the turn is over before it.
    """
    cdef TurnBuilder builder = TurnBuilder(turn, True)
    builder.follow(plan)
    return builder.value()
