"""What ``carcassonne analyse`` prints of a search: tables, the expected line, and pictures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Column, Table

from agents.agent import Planner
from agents.forward_model import CHANCE
from agents.pictures import save
from agents.playing.found import candidates

from ..drawing.rendering import board_text
from ..model import CarcassonneModel
from ..play.reasons import change_words, changes
from ..play.session import heat_of, points_of_return
from ..play.words import feature_words, move_words
from ..tiles import LETTERS


def tell(model: CarcassonneModel, agent: Planner, results: Sequence[Any], moves: int) -> None:
    """Prints a position, and what searches of it found; of the first one, the best moves."""
    result, shown = results[0], [with_actions(result) for result in results]
    console = Console()
    print(board_with_cells(model))
    console.print(outlook_table(model))
    console.print(root_table(agent, shown[0], model, moves))
    console.print(reasons_table(shown[0], model, moves))
    if len(results) > 1:
        console.print(choices_table(model, shown, points_of_return(agent, model)))
    if hasattr(result, "iterations"):
        effort = f"{result.iterations:,} iterations in {result.seconds:.2f} s"
        console.print(f"\n[bold]Search[/bold] of {effort}", highlight=False)
    console.print("\n[bold]Expected line[/bold] (with the most likely draws)")
    for line in line_words(model, agent.principal_variation(result)):
        console.print(f"  {line}", highlight=False)


def write_pictures(model: CarcassonneModel, result: Any, out: Path) -> None:
    """Writes the position, and where the search looked, and prints the paths."""
    out.mkdir(parents=True, exist_ok=True)
    pictures = {"position": model.svg()}
    if hasattr(result, "actions"):
        pictures["visits"] = model.svg(heat=heat_of(model, result))
    for name, svg in pictures.items():
        save(svg, out / f"{name}.svg")
        print(f"Picture: {out / f'{name}.svg'}")


def with_actions(result: Any) -> Any:
    """The result; or, of one that compares no actions, the chosen one as the only action."""
    if hasattr(result, "actions"):
        return result
    actions, values = np.array([result.action]), np.array([result.value])
    return SimpleNamespace(action=actions[0], actions=actions, values=values, are_exact=[True])


def right(*names: str) -> list[Column]:
    """Columns of a table whose cells end at the right."""
    return [Column(name, justify="right") for name in names]


def board_with_cells(model: CarcassonneModel) -> str:
    """The position as text, with x coordinates below the board and y coordinates at its left."""
    columns, rows = [tile.x for tile in model.board], [tile.y for tile in model.board]
    lines = board_text(
        model.board,
        model.placed_meeples,
        current_tile=model.current_tile,
        scores=model.scores,
        meeples_in_hand=model.meeples,
        first=1,
    ).splitlines()
    height = 3 * (max(rows) - min(rows) + 1)
    labels = [f"{max(rows) - i // 3:3}" if i % 3 == 1 else "   " for i in range(height)]
    board = [f"{label} {line}" for label, line in zip(labels, lines[:height], strict=True)]
    cells = "".join(f"{x:^7}" for x in range(min(columns), max(columns) + 1))
    return "\n".join([*board, f"    {cells}".rstrip(), *lines[height:]])


def root_table(planner: Planner, result: Any, model: CarcassonneModel, count: int) -> Table:
    """A table of the moves at the root, best first, with values in points."""
    title = f"Tile {model.current_tile}, player {model.current_player() + 1} to move"
    scale = points_of_return(planner, model)
    has_visits = hasattr(result, "visits")
    errors = getattr(result, "standard_errors", np.full(len(result.actions), np.nan))
    has_errors = bool(np.isfinite(errors).any())
    race = getattr(result, "race", None)
    rollouts = {} if race is None else dict(zip(race.actions, race.rollouts, strict=True))
    names = ["visits"] * has_visits + ["rollouts"] * bool(rollouts)
    names += ["points"] + ["± error"] * has_errors
    table = Table("move", *right(*names), title=title)
    for i, action, visits, value in candidates(result, count):
        bound = "" if has_visits or result.are_exact[i] else " or less"
        cells = [f"{visits:,}"] if has_visits else []
        cells += [f"{rollouts.get(action, 0):,}"] if rollouts else []
        cells += [f"{value * scale:+.2f}{bound}"]
        error = [f"{errors[i] * scale:.2f}"] * has_errors
        table.add_row(marked(action, result, model), *cells, *error)
    if len(result.actions) > count:
        table.caption = f"and {len(result.actions) - count} more"
    return table


def reasons_table(result: Any, model: CarcassonneModel, count: int) -> Table:
    """A table of what the best moves change in the lead to expect, by features."""
    table = Table("move", *right("lead"), "of this")
    table.title = "What moves change in the lead to expect"
    table.caption = "by the outlook alone, without a search"
    for _, action, *_ in candidates(result, count):
        found = changes(model, action)
        lead = f"{sum(found.values()):+.1f}"
        table.add_row(marked(action, result, model), lead, change_words(found))
    return table


def marked(action: int, result: Any, model: CarcassonneModel) -> str:
    """A move in words; a star marks the one that the search chose."""
    mark = "*" if action == result.action else " "
    return f"{mark} {move_words(model.decode_action(action))}"


def choices_table(model: CarcassonneModel, results: Sequence[Any], scale: float) -> Table:
    """A table of the moves that searches of one position chose, the most frequent first.

    A return of 1 is worth ``scale`` points.
    """
    columns = right("chosen", "points, mean ± deviation over searches")
    title = f"Choices of {len(results)} searches with different seeds"
    table = Table("move", *columns, title=title)
    for action, count in Counter(int(result.action) for result in results).most_common():
        values = scale * np.array([value_of(result, action) for result in results])
        known = values[~np.isnan(values)]
        spread = f" ± {known.std(ddof=1):.2f}" if len(known) > 1 else ""
        words = move_words(model.decode_action(action))
        table.add_row(words, f"{count} of {len(results)}", f"{known.mean():+.2f}{spread}")
    return table


def value_of(result: Any, action: int) -> float:
    """The return that a search expects of an action; NaN if it says nothing about the action."""
    found = result.values[result.actions == action]
    return float(found[0]) if len(found) else np.nan


def outlook_table(model: CarcassonneModel) -> Table:
    """A table of the final scores to expect, by what they come from, the largest first."""
    points: dict[str, list[float]] = defaultdict(lambda: [0.0] * model.num_players)
    for entry in model.outlook():
        source = entry.term if entry.feature is None else feature_words(entry.feature)
        points[source][entry.player] += entry.points
    table = Table("from", *right(*(f"player {i + 1}" for i in range(model.num_players))))
    table.title, table.caption = "Final scores to expect", "carcassonne_env/README.md explains them"
    for source, row in sorted(points.items(), key=lambda item: -max(map(abs, item[1]))):
        table.add_row(source, *(f"{value:.1f}" if value else "" for value in row))
    table.add_section()
    table.add_row("sum", *(f"{value:.1f}" for value in model.expected_scores))
    return table


def line_words(model: CarcassonneModel, line: list[tuple[int, int]]) -> list[str]:
    """A line of play in words."""
    model, words = model.clone(), []
    for player, action in line:
        is_chance = player == CHANCE
        move = f"tile {LETTERS[action]}" if is_chance else move_words(model.decode_action(action))
        words.append(f"{'chance' if is_chance else f'player {player + 1}'}: {move}")
        model.apply_action(action)
    return words
