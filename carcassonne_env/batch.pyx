"""Games stepped together; what a single environment does in Python, done for a range of them in C."""

from time import sleep

cimport cython
import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport copysign
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from agents.forward_model cimport data_of
from agents.rng cimport Rng, rng_from_seed, rng_t

from . cimport board
from .board cimport State
from .encoding cimport NUM_FEATURES, Encoder
from .model cimport CarcassonneModel
from .variant cimport Variant


cdef enum:
    BETWEEN_SIGNALS = 8192   # steps between two looks for Ctrl-C: some hundredths of a second


cdef class Results:
    """Fresh arrays for the results of one step, all zero.

    Args:
        batch: For how many games.
        with_observations: Whether observations and infos are wanted.
    """

    def __init__(self, Batch batch not None, bint with_observations):
        cdef Encoder encoder = batch.encoder
        cdef int n = batch.num_games, players = encoder.num_players
        self.batch = batch
        memset(&self.rows, 0, sizeof(Rows))
        self.rewards = np.zeros(n)
        self.terminations = np.zeros(n, dtype=np.bool_)
        self.is_illegal = np.zeros(n, dtype=np.bool_)
        self.rows.rewards = <double*> data_of(self.rewards)
        self.rows.is_over = <uint8_t*> data_of(self.terminations)
        self.rows.is_illegal = <uint8_t*> data_of(self.is_illegal)
        self.observations = {}
        self.infos = {}
        if not with_observations:
            return
        shapes = encoder.shapes()
        for name, (shape, dtype) in shapes.items():
            self.observations[name] = np.zeros((n, *shape), dtype=dtype)
        self.rows.planes = <int8_t*> data_of(self.observations["observation"])
        self.rows.masks = <int8_t*> data_of(self.observations["action_mask"])
        self.rows.vectors = <float*> data_of(self.observations["vector"])
        if "actions" in shapes:
            self.rows.actions = <int8_t*> data_of(self.observations["actions"])
        for name in ("scores", "virtual_scores", "meeples"):
            self.infos[name] = np.zeros((n, players), dtype=np.int64)
        self.infos["discarded"] = np.zeros(n, dtype=np.int64)
        self.infos["current_tile"] = np.full(n, board.NO_TILE, dtype=np.uint8)
        self.rows.scores = <int64_t*> data_of(self.infos["scores"])
        self.rows.virtual_scores = <int64_t*> data_of(self.infos["virtual_scores"])
        self.rows.meeples = <int64_t*> data_of(self.infos["meeples"])
        self.rows.discarded = <int64_t*> data_of(self.infos["discarded"])
        self.rows.tiles = <uint8_t*> data_of(self.infos["current_tile"])
        if encoder.bound:
            self.infos["cut_off"] = np.zeros(n, dtype=np.int64)
            self.rows.cut_off = <int64_t*> data_of(self.infos["cut_off"])


@cython.final
cdef class Step:
    """One step of a batch, in parts that threads share."""

    cdef Batch batch
    cdef const int64_t[::1] actions
    cdef Results results
    cdef int num_working   # threads in the middle of a part
    cdef bint has_ended

    def __cinit__(self, Batch batch not None, const int64_t[::1] actions not None, Results results not None):
        if len(actions) != batch.num_games or results.batch is not batch:
            raise ValueError(f"actions and results must be those of {batch.num_games} games of this batch")
        self.batch = batch
        self.actions = actions
        self.results = results

    def __call__(self, int first, int last):
        """Steps the games [first, last); none once the step has ended."""
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
                self.batch.step_one(i, self.actions[i], &self.results.rows)
                self.batch.show_one(i, &self.results.rows)

    cdef end(self):
        """Lets no further part begin, and waits until no thread works on one, come what may."""
        self.has_ended = True
        while self.num_working:
            try:
                sleep(0.001)
            except BaseException:   # another interrupt: the first one is being raised already
                pass


