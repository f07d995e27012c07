# distutils: extra_compile_args = -O1
"""Rollout policies, which value a leaf by playing on from it, and evaluation by a heuristic."""

import numpy as np
from numpy.typing import NDArray

from cpython.ref cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport int32_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from agents.evaluator cimport NativeEvaluator
from agents.formulas.position_program cimport PositionProgram
from agents.forward_model cimport (
    CHANCE,
    TERMINAL,
    ForwardModel,
    allocated,
    data_of,
    list_in_order,
    watch_rollout,
)
from agents.mcts.policies cimport wins_tie
from agents.policy cimport in_returns
from agents.rng cimport Rng, rng_below, rng_t, rng_uniform

from agents.checks import check_count, check_number, heuristic_index
from agents.formulas.position_formula import PositionFormula
from agents.rng import Seed


cdef enum:
    MAX_MOVES = 0x7FFFFFFF
    MAX_BRANCHING = 1000


cdef class RolloutPolicy(Policy):
    """Values a leaf by uniformly random play to the end; base of the other rollout policies."""

    def simulate(self, ForwardModel model not None, rng: Seed) -> NDArray[np.float64]:
        """The returns of one rollout from a position, which does not change; a generator `rng` goes on.

        Returns:
            float64[num_players].

        Raises:
            ValueError: If the policy does not fit the game.
        """
        cdef ForwardModel end = model.c_clone()
        cdef RolloutPolicy policy = self.for_search(end)
        cdef Rng source = rng if isinstance(rng, Rng) else Rng(rng)
        returns = np.empty(end.num_players, dtype=np.float64)
        policy.c_simulate(end, &source.state, <double*> data_of(returns))
        return returns

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = model.c_rollout(rng)
        model.c_sample_returns(rng, returns)
        return calls


cdef class ChoosingRollout(RolloutPolicy):
    """Base of the rollout policies that choose the actions one by one."""

    # Set for one search
    cdef int limit              # decisions before a heuristic values the position
    cdef int kind               # index of the heuristic
    cdef int32_t* actions       # scratch: the legal actions
    cdef double* values         # scratch: one number for each player

    def __cinit__(self, *args, **kwargs):
        self.limit = MAX_MOVES

    def __dealloc__(self):
        free(self.actions)
        free(self.values)

    cdef prepare(self, ForwardModel model):
        self.actions = <int32_t*> allocated(model.max_legal_actions * sizeof(int32_t))
        self.values = <double*> allocated(model.num_players * sizeof(double))

    cdef int c_play(self, ForwardModel model, int player, rng_t* rng) except -1 nogil:
        """Applies an action of the player to move; returns the number of actions applied to models."""
        raise NotImplementedError("c_play")

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int player, calls = 0, moves = 0, length = 0
        cdef int32_t outcome
        while True:
            player = model.c_current_player()
            if player == TERMINAL:
                model.c_sample_returns(rng, returns)
                return calls
            if moves == self.limit:
                model.c_heuristic(self.kind, returns)
                return calls
            if player == CHANCE:
                model.c_sample_chance(rng, &outcome)
                model.c_apply_action(outcome)
                calls += 1
            else:
                calls += self.c_play(model, player, rng)
                moves += 1
            watch_rollout(length)
            length += 1


