"""What each move of a game lost: a planner searches every position and compares its moves."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from agents.agent import Planner, watched
from agents.checks import check_count
from agents.forward_model import ForwardModel
from agents.game import seat

from . import MAX_SEARCHES, SEARCHES
from .game_file import GameFile
from .session import Model

Move = TypeVar("Move")
_LEAST_LOSS = 1e-6
"""Smaller differences are rounding errors."""


@dataclass(frozen=True)
class MoveLoss(Generic[Move]):
    """A move of a game, and what the player lost by it.

    Attributes:
        number: The number of the move in the game, from 1.
        player: The player who moved.
        played: The move that was played: an action, or what a game makes of it.
        better: The move that the planner prefers; None if it finds none better.
        difference: What the planner's moves are expected to bring the player more than the played
            one, in returns of the player, or in what the game counts. Chance makes it too small as
            often as too large, and it may be negative. NaN if the planner never tried the played
            move.
        standard_error: The standard error of the difference over the searches. It is 0 if they
            all prefer the played move or the planner's values are not random, and NaN if fewer than
            two searches compared the moves.
        value: The mean value of the move that most searches recommend, in the same units; NaN if
            the player had no choice.
        margin: How much more the played move is worth than the best other one, if most searches
            recommend it; else NaN.
    """

    number: int
    player: int
    played: Move
    better: Move | None
    difference: float
    standard_error: float
    value: float = field(default=math.nan, kw_only=True)
    margin: float = field(default=math.nan, kw_only=True)

    @property
    def loss(self) -> float:
        """The difference to a better move; 0 if the planner finds none better."""
        return 0.0 if self.better is None else self.difference


@dataclass(frozen=True)
class Judged(Generic[Model]):
    """A move that a planner has judged.

    Attributes:
        position: The position before the move.
        loss: What the move lost; moves are actions.
        result: The result of a search that recommends the better move; None if there was no choice.
    """

    position: Model
    loss: MoveLoss[int]
    result: Any


class Loss(TypedDict):
    """What a move lost, as pages see it."""

    number: int  # of the move, from 1
    player: int  # who moved
    points: float | None  # that were lost; None if the search never tried the move
    error: float | None  # its standard error; None if it is unknown
    value: float | None  # `MoveLoss.value`; None if the position was not searched
    margin: float | None  # `MoveLoss.margin`; None if it is NaN
    played: Any  # the move as the page shows it
    better: Any  # the better move likewise; None if there is none


def judge_game(
    game: GameFile[Model],
    planner: str | Planner,
    seed: int = 0,
    *,
    searches: int = SEARCHES,
    first: int = 1,
    is_stopped: Callable[[], bool] = lambda: False,
    scale: Callable[[Planner, Model], float] = lambda planner, model: 1.0,
) -> Iterator[Judged[Model]]:
    """Searches the position before every move of a game, and yields the moves with what they lost.

    The better move is the one that most searches of the position recommend (of several, the one
    with the highest mean value). A search that both chose this move and valued it would flatter
    it, and noise alone would make losses. So each search values the move that most of the others
    recommend, and the difference to the played move is the mean over the searches. Two errors
    remain. With one search there are no others, and differences come out too large. And a search
    looks less closely at moves that it holds to be weak, and so values them a little too low.
    Planners that only bound the value of weak moves, such as "star2.5", give the least difference.

    The iterator does the work: whoever stops reading ends the analysis. It is determined by the
    seed, unless the budget of the planner is a time.

    Args:
        game: The game.
        planner: The specification of a planner, or a planner, of which a copy is used.
        seed: The seed of a planner that is given by its specification.
        searches: Number of independent searches of each position, each with the whole budget of
            the planner; only one if the planner counts no visits.
        first: The number of the first move that is analysed.
        is_stopped: Called about ten times a second during a search. Once it returns True,
            the search and the iterator end.
        scale: What a return of 1 of the planner is in what the game counts, such as points.

    Raises:
        TypeError: If the player is no planner.
        ValueError: If the specification is refused, `searches` or `first` is out of range, or,
            from the iterator, the planner does not value every move.
    """
    searches = check_count("searches", searches, 1, MAX_SEARCHES)
    first = check_count("first", first, 1, max(1, len(game.moves())))
    (agent,), _ = seat([planner], seed)
    if not isinstance(agent, Planner):
        raise TypeError(f"planner must be an agent that searches, got {planner!r}")
    return _judged(game.moves()[first - 1 :], first, agent, searches, is_stopped, scale)


def loss_of(move: MoveLoss[Any]) -> Loss:
    """An analysed move as pages see it; its moves are as the page shows them."""
    return {
        "number": move.number,
        "player": move.player,
        "points": _rounded(move.loss),
        "error": _rounded(move.standard_error),
        "value": _rounded(move.value),
        "margin": _rounded(move.margin),
        "played": move.played,
        "better": move.better,
    }


def _rounded(value: float) -> float | None:
    """A value with two digits for a page; None for NaN, which JSON cannot express."""
    return None if math.isnan(value) else round(value, 2)


def _judged(
    moves: list[tuple[Model, int]],
    first: int,
    planner: Planner,
    searches: int,
    is_stopped: Callable[[], bool],
    scale: Callable[[Planner, Model], float],
) -> Iterator[Judged[Model]]:
    for number, (model, action) in enumerate(moves, start=first):
        lost, result = MoveLoss(number, model.current_player(), action, None, 0.0, 0.0), None
        if len(actions := model.legal_actions()) > 1:
            results = _searched(planner, model, searches, is_stopped)
            if is_stopped():
                return
            lost, result = _compared(lost, actions, results, scale(planner, model))
        yield Judged(model, lost, result)


def _searched(
    planner: Planner, model: ForwardModel, searches: int, is_stopped: Callable[[], bool]
) -> list[Any]:
    """The results of the searches; of one search if the planner counts no visits."""
    results: list[Any] = []
    while len(results) < searches and not is_stopped():
        result = watched(planner.search, model, lambda _: is_stopped())
        if not hasattr(result, "actions"):
            raise ValueError(
                f"planner must value every move, such as mcts or expectimax, got {planner!r}"
            )
        results.append(result)
        if not hasattr(result, "visits"):
            break
    return results


def _compared(
    move: MoveLoss[int], actions: NDArray[np.int32], results: list[Any], scale: float
) -> tuple[MoveLoss[int], Any]:
    """The move compared with the one that most searches recommend, and the result of one of them.

    A return of 1 of the searches is worth ``scale``.
    """
    values = np.array([result.values * scale for result in results])
    votes = np.array([int(result.action) for result in results])
    played, better = move.played, _favourite(actions, votes, values)
    result = next(each for each in results if each.action == better)
    value = float(np.nanmean(values[:, actions == better]))
    margin = value - _best_value(values[:, actions != played]) if better == played else math.nan
    differences = _differences(better, played, actions, votes, values)
    difference = float(differences.mean()) if len(differences) else math.nan
    if abs(difference) < _LEAST_LOSS:
        difference = 0.0
    count = len(differences)
    error = float(differences.std(ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    if count and not hasattr(result, "visits"):  # values of searches that draw nothing
        error = 0.0
    is_loss = better != played and not difference <= 0  # NaN is of unknown size
    compared = replace(
        move,
        better=better if is_loss else None,
        difference=difference,
        standard_error=error,
        value=value,
        margin=margin,
    )
    return compared, result


def _differences(
    better: int,
    played: int,
    actions: NDArray[np.int32],
    votes: NDArray[np.int64],
    values: NDArray[np.float64],
) -> NDArray[np.float64]:
    """How much more each search expects of the move that most others recommend.

    A single search has no others, and searches are left out that never tried one of the moves.
    """
    differences = np.empty(len(values))
    for i, own in enumerate(values):
        others = np.arange(len(values)) != i
        choice = _favourite(actions, votes[others], values[others]) if others.any() else better
        differences[i] = (own[actions == choice] - own[actions == played])[0]
    return differences[np.isfinite(differences)]


def _best_value(values: NDArray[np.float64]) -> float:
    """The highest mean of a column of float64[searches, n], NaNs left out; NaN if there is none."""
    tried = values[:, np.isfinite(values).any(axis=0)]
    return float(np.nanmean(tried, axis=0).max()) if tried.size else math.nan


def _favourite(
    actions: NDArray[np.int32], votes: NDArray[np.int64], values: NDArray[np.float64]
) -> int:
    """The action that most searches recommend; of several, the one of the highest mean value.

    The mean is that of the searches that tried the action.
    """
    counts: Counter[int] = Counter(votes.tolist())

    def mean(action: int) -> float:
        return float(np.nanmean(values[:, actions == action]))

    return max(counts, key=lambda action: (counts[action], mean(action)))
