# distutils: extra_compile_args = -O3
"""A small network that rates the legal actions of a position, evaluated in C without a library.

It has the form of the "actions" network of examples/baselines/network.py. An action is rated by the terms of
the outlook that it changes and by the position, which is worked out once for all actions:

    hidden = relu(of_changes @ (terms after the action - terms now) + of_position @ position + bias)
    deeper = relu(rating @ hidden + rating_bias)
    rating = logit @ deeper + outlook[0] * expected
    value = tanh(value @ deeper + value_bias + outlook[1] * expected)

where `expected` is the return of the mover that the outlook expects after the action: a network may correct
the outlook in place of learning all from the terms. A network need not have values. The value of a position
is that of its action with the highest rating.
"""

from collections.abc import Mapping
from os import PathLike

import numpy as np

from agents.checks import check_number, check_range
from agents.files import replacing

from libc.math cimport tanh
from libc.stdint cimport int32_t
from libc.string cimport memcpy, memset

from agents.evaluator cimport NativeEvaluator
from agents.forward_model cimport ForwardModel, data_of

from .board cimport (
    MAX_LEGAL_ACTIONS, MAX_PLAYERS, NUM_TYPES, Points, State, apply_action, fill_leads_of, virtual_points,
)
from .encoding cimport Encoder, sorted_actions
from .model cimport CarcassonneModel
from .outlook cimport NUM_TERMS, View, expect_scores, fill_weights, share_left

from .archives import check_layers, read_arrays


cdef enum:
    MAX_UNITS = 64   # of each of the two hidden layers
    MAX_TERMS = NUM_TERMS * MAX_PLAYERS
    MAX_INPUTS = 2 * NUM_TYPES + 3 * MAX_PLAYERS + 1 + MAX_TERMS + 1   # vector and features of the encoder


# The weights from each input or unit to all units of the next layer; 0 for units that a network lacks.
ctypedef struct Layers:
    float of_changes[MAX_TERMS][MAX_UNITS]
    float of_position[MAX_INPUTS][MAX_UNITS]
    float bias[MAX_UNITS]
    float rating[MAX_UNITS][MAX_UNITS]
    float rating_bias[MAX_UNITS]
    float logit[MAX_UNITS]
    float value[MAX_UNITS]
    float value_bias
    float outlook[2]


cdef void add_weighted(
    float* units, const float* inputs, int count, const float (*weights)[MAX_UNITS]
) noexcept nogil:
    """Adds the inputs times their weights to the units. Most inputs are 0 and cost nothing."""
    cdef int i, unit
    cdef float value
    for i in range(count):
        value = inputs[i]
        if value != 0:
            for unit in range(MAX_UNITS):
                units[unit] += value * weights[i][unit]


cdef void rectify(float* units) noexcept nogil:
    cdef int unit
    for unit in range(MAX_UNITS):
        units[unit] = max(units[unit], <float> 0)


cdef void fill_deeper(
    const Layers* layers, const float* position, const float* changes, int count, float* deeper
) noexcept nogil:
    """Fills the second hidden layer for an action that changes the terms so."""
    cdef float hidden[MAX_UNITS]
    memcpy(hidden, position, sizeof(hidden))
    add_weighted(hidden, changes, count, layers.of_changes)
    rectify(hidden)
    memcpy(deeper, layers.rating_bias, sizeof(hidden))
    add_weighted(deeper, hidden, MAX_UNITS, layers.rating)
    rectify(deeper)


cdef float product(const float* units, const float* weights) noexcept nogil:
    cdef float total = 0
    cdef int unit
    for unit in range(MAX_UNITS):
        total += units[unit] * weights[unit]
    return total


