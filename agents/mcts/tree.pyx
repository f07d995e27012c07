# distutils: extra_compile_args = -O1
"""The search tree, with its nodes as a table, its statistics and its principal variation."""

import math
import zlib
from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.stdint cimport int8_t, int32_t, uint16_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from agents.checks import check_choice, check_count
from agents.forward_model cimport TERMINAL, data_of


MAX_COUNT: int = 2**62

cdef enum:
    CHECK_INTERVAL = 1 << 16   # nodes copied between two looks at signals


class TreeStatistics(NamedTuple):
    """Shape of a search tree.

    Attributes:
        num_nodes: Nodes, the root included.
        num_leaves: Nodes without children.
        expansion_rate: Nodes added per iteration; nodes reused from an earlier search do not count.
        terminal_states: Terminal nodes.
        leaf_depth: Mean and standard deviation of the depth over the leaves, in edges from the root,
            chance outcomes included.
        max_depth: Depth of the deepest node.
        most_visited_result: Value, for the searching player, of the position at the end of the principal
            variation: the return if the game is over there, else the value by the model's first
            heuristic, NaN if it has none. (Valdez Ameneyro, 2024, takes the true value.)
    """

    num_nodes: int
    num_leaves: int
    expansion_rate: float
    terminal_states: int
    leaf_depth: tuple[float, float]
    max_depth: int
    most_visited_result: float


NODE_DTYPE: np.dtype[np.void] = np.dtype(
    [
        ("parent", np.int32),
        ("depth", np.int32),
        ("player", np.int8),
        ("action", np.int32),
        ("visits", np.uint32),
        ("mean", np.float64),
        ("probability", np.float64),
        ("num_children", np.uint16),
        ("birth", np.uint32),
    ]
)


cdef packed struct Row:
    # The same in C
    int32_t parent
    int32_t depth
    int8_t player
    int32_t action
    uint32_t visits
    double mean
    double probability
    uint16_t num_children
    uint32_t birth


assert NODE_DTYPE.itemsize == sizeof(Row)


