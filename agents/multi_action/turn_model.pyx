"""A turn as a game of its own, which any planner can search."""

cimport cython
from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from agents.forward_model cimport NO_PLAYER, TERMINAL, ForwardModel
from agents.mcts.policies cimport RolloutPolicy
from agents.multi_action.turn cimport Turn
from agents.rng cimport rng_t


@cython.final
cdef class TurnModel(ForwardModel):
    """A turn as a game of one player that ends with it and returns its value.

    Args:
        turn: The turn, which the models of one search share; copies have a copy of it.
        actions: Those played since its start.
    """

    heuristics = ("value",)   # of the position as it is, as if the turn ended here

    def __cinit__(self, Turn turn not None, actions: Iterable[int] = ()):
        self.actions = <int32_t*> malloc(turn.max_actions * sizeof(int32_t))
        if self.actions == NULL:
            raise MemoryError("no memory for a turn")
        self.num_players = 1
        self.num_actions = turn.root.num_actions
        self.max_legal_actions = turn.root.max_legal_actions
        self.needs_gil = turn.runs_python
        self.turn = turn
        self.game = turn.root.c_clone()
        for action in actions:
            self.apply_action(action)

    def __dealloc__(self):
        free(self.actions)

    @property
    def position(self) -> ForwardModel:
        """A copy of the game's position."""
        return self.game.clone()

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        return 0 if self.turn.is_open(self.game, self.num_played) else TERMINAL

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        return self.game.c_legal_actions(actions)

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        return 0

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

    def copy_from(self, source):
        self._check_class(source)
        self.turn.check_same((<TurnModel> source).turn)
        self.c_copy_from(source)

    cdef ForwardModel c_clone(self):
        return self.copied(self.turn)

    def clone(self):
        return self.copied(self.turn.copied())

    cdef TurnModel copied(self, Turn turn):
        """A copy that plays the turn."""
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

    def __reduce__(self) -> tuple[Any, ...]:
        return TurnModel, (self.turn, tuple([self.actions[i] for i in range(self.num_played)]))


@cython.final
cdef class TurnRollout(RolloutPolicy):
    """Plays a turn to its end, and reports the calls of the replies to it too.

    Args:
        play: The rollout policy that chooses the actions.
    """

    def __init__(self, RolloutPolicy play not None):
        self.play = play

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        (<TurnModel?> model).turn.report_calls()
        return TurnRollout(self.play.for_search(model))

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = self.play.c_simulate(model, rng, returns)
        return calls + (<TurnModel> model).turn.report_calls()

    def __reduce__(self) -> tuple[Any, ...]:
        return TurnRollout, (self.play,)
