"""Rollouts that choose among a few random actions by a formula."""

from cpython.ref cimport PyObject
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc

from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, watch_rollout
from agents.mcts.policies cimport RolloutPolicy
from agents.rng cimport rng_below, rng_t

from agents.checks import check_count
from agents.formulas.position_formula import PositionFormula


cdef class EvolvedRollout(RolloutPolicy):
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

    formula: PositionFormula

    def __init__(self, formula: str | float | PositionFormula, branching: int = 4):
        branching = check_count("branching", branching, 1, MAX_BRANCHING)
        self.branching = branching
        if isinstance(formula, (int, float)) and not isinstance(formula, bool):
            formula = repr(formula)   # in a specification, a constant was read as a number
        self.formula = formula if isinstance(formula, PositionFormula) else PositionFormula(formula)

    def __dealloc__(self):
        free(self.actions)
        free(self.tried)
        free(self.returns)

    cpdef RolloutPolicy for_search(self, ForwardModel model):
        cdef EvolvedRollout rollout = EvolvedRollout(self.formula, self.branching)
        rollout.program = self.formula.program(model)
        rollout.models = [model.c_clone(), model.c_clone()]
        rollout.best, rollout.candidate = <PyObject*> rollout.models[0], <PyObject*> rollout.models[1]
        rollout.actions = <int32_t*> malloc(model.max_legal_actions * sizeof(int32_t))
        rollout.tried = <int32_t*> malloc(self.branching * sizeof(int32_t))
        rollout.returns = <double*> malloc(model.num_players * sizeof(double))
        if rollout.actions == NULL or rollout.tried == NULL or rollout.returns == NULL:
            raise MemoryError("no memory for rollouts")
        return rollout

    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil:
        cdef int player, count, calls = 0, length = 0
        cdef int32_t action
        while True:
            watch_rollout(length)
            length += 1
            player = model.c_current_player()
            if player == TERMINAL:
                model.c_sample_returns(rng, returns)
                return calls
            if player == CHANCE:
                model.c_sample_chance(rng, &action)
                model.c_apply_action(action)
                calls += 1
                continue
            count = model.c_legal_actions(self.actions)
            if count == 1:
                model.c_apply_action(self.actions[0])
                calls += 1
            else:
                calls += self.play_best(model, player, count, rng)

    cdef int play_best(self, ForwardModel model, int player, int count, rng_t* rng) except -1 nogil:
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
                value = self.program.c_worth(<ForwardModel> self.candidate, player, self.returns)
                if num_tried == 0 or value > highest:
                    highest = value
                    self.best, self.candidate = self.candidate, self.best
                num_tried += 1
        model.c_copy_from(<ForwardModel> self.best)
        return num_tried

    def __reduce__(self) -> tuple[Any, ...]:
        return EvolvedRollout, (self.formula, self.branching)

    def __repr__(self):
        return f"EvolvedRollout({str(self.formula)!r}, {self.branching})"
