"""Agents: whatever chooses an action."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from agents.forward_model import ForwardModel
from agents.rng import Rng
from agents.specification import given, is_written, specified

if TYPE_CHECKING:
    from typing_extensions import Self


def model_of(game: Any) -> ForwardModel:
    """The forward model of a game: the game itself, or the ``model`` of an environment.

    Raises:
        TypeError: If the game is neither.
    """
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
        TypeError: If the game has no forward model.
        ValueError: If no player is to move.
    """
    model = model_of(game)
    if model.current_player() < 0:
        state = (
            "the game is over"
            if model.is_terminal()
            else "the position is a chance node, apply an outcome such as sample_chance(rng) first"
        )
        raise ValueError(f"no player is to move: {state}")
    return model


def translated(game: Any, action: int) -> int:
    """An action of the model as the game numbers it, which may be an environment."""
    translate = getattr(getattr(game, "unwrapped", game), "env_action", None)
    return action if translate is None else int(translate(action))


class Agent(ABC):
    """Chooses actions in any game that has a forward model.

    Its representation is the specification that `agents.make` reads, if it has a name there: the
    name and the arguments that are not the default ones, without the seed.
    """

    name: ClassVar[str] = ""
    """In specifications; a class without one of its own goes by the name of the class."""
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
        """The representation, where no other agent has it, the seed aside, and every run the same.

        Raises:
            ValueError: If an argument has no such text (see `agents.specification.written`).
        """
        if self._unwritten:
            raise ValueError(
                f"{self!r} is not told from others by its text: another value of "
                f"{' or '.join(self._unwritten)} may read alike, or the same one differently in "
                "another run"
            )
        return self._specification

    def act(self, game: Any) -> int:
        """The action to take now.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``. An
                environment whose actions are numbered differently translates with
                ``unwrapped.env_action(model_action)``. The game is not changed.

        Returns:
            An action of the model, or of the environment if one was given.

        Raises:
            TypeError: If the game is neither.
            ValueError: If no player is to move: the game is over, or chance moves.
        """
        return translated(game, self.choose(model_to_move(game)))

    def advance(self, action: int) -> None:  # noqa: B027
        """Tells the agent what was played, or drawn by chance; most need not know."""

    @abstractmethod
    def choose(self, model: ForwardModel) -> int:
        """A legal action of the model, which has a player to move and must not be changed."""


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions.

    Args:
        seed: None, an int >= 0, a numpy SeedSequence or Generator, or an `Rng` to start from.
    """

    name = "random"

    def __init__(self, seed: Any = None) -> None:
        self.rng = Rng(seed)

    def choose(self, model: ForwardModel) -> int:
        """A uniformly random legal action."""
        return model.sample_action(self.rng)


class Planner(Agent):
    """An agent that searches, and plays what its search recommends."""

    @abstractmethod
    def search(self, game: Any) -> Any:
        """What a search finds about a position, its ``action`` and ``value`` among it.

        Args:
            game: A `ForwardModel`, or an environment that has one as ``unwrapped.model``; not
                changed.
        """

    def principal_variation(self, result: Any) -> list[tuple[int, int]]:
        """The line of play that a result of `search` expects.

        Returns:
            (player, action) each, `agents.CHANCE` for chance outcomes.
        """
        return list(result.principal_variation)

    def choose(self, model: ForwardModel) -> int:
        """The action that the search recommends."""
        return int(self.search(model).action)
