"""Checks for any forward model: the laws of the contract, counts of positions, recorded games."""

from __future__ import annotations

import copy
import math
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from agents.checks import check_count
from agents.forward_model import CHANCE, TERMINAL, ForwardModel, PythonForwardModel
from agents.rng import Rng


def check_forward_model(
    make_model: Callable[[], ForwardModel],
    num_games: int = 20,
    seed: int = 0,
    max_moves: int = 10_000,
) -> int:
    """Plays random games and checks every law of the contract at every position.

    Args:
        make_model: A class or a function that builds the game at its start, the same each time.
            The models must be picklable, so define your class at the top level of a module.
        num_games: Number of random games to play.
        seed: Seed of the games.
        max_moves: A game with more actions and chance outcomes than this counts as endless.

    Returns:
        The number of positions checked.

    Raises:
        AssertionError: If the game breaks a law; the message says which law and where.
        TypeError, ValueError: If make_model cannot be called, or a game written in Python breaks a
            law that its base class checks itself.
    """
    if not callable(make_model):
        raise TypeError(f"make_model must be a class or a function, got {make_model!r}")
    rng = Rng(seed)
    _check(_view(make_model()), _view(make_model()), "make_model() must build equal positions")
    for _ in range(num_games):
        for move, model in enumerate(_positions(make_model(), rng)):
            if move > max_moves:  # before any rollout, which would not come back
                raise AssertionError(f"the game does not end within {max_moves} moves: {model!r}")
    draws = rng.copy()
    for _ in range(num_games):
        _check_determinized(make_model(), draws)
    return sum(_check_game(make_model(), rng) for _ in range(num_games))


def perft(model: ForwardModel, depth: int) -> int:
    """Number of ways to play the next ``depth`` decisions; different chance outcomes count apart.

    Chess programmers use such counts, under this name, to detect unintended changes of the rules.

    Args:
        model: The position to start from; it is not changed.
        depth: Number of decisions, 0 to 1000.

    Raises:
        ValueError: If the depth is not such a number.
    """
    depth = check_count("depth", depth, 0, 1000)
    if depth == 0 or model.is_terminal():
        return int(depth == 0)
    if model.is_chance_node():
        return sum(perft(child, depth) for child in _children(model, model.chance_outcomes()[0]))
    actions = model.legal_actions()
    if depth == 1:
        return len(actions)
    return sum(perft(child, depth - 1) for child in _children(model, actions))


def playthrough(model: ForwardModel, seed: int = 0) -> str:
    """A random game as text with one line per position, to compare releases with each other.

    It starts from the position of the model, which is not changed.
    """
    rng = Rng(seed)
    model = model.clone()
    lines = []
    while not model.is_terminal():
        options = _options(model)
        action = _sampled(model, rng)
        checksum = sum(int(option) * (i + 1) for i, option in enumerate(options)) % 2**32
        lines.append(
            f"{model!r} | player {model.current_player()} | {len(options)} options, "
            f"checksum {checksum} | takes {action}"
        )
        model.apply_action(action)
    lines.append(f"{model!r} | returns {[round(float(value), 9) for value in model.returns()]}")
    return "\n".join(lines) + "\n"


def _positions(model: ForwardModel, rng: Rng) -> Iterator[ForwardModel]:
    """Yields the positions of a random game; the model itself moves from one to the next."""
    yield model
    while not model.is_terminal():
        model.apply_action(_sampled(model, rng))
        yield model


def _children(model: ForwardModel, actions: Any) -> Iterator[ForwardModel]:
    for action in actions:
        child = model.clone()
        child.apply_action(int(action))
        yield child


def _options(model: ForwardModel) -> Any:
    return model.chance_outcomes()[0] if model.is_chance_node() else model.legal_actions()


def _sampled(model: ForwardModel, rng: Rng) -> int:
    return model.sample_chance(rng) if model.is_chance_node() else model.sample_action(rng)


