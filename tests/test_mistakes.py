"""Positions in which good players erred: the file, their losses, and the search for them."""

from __future__ import annotations

import argparse
import json
import math

import find_mistakes
import mistakes
import numpy as np
import pytest
from endings import ending
from mistakes import FILE, GREEDY, leads_after, loss_in, loss_of, model_of, positions_of
from report import Report

from playing import late

POSITIONS = positions_of(FILE)
LATE = [*sorted(POSITIONS, key=lambda name: sum(model_of(POSITIONS[name]).bag.values()))[:2]]
"""Positions near the end of a game, whose rollouts are short."""


def test_positions_are_clear_mistakes():
    assert len(POSITIONS) >= 60
    for position in POSITIONS.values():
        model = model_of(position)
        assert model.is_legal(position["played"])
        assert model.is_legal(position["better"])
        assert position["draws"] == 2000
        assert position["loss"] > find_mistakes.CLEAR * position["error"] > 0


@pytest.mark.parametrize("name", LATE)
def test_losses_of_the_file_can_be_repeated(name):
    """Equal moves meet equal draws, and fresh draws agree with those of the file."""
    position = POSITIONS[name]
    better, played = position["better"], position["played"]
    leads = leads_after(model_of(position), [better, better, played], 300, seed=5)
    assert loss_of(*leads[:, :2].T) == (0, 0)
    loss, error = loss_of(*leads[:, 1:].T)
    assert abs(loss - position["loss"]) < 4 * math.hypot(error, position["error"])
    mean_error = leads[:, 0].std() * math.sqrt(1 / 300 + 1 / 2000)
    assert abs(leads[:, 0].mean() - position["lead"]) < 4 * mean_error
    assert loss_in(FILE, name, better, 2, 0)["loss"] == 0
    assert loss_in(FILE, name, played, 2, 0)["loss"] == position["loss"]


def test_leads_of_the_last_move_are_exact():
    model = late(0, seed=1, tiles="small")
    player, actions, leads = model.current_player(), model.legal_actions().tolist(), []
    for action in actions:
        final = model.clone()
        final.apply_action(action)
        leads.append(final.scores[player] - final.scores[1 - player])
    assert len(set(leads)) > 1
    np.testing.assert_allclose(leads_after(model, actions, 2, seed=0), [leads, leads])


def test_score(tmp_path):
    """The mean loss in two positions, one move of which may be valued anew."""
    file = tmp_path / "two.json"
    file.write_text(json.dumps([POSITIONS[name] for name in LATE]))
    args = argparse.Namespace(
        players=[GREEDY, "greedy"], file=file, draws=6, seed=1, out=tmp_path, quick=False
    )
    report = Report(args, "mistakes", "Mistakes")
    mistakes.main(report)
    for player in args.players:
        actions = [mistakes.move_of(file, player, name, 1)["action"] for name in LATE]
        losses = [
            loss_in(file, name, action, 6, 1)["loss"]
            for name, action in zip(LATE, actions, strict=True)
        ]
        (line,) = (line for line in report.parts[-1].split("\n") if f"`{player}`" in line)
        assert line.split("|")[4].split()[0] == f"{np.mean(losses):.2f}"


def test_mistakes_are_found(tmp_path, monkeypatch):
    """A known mistake is found again, its better move is none, and games are looked through."""
    position = POSITIONS[LATE[0]]
    model, played, better = model_of(position), position["played"], position["better"]
    found = find_mistakes.better_move(model, played, np.random.SeedSequence(8))
    assert found is not None
    assert found["better"] == better
    assert found["first_loss"] >= find_mistakes.LEAST_LOSS
    assert find_mistakes.better_move(model, better, np.random.SeedSequence(8)) is None

    monkeypatch.setattr(find_mistakes, "TREE", "strongest(iterations=10)")
    monkeypatch.setattr(find_mistakes, "FIRST_DRAWS", (8, 16))
    monkeypatch.setattr(find_mistakes, "MOVES", {"2p-7m-small-s": (6, 0.5)})
    args = argparse.Namespace(player="random", games=[2], draws=20, out=tmp_path, quick=False)
    report = Report(args, "find_mistakes", "")
    find_mistakes.main(report)
    positions = positions_of(tmp_path / FILE.name)
    assert f"{len(positions)} positions" in report.parts[-1]
    assert 0 < len(positions) <= 12
    for position in positions.values():
        assert model_of(position).is_legal(position["played"])
        assert position["loss"] > find_mistakes.CLEAR * position["error"]


def test_endings():
    """Expectimax to the end of the game loses nothing, and random moves do."""
    assert ending("expectimax(depth=2)", 2, seed=0)["loss"] == 0
    assert ending("random", 2, seed=0)["loss"] > 0
