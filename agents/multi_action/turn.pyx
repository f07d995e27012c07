"""A turn to be planned: its rules, its budget, and the best one found so far."""

from typing import TYPE_CHECKING
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.time cimport perf_counter
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy

from agents.formulas.valuation cimport Valuation
from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel
from agents.rng cimport Rng, rng_from_seed, rng_t

from agents.agent import WATCH_SECONDS

if TYPE_CHECKING:
    from agents.agent import Watch
    from agents.formulas.position_formula import Heuristic
    from agents.rng import Seed


cdef enum:
    CHECK_INTERVAL = 2000    # calls between two looks at clock and signals, in compiled games
    TABLE_SIZE = 1 << 14     # greedy actions kept, a power of two
    FIRST_IMPROVEMENTS = 64

cdef int64_t NO_LIMIT = 2**62


@cython.final
cdef class Turn:
    """The turn of the player to move, as all parts of one search share it.

    Args:
        model: The position, which is not changed.
        heuristic: What values positions before the end of the game: see `Valuation`.
        max_actions: A turn ends after so many actions at the latest.
        reply: Whether the turns of the others are played, each by Greedy Action, before the position is
            valued.
        rng: An `Rng` or a seed for one: draws the chance outcomes of replies, the same ones for every turn
            valued, from a copy that begins in the same state.

    Raises:
        ValueError: If no player is to move, max_actions is below 1, or the heuristic does not fit the game.
    """

    watch: Watch | None

    def __cinit__(
        self,
        ForwardModel model not None,
        heuristic: Heuristic = None,
        *,
        int max_actions=100,
        bint reply=False,
        rng: Seed = None,
    ):
        if max_actions < 1:
            raise ValueError(f"max_actions must be at least 1, got {max_actions}")
        self.best = <int32_t*> malloc(max_actions * sizeof(int32_t))
        self.options = <int32_t*> malloc(model.max_legal_actions * sizeof(int32_t))
        self.values = <double*> malloc(model.num_players * sizeof(double))
        self.improvements = <Improvement*> malloc(FIRST_IMPROVEMENTS * sizeof(Improvement))
        self.max_improvements = FIRST_IMPROVEMENTS
        if not model.needs_gil:
            self.known = <Known*> calloc(TABLE_SIZE, sizeof(Known))
        if (
            self.best == NULL
            or self.options == NULL
            or self.values == NULL
            or self.improvements == NULL
            or (self.known == NULL and not model.needs_gil)
        ):
            raise MemoryError("no memory to plan a turn")
        self.root = model.clone()
        self.trial = self.root.c_clone()
        self.after = self.root.c_clone()
        self.player = model.c_current_player()
        if self.player < 0:
            raise ValueError(f"no player is to move, the current player is {self.player}")
        self.max_actions = max_actions
        self.heuristic = heuristic
        self.valuation = Valuation(model, heuristic)
        self.reply = reply
        self.chance = (<Rng> rng).state if isinstance(rng, Rng) else rng_from_seed(rng)
        self.runs_python = model.needs_gil or self.valuation.runs_python
        self.check_interval = 1 if self.runs_python else CHECK_INTERVAL
        self.best_value = -INFINITY
        self.limit()

    def __dealloc__(self):
        free(self.best)
        free(self.options)
        free(self.values)
        free(self.improvements)
        free(self.known)

    def limit(
        self, evaluations: int | None = None, calls: int | None = None, seconds: float | None = None
    ) -> None:
        """Sets the budgets in turns valued, model calls and seconds from now; None for no limit."""
        self.max_evaluations = evaluations or NO_LIMIT
        self.max_calls = calls or NO_LIMIT
        self.deadline = perf_counter() + (seconds or INFINITY)
        self.next_check = self.calls

    def check_same(self, Turn other not None) -> None:
        """Refuses another turn, for models that take over the position of a model of it.

        Raises:
            ValueError: If it begins elsewhere or has other rules.
        """
        if (
            self.root != other.root
            or self.max_actions != other.max_actions
            or self.reply != other.reply
            or self.heuristic != other.heuristic
        ):
            raise ValueError("source must be a model of the same turn, got one of another turn")

    cdef Turn copied(self):
        cdef Turn twin = Turn(
            self.root, self.heuristic, max_actions=self.max_actions, reply=self.reply, rng=self.chance_rng()
        )
        cdef int i
        twin.max_evaluations, twin.max_calls, twin.deadline = (
            self.max_evaluations, self.max_calls, self.deadline
        )
        twin.calls, twin.moves, twin.reported = self.calls, self.moves, self.reported
        twin.next_check = self.next_check
        for i in range(self.num_improvements):
            twin.evaluations = self.improvements[i].evaluations
            twin.note(self.best, self.best_length, self.improvements[i].value)
        twin.evaluations = self.evaluations
        return twin

    cdef Rng chance_rng(self):
        """The generator of the outcomes of replies, as it begins."""
        cdef Rng rng = Rng.__new__(Rng)
        rng.state = self.chance
        return rng

    @property
    def is_spent(self) -> bool:
        """Whether a budget is spent."""
        return bool(self.is_over())

    @property
    def best_actions(self) -> tuple[int, ...]:
        """The actions of the best turn valued so far; empty before the first one."""
        return tuple([self.best[i] for i in range(self.best_length)])

    @property
    def history(self) -> list[tuple[int, float]]:
        """(turns valued, value) whenever a turn was better than all before."""
        return [
            (self.improvements[i].evaluations, self.improvements[i].value)
            for i in range(self.num_improvements)
        ]

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (
            self.root, self.heuristic, self.max_actions, self.reply, self.chance_rng()
        )

    # --- Rules ---

    cdef bint is_open(self, ForwardModel model, int num_actions) except -1 nogil:
        return num_actions < self.max_actions and model.c_current_player() == self.player

    cdef double worth(self, ForwardModel model, int player) except? -1.5e308 nogil:
        if model.c_current_player() == TERMINAL:
            model.c_returns(self.values)
        else:
            self.valuation.c_values(model, player, self.values)
        return self.values[player]

    cdef double value_turn(
        self, ForwardModel model, const int32_t* actions, int length
    ) except? -1.5e308 nogil:
        cdef double value
        if self.reply:
            value = self.worth_after_reply(model)
        else:
            value = self.worth(model, self.player)
        self.evaluations += 1
        if value > self.best_value:
            self.note(actions, length, value)
        return value

    cdef double worth_after_reply(self, ForwardModel model) except? -1.5e308 nogil:
        cdef rng_t chance = self.chance
        cdef int player, count = 0
        cdef int32_t action
        self.after.c_copy_from(model)
        while count < self.max_actions:
            player = self.after.c_current_player()
            if player == TERMINAL or player == self.player:
                break
            if player == CHANCE:
                self.after.c_sample_chance(&chance, &action)
            else:
                action = self.greedy_action(self.after)
                count += 1
            self.after.c_apply_action(action)
            self.calls += 1
        return self.worth(self.after, self.player)

    # --- Greedy Action ---

    cdef int32_t greedy_action(self, ForwardModel model) except -1 nogil:
        cdef uint64_t hash
        cdef Known* known
        if self.known == NULL:
            return self.best_action(model)
        hash = model.c_hash()
        known = &self.known[hash & (TABLE_SIZE - 1)]
        if known.hash != hash or not model.c_is_legal(known.action):
            known.action = self.best_action(model)
            known.hash = hash
        return known.action

    cdef int32_t best_action(self, ForwardModel model) except -1 nogil:
        cdef int player = model.c_current_player(), i, count = model.c_legal_actions(self.options)
        cdef double value, highest = -INFINITY
        cdef int32_t best = self.options[0]
        if count == 1:
            return best
        for i in range(count):
            self.trial.c_copy_from(model)
            self.trial.c_apply_action(self.options[i])
            value = self.worth(self.trial, player)
            if value > highest or (value == highest and self.options[i] < best):
                highest = value
                best = self.options[i]
        self.calls += count
        return best

    # --- Budget and record ---

    cdef bint is_over(self) except -1 nogil:
        cdef double now
        if self.evaluations >= self.max_evaluations or self.calls >= self.max_calls:
            return True
        if self.calls < self.next_check:
            return False
        self.next_check = self.calls + self.check_interval
        now = perf_counter()
        with gil:
            PyErr_CheckSignals()
            if self.watch is not None and now >= self.next_watch:
                self.next_watch = now + WATCH_SECONDS
                if self.watch(None):
                    self.max_calls = 0   # over for good
        return now >= self.deadline or self.max_calls == 0

    cdef int report_calls(self) noexcept nogil:
        cdef int64_t others = self.calls - self.moves
        cdef int count = <int> (others - self.reported)
        self.reported = others
        return count

    cdef int note(self, const int32_t* actions, int length, double value) except -1 nogil:
        cdef Improvement* larger
        memcpy(self.best, actions, length * sizeof(int32_t))
        self.best_length = length
        self.best_value = value
        if self.num_improvements == self.max_improvements:
            larger = <Improvement*> realloc(
                self.improvements, 2 * self.max_improvements * sizeof(Improvement)
            )
            if larger == NULL:
                raise MemoryError("no memory for the history of a search")
            self.improvements = larger
            self.max_improvements *= 2
        self.improvements[self.num_improvements].evaluations = self.evaluations
        self.improvements[self.num_improvements].value = value
        self.num_improvements += 1
        return 0


def _restored(model, heuristic, max_actions, reply, rng):
    """Rebuilds a pickled turn; what a search has found in it is not kept."""
    return Turn(model, heuristic, max_actions=max_actions, reply=reply, rng=rng)
