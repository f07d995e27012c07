"""A turn to be planned: its rules, its budget, the best one found so far, and how turns are built."""

from functools import partial
cimport cython
from cpython.exc cimport PyErr_CheckSignals
from cpython.ref cimport PyObject
from cpython.time cimport perf_counter
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memcpy

from agents.formulas.valuation cimport Valuation
from agents.forward_model cimport CHANCE, TERMINAL, ForwardModel, allocated, give_way, zeroed
from agents.rng cimport Rng, rng_t

from agents.agent import WATCH_SECONDS, Watch
from agents.formulas.position_formula import Heuristic
from agents.rng import Seed


cdef enum:
    CHECK_INTERVAL = 2000    # calls between two looks at clock and signals, in compiled games
    TABLE_SIZE = 1 << 14     # greedy actions kept, a power of two

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
        self.best = <int32_t*> allocated(max_actions * sizeof(int32_t))
        self.options = <int32_t*> allocated(model.max_legal_actions * sizeof(int32_t))
        self.values = <double*> allocated(model.num_players * sizeof(double))
        if not model.needs_gil:
            self.known = <Known*> zeroed(TABLE_SIZE * sizeof(Known))
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
        self.chance = rng.copy() if isinstance(rng, Rng) else Rng(rng)
        self.runs_python = model.needs_gil or self.valuation.runs_python
        self.check_interval = 1 if self.runs_python else CHECK_INTERVAL
        self.best_value = -INFINITY
        self.improvements = []
        self.limit()

    def __dealloc__(self):
        free(self.best)
        free(self.options)
        free(self.values)
        free(self.known)

    def limit(
        self, evaluations: int | None = None, calls: int | None = None, seconds: float | None = None
    ) -> None:
        """Sets the budgets in turns valued, model calls and seconds from now; None for no limit."""
        self.max_evaluations = evaluations or NO_LIMIT
        self.max_calls = calls or NO_LIMIT
        self.deadline = perf_counter() + (seconds or INFINITY)
        self.next_check = self.calls

    cdef Turn copied(self):
        cdef Turn twin = Turn(
            self.root, self.heuristic, max_actions=self.max_actions, reply=self.reply, rng=self.chance
        )
        twin.max_evaluations, twin.max_calls, twin.deadline = (
            self.max_evaluations, self.max_calls, self.deadline
        )
        twin.calls, twin.moves, twin.reported = self.calls, self.moves, self.reported
        twin.next_check = self.next_check
        twin.evaluations, twin.improvements = self.evaluations, self.improvements.copy()
        twin.best_value, twin.best_length = self.best_value, self.best_length
        memcpy(twin.best, self.best, self.best_length * sizeof(int32_t))
        return twin

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
        return self.improvements.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        options = {"max_actions": self.max_actions, "reply": self.reply, "rng": self.chance}
        return partial(Turn, **options), (self.root, self.heuristic)   # without what a search has found

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
            memcpy(self.best, actions, length * sizeof(int32_t))
            self.best_length = length
            self.best_value = value
            with gil:
                self.improvements.append((self.evaluations, value))
        return value

    cdef double worth_after_reply(self, ForwardModel model) except? -1.5e308 nogil:
        cdef rng_t chance = self.chance.state
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
            if self.runs_python:
                self.next_turn = give_way(self.next_turn)
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


# --- Building turns ---


@cython.final
cdef class TurnBuilder:
    """Builds complete turns.

    Args:
        turn: The turn to be planned.
        is_greedy: Whether Greedy Action replaces illegal actions; otherwise a random one does.
    """

    def __cinit__(self, Turn turn not None, bint is_greedy):
        self.actions = <int32_t*> allocated(turn.max_actions * sizeof(int32_t))
        self.positions = <PyObject**> allocated((<size_t> turn.max_actions + 1) * sizeof(PyObject*))
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
