"""Games stepped together; what a single environment does in Python, done for a range of them in C."""

cimport cython
import numpy as np

from libc.math cimport copysign
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from agents.rng cimport Rng, rng_from_seed

from . cimport board
from .board cimport State
from .encoding cimport NUM_FEATURES, Encoder, address
from .model cimport CarcassonneModel
from .variant cimport Variant


cdef class Results:
    """Fresh arrays for the results of one step, all zero.

    Args:
        batch: For how many games.
        with_observations: Whether observations and infos are wanted.
    """

    cdef Rows rows
    cdef readonly dict observations
    cdef readonly dict infos
    cdef readonly object rewards, terminations, is_illegal

    def __init__(self, Batch batch not None, bint with_observations):
        cdef Encoder encoder = batch.encoder
        cdef int n = batch.num_games, players = encoder.num_players
        memset(&self.rows, 0, sizeof(Rows))
        self.rewards = np.zeros(n)
        self.terminations = np.zeros(n, dtype=np.bool_)
        self.is_illegal = np.zeros(n, dtype=np.bool_)
        self.rows.rewards = <double*> address(self.rewards)
        self.rows.is_over = <uint8_t*> address(self.terminations)
        self.rows.is_illegal = <uint8_t*> address(self.is_illegal)
        self.observations = {}
        self.infos = {}
        if not with_observations:
            return
        shapes = encoder.shapes()
        for name, (shape, dtype) in shapes.items():
            self.observations[name] = np.zeros((n, *shape), dtype=dtype)
        self.rows.planes = <int8_t*> address(self.observations["observation"])
        self.rows.masks = <int8_t*> address(self.observations["action_mask"])
        self.rows.vectors = <float*> address(self.observations["vector"])
        if "actions" in shapes:
            self.rows.actions = <int8_t*> address(self.observations["actions"])
        for name in ("scores", "virtual_scores", "meeples"):
            self.infos[name] = np.zeros((n, players), dtype=np.int64)
        self.infos["discarded"] = np.zeros(n, dtype=np.int64)
        self.infos["current_tile"] = np.full(n, board.NO_TILE, dtype=np.uint8)
        self.rows.scores = <int64_t*> address(self.infos["scores"])
        self.rows.virtual_scores = <int64_t*> address(self.infos["virtual_scores"])
        self.rows.meeples = <int64_t*> address(self.infos["meeples"])
        self.rows.discarded = <int64_t*> address(self.infos["discarded"])
        self.rows.tiles = <uint8_t*> address(self.infos["current_tile"])
        if encoder.bound:
            self.infos["cut_off"] = np.zeros(n, dtype=np.int64)
            self.rows.cut_off = <int64_t*> address(self.infos["cut_off"])


@cython.final
cdef class Batch:
    """So many games of a variant, each with its own generator.

    Args:
        variant: What is played.
        encoder: Its encoder.
        num_games: 1 or more.
        seat: The learner's; the other players move at random.
        reward: Index of "score", "final" or "win".
        illegal_action: Index of "terminate", "noop" or "raise".
    """

    def __cinit__(self, Variant variant not None, Encoder encoder not None, int num_games, *args):
        self.games = <Game*> malloc(num_games * sizeof(Game))
        if self.games == NULL:
            raise MemoryError(f"no memory for {num_games} games")
        memset(self.games, 0, num_games * sizeof(Game))

    def __init__(
        self, Variant variant, Encoder encoder, int num_games, int seat, int reward, int illegal_action
    ):
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
        """Seeds the generator of game i, 0 <= i < num_games."""
        self.games[i].rng = rng_from_seed(seed)

    def is_over(self):
        """Which episodes have ended: bool[num_games]."""
        return np.array([self.games[i].is_over for i in range(self.num_games)], dtype=np.bool_)

    def model(self, int i):
        """A copy of the position of game i, 0 <= i < num_games."""
        return CarcassonneModel.at(&self.games[i].state)

    def start(self, int i, Results results not None, Variant variant=None):
        """Begins an episode of game i, by default of the batch's variant, and shows it in the results."""
        self.start_one(&self.games[i], self.variant if variant is None else variant)
        self.show_one(i, &results.rows)

    def show(self, int i, Results results not None):
        """Shows game i in the results."""
        self.show_one(i, &results.rows)

    def step(self, int first, int last, const int64_t[::1] actions, Results results not None):
        """Steps the games [first, last); those whose episode has ended begin a new one."""
        cdef int i
        if not 0 <= first <= last <= min(self.num_games, len(actions)):
            raise IndexError(f"no games [{first}, {last}) with {len(actions)} actions")
        with nogil:
            for i in range(first, last):
                self.step_one(i, actions[i], &results.rows)
                self.show_one(i, &results.rows)

    def first_illegal(self, const int64_t[::1] actions):
        """Index of the first game whose action is illegal, -1 if there is none."""
        cdef const Game* game
        cdef int i
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
        cdef int i
        with nogil:
            for i in range(self.num_games):
                state = &self.games[i].state
                if state.current_tile != board.NO_TILE:
                    view[i] = self.encoder.encoded(state, board.sample_action(state, &rng.state))
        return actions

    def play_randomly(
        self, double[:, ::1] rewards not None, uint8_t[:, ::1] is_over not None, Rng rng not None
    ):
        """Fills a row a step with what random actions bring; episodes that end begin anew at once."""
        cdef Game* game
        cdef int i, step, before
        with nogil:
            for i in range(self.num_games):   # one game after the other, while it is in the cache
                game = &self.games[i]
                for step in range(rewards.shape[0]):
                    if game.is_over:
                        self.start_one(game, self.variant)
                    before = board.score(&game.state.points, self.seat)
                    if not game.state.is_over:
                        board.apply_action(
                            &game.state, board.sample_action(&game.state, &rng.state)
                        )
                        self.finish_turn(game)
                    rewards[step, i] = self.reward_of(&game.state, before)
                    is_over[step, i] = game.is_over = game.state.is_over
                if game.is_over:
                    self.start_one(game, self.variant)

    # --- One game ---

    cdef void start_one(self, Game* game, Variant variant) noexcept nogil:
        variant.start(&game.state, &game.rng)
        self.finish_turn(game)
        game.is_over = False

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