@cython.final
cdef class Batch:
    """So many games of a variant, each with its own generator.

    While a thread plays the games without the GIL the batch is busy: all other use is refused with a
    RuntimeError.

    Args:
        variant: What is played.
        encoder: Its encoder.
        num_games: 1 or more.
        seat: The learner's; the other players move at random.
        reward: Index of "score", "final" or "win".
        illegal_action: Index of "terminate", "noop" or "raise".
    """

    def __cinit__(
        self,
        Variant variant not None,
        Encoder encoder not None,
        int num_games,
        int seat,
        int reward,
        int illegal_action,
    ):
        self.games = <Game*> malloc(num_games * sizeof(Game))
        if self.games == NULL:
            raise MemoryError(f"no memory for {num_games} games")
        memset(self.games, 0, num_games * sizeof(Game))
        self.num_games = num_games
        self.variant = variant
        self.encoder = encoder
        self.seat = seat
        self.reward = <Reward> reward
        self.illegal_action = <IllegalAction> illegal_action

    def __dealloc__(self):
        free(self.games)

    def __reduce__(self):
        raise TypeError("vector environments cannot be copied or pickled: copy single ones")

    def seed(self, int i, seed):
        """Seeds the generator of game i."""
        self.check_game(i)
        self.games[i].rng = rng_from_seed(seed)

    def is_over(self):
        """Which episodes have ended: bool[num_games]."""
        self.check_idle()
        return np.array([self.games[i].is_over for i in range(self.num_games)], dtype=np.bool_)

    def model(self, int i):
        """A copy of the position of game i."""
        self.check_game(i)
        return CarcassonneModel.at(&self.games[i].state)

    def start(self, int i, Results results not None, Variant variant=None):
        """Begins an episode of game i, by default of the batch's variant, and shows it in the results."""
        self.check_row(i, results)
        self.start_one(&self.games[i], self.variant if variant is None else variant)
        self.show_one(i, &results.rows)

    def show(self, int i, Results results not None):
        """Shows game i in the results."""
        self.check_row(i, results)
        self.show_one(i, &results.rows)

    def step(self, actions, Results results not None, submit=None, ranges=()):
        """Steps all games; those whose episode has ended begin a new one.

        Whatever is raised meanwhile, no thread works on the games any more when this returns.

        Args:
            actions: int64[num_games].
            results: Fresh ones of this batch.
            submit: Has other threads step ranges of games, as ``Executor.submit`` does; None if this
                one steps all.
            ranges: Pairs (first, last), which together are all games.

        Raises:
            KeyboardInterrupt: As soon as it is seen; then some games are stepped and others not.
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

    def first_illegal(self, const int64_t[::1] actions):
        """Index of the first game whose action is illegal, -1 if there is none."""
        cdef const Game* game
        cdef int i
        self.check_idle()
        if len(actions) != self.num_games:
            raise ValueError(f"actions must be {self.num_games}, got {len(actions)}")
        for i in range(self.num_games):
            game = &self.games[i]
            if not game.is_over and not game.state.is_over and self.legal_action(game, actions[i]) < 0:
                return i
        return -1

    def sample_actions(self, Rng rng not None):
        """A uniformly random legal action of every game, 0 where it is over: int64[num_games]."""
        actions = np.zeros(self.num_games, dtype=np.int64)
        cdef int64_t[::1] view = actions
        cdef State* state
        cdef rng_t own = rng.state   # another thread may use the generator meanwhile
        cdef int i
        self.claim()
        try:
            with nogil:
                for i in range(self.num_games):
                    state = &self.games[i].state
                    if state.current_tile != board.NO_TILE:
                        view[i] = self.encoder.encoded(state, board.sample_action(state, &own))
        finally:
            rng.state = own
            self.is_busy = False
        return actions

    def play_randomly(self, int num_steps, Rng rng not None):
        """Plays so many random actions in all games; episodes that end begin anew at once.

        Returns:
            Rewards, float64[num_steps, num_games], and ends of episodes, bool[num_steps, num_games].

        Raises:
            KeyboardInterrupt: As soon as it is seen; then some games have gone on and others not.
        """
        rewards = np.empty((num_steps, self.num_games))
        is_over = np.empty((num_steps, self.num_games), dtype=np.bool_)
        cdef double[:, ::1] all_rewards = rewards
        cdef uint8_t[:, ::1] all_over = is_over.view(np.uint8)
        cdef rng_t own = rng.state   # another thread may use the generator meanwhile
        cdef int i, step, to_come = BETWEEN_SIGNALS
        self.claim()
        try:
            with nogil:
                for i in range(self.num_games):   # one game after the other, while it is in the cache
                    for step in range(num_steps):
                        self.play_randomly_one(
                            &self.games[i], &own, &all_rewards[step, i], &all_over[step, i]
                        )
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

    # --- Whose turn it is to use the games ---

    cdef int claim(self) except -1:
        """Marks the batch as busy, for work without the GIL."""
        self.check_idle()
        self.is_busy = True
        return 0

    cpdef int check_idle(self) except -1:
        """Refuses a use of the batch while a thread plays the games without the GIL."""
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

    cdef int check_row(self, int i, Results results) except -1:
        self.check_game(i)
        if results.batch is not self:
            raise ValueError("results must be those of this batch")
        return 0

    # --- One game ---

    cdef void start_one(self, Game* game, Variant variant) noexcept nogil:
        variant.start(&game.state, &game.rng)
        self.finish_turn(game)
        game.is_over = False

    cdef void play_randomly_one(
        self, Game* game, rng_t* rng, double* reward, uint8_t* is_over
    ) noexcept nogil:
        """Plays a random action in a game, a new one if it is over."""
        cdef int before
        if game.is_over:
            self.start_one(game, self.variant)
        before = board.score(&game.state.points, self.seat)
        if not game.state.is_over:
            board.apply_action(&game.state, board.sample_action(&game.state, rng))
            self.finish_turn(game)
        reward[0] = self.reward_of(&game.state, before)
        is_over[0] = game.is_over = game.state.is_over

    cdef void finish_turn(self, Game* game) noexcept nogil:
        """Draws, and lets the others move at random, until the learner is to move or the game over."""
        while True:
            while game.state.current_tile == board.NO_TILE and not game.state.is_over:
                board.apply_action(&game.state, board.sample_type(&game.state, &game.rng))
            if game.state.is_over or game.state.mover == self.seat:
                break
            board.apply_action(&game.state, board.sample_action(&game.state, &game.rng))

    cdef void step_one(self, int i, int64_t number, const Rows* rows) noexcept nogil:
        cdef Game* game = &self.games[i]
        cdef int before = board.score(&game.state.points, self.seat)
        if game.is_over:
            self.start_one(game, self.variant)
            return
        if game.state.is_over or self.play_one(game, number):   # over before the learner's first turn
            game.is_over = game.state.is_over
            rows.rewards[i] = self.reward_of(&game.state, before)
        else:
            rows.is_illegal[i] = True
            game.is_over = self.illegal_action == TERMINATE
            rows.rewards[i] = -1.0 if game.is_over else 0.0
        rows.is_over[i] = game.is_over

    cdef bint play_one(self, Game* game, int64_t number) noexcept nogil:
        """Plays an action of the learner and the others' turns; returns whether it was legal."""
        cdef int32_t action = self.legal_action(game, number)
        if action < 0:
            return False
        board.apply_action(&game.state, action)
        self.finish_turn(game)
        return True

    cdef int32_t legal_action(self, const Game* game, int64_t number) noexcept nogil:
        """The model's action for a legal one of the learner, -1 for an illegal one."""
        cdef int32_t action = self.encoder.decoded(&game.state, number)
        return action if action >= 0 and board.is_legal(&game.state, action) else -1

    cdef double reward_of(self, const State* state, int before) noexcept nogil:
        cdef double returns[board.MAX_PLAYERS]
        if self.reward == SCORE:
            return board.score(&state.points, self.seat) - before
        if not state.is_over:
            return 0
        board.fill_leads(state, &state.points, returns)
        if self.reward == WIN and returns[self.seat] != 0:
            return copysign(1, returns[self.seat])
        return returns[self.seat]

    cdef void show_one(self, int i, const Rows* rows) noexcept nogil:
        """Writes what is to be seen of a game in its rows, which are zero."""
        cdef const State* state = &self.games[i].state
        cdef int area = self.encoder.width * self.encoder.width
        cdef size_t row = i
        cdef board.Points final
        if rows.planes == NULL:
            return
        final = board.virtual_points(state)
        self.encoder.fill_planes(
            state, self.seat, rows.planes + row * self.encoder.num_planes * area
        )
        self.encoder.fill_mask(state, rows.masks + row * self.encoder.num_actions)
        self.encoder.fill_vector(
            state, &final, self.seat, rows.vectors + row * self.encoder.vector_size
        )
        if rows.actions != NULL:
            self.encoder.fill_actions(
                state, rows.actions + row * self.encoder.num_actions * NUM_FEATURES
            )
        row *= self.encoder.num_players
        self.encoder.fill_numbers(
            state, &final, rows.scores + row, rows.virtual_scores + row, rows.meeples + row
        )
        rows.discarded[i] = board.num_discarded(state)
        rows.tiles[i] = state.current_tile
        if rows.cut_off != NULL:
            rows.cut_off[i] = board.num_cut_off(state)


GAME_BYTES = sizeof(Game)
"""Size of a game in bytes."""
