"""The tactics game: draws, boards and decks as text, the order of actions, pickles, bad input."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

from agents import Rng
from agents.games import TacticsAction, TacticsModel, Unit, make
from agents.games.tactics.boards import BOARDS, DECKS
from agents.games.tactics.terms import CARDS
from models import advance, forged, in_play, positions

OPEN = "d00000D / c00000C / 0000000 / 0000000 / 0000000"
SPECIAL = "d00000D / c0000AC / 00A00S0 / 000P000 / 0000000"
HP = {"knight": 1000, "archer": 800, "cleric": 800, "wizard": 800, "ninja": 800, "crystal": 4500}


def unit(text: str) -> Unit:
    """A unit written as "kind player square [hp] [items]", with the maximum of HP by default."""
    kind, player, square, *rest = text.split()
    items = [word for word in rest if not word.isdigit()]
    maximum = HP[kind] + HP[kind] // 10 * len({"dragonscale", "helm"} & {*items})
    hp = next((int(word) for word in rest if word.isdigit()), maximum)
    return Unit(kind, int(player), square, hp, frozenset(items))


def placed(*texts: str, board: str = OPEN, decks: Any = None, **position: Any) -> TacticsModel:
    """A position on a board of 7 x 5 squares; without crystals in the texts each side has one."""
    units = [unit(text) for text in ", ".join(texts).split(", ")]
    if not any(u.kind == "crystal" for u in units):
        units += [unit("crystal 0 a2"), unit("crystal 1 g2")]
    decks = ({"knight": 1}, {"knight": 1}) if decks is None else decks
    return TacticsModel(board).position(units, decks=decks, **position)


def at(model: TacticsModel, square: str) -> Unit | None:
    return next((u for u in model.units if u.square == square), None)


def test_a_side_can_lose_by_its_own_action():
    """Its own last unit steps nowhere, but its last body leaves at the end of its own turn."""
    model = placed("archer 0 c3 0", "archer 1 e3", decks=({}, {}), hands=({"scroll": 1}, {}))
    assert model.winner == 1  # nothing is legal, so its turn ends at once
    both = placed("crystal 0 a2", "archer 1 e3", "archer 0 c3")
    assert both.winner == 0  # player 1 has no crystal


def test_deterministic_games_draw_by_the_seed():
    model, same, other = [TacticsModel("small", deterministic=True, seed=s) for s in (4, 4, 5)]
    assert model == same != other
    assert TacticsModel(deterministic=True, seed=0).hands == in_play(TacticsModel()).hands
    assert model.deterministic
    assert not any(position.is_chance_node() for position in positions(model, 1))
    random = [TacticsModel("small", deterministic=True) for _ in range(4)]
    assert any(game != random[0] for game in random)
    drawn, twin = TacticsModel("small"), TacticsModel("small")
    for game in (drawn, twin):
        game.determinize(3)
    assert drawn == twin
    assert not any(position.is_chance_node() for position in positions(drawn, 1))


# The order of actions


def test_the_order_of_actions():
    model = placed(
        "wizard 0 d3, archer 0 c4 runemetal, cleric 0 b3, ninja 0 a5, knight 0 b4 500",
        "archer 0 a3 750, archer 1 e3, archer 1 d2 0, knight 1 e5",
        hands=({"inferno": 1, "helm": 2, "ninja": 2}, {}),
    )
    ordered = [model.action_to_string(int(action)) for action in model.ordered_actions()]
    kinds = [kind_of(text, model) for text in ordered]
    groups = [kind for kind, _ in itertools.groupby(kinds)]
    assert groups == ["body", "attack", "heal", "inferno", "equip", "deploy", "move", "swap"]
    attacks = [text for text in ordered if "x" in text.split()[1]]
    assert attacks == ["archer c4xe3", "archer c4xe5", "wizard d3xe3"]
    assert [text for text in ordered if "+" in text] == ["cleric b3+b4", "cleric b3+a3"]
    actions = [model.string_to_action(text) for text in ordered]
    moves = [a for a, kind in zip(actions, kinds, strict=True) if kind == "move"]
    assert moves == sorted(moves)
    infernos = [text for text in ordered if text.startswith("inferno")]
    assert infernos[0] in ("inferno e2", "inferno d3", "inferno d4", "inferno e4", "inferno d2")


def kind_of(text: str, model: TacticsModel) -> str:
    action = model.decode_action(model.string_to_action(text))
    if action.kind == "move":
        body = at(model, str(action.target))
        return "body" if body and body.player != model.current_player() else "move"
    return {"swap": "move", "swap_card": "swap"}.get(action.kind, action.kind)


def test_neighbours_count_in_the_order_of_attacks():
    model = placed("ninja 0 d3", "archer 1 d4", "archer 1 d2", "archer 1 f3")
    ordered = [model.action_to_string(int(action)) for action in model.ordered_actions()]
    assert ordered[:3] == ["ninja d3xd2", "ninja d3xd4", "ninja d3xf3"]


# Evaluation


def test_the_heuristic_stays_below_a_win():
    deck = {"knight": 100, "inferno": 100}
    model = TacticsModel(OPEN, deck=deck).position(
        [unit("crystal 0 a2"), unit("crystal 1 g2"), unit("archer 0 c3")],
        decks=(deck, {"knight": 1}),
    )
    assert model.evaluation(0) > 60000
    assert model.heuristic(0, "evaluation") == 59999 / 60000
    assert model.heuristic(1, "evaluation") == -59999 / 60000


# Options


def test_catalogue():
    assert make("tactics") == TacticsModel() == make("tactics", seed=4)
    third = TacticsModel("tiny", deterministic=True, seed=3)
    assert make("tactics(board=tiny, deterministic=True)", seed=3) == third
    assert make("tactics(board=d0S0P / c0A0C / P0S0D, deck=tiny)") == TacticsModel("tiny")
    fixed = "tactics(deterministic=True, seed=3)"
    assert make(fixed) == TacticsModel(deterministic=True, seed=3)
    with pytest.raises(ValueError, match="fixes the seed, and seed=4 is given as well"):
        make(fixed, seed=4)


def test_equality_knows_the_options():
    base = TacticsModel("tiny")
    assert base == TacticsModel("tiny") == TacticsModel(BOARDS["tiny"], "tiny")
    assert base.position_hash() == TacticsModel("tiny").position_hash()
    for other in (
        TacticsModel("tiny", action_points=6),
        TacticsModel("tiny", max_turns=100),
        TacticsModel("tiny", pruned=False),
        TacticsModel("tiny", "small"),
        TacticsModel("d0S0P / c0A0C / P0P0D", "tiny"),
        TacticsModel("tiny", deterministic=True, seed=0),
    ):
        assert base != other


def test_copies_take_over_other_boards():
    model, other = TacticsModel("tiny"), TacticsModel("standard", deterministic=True, seed=1)
    model.copy_from(other)
    assert model == other == copy.copy(model)
    assert model.board == other.board
    assert model.rollout(0) == other.rollout(0)


# Actions as words


@pytest.mark.parametrize("board", ["tiny", "d0000 / c000C / 0000D"])
def test_all_actions_have_words(board):
    model = TacticsModel(board)
    seen = set()
    for action in range(model.num_actions):
        words = model.decode_action(action)
        assert model.encode_action(words) == action
        seen.add(words)
    assert len(seen) == model.num_actions
    size = 15
    assert model.num_actions == 4 * size**2 + 11 * size + 11
    assert model.decode_action(7 * size + 3) == TacticsAction("move", "c2", "d1", None)
    assert model.decode_action(size**2 + 14) == TacticsAction("attack", "a1", "e3", None)
    assert model.decode_action(2 * size**2) == TacticsAction("heal", "a1", "a1", None)
    assert model.decode_action(3 * size**2 + 1) == TacticsAction("swap", "a1", "b1", None)
    cards = 4 * size**2
    assert model.decode_action(cards) == TacticsAction("deploy", None, "a1", "knight")
    assert model.decode_action(cards + 5 * size) == TacticsAction("inferno", None, "a1", "inferno")
    assert model.decode_action(cards + 9 * size) == TacticsAction("equip", None, "a1", "potion")
    swap = TacticsAction("swap_card", None, None, "scroll")
    assert model.decode_action(cards + 11 * size + 10) == swap


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("move", "a1", "z9", None), "square must be in a1 to e3, got 'z9'"),
        (("jump", "a1", "a2", None), "kind must be one of"),
        ((["move"], "a1", "a2", None), "kind must be one of"),
        (("deploy", None, "a1", "scroll"), "no action reads"),
        (("equip", None, "a1", "knight"), "no action reads"),
        (("move", "a1", "a2", "scroll"), "no action reads"),
        (("swap_card", None, None, "crystal"), "card must be one of"),
        *(
            (words, r"must be TacticsAction\(kind, source, .*, got ")
            for words in (("move",), "a", 5)
        ),
    ],
)
def test_words_of_no_action_are_refused(words, message):
    with pytest.raises((TypeError, ValueError), match=message):
        TacticsModel("tiny").encode_action(words)


def test_numbers_of_no_action_are_refused():
    model = placed("knight 0 c3")
    with pytest.raises(ValueError, match="needs a unit on a1"):
        model.action_to_string(1)
    with pytest.raises(ValueError, match=r"outcome must be in \[0, 10\], got 11"):
        TacticsModel().action_to_string(11)


# Boards and decks


def test_boards_by_name_and_as_text():
    rows = "d000S000D 00c000C00 00P000P00 0c00000C0 d000A000D"
    assert TacticsModel().board == tuple(rows.split())
    text = "\n  d0S0P\n  c0A0C\n  P 0 S 0 D\n"
    assert TacticsModel(text).board == TacticsModel("tiny").board
    assert TacticsModel(text).decks[0] == DECKS["standard"]
    assert TacticsModel("tiny").decks == (DECKS["tiny"], DECKS["tiny"])
    assert sum(DECKS["standard"].values()) == 28
    crystals = [(u.square, u.player, u.hp) for u in TacticsModel("small").units]
    assert crystals == [("c2", 0, 4500), ("e2", 1, 4500), ("b3", 0, 4500), ("f3", 1, 4500)]
    assert TacticsModel("d/c/C/D").num_actions == 4 * 16 + 44 + 11
    assert len(TacticsModel("/".join(["dcCD0000"] * 8)).units) == 16


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"deck": "big"},
            "deck must be one of .'standard', 'small', 'tiny'. or a mapping, got 'big'",
        ),
        ({"deck": {"dragon": 3}}, "deck must have cards of knight, .*got 'dragon'"),
        ({"deck": {"knight": -1}}, "counts of 0 or more, got -1 of 'knight'"),
        ({"deck": {"knight": 2, "scroll": 9}}, "at least 3 units and 3 items, got 2 and 9"),
        ({"deck": {"knight": 9, "scroll": 2}}, "got 9 and 2"),
        ({"deck": {"knight": 200, "scroll": 56}}, "at most 255 cards, got 256"),
        ({"action_points": 0}, r"action_points must be in \[1, 255\], got 0"),
        ({"action_points": 256}, "action_points must be in"),
        ({"max_turns": 0}, r"max_turns must be in \[1, 65535\], got 0"),
        ({"deterministic": 2}, "deterministic must be True or False"),
        ({"pruned": "yes"}, "pruned must be True or False"),
        ({"seed": 3}, "seed needs deterministic=True"),
        ({"deterministic": True, "seed": -3}, "seed must be"),
        (
            {"board": "huge"},
            "board must be one of .'standard', 'small', 'tiny'.*row 1.*'h' in column 1",
        ),
        ({"board": "d0c/DxC"}, "row 2 of .* has 'x' in column 2"),
        ({"board": "d0c/DC"}, "rows of one length.*row 2 of .* has 2 squares, row 1 has 3"),
        ({"board": ""}, "no empty row, got row 1 of ''"),
        ({"board": "d0c\nD0C\n \n000"}, "no empty row, got row 3"),
        ({"board": "c0C/00D"}, "a deploy square of player 0"),
        ({"board": "c0C/00d"}, "a deploy square of player 1"),
        ({"board": "d0C/00D"}, "a crystal of player 0"),
        ({"board": "d0c/00D"}, "a crystal of player 1"),
        ({"board": "d" * 13 + "cCD" + "0" * 11}, "1 to 26; row 1 .* 27 squares"),
        ({"board": "/".join(["dcCD00000"] * 8)}, "at most 64 squares, got 8 rows of 9"),
        ({"board": 5}, "board must be a text, got 5"),
        ({"deck": 5}, "deck must be a mapping from cards to counts, got 5"),
        ({"deck": {"knight": 3.0, "scroll": 3}}, "integers as counts, got 3.0 of 'knight'"),
        ({"deck": dict.fromkeys(CARDS, np.uint8(60))}, "at most 255 cards, got 660"),
        ({"action_points": "5"}, "action_points must be an integer"),
        ({"max_turns": 2.0}, "max_turns must be an integer"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        TacticsModel(**options)


# Positions


def test_positions_are_what_was_set_up():
    model = TacticsModel("standard", action_points=7, deterministic=True, seed=1)
    model.rollout(0)
    source = TacticsModel("standard", action_points=7, deterministic=True, seed=1)
    for position in positions(source, 3):
        if position.is_terminal():
            break
        rest = (position.hands, position.decks, position.action_points, position.turn)
        twin = model.position(position.units, *rest)
        assert (twin.units, twin.hands, twin.decks) == (position.units, *rest[:2])
        assert (twin.action_points, twin.turn) == rest[2:]
        assert twin.legal_actions().tolist() == position.legal_actions().tolist()
        assert twin.evaluation(0) == position.evaluation(0)
    as_lists = [[*fields, list(items)] for *fields, items in position.units]
    assert model.position(as_lists).units == position.units


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": [("dragon", 0, "c3", 5, ())]}, "kind must be one of"),
        ({"units": ["archer 2 c3"]}, r"player must be in \[0, 1\], got 2"),
        ({"units": ["archer 0 h3"]}, "square must be in a1 to g5, got 'h3'"),
        ({"units": ["archer 0 c3 801"]}, r"hp must be in \[0, 800\], got 801"),
        ({"units": ["crystal 0 c3 0"]}, r"hp must be in \[1, 4500\], got 0"),
        ({"units": ["crystal 0 c3 helm"]}, "equipment must be one of"),
        ({"units": ["archer 0 c3 potion"]}, "equipment must be one of"),
        ({"units": ["archer 0 c3", "archer 1 c3"]}, "squares of their own, got two on c3"),
        ({"units": ["archer 0 g1"]}, "g1 is a deploy square of the other side"),
        ({"hands": ({"scroll": 7}, {})}, "at most 6 cards"),
        ({"hands": ({"sword": 1}, {})}, "hands must have cards of"),
        ({"hands": ({},)}, "hands must be two mappings"),
        ({"decks": ({"scroll": 250}, {}), "hands": ({"scroll": 6}, {})}, "at most 255 cards"),
        ({"action_points": 6}, r"action_points must be in \[1, 5\], got 6"),
        ({"action_points": 0}, "action_points must be in"),
        ({"turn": 200}, r"turn must be in \[0, 199\], got 200"),
        ({"units": 5}, "units must be a list of Unit"),
        ({"units": [("knight", 0)]}, r"units must be Unit\(kind, .*got \('knight', 0\)"),
        ({"units": [8]}, r"units must be Unit\(kind, player, .*got 8"),
        ({"units": [("knight", 0, "c3", 9, "scroll")]}, "set of items.*got 'scroll'"),
        ({"units": [("knight", 0, "c3", 9, None)]}, "set of items.*got None"),
        ({"hands": 5}, "hands must be two mappings, of player 0 and 1, got 5"),
        ({"hands": {"inferno": 1, "helm": 1}}, "hands must be two mappings, of player 0 and 1"),
        ({"decks": None}, "decks must be two mappings"),
    ],
)
def test_impossible_positions_are_refused(change, message):
    units = change.get("units", ["archer 0 c3"])
    if isinstance(units, list):
        units = [unit(one) if isinstance(one, str) else one for one in units]
    model = TacticsModel(OPEN)
    before = model.clone()
    with pytest.raises((TypeError, ValueError), match=message):
        model.position(**change | {"units": units})
    assert model == before


# Text, observations, pickles


def test_text():
    units, hands = "knight 0 f2 scroll, wizard 1 d4 790, archer 0 c4 0", {"helm": 2, "inferno": 1}
    model = placed(units, board=SPECIAL, hands=(hands, {}), turn=4)
    assert str(model) == (
        "   a        b        c        d        e        f        g\n"
        "1  d        .        .        .        .        .        D\n"
        "2  X4500    .        .        .        .        A K1000s x4500\n"
        "3  .        .        A        .        .        S        .\n"
        "4  .        .        A0       P w790   .        .        .\n"
        "5  .        .        .        .        .        .        .\n"
        "player 0 (K): inferno, helm x2; 1 cards in the deck\n"
        "player 1 (k): no cards; 1 cards in the deck\n"
        f"player 0 to move, 5 action points left, turn 4 of 200, "
        f"evaluation of player 0: {model.evaluation(0):+}"
    )
    assert repr(model) == (
        "<TacticsModel: turn 4, player 0 to move, 5 action points left; a2:X4500 f2:K1000s "
        "g2:x4500 c4:A0 d4:w790; hands inferno, helm x2 | no cards>"
    )
    assert "player 0 draws a card" in repr(TacticsModel())
    assert "player 0 has won" in repr(placed("archer 0 c3", decks=({}, {})))


def test_units_with_all_items_stay_in_their_columns():
    knights = [f"knight 0 {square} runemetal dragonscale helm scroll" for square in ("a1", "b1")]
    header, top, *_ = str(placed(*knights, board=SPECIAL)).splitlines()
    assert top.split() == ["1", "d", "K1200rdhs", "K1200rdhs", *"....", "D"]
    assert [top.index("d"), top.rindex("K")] == [header.index("a"), header.index("b")]


def test_observations():
    model = placed(
        "knight 0 f2 500 scroll, wizard 1 d4, archer 0 c4 0 helm",
        board=SPECIAL,
        hands=({"helm": 3}, {"scroll": 6}),
        decks=({"knight": 51}, {"ninja": 1}),
        action_points=2,
        turn=50,
    )
    mine, theirs = model.observation(0), model.observation(1)
    assert mine.shape == (71, 5, 7)
    squares = {0: [1, 5], 1: [3, 2], 5: [1, 0], 9: [3, 3], 13: [3, 2], 16: [3, 2], 17: [1, 5]}
    for plane, square in squares.items():
        assert np.argwhere(mine[plane]).tolist() == [square], plane
    assert mine[12][1, 5] == 0.5
    assert mine[12].sum() == 3.5
    for plane, mark in zip(mine[18:23], "dDSAP", strict=True):
        assert plane.tolist() == [[square == mark for square in row] for row in model.board]
    numbers = {23 + 8: 0.5, 34 + 10: 1, 45: 0.2, 56 + 4: 1 / 255, 67: 0.4, 68: 1, 69: 1, 70: 0.25}
    for plane in range(23, 71):
        assert np.all(mine[plane] == np.float32(numbers.get(plane, 0))), plane
    assert np.array_equal(theirs[:6], mine[6:12])
    assert np.array_equal(theirs[18:20], mine[[19, 18]])
    assert np.all(theirs[68:70] == 0)


STATE = np.dtype(
    [
        *(
            ("squares", "u8", 6),
            ("rng", "u8", 4),
            ("value", "i4"),
            ("turn", "u2"),
            ("hp", "i2", 64),
        ),
        *(("codes", "u1", 64), ("hands", "u1", (2, 11)), ("decks", "u1", (2, 11))),
        *(("hand_sizes", "u1", 2), ("deck_sizes", "u1", 2), ("unit_cards", "u1", 2)),
        *(("action_points", "u1"), ("player", "u1"), ("phase", "u1"), ("winner", "i1")),
        *(("is_deterministic", "i4"), ("last", "i4")),
    ],
    align=True,
)
"""The C struct of a position."""
COURSE = ("phase", "player", "turn", "action_points")
"""The fields that tell whose turn it is."""


def dealt(player: int, card: int) -> dict[str, Any]:
    """The counts when a card of the tiny deck, which has one of each, is in a first hand."""
    hands = np.zeros((2, 11))
    hands[player, card] = 1
    sizes = hands.sum(axis=1)
    return {"hands": hands, "decks": 1 - hands, "hand_sizes": sizes, "deck_sizes": 11 - sizes}


DEAL, ACTING = TacticsModel("tiny"), TacticsModel("small")
while ACTING.is_chance_node():
    advance(ACTING, Rng(0))


@pytest.mark.parametrize(
    ("model", "changes"),
    [
        *(
            (ACTING, dict(zip(COURSE, course, strict=True)))
            for course in (
                (2, 0, 0, 0),  # no action points
                (2, 0, 0, 9),
                (2, 1, 0, 3),  # the other player's turn
                (2, 0, 200, 3),  # after the last turn
                (3, 0, 0, 0),  # over, and nobody has lost
                (3, 0, 0, 1),
                (1, 0, 1, 0),  # the hand is full
                (1, 0, 0, 0),
                (0, 1, 0, 0),
                (4, 0, 0, 0),
                (2, 2, 0, 3),
            )
        ),
        (ACTING, {"last": 10**6}),
        (ACTING, {"last": -2}),
        (ACTING, {"is_deterministic": 1}),
        (ACTING, {"rng": 1}),
        (ACTING, {"codes": 7}),
        (ACTING, {"codes": 128}),
        (DEAL, dealt(0, 10)),  # an item before the units
        (DEAL, dealt(1, 0)),  # player 1 before player 0
        (DEAL, {"player": 1}),
        (DEAL, {"is_deterministic": 1, "rng": 1}),  # it would have drawn
        # bodies have left
        (placed("archer 0 c3, archer 0 c4 0"), {"phase": 1, "turn": 1, "action_points": 0}),
    ],
)
def test_damaged_pickles_are_refused(model, changes):
    assert forged(model, STATE) == model
    with pytest.raises(ValueError, match="the pickle of a TacticsModel is damaged"):
        forged(model, STATE, **changes)
