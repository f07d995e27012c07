"""Games turn by turn, and pictures of them, from the records of `agents.arena`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from pandas.core.groupby import SeriesGroupBy
from report import groups_by

from agents import CHANCE, Formula
from agents.arena import num_columns, record_of
from agents.evaluation import half_width
from agents.game import GameLike, replay
from carcassonne_env.measures import turns

KINDS = ("city", "road", "cloister", "farm")
NEARLY_ALL = 0.9
"""The last turn drawn for an agent is the last one that this share of its players had."""


def courses(games: Mapping[str, GameLike], table: pd.DataFrame) -> pd.DataFrame:
    """A table with one row for every turn of every game.

    Beside the columns of `carcassonne_env.measures.turns` it has ``row`` (index of the game in the
    table), ``game`` and ``agent``, and ``visits``, ``value`` and ``formula`` of the search.
    """
    rows = []
    for index, row in table.iterrows():
        plies = record_of(row).plies
        course = turns(replay(games[row["game"]], plies, row["seed"]))
        decisions = (ply for ply in plies if ply.player != CHANCE)
        for turn, ply in zip(course, decisions, strict=True):
            agent = row[f"seat_{ply.player}"]
            found = {"visits": ply.visits, "value": ply.value, "formula": ply.formula}
            rows.append({"row": index, "game": row["game"], "agent": agent, **turn, **found})
    return pd.DataFrame(rows)


def by_agent(table: pd.DataFrame) -> pd.DataFrame:
    """One row for every player of every game: ``agent``, ``seat``, ``score`` and its parts."""
    frames = []
    for seat in range(num_columns(table, "seat")):
        parts = {f"{kind}_{seat}": kind for kind in ("score", *KINDS)}
        frame = table[["game", f"seat_{seat}", "seed", *parts]]
        frames.append(frame.rename(columns={f"seat_{seat}": "agent", **parts}).assign(seat=seat))
    return pd.concat(frames, ignore_index=True)


def breakdown_figure(table: pd.DataFrame, agents: Sequence[str]) -> Figure:
    """Bars of mean final scores, divided by kind of feature, with 95% intervals of the scores."""
    players = by_agent(table).groupby("agent")
    means = players[list(KINDS)].mean().loc[list(agents)]
    figure = Figure(figsize=(1.5 + 0.9 * len(agents), 4), layout="constrained")
    ax = figure.subplots()
    bottom = np.zeros(len(agents))
    for kind, colour in zip(KINDS, ("#c9905a", "#9aa3ad", "#b5473c", "#7ba34f"), strict=True):
        ax.bar(list(agents), means[kind], bottom=bottom, label=kind, color=colour)
        bottom += means[kind].to_numpy()
    error = players["score"].agg(half_width).loc[list(agents)]
    ax.errorbar(list(agents), bottom, error, fmt="none", color="black", lw=1, capsize=3)
    ax.set(ylabel="mean final score, with 95% interval")
    ax.tick_params(axis="x", rotation=45)
    ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
    return figure


def turn_figure(course: pd.DataFrame, columns: Mapping[str, str]) -> Figure:
    """Means by the player's own turn: one plot for each column, one line for each agent.

    Bands are 95% intervals of the means. Some players have fewer turns than others. All means of an
    agent are those of the same players, so that numbers which grow in every game grow in the
    picture: see `same_players`. Columns of the table from `courses` have labels of their axes.
    """
    agents = {agent: same_players(rows) for agent, rows in groups_by(course, "agent").items()}
    figure = Figure(figsize=(4.5 * len(columns) + 2, 3.8), layout="constrained")
    axes = figure.subplots(1, len(columns), squeeze=False)[0]
    handles = {}
    for ax, (column, name) in zip(axes, columns.items(), strict=True):
        for i, (agent, rows) in enumerate(agents.items()):
            values = rows.dropna(subset=column).groupby("own_turn")[column]
            if len(values):
                handles[agent] = draw_mean(ax, values, color=f"C{i}")
        ax.set(xlabel="turn of the player", ylabel=name)
    place = {"loc": "outside right upper", "frameon": False}
    figure.legend(handles.values(), handles.keys(), title="Bands: 95% intervals", **place)
    return figure


def draw_mean(ax: Axes, values: SeriesGroupBy, **style: str) -> Line2D:
    """Draws the mean of each group, with the band of its 95% interval."""
    mean, error = values.mean(), values.agg(lambda group: half_width(group.astype(float)))
    (line,) = ax.plot(mean, **style)
    band = mean - error, mean + error
    ax.fill_between(mean.index, *band, color=line.get_color(), alpha=0.15, lw=0)
    return line


def same_players(course: pd.DataFrame) -> pd.DataFrame:
    """The turns of an agent, numbered in ``own_turn``, as far as the same players had them.

    That is up to the last one that `NEARLY_ALL` of the players had, of those who had it.
    """
    players = course.groupby(["row", "player"])
    lengths = players["agent"].transform("size")
    sizes = players.size().sort_values(ascending=False)
    last = sizes.iloc[math.ceil(NEARLY_ALL * players.ngroups) - 1]
    course = course.assign(own_turn=players.cumcount() + 1)
    return course[(lengths >= last) & (course["own_turn"] <= last)]


def with_formula_sizes(course: pd.DataFrame) -> pd.DataFrame:
    """Adds ``size``, the number of nodes of the evolved formula; NaN where none evolved."""
    sizes = {text: Formula(text).size for text in course["formula"].unique() if text}
    return course.assign(size=course["formula"].map(sizes))
