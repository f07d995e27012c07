"""Rollout policies, which value a leaf by playing on from it."""

from agents.forward_model cimport ForwardModel
from agents.policy cimport Policy
from agents.rng cimport rng_t


cdef class RolloutPolicy(Policy):
    cdef readonly bint changes_returns   # whether it replaces the returns at the end of the game
    # Plays on in `model`, fills the returns, and returns the number of actions and outcomes applied.
    cdef int c_simulate(self, ForwardModel model, rng_t* rng, double* returns) except -1 nogil
