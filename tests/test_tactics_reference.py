"""The tactics game against the slow reference: random games, side by side, step by step."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from agents import CHANCE
from agents.games.tactics import TacticsModel
from agents.games.tactics.terms import CARDS, KINDS, TacticsAction
from reference_tactics import BOARDS, DECKS, ReferenceTactics

EVENTS = (
    *("push", "body pushed", "push onto body", "body stomped", "chain 1", "chain 2"),
    *("chain turns", "sight blocked", "crystal destroyed", "assault bonus", "inferno on crystal"),
    *("inferno on body", "scroll used", "revive", "revive by potion", "swap", "swap_card"),
    *("win by crystals", "win by units", "win after bodies left", "draw", "turn cut short"),
)
"""The rarer rules, as the reference counts them: each is applied in the games of a test."""
RANDOM = dict.fromkeys(KINDS, 1.0)
FIGHT = RANDOM | {"attack": 300, "heal": 200, "equip": 20, "deploy": 20, "swap": 5, "swap_card": 2}
"""The weight of an action of each kind: random play alone rarely reaches the rules of fights."""
POINTS = (3, 5, 10, 15)
KNIGHTS = dict.fromkeys(CARDS, 1) | {"knight": 4, "inferno": 2, "potion": 2, "scroll": 2}
"""A deck whose games have more pushes."""
SMALLEST = {"knight": 1, "cleric": 1, "ninja": 1, "inferno": 1, "potion": 1, "scroll": 1}
"""A deck that is empty after the first hand."""

Weights = dict[str, float]
Options = dict[str, Any]


def chosen(model: TacticsModel, weights: Weights, rng: random.Random) -> TacticsAction:
    actions = sorted(decoded(model), key=str)
    return rng.choices(actions, [weights[action.kind] for action in actions])[0]


def drawn(game: ReferenceTactics, rng: random.Random) -> str:
    outcomes = game.chance_outcomes()
    return rng.choices(list(outcomes), [float(chance) for chance in outcomes.values()])[0]


def check_position(model: TacticsModel, game: ReferenceTactics) -> None:
    assert model.current_player() == game.current_player
    assert len(model.units) == len(game.units)
    assert set(model.units) == game.units
    assert [+Counter(hand) for hand in model.hands] == [+hand for hand in game.hands]
    assert [+Counter(deck) for deck in model.decks] == [+deck for deck in game.decks]
    assert model.turn == game.turn
    assert model.winner == game.winner
    for player, value in ((player, game.evaluation(player)) for player in (0, 1)):
        assert model.evaluation(player) == value
        bound = 60_000 - (game.phase != "over")  # only an end is worth a win
        assert model.heuristic(player, "evaluation") == max(-bound, min(value, bound)) / 60_000
    if game.phase == "over":
        returns = [0 if game.winner is None else 1 if game.winner == i else -1 for i in (0, 1)]
        assert model.returns().tolist() == returns
    elif game.phase == "act":
        assert model.action_points == game.action_points
        check_actions(model, game)
    else:
        outcomes, chances = model.chance_outcomes()
        by_card = {CARDS[outcome]: p for outcome, p in zip(outcomes, chances, strict=True)}
        assert by_card == pytest.approx(game.chance_outcomes())
        assert [model.action_to_string(o) for o in outcomes] == [f"draw {c}" for c in by_card]


def check_actions(model: TacticsModel, game: ReferenceTactics) -> None:
    """Compares the legal actions; two numbers do not mean the same action."""
    actions = decoded(model)
    assert len(actions) == len(set(actions))
    assert set(actions) == game.legal_actions()


def decoded(model: TacticsModel) -> list[TacticsAction]:
    return [model.decode_action(action) for action in model.legal_actions().tolist()]


def check_game(seed: int, weights: Weights, **options: Any) -> Counter[str]:
    """Plays a game side by side; returns how often the reference applied the rarer rules."""
    rng, steps = random.Random(seed), []
    model, game = TacticsModel(**options), ReferenceTactics(**options)
    try:
        check_position(model, game)
        while game.phase != "over":
            if game.phase == "act":
                steps.append(chosen(model, weights, rng))
                model.apply_action(model.encode_action(steps[-1]))
                game.apply(steps[-1])
            else:
                steps.append(drawn(game, rng))
                model.apply_action(CARDS.index(steps[-1]))
                game.draw(steps[-1])
            check_position(model, game)
    except (AssertionError, IndexError, ValueError) as error:
        last = "\n".join(map(str, steps[-12:]))
        raise AssertionError(f"{options}, seed {seed}, {len(steps)} steps, last\n{last}") from error
    return game.events


def varied_games(**options: Any) -> Iterator[tuple[Weights, Options]]:
    """Both ways of play with all action points, pruned and not."""
    for weights, pruned, points in itertools.product((RANDOM, FIGHT), (False, True), POINTS):
        yield weights, options | {"pruned": pruned, "action_points": points}


@pytest.mark.parametrize("board", BOARDS)
def test_short_games_agree(board):
    for weights, options in varied_games(board=board, max_turns=4):
        check_game(0, weights, **options)


@pytest.mark.slow(keep="tiny-2-")
@pytest.mark.parametrize(
    ("board", "num_rounds", "max_turns"),
    [("tiny", 2, 40), ("tiny", 22, 100), ("small", 22, 60), ("standard", 22, 40)],
)
def test_games_with_all_events_agree(board, num_rounds, max_turns):
    # 22 rounds of 16 games on each of three boards are 1,056 games.
    events = Counter()
    for seed, deck in zip(range(num_rounds), itertools.cycle([None, KNIGHTS])):
        for weights, options in varied_games(board=board, deck=deck, max_turns=max_turns):
            events += check_game(seed, weights, **options)
    assert set(EVENTS) - set(events) == set()


def random_board(rng: random.Random) -> str:
    """A text of 4 to 64 squares, each letter in any place."""
    height = rng.randint(1, 8)
    width = rng.randint(-(-4 // height), min(10, 64 // height))
    letters = [*"dDcC", *rng.choices("000000dDcCSAP", k=height * width - 4)]
    rng.shuffle(letters)
    rows = ["".join(letters[width * row : width * (row + 1)]) for row in range(height)]
    return " / ".join(rows)


@pytest.mark.parametrize("num_games", [20, pytest.param(500, marks=pytest.mark.slow)])
def test_random_boards_agree(num_games):
    events, rng = Counter(), random.Random(4)
    for seed in range(num_games):
        options = {
            "board": random_board(rng),
            "deck": rng.choice([*DECKS, SMALLEST]),
            "pruned": rng.random() < 0.5,
            "action_points": rng.randint(1, 15),
            "max_turns": rng.randint(1, 30),
        }
        events += check_game(seed, rng.choice([RANDOM, FIGHT]), **options)
    assert {"turn skipped", "turn cut short", "pruning undone"} <= set(events)


@pytest.mark.parametrize("board", BOARDS)
def test_game_with_fixed_draws_agrees(board):
    # The reference is told the cards that are new in the model's hands.
    rng = random.Random(2)
    model = TacticsModel(board, deterministic=True, seed=0, max_turns=30)
    game = ReferenceTactics(board, pruned=True, max_turns=30)
    while game.phase != "over":
        if game.current_player == CHANCE:
            new_cards = Counter(model.hands[game.mover]) - game.hands[game.mover]
            game.draw(next(new_cards.elements()))
        else:
            check_position(model, game)
            action = chosen(model, FIGHT, rng)
            model.apply_action(model.encode_action(action))
            game.apply(action)
    check_position(model, game)
