# distutils: extra_compile_args = -O1
"""Steps a range of games in C, with the same results as single environments in Python."""

from concurrent.futures import Future
from time import sleep

cimport cython
import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from agents.forward_model cimport data_of, zeroed
from agents.rng cimport Rng, rng_t

from . cimport board
from .board cimport ALL_SEATS, MAX_PLAYERS, State
from .encoding cimport MASKS, Encoder, Rows, add_arrays
from .model cimport CarcassonneModel
from .rewards cimport Reward, account_t, fill_rewards, forfeit_of
from .variant cimport Variant


cdef enum:
    NO_ACTION = -1
    BETWEEN_SIGNALS = 8192   # steps between two checks for Ctrl-C: some hundredths of a second


cdef enum IllegalAction:
    TERMINATE
    NOOP
    RAISE


ctypedef struct BatchGame:
    State state
    rng_t rng          # for draws, shuffling and the moves of the other players
    bint is_over       # whether a step has reported the end of the episode
    bint is_new        # whether no action of the learner has been played
    int32_t elapsed    # steps of the episode
    account_t account


# Arrays for the results of a step, with a row for each game. NULL for results that are not wanted.
ctypedef struct StepRows:
    Rows encoded           # observations and infos
    double* rewards
    double* all_rewards    # of each player; with ALL_SEATS only
    int64_t* movers        # whose view the observation shows; with ALL_SEATS only
    uint8_t* is_over
    uint8_t* is_truncated
    uint8_t* is_illegal


cdef class Batch


cdef class Results:
    """Arrays for the results of one step.

    Args:
        batch: The batch that is stepped.
        with_observations: Whether to make arrays for observations and infos.
        kept: Earlier results, whose arrays of observations are used again. They must show the games as
            they are now. None makes new arrays.
    """

    cdef Batch batch
    cdef StepRows rows
    cdef readonly dict observations, infos
    cdef readonly object rewards, terminations, truncations, is_illegal
    cdef object num_tiles   # the array of `Rows.num_tiles`, or None

    observations: dict[str, NDArray[Any]]
    infos: dict[str, NDArray[Any]]
    rewards: NDArray[np.float64]
    terminations: NDArray[np.bool_]
    truncations: NDArray[np.bool_]
    is_illegal: NDArray[np.bool_]

    def __init__(
        self, Batch batch not None, bint with_observations, Results kept: Results | None = None
    ):
        cdef Encoder encoder = batch.encoder
        cdef int n = batch.num_games
        self.batch = batch
        memset(&self.rows, 0, sizeof(StepRows))
        self.rewards = np.zeros(n)
        self.terminations = np.zeros(n, dtype=np.bool_)
        self.truncations = np.zeros(n, dtype=np.bool_)
        self.is_illegal = np.zeros(n, dtype=np.bool_)
        self.rows.rewards = <double*> data_of(self.rewards)
        self.rows.is_over = <uint8_t*> data_of(self.terminations)
        self.rows.is_truncated = <uint8_t*> data_of(self.truncations)
        self.rows.is_illegal = <uint8_t*> data_of(self.is_illegal)
        self.observations = {}
        self.infos = {}
        if batch.seat == ALL_SEATS:
            self.infos["rewards"] = np.zeros((n, encoder.num_players))
            self.infos["current_player"] = np.zeros(n, dtype=np.int64)
            self.rows.all_rewards = <double*> data_of(self.infos["rewards"])
            self.rows.movers = <int64_t*> data_of(self.infos["current_player"])
        if not with_observations:
            return
        if kept is None:
            add_arrays(self.observations, encoder.observed, n, &self.rows.encoded)
            self.num_tiles = np.zeros(n, dtype=np.uint8)
            self.rows.encoded.num_tiles = <uint8_t*> data_of(self.num_tiles)
        else:
            self.observations |= kept.observations
            self.num_tiles = kept.num_tiles
            self.rows.encoded = kept.rows.encoded
        add_arrays(self.infos, encoder.player_numbers + encoder.single_numbers, n, &self.rows.encoded)

    def clear(self, games: NDArray[np.bool_]) -> None:
        """Sets the rows of games, bool[num_games], to zero."""
        for array in (*self.observations.values(), *self.infos.values(), self.rewards):
            array[games] = 0
        if self.num_tiles is not None:
            self.num_tiles[games] = 0
        self.terminations[games] = self.truncations[games] = self.is_illegal[games] = False