cdef class GuidedRollout(ChoosingRollout):
    """Play guided by a heuristic, cut short by it, or both.

    Args:
        epsilon: Probability of a uniformly random action in place of the best one; 1 is uniform play, 0
            greedy play. The best action is the one after which the heuristic is highest for the player who
            moves; finding it takes one copy of the model and one heuristic value for every legal action.
        max_moves: Number of decisions after which the heuristic values the position, 0 for the leaf itself;
            None to play to the end.
        heuristic: One of the model's ``heuristics``, None for the first of them.
        final: The heuristic that values the position after `max_moves`, None for `heuristic`: a better one
            may be too slow to choose the actions.

    Raises:
        ValueError: If an argument is out of range; in a search, if the game lacks a heuristic.
    """

    ARGUMENTS = ("epsilon", "max_moves", "heuristic", "final")

    cdef readonly double epsilon
    cdef readonly object max_moves
    cdef readonly object heuristic
    cdef readonly object final
    # Set for one search
    cdef int guide              # index of the heuristic that chooses the actions
    cdef ForwardModel scratch   # the position after an action

    max_moves: int | None
    heuristic: str | None
    final: str | None

    def __init__(
        self,
        epsilon: float = 1.0,
        max_moves: int | None = None,
        heuristic: str | None = None,
        final: str | None = None,
    ):
        check_number("epsilon", epsilon, 0, 1)
        if max_moves is not None:
            max_moves = check_count("max_moves", max_moves, 0, MAX_MOVES)
        if final is not None and max_moves is None:
            raise ValueError(f"final={final!r} has no effect without max_moves")
        self.epsilon = epsilon
        self.max_moves = max_moves
        self.heuristic = heuristic
        self.final = final

    cdef prepare(self, ForwardModel model):
        ChoosingRollout.prepare(self, model)
        self.guide = heuristic_index(model, self.heuristic)
        self.kind = self.guide if self.final is None else heuristic_index(model, self.final)
        if self.max_moves is not None:
            self.limit = self.max_moves
        self.scratch = model.c_clone()

    cdef int c_play(self, ForwardModel model, int player, rng_t* rng) except -1 nogil:
        cdef int32_t action
        cdef int calls = 1
        if self.epsilon < 1 and rng_uniform(rng) >= self.epsilon:
            action = self.best_action(model, player, rng, &calls)
        else:
            model.c_sample_action(rng, &action)
        model.c_apply_action(action)
        return calls

    cdef int32_t best_action(
        self, ForwardModel model, int player, rng_t* rng, int* calls
    ) except? -1 nogil:
        """The action after which the heuristic is highest for the player to move; uniform among ties.

        Adds the number of actions that it tried to `calls`.
        """
        cdef int i, ties = 0, count = model.c_legal_actions(self.actions)
        cdef double highest = -INFINITY
        cdef int32_t best = self.actions[0]
        calls[0] += count
        for i in range(count):
            value_after(model, self.scratch, self.actions[i], self.guide, self.values)
            if self.values[player] > highest:
                highest = self.values[player]
                best = self.actions[i]
                ties = 1
            elif self.values[player] == highest and wins_tie(rng, &ties):
                best = self.actions[i]
        return best


cdef class OrderedRollout(ChoosingRollout):
    """Play by the game's own order of actions, which puts those first that look strong.

    In games without an order it is the lowest action.

    Args:
        epsilon: Probability of a uniformly random action in place of the first one.

    Raises:
        ValueError: If epsilon is out of range.
    """

    ARGUMENTS = ("epsilon",)

    cdef readonly double epsilon

    def __init__(self, epsilon: float = 0.0):
        check_number("epsilon", epsilon, 0, 1)
        self.epsilon = epsilon

    cdef int c_play(self, ForwardModel model, int player, rng_t* rng) except -1 nogil:
        if self.epsilon > 0 and rng_uniform(rng) < self.epsilon:
            model.c_sample_action(rng, self.actions)
        else:
            list_in_order(model, self.actions)
        model.c_apply_action(self.actions[0])
        return 1


cdef class GameRollout(RolloutPolicy):
    """One of the game's own ways of random play.

    Args:
        name: One of the model's ``playouts``.
        parameter: The probability that this playout takes as its parameter, in [0, 1].

    Raises:
        ValueError: If the parameter is out of range; in a search, if the game lacks the playout.
    """

    ARGUMENTS = ("name", "parameter")

    cdef readonly str name
    cdef readonly double parameter
    cdef int kind   # index of the playout, set for one search

    def __init__(self, name: str, parameter: float = 0.5):
        check_number("parameter", parameter, 0, 1)
        self.name = name
        self.parameter = parameter

    cdef prepare(self, ForwardModel model):
        if self.name not in model.playouts:
            raise ValueError(f"name must be one of {model.playouts}, the game's playouts, got {self.name!r}")
        self.kind = model.playouts.index(self.name)

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int calls = model.c_playout(self.kind, self.parameter, rng)
        model.c_sample_returns(rng, returns)
        return calls


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