def _view(model: ForwardModel) -> Any:
    """Everything that a planner can see of a position, comparable by ==."""
    player = model.current_player()
    if player == TERMINAL:
        returns = tuple(map(float, model.returns()))
        _check(bool(np.all(np.isfinite(returns))), True, f"finite returns of {model!r}: {returns}")
        return player, returns
    if player == CHANCE:
        outcomes, probabilities = model.chance_outcomes()
        return player, tuple(map(int, outcomes)), tuple(map(float, probabilities))
    return player, tuple(map(int, model.legal_actions()))


def _check(condition: Any, expected: Any, law: str) -> None:
    if condition != expected:
        raise AssertionError(f"{law}: got {condition!r}, expected {expected!r}")


def _check_game(model: ForwardModel, rng: Rng) -> int:
    """Plays a random game and checks every position; returns the number of positions."""
    num_positions = 0
    shape = np.shape(model.observation(0)) if has_observation(model) else None
    while True:
        where = f"at move {num_positions} of a random game: {model!r}"
        _check_position(model, rng, where)
        if shape is not None:
            _check_observations(model, shape, where)
        num_positions += 1
        if model.is_terminal():
            return num_positions
        _advance_with_copies(model, rng, where)


def _check_determinized(model: ForwardModel, rng: Rng) -> None:
    """A game whose chance outcomes are all drawn has no chance nodes; not all games can do this."""
    try:
        model.determinize(rng)
    except ValueError:
        return
    has_chance = any(position.is_chance_node() for position in _positions(model, rng))
    _check(has_chance, False, f"chance nodes after determinize(): {model!r}")


def _check_position(model: ForwardModel, rng: Rng, where: str) -> None:
    player = model.current_player()
    if player not in (CHANCE, TERMINAL) and player not in range(model.num_players):
        raise AssertionError(f"current_player() is {player} {where}")
    if player == TERMINAL:
        _check_end(model, rng, where)
    else:
        _check_options(model, player, rng, where)
        _check_heuristics(model, where)
    _check_rollout(model, rng, where)
    _check_indicators(model, where)


def _check_heuristics(model: ForwardModel, where: str) -> None:
    """Heuristics are finite for every player, before the end."""
    for kind in model.heuristics:
        for player in range(model.num_players):
            value = model.heuristic(player, kind)
            _check(math.isfinite(value), True, f"heuristic {kind!r} is {value!r} {where}")


def _check_indicators(model: ForwardModel, where: str) -> None:
    """Indicators have finite values of their type."""
    for player in range(model.num_players):
        for name, kind, places in model.indicators:
            for place in places or (None,):
                value = model.indicator(player, name, place)
                is_value = math.isfinite(value) if kind is float else value in (False, True)
                _check(is_value, True, f"indicator {name} is {value!r} {where}")


def _check_observations(model: ForwardModel, shape: tuple[int, ...], where: str) -> None:
    """All players see numbers in [0, 1], in arrays of this shape."""
    for player in range(model.num_players):
        seen = model.observation(player)
        _check(seen.dtype, np.dtype(np.float32), f"type of observation() {where}")
        _check(seen.ndim > 0, True, f"observation() is an array with axes {where}")
        _check(seen.shape, shape, f"one shape of observation() {where}")
        is_in_range = bool(np.all((seen >= 0) & (seen <= 1)))
        _check(is_in_range, True, f"observation() in [0, 1] {where}")


def has_observation(model: ForwardModel) -> bool:
    """Whether a game has observations for learners."""
    try:
        model.observation(0)
    except NotImplementedError:
        return False
    return True


def _check_end(model: ForwardModel, rng: Rng, where: str) -> None:
    for returns in (model.returns(), model.sample_returns(rng)):
        _check(len(returns), model.num_players, f"one return a player {where}")
        _check(bool(np.all(np.isfinite(returns))), True, f"finite returns {where}")
    if not isinstance(model, PythonForwardModel):
        _check(len(model.legal_actions()), 0, f"no legal actions at the end {where}")
        _check_refusal(model, 0, where)


