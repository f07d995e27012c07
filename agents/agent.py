"""Base classes of agents and planners, and an agent that plays at random."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from agents.forward_model import ForwardModel
from agents.rng import Rng
from agents.specification import given, is_written, specified

if TYPE_CHECKING:
    from typing_extensions import Self


Watch = Callable[[Any], bool | None]
"""A function that sees the result so far of a search, or None if there is nothing to show yet, and
ends the search by returning True."""
WATCH_SECONDS = 0.1
"""Time between two calls of it."""


class PlayerError(ValueError):
    """A player has broken the rules or failed, which is no fault of the program that asked it.

    Attributes:
        kind: What happened, in a word or two: "illegal action".
    """

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.kind, str(self))


@contextmanager
def refusing(player: Agent) -> Iterator[None]:
    """Makes a ValueError a `PlayerError`: the player, which it names, refuses the game."""
    try:
        yield
    except PlayerError:
        raise
    except ValueError as error:
        raise PlayerError("refusal", f"{player!r}: {error}") from error


def model_of(game: Any) -> ForwardModel:
    """The forward model of a game: the game itself, or the ``model`` of an environment."""
    if isinstance(game, ForwardModel):
        return game
    model = getattr(getattr(game, "unwrapped", game), "model", None)
    if not isinstance(model, ForwardModel):
        raise TypeError(
            "game must be a ForwardModel or an environment whose unwrapped.model is one, "
            f"got {game!r}"
        )
    return model


def model_to_move(game: Any) -> ForwardModel:
    """The forward model of a game in which a player is to move.

    Raises:
        TypeError: If the game has no forward model, or one whose player to move is no integer.
        ValueError: If no player is to move.
    """
    model = model_of(game)
    player = model.current_player()
    if not hasattr(player, "__index__"):
        raise TypeError(f"current_player() must return an int, got {player!r}")
    if player < 0:
        state = (
            "the game is over"
            if model.is_terminal()
            else "the position is a chance node, apply an outcome such as sample_chance(rng) first"
        )
        raise ValueError(f"no player is to move: {state}")
    return model


def translated(game: Any, action: int) -> int:
    """The number of a model's action in the game: an environment may number actions differently."""
    translate = getattr(getattr(game, "unwrapped", game), "env_action", None)
    return action if translate is None else int(translate(action))


def turn_plan_of(game: Any) -> Callable[[Callable[[Any], int]], list[int]] | None:
    """What plans a turn of several actions in an environment, see `Planner.act`; None elsewhere."""
    return getattr(getattr(game, "unwrapped", game), "plan_turn", None)


def acts(player: Any) -> bool:
    """Whether a player has the method ``act``; a class is no player."""
    return hasattr(player, "act") and not isinstance(player, type)


def name_of(player: Any) -> str:
    """How errors name a player."""
    is_function = inspect.isroutine(player)
    return f"{player.__module__}:{player.__qualname__}" if is_function else repr(player)


class _SignatureOfInit:
    """The signature of the class's ``__init__``.

    If a class inherits both ``__new__`` and ``__init__``, Python 3.11.2 takes that of ``__new__``.
    """

    def __get__(self, agent: Agent | None, kind: type[Agent]) -> inspect.Signature:
        signature = inspect.signature(kind.__init__)
        _, *parameters = signature.parameters.values()
        return signature.replace(parameters=parameters)


