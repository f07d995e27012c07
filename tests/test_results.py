"""Results of searches as text and as HTML: complete, escaped, and without arrays."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from agents import CHANCE, MCTS, make
from agents.mcts.tree_page import most_visited
from agents.mcts.tree_pictures import _quoted
from agents.tables import MAX_ROWS, ActionTable, markdown
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import TicTacToe

TABLE = ActionTable(["action", "n"], [[f"a<{i}>", str(i)] for i in range(14)], ["1 & 2"])


def drawn() -> CarcassonneModel:
    model = CarcassonneModel()
    model.apply_action(4)
    return model


def test_tables_show_the_first_rows_and_mark_the_chosen_one():
    header, *rows, rest, note = TABLE.text().splitlines()
    assert header.split() == ["action", "n"]
    assert [row.split()[-1] for row in rows] == [*map(str, range(MAX_ROWS))]
    assert [row.startswith("* ") for row in rows] == [True] + [False] * (MAX_ROWS - 1)
    assert len({len(row) for row in rows}) == 1
    assert (rest, note) == ("  ... 4 more actions", "1 & 2")


def test_bars_do_not_end_the_cells_of_a_table_in_markdown():
    table = markdown(["player", "games"], [["a|b", "2"]])
    assert table.splitlines() == ["| player | games |", "| --- | --- |", r"| a\|b | 2 |"]


def test_tables_in_html_are_escaped():
    html = TABLE.html()
    assert html.count("<tr") == 1 + MAX_ROWS
    assert re.findall(r"bold[^/]*?(a&lt;\d+&gt;)", html) == ["a&lt;0&gt;"]
    assert "... 4 more actions" in html
    assert "1 &amp; 2" in html
    assert "a<" not in html


@pytest.mark.parametrize(
    ("agent", "game"),
    [
        ("mcts(iterations=200)", drawn()),
        ("ea-mcts(iterations=700)", FopModel()),
        ("expectimax(depth=1)", drawn()),
        ("greedy-turn", drawn()),
    ],
)
def test_results_show_no_arrays(agent, game):
    result = make(agent, seed=0).search(game)
    move = game.action_to_string(result.action)
    for text in (repr(result), str(result), result._repr_html_()):
        assert move in text
        assert not re.search(r"array\(|\[|0x", text)
    assert "\n" not in repr(result)


def test_results_rank_their_actions_as_they_chose():
    model = drawn()
    search = make("mcts(iterations=300, c=0.02)", seed=0).search(model)
    assert search.ranking()[0] == list(search.actions).index(search.action)
    assert (np.diff(search.visits[search.ranking()[1:]]) <= 0).all()
    ahead = make("expectimax(depth=1, heuristic=vs)", seed=0).search(model)
    assert (np.diff(ahead.values[ahead.ranking()]) <= 0).all()
    assert ahead.actions[ahead.ranking()[0]] == ahead.action
    result = make("strongest(iterations=2000, tree_iterations=200)", seed=0).search(model)
    race = result.race
    order = result.actions[result.ranking()]
    assert order[0] == race.action
    assert set(order[: race.num_left]) == set(race.actions[race.is_left])
    assert set(order[: len(race.actions)]) == set(race.actions)
    header, chosen, *_ = str(result).splitlines()
    assert header.split()[1:3] == ["visits", "rollouts"]
    assert f" {race.rollouts[race.actions == race.action][0]}  " in chosen


def test_evolved_formulas_are_told():
    result = make("ea-mcts(iterations=700)", seed=0).search(FopModel())
    assert f"evolved formula: {result.evolution.formula.simplified()}" in str(result)
    assert repr(result.evolution).startswith("<Evolution: ")


def test_means_are_told_in_points_where_returns_are_points():
    model = drawn()
    result = MCTS(200, seed=0).search(model)
    assert result.points == model.max_score() == 593
    row = next(line for line in str(result).splitlines() if line.startswith("*"))
    mean = result.means[np.flatnonzero(result.actions == result.action)[0]]
    assert row.split()[-2] == f"{593 * mean:+.2f}"
    assert MCTS(50, rollout_policy="win", seed=0).search(model).points is None
    assert MCTS(50, seed=0).search(TicTacToe()).points is None
    assert "points" not in str(MCTS(50, seed=0).search(TicTacToe()))


# --- Trees ---


@pytest.mark.parametrize("max_nodes", [1, 2, 30, 10_000])
def test_trees_are_drawn(max_nodes, tmp_path):
    """The most visited nodes: as nodes and edges of a graph, as texts and lines of a picture."""
    result = MCTS(200, c=0.02, seed=0).search(drawn())
    count = min(max_nodes, result.search_tree.num_nodes)
    dot = result.to_dot(tmp_path / "tree.dot", max_nodes)
    assert (tmp_path / "tree.dot").read_text(encoding="utf-8") == dot
    nodes = re.findall(r'^  (\d+) \[label="(.*)", shape=\w+, peripheries=\d\]$', dot, re.MULTILINE)
    edges = re.findall(r"^  (\d+) -> (\d+) ", dot, re.MULTILINE)
    assert len(nodes) == count
    assert [child for _, child in edges] == [row for row, _ in nodes[1:]]
    assert all(int(parent) < int(child) for parent, child in edges)
    assert nodes[0][1].startswith("root\\n200 visits, points ")
    svg = ElementTree.fromstring(result.to_svg(tmp_path / "tree.svg", max_nodes))
    texts = svg.findall("{*}text")
    assert (len(texts), len(svg.findall("{*}path"))) == (count, count - 1)
    assert len({(text.get("x"), text.get("y")) for text in texts}) == count
    chosen = [text.text for text in texts if text.get("font-weight")]
    words = result.model.action_to_string(result.action)
    assert [text.startswith(words) for text in chosen] == [True] * (count > 1)
    assert dot.count("peripheries=2") == (count > 1)


def test_pictures_of_trees_tell_what_the_table_and_the_page_tell():
    """Lines are as wide as the share of all visits, values are as in the table, draws are named."""
    model = drawn()
    result = MCTS(200, c=0.02, seed=0).search(model)
    rows = most_visited(result.tree(), 60)
    svg, dot = ElementTree.fromstring(result.to_svg(max_nodes=60)), result.to_dot(max_nodes=60)
    shares = rows["visits"][1:] / 200
    widths = [float(line.get("stroke-width")) for line in svg.findall("{*}path")]
    np.testing.assert_allclose(widths, np.maximum(12 * shares, 0.5), atol=0.051)
    widths = [float(width) for width in re.findall(r"penwidth=(.*?)\]", dot)]
    np.testing.assert_allclose(widths, np.maximum(6 * shares, 0.3), atol=0.051)
    texts = [text.text for text in svg.findall("{*}text")]
    labels = [label.replace("\\n", ": ") for label in re.findall(r'label="(.*?)"', dot)]
    assert [re.sub(r"visits (\d+)", r"\1 visits", text) for text in texts] == labels
    assert texts[0].startswith("root: visits 200, points ")
    for row, text in zip(rows[1:], texts[1:], strict=True):
        assert text.endswith(f": visits {row['visits']}, points {593 * row['mean']:+.2f}")
        is_draw = rows["player"][row["parent"]] == CHANCE
        assert bool(re.match(r"chance: [A-X]: ", text)) == is_draw
    assert sum(text.startswith("chance") for text in texts) > 5
    other = MCTS(200, seed=0).search(TicTacToe()).to_svg(max_nodes=10)
    assert re.search(r"root: visits 200, mean -?0\.\d{4}<", other)


def test_labels_of_graphs_are_escaped():
    assert _quoted('a "b" \\ c\nd') == '"a \\"b\\" \\\\ c\\nd"'