cdef class ActionNetwork:
    """Rates the legal actions of positions by what each changes.

    Args:
        num_tiles: Number of tiles of the games that it learned, including the start tile. It can play games
            with fewer.
        num_players: Number of players of these games.
        layers: The weights, as float32 arrays with n and m units, 1 to 64 each. An observation is that of
            an `Encoder` with ``action_mode="index"`` and ``observation="features"``.

            - "of_changes" [n, num_terms], from the changes of the terms by an action;
            - "of_position" [n, vector_size + num_terms + 1], from "vector" and "features";
            - "bias" [n];
            - "rating" [m, n], "rating_bias" [m] and "logit" [m];
            - "value" [m] and "value_bias" [1], if it has values;
            - "outlook" [2], if it has values and corrects the outlook: the factors of the return that the
              outlook expects, for the rating and for the value.

            No weight is greater than `archives.MAX_WEIGHT`, nor less than its negative.
        scale: The return that a value of 1 stands for, above 0; without values it has no effect.

    Attributes:
        encoder: The encoder of these observations.
        scale: As above.

    Raises:
        TypeError: If a number is not an integer.
        ValueError: If a number is out of range, or the layers do not fit.
    """

    cdef readonly Encoder encoder
    cdef readonly double scale
    cdef dict arrays
    cdef Layers layers

    def __init__(
        self, num_tiles: int, num_players: int, layers: Mapping[str, ArrayLike], scale: float = 1.0
    ):
        check_number("scale", scale, 0, np.inf, is_open=True)
        self.scale = scale
        self.encoder = Encoder(num_tiles, num_players, "index", observation="features")
        num_terms = self.encoder.num_terms
        num_inputs = self.encoder.vector_size + num_terms + 1
        arrays = {name: np.array(layer, np.float32) for name, layer in layers.items()}
        if arrays.keys() not in map(set, (LAYERS, LAYERS[:-1], LAYERS[:-3])):
            names = ", ".join(map(str, arrays))
            raise ValueError(
                f"layers must have the names {', '.join(LAYERS)}, perhaps without the last one or the last "
                f"three, got {names}"
            )
        n, m = arrays["bias"].size, arrays["logit"].size
        check_range("the number of units of bias", n, 1, MAX_UNITS)
        check_range("the number of units of logit", m, 1, MAX_UNITS)
        shapes = ((n, num_terms), (n, num_inputs), (n,), (m, n), (m,), (m,), (m,), (1,), (2,))
        check_layers(arrays, dict(zip(LAYERS, shapes, strict=True)))
        self.arrays = arrays
        memset(&self.layers, 0, sizeof(Layers))
        fill(<float*> self.layers.of_changes, arrays["of_changes"])
        fill(<float*> self.layers.of_position, arrays["of_position"])
        fill(self.layers.bias, arrays["bias"])
        fill(<float*> self.layers.rating, arrays["rating"])
        fill(self.layers.rating_bias, arrays["rating_bias"])
        fill(self.layers.logit, arrays["logit"])
        if self.has_values:
            fill(self.layers.value, arrays["value"])
            self.layers.value_bias = arrays["value_bias"][0]
        if "outlook" in arrays:
            self.layers.outlook = arrays["outlook"]

    @property
    def has_values(self) -> bool:
        """Whether it values actions, too, so that a search can use it."""
        return "value" in self.arrays

    def __reduce__(self) -> tuple[Any, ...]:
        return ActionNetwork, (self.encoder.num_tiles, self.encoder.num_players, self.arrays, self.scale)

    def __deepcopy__(self, memo: dict[int, Any]) -> ActionNetwork:
        """Returns the network itself, which never changes."""
        return self

    def ratings(self, CarcassonneModel model not None) -> NDArray[np.float32]:
        """The logits of the legal actions, in ascending order of the actions: float32[legal actions].

        They are right up to a number that is the same for all actions.

        Raises:
            ValueError: If no player is to move, or the game is another one than the network learned.
        """
        cdef int32_t actions[MAX_LEGAL_ACTIONS]
        cdef State state
        cdef float* ratings
        cdef int count
        self.check(model)
        memcpy(&state, &model.state, sizeof(State))   # without the GIL other threads may change the model
        count = sorted_actions(&state, actions)
        result = np.empty(count, np.float32)
        ratings = <float*> data_of(result)
        with nogil:
            self.rate(&state, actions, count, ratings, NULL)
        return result

    cdef check(self, CarcassonneModel model):
        """Raises ValueError for a position in which it cannot rate actions."""
        cdef const State* state = &model.state
        if self.encoder is None:
            raise TypeError("the network has no layers: it was made without __init__")
        if (
            state.num_players != self.encoder.num_players
            or state.board_size
            or model.num_tiles > self.encoder.num_tiles
        ):
            raise ValueError(
                f"the network learned games with num_players={self.encoder.num_players} and up to "
                f"{self.encoder.num_tiles} tiles without board_size, got {model!r}"
            )
        if model.c_current_player() < 0:
            raise ValueError(f"a player must be to move, got {model!r}")
        if model.is_two_step and not state.chosen:
            raise ValueError("the network rates whole turns: use turns.plan_turn in a game of two steps")

    cdef double expected(
        self,
        const State* state,
        View* view,
        int32_t action,
        const double* weights,
        const float* terms,
        const float* changes,
    ) noexcept nogil:
        """The return that the outlook expects after an action, if the terms are these and change so."""
        cdef double scores[MAX_PLAYERS]
        cdef double returns[MAX_PLAYERS]
        cdef int player, i, at
        if state.num_left == 0:
            return expected_after(state, view, action)   # the game is over then, and has a result
        for i in range(state.num_players):
            player = (state.mover + i) % state.num_players
            scores[player] = 0
            for at in range(NUM_TERMS):
                scores[player] += weights[at] * (terms[i * NUM_TERMS + at] + changes[i * NUM_TERMS + at])
        fill_leads_of(state, scores, returns)
        return returns[state.mover]

    cdef void rate(
        self, const State* state, const int32_t* actions, int num_actions, float* ratings, float* values
    ) noexcept nogil:
        """Fills the ratings of legal actions and, if `values` is not NULL, their values."""
        cdef float position[MAX_UNITS]
        cdef float inputs[MAX_INPUTS]
        cdef float changes[MAX_TERMS]
        cdef float deeper[MAX_UNITS]
        cdef const float* terms = inputs + self.encoder.vector_size
        cdef Points final = virtual_points(state)
        cdef int count = self.encoder.num_terms
        cdef bint knows_outlook = self.layers.outlook[0] != 0 or self.layers.outlook[1] != 0
        cdef double weights[NUM_TERMS]
        cdef double expected = 0
        cdef View view
        cdef int i, term
        view.num_players = 0
        if knows_outlook:
            fill_weights(state.num_players > 1, share_left(state), weights)
        memset(inputs, 0, sizeof(inputs))
        self.encoder.fill_vector(state, &final, state.mover, inputs)
        self.encoder.fill_features(state, &view, state.mover, inputs + self.encoder.vector_size)
        memcpy(position, self.layers.bias, sizeof(position))
        add_weighted(position, inputs, self.encoder.vector_size + count + 1, self.layers.of_position)
        for i in range(num_actions):
            self.encoder.fill_afterstate(state, &view, actions[i], state.mover, changes)
            for term in range(count):
                changes[term] -= terms[term]
            fill_deeper(&self.layers, position, changes, count, deeper)
            if knows_outlook:
                expected = self.expected(state, &view, actions[i], weights, terms, changes)
            ratings[i] = product(deeper, self.layers.logit) + self.layers.outlook[0] * expected
            if values != NULL:
                values[i] = tanh(
                    product(deeper, self.layers.value)
                    + self.layers.value_bias
                    + self.layers.outlook[1] * expected
                )


