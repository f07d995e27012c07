"""Rollout policies that are not uniformly random play to the end."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, list_in_order, watch_rollout
from agents.mcts.afterstates cimport value_after
from agents.mcts.policies cimport RolloutPolicy, wins_tie
from agents.rng cimport rng_t, rng_uniform

from agents.checks import check_count, check_number, heuristic_index
from agents.specification import exact


cdef enum:
    MAX_MOVES = 0x7FFFFFFF


cdef class GuidedRollout(RolloutPolicy):
    """Play guided by a heuristic, cut short by it, or both.

    Args:
        epsilon: Probability of a uniformly random action in place of the best one; 1 is uniform play, 0
            greedy play. The best action is the one after which the heuristic is highest for the player who
            moves; finding it takes one copy of the model and one heuristic value for every legal action.
        max_moves: Number of decisions after which the heuristic values the position, 0 for the leaf itself;
            None to play to the end.
        heuristic: One of the model's ``heuristics``, None for the first of them.

    Raises:
        ValueError: If an argument is out of range; in a search, if the game lacks the heuristic.
    """

    max_moves: int | None
    heuristic: str | None

    def __init__(self, epsilon: float = 1.0, max_moves: int | None = None, heuristic: str | None = None):
        check_number("epsilon", epsilon, 0, 1)
        if max_moves is not None:
            max_moves = check_count("max_moves", max_moves, 0, MAX_MOVES)
        self.epsilon = epsilon
        self.max_moves = max_moves
        self.heuristic = heuristic

    def __dealloc__(self):
        free(self.actions)
        free(self.values)

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        cdef GuidedRollout rollout = GuidedRollout(self.epsilon, self.max_moves, self.heuristic)
        rollout.kind = heuristic_index(model, self.heuristic)
        rollout.limit = MAX_MOVES if self.max_moves is None else self.max_moves
        rollout.scratch = model.c_clone()
        rollout.actions = <int32_t*> malloc(model.max_legal_actions * sizeof(int32_t))
        rollout.values = <double*> malloc(model.num_players * sizeof(double))
        if rollout.actions == NULL or rollout.values == NULL:
            raise MemoryError("no memory for rollouts")
        return rollout

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int player, calls = 0, moves = 0, length = 0
        cdef int32_t action
        while True:
            player = model.c_current_player()
            if player == TERMINAL:
                model.c_sample_returns(rng, returns)
                return calls
            if moves == self.limit:
                model.c_heuristic(self.kind, returns)
                return calls
            if player == CHANCE:
                model.c_sample_chance(rng, &action)
            elif self.epsilon < 1 and rng_uniform(rng) >= self.epsilon:
                action = self.best_action(model, player, rng, &calls)
            else:
                model.c_sample_action(rng, &action)
            moves += player != CHANCE
            model.c_apply_action(action)
            watch_rollout(length)
            length += 1
            calls += 1

    cdef int32_t best_action(
        self, ForwardModel model, int player, rng_t* rng, int* calls
    ) except? -1 nogil:
        cdef int i, ties = 0, count = model.c_legal_actions(self.actions)
        cdef double highest = -INFINITY
        cdef int32_t best = self.actions[0]
        calls[0] += count
        for i in range(count):
            value_after(model, self.scratch, self.actions[i], self.kind, self.values)
            if self.values[player] > highest:
                highest = self.values[player]
                best = self.actions[i]
                ties = 1
            elif self.values[player] == highest and wins_tie(rng, &ties):
                best = self.actions[i]
        return best

    def __reduce__(self) -> tuple[Any, ...]:
        return GuidedRollout, (self.epsilon, self.max_moves, self.heuristic)

    def __repr__(self):
        return (
            f"GuidedRollout(epsilon={exact(self.epsilon)}, max_moves={self.max_moves}, "
            f"heuristic={self.heuristic!r})"
        )


cdef class OrderedRollout(RolloutPolicy):
    """Play by the game's own order of actions, which puts those first that look strong.

    In games without an order it is the lowest action.

    Args:
        epsilon: Probability of a uniformly random action in place of the first one.

    Raises:
        ValueError: If epsilon is out of range.
    """

    def __init__(self, epsilon: float = 0.0):
        check_number("epsilon", epsilon, 0, 1)
        self.epsilon = epsilon

    def __dealloc__(self):
        free(self.actions)

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        cdef OrderedRollout rollout = OrderedRollout(self.epsilon)
        rollout.actions = <int32_t*> malloc(model.max_legal_actions * sizeof(int32_t))
        if rollout.actions == NULL:
            raise MemoryError("no memory for rollouts")
        return rollout

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int player, calls = 0
        cdef int32_t action
        while True:
            player = model.c_current_player()
            if player == TERMINAL:
                model.c_sample_returns(rng, returns)
                return calls
            if player == CHANCE:
                model.c_sample_chance(rng, &action)
            elif self.epsilon > 0 and rng_uniform(rng) < self.epsilon:
                model.c_sample_action(rng, &action)
            else:
                list_in_order(model, self.actions)
                action = self.actions[0]
            model.c_apply_action(action)
            watch_rollout(calls)
            calls += 1

    def __reduce__(self) -> tuple[Any, ...]:
        return OrderedRollout, (self.epsilon,)

    def __repr__(self):
        return f"OrderedRollout({exact(self.epsilon)})"


cdef class GameRollout(RolloutPolicy):
    """One of the game's own ways of random play.

    Args:
        name: One of the model's ``playouts``.
        parameter: The probability that this playout takes as its parameter, in [0, 1].

    Raises:
        ValueError: If the parameter is out of range; in a search, if the game lacks the playout.
    """

    def __init__(self, name: str, parameter: float = 0.5):
        check_number("parameter", parameter, 0, 1)
        self.name = name
        self.parameter = parameter

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        cdef GameRollout rollout = GameRollout(self.name, self.parameter)
        if self.name not in model.playouts:
            raise ValueError(f"name must be one of {model.playouts}, the game's playouts, got {self.name!r}")
        rollout.kind = model.playouts.index(self.name)
        return rollout

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = model.c_playout(self.kind, self.parameter, rng)
        model.c_sample_returns(rng, returns)
        return calls

    def __reduce__(self) -> tuple[Any, ...]:
        return GameRollout, (self.name, self.parameter)

    def __repr__(self):
        return f"GameRollout({self.name!r}, {exact(self.parameter)})"


cdef class WinRollout(RolloutPolicy):
    """Uniformly random play to the end; the result is the sign of each return.

    That is 1 for a win, 0 for a draw and -1 for a loss in games whose returns have these signs (Carcassonne:
    positive for the sole best score, 0 for a shared one, negative for the others).
    """

    def __cinit__(self):
        self.changes_returns = True

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int i, calls = RolloutPolicy.c_simulate(self, model, rng, returns)
        for i in range(model.num_players):
            returns[i] = (returns[i] > 0) - (returns[i] < 0)
        return calls

    def __reduce__(self) -> tuple[Any, ...]:
        return WinRollout, ()

    def __repr__(self):
        return "WinRollout()"
