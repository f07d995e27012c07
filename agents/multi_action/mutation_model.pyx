"""Complete turns as the positions of a game, whose moves change one action of the turn."""

import numpy as np

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc, qsort, realloc
from libc.string cimport memcmp, memcpy

from agents.forward_model cimport NO_PLAYER, ForwardModel, data_of, hash_of
from agents.mcts.policies cimport RolloutPolicy
from agents.multi_action.builder cimport TurnBuilder
from agents.multi_action.turn cimport Turn
from agents.rng cimport rng_t

cdef int64_t MAX_NUMBER = 2**31 - 1


@cython.final
cdef class MutationModel(ForwardModel):
    """A complete turn, as a position of the game of changing it.

    The number of a mutation is place * n + action in a game of n actions.

    Args:
        turn: The turn to be planned, which the models of one search share; copies have a copy of it.
        starts: Complete turns, sequences of actions. With several of them, the first move chooses one, by its
            index.

    Raises:
        ValueError: If the mutations are too many to be numbered, or a start has an action that is not legal.
    """

    def __cinit__(self, Turn turn not None, starts: Sequence[Sequence[int]]):
        if <int64_t> turn.max_actions * turn.root.num_actions > MAX_NUMBER:
            raise ValueError(
                f"max_actions must be at most {MAX_NUMBER // turn.root.num_actions} in a game of "
                f"{turn.root.num_actions} actions, got {turn.max_actions}"
            )
        self.actions = <int32_t*> malloc(turn.max_actions * sizeof(int32_t))
        if self.actions == NULL:
            raise MemoryError("no memory for a turn")
        self.num_players = 1
        self.num_actions = max(len(starts), turn.max_actions * turn.root.num_actions)
        self.max_legal_actions = max(len(starts), turn.max_actions * turn.root.max_legal_actions)
        self.needs_gil = turn.runs_python
        self.turn = turn
        self.builder = TurnBuilder(turn, True)
        self.starts = np.full((len(starts), turn.max_actions), -1, dtype=np.int32)
        for row, start in zip(self.starts, starts):
            self.builder.follow(start)
            row[: len(start)] = start
        self.num_starts = len(starts)
        self.length = NO_TURN
        if self.num_starts == 1:
            self.take_start(0)

    def __dealloc__(self):
        free(self.actions)
        free(self.ranked)

    @property
    def plan(self) -> tuple[int, ...]:
        """The actions of the turn; empty where one is still to be chosen."""
        return tuple([self.actions[i] for i in range(self.length)])

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return 0

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        cdef int place, i, found, count = 0
        cdef int32_t num_actions = self.turn.root.num_actions
        if self.length == NO_TURN:
            for i in range(self.num_starts):
                actions[i] = i
            return self.num_starts
        for place in range(self.length):
            self.builder.rewind(self.actions, place)
            found = (<ForwardModel> self.builder.positions[place]).c_legal_actions(actions + count)
            for i in range(count, count + found):
                if actions[i] != self.actions[place]:
                    actions[count] = place * num_actions + actions[i]
                    count += 1
        return count

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        return 0

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        if self.length == NO_TURN:
            return self.take_start(action)
        return self.mutate(action // self.turn.root.num_actions, action % self.turn.root.num_actions)

    cdef int c_returns(self, double* returns) except -1 nogil:
        returns[0] = self.value()
        return 0

    cdef int c_copy_from(self, ForwardModel source) except -1 nogil:
        self.length = (<MutationModel> source).length
        if self.length != NO_TURN:
            memcpy(self.actions, (<MutationModel> source).actions, self.length * sizeof(int32_t))
        return 0

    def copy_from(self, source):
        self._check_class(source)
        self.turn.check_same((<MutationModel> source).turn)
        self.c_copy_from(source)

    cdef ForwardModel c_clone(self):
        return self.copied(self.turn)

    def clone(self):
        return self.copied(self.turn.copied())

    cdef MutationModel copied(self, Turn turn):
        """A copy that plans the turn."""
        cdef MutationModel twin = MutationModel(turn, ())
        twin.copy_sizes(self)
        twin.starts = self.starts
        twin.num_starts = self.num_starts
        twin.c_copy_from(self)
        return twin

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        cdef int i
        if self.length == NO_TURN:
            return 0
        self.rank(actions, count)
        qsort(self.ranked, count, sizeof(Ranked), by_gain)
        for i in range(count):
            actions[i] = self.ranked[i].mutation
        return 0

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        if self.length != (<MutationModel> other).length or self.length == NO_TURN:
            return self.length == (<MutationModel> other).length
        return memcmp(
            self.actions, (<MutationModel> other).actions, self.length * sizeof(int32_t)
        ) == 0

    cdef uint64_t c_hash(self) except? 0 nogil:
        return hash_of(self.actions, max(0, self.length) * sizeof(int32_t))

    # --- Turns ---

    cdef int take_start(self, int start) except -1 nogil:
        cdef const int32_t* row
        with gil:
            row = <const int32_t*> data_of(self.starts) + start * self.turn.max_actions
        self.length = 0
        while self.length < self.turn.max_actions and row[self.length] >= 0:
            self.actions[self.length] = row[self.length]
            self.length += 1
        return 0

    cdef int mutate(self, int place, int32_t action) except -1 nogil:
        self.builder.rewind(self.actions, place)
        self.builder.add(action)
        self.builder.complete(self.actions, self.length, NULL)
        self.length = self.builder.length
        memcpy(self.actions + place, self.builder.actions + place, (self.length - place) * sizeof(int32_t))
        self.turn.moves += 1   # the search counts the mutation itself as a call
        return 0

    cdef double value(self) except? -1.5e308 nogil:
        self.builder.rewind(self.actions, self.length)
        return self.builder.value()

    cdef int rank(self, const int32_t* mutations, int count) except -1 nogil:
        cdef int32_t num_actions = self.turn.root.num_actions
        cdef double present = 0
        cdef int i, place, last = -1
        if count > self.max_ranked:
            with gil:
                self.make_room(count)
        for i in range(count):
            place = mutations[i] // num_actions
            if place != last:
                self.builder.rewind(self.actions, place)
                present = self.worth_after(self.actions[place])
                last = place
            self.ranked[i].gain = self.worth_after(mutations[i] % num_actions) - present
            self.ranked[i].mutation = mutations[i]
        return 0

    cdef double worth_after(self, int32_t action) except? -1.5e308 nogil:
        """The value of the position after one more action on the turn that is built."""
        self.turn.trial.c_copy_from(<ForwardModel> self.builder.positions[self.builder.length])
        self.turn.trial.c_apply_action(action)
        self.turn.calls += 1
        return self.turn.worth(self.turn.trial, self.turn.player)

    cdef int make_room(self, int count) except -1:
        cdef Ranked* larger = <Ranked*> realloc(self.ranked, 2 * count * sizeof(Ranked))
        if larger == NULL:
            raise MemoryError("no memory to order mutations")
        self.ranked = larger
        self.max_ranked = 2 * count
        return 0

    def action_to_string(self, action):
        if not self.is_legal(action):
            raise ValueError(self._refusal(action))
        if self.length == NO_TURN:
            return f"start {action}"
        place, action = divmod(action, self.turn.root.num_actions)
        self.builder.rewind(self.actions, place)
        text = (<ForwardModel> self.builder.positions[place]).action_to_string(action)
        return f"{place + 1}. {text}"

    def __repr__(self):
        return f"<MutationModel: {self.plan}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.turn, self.starts.tolist(), None if self.length == NO_TURN else self.plan)


def _restored(turn, starts, plan):
    """Rebuilds a pickled model."""
    starts = [[action for action in start if action >= 0] for start in starts]
    cdef MutationModel model = MutationModel(turn, starts)
    if plan is not None:
        model = MutationModel(turn, [plan])
    return model


cdef int by_gain(const void* a, const void* b) noexcept nogil:
    """The larger gain first, of equal ones the lower mutation."""
    cdef const Ranked* x = <const Ranked*> a
    cdef const Ranked* y = <const Ranked*> b
    if x.gain != y.gain:
        return 1 if x.gain < y.gain else -1
    return (x.mutation > y.mutation) - (x.mutation < y.mutation)


@cython.final
cdef class TurnValue(RolloutPolicy):
    """Values a complete turn by the position in which it ends, without a rollout."""

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        (<MutationModel?> model).turn.report_calls()
        return self

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        returns[0] = (<MutationModel> model).value()
        return (<MutationModel> model).turn.report_calls()

    def __reduce__(self):
        return TurnValue, ()
