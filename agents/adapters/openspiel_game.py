"""Forward models as games of OpenSpiel.

>>> from agents.adapters.openspiel_game import register
>>> from agents.games import Reversi
>>> register("python_reversi", Reversi)
>>> pyspiel.load_game("python_reversi").num_players()
2
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.adapters.spiel import pyspiel
from agents.forward_model import ForwardModel, PythonForwardModel

MAX_GAME_LENGTH = 10_000
"""As many decisions as a game may have unless `register` is told otherwise."""
_TYPE = pyspiel.GameType

M = TypeVar("M", bound=ForwardModel)


class View(Generic[M]):
    """How OpenSpiel sees a forward model: numbers of actions, and observations.

    By default they are the actions and observations of the model itself.

    A game overrides this to have fewer, denser numbers of actions or observations for learners.

    Args:
        start: The game at its start.
        parameters: The parameters from which it was made.

    Attributes:
        num_actions: Actions are numbers in [0, num_actions).
        num_outcomes: Chance outcomes, which are those of the model, are numbers in
            [0, num_outcomes); 0 if the game has no chance nodes.
    """

    def __init__(self, start: M, parameters: Mapping[str, Any]) -> None:
        self.num_actions = start.num_actions
        self.num_outcomes = start.num_actions if _has_chance_nodes(start) else 0

    def legal_actions(self, model: M) -> list[int]:
        """The numbers of the legal actions of the player to move, ascending."""
        return sorted(map(int, model.legal_actions()))

    def action(self, model: M, number: int) -> int:
        """The model's action with this number."""
        return number

    def observation(self, model: M, player: int) -> NDArray[Any]:
        """What a player sees: an array of one shape for all positions of a game.

        Raises:
            NotImplementedError: If the game has no observations.
        """
        return model.observation(player)


def _has_chance_nodes(model: ForwardModel) -> bool:
    if isinstance(model, PythonForwardModel):  # its maximum of chance outcomes is never 0
        return type(model).chance_outcomes is not PythonForwardModel.chance_outcomes
    return model.max_chance_outcomes > 0


@dataclass(frozen=True)
class _Rules:
    """What `register` was told of a game."""

    name: str
    make: Callable[..., Any]
    parameters: Mapping[str, Any]
    view: Callable[[Any, Mapping[str, Any]], View[Any]]
    num_players: tuple[int, int]
    returns: tuple[float, float]
    is_zero_sum: bool
    max_game_length: int | Callable[[Any], int]


def register(
    name: str,
    make: Callable[..., M],
    *,
    parameters: Mapping[str, Any] | None = None,
    view: Callable[[M, Mapping[str, Any]], View[M]] = View,
    num_players: tuple[int, int] | None = None,
    returns: tuple[float, float] = (-1.0, 1.0),
    is_zero_sum: bool = False,
    max_game_length: int | Callable[[M], int] = MAX_GAME_LENGTH,
) -> None:
    """Makes a forward model known to OpenSpiel, so that ``pyspiel.load_game(name)`` builds it.

    Args:
        name: The name of the game; those of games in Python begin with "python_" by custom.
        make: A class of forward models, or a function that builds one at the start of a game.
        parameters: The arguments that can be given as parameters of the game, with their defaults:
            numbers, bools and texts. None stands for all arguments of `make` with such defaults; of
            a compiled class, which tells no arguments, there are none.
        view: Makes the `View` of a game from its start and its parameters.
        num_players: The smallest and the largest number of players. None stands for the number
            that the game has without parameters.
        returns: Bounds of the returns of every player.
        is_zero_sum: Whether the returns of two players sum to 0.
        max_game_length: Bound on the number of decisions of a game, and on that of its chance
            nodes; or a function of the start that returns it.
    """
    if parameters is None:
        parameters = _parameters(make)
    start = make(**parameters)
    players = num_players or (start.num_players, start.num_players)
    rules = _Rules(name, make, parameters, view, players, returns, is_zero_sum, max_game_length)
    kind = _type_of(rules, view(start, parameters), start)
    # A class: at the exit of the process OpenSpiel drops what it was given, without the GIL. That
    # would free a function, which crashes, but not a class, because it refers to itself.
    pyspiel.register_game(kind, type(name, (ModelGame,), {"rules": rules}))


def _parameters(make: Callable[..., Any]) -> dict[str, Any]:
    """The arguments that OpenSpiel's parameters can give, with their defaults."""
    try:
        arguments = inspect.signature(make).parameters.values()
    except ValueError:  # a compiled class
        return {}
    return {a.name: a.default for a in arguments if isinstance(a.default, bool | int | float | str)}


