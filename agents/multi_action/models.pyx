# distutils: extra_compile_args = -O1
"""Turns as games of one player without chance, which MCTS searches.

`TurnModel` is played action by action; it ends with the turn, and its return is the value of the turn.

The positions of `MutationModel` are complete turns. A move replaces the action at one place of the turn by
another action that is legal there. Later actions that are no longer legal are replaced by those of Greedy
Action. The game never ends. MCTS on it is Evolutionary MCTS (Baier and Cowling 2018), with `TurnValue` as its
rollout policy.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcmp, memcpy

from agents.forward_model cimport NO_PLAYER, TERMINAL, ForwardModel, allocated, hash_of
from agents.mcts.rollouts cimport RolloutPolicy
from agents.multi_action.turn cimport Turn, TurnBuilder
from agents.rng cimport rng_t


cdef int64_t MAX_NUMBER = 2**31 - 1


cdef class TurnGame(ForwardModel):
    """Base of the games in this module.

    Args:
        turn: The turn to be planned, which the models of one search share; copies have a copy of it.
    """

    cdef readonly Turn turn       # shared with all models of a search
    cdef int32_t* actions         # [turn.max_actions], those of the turn

    def __cinit__(self, Turn turn not None, *args: Any):
        self.actions = <int32_t*> allocated(turn.max_actions * sizeof(int32_t))
        self.num_players = 1
        self.needs_gil = turn.runs_python
        self.turn = turn

    def __dealloc__(self):
        free(self.actions)

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        return 0

    def copy_from(self, source):
        self._check_class(source)
        cdef Turn mine = self.turn, other = (<TurnGame> source).turn
        rules = mine.root, mine.max_actions, mine.reply, mine.heuristic
        if rules != (other.root, other.max_actions, other.reply, other.heuristic):
            raise ValueError("source must be a model of the same turn, got one of another turn")
        self.c_copy_from(source)

    cdef ForwardModel c_clone(self):
        return self.copied(self.turn)

    def clone(self):
        return self.copied(self.turn.copied())

    cdef TurnGame copied(self, Turn turn):
        """A copy that plans this turn."""
        raise NotImplementedError("copied")


@cython.final
cdef class TurnModel(TurnGame):
    """A turn as a game of one player that ends with it and returns its value.

    Args:
        turn: As in `TurnGame`.
        actions: Those played since its start.
    """

    heuristics = ("value",)   # of the position as it is, as if the turn ended here

    cdef ForwardModel game       # the position
    cdef int num_played          # actions since the start of the turn

    def __cinit__(self, Turn turn not None, actions: Iterable[int] = ()):
        self.num_actions = turn.root.num_actions
        self.max_legal_actions = turn.root.max_legal_actions
        self.game = turn.root.c_clone()
        for action in actions:
            self.apply_action(action)

    @property
    def position(self) -> ForwardModel:
        """A copy of the game's position."""
        return self.game.clone()

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return 0 if self.turn.is_open(self.game, self.num_played) else TERMINAL

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        return self.game.c_legal_actions(actions)

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        self.game.c_apply_action(action)
        self.actions[self.num_played] = action
        self.num_played += 1
        self.turn.calls += 1
        self.turn.moves += 1   # a search counts it itself
        return 0

    cdef int c_returns(self, double* returns) except -1 nogil:
        returns[0] = self.turn.value_turn(self.game, self.actions, self.num_played)
        return 0

    cdef int c_copy_from(self, ForwardModel source) except -1 nogil:
        self.game.c_copy_from((<TurnModel> source).game)
        self.num_played = (<TurnModel> source).num_played
        memcpy(self.actions, (<TurnModel> source).actions, self.num_played * sizeof(int32_t))
        return 0

    cdef TurnGame copied(self, Turn turn):
        cdef TurnModel twin = TurnModel(turn)
        twin.c_copy_from(self)
        return twin

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        values[0] = self.turn.worth(self.game, self.turn.player)
        return 0

    cdef bint c_is_legal(self, int32_t action) except -1 nogil:
        return self.game.c_is_legal(action)

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        return self.game.c_order_actions(actions, count)

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        if self.num_played != (<TurnModel> other).num_played:
            return False
        return self.game.c_equals((<TurnModel> other).game)

    cdef uint64_t c_hash(self) except? 0 nogil:
        return self.game.c_hash()

    def action_to_string(self, action):
        return self.game.action_to_string(action)

    def __repr__(self):
        return f"<TurnModel: {self.num_played} actions played, {self.game!r}>"

    def __reduce__(self):
        return TurnModel, (self.turn, tuple([self.actions[i] for i in range(self.num_played)]))


@cython.final
cdef class TurnRollout(RolloutPolicy):
    """Plays a turn to its end, and reports the calls of the replies to it too.

    Args:
        play: The rollout policy that chooses the actions.
    """

    ARGUMENTS = ("play",)

    cdef readonly RolloutPolicy play

    def __init__(self, RolloutPolicy play not None):
        self.play = play

    cdef prepare(self, ForwardModel model):
        (<TurnModel?> model).turn.report_calls()
        self.play = self.play.for_search(model)

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = self.play.c_simulate(model, rng, returns)
        return calls + (<TurnModel> model).turn.report_calls()