cdef double expected_after(const State* state, View* view, int32_t action) noexcept nogil:
    """The return of the mover that the outlook expects after an action; at the end the return itself."""
    cdef State after
    cdef double scores[MAX_PLAYERS]
    cdef double returns[MAX_PLAYERS]
    memcpy(&after, state, sizeof(State))
    after.is_deterministic = False   # or the next tile, which is secret, would be drawn
    apply_action(&after, action)
    expect_scores(&after, view, state.num_players > 1, share_left(&after), scores)
    fill_leads_of(&after, scores, returns)
    return returns[state.mover]


def expected_returns(CarcassonneModel model not None) -> NDArray[np.float32]:
    """The return of the mover that the outlook expects after each legal action: float32[legal actions].

    The actions are in ascending order. A network with the layer "outlook" gets these numbers.

    Raises:
        ValueError: If no player is to move.
    """
    cdef int32_t actions[MAX_LEGAL_ACTIONS]
    cdef const State* state = &model.state
    cdef View view
    cdef int i, count
    if model.c_current_player() < 0:
        raise ValueError(f"a player must be to move, got {model!r}")
    view.num_players = 0
    count = sorted_actions(state, actions)
    return np.array([expected_after(state, &view, actions[i]) for i in range(count)], np.float32)


cdef class NetworkEvaluator(NativeEvaluator):
    """A network as the evaluator of MCTS: its ratings give the priors, and its values those of positions.

    Args:
        network: A network with values, for a game of one or two players.
        temperature: Greater than 0. The prior probabilities are softmax(rating / temperature).

    Raises:
        TypeError: If the network is no `ActionNetwork`.
        ValueError: If the network has no values, or the temperature is out of range. In a search, if the
            network learned another game than that of the root.
    """

    cdef readonly ActionNetwork network

    ARGUMENTS = ("network", "temperature")

    def __init__(self, ActionNetwork network not None, temperature: float = 1.0):
        check_number("temperature", temperature, 0, np.inf, is_open=True)
        if not network.has_values or network.encoder.num_players > 2:
            raise ValueError(
                "network must have values and be for one or two players, got one for "
                f"{network.encoder.num_players} with has_values={network.has_values}"
            )
        self.network = network
        self.temperature = temperature

    cdef prepare(self, ForwardModel model):
        if not isinstance(model, CarcassonneModel) or (<CarcassonneModel> model).is_two_step:
            raise ValueError(f"the network rates whole turns of Carcassonne, got {model!r}")
        self.network.check(model)
        NativeEvaluator.prepare(self, model)

    cdef int c_rate(
        self, ForwardModel model, const int32_t* actions, int count, double* values
    ) except -1 nogil:
        cdef const State* state = &(<CarcassonneModel> model).state
        cdef float ratings[MAX_LEGAL_ACTIONS]
        cdef float action_values[MAX_LEGAL_ACTIONS]
        cdef int i, best = 0
        self.network.rate(state, actions, count, ratings, action_values)
        for i in range(count):
            self.ratings[i] = ratings[i]
            if ratings[i] > ratings[best]:
                best = i
        for i in range(state.num_players):
            values[i] = self.network.scale * action_values[best] * (1 if i == state.mover else -1)
        return 0


