# distutils: extra_compile_args = -O1
"""What the players of a game in an environment are paid for steps and illegal actions."""

cimport cython
from libc.math cimport copysign
from libc.string cimport memset

from . cimport board
from .board cimport Points, State
from .model cimport CarcassonneModel

REWARDS: tuple[str, ...] = ("score", "final", "win", "virtual")


@cython.final
cdef class Account:
    """What the players of one game have been paid.

    Args:
        reward: One of `REWARDS`.
        forfeit: Points that an illegal action forfeits: as many as a player can be behind in the game; one
            player, whose score is never negative, forfeits 1.
        counted: The points of each player for which rewards have been given.
    """

    def __init__(self, reward: str, int forfeit, counted: Sequence[float] = (0.0,) * board.MAX_PLAYERS):
        self.of.reward = <Reward> <int> REWARDS.index(reward)
        self.of.forfeit = forfeit
        self.of.counted = counted

    def __reduce__(self) -> tuple[Any, ...]:
        return Account, (self.reward, self.forfeit, self.of.counted)

    @property
    def reward(self) -> str:
        """One of `REWARDS`."""
        return REWARDS[self.of.reward]

    @property
    def forfeit(self) -> int:
        """Points that an illegal action forfeits."""
        return self.of.forfeit

    def rewards(self, CarcassonneModel model not None) -> list[float]:
        """The reward of each player: points gained since the last call, or the result at the end."""
        cdef double rewards[board.MAX_PLAYERS]
        fill_rewards(&self.of, &model.state, rewards)
        return [rewards[player] for player in range(model.state.num_players)]

    def forfeited(self, CarcassonneModel model not None) -> list[float]:
        """The reward that each player would have for an illegal action."""
        return [forfeit_of(&self.of, &model.state, player) for player in range(model.state.num_players)]


cdef void fill_rewards(account_t* account, const State* state, double* rewards) noexcept nogil:
    cdef bint is_virtual = account.reward == VIRTUAL
    cdef double scores[MAX_PLAYERS]
    cdef double now
    cdef Points points
    cdef int player
    if is_virtual or account.reward == SCORE:
        points = board.virtual_points(state) if is_virtual else state.points
        for player in range(state.num_players):
            scores[player] = board.score(&points, player)
        for player in range(state.num_players):
            now = board.lead_of(state, scores, player) if is_virtual else scores[player]
            rewards[player] = now - account.counted[player]
            account.counted[player] = now
        return
    memset(rewards, 0, MAX_PLAYERS * sizeof(double))
    if state.is_over:
        board.fill_leads(state, &state.points, rewards)
    if account.reward == WIN:
        for player in range(state.num_players):
            rewards[player] = copysign(rewards[player] != 0, rewards[player])


cdef double forfeit_of(const account_t* account, const State* state, int player) noexcept nogil:
    if account.reward == VIRTUAL:
        return -account.forfeit - account.counted[player]
    if account.reward == FINAL:
        return -max(1.0, account.forfeit / <double> state.max_score)
    return -1
