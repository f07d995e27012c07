# distutils: extra_compile_args = -O1
"""The forward model in Python: one set of methods over the nogil twins, and games written in Python."""

from typing import TYPE_CHECKING
import copy
import functools
import operator
import pickle
from time import sleep
from typing import NamedTuple

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.number cimport PyNumber_Index
from cpython.time cimport perf_counter
from libc.math cimport fabs, isfinite
from libc.stdint cimport uint64_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memset

from agents.rng cimport Rng, rng_below, rng_index, rng_t

from agents.checks import check_range, suggestion
from agents.rng import Seed

if TYPE_CHECKING:
    CHANCE: int
    TERMINAL: int

globals().update(CHANCE=CHANCE, TERMINAL=TERMINAL)

cdef double TURN_SECONDS = 0.01   # between two moments in which other threads run, see `give_way`

MAX_INT: int = 2**31 - 1
"""The largest number of players or actions that a game can have."""


class Indicator(NamedTuple):
    """A simple property of positions that a game offers to formulas, such as the number of pieces.

    Attributes:
        name: Its name: letters, digits and underscores, and not the name of a function or constant of
            formulas (`agents.formulas.position_text`).
        type: The type of its values: float or bool.
        places: Names of the places at which it can be asked, such as the squares of a board, without spaces,
            commas and parentheses. Empty if it belongs to the whole position.
    """

    name: str
    type: type
    places: tuple[str, ...] = ()


cdef int look_up(int count) except -1 nogil:
    with gil:
        PyErr_CheckSignals()
        if count >= MAX_ROLLOUT - 1:
            raise RuntimeError(
                f"a rollout has not ended after {MAX_ROLLOUT:,} actions; if copy_from() shares data between "
                "copies, agents.testing.check_forward_model finds it; rollout_policy='truncated(...)' or "
                "'direct(...)' values a game before its end"
            )
    return 0


cdef double give_way(double next_turn) except -1:
    if perf_counter() < next_turn:
        return next_turn
    sleep(1e-4)
    return perf_counter() + TURN_SECONDS


cdef int check_zero_sum(ForwardModel model, const double* returns) except -1 nogil:
    if model.num_players == 2 and fabs(returns[0] + returns[1]) > 1e-9 * max(1, fabs(returns[0])):
        with gil:
            raise ValueError(
                "the solver and *-minimax need a game whose returns sum to 0 for two players, "
                f"got {returns[0]} and {returns[1]}"
            )
    return 0


cdef int list_in_order(ForwardModel model, int32_t* actions) except -1 nogil:
    cdef int count = model.c_legal_actions(actions)
    sort_actions(actions, count)
    model.c_order_actions(actions, count)
    return count


cdef void sort_actions(int32_t* actions, int count) noexcept nogil:
    cdef int i
    for i in range(1, count):
        if actions[i] < actions[i - 1]:
            qsort(actions, count, sizeof(int32_t), ascending)
            return


cdef int ascending(const void* a, const void* b) noexcept nogil:
    cdef int32_t x = (<const int32_t*> a)[0], y = (<const int32_t*> b)[0]
    return (x > y) - (x < y)


