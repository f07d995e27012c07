"""Pictures of all games, and of search trees: what all of them keep to."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest

from agents import MCTS
from agents.forward_model import ForwardModel
from agents.games import Dodgem, Hex, Reversi, TacticsModel
from agents.pictures import rasterize
from agents.svg import text_svg, text_width
from carcassonne_env import CarcassonneModel
from fop_env import FopModel
from models import positions as course
from pictures import check_document

GAMES = {
    "carcassonne": lambda: CarcassonneModel(3, 2, "small"),
    "dodgem": lambda: Dodgem(5),
    "fop": lambda: FopModel("f1"),
    "fop in two dimensions": lambda: FopModel("f1", dimensions=2, threshold=0.01),
    "hex": lambda: Hex(5),
    "reversi": lambda: Reversi(),
    "reversi plus": lambda: Reversi(plus=True),
    "tactics": lambda: TacticsModel(),
}
GROWING = {"carcassonne", "tactics"}
"""Games whose pictures grow with the board, or with what there is to say."""


GOLDEN = {"dodgem", "hex", "reversi", "tactics"}


def svg_of(model: ForwardModel) -> str:
    if hasattr(model, "_repr_svg_"):
        return str(model._repr_svg_())
    return str(model._repr_html_()).partition("<div>")[0]


def positions(name: str) -> list[ForwardModel]:
    """Positions of a random game: the first three, one in its course, and its end."""
    found = [model.clone() for model in itertools.islice(course(GAMES[name](), 3), 200)]
    return [*found[:3], found[len(found) // 2], found[-1]]


@pytest.mark.parametrize("name", GAMES)
def test_pictures_of_games(name, golden):
    models = positions(name)
    pictures = [svg_of(model) for model in models]
    assert pictures == [svg_of(model.clone()) for model in models]
    assert len(set(pictures)) >= 4
    roots = [check_document(svg, has_fonts=name == "hex") for svg in pictures]
    assert len({root.get("viewBox") for root in roots}) == 1 or name in GROWING
    if name in GOLDEN:
        golden(f"picture_{name}.svg", pictures[3])


def test_pictures_of_trees():
    result = MCTS(200, c=0.1, seed=1).search(Hex(3))
    check_document(result.to_svg(max_nodes=30), has_fonts=True)
    assert result.to_svg() == result.to_svg() != result.to_svg(max_nodes=30)


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_texts_are_where_they_are_told(anchor):
    """They are labelled, have a size, and unknown characters are boxes."""
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    group = ElementTree.fromstring(text_svg("Ab <1 ж", 100, 50, 32, "#123", anchor))
    left, top = 100 - shift * text_width("Ab <1 ж", 32), 50 - 32 / 2
    assert group.get("transform") == f"translate({left:.5g} {top:.5g}) scale(2)"
    assert (group.get("aria-label"), group.get("stroke")) == ("Ab <1 ж", "#123")
    assert [path.get("transform") for path in group][:2] == ["translate(0 0)", "translate(14 0)"]
    assert group[-1].get("d") == "M0 0H10V16H0Z"
    assert text_width("", 32) == 0


@pytest.mark.parametrize("name", ["dodgem", "reversi"])
def test_numbers_are_seen_without_fonts(name):
    svg = svg_of(GAMES[name]())
    start = svg.index('<g aria-label="1"')
    end = svg.index("</g>", start) + 4
    assert (rasterize(svg) != rasterize(svg[:start] + svg[end:])).any()
