"""Search trees as pages of HTML."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from agents import CHANCE, MCTS, Rng, make
from agents.forward_model import ForwardModel
from agents.games.hex.model import Hex
from agents.mcts.result import SearchResult
from agents.mcts.tree_page import most_visited
from browser import data_of, shown
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from games import Dice


def carcassonne() -> CarcassonneModel:
    model = CarcassonneModel(2, 3, "small")
    model.apply_action(model.sample_chance(Rng(1)))
    return model


def result_of(model: ForwardModel, iterations: int = 500, **options: Any) -> SearchResult:
    return MCTS(iterations, c=0.1, seed=1, **options).search(model)


GAMES = {"carcassonne": carcassonne, "hex": lambda: Hex(4), "fop": FopModel, "dice": Dice}


@pytest.mark.parametrize("name", GAMES)
def test_a_page_has_the_tree(name):
    result = result_of(GAMES[name]())
    data, rows = data_of(result.to_html(max_nodes=10**6)), result.tree()
    assert data["numNodes"] == len(data["nodes"]) == len(rows)
    assert sum(data["depths"]) == len(rows)
    assert data["treePolicy"].startswith("UCB1(c=0.1")
    assert not data["hasPriors"]
    paths: list[tuple[str, ...]] = []
    outcomes = []
    for parent, text, visits, mean, probability, player, num_children in data["nodes"]:
        if paths and data["nodes"][parent][5] == CHANCE:
            outcomes.append(probability)
        paths.append((*paths[parent], text) if paths else ())
        model = result.model.clone()
        for step in paths[-1]:
            model.apply_action(model.string_to_action(step))
        assert player == model.current_player()
        assert visits >= 1
        assert abs(mean) <= 100
        assert num_children >= 0
    assert len(set(paths)) == len(paths)
    assert all(0 < probability < 1 for probability in outcomes)
    assert bool(outcomes) == (name in ("carcassonne", "dice"))
    recommended = data["nodes"][data["recommended"]]
    assert recommended[:2] == [0, result.model.action_to_string(result.action)]


@pytest.mark.parametrize("count", [1, 2, 50, 300])
def test_the_most_visited_nodes_are_kept(count):
    result = result_of(carcassonne())
    rows, page = result.tree(), result.to_html(max_nodes=count)
    kept = most_visited(rows, count)
    assert len(kept) == len(data_of(page)["nodes"]) == count
    assert sorted(kept["visits"]) == sorted(rows["visits"])[-count:]
    assert (kept["parent"][1:] < np.arange(1, count)).all()
    assert data_of(page)["numNodes"] == len(rows) > count


def test_priors_are_told():
    def value(model):
        count = len(model.legal_actions())
        weights = [1.0 + i for i in range(count)]
        return [0.0, 0.0], [weight / sum(weights) for weight in weights]

    result = result_of(Hex(3), tree_policy="puct", evaluator=value)
    data = data_of(result.to_html())
    assert data["hasPriors"]
    priors = {text: prior for parent, text, _, _, prior, *_ in data["nodes"] if parent == 0}
    assert len(priors) == 9
    assert sum(priors.values()) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    "planner", ["ea-mcts(iterations=800)", "mcts(iterations=90, trees=2)", "mcts(iterations=1)"]
)
def test_every_planner_with_a_tree_has_a_page(planner):
    result = make(planner, seed=0).search(carcassonne())
    data = data_of(result.to_html())
    assert data["iterations"] == result.tree_iterations
    assert data["treePolicy"] == result.tree_policy != ""


@pytest.mark.parametrize("options", [{}, {"branching": 3, "num_players": 2, "threshold": 0.01}])
def test_a_search_of_a_function_shows_it_and_the_interval_of_every_node(options):
    start = FopModel("f4", **options)
    start.apply_action(1)
    result = result_of(start, 100)
    page = result.to_html(max_nodes=60)
    nodes = data_of(page)["nodes"]
    shown = re.findall(r'<rect data-node="(\d+)" x="(\S+)" y="(\d+)" width="(\S+)"', page)
    assert [int(row) for row, *_ in shown] == list(range(len(nodes)))
    models = [result.model]
    for parent, text, *_ in nodes[1:]:
        models.append(models[parent].clone())
        models[-1].apply_action(models[-1].string_to_action(text))
    for model, (_, x, y, width) in zip(models, shown, strict=True):
        ((left, right),) = model.intervals
        assert float(x) == pytest.approx(600 * left, rel=1e-3)
        assert float(width) == pytest.approx(max(0.7, 600 * (right - left)), rel=1e-3)
        assert int(y) - int(shown[0][2]) == 11 * (model.depth - start.depth)


def test_a_search_of_carcassonne_shows_the_moves_on_the_board():
    result = result_of(carcassonne())
    page = result.to_html(max_nodes=200)
    shown = dict(re.findall(r'class="move" data-node="(\d+)"><g .*?#tile-(\w-\d)"', page))
    models, seen = [result.model], {}
    for row, (parent, text, *_) in enumerate(data_of(page)["nodes"][1:], start=1):
        before = models[parent]
        models.append(before.clone())
        models[-1].apply_action(before.string_to_action(text))
        if not before.is_chance_node():
            letter, *_, rotation = models[-1].board[-1]
            seen[str(row)] = f"{letter}-{rotation}"
    assert shown == seen
    assert len(re.findall(r'#tile-\w-\d"', page)) == len(seen) + len(result.model.board)
    two_step = CarcassonneModel(2, 3, "small", two_step=True)
    assert two_step.tree_picture(result.tree()) is None


def test_other_games_have_no_picture():
    for model in (Dice(), FopModel("f1", dimensions=2, threshold=0.1)):
        assert '<div id="picture"></div>' in result_of(model, 50).to_html()


class Hostile(Dice):
    """Dice whose actions have dangerous names."""

    def action_to_string(self, action: int) -> str:
        return f"</script><script>alert({action})</script><!--"


def test_a_page_is_escaped_and_stands_alone(tmp_path):
    page = result_of(Hostile()).to_html(tmp_path / "tree.html")
    assert (tmp_path / "tree.html").read_text(encoding="utf-8") == page
    assert page.count("<script") == page.count("</script>") == 2
    assert "<!--" not in page
    assert data_of(page)["nodes"][1][1].startswith("</script><script>alert(")
    outside = r"""https?:(?!//www\.w3\.org/2000/svg)|(?:src|href)=|@import|url\("""
    assert not re.search(outside, page)


@pytest.mark.parametrize("max_nodes", [0, -1, 1.5, True, "all"])
def test_a_bad_number_of_nodes_is_refused(max_nodes):
    for name in ("to_html", "to_dot", "to_svg"):
        with pytest.raises(ValueError, match=r"max_nodes must be an integer in \[1, .*got"):
            getattr(result_of(Dice(), 20), name)(max_nodes=max_nodes)


def test_pages_are_equal():
    assert result_of(carcassonne()).to_html() == result_of(carcassonne()).to_html()


@pytest.mark.slow
def test_a_browser_opens_and_sorts_the_nodes(tmp_path):
    result = result_of(carcassonne())
    page = result.to_html(max_nodes=100)
    program = '$("line").click(); $("close").click(); $("order").value = "mean"; turn(root, true);'
    elements = shown(page.replace("\ndraw();\n", f"\ndraw();\n{program}\n"), tmp_path)
    assert "The page has the 100 most visited of" in elements
    assert f"The search is that of player {result.player + 1}." in elements
    rows = re.findall(r'aria-level="2".*?#(tile-\w-\d)".*?<td>[\d,]+</td><td>(.*?)</td>', elements)
    nodes = [node for node in data_of(page)["nodes"][1:] if node[0] == 0]
    means = sorted((node[3] for node in nodes), reverse=True)
    assert [points for _, points in rows] == [f"{mean * result.points:.2f}" for mean in means]
    assert len({tile for tile, _ in rows}) > 1  # as they lie
    assert elements.count("(recommended)") == 2  # once in the script


@pytest.mark.slow
def test_a_click_on_an_interval_opens_its_node(tmp_path):
    page = result_of(FopModel()).to_html()
    program = """
        const click = new Event("click", { bubbles: true });
        document.querySelector("[data-node='9']").dispatchEvent(click);
        light(nodes[9]);"""
    elements = shown(page.replace("\ndraw();\n", f"\ndraw();\n{program}\n"), tmp_path)
    assert re.findall(r'data-node="(\d+)"[^>]*class="lit path"', elements) == ["9"]
    depth = int(result_of(FopModel()).tree()["depth"].max())
    assert 3 <= max(map(int, re.findall(r'aria-level="(\d+)"', elements))) <= depth
