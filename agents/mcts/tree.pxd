"""The search tree: one pool of compact nodes in which the children of a node lie side by side.

A node is identified by its index in the pool; 0 is the root. Children are added one by one. Their block holds
2, 4, 8, ... nodes; a full block is replaced by one of twice the size, so the index of a node stays valid only
until its parent gets a further child. Freed blocks are used again. The fields that every descent reads are
the 32 bytes of a `Node`; the others are in separate columns with the same index.
"""

cimport cython
from libc.stdint cimport int8_t, int32_t, uint8_t, uint16_t, uint32_t


ctypedef struct Node:
    double mean            # mean return of the player who decided last before this node; root: who moves
    uint32_t visits
    int32_t action         # action or chance outcome that leads here
    uint32_t first_child   # index, 0 while there is no child
    uint32_t payload       # decision: index of its list of actions; terminal: of its returns
    uint16_t num_children
    uint16_t num_untried   # decision: number of untried actions, which are at the front of its list
    int8_t player          # who moves here: a player, CHANCE or TERMINAL
    uint8_t is_listed      # whether payload is set
    uint8_t is_truncated   # chance: whether an outcome got no node because the tree was full
    uint8_t is_proven      # whether the mean is the exact value


# Statistics of a node that only some policies need, over the returns of all iterations through the node.
# Unlike its mean, they do not weight chance outcomes by their probabilities.
ctypedef struct Detail:
    double mean
    double squares         # sum of squared deviations from the mean (Welford 1962)
    double maximum
    double amaf_mean       # of the returns of iterations in which its player took its action, here or later
    double heuristic       # heuristic value of the position, for the player who decided last before it
    uint32_t count
    uint32_t amaf_count


cdef enum:
    NUM_BLOCK_SIZES = 17   # blocks of 2 .. 2 ** 16 nodes; size class 0 is not used


@cython.final
cdef class Tree:
    cdef Node* nodes
    # Probability of the chance outcome that leads to each node; of an action its prior, or 1 without priors.
    cdef double* probabilities
    cdef uint32_t* births          # the iteration, from 0, in which each node was added
    cdef Detail* details           # NULL unless the tree was made with them
    cdef bint has_details
    cdef bint has_priors           # whether actions have prior probabilities; else all are equally likely
    cdef uint32_t num_slots        # used, blocks not full included
    cdef uint32_t max_slots        # allocated
    cdef uint32_t free_blocks[NUM_BLOCK_SIZES]   # first of a list linked by first_child, 0 none
    cdef readonly uint32_t num_nodes
    cdef uint32_t num_kept         # of these, nodes from before the first iteration: the root, a reused tree
    cdef uint32_t kept_visits      # of the root, from before the first iteration
    cdef int32_t* actions          # the lists of actions of all decision nodes, one after another
    cdef double* priors            # of these actions; NULL without priors
    cdef size_t num_actions
    cdef size_t max_actions
    cdef double* returns           # first returns of terminal nodes, one after another
    cdef size_t num_returns
    cdef size_t max_returns
    cdef bint is_growing           # whether a search adds nodes without the GIL, so that nobody else may read

    # Index of a new child, zero except for its action.
    cdef uint32_t add_child(
        self, uint32_t parent, int32_t action, double probability, uint32_t birth
    ) except 0 nogil
    # Makes room for `count` more entries and returns the index of the first.
    cdef uint32_t reserve_actions(self, size_t count) except? 0xFFFFFFFF nogil
    cdef uint32_t reserve_returns(self, size_t count) except? 0xFFFFFFFF nogil
    # Index of the child that `action` leads to, or 0.
    cdef uint32_t child(self, uint32_t parent, int32_t action) noexcept nogil

    cdef void note_return(self, uint32_t node, double value) noexcept nogil   # in the details
    cdef Tree copied(self)
    # An independent tree of `root` and the nodes below; all count as added before the first iteration.
    cdef Tree subtree(self, uint32_t root, int num_players)
    # Copies all that is below nodes taken from `source`. It goes through the slots, to which it adds the
    # children that it finds: a node has the indices of `source` until its turn comes (Cheney 1970).
    cdef int take_below(self, Tree source, int num_players) except -1 nogil
    cdef void take(self, uint32_t target, Tree source, uint32_t first, int count) noexcept nogil
    cdef int take_payload(self, uint32_t row, Tree source, int num_players) except -1 nogil
    # Index of a block with room for `count` nodes.
    cdef uint32_t allocate(self, int count) except 0 nogil
    cdef void release(self, uint32_t block, int count) noexcept nogil   # frees a block for so many nodes
    cdef int reserve_nodes(self, size_t count) except -1 nogil
    cdef void clear(
        self, uint32_t node, int32_t action, double probability, uint32_t birth
    ) noexcept nogil
    cdef void move(self, uint32_t target, Tree source, uint32_t first, int count) noexcept nogil

    # The prior probabilities of the next untried action of a node and of child `i`; without priors, all
    # actions of the node have the same.
    cdef inline double prior_of_next(self, uint32_t node) noexcept nogil:
        if self.has_priors:
            return self.priors[self.nodes[node].payload + self.nodes[node].num_untried - 1]
        return 1.0 / (self.nodes[node].num_children + self.nodes[node].num_untried)

    cdef inline double prior_of_child(self, uint32_t node, int i) noexcept nogil:
        if self.has_priors:
            return self.probabilities[self.nodes[node].first_child + i]
        return 1.0 / (self.nodes[node].num_children + self.nodes[node].num_untried)


cdef inline double variance_of(const Detail* detail) noexcept nogil:
    """Of the returns; 0 for a leaf that waits for its first value."""
    return detail.squares / max(detail.count, 1)


cdef inline double weighted_mean(Tree tree, const Node* node) noexcept nogil:
    """Mean over the outcomes of a chance node seen so far, weighted by their probabilities."""
    cdef double total = 0, mass = 0
    cdef uint32_t child
    for child in range(node.first_child, node.first_child + node.num_children):
        total += tree.probabilities[child] * tree.nodes[child].mean
        mass += tree.probabilities[child]
    return total / mass


cdef inline double mean_of_children(Tree tree, uint32_t parent, double otherwise=0) noexcept nogil:
    """The mean return of the children of a node, weighted by visits; without visits `otherwise`."""
    cdef const Node* node = &tree.nodes[parent]
    cdef double total = 0, visits = 0
    cdef uint32_t i
    for i in range(node.first_child, node.first_child + node.num_children):
        total += tree.nodes[i].mean * tree.nodes[i].visits
        visits += tree.nodes[i].visits
    return total / visits if visits else otherwise