cdef enum:
    NO_TURN = -1   # the length while a turn is still to be chosen among the starts


# A mutation, and how much better than the action it replaces it looks one action ahead.
ctypedef struct Ranked:
    double gain
    int32_t mutation


@cython.final
cdef class MutationModel(TurnGame):
    """A complete turn, as a position of the game of changing it.

    The number of a mutation is place * n + action in a game of n actions.

    Args:
        turn: As in `TurnGame`.
        starts: Complete turns, sequences of actions. With several of them, the first move chooses one, by its
            index.

    Raises:
        ValueError: If the mutations are too many to be numbered, there is no start, or one is empty or has an
            action that is not legal.
    """

    cdef list starts              # tuples of actions, shared by copies; of several, the first move chooses
    cdef int num_starts
    cdef int length               # how many actions the turn has, or NO_TURN
    cdef TurnBuilder builder      # plays turns; not part of the position

    def __cinit__(self, Turn turn not None, starts: Iterable[Iterable[int]] | None):
        if <int64_t> turn.max_actions * turn.root.num_actions > MAX_NUMBER:
            raise ValueError(
                f"max_actions must be at most {MAX_NUMBER // turn.root.num_actions} in a game of "
                f"{turn.root.num_actions} actions, got {turn.max_actions}"
            )
        is_twin = starts is None   # which takes over the starts of another model
        starts = [] if is_twin else [tuple(start) for start in starts]
        if not (is_twin or starts and all(starts)):
            raise ValueError(f"starts must be one or more turns with actions, got {starts!r}")
        self.num_actions = max(len(starts), turn.max_actions * turn.root.num_actions)
        self.max_legal_actions = max(len(starts), turn.max_actions * turn.root.max_legal_actions)
        self.builder = TurnBuilder(turn, True)
        for start in starts:
            self.builder.follow(start)
        self.starts = starts
        self.num_starts = len(starts)
        self.length = NO_TURN
        if self.num_starts == 1:
            self.take_start(0)

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

    cdef TurnGame copied(self, Turn turn):
        cdef MutationModel twin = MutationModel(turn, None)
        twin.copy_sizes(self)
        twin.starts = self.starts
        twin.num_starts = self.num_starts
        twin.c_copy_from(self)
        return twin

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        cdef Ranked* ranked
        cdef int i
        if self.length == NO_TURN:
            return 0
        ranked = <Ranked*> allocated(count * sizeof(Ranked))
        try:
            self.rank(actions, count, ranked)
            qsort(ranked, count, sizeof(Ranked), by_gain)
            for i in range(count):
                actions[i] = ranked[i].mutation
        finally:
            free(ranked)
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
        cdef int place
        with gil:
            self.length = len(self.starts[start])
            for place in range(self.length):
                self.actions[place] = self.starts[start][place]
        return 0

    cdef int mutate(self, int place, int32_t action) except -1 nogil:
        """Replaces the action at a place of the turn."""
        self.builder.rewind(self.actions, place)
        self.builder.add(action)
        self.builder.complete(self.actions, self.length, NULL)
        self.length = self.builder.length
        memcpy(self.actions + place, self.builder.actions + place, (self.length - place) * sizeof(int32_t))
        self.turn.moves += 1   # the search counts the mutation itself as a call
        return 0

    cdef double value(self) except? -1.5e308 nogil:
        """The value of the turn."""
        self.builder.rewind(self.actions, self.length)
        return self.builder.value()

    cdef int rank(self, const int32_t* mutations, int count, Ranked* ranked) except -1 nogil:
        """Fills the gains of mutations that ascend."""
        cdef int32_t num_actions = self.turn.root.num_actions
        cdef double present = 0
        cdef int i, place, last = -1
        for i in range(count):
            place = mutations[i] // num_actions
            if place != last:
                self.builder.rewind(self.actions, place)
                present = self.worth_after(self.actions[place])
                last = place
            ranked[i].gain = self.worth_after(mutations[i] % num_actions) - present
            ranked[i].mutation = mutations[i]
        return 0

    cdef double worth_after(self, int32_t action) except? -1.5e308 nogil:
        """The value of the position after one more action on the turn that is built."""
        self.turn.trial.c_copy_from(<ForwardModel> self.builder.positions[self.builder.length])
        self.turn.trial.c_apply_action(action)
        self.turn.calls += 1
        return self.turn.worth(self.turn.trial, self.turn.player)

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
        return MutationModel, (self.turn, self.starts if self.length == NO_TURN else [self.plan])


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

    cdef prepare(self, ForwardModel model):
        (<MutationModel?> model).turn.report_calls()

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        returns[0] = (<MutationModel> model).value()
        return (<MutationModel> model).turn.report_calls()
