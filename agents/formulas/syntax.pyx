# distutils: extra_compile_args = -O1
"""Operations on syntax trees in postfix order, for evolution and compilation."""

from libc.string cimport memcmp, memcpy


cdef void append_part(Syntax* target, const Syntax* source, int first, int end) noexcept nogil:
    memcpy(target.tokens + target.size, source.tokens + first, end - first)
    memcpy(target.values + target.size, source.values + first, (end - first) * sizeof(double))
    target.size += end - first


cdef bint are_equal(const Syntax* a, const Syntax* b) noexcept nogil:
    return (
        a.size == b.size
        and memcmp(a.tokens, b.tokens, a.size) == 0
        and memcmp(a.values, b.values, a.size * sizeof(double)) == 0
    )


cdef int first_of(const Syntax* syntax, int root) noexcept nogil:
    cdef int wanted = 1   # number of operands that are still missing, going backwards
    while wanted:
        wanted += arity(syntax.tokens[root]) - 1
        root -= 1
    return root + 1


cdef int depth_of(const Syntax* syntax) noexcept nogil:
    cdef int depths[CAPACITY]   # depths of the subtrees that wait for their operator
    cdef int i, height = 0
    for i in range(syntax.size):
        if arity(syntax.tokens[i]) == 0:
            depths[height] = 0
            height += 1
        else:
            if arity(syntax.tokens[i]) == 2:
                height -= 1
                depths[height - 1] = max(depths[height - 1], depths[height])
            depths[height - 1] += 1
    return depths[0]
