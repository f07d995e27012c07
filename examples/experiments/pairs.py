"""Pairs of games between two players, one in either seat; their points beside published ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from command_line import grid
from published import POWER, Comparison
from report import MAX_DIFFERENCE, with_interval
from scipy import stats

from agents.catalogue import NamedGame
from agents.experiment import run_experiment
from agents.game import play_game


def pairs_of_games(path: Path, game: str, first: str, second: str, num_pairs: int) -> pd.DataFrame:
    """Plays pairs of games: a row of `pair_of_games` for each, which are kept in the table."""
    jobs = grid(game=[game], first=[first], second=[second], seed=range(num_pairs))
    return run_experiment(path, pair_of_games, jobs)


def pair_of_games(game: str, first: str, second: str, seed: int) -> dict[str, float]:
    """The first player's share of the points, 1 a win, 0.5 a draw; in either seat; and draws."""
    leads = []
    for seat, players in enumerate(((first, second), (second, first))):
        returns = play_game(NamedGame(game), players, 2 * seed + seat).returns
        leads.append(returns[seat] - returns[1 - seat])
    begun, followed = map(points_of, leads)
    return {
        "points": (begun + followed) / 2,
        "in_first_seat": begun,
        "in_second_seat": followed,
        "draws": leads.count(0) / 2,
    }


def points_of(lead: Any) -> Any:
    """The points for a lead, or for a series of leads: 1 a win, 0.5 a draw."""
    return (lead > 0) + 0.5 * (lead == 0)


def compare_points(
    row: tuple[str, ...],
    column: str,
    points: pd.Series,
    published: Sequence[float],
    num_games: int,
    *,
    whole: int = 1,
    decimals: int = 3,
) -> Comparison:
    """Compares our share of the points with a published one of so many games.

    Both errors are estimated with one more win and one more loss on either side (Agresti and Caffo,
    2000), so that they are above 0 where all games were won. That of the published share is the
    largest possible; draws make it smaller.

    Args:
        row: See `Comparison`.
        column: What is compared.
        points: The shares of our pairs of games.
        published: The published points, of one run or more: the number nearest to ours in their
            range counts.
        num_games: The number of published games.
        whole: The number of published points that all wins would give.
        decimals: The decimals that are printed.
    """
    mean, texts = points.mean(), [f"{number:.{decimals}f}" for number in published]
    nearest = min(max(mean, min(published) / whole), max(published) / whole)
    ours = pd.concat([points, pd.Series([0.0, 1.0])]).sem()
    share = (nearest * num_games + 1) / (num_games + 2)
    error = math.hypot(ours, math.sqrt(share * (1 - share) / (num_games + 2)))
    difference = float(mean - nearest)
    z, visible = difference / error, (MAX_DIFFERENCE + stats.norm.ppf(POWER)) * error
    return Comparison(
        row,
        column,
        with_interval(whole * points, decimals),
        "-".join(texts),
        whole * nearest,
        whole * difference,
        z,
        float(2 * stats.norm.sf(abs(z))),
        whole * float(visible),
        difference != 0,
    )
