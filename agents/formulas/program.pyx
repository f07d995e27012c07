"""Tables, operations on syntax trees, and the compiling and running of programs."""

from libc.math cimport exp, fabs, floor, isnan, log, pow, sqrt
from libc.stdint cimport uint8_t, uint16_t
from libc.string cimport memcmp, memcpy


def _fill():
    cdef int count
    cdef double logarithm
    LOG[0] = SQRT_LOG[0] = SQRT_TWICE_LOG[0] = INVERSE_SQRT[0] = 0
    for count in range(1, NUM_TABLED):
        logarithm = log(count)
        LOG[count] = logarithm
        SQRT_LOG[count] = sqrt(logarithm)
        SQRT_TWICE_LOG[count] = sqrt(2 * logarithm)
        INVERSE_SQRT[count] = 1 / sqrt(count)


_fill()


# --- Syntax trees ---


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


# --- Compiling ---


# An intermediate result, during compilation, that waits for its operator.
ctypedef struct Operand:
    uint16_t register
    bint is_constant
    bint is_shared      # whether it is the same for all children; true for constants
    double value        # the value if it is a constant


# A program during compilation. Shared instructions go into the program at once; those for each child are
# appended when the number of shared ones is known.
ctypedef struct Draft:
    Program* program
    Operand stack[CAPACITY]
    int height
    int num_registers
    Instruction of_children[CAPACITY]
    int num_of_children


cdef void compile(const Syntax* syntax, Program* program) noexcept nogil:
    cdef Draft draft
    cdef int i = 0
    program.num_constants = program.num_shared = 0
    program.needs_details = program.reads_prior = False
    draft.program = program
    draft.height = draft.num_of_children = 0
    draft.num_registers = NUM_TOKENS
    while i < syntax.size:
        if syntax.tokens[i] >= CONSTANT:
            push_leaf(&draft, syntax.tokens[i], syntax.values[i])
        elif is_over_root(&draft, syntax, i):
            push_over_root(&draft)
            i += 1
        else:
            push_result(&draft, syntax.tokens[i])
        i += 1
    program.result = register_of(&draft, &draft.stack[0])
    for i in range(draft.num_of_children):
        program.instructions[program.num_shared + i] = draft.of_children[i]
    program.size = program.num_shared + draft.num_of_children


cdef void push_leaf(Draft* draft, uint8_t token, double value) noexcept nogil:
    cdef Operand* leaf = &draft.stack[draft.height]
    leaf.register = token
    leaf.is_constant = token == CONSTANT
    leaf.is_shared = leaf.is_constant or token >= PARENT_VISITS
    leaf.value = value
    draft.height += 1
    draft.program.needs_details |= token == MAXIMUM or token == DEVIATION
    draft.program.reads_prior |= token == PRIOR


cdef void push_result(Draft* draft, uint8_t operator) noexcept nogil:
    """Replaces the operands on the stack by their result: a constant, or the target of an instruction."""
    cdef int num_operands = 1 if arity(operator) == 1 else 2
    cdef Operand* left = &draft.stack[draft.height - num_operands]
    cdef Operand* right = &draft.stack[draft.height - 1]
    cdef Instruction* instruction
    draft.height -= num_operands - 1
    if left.is_constant and right.is_constant:
        left.value = applied(operator, left.value, right.value)
        return
    left.is_shared &= right.is_shared
    instruction = &draft.of_children[draft.num_of_children]
    if left.is_shared:
        instruction = &draft.program.instructions[draft.program.num_shared]
    instruction.operator = operator
    instruction.left = register_of(draft, left)
    instruction.right = register_of(draft, right)
    instruction.target = draft.num_registers
    draft.program.num_shared += left.is_shared
    draft.num_of_children += not left.is_shared
    draft.num_registers += 1
    left.register = instruction.target
    left.is_constant = False


cdef uint16_t register_of(Draft* draft, Operand* operand) noexcept nogil:
    """The register of an operand; a constant is given one."""
    cdef Constant* constant
    if operand.is_constant:
        constant = &draft.program.constants[draft.program.num_constants]
        constant.value = operand.value
        constant.target = draft.num_registers
        operand.register = draft.num_registers
        draft.program.num_constants += 1
        draft.num_registers += 1
    return operand.register


cdef bint is_over_root(const Draft* draft, const Syntax* syntax, int i) noexcept nogil:
    """Whether the next two operators compute sqrt(x / n), where x is the same for all children."""
    return (
        syntax.tokens[i] == DIVIDE
        and i + 1 < syntax.size
        and syntax.tokens[i + 1] == SQRT
        and draft.stack[draft.height - 1].register == VISITS
        and draft.stack[draft.height - 2].is_shared
    )


cdef void push_over_root(Draft* draft) noexcept nogil:
    draft.height -= 1
    push_result(draft, SQRT)   # sqrt(x)
    draft.height += 1          # n is still on the stack
    push_result(draft, OVER_ROOT)


# --- Operators ---


cdef double applied(uint8_t operator, double x, double y) noexcept nogil:
    if operator == ADD:
        return x + y
    if operator == SUBTRACT:
        return x - y
    if operator == MULTIPLY:
        return x * y
    if operator == DIVIDE:
        return divided(x, y)
    if operator == LN:
        return logarithm(x)
    if operator == SQRT:
        return sqrt(fabs(x))
    if operator == POWER:
        return power(x, y)
    if operator == MAX:
        return x if x >= y or isnan(y) else y
    if operator == MIN:
        return x if x <= y or isnan(y) else y
    if operator == EXP:
        return exp(x)
    if operator == ABS:
        return fabs(x)
    return over_root(x, y)


cdef double power(double x, double y) noexcept nogil:
    if y < 0 and fabs(x) < 0.001:
        return 1
    return pow(fabs(x) if floor(y) != y else x, y)


# --- Running ---


cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil:
    cdef Pair registers[NUM_REGISTERS]
    cdef int token
    for token in range(VALUE, NUM_TOKENS):
        fill(registers, token, variables[token])
    run_shared(program, registers)
    run(program, program.num_shared, program.size, registers)
    return registers[program.result].first
