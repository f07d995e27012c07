"""Action modes and bounded boards: the two-step model, the encoder, the other seats of a game."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import InvalidAction, ResetNeeded
from scipy import stats

from agents import MCTS, RandomAgent, Rng
from carcassonne_env import CarcassonneModel, Move
from carcassonne_env.encoding import ACTION_MODES, Encoder
from carcassonne_env.gymnasium_env import CarcassonneEnv
from carcassonne_env.position import segment_targets
from carcassonne_env.tiles import LETTERS, SIDES
from envs import modes, same, started, steps
from games import reached
from models import advance, positions as positions_of
from playing import FEW
from reference import FACING, STEPS, ReferenceGame, neighbour, terrain
from reference_observations import expected_observation, is_inside

ORDER = "BAVEDJURMVAHJ"
"""All of them but the start tile."""

sizes = pytest.mark.parametrize("board_size", [3, 4, 5, 8])
steps_of_a_turn = pytest.mark.parametrize("two_step", [False, True], ids=["flat", "two steps"])


def positions(seed: int = 0, **config: Any) -> Iterator[CarcassonneModel]:
    return positions_of(CarcassonneModel(**config, seed=seed), seed)


def played(num_steps: int, seed: int = 0, **config: Any) -> CarcassonneModel:
    return next(itertools.islice(positions(seed, **config), num_steps, None))


def rewards(env: gym.Env) -> list[float]:
    return [reward for _, reward, *_ in steps(env)]


# Two steps: the model

VARIANTS = {
    "chance": {"tiles": FEW},
    "order": {"tiles": FEW, "order": ORDER},
    "one player": {"num_players": 1, "num_meeples": 1, "tiles": FEW},
    "five players without meeples": {"num_players": 5, "num_meeples": 0, "tiles": FEW},
    "base": {},
    "bounded": {"num_meeples": 2, "tiles": FEW, "board_size": 4},
}
variants = pytest.mark.parametrize("config", VARIANTS.values(), ids=VARIANTS)


@variants
def test_two_steps_play_the_same_game(config):
    for seed in range(4):
        flat, rng = CarcassonneModel(**config), Rng(seed)
        two_step = CarcassonneModel(**config, two_step=True)
        while not two_step.is_terminal():
            if two_step.is_chance_node():
                flat.apply_action(advance(two_step, rng))
                continue
            assert not two_step.chosen
            mover, moves = two_step.mover, []
            for placement in two_step.legal_actions():
                second = reached(two_step, [placement])
                assert second.mover == second.current_player() == mover
                moves += [second.decode_action(slot) for slot in second.legal_actions()]
            assert moves == [flat.decode_action(action) for action in flat.legal_actions()]
            advance(two_step, rng)
            slot = two_step.sample_action(rng)
            flat.apply_action(flat.encode_action(two_step.decode_action(slot)))
            two_step.apply_action(slot)
            for name in ("board", "placed_meeples", "scores", "virtual_scores", "meeples", "bag"):
                assert getattr(flat, name) == getattr(two_step, name)
            assert flat.current_player() == two_step.current_player()
        assert flat.is_terminal()
        assert flat.returns().tolist() == two_step.returns().tolist()
        assert flat.score_breakdown == two_step.score_breakdown


def outcome_of(model: CarcassonneModel) -> str:
    """What can be told of a finished game."""
    return repr((model.board, model.placed_meeples, model.scores, model.meeples))


@pytest.mark.parametrize("seed", range(3))
def test_rollouts_are_uniform_in_each_step(seed):
    config = {"num_players": 1, "num_meeples": 30, "tiles": FEW, "order": ORDER}
    games = positions(seed, **config, two_step=True)
    model = next(model for model in games if not model.order and not model.chosen)
    placements = model.legal_actions()
    slots = [reached(model, [placement]).legal_actions() for placement in placements]
    assert len({len(choice) for choice in slots}) > 1  # else as in the flat mode
    expected = {
        outcome_of(reached(model, [placement, slot])): 1 / len(placements) / len(choice)
        for placement, choice in zip(placements, slots, strict=True)
        for slot in choice
    }
    assert len(expected) == sum(map(len, slots))
    rng, num_games, ends = Rng(seed), 40 * len(expected), Counter()
    for _ in range(num_games):
        end = model.clone()
        assert end.rollout(rng) == 2
        ends[outcome_of(end)] += 1
    assert ends.keys() <= expected.keys()
    counts = [ends[outcome] for outcome in expected]
    shares = num_games * np.array([*expected.values()])
    assert stats.chisquare(counts, shares).pvalue > 1e-4


def test_rollout_from_the_second_step_keeps_the_chosen_cell():
    model = CarcassonneModel(1, 1, {"B": 1, "D": 1}, order="B", two_step=True)
    model.apply_action(model.encode_action(Move(0, -1, 0, None)))
    rng, targets = Rng(0), Counter()
    for _ in range(600):
        end = model.clone()
        assert end.rollout(rng) == 1
        assert end.board[-1] == ("B", 0, -1, 0)
        targets[end.placed_meeples[0].target[0] if end.placed_meeples else None] += 1
    assert targets.keys() == {None, "cloister", "farm"}
    assert stats.chisquare([*targets.values()]).pvalue > 1e-4


def test_chosen_is_told():
    model = CarcassonneModel(tiles=FEW, order=ORDER, two_step=True)
    assert model.is_two_step
    assert model.chosen is None
    model.apply_action(model.encode_action(Move(0, -1, 0, ("cloister",))))
    assert model.chosen == (0, -1, 0)
    assert model.current_tile == "B"
    assert len(model.board) == 1
    assert model.legal_cells == [(0, -1)]
    assert "to place: B at (0, -1, 0)" in repr(model)
    assert str(model)
    assert model._repr_svg_()
    model.apply_action(model.encode_action(Move(0, -1, 0, ("cloister",))))
    assert model.chosen is None
    assert model.placed_meeples == [(0, 0, -1, ("cloister",))]
    assert (model.mover, model.current_tile) == (1, "A")


def test_actions_of_both_steps_in_words_and_back():
    for model in positions(tiles=FEW, two_step=True):
        moves = [model.decode_action(action) for action in model.legal_actions()]
        actions = [model.encode_action(move) for move in moves]
        assert actions == model.legal_actions().tolist()
        if model.chosen:
            assert {move[:3] for move in moves} == {model.chosen}
            assert moves[0].target is None
        else:
            assert {move.target for move in moves} <= {None}


def test_another_placement_than_the_chosen_one_is_refused():
    model = CarcassonneModel(tiles=FEW, order=ORDER, two_step=True)
    model.apply_action(model.encode_action(Move(0, -1, 0, None)))
    with pytest.raises(ValueError, match=r"\(0, -1, 0\) is chosen already, got \(0, -1, 2\)"):
        model.encode_action(Move(0, -1, 2, None))
    for action in (3, 9, 35, -1, 378_396):
        assert not model.is_legal(action)
        with pytest.raises(ValueError, match="action"):
            model.apply_action(action)
    assert model.chosen == (0, -1, 0)


# Bounded boards: the model


def test_board_sizes():
    for board_size in (*range(3, 146), np.int64(5), None):
        model = CarcassonneModel(board_size=board_size)
        assert model.board_size == board_size
        model.rollout(0)
        assert model.is_terminal()


@steps_of_a_turn
@sizes
def test_bounded_games_have_the_moves_inside_and_discard_what_fits_nowhere(board_size, two_step):
    encoder = Encoder(24, 2, "two_step" if two_step else "flat", board_size)
    discarded = []
    for seed in range(4):
        model = CarcassonneModel(2, 2, "small", two_step=two_step, board_size=board_size)
        reference, rng = ReferenceGame(2, 2), Rng(seed)
        discarded.append(0)
        while not model.is_terminal():
            assert encoder.numbers(model)["discarded"] == discarded[-1]
            letter = LETTERS[advance(model, rng)]
            anywhere = reference.legal_moves(letter)
            moves = {move for move in anywhere if is_inside(move.x, move.y, board_size)}
            if not moves:
                assert model.current_tile is None
                discarded[-1] += 1
                continue
            if two_step:
                placements = {Move(*move[:3], None) for move in moves}
                assert {model.decode_action(a) for a in model.legal_actions()} == placements
                advance(model, rng)
                moves = {move for move in moves if move[:3] == model.chosen}
            assert {model.decode_action(a) for a in model.legal_actions()} == moves
            action = model.sample_action(rng)
            reference.play(letter, model.decode_action(action))
            model.apply_action(action)
        reference.finish()
        assert model.scores == reference.scores
        assert model.num_tiles == len(model.board) == 24 - discarded[-1]
    assert any(discarded) == (board_size < 8)


@steps_of_a_turn
@sizes
def test_rollouts_end_in_legal_boards(board_size, two_step):
    for seed in range(60):
        model = CarcassonneModel(3, 3, "base", two_step=two_step, board_size=board_size)
        model.rollout(seed)
        assert model.is_terminal()
        tiles = {(tile.x, tile.y): (tile.tile, tile.rotation) for tile in model.board}
        assert len(tiles) == len(model.board) == model.num_tiles
        for cell, tile in tiles.items():
            assert is_inside(*cell, board_size)
            for side in SIDES:
                if (other := tiles.get(neighbour(cell, side))) is not None:
                    assert terrain(*tile, side) == terrain(*other, FACING[side])
        placed = Counter(meeple.player for meeple in model.placed_meeples)
        assert [hand + placed[player] for player, hand in enumerate(model.meeples)] == [3, 3, 3]
        assert model.virtual_scores == model.scores


@steps_of_a_turn
def test_the_largest_board_is_unbounded(two_step):
    config = {"tiles": FEW, "two_step": two_step}
    games = positions(**config), positions(**config, board_size=145)
    for model, bounded in zip(*games, strict=True):
        assert model.legal_actions().tolist() == bounded.legal_actions().tolist()
        assert model.board == bounded.board


# The encoder

ENCODERS = [
    (mode, num_players, board_size)
    for mode in ACTION_MODES
    for num_players, board_size in ((1, None), (2, None), (3, None), (1, 3), (2, 6), (3, 5))
]
encoders = pytest.mark.parametrize(("mode", "num_players", "board_size"), ENCODERS)


def encoded_games(
    mode: str, num_players: int, board_size: int | None
) -> Iterator[tuple[Encoder, CarcassonneModel]]:
    encoder = Encoder(14, num_players, mode, board_size)
    config = {"num_meeples": 2, "tiles": FEW, "two_step": mode == "two_step"}
    for seed in range(3):
        game = positions(seed, num_players=num_players, board_size=board_size, **config)
        yield from ((encoder, model) for model in game)


@pytest.mark.parametrize(
    ("mode", "board_size", "num_actions"),
    [
        *(("flat", 5, 900), ("two_step", 5, 109), ("index", 5, 1080)),
        *(("flat", None, 9216), ("two_step", None, 1033), ("index", None, 1080)),
    ],
)
def test_every_number_of_a_window(mode, board_size, num_actions):
    games = encoded_games(mode, 1 if board_size else 2, board_size)
    for encoder, model in itertools.islice(games, 30):
        assert encoder.num_actions == num_actions
        actions = [encoder.decode(model, number) for number in range(num_actions)]
        legal = [action for action in actions if action is not None and model.is_legal(action)]
        assert sorted(legal) == model.legal_actions().tolist()


@modes
def test_no_number_means_anything_without_a_tile_to_place(mode):
    encoder = Encoder(14, 2, mode)
    for model in positions(tiles=FEW, two_step=mode == "two_step"):
        if model.current_tile is None:
            assert {encoder.decode(model, number) for number in range(100)} == {None}
            assert not encoder.mask(model).any()
    with pytest.raises(ValueError, match="action 0 of the model is not legal here"):
        encoder.encode(model, 0)


@modes
def test_encoder_refuses_what_is_out_of_range(mode):
    encoder, model = Encoder(14, 2, mode), played(1, tiles=FEW, two_step=mode == "two_step")
    for number in (-1, encoder.num_actions, 10**30):
        with pytest.raises(ValueError, match=rf"\[0, {encoder.num_actions}\), got {number}"):
            encoder.decode(model, number)
        with pytest.raises(ValueError, match=rf"\[0, {encoder.num_actions}\), got {number}"):
            encoder.play(model, number, Rng(0), 0)
    with pytest.raises(ValueError, match=r"seat must be in \[-1, 1\], got 2"):
        encoder.play(model, 0, Rng(0), 2)
    for action in (-1, 378_397, 10**30, 0.5, None):
        with pytest.raises(ValueError, match=f"action {action} of the model is not legal here"):
            encoder.encode(model, action)


@modes
def test_rows_of_tiles_are_those_of_the_board(mode):
    encoder, two_step = Encoder(14, 2, mode, observation="tiles"), mode == "two_step"
    num_meeples = num_chosen = 0
    for model in positions(tiles=FEW, two_step=two_step):
        assert model.is_two_step == two_step
        viewer = len(model.board) % 2
        seen = encoder.observe(model, viewer)["observation"]
        assert (seen.shape, seen.dtype) == ((14, 6), np.int8)
        placed = [(t.tile, t.rotation, t.x, t.y) for t in model.board]
        if model.chosen is not None:
            x, y, rotation = model.chosen
            placed.append((model.current_tile, rotation, x, y))
            num_chosen += 1
        meeples = {
            (m.x, m.y): (1 + segment_targets(*turned).index(m.target), 1 + (m.player != viewer))
            for m in model.placed_meeples
            for turned in [next(t[:2] for t in placed if t[2:] == (m.x, m.y))]
        }
        num_meeples += len(meeples)
        for row, (tile, rotation, x, y) in zip(seen.tolist(), placed, strict=False):
            meeple = meeples.get((x, y), (0, 0))
            assert row == [1 + LETTERS.index(tile), rotation, x, y, *meeple]
        assert not seen[len(placed) :].any()
    assert num_meeples
    assert bool(num_chosen) == two_step


@modes
@pytest.mark.parametrize("observation", ["full", "scaled_features", "flat", "tiles"])
def test_many_positions_are_observed_as_one_is(mode, observation):
    encoder = Encoder(14, 2, mode, observation=observation)
    played_through = positions(tiles=FEW, two_step=mode == "two_step")
    models = [model.clone() for model in played_through if model.current_player() >= 0]
    many = encoder.many(models)
    assert {m.current_player() for m in models} == {0, 1}
    for i, model in enumerate(models):
        one = encoder.observe(model, model.current_player())
        assert one.keys() == many.keys()
        assert all((one[name] == many[name][i]).all() for name in one)
    assert {array.shape[0] for array in encoder.many([]).values()} == {0}


def test_only_positions_with_a_player_to_move_are_observed_together():
    encoder, model = Encoder(14, 2), played(1, tiles=FEW)
    for other, error in ((CarcassonneModel(2), ValueError), (None, TypeError), (3, TypeError)):
        with pytest.raises(error):
            encoder.many([model, other])
    with pytest.raises(ValueError, match="a player must be to move"):
        encoder.many([model, CarcassonneModel(tiles=FEW)])


@modes
def test_encoder_is_pickled(mode):
    encoder = Encoder(14, 3, mode, 7, "scaled_features")
    twin = pickle.loads(pickle.dumps(encoder))
    model = played(8, num_players=3, tiles=FEW, two_step=mode == "two_step", board_size=7)
    assert same(twin.observe(model, 1), encoder.observe(model, 1))


@encoders
def test_every_number_of_an_observation(mode, num_players, board_size):
    seen = Counter()
    for encoder, model in encoded_games(mode, num_players, board_size):
        actions = model.legal_actions().tolist()
        numbers = [encoder.encode(model, action) for action in actions]
        assert [encoder.decode(model, number) for number in numbers] == actions
        assert sorted(numbers) == np.flatnonzero(encoder.mask(model)).tolist()
        space = gym.spaces.Dict(encoder.spaces())
        for viewer in range(num_players):
            is_to_move = viewer == model.current_player()
            observation = encoder.observe(model, viewer, is_to_move)
            size = encoder.width, encoder.num_actions
            assert observation in space
            assert same(observation, expected_observation(model, viewer, mode, 14, *size))
            planes = observation["observation"]
            seen.update(np.flatnonzero(planes.any(axis=(1, 2))).tolist())
    others = range(18, 22) if num_players == 1 else ()
    assert seen.keys() >= {0, 4, 8, 12, 13, 14, 22, 23} - {*others}
    assert not seen.keys() & {*others}
    assert (24 in seen) == (mode == "two_step")


# Gymnasium


def counts(env: CarcassonneEnv, num_tiles: int) -> dict[str, int]:
    """What the infos count, found tile by tile."""
    model, size = env.model, env.model.board_size
    to_come = model.order or "".join(letter * n for letter, n in model.bag.items())
    known = [*(tile.tile for tile in model.board), *(model.current_tile or ""), *to_come]
    cells = {(tile.x, tile.y) for tile in model.board}
    around = {neighbour(cell, side) for cell in cells for side in STEPS} - cells
    counted = {"discarded": num_tiles - len(known)}
    if size is not None:
        counted["cut_off"] = sum(not is_inside(*cell, size) for cell in around)
    return counted


@modes
@pytest.mark.parametrize("board_size", [None, 3, 5, 7])
@pytest.mark.parametrize("deterministic", [True, False], ids="ds")
def test_infos_count_the_discarded_tiles_and_the_cells_cut_off(deterministic, board_size, mode):
    kwargs = {"action_mode": mode, "board_size": board_size, "deterministic": deterministic}
    env, ends = CarcassonneEnv(tiles="base", num_players=3, seat=1, **kwargs), []
    for seed, (options, num_tiles) in enumerate([({}, 72), ({"tiles": FEW}, 14), ({}, 72)]):
        start = env.reset(seed=seed, options=options)
        for *_, info in itertools.chain([start], steps(env)):
            told = {key: info[key] for key in ("discarded", "cut_off") if key in info}
            assert told == counts(env, num_tiles)
            assert {type(count) for count in told.values()} == {int}
        assert info["discarded"] == num_tiles - len(env.model.board)
        ends.append(info)
    assert board_size is None or ends[0]["discarded"] > 0
    assert board_size != 3 or all(info["cut_off"] > 6 for info in ends)


# The other seats


class First:
    def __init__(self) -> None:
        self.seats: list[int] = []

    def act(self, model: CarcassonneModel) -> int:
        self.seats.append(model.current_player())
        return int(model.legal_actions()[0])


class Bad:
    def act(self, model: CarcassonneModel) -> int:
        return -1


@modes
@pytest.mark.parametrize(("num_players", "seat"), [(2, 0), (2, 1), (3, 1), (5, 4)])
def test_the_learner_has_one_seat(num_players, seat, mode):
    opponent = First()
    settings = {"num_players": num_players, "seat": seat, "action_mode": mode}
    env = started(CarcassonneEnv, **settings, opponent=opponent)
    decisions = 2 if mode == "two_step" else 1
    assert opponent.seats == [player for player in range(seat) for _ in range(decisions)]
    is_over = False
    while not is_over:
        assert env.model.current_player() == seat
        observation, _, is_over, _, info = env.step(RandomAgent(0).act(env))
        assert same(observation, env.encoder.observe(env.model, seat))
    assert {*opponent.seats} == {*range(num_players)} - {seat}
    assert len(info["score_breakdown"]) == len(info["scores"]) == num_players
    assert observation["vector"][49] == np.float32(env.model.scores[seat] / env.model.max_score())
    assert env.observation_space["vector"].shape == (49 + 3 * num_players + 4 * (decisions - 1),)


@pytest.mark.parametrize(
    "opponent",
    ["random", MCTS(5, recommendation="robust-random", seed=0)],  # both lose at times
    ids=["random", "MCTS"],
)
@pytest.mark.parametrize(("num_players", "seat"), [(1, 0), (2, 0), (2, 1), (3, 2)])
def test_rewards_are_those_of_the_final_scores(num_players, seat, opponent):
    kwargs = {"num_players": num_players, "seat": seat, "tiles": FEW, "action_mode": "two_step"}
    make = partial(CarcassonneEnv, **kwargs)
    signs = Counter()
    for seed in range(8):
        gained = {}
        for reward in (None, "score", "final", "win"):
            rival = copy.deepcopy(opponent) if num_players > 1 else "random"
            env = started(make, seed, opponent=rival, reward=reward)
            gained[reward] = rewards(env)
        result = env.model.returns()[seat]
        assert sum(gained["score"]) == env.model.scores[seat]
        assert gained[None] == gained["score" if num_players == 1 else "final"]
        for name, last in (("final", result), ("win", np.sign(result))):
            assert gained[name][-1] == last
            assert not any(gained[name][:-1])
            assert {type(reward) for reward in gained[name]} == {float}
        signs[gained["win"][-1]] += 1
    assert len(signs) > 1 or num_players == 1


@pytest.mark.parametrize("num_players", [2, 3])
def test_a_shared_best_score_is_worth_nothing(num_players):
    for reward in ("win", "final"):
        settings = {"num_players": num_players, "tiles": FEW, "reward": reward}
        env = started(CarcassonneEnv, **settings, num_meeples=0)
        assert set(rewards(env)) == {0}


def test_an_mcts_plays_the_other_seat():
    """As in the model; in other modes, it plays the same in `test_whole_turns`."""
    env = CarcassonneEnv(num_players=2, seat=1, tiles=FEW, opponent=MCTS(10, seed=3))
    env.reset(options={"order": ORDER})
    planner, model, rng = MCTS(10, seed=3), CarcassonneModel(2, 3, FEW, order=ORDER), Rng(0)
    while not model.is_terminal():
        if model.current_player() == 0:
            model.apply_action(planner.act(model))
            continue
        assert env.model == model
        action = model.sample_action(rng)
        env.step(env.env_action(action))
        model.apply_action(action)
    assert env.model == model


@modes
@pytest.mark.parametrize("illegal_action", ["terminate", "noop", "raise"])
@pytest.mark.parametrize("reward", ["score", "final", "win", "virtual"])
def test_a_game_that_ends_before_the_learners_turn_is_one_step(reward, illegal_action, mode):
    tiles, signs = {"B": 1, "D": 1}, Counter()
    kwargs = {"action_mode": mode, "reward": reward, "illegal_action": illegal_action}
    env = CarcassonneEnv(num_players=2, seat=1, **kwargs)
    for action in (0, 7, int(env.action_space.n) - 1, 1, 2, 3):
        observation, info = env.reset(seed=action, options={"tiles": tiles})
        lead = env.model.returns()[1]
        first, second = env.model.scores
        ends = {"score": 0, "final": lead, "win": np.sign(lead), "virtual": second - first}
        expected = ends[reward]
        signs[np.sign(lead)] += 1
        assert not observation["action_mask"].any()
        assert info["current_tile"] == -1
        assert len(info["score_breakdown"]) == 2
        with pytest.raises(InvalidAction):
            env.step(-1)
        for twin in (env.clone(), pickle.loads(pickle.dumps(env)), env):
            result = twin.step(action)
            assert same(result, (observation, float(expected), True, False, info))
            with pytest.raises(ResetNeeded):
                twin.step(action)
    assert signs.keys() == {0, -1}
    env.reset()
    assert env.action_masks().any()


def test_an_illegal_action_of_an_opponent_raises():
    env = CarcassonneEnv(num_players=2, opponent=Bad())
    env.reset(seed=0)
    with pytest.raises(ValueError, match="action -1 is not legal"):
        env.step(RandomAgent(0).act(env))
    with pytest.raises(ValueError, match="action -1 is not legal"):
        CarcassonneEnv(num_players=2, seat=1, opponent=Bad()).reset(seed=0)


OPPONENTS = ["random", "greedy", "mcts(iterations=5)", MCTS(5), RandomAgent()]


@pytest.mark.parametrize("opponent", OPPONENTS, ids=repr)
@modes
def test_a_seed_determines_the_moves_of_the_opponent(mode, opponent):
    env = CarcassonneEnv(num_players=2, seat=1, tiles=FEW, opponent=opponent, action_mode=mode)

    def played(seed):
        env.reset(seed=seed)
        boards = []
        for _ in steps(env):
            boards.append(env.model.board)
        return boards

    first, on = played(3), played(None)
    assert (played(3), played(None)) == (first, on)
    assert played(4) != first


@pytest.mark.parametrize("seed", [None, 3])
@pytest.mark.parametrize("before", ["random", "greedy"])
def test_an_opponent_that_is_set_plays_from_the_next_reset_on(before, seed):
    env = started(CarcassonneEnv, num_players=2, seat=1, tiles=FEW, opponent=before)
    env.opponent, expected = Bad(), env.clone()
    assert same(list(steps(env)), list(steps(expected)))
    with pytest.raises(ValueError, match="action -1 is not legal"):
        env.reset(seed=seed)
    env.opponent = "nobody"
    with pytest.raises(ValueError, match="'nobody'"):
        env.reset(seed=seed)
    twin = CarcassonneEnv(num_players=2, seat=1, tiles=FEW, opponent="mcts(iterations=5)")
    env.opponent = twin.opponent
    env.reset(seed=5)
    twin.reset(seed=5)
    assert same(list(steps(env)), list(steps(twin)))
    env.opponent = agent = MCTS(5, seed=1)
    env.reset(seed=5)
    expected = list(steps(env))
    agent.search(started(CarcassonneEnv).model)
    env.reset(seed=5)
    assert same(list(steps(env)), expected)  # it plays a copy


def test_the_opponent_of_a_specification_gets_a_new_seed():
    env = CarcassonneEnv(num_players=2, seat=1, deterministic=True, opponent="random()")
    order = "".join(letter for letter in LETTERS if letter != "D")
    starts = {
        str(env.reset(seed=seed, options={"order": order}) and env.model) for seed in range(9)
    }
    assert len(starts) > 3