cdef fill(float* weights, array):
    """Copies an array of [units, inputs] or [units]."""
    cdef int unit, i
    cdef double value
    for (unit, i), value in np.ndenumerate(array.reshape(len(array), -1)):
        weights[i * MAX_UNITS + unit] = value


LAYERS: tuple[str, ...] = (
    *("of_changes", "of_position", "bias", "rating", "rating_bias", "logit"),
    *("value", "value_bias"),
    "outlook",
)
"""Names of the arrays of weights, those of the values at last but for what corrects the outlook."""


def save_network(
    path: str | PathLike[str],
    num_tiles: int,
    num_players: int,
    layers: Mapping[str, ArrayLike],
    scale: float = 1.0,
) -> None:
    """Writes the arguments of an `ActionNetwork` to an .npz file.

    Raises:
        OSError: If the file cannot be written.
        TypeError, ValueError: As `ActionNetwork` does.
    """
    ActionNetwork(num_tiles, num_players, layers, scale)
    arrays = {name: np.asarray(layers[name], np.float32) for name in LAYERS if name in layers}
    with replacing(path) as file:
        np.savez_compressed(
            file, num_tiles=num_tiles, num_players=num_players, scale=float(scale), **arrays
        )


def load_network(path: str | PathLike[str]) -> ActionNetwork:
    """The network in a file that `save_network` wrote.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no such file.
    """
    try:
        layers = read_arrays(path)
        num_tiles, num_players = (layers.pop(name, None) for name in ("num_tiles", "num_players"))
        return ActionNetwork(num_tiles, num_players, layers, float(layers.pop("scale", 1.0)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a network that save_network wrote: {error}") from None
