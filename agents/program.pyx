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


# A register: the numbers of two children.
ctypedef struct Pair:
    double first
    double second


cdef inline void run(const Program* program, int first, int end, Pair* registers) noexcept nogil:
    """Runs the instructions [first, end).

    The result of one is mostly an operand of the next, which takes it without waiting for memory.
    """
    cdef const Instruction* instruction
    cdef uint8_t operator
    cdef Pair x, y, z
    cdef int i, last = -1
    for i in range(first, end):
        instruction = &program.instructions[i]
        x = z if instruction.left == last else registers[instruction.left]
        y = z if instruction.right == last else registers[instruction.right]
        operator = instruction.operator
        if operator == ADD:
            z.first, z.second = x.first + y.first, x.second + y.second
        elif operator == SUBTRACT:
            z.first, z.second = x.first - y.first, x.second - y.second
        elif operator == MULTIPLY:
            z.first, z.second = x.first * y.first, x.second * y.second
        elif operator == DIVIDE:
            z.first, z.second = divided(x.first, y.first), divided(x.second, y.second)
        elif operator == SQRT:
            z.first, z.second = sqrt(fabs(x.first)), sqrt(fabs(x.second))
        elif operator == LN:
            z.first = logarithm(x.first)
            z.second = z.first if x.second == x.first else logarithm(x.second)
        else:
            z.first, z.second = over_root(x.first, y.first), over_root(x.second, y.second)
        last = instruction.target
        registers[last] = z


cdef inline void fill(Pair* registers, int register, double value) noexcept nogil:
    registers[register].first = registers[register].second = value


cdef inline void run_shared(const Program* program, Pair* registers) noexcept nogil:
    """Fills the constants and runs what is the same for all children, whose variables are filled."""
    cdef int i
    for i in range(program.num_constants):
        fill(registers, program.constants[i].target, program.constants[i].value)
    run(program, 0, program.num_shared, registers)


cdef void evaluate(
    const Program* program, Tree tree, uint32_t parent, int depth, double sign, double* values
) noexcept nogil:
    cdef const Node* node = &tree.nodes[parent]
    cdef uint32_t child = node.first_child, end = node.first_child + node.num_children
    cdef uint32_t other
    cdef Pair registers[NUM_REGISTERS]
    fill(registers, PARENT_VISITS, node.visits)
    fill(registers, BRANCHING, node.num_children)
    fill(registers, DEPTH, depth)
    run_shared(program, registers)
    while child < end:
        other = child + (child + 1 < end)
        registers[VALUE].first = sign * tree.nodes[child].mean
        registers[VALUE].second = sign * tree.nodes[other].mean
        registers[VISITS].first = tree.nodes[child].visits
        registers[VISITS].second = tree.nodes[other].visits
        if program.needs_details:
            fill_details(tree, child, other, registers)
        run(program, program.num_shared, program.size, registers)
        values[0] = sign * registers[program.result].first
        if other != child:
            values[1] = sign * registers[program.result].second
        values += 2
        child += 2


cdef void fill_details(Tree tree, uint32_t child, uint32_t other, Pair* registers) noexcept nogil:
    cdef const Detail* detail = &tree.details[child]
    registers[MAXIMUM].first = detail.maximum
    registers[DEVIATION].first = sqrt(detail.squares / detail.count)
    detail = &tree.details[other]
    registers[MAXIMUM].second = detail.maximum
    registers[DEVIATION].second = sqrt(detail.squares / detail.count)


cdef double evaluate_one(const Program* program, const double* variables) noexcept nogil:
    cdef Pair registers[NUM_REGISTERS]
    cdef int token
    for token in range(VALUE, NUM_TOKENS):
        fill(registers, token, variables[token])
    run_shared(program, registers)
    run(program, program.num_shared, program.size, registers)
    return registers[program.result].first
