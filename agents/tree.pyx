"""The search tree and what can be read from it: its nodes as a table, its statistics, its main line."""

from typing import NamedTuple

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

from agents.forward_model cimport TERMINAL


class TreeStatistics(NamedTuple):
    """Shape of a search tree.

    Attributes:
        num_nodes: Nodes, the root included.
        expansion_rate: Nodes added an iteration.
        terminal_states: Terminal nodes.
        leaf_depth: Mean and standard deviation of the depth over the leaves (nodes without
            children), in edges from the root, chance outcomes included.
        max_depth: Depth of the deepest node.
    """

    num_nodes: int
    expansion_rate: float
    terminal_states: int
    leaf_depth: tuple[float, float]
    max_depth: int


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
    ]
)


cdef class Tree:
    """The nodes of a search, to be read through `table`, `statistics` and `principal_variation`.

    Attributes:
        num_nodes: Nodes, the root included.
    """

    def __cinit__(self):
        memset(self.free_blocks, 0, sizeof(self.free_blocks))
        self.num_slots = self.num_nodes = 1
        self.max_slots = 64
        self.nodes = <Node*> grown(NULL, self.max_slots * sizeof(Node))
        clear(&self.nodes[0], -1)

    def __dealloc__(self):
        free(self.nodes)
        free(self.actions)
        free(self.returns)

    cdef uint32_t add_child(self, uint32_t parent, int32_t action) except 0 nogil:
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
                memcpy(&self.nodes[block], &self.nodes[node.first_child], count * sizeof(Node))
                self.nodes[node.first_child].first_child = self.free_blocks[size_class - 1]
                self.free_blocks[size_class - 1] = node.first_child
            node.first_child = block
        node.num_children = count + 1
        self.num_nodes += 1
        clear(&self.nodes[node.first_child + count], action)
        return node.first_child + count

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
            self.nodes = <Node*> grown(self.nodes, 2 * needed * sizeof(Node))
            self.max_slots = 2 * needed
        self.num_slots = needed
        return block

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
        nodes = PyBytes_FromStringAndSize(<char*> self.nodes, self.num_slots * sizeof(Node))
        return _restored, (nodes, self.num_nodes)

    def table(self):
        """All nodes, breadth first, as a structured array of `NODE_DTYPE`; row 0 is the root.

        Columns: row of the parent (-1 for the root), depth in edges, player to move (`CHANCE` and
        `TERMINAL` as in forward models), action or outcome that leads here (-1 for the root), visits,
        mean return of the player who decided last before the node (at the root: of the searching
        player), probability of the chance outcome that leads here (1 elsewhere), and children.
        """
        rows = np.empty(self.num_nodes, dtype=NODE_DTYPE)
        cdef uint32_t[::1] indices = np.zeros(self.num_nodes, dtype=np.uint32)
        cdef int32_t[::1] parents = np.full(self.num_nodes, -1, dtype=np.int32)
        cdef int32_t[::1] depths = np.zeros(self.num_nodes, dtype=np.int32)
        cdef uint32_t end = 1, row, i
        cdef Node* node
        for row in range(self.num_nodes):
            node = &self.nodes[indices[row]]
            for i in range(node.num_children):
                indices[end] = node.first_child + i
                parents[end] = row
                depths[end] = depths[row] + 1
                end += 1
        rows["parent"] = parents
        rows["depth"] = depths
        pool = np.asarray(<Node[: self.num_slots]> self.nodes)[np.asarray(indices)]
        for name in ("player", "action", "visits", "mean", "probability", "num_children"):
            rows[name] = pool[name]
        return rows

    def statistics(self, iterations):
        """`TreeStatistics` after so many iterations."""
        rows = self.table()
        depths = rows["depth"]
        leaf_depths = depths[rows["num_children"] == 0]
        return TreeStatistics(
            num_nodes=int(self.num_nodes),
            expansion_rate=(self.num_nodes - 1) / iterations,
            terminal_states=int(np.count_nonzero(rows["player"] == TERMINAL)),
            leaf_depth=(float(leaf_depths.mean()), float(leaf_depths.std())),
            max_depth=int(depths.max()),
        )

    def principal_variation(self):
        """The line of most visited children from the root, first ones on ties.

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
            line.append((node.player, best.action))
            node = best
        return line


def _restored(bytes nodes, num_nodes):
    """A pickled tree. It can be read as before, but not searched further."""
    cdef Tree tree = Tree.__new__(Tree)
    tree.num_nodes = num_nodes
    tree.num_slots = tree.max_slots = len(nodes) // sizeof(Node)
    tree.nodes = <Node*> grown(tree.nodes, len(nodes))
    memcpy(tree.nodes, PyBytes_AS_STRING(nodes), len(nodes))
    return tree


cdef void clear(Node* node, int32_t action) noexcept nogil:
    memset(node, 0, sizeof(Node))
    node.action = action
    node.probability = 1


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
