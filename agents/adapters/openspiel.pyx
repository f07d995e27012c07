# distutils: extra_compile_args = -O1
"""Games of OpenSpiel as forward models.

Reference: Lanctot et al. (2019), "OpenSpiel: a framework for reinforcement learning in games".
"""

import operator

cimport cython

import numpy as np

from libc.stdint cimport int32_t, uint64_t

from agents.forward_model cimport CHANCE, NO_PLAYER, TERMINAL, ForwardModel
from agents.rng cimport rng_below, rng_t

from agents.adapters.spiel import loaded, planes, pyspiel


cdef enum:
    NUM_SEEDS = 2147483647   # OpenSpiel's seeds are C integers

cdef object play_out = pyspiel.evaluate_bots
cdef object random_bot = pyspiel.make_uniform_random_bot


@cython.final
cdef class OpenSpielModel(ForwardModel):
    """A position of a game of OpenSpiel.

    The game is sequential, with perfect information and explicit chance nodes. A rollout is one call, which
    plays in C++; the tree needs a few calls of OpenSpiel for each of its moves.

    `returns` holds the returns so far also before the end. They are the heuristic "returns", too, which
    is 0 until the end in games without intermediate rewards. Positions are equal if OpenSpiel writes the
    same text for them, which in most games holds all moves. Observations are OpenSpiel's tensors as
    planes: see `agents.adapters.spiel.planes`.

    Args:
        game: The name of a game, with its parameters: "hex(board_size=7)". Or a ``pyspiel.Game``, or a
            ``pyspiel.State``, of which the model takes a copy.
        position: The text of a position of the game, from ``pyspiel.State.serialize``; None for the start.

    Raises:
        TypeError: If `game` is none of these.
        ValueError: If OpenSpiel does not know the game, a parameter or the position; or if the game is not
            sequential, hides information, or has random events that are no chance nodes.
    """

    heuristics = ("returns",)

    cdef readonly object game    # pyspiel.Game
    cdef readonly object state   # pyspiel.State, of this model alone
    # OpenSpiel's random players. Their generators take a third of a short rollout to seed, so the copies of
    # planners, made anew for each search, keep them; other models draw new ones for each rollout.
    cdef list bots

    def __cinit__(self, *args, **kwargs):
        self.needs_gil = True

    def __init__(self, game: Any, position: str | None = None):
        self.game, self.state = loaded(game, position)
        self.num_players = self.game.num_players()
        self.max_legal_actions = self.game.num_distinct_actions()
        self.max_chance_outcomes = self.game.max_chance_outcomes()
        self.num_actions = max(self.max_legal_actions, self.max_chance_outcomes)

    # --- The contract ---

    cdef int c_current_player(self) except? NO_PLAYER with gil:
        cdef int player = self.state.current_player()
        if player not in (CHANCE, TERMINAL) and not 0 <= player < self.num_players:
            raise ValueError(f"{self.game} has the current player {player}, which is none of its players")
        return player

    cdef int c_legal_actions(self, int32_t* actions) except -1 with gil:
        cdef int count = 0
        for action in self.state.legal_actions():
            if count == self.max_legal_actions:
                raise ValueError(f"{self.game} has more legal actions than its {count} distinct actions")
            actions[count] = self.checked(action)
            count += 1
        if count == 0:
            raise ValueError(f"{self.game} has no legal action although a player is to move")
        return count

    cdef int c_chance_outcomes(self, int32_t* outcomes, double* probabilities) except -1 with gil:
        cdef int count = 0
        for outcome, probability in sorted(self.state.chance_outcomes()):
            if not probability > 0:
                continue
            if count == self.max_chance_outcomes:
                raise ValueError(f"{self.game} has more chance outcomes than its maximum of {count}")
            outcomes[count] = self.checked(outcome)
            probabilities[count] = probability
            count += 1
        return count

    cdef int32_t checked(self, action) except -1:
        if not 0 <= action < self.num_actions:
            raise ValueError(f"{self.game} has the action {action}, outside [0, {self.num_actions})")
        return action

    cdef int c_apply_action(self, int32_t action) except -1 with gil:
        self.state.apply_action(action)
        return 0

    cdef int c_returns(self, double* returns) except -1 with gil:
        cdef int player
        values = self.state.returns()
        for player in range(self.num_players):
            returns[player] = values[player]
        return 0

    cdef int c_copy_from(self, ForwardModel source) except -1 with gil:
        self.game = (<OpenSpielModel> source).game
        self.state = (<OpenSpielModel> source).state.clone()
        return 0

    cdef int c_rollout(self, rng_t* rng) except -1 with gil:
        cdef object begin = self.state.move_number()
        if self.bots is None or not self.has_fixed_sizes:   # see `bots`
            self.bots = [random_bot(player, rng_below(rng, NUM_SEEDS)) for player in range(self.num_players)]
        play_out(self.state, self.bots, rng_below(rng, NUM_SEEDS))
        return self.state.move_number() - begin

    cdef int c_heuristic(self, int kind, double* values) except -1 nogil:
        return self.c_returns(values)

    cdef bint c_equals(self, ForwardModel other) except -1 with gil:
        return self.__reduce__() == other.__reduce__()

    cdef uint64_t c_hash(self) except? 0 with gil:
        return <uint64_t> <Py_hash_t> hash(self.state.serialize())

    # --- The position in Python ---

    def returns(self):
        """The returns of all players so far: float64[num_players]."""
        return np.array(self.state.returns())

    def observation(self, player):
        """OpenSpiel's observation tensor as planes: see `agents.adapters.spiel.planes`.

        Raises:
            NotImplementedError: If the game has no tensor.
            ValueError: If there is no such player.
        """
        self._check_player(player)
        return planes(self.state, player)

    def action_to_string(self, action):
        """An action, or at a chance node an outcome, in OpenSpiel's words.

        Raises:
            ValueError: If it is not legal here.
        """
        if not self.is_legal(action):
            raise ValueError(self._refusal(action))
        return self.state.action_to_string(operator.index(action)).strip()

    def __reduce__(self) -> tuple[Any, ...]:
        game, position = str(self.game), self.state.serialize()
        is_start = position == self.game.new_initial_state().serialize()
        return OpenSpielModel, (game,) if is_start else (game, position)

    def __repr__(self):
        return f"<OpenSpielModel: {self.game}, {self.state.move_number()} moves>"

    def __str__(self):
        return str(self.state)
