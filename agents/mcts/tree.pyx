"""The search tree and what can be read from it: its nodes as a table, its statistics, its main line."""

import math
from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from agents.forward_model cimport TERMINAL


class TreeStatistics(NamedTuple):
    """Shape of a search tree.

    Attributes:
        num_nodes: Nodes, the root included.
        num_leaves: Nodes without children.
        expansion_rate: Nodes added an iteration.
        terminal_states: Terminal nodes.
        leaf_depth: Mean and standard deviation of the depth over the leaves, in edges from the root,
            chance outcomes included.
        max_depth: Depth of the deepest node.
        most_visited_result: Value, to the searching player, of the position at the end of the line of
            most visited children: the return at the end of the game, before it the estimate of the
            model's first heuristic, NaN if it has none. (Valdez Ameneyro, 2024: the true value there.)
    """

    num_nodes: int
    num_leaves: int
    expansion_rate: float
    terminal_states: int
    leaf_depth: tuple[float, float]
    max_depth: int
    most_visited_result: float


NODE_DTYPE = np.dtype(
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


cdef class Tree:
    """The nodes of a search, to be read through `table`, `statistics` and `principal_variation`.

    Attributes:
        num_nodes: Nodes, the root included.
    """

    def __cinit__(self, bint has_details=False):
        memset(self.free_blocks, 0, sizeof(self.free_blocks))
        self.has_details = has_details
        self.num_slots = self.num_nodes = 1
        self.reserve_nodes(64)
        self.clear(0, -1, 1, 0)

    def __dealloc__(self):
        free(self.nodes)
        free(self.probabilities)
        free(self.births)
        free(self.details)
        free(self.actions)
        free(self.returns)

    cdef uint32_t add_child(
        self, uint32_t parent, int32_t action, double probability, uint32_t birth
    ) except 0 nogil:
        cdef Node* node = &self.nodes[parent]
        cdef int count = node.num_children
        cdef int size_class = 1
        cdef uint32_t block
        if count == 0xFFFF:
            raise ValueError("a position has more than 65535 actions or outcomes, trees take no more")
        if count & (count - 1) == 0 and count != 1:   # no room left
            while 1 << size_class <= count:
                size_class += 1
            block = self.allocate(size_class)
            node = &self.nodes[parent]
            if count:
                self.move(block, node.first_child, count)
                self.nodes[node.first_child].first_child = self.free_blocks[size_class - 1]
                self.free_blocks[size_class - 1] = node.first_child
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

    cdef void move(self, uint32_t target, uint32_t source, int count) noexcept nogil:
        memcpy(&self.nodes[target], &self.nodes[source], count * sizeof(Node))
        memcpy(&self.probabilities[target], &self.probabilities[source], count * sizeof(double))
        memcpy(&self.births[target], &self.births[source], count * sizeof(uint32_t))
        if self.has_details:
            memcpy(&self.details[target], &self.details[source], count * sizeof(Detail))

    cdef void note_return(self, uint32_t node, double value) noexcept nogil:
        cdef Detail* detail = &self.details[node]
        cdef double deviation = value - detail.mean
        detail.count += 1
        detail.mean += deviation / detail.count
        detail.squares += deviation * (value - detail.mean)
        detail.maximum = max(detail.maximum, value)

    cdef Tree copied(self):
        """A tree of its own, with the same nodes at the same indices."""
        cdef Tree tree = Tree(self.has_details)
        tree.reserve_nodes(self.max_slots)
        memcpy(tree.nodes, self.nodes, self.num_slots * sizeof(Node))
        memcpy(tree.probabilities, self.probabilities, self.num_slots * sizeof(double))
        memcpy(tree.births, self.births, self.num_slots * sizeof(uint32_t))
        if self.has_details:
            memcpy(tree.details, self.details, self.num_slots * sizeof(Detail))
        memcpy(tree.free_blocks, self.free_blocks, sizeof(self.free_blocks))
        tree.num_slots = self.num_slots
        tree.num_nodes = self.num_nodes
        if self.num_actions:
            tree.reserve_actions(self.num_actions)
            memcpy(tree.actions, self.actions, self.num_actions * sizeof(int32_t))
        if self.num_returns:
            tree.reserve_returns(self.num_returns)
            memcpy(tree.returns, self.returns, self.num_returns * sizeof(double))
        return tree

    cdef Tree subtree(self, uint32_t root, int num_players):
        cdef Tree tree = Tree(self.has_details)
        cdef uint32_t i, source, target
        cdef Node* node
        cdef int size_class
        sources = [root]   # of the nodes that are not copied yet, and what they become
        targets = [0]
        while sources:
            source, target = sources.pop(), targets.pop()
            self.copy_node(tree, source, target, num_players)
            node = &self.nodes[source]
            if node.num_children == 0:
                continue
            size_class = 1
            while 1 << size_class < node.num_children:
                size_class += 1
            i = tree.allocate(size_class)
            tree.nodes[target].first_child = i
            tree.num_nodes += node.num_children
            sources.extend(range(node.first_child, node.first_child + node.num_children))
            targets.extend(range(i, i + node.num_children))
        return tree

    cdef int copy_node(self, Tree tree, uint32_t source, uint32_t target, int num_players) except -1:
        """Copies a node without its children; its list of actions or returns goes with it."""
        cdef Node* node = &tree.nodes[target]
        node[0] = self.nodes[source]
        node.first_child = 0
        tree.probabilities[target] = self.probabilities[source]
        tree.births[target] = 0
        if self.has_details:
            tree.details[target] = self.details[source]
            tree.details[target].last = 0
        if not node.is_listed:
            return 0
        if node.player != TERMINAL and node.num_untried == 0:
            node.payload = 0
        elif node.player == TERMINAL:
            node.payload = tree.reserve_returns(num_players)
            memcpy(
                tree.returns + node.payload,
                self.returns + self.nodes[source].payload,
                num_players * sizeof(double),
            )
        else:
            node.payload = tree.reserve_actions(node.num_untried)
            memcpy(
                tree.actions + node.payload,
                self.actions + self.nodes[source].payload,
                node.num_untried * sizeof(int32_t),
            )
        return 0

    cdef uint32_t allocate(self, int size_class) except 0 nogil:
        """Index of a block of 2 ** size_class nodes."""
        cdef uint32_t block = self.free_blocks[size_class]
        cdef size_t needed
        if block:
            self.free_blocks[size_class] = self.nodes[block].first_child
            return block
        block = self.num_slots
        needed = <size_t> block + (1 << size_class)
        if needed > self.max_slots:
            check_index(needed)
            self.reserve_nodes(2 * needed)
        self.num_slots = needed
        return block

    cdef int reserve_nodes(self, size_t count) except -1 nogil:
        self.nodes = <Node*> grown(self.nodes, count * sizeof(Node))
        self.probabilities = <double*> grown(self.probabilities, count * sizeof(double))
        self.births = <uint32_t*> grown(self.births, count * sizeof(uint32_t))
        if self.has_details:
            self.details = <Detail*> grown(self.details, count * sizeof(Detail))
        self.max_slots = count
        return 0

    cdef uint32_t reserve_actions(self, int count) except? 0xFFFFFFFF nogil:
        cdef size_t first = self.num_actions
        if first + count > self.max_actions:
            check_index(first + count)
            self.actions = <int32_t*> grown(self.actions, 2 * (first + count) * sizeof(int32_t))
            self.max_actions = 2 * (first + count)
        self.num_actions = first + count
        return first

    cdef uint32_t reserve_returns(self, int count) except? 0xFFFFFFFF nogil:
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

    def __reduce__(self):
        is_used = np.zeros((self.num_slots, 1), dtype=np.uint8)
        is_used[np.asarray(self.breadth_first()[0])] = 1
        columns = [
            PyBytes_FromStringAndSize(<char*> self.nodes, self.num_slots * sizeof(Node)),
            PyBytes_FromStringAndSize(<char*> self.probabilities, self.num_slots * sizeof(double)),
            PyBytes_FromStringAndSize(<char*> self.births, self.num_slots * sizeof(uint32_t)),
        ]
        rows = [np.frombuffer(column, np.uint8).reshape(self.num_slots, -1) for column in columns]
        return _restored, (self.num_nodes, *[(row * is_used).tobytes() for row in rows])

    cdef tuple breadth_first(self):
        cdef uint32_t[::1] indices = np.zeros(self.num_nodes, dtype=np.uint32)
        cdef int32_t[::1] parents = np.full(self.num_nodes, -1, dtype=np.int32)
        cdef uint32_t end = 1, row, i
        cdef Node* node
        for row in range(self.num_nodes):
            node = &self.nodes[indices[row]]
            for i in range(node.num_children):
                indices[end] = node.first_child + i
                parents[end] = row
                end += 1
        return indices, parents

    def table(self):
        """All nodes, breadth first, as a structured array of `NODE_DTYPE`; row 0 is the root.

        Columns: row of the parent (-1 for the root), depth in edges, player to move (`CHANCE` and
        `TERMINAL` as in forward models), action or outcome that leads here (-1 for the root), visits,
        mean return of the player who decided last before the node (at the root: of the searching
        player), probability of the chance outcome that leads here (1 elsewhere), number of children,
        and the iteration, from 0, in which the node was added.
        """
        rows = np.empty(self.num_nodes, dtype=NODE_DTYPE)
        cdef uint32_t[::1] indices
        cdef int32_t[::1] parents
        indices, parents = self.breadth_first()
        picks = np.asarray(indices)
        pool = np.asarray(<Node[: self.num_slots]> self.nodes)[picks]
        for name in ("player", "action", "visits", "mean", "num_children"):
            rows[name] = pool[name]
        rows["parent"] = parents
        rows["depth"] = self.depths(parents)
        rows["probability"] = np.asarray(<double[: self.num_slots]> self.probabilities)[picks]
        rows["birth"] = np.asarray(<uint32_t[: self.num_slots]> self.births)[picks]
        return rows

    cdef int32_t[::1] depths(self, int32_t[::1] parents):
        """The depth of each row of `breadth_first`."""
        cdef int32_t[::1] depths = np.zeros(self.num_nodes, dtype=np.int32)
        cdef uint32_t row
        for row in range(1, self.num_nodes):
            depths[row] = depths[parents[row]] + 1
        return depths

    def statistics(self, iterations, most_visited_result=math.nan):
        """`TreeStatistics` after so many iterations (1 or more); the last value is not the tree's."""
        _check_positive("iterations", iterations)
        cdef uint32_t[::1] indices
        cdef int32_t[::1] parents
        cdef uint32_t row, num_leaves = 0, num_terminals = 0
        cdef double mean = 0, variance = 0
        indices, parents = self.breadth_first()
        cdef int32_t[::1] depths = self.depths(parents)
        for row in range(self.num_nodes):
            num_terminals += self.nodes[indices[row]].player == TERMINAL
            if self.nodes[indices[row]].num_children == 0:
                num_leaves += 1
                mean += depths[row]
        mean /= num_leaves
        for row in range(self.num_nodes):
            if self.nodes[indices[row]].num_children == 0:
                variance += (depths[row] - mean) * (depths[row] - mean) / num_leaves
        return TreeStatistics(
            num_nodes=int(self.num_nodes),
            num_leaves=num_leaves,
            expansion_rate=(self.num_nodes - 1) / iterations,
            terminal_states=num_terminals,
            leaf_depth=(mean, math.sqrt(variance)),
            max_depth=depths[self.num_nodes - 1],
            most_visited_result=most_visited_result,
        )

    def location_histogram(self, num_actions, iterations, bins=128, phases=3):
        """Where the nodes lie on the line, counted by the phase of the search that added them.

        See `SearchResult.location_histogram`.

        Args:
            num_actions: Of the game searched.
            iterations: Iterations done.
            bins: Equal parts of [0, 1], 1 or more.
            phases: Equal parts of the search, 1 or more.
        """
        _check_positive("num_actions", num_actions)
        _check_positive("iterations", iterations)
        _check_positive("bins", bins)
        _check_positive("phases", phases)
        counts = np.zeros((phases, bins), dtype=np.int64)
        cdef int64_t[:, ::1] cells = counts
        cdef double[::1] left = np.zeros(self.num_nodes), width = np.ones(self.num_nodes)
        cdef uint32_t[::1] indices
        cdef int32_t[::1] parents
        cdef int64_t row, num_bins = bins, num_phases = phases, num_iterations = iterations
        cdef int64_t phase, bin
        cdef double divisor = num_actions
        indices, parents = self.breadth_first()
        for row in range(self.num_nodes):
            if row:
                width[row] = width[parents[row]] / divisor
                left[row] = left[parents[row]] + self.nodes[indices[row]].action * width[row]
            phase = self.births[indices[row]] * num_phases // num_iterations
            bin = <int64_t> ((left[row] + 0.5 * width[row]) * num_bins)
            cells[min(phase, num_phases - 1), min(bin, num_bins - 1)] += 1
        return counts

    def principal_variation(self, first=None):
        """The line of most visited children from the root, first ones on ties.

        Args:
            first: The action that the line begins with, if the root has it; None for any.

        Returns:
            A list of (player, action), with `CHANCE` as the player of chance outcomes.
        """
        line = []
        cdef Node* node = &self.nodes[0]
        cdef Node* best
        cdef uint32_t i
        while node.num_children:
            best = &self.nodes[node.first_child]
            for i in range(1, node.num_children):
                if self.nodes[node.first_child + i].visits > best.visits:
                    best = &self.nodes[node.first_child + i]
            for i in range(node.num_children if first is not None and not line else 0):
                if self.nodes[node.first_child + i].action == first:
                    best = &self.nodes[node.first_child + i]
            line.append((node.player, best.action))
            node = best
        return line


def _check_positive(name, value):
    if isinstance(value, bool) or not hasattr(value, "__index__") or value < 1:
        raise ValueError(f"{name} must be an integer of at least 1, got {value!r}")


def _restored(num_nodes, bytes nodes, bytes probabilities, bytes births):
    """A pickled tree. It can be read as before, but not searched further."""
    cdef Tree tree = Tree.__new__(Tree)
    tree.num_nodes = num_nodes
    tree.num_slots = len(births) // sizeof(uint32_t)
    tree.reserve_nodes(tree.num_slots)
    memcpy(tree.nodes, PyBytes_AS_STRING(nodes), len(nodes))
    memcpy(tree.probabilities, PyBytes_AS_STRING(probabilities), len(probabilities))
    memcpy(tree.births, PyBytes_AS_STRING(births), len(births))
    return tree


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