def _type_of(rules: _Rules, view: View[M], start: M) -> Any:
    """The type of a game, as this start of it shows it."""
    is_zero_sum = rules.is_zero_sum and start.num_players == 2
    mode = _TYPE.ChanceMode
    return _TYPE(
        short_name=rules.name,
        long_name=rules.name.removeprefix("python_").replace("_", " ").capitalize(),
        dynamics=_TYPE.Dynamics.SEQUENTIAL,
        chance_mode=mode.EXPLICIT_STOCHASTIC if view.num_outcomes else mode.DETERMINISTIC,
        information=_TYPE.Information.PERFECT_INFORMATION,
        utility=_TYPE.Utility.ZERO_SUM if is_zero_sum else _TYPE.Utility.GENERAL_SUM,
        reward_model=_TYPE.RewardModel.TERMINAL,
        min_num_players=rules.num_players[0],
        max_num_players=rules.num_players[1],
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=_is_observed(view, start),
        parameter_specification=rules.parameters,
    )


def _is_observed(view: View[M], start: M) -> bool:
    try:
        view.observation(start, 0)
    except NotImplementedError:
        return False
    return True


class ModelGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel is not typed
    """A forward model as a game of OpenSpiel.

    Attributes:
        start: The model at the start of the game.
        view: What OpenSpiel sees of it.
    """

    rules: _Rules

    def __init__(self, parameters: Mapping[str, Any]) -> None:
        rules = self.rules
        self.start = rules.make(**parameters)
        self.view = rules.view(self.start, parameters)
        kind, length = _type_of(rules, self.view, self.start), rules.max_game_length
        low, high = rules.returns
        info = pyspiel.GameInfo(
            num_distinct_actions=self.view.num_actions,
            max_chance_outcomes=self.view.num_outcomes,
            num_players=self.start.num_players,
            min_utility=low,
            max_utility=high,
            utility_sum=0.0 if kind.utility == _TYPE.Utility.ZERO_SUM else None,
            max_game_length=length if isinstance(length, int) else length(self.start),
        )
        super().__init__(kind, info, parameters)

    def __reduce__(self) -> tuple[Any, ...]:
        return pyspiel.load_game, (str(self),)  # no module has the class that `register` made

    def new_initial_state(self) -> ModelState:
        """The start of a game."""
        return ModelState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """An observer of what a player sees, or of the history if it has perfect recall."""
        if getattr(iig_obs_type, "perfect_recall", False):
            from open_spiel.python.observation import IIGObserverForPublicInfoGame

            return IIGObserverForPublicInfoGame(iig_obs_type, params)
        return _Observer(self, params)


class ModelState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel is not typed
    """A position of a forward model as a state of OpenSpiel.

    Attributes:
        model: The forward model. Copies and serialized states take it, and nothing else, along.
    """

    def __init__(self, game: ModelGame) -> None:
        super().__init__(game)
        self.model: ForwardModel = game.start.clone()

    def current_player(self) -> int:
        """The player to move; the numbers for chance and the end are OpenSpiel's."""
        return self.model.current_player()

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return self.model.is_terminal()

    def _legal_actions(self, player: int) -> list[int]:
        return self.get_game().view.legal_actions(self.model)  # type: ignore[no-any-return]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Pairs of an outcome and its probability."""
        outcomes, probabilities = self.model.chance_outcomes()
        return list(zip(map(int, outcomes), map(float, probabilities), strict=True))

    def _apply_action(self, action: int) -> None:
        self.model.apply_action(self._action_of(action))

    def _action_to_string(self, player: int, action: int) -> str:
        return self.model.action_to_string(self._action_of(action))

    def _action_of(self, number: int) -> int:
        """The model's action, or at a chance node its outcome, with OpenSpiel's number."""
        if self.model.is_chance_node():
            return number
        return self.get_game().view.action(self.model, number)  # type: ignore[no-any-return]

    def returns(self) -> list[float]:
        """The return of each player, 0 before the end."""
        if not self.model.is_terminal():
            return [0.0] * self.model.num_players
        return [float(value) for value in self.model.returns()]

    def __str__(self) -> str:
        return str(self.model)


class _Observer:
    """Observations as tensors and text; the names are those that OpenSpiel asks for."""

    def __init__(self, game: ModelGame, parameters: Any) -> None:
        if parameters:
            raise ValueError(f"observations have no parameters, got {parameters}")
        self.view = game.view
        self.dict: dict[str, Any] = {}
        self.tensor = None
        if game.get_type().provides_observation_tensor:
            shape = np.shape(self.view.observation(game.start, 0))
            self.dict["observation"] = np.zeros(shape, dtype=np.float32)
            self.tensor = self.dict["observation"].reshape(-1)

    def set_from(self, state: ModelState, player: int) -> None:
        """Takes over what a player sees of a state."""
        if self.dict:
            self.dict["observation"][:] = self.view.observation(state.model, player)

    def string_from(self, state: ModelState, player: int) -> str:
        """The position as text, the same for all players."""
        return str(state.model)