@cython.final
cdef class Step:
    """One step of a batch, divided into parts for several threads."""

    cdef Batch batch
    cdef object array   # of the actions
    cdef const int64_t* actions
    cdef Results results
    cdef int num_working   # number of threads that are stepping a part
    cdef bint has_ended

    def __cinit__(self, Batch batch not None, actions: NDArray[np.int64], Results results not None):
        batch.check_row(0, results)
        self.batch = batch
        self.array = actions
        self.actions = batch.numbers_in(actions)
        self.results = results

    def __call__(self, int first, int last) -> None:
        """Steps the games [first, last); stops if the step has been ended."""
        if not 0 <= first <= last <= self.batch.num_games:
            raise IndexError(f"no games [{first}, {last}) of {self.batch.num_games}")
        self.num_working += 1
        try:
            while first < last and not self.has_ended:
                self.play(first, min(last, first + BETWEEN_SIGNALS))
                first += BETWEEN_SIGNALS
                PyErr_CheckSignals()
        finally:
            self.num_working -= 1

    cdef play(self, int first, int last):
        cdef int i
        with nogil:
            for i in range(first, last):
                if self.actions[i] == NO_ACTION:
                    continue
                self.batch.step_one(i, self.actions[i], &self.results.rows)
                if not self.batch.is_waiting(&self.batch.games[i]):
                    self.batch.show_one(i, &self.results.rows)

    cdef end(self):
        """Ends the step: stops new parts and waits for all threads, even if an interrupt arrives."""
        self.has_ended = True
        while self.num_working:
            try:
                sleep(0.001)
            except BaseException:   # a further interrupt; the first one is already being raised
                pass


