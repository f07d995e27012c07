"""Further tree policies: bandit rules, heuristics, RAVE and PUCT."""

from agents.mcts.policies cimport TreePolicy


cdef class UCB1Tuned(TreePolicy):
    cdef readonly double c
    cdef readonly double scale


cdef class EpsilonGreedy(TreePolicy):
    cdef readonly double epsilon
    cdef readonly bint is_decaying


cdef class Boltzmann(TreePolicy):
    cdef readonly double temperature


cdef class HeuristicPolicy(TreePolicy):
    pass


cdef class RAVE(TreePolicy):
    cdef readonly double c
    cdef readonly double equivalence   # k


cdef class PUCT(TreePolicy):
    cdef readonly double c
