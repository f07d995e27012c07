"""The rules: the model against the reference over random games, counts, and a test per trap."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from agents import CHANCE, TERMINAL
from carcassonne_env import CarcassonneModel
from carcassonne_env.position import Move, Target
from carcassonne_env.tiles import LETTERS, TILE_TYPES
from games import children
from reference import ReferenceGame, bordering

CLOISTER = ("cloister",)


def city(sides: str) -> Target:
    return "city", frozenset(sides.split())


def road(sides: str) -> Target:
    return "road", frozenset(sides.split())


def farm(half_sides: str) -> Target:
    return "farm", frozenset(half_sides.split())


def turn(text: str) -> tuple[str, Move | None]:
    """A tile, and where it goes; the tile alone is only drawn."""
    letter, *place = text.split()
    if not place:
        return letter, None
    x, y, rotation, *meeple = place
    target: Target | None = None
    if meeple:
        kind, *sides = meeple
        target = (kind, frozenset(sides)) if sides else CLOISTER
    return letter, Move(int(x), int(y), int(rotation), target)


class Game:
    """The model and the reference in one position, compared after every step."""

    def __init__(self, num_players: int = 2, num_meeples: int = 7, **config) -> None:
        self.model = CarcassonneModel(num_players, num_meeples, **config)
        self.reference = ReferenceGame(num_players, num_meeples)
        self._compare()

    def draw(self, letter: str) -> None:
        """Draws a tile at a chance node; one that fits nowhere is discarded."""
        bag = Counter(self.model.bag)
        self.model.apply_action(LETTERS.index(letter))
        assert Counter(self.model.bag) == bag - Counter(letter)
        is_playable = self.reference.can_be_placed(letter)
        assert self.model.current_tile == (letter if is_playable else None)
        self._compare_turn()

    def play(self, move: Move) -> None:
        """Plays the current tile; in a deterministic game the next one is then drawn."""
        letter, bag = self.model.current_tile, Counter(self.model.bag)
        self.model.apply_action(self.model.encode_action(move))
        self.reference.play(letter, move)
        discarded = bag - Counter(self.model.bag) - Counter(self.model.current_tile)
        assert not any(self.reference.can_be_placed(letter) for letter in discarded)
        self._compare()

    def play_sequence(self, text: str) -> None:
        """Plays turns written as "tile x y rotation [feature with its sides]; ..."."""
        for letter, move in map(turn, text.split(";")):
            if self.model.is_chance_node():
                self.draw(letter)
            if move is not None:
                assert self.model.current_tile == letter
                assert move in self.legal_moves()
                self.play(move)

    def legal_moves(self) -> list[Move]:
        """The legal actions of the model in words."""
        return [self.model.decode_action(action) for action in self.model.legal_actions()]

    def targets(self, x: int, y: int, rotation: int) -> set[Target | None]:
        """What a meeple may be put on (or None) if the tile is placed like this."""
        return {move.target for move in self.legal_moves() if move[:3] == (x, y, rotation)}

    def _compare(self) -> None:
        self._compare_board()
        self._compare_turn()

    def _compare_board(self) -> None:
        model, reference = self.model, self.reference
        assert {(t.x, t.y): (t.tile, t.rotation) for t in model.board} == reference.tiles
        assert Counter(model.placed_meeples) == Counter(reference.placed_meeples)
        assert Counter(model.features) == Counter(reference.features)

    def _compare_turn(self) -> None:
        if self.model.is_terminal():
            self.reference.finish()
        self._compare_players()
        if self.model.current_tile is not None:
            self._compare_decision()
        elif any(self.model.bag.values()):
            self._compare_chance()
        else:
            assert self.model.current_player() == TERMINAL
            assert self.model.scores == self.model.virtual_scores

    def _compare_players(self) -> None:
        model, reference = self.model, self.reference
        assert model.scores == reference.scores
        assert model.virtual_scores == reference.virtual_scores
        assert tuple(model.score_breakdown) == reference.score_breakdown
        assert model.meeples == reference.meeples

    def _compare_decision(self) -> None:
        model, reference = self.model, self.reference
        assert model.current_player() == model.mover == reference.current_player
        actions, moves = model.legal_actions(), self.legal_moves()
        assert np.all(np.diff(actions) > 0)
        assert [model.encode_action(move) for move in moves] == list(actions)
        assert set(moves) == reference.legal_moves(model.current_tile) != set()

    def _compare_chance(self) -> None:
        assert self.model.current_player() == CHANCE
        assert self.model.mover == self.reference.current_player
        outcomes, probabilities = self.model.chance_outcomes()
        num_left = sum(self.model.bag.values())
        shares = {LETTERS.index(k): n / num_left for k, n in self.model.bag.items() if n > 0}
        assert dict(zip(outcomes, probabilities, strict=True)) == pytest.approx(shares)


# Random games

ONE_MEEPLE = {"num_players": 1, "num_meeples": 1, "tiles": "small"}
THREE_MEEPLES = {"num_players": 1, "num_meeples": 3, "tiles": "small"}

CITIES = {"C": 2, "D": 1, "E": 10, "F": 4, "H": 8, "I": 8, "M": 4, "N": 12, "R": 6}
OFTEN_UNPLAYABLE = {"C": 6, "D": 1, "E": 4, "N": 4, "X": 6}

VARIANTS = {
    "1p-1m-d": (40, ONE_MEEPLE | {"deterministic": True}),
    "1p-1m-s": (40, ONE_MEEPLE),
    "1p-3m-d": (40, THREE_MEEPLES | {"deterministic": True}),
    "1p-3m-s": (40, THREE_MEEPLES),
    "2 players": (40, {}),
    "2 players, deterministic": (10, {"deterministic": True}),
    "3 players": (12, {"num_players": 3}),
    "4 players": (12, {"num_players": 4}),
    "5 players": (12, {"num_players": 5}),
    "1 meeple": (8, {"num_meeples": 1}),
    "2 meeples": (8, {"num_players": 3, "num_meeples": 2}),
    "no meeples": (4, {"num_meeples": 0}),
    "crossroads": (20, {"tiles": {"D": 1, "X": 24}}),
    "two cities a tile": (20, {"tiles": {"D": 1, "H": 12, "I": 12}}),
    "pastures": (20, {"tiles": {"B": 12, "D": 1, "E": 20}}),
    "cities": (30, {"tiles": CITIES}),
    "roads": (20, {"tiles": {"D": 4, "L": 6, "V": 20, "W": 6, "X": 6}}),
    "discards": (40, {"tiles": OFTEN_UNPLAYABLE}),
    "discards, deterministic": (40, {"tiles": OFTEN_UNPLAYABLE, "deterministic": True}),
}


@pytest.mark.parametrize("games", [slice(1, 2), slice(None)], ids=["one", "all"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.slow(keep=r"^(?!3|4|2 meeples).*one$")
def test_random_games_agree(variant, games):
    num_games, config = VARIANTS[variant]
    for seed in range(num_games)[games]:
        game, rng = Game(**config, seed=seed), np.random.default_rng(seed)
        while not game.model.is_terminal():
            if game.model.current_player() == CHANCE:
                outcomes, probabilities = game.model.chance_outcomes()
                game.draw(LETTERS[rng.choice(outcomes, p=probabilities)])
            else:
                moves = game.legal_moves()
                if seed % 2:
                    moves = most_enclosed(moves, game.reference)
                game.play(moves[rng.integers(len(moves))])


def most_enclosed(moves: list[Move], reference: ReferenceGame) -> list[Move]:
    """The moves to the cells with the most tiles around, which close more features than chance."""

    def num_around(move: Move) -> int:
        around = bordering(frozenset([(move.x, move.y, CLOISTER)]))
        return sum(cell in reference.tiles for cell in around)

    most = max(map(num_around, moves))
    return [move for move in moves if num_around(move) == most]


# Counts

MOVES_ON_TURN_1 = 484
MOVES_ON_TURN_1_WITHOUT_D = 454
SEQUENCES_OF_TWO_TURNS = 329444


def successors(model: CarcassonneModel) -> list[CarcassonneModel]:
    is_chance = model.is_chance_node()
    return [*children(model, model.chance_outcomes()[0] if is_chance else model.legal_actions())]


def num_moves(model: CarcassonneModel) -> int:
    """The number of moves with the current tile; 0 if the one drawn was discarded."""
    return 0 if model.current_tile is None else len(model.legal_actions())


def test_number_of_moves_on_the_first_turn():
    drawn = successors(CarcassonneModel())
    counts = {model.current_tile: num_moves(model) for model in drawn}
    assert sum(counts.values()) == MOVES_ON_TURN_1
    assert sum(counts.values()) - counts["D"] == MOVES_ON_TURN_1_WITHOUT_D


def test_number_of_sequences_of_two_turns():
    drawn = successors(CarcassonneModel())
    second_draws = (
        second for first in drawn for placed in successors(first) for second in successors(placed)
    )
    assert sum(map(num_moves, second_draws)) == SEQUENCES_OF_TWO_TURNS


# Published results of uniformly random play: means over 2,000 games

NUM_PUBLISHED_GAMES = 2000


def assert_mean(samples, published: float, standard_error: float, rounding: float = 0.0) -> None:
    """The mean of ``samples`` lies within 4 combined standard errors of the published one."""
    own_error = np.std(samples, ddof=1) / np.sqrt(len(samples))
    margin = 4 * np.hypot(own_error, standard_error) + rounding
    assert np.mean(samples) == pytest.approx(published, abs=margin)


@pytest.mark.parametrize(
    ("config", "published"),
    [
        (ONE_MEEPLE | {"deterministic": True}, [(3.07, 0.08)]),
        (THREE_MEEPLES | {"deterministic": True}, [(8.15, 0.12)]),
        ({}, [(18.95, 0.18), (18.48, 0.17)]),
    ],
    ids=["1p-1m-d", "1p-3m-d", "base"],
)
def test_random_play_scores_as_published(config, published):
    scores = []
    for seed in range(NUM_PUBLISHED_GAMES):
        model = CarcassonneModel(**config, seed=seed)
        model.rollout(seed)
        scores.append(model.scores)
    for player_scores, (mean, standard_error) in zip(np.transpose(scores), published, strict=True):
        assert_mean(player_scores, mean, standard_error)


@pytest.mark.parametrize(
    ("config", "num_games", "published"),
    [
        (ONE_MEEPLE | {"deterministic": True}, 500, 15.2),
        (THREE_MEEPLES | {"deterministic": True}, 500, 18.5),
        ({}, 200, 40.2),
    ],
    ids=["1p-1m-d", "1p-3m-d", "base"],
)
def test_random_play_has_as_many_legal_actions_as_published(config, num_games, published):
    rng = np.random.default_rng(0)
    means = [
        np.mean(numbers_of_moves(CarcassonneModel(**config, seed=seed), rng))
        for seed in range(num_games)
    ]
    published_error = np.std(means, ddof=1) / np.sqrt(NUM_PUBLISHED_GAMES)
    assert_mean(means, published, published_error, rounding=0.05)


def numbers_of_moves(model: CarcassonneModel, rng: np.random.Generator) -> list[int]:
    """The number of legal actions at each turn of a game played uniformly at random."""
    numbers = []
    while not model.is_terminal():
        if model.current_player() == CHANCE:
            outcomes, probabilities = model.chance_outcomes()
            model.apply_action(rng.choice(outcomes, p=probabilities))
        else:
            numbers.append(num_moves(model))
            model.apply_action(rng.choice(model.legal_actions()))
    return numbers


# Moves


def test_rotations_that_look_the_same_are_one_move():
    fewer = {"B": 1, "C": 1, "X": 1, "F": 2, "G": 2, "H": 2, "U": 2}
    assert {tile.letter: tile.num_rotations for tile in TILE_TYPES} == dict.fromkeys(
        LETTERS, 4
    ) | fewer
    for model in successors(CarcassonneModel()):
        if model.current_tile in fewer:
            rotations = {model.decode_action(action).rotation for action in model.legal_actions()}
            assert rotations <= set(range(fewer[model.current_tile]))


def test_cities_of_h_swap_names_when_it_is_turned_round():
    game = Game()
    game.draw("H")
    above = {Move(0, 1, 1, t) for t in (None, city("N"), city("S"), farm("EL ER WL WR"))}
    below = {Move(0, -1, 0, t) for t in (None, city("E"), city("W"), farm("NL NR SL SR"))}
    assert set(game.legal_moves()) == above | below


ALONE = {"num_players": 1, "num_meeples": 1}


@pytest.mark.parametrize(
    ("config", "turns", "place", "targets"),
    [
        # The two farms of the U at (-1, 0) are one, through the start tile and the A at its other
        # end; only the southern one lies next to the farmer.
        (
            *({}, "A 1 0 1; G 0 -1 0; E -1 -1 1 farm NL NR SL SR WL WR; U"),
            *((-1, 0, 1), {None, road("E W")}),
        ),
        (
            *(ALONE | {"num_meeples": 2}, "U 1 0 1 road E W; A", (2, 0, 1)),
            {None, CLOISTER, farm("NL NR EL ER SL SR WL WR")},
        ),
        (ALONE, "U 1 0 1 road E W; A", (2, 0, 1), {None}),
        (ALONE, "U 1 0 1 road E W; A 2 0 1; A", (-1, 0, 3), {None}),
    ],
    ids=["held by a neighbour", "held by the mover", "no meeple in hand", "the road gives it back"],
)
def test_a_meeple_is_set_on_what_is_free(config, turns, place, targets):
    game = Game(**config)
    game.play_sequence(turns)
    assert game.targets(*place) == targets


# Features


AROUND_THE_GAP = "U -1 0 1; U 1 0 1; E -1 1 1 city E; E 1 1 3 city W"
"""The cities of three tiles around (0, 1), one held by each player and the start tile's by none."""
CELLS = [f"{x} {y}" for y in (-1, -2, -3) for x in (0, 1, 2, -1) if (x, y) != (1, -3)]
CELLS.append("1 -3")
CLOISTERS = ";".join(f"B {at} 0" + " cloister" * (at in ("0 -2", "1 -2")) for at in CELLS)
"""The last one completes two cloisters with meeples."""
NO_CITY = {"tiles": {"B": 1, "C": 2, "D": 1, "E": 1}}
"""Once the city of the start tile is closed by the E, no C can be placed."""
MAJORITY = f"{AROUND_THE_GAP}; B 1 2 0; B 2 1 0; E 0 2 2 city S"
MERGED = "U -1 0 1 farm NL NR EL WR; U 1 0 1; E -1 1 1; E 1 1 3; B 0 -1 0"
UNFINISHED = {"tiles": Counter("DFUB"), "num_players": 3}
SITUATIONS: dict[str, tuple[dict[str, Any], str, dict[str, Any]]] = {
    "a meeple on the feature it completes scores and comes back": (
        *({}, "E 0 1 2 city S"),
        {"scores": (4, 0), "meeples": (7, 7), "placed_meeples": []},
    ),
    "a road in a loop is complete": (
        *({}, "V 0 -1 3 road E S; V 1 -1 0; V 1 -2 1; V 0 -2 2"),
        {"scores": (4, 0), "meeples": (7, 7)},
    ),
    "all tied players score in full": (
        *({}, f"{AROUND_THE_GAP}; R 0 1 2"),
        {"scores": (8, 8), "meeples": (7, 7)},
    ),
    "before a city is complete": ({}, MAJORITY, {"scores": (0, 0), "meeples": (5, 6)}),
    "only the majority scores and all meeples come home": (
        *({}, f"{MAJORITY}; C 0 1 0"),
        {"scores": (12, 0), "meeples": (7, 7)},
    ),
    "before cities merge": ({}, MERGED, {"virtual_scores": (0, 0)}),
    "cities merged into one count once for each farm": (
        *({}, f"{MERGED}; R 0 1 2 farm NL NR"),
        {"virtual_scores": (3, 3)},
    ),
    # The A joins the farm north of the road, which touches the city, to the one south of it.
    "tied farmers score in full at the end and stay": (
        {"tiles": Counter("DUUEA")},
        "U 1 0 1 farm NL NR EL WR; U -1 0 1 farm ER SL SR WL; E 0 1 2; A 2 0 1",
        {"scores": (3, 3), "meeples": (6, 6)},
    ),
    "before the end": (
        *(UNFINISHED, "F 0 1 1 city N S; U 1 0 1 road E W"),
        {"scores": (0, 0, 0), "virtual_scores": (3, 2, 0)},
    ),
    "what is unfinished scores at the end": (
        *(UNFINISHED, "F 0 1 1 city N S; U 1 0 1 road E W; B 0 -1 0 cloister"),
        {"scores": (3, 2, 3)},
    ),
    "a farm that touches a city twice counts it once": (
        *({}, "U 1 0 1 farm NL NR EL WR; E 0 1 2; B 1 1 0"),
        {"scores": (0, 0), "virtual_scores": (3, 0)},
    ),
    "a meeple that comes back can be set again": (
        *(ALONE, "U 1 0 1 road E W; A 2 0 1; A -1 0 3; B 0 -1 0 cloister"),
        {"scores": (4,), "meeples": (0,)},
    ),
    "one tile completes a city and three roads": (
        {"tiles": Counter("DAAABBEEL")},
        "A -1 0 3 road E; E 0 1 2; B 0 -1 0; E 1 1 2 city S; A 1 -1 2 road N; B 2 -1 0; A 2 0 1;"
        "L 1 0 0 road E",
        {"scores": (3 + 2, 4 + 2), "meeples": (7, 7)},
    ),
    "one tile completes two cloisters": (
        *({"tiles": {"B": 12, "D": 1}}, CLOISTERS),
        {"scores": (9, 9), "meeples": (7, 7)},
    ),
    "who drew discarded tiles draws again": (
        *(NO_CITY, "E 0 1 2; C; C; B"),
        {"mover": 1, "current_tile": "B"},
    ),
    "the game ends with the last discarded tiles": (
        *(NO_CITY, "E 0 1 2 farm NL NR EL ER WL WR; B 0 -1 0; C; C"),
        {"scores": (3, 0)},
    ),
    "tiles of a known order are discarded at once": (
        *(NO_CITY | {"order": "ECCB"}, "E 0 1 2"),
        {"mover": 1, "current_tile": "B"},
    ),
    "and the last ones end the game": (
        *(NO_CITY | {"order": "EBCC"}, "E 0 1 2; B 0 -1 0"),
        {"current_tile": None, "order": ""},
    ),
}
"""Options of games, turns, and what is then true."""