cdef class EvolvedRollout(ChoosingRollout):
    """Plays at every decision the best of a few random actions, by a formula.

    At each decision, `branching` legal actions are drawn with replacement. The formula values the position
    after each of them for the player who moves, and the player takes the action of the highest value; on
    ties, the one that was drawn first. At the end of the game, the player's return is the value. Values
    before it are moved into [-1, 1], so that they can be compared with returns.

    Source: Benbassat and Sipper, "EvoMCTS: A Scalable Approach for General Game Learning", IEEE Transactions
    on Computational Intelligence and AI in Games 6(4), 2014.

    Args:
        formula: A `PositionFormula` or its text.
        branching: Number of actions drawn, 1 (uniform play) to 1000; 4 or 5 in the publication.

    Raises:
        TypeError: If the formula is neither a `PositionFormula`, nor text, nor a number.
        ValueError: If the text is no formula, or `branching` is out of range. In a search, if the formula
            does not fit the game.
    """

    ARGUMENTS = ("formula", "branching")

    cdef readonly object formula
    cdef readonly int branching
    # Set for one search
    cdef PositionProgram program
    cdef list models                 # owns the two positions
    cdef PyObject* best              # the position after the best action so far
    cdef PyObject* candidate         # the position after another action
    cdef int32_t* tried              # [branching], the actions drawn

    formula: PositionFormula

    def __init__(self, formula: str | float | PositionFormula, branching: int = 4):
        branching = check_count("branching", branching, 1, MAX_BRANCHING)
        self.branching = branching
        if isinstance(formula, (int, float)) and not isinstance(formula, bool):
            formula = repr(formula)   # in a specification, a constant was read as a number
        self.formula = formula if isinstance(formula, PositionFormula) else PositionFormula(formula)

    def __dealloc__(self):
        free(self.tried)

    cdef prepare(self, ForwardModel model):
        ChoosingRollout.prepare(self, model)
        self.program = self.formula.program(model)
        self.models = [model.c_clone(), model.c_clone()]
        self.best, self.candidate = <PyObject*> self.models[0], <PyObject*> self.models[1]
        self.tried = <int32_t*> allocated(self.branching * sizeof(int32_t))

    cdef int c_play(self, ForwardModel model, int player, rng_t* rng) except -1 nogil:
        cdef int count = model.c_legal_actions(self.actions)
        if count > 1:
            return self.play_best(model, player, count, rng)
        model.c_apply_action(self.actions[0])
        return 1

    cdef int play_best(self, ForwardModel model, int player, int count, rng_t* rng) except -1 nogil:
        """Moves the model to the best of the positions after actions drawn from `count` legal ones.

        Returns the number of actions applied.
        """
        cdef int i, num_tried = 0
        cdef double value, highest = 0
        cdef int32_t action
        for _ in range(self.branching):
            action = self.actions[rng_below(rng, count)]
            for i in range(num_tried):
                if self.tried[i] == action:
                    break
            else:
                self.tried[num_tried] = action
                (<ForwardModel> self.candidate).c_copy_from(model)
                (<ForwardModel> self.candidate).c_apply_action(action)
                value = self.program.c_worth(<ForwardModel> self.candidate, player, self.values)
                if num_tried == 0 or value > highest:
                    highest = value
                    self.best, self.candidate = self.candidate, self.best
                num_tried += 1
        model.c_copy_from(<ForwardModel> self.best)
        return num_tried

    def __repr__(self):
        return f"EvolvedRollout({str(self.formula)!r}, {self.branching})"


cdef class Afterstates(NativeEvaluator):
    """An evaluator in C: values a position by the best of those that one action leads to.

    Each legal action is applied once, and the position after it has the value that the heuristic gives to
    the player who moves, or the return if the game is over there. This is the rating of the action. The
    position has the values of its best successor.

    Args:
        heuristic: One of the model's ``heuristics``, None for the first of them.
        temperature: Greater than 0, in units of the returns; by default the `return_spread` of the game that
            is searched. The lower it is, the more do tree policies that weigh priors ("puct" or a function)
            favour the best action.

    Raises:
        ValueError: If the temperature is out of range; in a search, if the game lacks the heuristic.
    """

    ARGUMENTS = ("heuristic", "temperature")
    DEFAULTS = {"temperature": 1.0}

    cdef readonly object heuristic
    # Set for one search
    cdef int kind               # index of the heuristic
    cdef ForwardModel after     # the position after an action
    cdef double* after_values   # of it, by player

    heuristic: str | None

    def __init__(self, heuristic: str | None = None, temperature: float | None = None):
        self.heuristic = heuristic
        self.temperature = in_returns("temperature", temperature, is_open=True)

    def __dealloc__(self):
        free(self.after_values)

    cdef prepare(self, ForwardModel model):
        NativeEvaluator.prepare(self, model)
        self.kind = heuristic_index(model, self.heuristic)
        self.after = model.c_clone()
        self.after_values = <double*> allocated(model.num_players * sizeof(double))

    cdef int c_rate(
        self, ForwardModel model, const int32_t* actions, int count, double* values
    ) except -1 nogil:
        cdef int player = model.c_current_player()
        cdef int i
        for i in range(count):
            value_after(model, self.after, actions[i], self.kind, self.after_values)
            self.ratings[i] = self.after_values[player]
            if i == 0 or self.after_values[player] >= values[player]:
                memcpy(values, self.after_values, model.num_players * sizeof(double))
        return 0


cdef inline int value_after(
    ForwardModel model, ForwardModel after, int32_t action, int heuristic, double* values
) except -1 nogil:
    """Fills the values of the position after an action: its returns if the game is over, else a heuristic's.

    Leaves that position in `after`.
    """
    after.c_copy_from(model)
    after.c_apply_action(action)
    if after.c_current_player() == TERMINAL:
        return after.c_returns(values)
    return after.c_heuristic(heuristic, values)