cdef class Tree:
    """The nodes of a search. `table`, `statistics` and `principal_variation` read them.

    They raise RuntimeError while a search in another thread adds nodes without the GIL.

    Attributes:
        num_nodes: Nodes, the root included.
    """

    def __cinit__(self, bint has_details=False, bint has_priors=False):
        memset(self.free_blocks, 0, sizeof(self.free_blocks))
        self.has_details = has_details
        self.has_priors = has_priors
        self.num_slots = self.num_nodes = self.num_kept = 1
        self.reserve_nodes(64)
        self.clear(0, -1, 1, 0)

    def __dealloc__(self):
        free(self.nodes)
        free(self.probabilities)
        free(self.births)
        free(self.details)
        free(self.actions)
        free(self.priors)
        free(self.returns)

    cdef uint32_t add_child(
        self, uint32_t parent, int32_t action, double probability, uint32_t birth
    ) except 0 nogil:
        cdef Node* node = &self.nodes[parent]
        cdef int count = node.num_children
        cdef uint32_t block
        if count == 0xFFFF:
            raise ValueError("a position has more than 65535 actions or outcomes, trees take no more")
        if count & (count - 1) == 0 and count != 1:   # no room left
            block = self.allocate(count + 1)
            node = &self.nodes[parent]
            if count:
                self.move(block, self, node.first_child, count)
                self.release(node.first_child, count)
            node.first_child = block
        node.num_children = count + 1
        self.num_nodes += 1
        self.clear(node.first_child + count, action, probability, birth)
        return node.first_child + count

    cdef void clear(
        self, uint32_t node, int32_t action, double probability, uint32_t birth
    ) noexcept nogil:
        memset(&self.nodes[node], 0, sizeof(Node))
        self.nodes[node].action = action
        self.probabilities[node] = probability
        self.births[node] = birth
        if self.has_details:
            memset(&self.details[node], 0, sizeof(Detail))
            self.details[node].maximum = -INFINITY

    cdef void move(self, uint32_t target, Tree source, uint32_t first, int count) noexcept nogil:
        memcpy(&self.nodes[target], &source.nodes[first], count * sizeof(Node))
        memcpy(&self.probabilities[target], &source.probabilities[first], count * sizeof(double))
        memcpy(&self.births[target], &source.births[first], count * sizeof(uint32_t))
        if self.has_details:
            memcpy(&self.details[target], &source.details[first], count * sizeof(Detail))

    cdef void note_return(self, uint32_t node, double value) noexcept nogil:
        cdef Detail* detail = &self.details[node]
        cdef double deviation = value - detail.mean
        detail.count += 1
        detail.mean += deviation / detail.count
        detail.squares += deviation * (value - detail.mean)
        detail.maximum = max(detail.maximum, value)

    cdef Tree copied(self):
        """An independent tree with the same nodes at the same indices."""
        cdef Tree tree = Tree(self.has_details, self.has_priors)
        tree.reserve_nodes(self.max_slots)
        tree.move(0, self, 0, self.num_slots)
        memcpy(tree.free_blocks, self.free_blocks, sizeof(self.free_blocks))
        tree.num_slots = self.num_slots
        tree.num_nodes = self.num_nodes
        tree.num_kept = self.num_kept
        tree.kept_visits = self.kept_visits
        if self.num_actions:
            tree.reserve_actions(self.num_actions)
            memcpy(tree.actions, self.actions, self.num_actions * sizeof(int32_t))
        if self.num_actions and self.has_priors:
            memcpy(tree.priors, self.priors, self.num_actions * sizeof(double))
        if self.num_returns:
            tree.reserve_returns(self.num_returns)
            memcpy(tree.returns, self.returns, self.num_returns * sizeof(double))
        return tree

    cdef Tree subtree(self, uint32_t root, int num_players):
        cdef Tree tree = Tree(self.has_details, self.has_priors)
        with nogil:
            tree.take(0, self, root, 1)
            tree.take_below(self, num_players)
        tree.num_kept = tree.num_nodes
        tree.kept_visits = tree.nodes[0].visits
        return tree

    cdef int take_below(self, Tree source, int num_players) except -1 nogil:
        cdef uint32_t row = 0, block
        cdef int count
        while row < self.num_slots:
            if row % CHECK_INTERVAL == 0:
                with gil:
                    PyErr_CheckSignals()
            self.take_payload(row, source, num_players)
            count = self.nodes[row].num_children
            if count:
                block = self.allocate(count)   # at the end: a new tree has no free blocks
                memset(&self.nodes[block], 0, (self.num_slots - block) * sizeof(Node))
                self.take(block, source, self.nodes[row].first_child, count)
                self.nodes[row].first_child = block
                self.num_nodes += count
            row += 1
        return 0

    cdef void take(self, uint32_t target, Tree source, uint32_t first, int count) noexcept nogil:
        """Copies adjacent nodes; in the copy they were added before the first iteration."""
        self.move(target, source, first, count)
        memset(&self.births[target], 0, count * sizeof(uint32_t))

    cdef int take_payload(self, uint32_t row, Tree source, int num_players) except -1 nogil:
        """Copies the list of actions, or the returns, that belong to a node."""
        cdef Node* node = &self.nodes[row]
        cdef uint32_t first = node.payload
        if not node.is_listed:
            return 0
        if node.player != TERMINAL and node.num_untried == 0:
            node.payload = 0
        elif node.player == TERMINAL:
            node.payload = self.reserve_returns(num_players)
            memcpy(self.returns + node.payload, source.returns + first, num_players * sizeof(double))
        else:
            node.payload = self.reserve_actions(node.num_untried)
            memcpy(self.actions + node.payload, source.actions + first, node.num_untried * sizeof(int32_t))
            if self.has_priors:
                memcpy(self.priors + node.payload, source.priors + first, node.num_untried * sizeof(double))
        return 0

    cdef uint32_t allocate(self, int count) except 0 nogil:
        cdef int size_class = size_class_of(count)
        cdef uint32_t block = self.free_blocks[size_class]
        cdef size_t needed
        if block:
            self.free_blocks[size_class] = self.nodes[block].first_child
            return block
        block = self.num_slots
        needed = <size_t> block + (<size_t> 1 << size_class)
        if needed > self.max_slots:
            check_index(needed)
            self.reserve_nodes(2 * needed)
        self.num_slots = needed
        return block

    cdef void release(self, uint32_t block, int count) noexcept nogil:
        cdef int size_class = size_class_of(count)
        self.nodes[block].first_child = self.free_blocks[size_class]
        self.free_blocks[size_class] = block

    cdef int reserve_nodes(self, size_t count) except -1 nogil:
        self.nodes = <Node*> grown(self.nodes, count * sizeof(Node))
        self.probabilities = <double*> grown(self.probabilities, count * sizeof(double))
        self.births = <uint32_t*> grown(self.births, count * sizeof(uint32_t))
        if self.has_details:
            self.details = <Detail*> grown(self.details, count * sizeof(Detail))
        self.max_slots = count
        return 0

    cdef uint32_t reserve_actions(self, size_t count) except? 0xFFFFFFFF nogil:
        cdef size_t first = self.num_actions
        if first + count > self.max_actions:
            check_index(first + count)
            self.actions = <int32_t*> grown(self.actions, 2 * (first + count) * sizeof(int32_t))
            if self.has_priors:
                self.priors = <double*> grown(self.priors, 2 * (first + count) * sizeof(double))
            self.max_actions = 2 * (first + count)
        self.num_actions = first + count
        return first

    cdef uint32_t reserve_returns(self, size_t count) except? 0xFFFFFFFF nogil:
        cdef size_t first = self.num_returns
        if first + count > self.max_returns:
            check_index(first + count)
            self.returns = <double*> grown(self.returns, 2 * (first + count) * sizeof(double))
            self.max_returns = 2 * (first + count)
        self.num_returns = first + count
        return first

    cdef uint32_t child(self, uint32_t parent, int32_t action) noexcept nogil:
        cdef uint32_t first = self.nodes[parent].first_child
        cdef uint32_t i
        for i in range(first, first + self.nodes[parent].num_children):
            if self.nodes[i].action == action:
                return i
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        data = self.table().tobytes()
        return _restored, (data, self.num_kept, zlib.crc32(data))

    def table(self) -> NDArray[Any]:
        """All nodes, breadth first, as a structured array of `NODE_DTYPE`; row 0 is the root.

        Columns: row of the parent (-1 for the root), depth in edges, player to move (`CHANCE` and
        `TERMINAL` as in forward models), action or outcome that leads to the node (-1 for the root), visits,
        mean return of the player who decided last before the node (at the root: of the searching
        player), probability of that outcome (of an action: its prior probability if an evaluator gave
        priors, else 1), number of children, and the iteration, from 0, in which the node was added.
        """
        check_idle(self)
        rows = np.empty(self.num_nodes, dtype=NODE_DTYPE)
        slots = np.zeros(self.num_nodes, dtype=np.uint32)
        cdef Row* row = <Row*> data_of(rows)
        cdef uint32_t* slot = <uint32_t*> data_of(slots)
        cdef uint32_t end = 1, i, k
        cdef const Node* node
        row[0].parent, row[0].depth = -1, 0
        for i in range(self.num_nodes):
            node = &self.nodes[slot[i]]
            row[i].player = node.player
            row[i].action = node.action
            row[i].visits = node.visits
            row[i].mean = node.mean
            row[i].probability = self.probabilities[slot[i]]
            row[i].num_children = node.num_children
            row[i].birth = self.births[slot[i]]
            for k in range(node.num_children):
                slot[end] = node.first_child + k
                row[end].parent, row[end].depth = i, row[i].depth + 1
                end += 1
        return rows

    def statistics(self, iterations: int, most_visited_result: float = math.nan) -> TreeStatistics:
        """The `TreeStatistics` after a number of iterations, 1 or more; the last field is passed through."""
        iterations = check_count("iterations", iterations, 1, MAX_COUNT)
        rows = self.table()
        depths = rows["depth"][rows["num_children"] == 0].astype(np.float64)
        return TreeStatistics(
            num_nodes=int(self.num_nodes),
            num_leaves=len(depths),
            expansion_rate=int(self.num_nodes - self.num_kept) / iterations,
            terminal_states=int((rows["player"] == TERMINAL).sum()),
            leaf_depth=(float(depths.mean()), float(depths.std())),
            max_depth=int(rows["depth"][-1]),
            most_visited_result=most_visited_result,
        )

    def principal_variation(self, first: Sequence[int] = (), *, by: str = "visits") -> list[tuple[int, int]]:
        """The line of most visited children from the root; on ties the child added first.

        Args:
            first: The actions to begin with, as far as there are children for them.
            by: "visits", or "mean" for the line of children with the highest means.

        Returns:
            A list of (player, action), with `CHANCE` as the player of chance outcomes.
        """
        check_choice("by", by, ("visits", "mean"))
        check_idle(self)
        line = []
        cdef bint by_mean = by == "mean"
        cdef Node* node = &self.nodes[0]
        cdef Node* best
        cdef Node* child
        cdef uint32_t i
        while node.num_children:
            best = &self.nodes[node.first_child]
            for i in range(1, node.num_children):
                child = &self.nodes[node.first_child + i]
                if child.mean > best.mean if by_mean else child.visits > best.visits:
                    best = child
            for i in range(node.num_children if len(line) < len(first) else 0):
                if self.nodes[node.first_child + i].action == first[len(line)]:
                    best = &self.nodes[node.first_child + i]
            line.append((node.player, best.action))
            node = best
        return line