class Agent(ABC):
    """Chooses actions in any game that has a forward model.

    The representation of an agent is its specification: its name and the arguments that differ
    from their defaults, without the seed. `agents.make` reads specifications of the names it knows.
    """

    name: ClassVar[str] = ""
    """The name in specifications; a class that does not set one is called by its class name."""
    __signature__ = _SignatureOfInit()
    _specification: str
    _unwritten: list[str]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Keeps the arguments of ``__init__`` as text."""
        agent = super().__new__(cls)
        arguments = given(cls.__init__, agent, *args, **kwargs)
        arguments.pop("self", None)
        name = cls.__dict__.get("name") or cls.__name__
        agent._specification = specified(name, arguments)
        agent._unwritten = [name for name, value in arguments.items() if not is_written(value)]
        return agent

    def __repr__(self) -> str:
        return self._specification

    @property
    def specification(self) -> str:
        """The representation, which identifies the agent up to its seed.

        No agent with other arguments has the same one, and it is the same in every run.

        Raises:
            ValueError: If an argument has no text that identifies it (see
                `agents.specification.written`).
        """
        if self._unwritten:
            raise ValueError(
                f"{self!r} does not identify the agent: another value of "
                f"{' or '.join(self._unwritten)} may have the same text, or this value may have "
                "another text in the next run"
            )
        return self._specification

    def act(self, game: Any) -> int:
        """The action to take now.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``. An
                environment that numbers actions differently has a method
                ``unwrapped.env_action(model_action)``. The game is not changed.

        Returns:
            An action of the model, or of the environment if one was given.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move: the game is over, or chance moves.
        """
        return translated(game, self.choose(model_to_move(game)))

    def advance(self, action: int) -> None:  # noqa: B027
        """Tells the agent the action or chance outcome that was applied; most agents ignore it."""

    @abstractmethod
    def choose(self, model: ForwardModel) -> int:
        """A legal action of a model, in which a player is to move and which is not changed."""


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions.

    Args:
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng`.
    """

    name = "random"

    def __init__(self, seed: Any = None) -> None:
        self.rng = Rng(seed)

    def choose(self, model: ForwardModel) -> int:
        """A uniformly random legal action."""
        return model.sample_action(self.rng)


class FunctionAgent(Agent):
    """Plays what a function of the model returns. Copies share the function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def choose(self, model: ForwardModel) -> Any:
        """What the function returns for a copy of the model."""
        return self.function(model.clone())

    def __repr__(self) -> str:
        return name_of(self.function)

    def __deepcopy__(self, memo: dict[int, Any]) -> FunctionAgent:
        return self


class Planner(Agent):
    """An agent that plays the action that its search recommends.

    Searches of the library's planners can be watched and stopped: `search` and `decide` take the
    keyword argument ``watch``, a `Watch`, which is called about ten times a second in the thread of
    the search. Once it returns True, the search ends with what it has found. A planner of one's own
    need not take it; `watched` calls either kind.
    """

    _rest_of_turn: tuple[ForwardModel, list[int]] | None = None
    """Where the plan of a turn goes on, and its actions from there on."""

    def act(self, game: Any) -> int:
        """The action to take now.

        Where a turn takes several actions of an environment, the planner plans the turn as one
        action, with its whole budget once. Later calls play the rest of this plan, unless the
        position is another one than planned: then the rest of the turn is planned anew.

        Args:
            game: As in `Agent.act`. An environment in which a turn takes several actions has
                ``unwrapped.plan_turn``: a function that returns the model's actions that are left
                of the turn. Its argument is a function that chooses an action of a model.

        Result and errors are those of `Agent.act`.
        """
        plan_turn = turn_plan_of(game)
        if plan_turn is None:
            return super().act(game)
        model = model_to_move(game)
        position, actions = self._rest_of_turn or (None, [])
        if position != model:
            actions = plan_turn(self.choose)
        action, *rest = actions
        if rest:
            after = model.clone()
            after.apply_action(action)
            self._rest_of_turn = after, rest
        return translated(game, action)

    @abstractmethod
    def search(self, game: Any) -> Any:
        """Searches from a position.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.

        Returns:
            A result that has at least the attributes ``action``, the recommended action of the
            model, and ``value``, the return that the player to move can expect.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move, or an option does not fit the game.
        """

    def principal_variation(self, result: Any) -> list[tuple[int, int]]:
        """The line of play that a result of `search` expects.

        Returns:
            Pairs (player, action); the player is `agents.CHANCE` for chance outcomes. Empty if the
            result has no ``principal_variation``.
        """
        return list(getattr(result, "principal_variation", ()))

    def decide(self, game: Any, *, watch: Watch | None = None) -> Any:
        """The result that the next action is taken from: of a search, or of an earlier one.

        Arguments and result are those of `search`; `watch` sees the search if that takes it.
        """
        return watched(self.search, game, watch)

    def choose(self, model: ForwardModel) -> int:
        """The action that `decide` finds."""
        return int(self.decide(model).action)


def watched(method: Callable[..., Any], game: Any, watch: Watch | None) -> Any:
    """The result of ``search`` or ``decide`` of a planner, which `watch` sees if it takes one."""
    is_taken = watch is not None and takes_watch(method)
    return method(game, watch=watch) if is_taken else method(game)


def takes_watch(method: Callable[..., Any]) -> bool:
    """Whether ``search`` or ``decide`` of a planner can be watched and stopped."""
    return "watch" in inspect.signature(method).parameters