def _check_options(model: ForwardModel, player: int, rng: Rng, where: str) -> None:
    options = [int(option) for option in _options(model)]
    bound = model.max_chance_outcomes if player == CHANCE else model.max_legal_actions
    _check(options, sorted(set(options)), f"options ascend and differ {where}")
    _check(1 <= len(options) <= bound, True, f"between 1 and {bound} options {where}")
    are_actions = options[0] >= 0 and options[-1] < model.num_actions
    _check(are_actions, True, f"options in [0, {model.num_actions}) {where}")
    _check(all(map(model.is_legal, options)), True, f"is_legal() of all options {where}")
    _check_texts(model, options, where)
    _check(_sampled(model, rng) in options, True, f"samples are options {where}")
    if player == CHANCE:
        probabilities = np.asarray(model.chance_outcomes()[1])
        _check(bool(np.all(probabilities > 0)), True, f"positive probabilities {where}")
        _check(bool(np.isclose(probabilities.sum(), 1)), True, f"probabilities sum to 1 {where}")
    else:
        ordered = sorted(map(int, model.ordered_actions()))
        _check(ordered, options, f"ordered_actions() are the legal ones {where}")
    if not isinstance(model, PythonForwardModel):
        outsider = next((a for a in range(model.num_actions) if a not in options), -1)
        for action in (outsider, -1, model.num_actions):
            _check_refusal(model, action, where)


def _check_texts(model: ForwardModel, options: list[int], where: str) -> None:
    """Every option has a text of its own, which is read back."""
    texts = [model.action_to_string(option) for option in options]
    _check(len(set(texts)), len(options), f"different texts of different options {where}")
    for option, text in ((options[0], texts[0]), (options[-1], texts[-1])):
        _check(model.string_to_action(text), option, f"string_to_action({text!r}) {where}")


def _check_equality(model: ForwardModel, twin: ForwardModel, name: str, where: str) -> None:
    """A copy equals its model, and both have the same hash."""
    _check(model == twin, True, f"{name} equals the model {where}")
    _check(model.position_hash(), twin.position_hash(), f"position_hash() of {name} {where}")


def _check_refusal(model: ForwardModel, action: int, where: str) -> None:
    before = _view(model)
    try:
        model.apply_action(action)
    except ValueError:
        _check(_view(model), before, f"a refused action changes nothing {where}")
    else:
        raise AssertionError(f"apply_action({action}) must raise ValueError {where}")


def _advance_with_copies(model: ForwardModel, rng: Rng, where: str) -> None:
    """Advances the model, and copies of every kind, by the same random action."""
    before = _view(model)
    unchanged = pickle.loads(pickle.dumps(model))
    action = _sampled(model, rng)
    other = model.clone()
    other.rollout(rng)
    other.copy_from(model)
    copies = {
        "clone()": model.clone(),
        "copy_from()": other,
        "copy.copy()": copy.copy(model),
        "copy.deepcopy()": copy.deepcopy(model),
        "pickle": pickle.loads(pickle.dumps(model)),
    }
    for name, twin in copies.items():
        _check(_view(twin), before, f"{name} keeps the position {where}")
        _check_equality(model, twin, name, where)
        twin.apply_action(action)
    _check(_view(model), before, f"copies are independent {where}")
    model.apply_action(action)
    after = _view(model)
    for name, twin in copies.items():
        _check(_view(twin), after, f"{name} goes on alike {where}")
        _check_equality(model, twin, name, where)
    _check(model == unchanged, False, f"an action makes a difference to == {where}")


def _check_rollout(model: ForwardModel, rng: Rng, where: str) -> None:
    before, end = _view(model), model.clone()
    applied = end.rollout(rng)
    _check(_view(model), before, f"copies are independent {where}")
    _check(end.is_terminal(), True, f"rollout() reaches the end {where}")
    _check(applied == 0, model.is_terminal(), f"rollout() counts what it applies {where}")
