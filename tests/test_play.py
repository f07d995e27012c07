"""A game that people play, without a screen: the session, the move selected, and the words."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from agents import MCTS, Expectimax, Rng
from agents.playing.game_file import new_name, path_of
from agents.playing.players import names_of, players_of
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.play import words
from carcassonne_env.play.points import final_points
from carcassonne_env.play.selection import Selection, nearest
from carcassonne_env.play.session import Session, decision, found_by
from carcassonne_env.play.view import forecast_of
from carcassonne_env.tiles import LETTERS
from playing import SMALL, LastPlanner, Told, middle_of_a_game, replayed

# The selection


@pytest.mark.parametrize("seed", range(3))
def test_the_selection_is_always_legal_and_reaches_every_move(seed):
    model = middle_of_a_game(seed)
    selection = Selection(model)
    legal = model.legal_actions().tolist()
    assert selection.num_moves == len(legal)
    assert set(selection.cells) == set(model.legal_cells)
    reached = set()
    for _ in selection.cells:
        for _ in range(len(selection.actions[selection.cell])):
            for _ in range(selection.num_targets + 1):
                assert model.encode_action(selection.move) == selection.action
                reached.add(selection.action)
                selection.next_target(1)
            selection.rotate(1)
        selection.next_cell(1)
    assert reached == set(legal)
    for action in legal:
        selection.choose(action)
        assert selection.action == action


def test_the_selection_begins_near_the_last_tile_and_ignores_other_cells():
    model = middle_of_a_game()
    selection = Selection(model)
    x, y = model.board[-1][1:3]
    distances = {cell: abs(cell[0] - x) + abs(cell[1] - y) for cell in model.legal_cells}
    assert distances[selection.cell] == min(distances.values())
    before = selection.move
    selection.select((40, 40))
    assert selection.move == before


def test_the_meeple_stays_on_its_segment_when_the_tile_is_turned():
    model = CarcassonneModel(tiles={"D": 1, "V": 1})
    model.apply_action(model.sample_chance(0))
    selection = Selection(model)
    while len(selection.actions[selection.cell]) < 2:
        selection.next_cell(1)
    selection.next_target(1)
    slot = selection.slot
    selection.rotate(1)
    assert selection.slot == slot > 0


@pytest.mark.parametrize(
    ("direction", "expected"),
    [("right", (3, 0)), ("left", (-1, 1)), ("up", (0, 2)), ("down", (0, 0))],
)
def test_the_nearest_cell_lies_ahead(direction, expected):
    assert nearest([(0, 0), (3, 0), (2, 3), (-1, 1), (0, 2)], (0, 0), direction) == expected


# Words


def result(*scores: int) -> str:
    model: Any = SimpleNamespace(num_players=len(scores), scores=scores)
    return words.result_words(model, ["you", "B"][: len(scores)])


FARM = ("farm", frozenset({"NL", "ER"}))


@pytest.mark.parametrize(
    ("function", "arguments", "expected"),
    [
        (words.target_words, [None], "no meeple"),
        (words.target_words, [("cloister",)], "meeple on cloister"),
        (words.target_words, [FARM], "meeple on farm N-E"),
        (words.move_words, [Move(1, -2, 3, FARM)], "(1, -2) 270° farm N-E"),
        (words.place_words, [Move(1, -2, 3, FARM)], "(1, -2) farm N-E"),
        (words.lead_words, [3.14, 2], "expects to win by 3.1"),
        (words.lead_words, [-3.14, 3], "expects to lose by 3.1"),
        (words.lead_words, [0.01, 2], "expects a draw"),
        (words.lead_words, [12, 1], "expects 12.0 points at the end"),
        (words.tile_words, ["A"], "road end, cloister"),
        (words.tile_words, ["C"], "city on 4 sides with a shield"),
        (words.tile_words, ["D"], "city on 1 side, road"),
        (words.tile_words, ["H"], "two cities"),
        (words.tile_words, ["L"], "city on 1 side, junction"),
        (words.tile_words, ["X"], "crossroads"),
        (result, [3, 5], "3 : 5, B wins"),
        (result, [5, 3], "5 : 3, you win"),
        (result, [4], "4 points"),
        (result, [4, 4], "4 : 4, you and B share the victory"),
    ],
)
def test_words(function, arguments, expected):
    assert function(*arguments) == expected


# Names


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["me"], ["you"]),
        (["me", "casual"], ["you", "casual"]),
        (["me", "greedy", "me", "greedy"], ["person 1", "greedy 1", "person 2", "greedy 2"]),
        (["me", "mcts(c=0.5)"], ["you", "mcts(c=0.5)"]),
    ],
)
def test_names_tell_players_apart_and_lead_back_to_them(texts, names):
    assert names_of(texts) == names
    assert players_of(names) == texts
    assert players_of(["player 0", "player 1"]) == ["me", "me"]  # earlier versions


# What a search found


@pytest.mark.parametrize("planner", [MCTS(200, c=0.02, seed=0), Expectimax(1, "vs", seed=0)])
def test_what_a_search_found_is_told_in_points(planner):
    model = middle_of_a_game()
    result = planner.search(model)
    found = found_by(planner, result, model)
    assert found.value == pytest.approx(result.value * model.max_score())
    assert len(found.rows) == 3
    assert all(model.is_legal(model.encode_action(move)) for move, _ in found.rows)


# What is told of a position


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_forecast_knows_who_draws_the_last_tile(num_players):
    """Meeples in hand are worth less to the others, before the draw as after it."""
    model = CarcassonneModel(num_players, 7, {"D": 1, "U": 6})
    for action in [LETTERS.index("U"), None] * 5:
        model.apply_action(model.sample_action(0) if action is None else action)
    for _ in range(2):
        idle = np.subtract(model.forecast, forecast_of(model))
        assert (idle > 2 + idle[model.mover]).tolist() == [
            player != model.mover for player in range(num_players)
        ]
        if model.is_chance_node():
            model.apply_action(LETTERS.index("U"))


# The session


def test_planners_that_choose_otherwise_are_heeded():
    model = middle_of_a_game()
    assert decision(LastPlanner(20, seed=0), model)[0] == model.legal_actions()[-1]


def test_a_whole_game_without_a_screen():
    model = CarcassonneModel(num_players=2, tiles=SMALL)
    before = model.clone()
    told = Told(0)
    session = Session(model, [None, told], ["you", "agent"], Rng(0))
    assert not session.is_watched
    while not session.is_over:
        if session.model.is_chance_node():
            session.apply(session.draw())
        elif session.agent_to_move is None:
            session.apply(Selection(session.model).action)
        else:
            assert session.agent_to_move is told
            session.apply(session.decide())
    assert replayed(told.told) == session.model
    assert [played.player for played in session.history] == [0, 1, 0, 1, 0, 1, 0]
    points = [played.points for played in session.history]
    points.append(final_points(session.model))
    assert tuple(map(sum, zip(*points, strict=True))) == session.model.scores
    assert session.found is None
    assert model == before


def finish(session: Session) -> None:
    """Plays the first legal actions to the end."""
    while not session.is_over:
        is_chance = session.model.is_chance_node()
        session.apply(session.draw() if is_chance else int(session.model.legal_actions()[0]))


def test_a_session_keeps_what_the_last_search_found():
    session = Session(middle_of_a_game(), [MCTS(50, seed=0)] * 2, ["A", "B"], Rng(0))
    assert session.is_watched
    action = session.decide()
    assert (action, session.found) == decision(MCTS(50, seed=0), session.model)
    assert session.found.player == session.model.current_player()


def test_moves_of_a_saved_game_are_taken_back_with_the_same_draws():
    first = Session(CarcassonneModel(tiles="small"), [None] * 2, ["a", "b"], Rng(0))
    finish(first)
    again = Session(first.start, [None] * 2, ["a", "b"], Rng(1), first.actions[:20])
    finish(again)
    end = again.model
    assert end != first.model  # other tiles were drawn since then
    again.return_to(1)
    finish(again)
    assert again.model == end


def test_a_game_of_any_seed_is_kept(tmp_path):
    for seed in (0, 10**100):
        name = new_name(seed)
        assert path_of(tmp_path, name) == tmp_path / f"{name}.json"


def test_wrong_players_are_refused():
    session = Session(middle_of_a_game(), [None, None], ["A", "B"], Rng(0))
    with pytest.raises(ValueError, match="no agent is to move"):
        session.decide()
    with pytest.raises(ValueError, match="2 players"):
        Session(CarcassonneModel(), [None], ["you"], Rng(0))
    with pytest.raises(ValueError, match="two_step"):
        Session(CarcassonneModel(two_step=True), [None, None], ["you", "me"], Rng(0))
