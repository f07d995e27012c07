"""The five functions of the published experiments, on [0, 1] and with values in [0, 1].

Source: Valdez Ameneyro (2024), "Analysing the Impacts of Dynamically Evolving Selection Policies in Monte
Carlo Tree Search Through Evolutionary Algorithms", PhD thesis, National University of Ireland Maynooth,
chapter 4; f2, f4 and f5 after Bubeck et al. (2011), "X-armed bandits", and Finnsson and Bjoernsson (2011),
"Game-tree properties and MCTS performance".
"""

from libc.math cimport fabs, isfinite, pow, sin


cdef extern from *:   # not every compiler's math.h has it
    """
    #define FOP_PI 3.14159265358979323846
    """
    const double PI "FOP_PI"


cdef enum Function:
    F1   # unimodal, the maximum 1 at 0.5
    F2   # many maxima, the highest near 0.867
    F3   # rugged on the left, smooth on the right; published without a value at 0
    F4   # deceptive: broad hills on the right, the maximum near 0.1
    F5   # like F4 with narrow peaks
    NUM_FUNCTIONS


cdef inline double function_value(int function, double x) noexcept nogil:
    if function == F1:
        return sin(PI * x)
    if function == F2:
        return 0.5 * sin(13 * x) * sin(27 * x) + 0.5
    if function == F3:
        return (0.5 if x < 0.5 else 0.35) + 0.5 * fabs(sin(inverse_fifth_power(x)))
    return 0.5 * x + (1 - 0.7 * x) * pow(sin(5 * PI * x), 4 if function == F4 else 80)


cdef inline double inverse_fifth_power(double x) noexcept nogil:
    """1 / x**5, or 1e6 where that is not finite (at 0, say), as in the published experiments."""
    cdef double value = 1 / (x * x * x * x * x) if x else 1e6
    return value if isfinite(value) else 1e6
