"""Fits the outlook's chances of completion to what becomes of features.

The outlook plays games against itself, greedily: the base game for two, and the 24-tile game for
one player with 3 meeples. In every sixth position before a draw, the script notes the unfinished
cities, roads and cloisters, and at the end of the game which of them were completed. It then finds
the numbers that `carcassonne_env.outlook.set_demands` takes, by maximum likelihood. Choose another
``--out`` after you change the outlook.

``python examples/experiments/outlook_chances.py --games 200 --jobs 2``
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from outlook_calibration import CLAIMED, GAMES, KINDS, options, played
from report import Report, markdown, run
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import entropy

from agents.catalogue import make_game
from agents.forward_model import ForwardModel
from agents.progress import progress_bar
from carcassonne_env.outlook import DEMANDS_OF_ONE, DEMANDS_OF_SEVERAL, set_demands

STEP = 6
"""One position in so many before a draw is noted."""
FIRST = np.array([1.0, 2.0])
"""Where each fit starts: the logarithm of `others`, and the log odds of `together`."""
MARGIN = 1e-4
"""Chances are clipped to [MARGIN, 1 - MARGIN]: one wrong certainty would make the loss infinite."""

Position = tuple[ForwardModel, NDArray[np.bool_]]
"""A position, and which of its `completion_chances` came true."""


def main(report: Report) -> None:
    for title, game in GAMES.items():
        rows = played(title, game, report.args)
        positions = [p for row in progress_bar(rows, desc="positions") for p in positions_of(*row)]
        players = positions[0][0].num_players
        report.section(
            title,
            f"{report.args.games} games, {len(positions):,} positions. *Others* and *together* are "
            "the arguments of `set_demands`. The last three columns are the mean negative log "
            "likelihood of what became of the features: with the fitted numbers, with those in "
            "use, and with one chance for all, the share completed.",
            markdown(
                ["", "features", "completed", "others", "together", "fit", "in use", "share"],
                fits(positions, players),
            ),
        )


def positions_of(game: str, plies: list[int]) -> Iterator[Position]:
    """Positions before a draw, with what became of their features."""
    model, noted = make_game(game), []
    for ply in plies:
        if model.is_chance_node() and len(model.board) % STEP == 0:
            noted.append(model.clone())
        model.apply_action(ply)
    is_complete = {part: f.is_complete for f in model.features for part in f.segments}
    for position in noted:
        features = [feature for feature, _ in position.completion_chances()]
        outcomes = [is_complete[next(iter(f.segments))] for f in features]
        yield position, np.array(outcomes, dtype=bool)


def fits(positions: list[Position], players: int) -> Iterator[list[str]]:
    """A row for each kind of feature, with and without meeples."""
    shipped = np.array(DEMANDS_OF_ONE if players == 1 else DEMANDS_OF_SEVERAL)
    for kind, name in enumerate(KINDS):
        for held in (False, True):
            yield [f"{name} {CLAIMED[held]}", *fit(positions, players, shipped, kind, held)]
    set_demands(players, shipped)


def fit(
    positions: list[Position], players: int, shipped: NDArray[np.float64], kind: int, held: bool
) -> list[str]:
    """The cells of a row after the first one."""
    chosen = [which(position, KINDS[kind], held) for position, _ in positions]
    outcomes = np.concatenate([y[i] for (_, y), i in zip(positions, chosen, strict=True)])

    def loss(demand: NDArray[np.float64]) -> float:
        """The mean negative log likelihood of the outcomes with this demand in place of ours."""
        demands = shipped.copy()
        demands[kind, int(held)] = demand
        set_demands(players, demands)
        found = [
            np.array([chance for _, chance in position.completion_chances()])[i]
            for (position, _), i in zip(positions, chosen, strict=True)
            if i.any()
        ]
        chances = np.concatenate(found).clip(MARGIN, 1 - MARGIN)
        return float(-np.log(np.where(outcomes, chances, 1 - chances)).mean())

    if len(set(outcomes)) < 2:  # there is nothing to fit
        return [f"{len(outcomes):,}"] + [""] * 6
    found = minimize(lambda x: loss(demand_of(x)), FIRST, method="Nelder-Mead", tol=1e-3)
    demand, share = demand_of(found.x), outcomes.mean()
    losses = found.fun, loss(shipped[kind, int(held)]), entropy([share, 1 - share])
    values = [f"{share:.3f}", *(f"{value:.2f}" for value in demand)]
    return [f"{len(outcomes):,}", *values, *(f"{value:.3f}" for value in losses)]


def which(position: ForwardModel, kind: str, held: bool) -> NDArray[np.bool_]:
    """Which of the unfinished features are of a kind, with or without meeples."""
    features = (feature for feature, _ in position.completion_chances())
    return np.array([f.kind == kind and any(f.meeples) == held for f in features], dtype=bool)


def demand_of(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """`others` and `together` from the numbers that the search varies."""
    return np.array([np.exp(x[0]), expit(x[1])])


if __name__ == "__main__":
    title = "The outlook's chances of completion"
    run(main, title, **options(games=200, seed=1))