def _restored(bytes data, num_kept, checksum):
    """A tree from the table in a pickle; it can be read, but no search can go on with it."""
    cdef Tree tree = Tree.__new__(Tree)
    rows = np.frombuffer(data, NODE_DTYPE)
    if zlib.crc32(data) != checksum or not 1 <= num_kept <= len(rows) or not _is_tree(rows):
        raise ValueError("the pickle of a search tree is damaged")
    cdef const Row* row = <const Row*> PyBytes_AS_STRING(data)
    cdef uint32_t i, end = 1, count = len(rows)
    cdef Node* node
    tree.num_nodes = tree.num_slots = count
    tree.num_kept = num_kept
    tree.reserve_nodes(count)
    for i in range(count):   # breadth first, the children of each node lie side by side
        tree.clear(i, row[i].action, row[i].probability, row[i].birth)
        node = &tree.nodes[i]
        node.player = row[i].player
        node.visits = row[i].visits
        node.mean = row[i].mean
        node.num_children = row[i].num_children
        node.first_child = end
        end += row[i].num_children
    return tree


def _is_tree(rows):
    """Whether the rows, at least one, are nodes in breadth-first order."""
    parents, index = rows["parent"][1:], np.arange(1, len(rows))
    return (
        ((parents >= 0) & (parents < index)).all()
        and (np.diff(parents) >= 0).all()
        and np.array_equal(np.bincount(parents, minlength=len(rows)), rows["num_children"])
    )


cdef int check_idle(Tree tree) except -1:
    """Raises RuntimeError while a search in another thread moves the nodes."""
    if tree.is_growing:
        raise RuntimeError("the search goes on in another thread: read its tree in `watch`, or at its end")
    return 0


cdef inline int size_class_of(int count) noexcept nogil:
    """The class of the smallest blocks with room for so many nodes: they have 2 ** class nodes."""
    cdef int size_class = 1
    while 1 << size_class < count:
        size_class += 1
    return size_class


cdef int check_index(size_t size) except -1 nogil:
    if size > 0x7FFFFFFF:
        raise MemoryError("the search tree is too large for its 32-bit indices: set max_nodes")
    return 0


cdef void* grown(void* memory, size_t size) except NULL nogil:
    cdef void* larger = realloc(memory, size)
    if larger == NULL:
        with gil:
            raise MemoryError(f"no memory for {size} bytes of the search tree: set max_nodes")
    return larger