cdef class ForwardModel:
    """A game as planners see it: a position that can be advanced, copied and evaluated.

    Chance is a player: at a chance node `current_player` is `CHANCE` and the next action is one of
    `chance_outcomes`. The model holds no random generator, so a planner cannot see the true future.
    Methods that draw take one, ``rng``: an `Rng`, which is advanced, or a seed for one.

    Attributes:
        num_players: Number of players; player ids are 0 to ``num_players - 1``.
        num_actions: Actions and chance outcomes are integers in [0, num_actions).
        max_legal_actions: Upper bound on the legal actions of one position.
        max_chance_outcomes: Upper bound on the outcomes of one chance node, 0 in games without.
        heuristics: Names of the heuristics that `heuristic` knows.
        playouts: Names of ways of random play beside the uniform one, each with a parameter.
        indicators: Properties of positions that formulas can use (`Indicator`).
        repeats_draws: Whether an outcome after which chance moves again is set aside, and the draw
            repeated. Searches that follow every outcome then leave these out.
    """

    heuristics: Sequence[str] = ()
    playouts: tuple[str, ...] = ()
    indicators: tuple[Indicator, ...] = ()
    repeats_draws: bool = False

    # --- What a game implements ---

    cdef int c_current_player(self) except? NO_PLAYER nogil:
        raise NotImplementedError("c_current_player")

    cdef int c_legal_actions(self, int32_t* actions) except -1 nogil:
        raise NotImplementedError("c_legal_actions")

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 nogil:
        raise NotImplementedError("c_chance_outcomes")

    cdef int c_apply_action(self, int32_t action) except -1 nogil:
        raise NotImplementedError("c_apply_action")

    cdef int c_returns(self, double* returns) except -1 nogil:
        raise NotImplementedError("c_returns")

    cdef int c_copy_from(self, ForwardModel source) except -1 nogil:
        raise NotImplementedError("c_copy_from")

    # --- What a game may replace ---

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 nogil:
        cdef int count
        cdef int32_t* actions = <int32_t*> allocated(self.max_legal_actions * sizeof(int32_t))
        try:
            count = self.c_legal_actions(actions)
            action[0] = actions[rng_below(rng, count)]
        finally:
            free(actions)
        return 0

    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 nogil:
        cdef int count
        cdef size_t size = self.max_chance_outcomes
        cdef double* chances = <double*> allocated(size * (sizeof(double) + sizeof(int32_t)))
        cdef int32_t* outcomes = <int32_t*> (chances + size)
        try:
            count = self.c_chance_outcomes(outcomes, chances)
            outcome[0] = outcomes[rng_index(rng, chances, count)]
        finally:
            free(chances)
        return 0

    cdef int c_sample_returns(self, rng_t* rng, double* returns) except -1 nogil:
        return self.c_returns(returns)

    cdef int c_rollout(self, rng_t* rng) except -1 nogil:
        cdef int player, count = 0
        cdef int32_t action
        while True:
            player = self.c_current_player()
            if player == TERMINAL:
                return count
            if player == CHANCE:
                self.c_sample_chance(rng, &action)
            else:
                self.c_sample_action(rng, &action)
            self.c_apply_action(action)
            watch_rollout(count)
            count += 1

    cdef int c_playout(self, int kind, double parameter, rng_t* rng) except -1 nogil:
        raise NotImplementedError("c_playout")

    cdef int c_determinize(self, rng_t* rng) except -1 nogil:
        with gil:
            raise ValueError(f"{type(self).__name__} cannot draw the chance outcomes to come")

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 nogil:
        return 0

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        raise NotImplementedError("c_heuristic")

    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 nogil:
        raise NotImplementedError("c_indicator")

    cdef bint c_is_legal(self, int32_t action) except -1 nogil:
        cdef int i, count
        cdef int32_t* actions = <int32_t*> allocated(self.max_legal_actions * sizeof(int32_t))
        try:
            count = self.c_legal_actions(actions)
            for i in range(count):
                if actions[i] == action:
                    return True
            return False
        finally:
            free(actions)

    cdef bint c_equals(self, ForwardModel other) except -1 nogil:
        with gil:
            return pickle.dumps(self) == pickle.dumps(other)

    cdef uint64_t c_hash(self) except? 0 nogil:
        with gil:
            return <uint64_t> <Py_hash_t> hash(pickle.dumps(self))

    # --- The same in Python, with checks ---

    def current_player(self) -> int:
        """The player to move, `CHANCE` where chance moves, `TERMINAL` at the end."""
        return self.c_current_player()

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.c_current_player() == TERMINAL

    def is_chance_node(self) -> bool:
        """Whether the next event is drawn by chance."""
        return self.c_current_player() == CHANCE

    def legal_actions(self) -> NDArray[np.int32]:
        """Legal actions of the player to move, ascending.

        Returns:
            int32[n], n >= 1 where a player moves; empty at chance nodes and at the end.
        """
        if self.c_current_player() < 0:
            return np.empty(0, dtype=np.int32)
        actions = np.empty(self.max_legal_actions, dtype=np.int32)
        return np.sort(actions[: self.c_legal_actions(<int32_t*> data_of(actions))])

    def chance_outcomes(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Outcomes of a chance node and their probabilities.

        Returns:
            (int32[n], float64[n]), outcomes ascending, probabilities > 0 and summing to 1.

        Raises:
            ValueError: If the position is not a chance node.
        """
        if self.c_current_player() != CHANCE:
            raise ValueError(
                f"chance_outcomes() needs a chance node, the current player is {self.current_player()}"
            )
        outcomes = np.empty(self.max_chance_outcomes, dtype=np.int32)
        chances = np.empty(self.max_chance_outcomes, dtype=np.float64)
        count = self.c_chance_outcomes(<int32_t*> data_of(outcomes), <double*> data_of(chances))
        return outcomes[:count].copy(), chances[:count].copy()

    def ordered_actions(self) -> NDArray[np.int32]:
        """Legal actions of the player to move, those that look strong first where the game knows.

        Returns:
            int32[n], empty at chance nodes and at the end.
        """
        cdef ForwardModel model = self.clone()   # other threads may change this one in between
        actions = model.legal_actions()
        if len(actions):
            model.c_order_actions(<int32_t*> data_of(actions), len(actions))
        return actions

    def is_legal(self, action: int) -> bool:
        """Whether `action` (int) can be applied: a legal action, or an outcome at a chance node."""
        cdef int player = self.c_current_player()
        if player == TERMINAL:
            return False
        try:
            action = PyNumber_Index(action)
        except TypeError:
            return False
        if player == CHANCE:
            return action in self.chance_outcomes()[0]
        return 0 <= action < self.num_actions and self.c_is_legal(action)

    def apply_action(self, action: int) -> None:
        """Advances the position by an action, or by an outcome at a chance node. Deterministic.

        Raises:
            ValueError: If the action is not legal here, or the game is over.
        """
        number = _as_int(action)
        if not self.is_legal(number):
            raise ValueError(self._refusal(action))
        self.c_apply_action(number)

    def _refusal(self, action):
        """The message for an action that cannot be applied."""
        if self.is_terminal():
            return f"action {action!r} cannot be applied: the game is over"
        if self.is_chance_node():
            return f"{action!r} is no outcome here; allowed are {self.chance_outcomes()[0].tolist()}"
        legal = list(self.legal_actions())
        shown = ", ".join(map(str, legal[:8])) + (", ..." if len(legal) > 8 else "")
        return f"action {action!r} is not legal; the {len(legal)} legal actions are {shown}"

    def returns(self) -> NDArray[np.float64]:
        """The return of each player at the end; its expectation where the game draws it at random.

        Returns:
            float64[num_players].

        Raises:
            ValueError: If the game is not over.
        """
        self._check_over("returns()")
        values = np.empty(self.num_players, dtype=np.float64)
        self.c_returns(<double*> data_of(values))
        return values

    def sample_returns(self, rng: Seed) -> NDArray[np.float64]:
        """One draw of the returns at the end: `returns()` in games whose returns are not random."""
        self._check_over("sample_returns()")
        values = np.empty(self.num_players, dtype=np.float64)
        cdef Rng source = _as_rng(rng)
        self.c_sample_returns(&source.state, <double*> data_of(values))
        return values

    def _check_over(self, asked):
        if not self.is_terminal():
            raise ValueError(f"{asked} needs a finished game, the current player is {self.current_player()}")

    def sample_action(self, rng: Seed) -> int:
        """A uniformly random legal action.

        Raises:
            ValueError: If no player is to move.
        """
        if self.c_current_player() < 0:
            raise ValueError(f"no player is to move, the current player is {self.current_player()}")
        cdef int32_t action = 0
        cdef Rng source = _as_rng(rng)
        self.c_sample_action(&source.state, &action)
        return action

    def sample_chance(self, rng: Seed) -> int:
        """A random outcome of a chance node.

        Raises:
            ValueError: If the position is not a chance node.
        """
        if self.c_current_player() != CHANCE:
            raise ValueError(f"not a chance node, the current player is {self.current_player()}")
        cdef int32_t outcome = 0
        cdef Rng source = _as_rng(rng)
        self.c_sample_chance(&source.state, &outcome)
        return outcome

    def determinize(self, rng: Seed) -> None:
        """Draws all chance outcomes to come, in place: from now on there are no chance nodes.

        Raises:
            ValueError: If the game does not support this.
        """
        cdef Rng source = _as_rng(rng)
        self.c_determinize(&source.state)

    def rollout(self, rng: Seed) -> int:
        """Plays uniformly random actions to the end, in place.

        Returns:
            The number of actions and chance outcomes applied.
        """
        cdef Rng source = _as_rng(rng)
        return self.c_rollout(&source.state)

    def rollout_returns(self, count: int, rng: Seed) -> NDArray[np.float64]:
        """The returns of uniformly random playouts from this position, which does not change.

        Args:
            count: Number of playouts, 1 or more.

        Returns:
            float64[count, num_players].

        Raises:
            ValueError: If count is below 1.
        """
        if count < 1:
            raise ValueError(f"count must be at least 1, got {count!r}")
        # Without the GIL other threads may change this model and the generator, so copies are used.
        cdef ForwardModel start = self.c_clone(), playout = start.c_clone()
        values = np.empty((count, start.num_players), dtype=np.float64)
        cdef double* returns = <double*> data_of(values)
        cdef Rng source = _as_rng(rng)
        cdef rng_t state = source.state
        cdef Py_ssize_t row, end = count
        with nogil:
            for row in range(end):
                if row % 256 == 0:
                    with gil:
                        PyErr_CheckSignals()
                playout.c_copy_from(start)
                playout.c_rollout(&state)
                playout.c_sample_returns(&state, returns + row * start.num_players)
        source.state = state
        return values

    @property
    def return_spread(self) -> float:
        """About the standard deviation of the returns of random play, 0 or more; by default 1.

        Defaults of MCTS in units of the returns, such as the exploration constant, are multiples of it.
        """
        return 1.0

    def max_score(self) -> int | None:
        """The points by which returns are divided; None in games whose returns are no points.

        Results of searches then show values in points, too.
        """
        return None

    def heuristic(self, player: int, kind: str) -> float:
        """An estimate of a player's return from this position, in the units of `returns`.

        Args:
            player: The player whose return is estimated.
            kind: One of `heuristics`.

        Raises:
            ValueError: If the player or the kind is unknown.
        """
        self._check_player(player)
        if kind not in self.heuristics:
            hint = suggestion(kind, self.heuristics)
            raise ValueError(f"kind must be one of {tuple(self.heuristics)}, got {kind!r}{hint}")
        values = np.empty(self.num_players)
        self.c_heuristic(self.heuristics.index(kind), <double*> data_of(values))
        return float(values[player])

    def indicator(self, player: int, name: str, place: str | None = None) -> float:
        """The value of an indicator of this position.

        Args:
            player: The player from whose view it is taken.
            name: The name of one of `indicators`.
            place: One of the indicator's places; None if it has none.

        Returns:
            A float or a bool, as the type of the indicator says.

        Raises:
            ValueError: If the player, the name or the place is unknown.
        """
        self._check_player(player)
        names = [indicator.name for indicator in self.indicators]
        if name not in names:
            known = ", ".join(names) or "no indicators"
            raise ValueError(f"name must be one of {known}, got {name!r}{suggestion(name, names)}")
        kind = names.index(name)
        places = self.indicators[kind].places
        if place not in (places or (None,)):
            allowed = f"one of {places}" if places else "None"
            raise ValueError(f"place must be {allowed}, got {place!r}")
        value = self.c_indicator(kind, places.index(place) if places else 0, player)
        return self.indicators[kind].type(value)

    def observation(self, player: int) -> NDArray[np.float32]:
        """The position as an array of numbers, for learners.

        Args:
            player: The player from whose view it is taken.

        Returns:
            A float32 array in [0, 1] of the same shape for all positions of a game. Those of the games here
            are planes: [planes, rows, columns].

        Raises:
            NotImplementedError: If the game has no observations.
        """
        raise NotImplementedError(f"{type(self).__name__} has no observation(player)")

    def _check_player(self, player):
        check_range("player", player, 0, self.num_players - 1)

    # --- Actions as text ---

    def action_to_string(self, action: int) -> str:
        """An action, or at a chance node an outcome, in the notation of the game.

        It is meant for the options of the position, each of which has a text of its own.
        `string_to_action` reads it.
        """
        return str(operator.index(action))

    def to_data(self) -> dict[str, Any]:
        """The position as data that JSON can express, for players in other programs (`agents.engine`).

        By default ``{"player": ..., "text": ...}``: the player to move, and the position as text.
        """
        return {"player": int(self.current_player()), "text": str(self)}

    def string_to_action(self, text: str) -> int:
        """The option of the position for which `action_to_string` returns this text.

        Args:
            text: The text of a legal action, or at a chance node of an outcome; spaces around it do
                not count.

        Raises:
            TypeError: If it is no text.
            ValueError: If no option has this text.
        """
        if not isinstance(text, str):
            raise TypeError(f"text must be a str, got {text!r}")
        options = self.chance_outcomes()[0] if self.is_chance_node() else self.legal_actions()
        texts = {self.action_to_string(int(option)): int(option) for option in options}
        if text.strip() not in texts:
            shown = ", ".join(map(repr, list(texts)[:8])) + (", ..." if len(texts) > 8 else "")
            raise ValueError(f"{text!r} is none of the {len(texts)} options here: {shown}")
        return texts[text.strip()]

    # --- Equality ---

    def __eq__(self, other: object) -> bool:
        """Whether both models are in equal positions of equal games."""
        if type(other) is not type(self):
            return NotImplemented
        return self.c_equals(other)

    __hash__ = None   # a model changes

    def position_hash(self) -> int:
        """A hash of the position: equal positions have equal hashes, in one process.

        Returns:
            An int in [0, 2**64). The model itself is not hashable, because it changes.
        """
        return self.c_hash()

    # --- Copies ---

    def clone(self) -> Self:
        """An independent model in the same position."""
        cdef ForwardModel twin = self.c_clone()
        twin.has_fixed_sizes = False
        return twin

    cdef ForwardModel c_clone(self):
        cdef ForwardModel twin = type(self).__new__(type(self))
        twin.copy_sizes(self)
        twin.has_fixed_sizes = True
        twin.c_copy_from(self)
        return twin

    cdef void copy_sizes(self, ForwardModel source) noexcept:
        self.num_players = source.num_players
        self.num_actions = source.num_actions
        self.max_legal_actions = source.max_legal_actions
        self.max_chance_outcomes = source.max_chance_outcomes
        self.needs_gil = source.needs_gil

    def copy_from(self, source: Self) -> None:
        """Takes over the position of another model of the same class, without a new object.

        Raises:
            TypeError: If the classes differ.
        """
        self._check_class(source)
        self.copy_sizes(source)
        self.c_copy_from(source)

    def _check_class(self, source):
        if type(source) is not type(self):
            raise TypeError(f"source must be a {type(self).__name__}, got {type(source).__name__}")

    def __copy__(self) -> Self:
        return self.clone()

    def __deepcopy__(self, memo: Any) -> Self:
        return self.clone()


cdef object _as_int(action):
    """The action as an int, which does not change when it is read again; anything else as it is."""
    try:
        return PyNumber_Index(action)
    except TypeError:
        return action


cdef Rng _as_rng(object rng):
    return rng if isinstance(rng, Rng) else Rng(rng)


cdef object with_rng(rng_t* state, function):
    """What a game's function returns for the generator with this state, which it advances."""
    cdef Rng rng = Rng.__new__(Rng)
    rng.state = state[0]
    answer = function(rng)
    state[0] = rng.state
    return answer


cdef void* allocated(size_t size) except NULL nogil:
    cdef void* memory = malloc(max(size, 1))   # some systems give nothing for 0 bytes
    if memory == NULL:
        with gil:
            raise MemoryError(f"no memory for {size} bytes")
    return memory


cdef void* zeroed(size_t size) except NULL nogil:
    return memset(allocated(size), 0, size)


cdef class PythonForwardModel(ForwardModel):
    """Base class of games written in Python, searched by the same planners as the compiled ones.

    A game calls ``super().__init__(num_players, num_actions)`` and defines

    - ``current_player()``: the player to move, `CHANCE` or `TERMINAL`,
    - ``legal_actions()``: a sequence of at least one int in [0, num_actions), ascending,
    - ``apply_action(action)``: advances the position; at a chance node by an outcome,
    - ``returns()``: a sequence of one float a player, at the end,

    and, where they apply,

    - ``copy_from(source)``: takes over the position of `source`. ``clone()`` calls it on an object whose
      ``__init__`` has not run, so it sets every attribute. Whoever calls it, the numbers of players and
      actions are taken over first: the class's ``copy_from`` is wrapped once a model is made. (Default: a
      deep copy of all that is in the ``__dict__`` of `source`, which is slow.)
    - ``chance_outcomes()``: (outcomes, probabilities), two sequences, unlike OpenSpiel's pairs,
    - ``sample_chance(rng)``: one outcome by its probability, if the game has a faster way to draw it,
    - ``sample_returns(rng)``: one draw of the returns, where they are random,
    - ``determinize(rng)``: draws all chance outcomes to come, in place,
    - ``rollout(rng)``: plays to the end, returns the number of actions applied,
    - ``playout(kind, parameter, rng)`` with ``playouts``, a tuple of names: the same in another way of
      random play, which may depend on a number in [0, 1],
    - ``ordered_actions()``: the legal actions, those that look strong first,
    - ``heuristic(player, kind)`` with ``heuristics``, a tuple of names,
    - ``indicator(player, name, place=None)`` with ``indicators``, a tuple of `Indicator`,
    - ``observation(player)``: a float32 array in [0, 1], for learners,
    - ``action_to_string(action)``: the action in the notation of the game,
    - ``__eq__(other)`` and ``position_hash()``, both or neither. (Default: the attributes, compared by
      value.)

    The other methods of `ForwardModel` follow from these. A game may replace some for what is not the search
    itself: ``return_spread``, ``max_score()``, ``to_data()`` and ``string_to_action(text)``. Exceptions
    raised in a method pass through the search to its caller. The numbers given to ``__init__`` stay the same
    as long as the model lives.

    Args:
        num_players: 1 or more.
        num_actions: Actions and outcomes are ints in [0, num_actions).

    Raises:
        ValueError: If one of the numbers is below 1.
    """

    cdef bint draws_itself    # whether the game has a sample_chance of its own
    cdef bint orders_itself   # whether it has ordered_actions of its own

    def __cinit__(self, *args, **kwargs):
        _complete(type(self))
        self.needs_gil = True
        self.draws_itself = type(self).sample_chance is not PythonForwardModel.sample_chance
        self.orders_itself = type(self).ordered_actions is not PythonForwardModel.ordered_actions

    def __init__(self, num_players: int, num_actions: int):
        for name, value, now in (
            ("num_players", num_players, self.num_players),
            ("num_actions", num_actions, self.num_actions),
        ):
            if not hasattr(value, "__index__") or not 1 <= operator.index(value) <= MAX_INT:
                raise ValueError(f"{name} must be an integer in [1, {MAX_INT}], got {value!r}")
            if operator.index(value) != now and (now or self.has_fixed_sizes):
                raise ValueError(f"{name} of a model cannot change: it is {now}, got {value!r}")
        self.num_players = num_players
        self.num_actions = num_actions
        self.max_legal_actions = self.num_actions
        self.max_chance_outcomes = self.num_actions

    def current_player(self):
        raise NotImplementedError(f"{type(self).__name__} must define current_player()")

    def legal_actions(self):
        raise NotImplementedError(f"{type(self).__name__} must define legal_actions()")

    def chance_outcomes(self):
        raise NotImplementedError(f"{type(self).__name__} must define chance_outcomes()")

    def apply_action(self, action):
        raise NotImplementedError(f"{type(self).__name__} must define apply_action(action)")

    def returns(self):
        raise NotImplementedError(f"{type(self).__name__} must define returns()")

    def sample_chance(self, rng):
        cdef int32_t outcome = 0
        cdef Rng source = _as_rng(rng)
        ForwardModel.c_sample_chance(self, &source.state, &outcome)
        return outcome

    def sample_returns(self, rng):
        return self.returns()

    def copy_from(self, source):
        self.take_sizes(source)
        attributes = copy.deepcopy(source.__dict__, {id(source): self})
        self.__dict__.clear()
        self.__dict__.update(attributes)

    def rollout(self, rng):
        cdef Rng source = _as_rng(rng)
        return ForwardModel.c_rollout(self, &source.state)

    def playout(self, kind: str, parameter: float, rng: Rng) -> int:
        raise NotImplementedError(f"{type(self).__name__} must define playout(kind, parameter, rng)")

    def ordered_actions(self):
        return self.legal_actions()

    def determinize(self, rng):
        raise ValueError(f"{type(self).__name__} cannot draw the chance outcomes to come")

    def heuristic(self, player, kind):
        raise NotImplementedError(f"{type(self).__name__} must define heuristic(player, kind)")

    def indicator(self, player, name, place=None):
        raise NotImplementedError(f"{type(self).__name__} must define indicator(player, name, place=None)")

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        sizes = self.num_players, self.num_actions
        return sizes == (other.num_players, other.num_actions) and _same(self.__dict__, other.__dict__)

    def __ne__(self, other):
        return not self == other   # by the `__eq__` of the game, if it has one

    __hash__ = None

    def position_hash(self):
        return _hash(self.__dict__) % 2**64

    def __repr__(self):
        return f"{type(self).__name__}({self.__dict__})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self.num_players, self.num_actions, self.__dict__)

    cdef int take_sizes(self, source) except -1:
        """Takes over the numbers of players and actions of a model of the same class."""
        self._check_class(source)
        cdef PythonForwardModel model = source
        if self.has_fixed_sizes and (
            model.num_players != self.num_players or model.num_actions != self.num_actions
        ):
            raise ValueError(
                f"source must have {self.num_players} players and {self.num_actions} actions here, as the "
                f"sizes of a game cannot change in a search, got {model.num_players} and {model.num_actions}"
            )
        self.copy_sizes(model)
        return 0

    cdef int c_current_player(self) except? NO_PLAYER with gil:
        answer = self.current_player()
        if not hasattr(answer, "__index__"):
            raise TypeError(f"current_player() must return an int, got {answer!r}")
        player = operator.index(answer)
        if player not in (CHANCE, TERMINAL) and not 0 <= player < self.num_players:
            raise ValueError(
                f"current_player() must be in [0, {self.num_players}), CHANCE ({CHANCE}) or "
                f"TERMINAL ({TERMINAL}), got {player}"
            )
        return player

    cdef int c_legal_actions(self, int32_t* actions) except -1 with gil:
        cdef int count = 0
        for action in self.listed_actions():
            if count >= self.num_actions:
                raise ValueError(f"legal_actions() has more than num_actions = {count} entries")
            actions[count] = self.checked(action)
            count += 1
        return count

    cdef object listed_actions(self):
        """The game's legal actions, which must be a sequence of one or more."""
        actions = self.legal_actions()
        if not (hasattr(actions, "__len__") and hasattr(actions, "__getitem__")):
            raise TypeError(f"legal_actions() must return a sequence of ints, got {actions!r}")
        if not len(actions):
            raise ValueError("legal_actions() is empty although a player is to move")
        return actions

    cdef int checked_count(self, count, str name) except -1:
        """A number of actions applied."""
        number = operator.index(count) if hasattr(count, "__index__") else -1
        if not 0 <= number <= MAX_INT:
            raise ValueError(
                f"{name} must return the number of actions applied, in [0, {MAX_INT}], got {count!r}"
            )
        return number

    cdef object integer(self, action):
        """The action as an int, which does not change when it is read again."""
        if not hasattr(action, "__index__"):
            raise TypeError(f"actions must be ints, got {action!r}")
        return operator.index(action)

    cdef int32_t checked(self, action) except -1:
        value = self.integer(action)
        if not 0 <= value < self.num_actions:
            raise ValueError(f"actions must be in [0, {self.num_actions}), got {action!r}")
        return value

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 with gil:
        cdef int i, count = 0
        cdef double total = 0
        for outcome, probability in pairs_of(self.chance_outcomes()):
            if count >= self.num_actions:
                raise ValueError(f"chance_outcomes() has more than num_actions = {count} entries")
            outcomes[count] = self.checked(outcome)
            probabilities[count] = number_of(probability, "probabilities")
            if not probabilities[count] > 0:
                raise ValueError(f"probabilities must be greater than 0, got {probability!r}")
            total += probabilities[count]
            count += 1
        if not 1 - 1e-9 < total < 1 + 1e-9:
            raise ValueError(f"probabilities must sum to 1, got {count} that sum to {total!r}")
        for i in range(count):
            probabilities[i] /= total
        return count

    cdef int c_apply_action(self, int32_t action) except -1 with gil:
        self.apply_action(action)
        return 0

    cdef int c_returns(self, double* returns) except -1 with gil:
        self.fill(returns, self.returns(), "returns")
        return 0

    cdef int c_sample_returns(self, rng_t* rng, double* returns) except -1 with gil:
        self.fill(returns, with_rng(rng, self.sample_returns), "returns")
        return 0

    cdef int fill(self, double* returns, values, str name) except -1:
        """Fills a number for each player, if there are as many and they are finite."""
        cdef int player
        if not hasattr(values, "__len__"):
            raise TypeError(f"{name} must be a sequence of {self.num_players} floats, got {values!r}")
        if len(values) != self.num_players:
            raise ValueError(f"{name} must have {self.num_players} entries, got {values!r}")
        for player in range(self.num_players):
            returns[player] = number_of(values[player], name)
            if not isfinite(returns[player]):
                raise ValueError(f"{name} must be finite, got {values!r}")
        return 0

    cdef int c_copy_from(self, ForwardModel source) except -1 with gil:
        self.copy_from(source)
        return 0

    cdef int c_sample_action(self, rng_t* rng, int32_t* action) except -1 with gil:
        actions = self.listed_actions()
        action[0] = self.checked(actions[rng_below(rng, len(actions))])
        return 0

    cdef int c_sample_chance(self, rng_t* rng, int32_t* outcome) except -1 with gil:
        if not self.draws_itself:
            return ForwardModel.c_sample_chance(self, rng, outcome)
        outcome[0] = self.checked(with_rng(rng, self.sample_chance))
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 with gil:
        return self.checked_count(with_rng(rng, self.rollout), "rollout()")

    cdef int c_playout(self, int kind, double parameter, rng_t* rng) except -1 with gil:
        playout = functools.partial(self.playout, self.playouts[kind], parameter)
        return self.checked_count(with_rng(rng, playout), "playout()")

    cdef int c_determinize(self, rng_t* rng) except -1 with gil:
        with_rng(rng, self.determinize)
        return 0

    cdef int c_order_actions(self, int32_t* actions, int count) except -1 with gil:
        cdef int i
        if not self.orders_itself:
            return 0
        answer = self.ordered_actions()
        if not hasattr(answer, "__iter__"):
            raise TypeError(f"ordered_actions() must return a sequence of ints, got {answer!r}")
        ordered = [self.integer(action) for action in answer]
        if sorted(ordered) != sorted([actions[i] for i in range(count)]):
            raise ValueError(f"ordered_actions() must have the legal actions, each once, got {ordered!r}")
        for i in range(count):
            actions[i] = ordered[i]
        return 0

    cdef int c_heuristic(self, int kind, double* values) except -1 with gil:
        name = self.heuristics[kind]
        self.fill(values, [self.heuristic(player, name) for player in range(self.num_players)], "heuristics")
        return 0

    cdef double c_indicator(self, int kind, int place, int player) except? -1.5e308 with gil:
        indicator = self.indicators[kind]
        at = indicator.places[place] if indicator.places else None
        cdef double value = number_of(self.indicator(player, indicator.name, at), "indicators")
        if not isfinite(value):
            raise ValueError(f"indicator() must return a finite number, got {value} for {indicator.name!r}")
        return value

    cdef bint c_equals(self, ForwardModel other) except -1 with gil:
        return bool(self == other)

    cdef uint64_t c_hash(self) except? 0 with gil:
        answer = self.position_hash()
        if not hasattr(answer, "__index__") or not 0 <= operator.index(answer) < 2**64:
            raise ValueError(f"position_hash() must return an int in [0, 2**64), got {answer!r}")
        return operator.index(answer)


cdef double number_of(value, str name) except? -1.5e308:
    try:
        return value
    except TypeError:
        raise TypeError(f"{name} must be floats, got {value!r}") from None


cdef list pairs_of(answer):
    """The outcomes of a game, each with its probability, from the two sequences that it gave."""
    if is_pairs(answer):
        raise ValueError(f"chance_outcomes() must return two sequences, not pairs, got {answer!r:.80}")
    try:
        outcomes, probabilities = answer
        return list(zip(outcomes, probabilities, strict=True))
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"chance_outcomes() must return two sequences of one length, got {answer!r:.80}: {error}"
        ) from None