@pytest.mark.parametrize(("config", "turns", "facts"), SITUATIONS.values(), ids=SITUATIONS)
def test_what_turns_lead_to(config, turns, facts):
    game = Game(**config)
    game.play_sequence(turns)
    assert {name: getattr(game.model, name) for name in facts} == facts


CITY_RING_OF_H = "H 0 -1 0; N -1 -1 2 city E S; N -1 -2 1; G 0 -2 0; N 1 -2 0; N 1 -1 3"
CITY_RING_OF_I = "I 0 -1 1; N 0 -2 1 city N E; N 1 -2 0; N 1 -1 3"
ROAD_ARC = "V 2 0 0 road S W; V 2 -1 1; V 1 -1 2"


@pytest.mark.parametrize("order", [1, -1], ids=["laid first", "laid last"])
@pytest.mark.parametrize(
    ("beside", "ring", "points"),
    [
        ("U 1 0 1", CITY_RING_OF_H, 12),
        ("U 1 0 1", CITY_RING_OF_I, 8),
        *(("B 0 -1 0", f"{letter} 1 0 0; {ROAD_ARC}", 4) for letter in "LWX"),
    ],
    ids="HILWX",
)
def test_tile_whose_segments_meet_counts_once(beside, ring, points, order):
    turns = [beside, *ring.split("; ")[::order]]
    game = Game(num_players=1, tiles=Counter("D" + "".join(one[0] for one in turns)))
    game.play_sequence(";".join(turns))
    assert game.model.scores == (points,)
    assert game.model.meeples == (7,)