@cython.final
cdef class Batch:
    """A number of games of a variant, each with its own random generator.

    While a thread plays the games without the GIL, the batch is busy, and any other use raises
    RuntimeError.

    Args:
        variant: The variant of the games.
        encoder: The encoder for this variant.
        num_games: Number of games, 1 or more.
        seat: The learner's seat, or -1 if learners play all seats.
        reward: Index of "score", "final", "win" or "virtual".
        illegal_action: Index of "terminate", "noop" or "raise".
        others_wait: Whether the other players wait for `play`. If not, they move at random.
        max_steps: Number of steps after which an episode is truncated; 0 sets no limit.
    """

    cdef BatchGame* games
    cdef readonly int num_games
    cdef Variant variant
    cdef Encoder encoder
    cdef int seat              # the learner's seat, or ALL_SEATS if learners play all
    cdef bint others_wait      # whether the other players do not move at random, but wait for `play`
    cdef int asked_seat        # the one whose moves are asked for, while others move at random; or ALL_SEATS
    cdef Reward reward
    cdef IllegalAction illegal_action
    cdef int max_steps         # of an episode, which then is truncated; 0: no limit
    cdef bint is_busy          # whether a thread plays the games without the GIL; needs the GIL

    def __cinit__(
        self,
        Variant variant not None,
        Encoder encoder not None,
        int num_games,
        int seat,
        int reward,
        int illegal_action,
        bint others_wait=False,
        int max_steps=0,
    ):
        self.games = <BatchGame*> zeroed(num_games * sizeof(BatchGame))
        self.num_games = num_games
        self.variant = variant
        self.encoder = encoder
        self.seat = seat
        self.reward = <Reward> reward
        self.illegal_action = <IllegalAction> illegal_action
        self.others_wait = others_wait
        self.asked_seat = ALL_SEATS if others_wait else seat
        self.max_steps = max_steps

    def __dealloc__(self):
        free(self.games)

    def seed(self, int i, Rng rng not None) -> None:
        """Has game i go on with the random numbers of a copy of this generator."""
        self.check_game(i)
        self.games[i].rng = rng.state

    def is_over(self) -> NDArray[np.bool_]:
        """Which episodes have ended: bool[num_games]."""
        self.check_idle()
        return np.array([self.games[i].is_over for i in range(self.num_games)], dtype=np.bool_)

    def model(self, int i) -> CarcassonneModel:
        """A copy of the position of game i."""
        self.check_game(i)
        return CarcassonneModel.at(&self.games[i].state)

    def start(self, int i, Results results not None, Variant variant: Variant | None = None) -> bool:
        """Starts an episode of game i, by default of the batch's variant, and writes it to the results.

        Returns:
            Whether the game waits for another player; `settle` then writes it.
        """
        self.check_row(i, results)
        results.rows.is_illegal[i] = False
        self.erase_one(i, 0, &results.rows.encoded)
        self.start_one(&self.games[i], self.variant if variant is None else variant)
        if self.is_waiting(&self.games[i]):
            return True
        self.show_one(i, &results.rows)
        return False

    def show(self, int i, Results results not None) -> None:
        """Writes the observation and infos of game i to the results."""
        self.check_row(i, results)
        self.show_one(i, &results.rows)

    def step(
        self,
        actions: NDArray[np.int64],
        Results results not None,
        submit: Callable[..., Future[None]] | None = None,
        ranges: Iterable[tuple[int, int]] = (),
    ) -> None:
        """Steps all games. A game whose episode has ended starts a new one.

        When this method returns or raises, no thread works on the games any more.

        Args:
            actions: int64[num_games]. `LEFT_OUT` leaves a game as it is, and its rows, too.
            results: Results of this batch. For games to step, rows of observations must show them or
                be zero, and all other rows must be zero, see `Results.clear`.
            submit: A function like ``Executor.submit`` that runs parts of the step in other threads.
                None steps all games in this thread.
            ranges: Pairs (first, last) that together cover all games, for ``submit``.

        Raises:
            KeyboardInterrupt: Soon after Ctrl-C. Only some of the games have then been stepped.
            RuntimeError: If the batch is busy.
        """
        cdef Step step = Step(self, actions, results)
        self.claim()
        try:
            if submit is None:
                step(0, self.num_games)
            else:
                for part in [submit(step, first, last) for first, last in ranges]:
                    part.result()
        finally:
            step.end()
            self.is_busy = False

    def waiting(self) -> list[int]:
        """The games in which another player is to move: a list of indices."""
        self.check_idle()
        return [i for i in range(self.num_games) if self.is_waiting(&self.games[i])]

    def play(self, int i, action: int) -> bool:
        """Plays an action of the model for another player; returns whether the game still waits.

        Raises:
            ValueError: If the game does not wait, or the action is illegal.
        """
        cdef CarcassonneModel model = self.model(i)
        cdef BatchGame* game = &self.games[i]
        if not self.is_waiting(game):
            raise ValueError(f"game {i} does not wait for the action {action!r}")
        model.apply_action(action)   # which raises, and reads the action once
        memcpy(&game.state, &model.state, sizeof(State))
        board.go_on(&game.state, &game.rng, self.asked_seat)
        return bool(self.is_waiting(game))

    def settle(self, int i, Results results not None) -> None:
        """Writes game i, which waited, to the results: observation, infos, reward and end."""
        self.check_row(i, results)
        if not self.games[i].is_new:
            self.settle_one(i, self.seat, &results.rows)
        self.show_one(i, &results.rows)

    def masks(self) -> NDArray[np.int8]:
        """The legal actions: int8[num_games, num_actions] of 0 and 1."""
        self.check_idle()
        masks = np.zeros((self.num_games, self.encoder.num_actions), dtype=np.int8)
        cdef int8_t* view = <int8_t*> data_of(masks)
        cdef size_t i
        for i in range(self.num_games):
            if self.games[i].state.current_tile != board.NO_TILE:
                self.encoder.fill_mask(&self.games[i].state, view + i * self.encoder.num_actions)
        return masks

    def first_illegal(self, actions: NDArray[np.int64]) -> int:
        """Index of the first game whose action is illegal, -1 if there is none; `LEFT_OUT` is none."""
        cdef const int64_t* numbers = self.numbers_in(actions)
        cdef const BatchGame* game
        cdef int i
        self.check_idle()
        for i in range(self.num_games):
            game = &self.games[i]
            if numbers[i] == NO_ACTION or game.is_over or game.state.is_over:
                continue
            if self.encoder.legal(&game.state, numbers[i]) < 0:
                return i
        return -1

    def sample_actions(self, Rng rng not None) -> NDArray[np.int64]:
        """Uniformly random legal actions: int64[num_games], 0 for games without legal actions."""
        actions = np.zeros(self.num_games, dtype=np.int64)
        cdef int64_t* numbers = <int64_t*> data_of(actions)
        cdef State* state
        cdef rng_t own = rng.state   # another thread may use the generator meanwhile
        cdef int i
        self.claim()
        try:
            with nogil:
                for i in range(self.num_games):
                    state = &self.games[i].state
                    if state.current_tile != board.NO_TILE:
                        numbers[i] = self.encoder.encoded(state, board.sample_action(state, &own))
        finally:
            rng.state = own
            self.is_busy = False
        return actions

    def play_randomly(self, int num_steps, Rng rng not None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Plays ``num_steps`` random actions in every game. A finished game starts a new episode at once.

        Only for one learner a game, with other players who move at random.

        Returns:
            Rewards, float64[num_steps, num_games], and ends of episodes, bool[num_steps, num_games].

        Raises:
            KeyboardInterrupt: Soon after Ctrl-C. Only some of the games have then been played.
            RuntimeError: If the batch is busy.
        """
        rewards = np.empty((num_steps, self.num_games))
        is_over = np.empty((num_steps, self.num_games), dtype=np.bool_)
        cdef double* all_rewards = <double*> data_of(rewards)
        cdef uint8_t* all_over = <uint8_t*> data_of(is_over)
        cdef size_t row
        cdef rng_t own = rng.state   # another thread may use the generator meanwhile
        cdef int i, step, to_come = BETWEEN_SIGNALS
        self.claim()
        try:
            with nogil:
                for i in range(self.num_games):   # game by game, so that each stays in the cache
                    for step in range(num_steps):
                        row = <size_t> step * self.num_games + i
                        self.play_randomly_one(&self.games[i], &own, &all_rewards[row], &all_over[row])
                        to_come -= 1
                        if to_come == 0:
                            to_come = BETWEEN_SIGNALS
                            with gil:
                                PyErr_CheckSignals()
                    if self.games[i].is_over:
                        self.start_one(&self.games[i], self.variant)
        finally:
            rng.state = own
            self.is_busy = False
        return rewards, is_over

    # --- Protection against use by several threads ---

    cdef int claim(self) except -1:
        """Marks the batch as busy before work without the GIL."""
        self.check_idle()
        self.is_busy = True
        return 0

    cpdef int check_idle(self) except -1:
        """Raises RuntimeError while a thread plays the games without the GIL."""
        if self.is_busy:
            raise RuntimeError(
                "the games are busy: another thread is playing them, and one at a time may use them"
            )
        return 0

    cdef int check_game(self, int i) except -1:
        self.check_idle()
        if not 0 <= i < self.num_games:
            raise IndexError(f"i must be in [0, {self.num_games}), got {i}")
        return 0

    cdef const int64_t* numbers_in(self, actions) except NULL:
        """The numbers in an array of actions, which must outlive the pointer."""
        if not (
            isinstance(actions, np.ndarray)
            and actions.dtype == np.int64
            and actions.shape == (self.num_games,)
            and actions.flags.c_contiguous
        ):
            raise ValueError(f"actions must be int64[{self.num_games}] without gaps, got {actions!r}")
        return <const int64_t*> data_of(actions)

    cdef int check_row(self, int i, Results results) except -1:
        self.check_game(i)
        if results.batch is not self:
            raise ValueError("results must be those of this batch")
        return 0

    # --- One game ---

    cdef void start_one(self, BatchGame* game, Variant variant) noexcept nogil:
        variant.start(&game.state, &game.rng)
        board.go_on(&game.state, &game.rng, self.asked_seat)
        game.is_over = False
        game.is_new = True
        game.elapsed = 0
        memset(&game.account, 0, sizeof(account_t))
        game.account.reward = self.reward
        game.account.forfeit = variant.forfeit

    cdef void play_randomly_one(
        self, BatchGame* game, rng_t* rng, double* reward, uint8_t* is_over
    ) noexcept nogil:
        """Plays a random action in a game; starts a new episode first if the game is over."""
        cdef double rewards[MAX_PLAYERS]
        if game.is_over:
            self.start_one(game, self.variant)
        if not game.state.is_over:
            board.apply_action(&game.state, board.sample_action(&game.state, rng))
            board.go_on(&game.state, &game.rng, self.seat)
        fill_rewards(&game.account, &game.state, rewards)
        reward[0] = rewards[self.seat]
        is_over[0] = game.is_over = self.is_at_limit(game) | game.state.is_over

    cdef void step_one(self, int i, int64_t number, const StepRows* rows) noexcept nogil:
        cdef BatchGame* game = &self.games[i]
        cdef int mover = self.viewer_of(&game.state)
        self.erase_one(i, 0 if game.is_over else game.state.num_tiles, &rows.encoded)
        if game.is_over:
            self.start_one(game, self.variant)
            return
        rows.is_truncated[i] = self.is_at_limit(game)
        # The first case: the game was over before the learner's turn.
        if game.state.is_over or self.encoder.played(&game.state, number, &game.rng, self.asked_seat):
            game.is_new = False
            if not self.is_waiting(game):
                self.settle_one(i, mover, rows)
        else:
            rows.is_illegal[i] = True
            rows.is_over[i] = self.illegal_action == TERMINATE
            game.is_over = rows.is_over[i] or rows.is_truncated[i]
            rows.rewards[i] = forfeit_of(&game.account, &game.state, mover)
            if rows.all_rewards != NULL:
                rows.all_rewards[<size_t> i * self.encoder.num_players + mover] = rows.rewards[i]

    cdef bint is_at_limit(self, BatchGame* game) noexcept nogil:
        """Counts a step; returns whether it is the last one that the limit allows."""
        game.elapsed += 1
        return game.elapsed == self.max_steps

    cdef bint is_waiting(self, const BatchGame* game) noexcept nogil:
        """Whether another player is to move, who waits for `play`."""
        return self.others_wait and not game.state.is_over and game.state.mover != self.seat

    cdef void settle_one(self, int i, int mover, const StepRows* rows) noexcept nogil:
        """Writes the rewards and the end of a step, in which `mover` was the learner."""
        cdef BatchGame* game = &self.games[i]
        cdef double rewards[MAX_PLAYERS]
        cdef size_t num_players = self.encoder.num_players
        rows.is_over[i] = game.state.is_over
        game.is_over = rows.is_over[i] or rows.is_truncated[i]
        fill_rewards(&game.account, &game.state, rewards)
        rows.rewards[i] = rewards[mover]
        if rows.all_rewards != NULL:
            memcpy(rows.all_rewards + i * num_players, rewards, num_players * sizeof(double))

    cdef int viewer_of(self, const State* state) noexcept nogil:
        """The player to move where learners play all seats, else the learner."""
        return self.seat if self.seat != ALL_SEATS else state.mover

    cdef void erase_one(self, int i, int num_tiles, const Rows* rows) noexcept nogil:
        """Erases the observation of a game, if there is one, but for the first tiles."""
        cdef const State* state = &self.games[i].state
        if rows.num_tiles and rows.num_tiles[i]:
            self.encoder.erase_row(state, self.viewer_of(state), num_tiles, rows, i)

    cdef void show_one(self, int i, const StepRows* rows) noexcept nogil:
        """Writes the observation and infos of a game to its rows, which must be zero or erased."""
        cdef const State* state = &self.games[i].state
        if rows.movers != NULL:
            rows.movers[i] = state.mover
        if rows.encoded.of[MASKS]:
            self.encoder.write_row(state, self.viewer_of(state), True, &rows.encoded, i)


LEFT_OUT: int = NO_ACTION
"""In place of an action: the game is not stepped."""