cdef bint is_pairs(answer) except -1:
    """Whether chance outcomes are listed as pairs of an outcome and its probability, as in OpenSpiel."""
    if not isinstance(answer, (list, tuple)):
        return False
    first = answer[0] if len(answer) == 2 else (0.5,)
    return isinstance(first, (list, tuple)) and len(first) > 0 and isinstance(first[-1], float)


def _complete(kind):
    """Makes the ``copy_from`` of a game take over the numbers of players and actions too."""
    copy_from = kind.copy_from
    if copy_from is not PythonForwardModel.copy_from and not hasattr(copy_from, "takes_sizes"):
        kind.copy_from = _with_sizes(copy_from)


def _with_sizes(copy_from):
    @functools.wraps(copy_from)
    def copy_all(self, source):
        (<PythonForwardModel?> self).take_sizes(source)
        return copy_from(self, source)

    copy_all.takes_sizes = True
    return copy_all


def _same(one, other):
    """Whether two values, which may hold arrays, are equal; 1 equals numpy.int64(1)."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return type(one) is type(other) and np.array_equal(one, other)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and type(one) is type(other):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


def _hash(value):
    """A hash by value: values that `_same` finds equal have the same hash."""
    if isinstance(value, np.ndarray):
        return hash(tuple(value.ravel().tolist()))
    if isinstance(value, dict):
        return hash(frozenset([(key, _hash(item)) for key, item in value.items()]))
    if isinstance(value, (list, tuple)):
        return hash(tuple([_hash(item) for item in value]))
    try:
        return hash(frozenset(value) if isinstance(value, set) else value)
    except TypeError:   # the type cannot be hashed; equality alone decides
        return 0


def _restored(kind, num_players, num_actions, attributes):
    """A pickled `PythonForwardModel`."""
    model = kind.__new__(kind)
    PythonForwardModel.__init__(model, num_players, num_actions)
    model.__dict__.update(attributes)
    return model
