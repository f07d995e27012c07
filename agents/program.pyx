"""Compiling and running formulas."""

from libc.math cimport fabs, sqrt
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from agents.syntax cimport (
    ADD,
    BRANCHING,
    CONSTANT,
    DEPTH,
    DEVIATION,
    DIVIDE,
    LN,
    MAXIMUM,
    MULTIPLY,
    PARENT_VISITS,
    SQRT,
    SUBTRACT,
    VALUE,
    VISITS,
)
from agents.tables cimport inverse_sqrt_of, log_of
from agents.tree cimport Detail, Node


# --- Compiling ---


# What is known, while compiling, of a result that waits for its operator.
ctypedef struct Operand:
    uint16_t register
    bint is_constant
    bint is_shared      # the same for all children; constants are
    double value        # of a constant


# A program on its way: instructions for each child wait until the number of shared ones is known.
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
    program.needs_details = False
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


cdef void push_result(Draft* draft, uint8_t operator) noexcept nogil:
    """Replaces the operands on the stack by their result, which is computed now or by an instruction."""
    cdef int num_operands = 1 if operator == LN or operator == SQRT else 2
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
    """The register in which an operand will be; a constant gets one."""
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
    """Whether the next two operators are sqrt(x / n), x being the same for all children."""
    return (
        syntax.tokens[i] == DIVIDE
        and i + 1 < syntax.size
        and syntax.tokens[i + 1] == SQRT
        and draft.stack[draft.height - 1].register == VISITS
        and draft.stack[draft.height - 2].is_shared
    )


cdef void push_over_root(Draft* draft) noexcept nogil:
    draft.height -= 1
    push_result(draft, SQRT)   # of x
    draft.height += 1          # n is as it was
    push_result(draft, OVER_ROOT)


# --- Operators ---


cdef inline double divided(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x / y


cdef inline double logarithm(double x) noexcept nogil:
    return 0 if x == 0 else log_of(fabs(x))


cdef inline double over_root(double x, double y) noexcept nogil:
    return 1 if fabs(y) < 0.001 else x * inverse_sqrt_of(fabs(y))


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
    return over_root(x, y)


# --- Running ---


cdef inline void put(double* pair, double first, double second) noexcept nogil:
    """Writes two lanes after both were computed, so that they can be computed together."""
    pair[0] = first
    pair[1] = second


# `lanes` is a constant wherever these are called, so that their loops are unrolled.
cdef inline void run(
    const Program* program, int first, int end, double* registers, int lanes, int num_filled
) noexcept nogil:
    """Runs the instructions [first, end) on all lanes; what is slow only on those that are filled."""
    cdef const Instruction* instruction
    cdef const double* left
    cdef const double* right
    cdef double* target
    cdef uint8_t operator
    cdef int i, k
    for i in range(first, end):
        instruction = &program.instructions[i]
        left = registers + instruction.left * lanes
        right = registers + instruction.right * lanes
        target = registers + instruction.target * lanes
        operator = instruction.operator
        if operator == ADD:
            for k in range(0, lanes, 2):
                put(&target[k], left[k] + right[k], left[k + 1] + right[k + 1])
        elif operator == SUBTRACT:
            for k in range(0, lanes, 2):
                put(&target[k], left[k] - right[k], left[k + 1] - right[k + 1])
        elif operator == MULTIPLY:
            for k in range(0, lanes, 2):
                put(&target[k], left[k] * right[k], left[k + 1] * right[k + 1])
        elif operator == DIVIDE:
            for k in range(0, lanes, 2):
                put(&target[k], divided(left[k], right[k]), divided(left[k + 1], right[k + 1]))
        elif operator == SQRT:
            for k in range(0, lanes, 2):
                put(&target[k], sqrt(fabs(left[k])), sqrt(fabs(left[k + 1])))
        else:
            for k in range(num_filled):
                target[k] = logarithm(left[k]) if operator == LN else over_root(left[k], right[k])
            for k in range(num_filled, lanes):
                target[k] = target[0]


cdef inline void fill(double* registers, int register, int lanes, double value) noexcept nogil:
    cdef int k
    for k in range(lanes):
        registers[register * lanes + k] = value


cdef inline void run_shared(const Program* program, double* registers, int lanes) noexcept nogil:
    """Fills the constants and runs what is the same for all children, whose variables are filled."""
    cdef int i
    for i in range(program.num_constants):
        fill(registers, program.constants[i].target, lanes, program.constants[i].value)
    run(program, 0, program.num_shared, registers, lanes, 1)


cdef void evaluate(
    const Program* program, Tree tree, uint32_t parent, int depth, double sign, double* values
) noexcept nogil:
    if tree.nodes[parent].num_children <= 2:
        evaluate_in(program, tree, parent, depth, sign, values, 2)
    else:
        evaluate_in(program, tree, parent, depth, sign, values, MAX_LANES)


cdef inline void evaluate_in(
    const Program* program,
    Tree tree,
    uint32_t parent,
    int depth,
    double sign,
    double* values,
    int lanes,
) noexcept nogil:
    cdef const Node* node = &tree.nodes[parent]
    cdef uint32_t child = node.first_child, end = node.first_child + node.num_children
    cdef double registers[NUM_REGISTERS * MAX_LANES]
    cdef int k, num_filled
    fill(registers, PARENT_VISITS, lanes, node.visits)
    fill(registers, BRANCHING, lanes, node.num_children)
    fill(registers, DEPTH, lanes, depth)
    run_shared(program, registers, lanes)
    while child < end:
        num_filled = min(lanes, <int> (end - child))
        for k in range(lanes):
            node = &tree.nodes[child + (k if k < num_filled else 0)]
            registers[VALUE * lanes + k] = sign * node.mean
            registers[VISITS * lanes + k] = node.visits
        if program.needs_details:
            fill_details(tree, child, num_filled, lanes, registers)
        run(program, program.num_shared, program.size, registers, lanes, num_filled)
        for k in range(num_filled):
            values[k] = sign * registers[program.result * lanes + k]
        values += num_filled
        child += num_filled


cdef void fill_details(
    Tree tree, uint32_t child, int num_filled, int lanes, double* registers
) noexcept nogil:
    cdef const Detail* detail
    cdef int k
    for k in range(lanes):
        detail = &tree.details[child + (k if k < num_filled else 0)]
        registers[MAXIMUM * lanes + k] = detail.maximum
        registers[DEVIATION * lanes + k] = sqrt(detail.squares / detail.count)


cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil:
    cdef double registers[NUM_REGISTERS * MAX_LANES]
    cdef int token
    for token in range(VALUE, NUM_TOKENS):
        fill(registers, token, 2, variables[token])
    run_shared(program, registers, 2)
    run(program, program.num_shared, program.size, registers, 2, 1)
    return registers[program.result * 2]
