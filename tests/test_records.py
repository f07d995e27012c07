"""What is measured of games of Carcassonne, against a recount while they are played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from agents import CHANCE, Rng
from carcassonne_env import CarcassonneModel
from carcassonne_env.measures import final_scores, turns
from models import advance

KINDS = ("city", "road", "cloister", "farm")
GAMES = [
    ({"num_players": 1, "num_meeples": 3}, 0),
    ({"num_players": 2}, 1),
    ({"num_players": 2, "deterministic": True, "seed": 5}, 2),
    ({"num_players": 3, "num_meeples": 2, "tiles": "small"}, 3),
    ({"num_players": 3, "tiles": "small", "deterministic": True, "seed": 6}, 4),
    ({"num_players": 2, "tiles": {"D": 1, "A": 1, "C": 2, "E": 2}, "board_size": 3}, 0),
]
games = pytest.mark.parametrize(("options", "seed"), GAMES, ids=lambda value: str(value))


def played(options: dict[str, Any], seed: int) -> list[tuple[int, int]]:
    """The (player, action) of a random game."""
    model, rng, plies = CarcassonneModel(**options), Rng(seed), []
    while not model.is_terminal():
        plies.append((model.current_player(), advance(model, rng)))
    return plies


def course(options: dict[str, Any], plies: list[Any]) -> Iterator[tuple[CarcassonneModel, Any]]:
    """As `agents.game.replay` has it: one model that goes on."""
    model = CarcassonneModel(**options)
    for ply in plies:
        yield model, ply
        model.apply_action(ply[1])


@games
def test_turns_are_those_of_a_recount(options, seed):
    plies = played(options, seed)
    model, expected, moves = CarcassonneModel(**options), [], []
    for player, action in plies:
        if player == CHANCE:
            model.apply_action(action)
            continue
        on_board = Counter(meeple.player for meeple in model.placed_meeples)
        in_hand = options.get("num_meeples", 7) - on_board[player]
        tile, num_tiles = model.current_tile, len(model.board)
        move = model.decode_action(action)
        moves.append((player, move.target[0] if move.target else ""))
        model.apply_action(action)
        assert model.board[-1] == (tile, move.x, move.y, move.rotation)
        expected.append(
            {
                "turn": num_tiles,
                "player": player,
                "tile": tile,
                "x": move.x,
                "y": move.y,
                "rotation": move.rotation,
                "meeple": moves[-1][1],
                "in_hand": in_hand,
                "num_farms": moves.count((player, "farm")),
                "num_others": sum(moves.count((player, kind)) for kind in KINDS[:3]),
                "score": model.scores[player],
                "virtual_score": model.virtual_scores[player],
            }
        )
    found = list(turns(course(options, plies)))
    assert found == expected
    assert [turn["turn"] for turn in found] == list(range(1, len(model.board)))
    last = found[-1]
    assert last["score"] == last["virtual_score"] == model.scores[last["player"]]


def test_the_games_are_of_every_kind():
    """Meeples everywhere, scores on the way and at the end, and tiles that are put aside."""
    found = [list(turns(course(options, played(options, seed)))) for options, seed in GAMES]
    assert {turn["meeple"] for game in found for turn in game} == {"", *KINDS}
    assert any(turn["score"] < turn["virtual_score"] for turn in found[1])
    assert any(turn["score"] > 0 for turn in found[1][:-2])
    num_draws = sum(player == CHANCE for player, _ in played(*GAMES[-1]))
    assert num_draws > len(found[-1])


def test_plies_may_hold_more_than_player_and_action():
    options, seed = GAMES[0]
    plies = played(options, seed)
    longer = [(*ply, 30, 0.5, "", 0.1) for ply in plies]
    assert list(turns(course(options, longer))) == list(turns(course(options, plies)))


def test_turns_come_as_the_game_goes_on():
    options, seed = GAMES[1]
    found = turns(course(options, played(options, seed)))
    assert [next(found)["turn"], next(found)["turn"]] == [1, 2]


def test_a_game_that_was_left_ends_with_its_last_turn():
    options, seed = GAMES[1]
    plies = played(options, seed)
    whole = list(turns(course(options, plies)))
    for length in (0, 1, 2, 3, 40, 41):
        part = list(turns(course(options, plies[:length])))
        assert part == whole[: length // 2]


@games
def test_final_scores_are_summed_up(options, seed):
    model = CarcassonneModel(**options)
    for _, action in played(options, seed):
        model.apply_action(action)
    found = final_scores(model)
    num_players = options["num_players"]
    assert set(found) == {f"{name}_{i}" for name in ("score", *KINDS) for i in range(num_players)}
    for i in range(num_players):
        parts = {kind: found[f"{kind}_{i}"] for kind in KINDS}
        assert parts == model.score_breakdown[i]
        assert found[f"score_{i}"] == sum(parts.values()) == model.scores[i]
    assert sum(model.scores) > 0
