"""Why a move is good or bad: what it changes in the final scores to expect, feature by feature."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ..model import CarcassonneModel
from ..position import Target

MOST_REASONS = 2
LEAST_REASON = 0.5
"""Points of the smallest one."""
LEAST_REST = 0.05
"""Points of the smallest rest that is told."""


class Source(NamedTuple):
    """What points come from."""

    kind: str  # of a feature; "meeples" in hand; or another term of the outlook
    cell: tuple[int, int] | None  # of the feature, which it had before the action if it is not new


_SCORED = Source("scored", None)


class Reason(NamedTuple):
    """A reason for an action: what it brings more than another one."""

    kind: str  # of a feature; "meeples" in hand; "scored" by several at once; or the "rest"
    cell: tuple[int, int] | None  # of the feature
    points: float
    owners: tuple[int, ...] = ()  # the players with most meeples on the feature


def changes(model: CarcassonneModel, action: int) -> dict[str, float]:
    """What an action changes in the lead that the player to move can expect.

    The lead is that over the other player who can expect most before the action; with one player it
    is the score. The expectation is that of `CarcassonneModel.outlook`, without what it is worth to
    be on the move, which all actions give away alike.

    Args:
        model: A position with a player to move. It is not changed.
        action: A legal action.

    Returns:
        Points by what they come from, the largest change first: a feature by its owner and one of
        its cells, with the points that it scores; "meeples in hand"; or another term of the
        outlook. Features that the action does not concern are missing. A game that ends has no
        outlook: the dict is then empty.
    """
    points, completed = _changes(model, action)
    changed = _with_scores(points, completed, is_one=len(completed) == 1)
    found = sorted(changed.items(), key=lambda item: -abs(item[1]))
    owners, player = _owners(model, action), model.current_player()
    words = {source: _words(source, owners.get(source, ()), player) for source in changed}
    return {words[source]: change for source, change in found if abs(change) > 1e-9}


def reasons(model: CarcassonneModel, better: int, played: int) -> tuple[Reason, ...]:
    """What a better action brings more than the played one, by `changes`: the largest parts.

    Their points may be negative. The last part is the rest of what the outlook expects more of the
    better action. There are no reasons if it expects no more, or if nothing speaks for the action.
    """
    both = [_changes(model, action) for action in (better, played)]
    is_one = max(len(completed) for _, completed in both) <= 1
    gains, others = (_with_scores(*each, is_one=is_one) for each in both)
    found = {source: gains.get(source, 0.0) - others.get(source, 0.0) for source in gains | others}
    total = sum(found.values())
    if not gains or not others or total <= 0:
        return ()
    owners = _owners(model, played) | _owners(model, better)
    named = (
        Reason(*source, round(points, 2), owners.get(source, ()))
        for source, points in found.items()
    )
    told = [one for one in named if one.cell or one.kind in ("meeples", "scored")]
    told.sort(key=lambda one: -abs(one.points))
    largest = [one for one in told[:MOST_REASONS] if abs(one.points) >= LEAST_REASON]
    if not any(one.points > 0 for one in largest):
        return ()
    rest = total - sum(one.points for one in largest)
    return (*largest, *([Reason("rest", None, round(rest, 2))] if abs(rest) >= LEAST_REST else []))


def _changes(model: CarcassonneModel, action: int) -> tuple[dict[Source, float], frozenset[Source]]:
    """The changes, with the points that are scored apart, and the features that score them."""
    after, move = model.clone(), model.decode_action(action)
    after.apply_action(action)
    if after.is_terminal():
        return {}, frozenset()
    player, expected = model.current_player(), model.expected_scores
    others = [i for i in range(model.num_players) if i != player]
    rival = max(others, key=lambda i: expected[i], default=None)
    signs = {player: 1.0} if rival is None else {player: 1.0, rival: -1.0}
    sources = dict(_sources(after, (move.x, move.y)))
    points: dict[Source, float] = defaultdict(float)
    for position, sign in ((after, 1.0), (model, -1.0)):
        for entry in position.outlook():
            kind = "meeples" if "meeple" in entry.term else entry.term
            part = entry.feature and next(iter(entry.feature.segments))  # all are of one source
            source = sources[part] if part else Source(kind, None)
            if kind != "to move":
                points[source] += sign * signs.get(entry.player, 0.0) * entry.points
    held = {part for each in model.features if any(each.meeples) for part in each.segments}
    placed = move.x, move.y, move.target
    new = _complete(after) - _complete(model)
    return points, frozenset(sources[part] for part in new if part in held or part == placed)


def _with_scores(
    points: dict[Source, float], completed: frozenset[Source], *, is_one: bool
) -> dict[Source, float]:
    """The changes in which scored points are a part of what the completed feature brings.

    Of several features, points are known in sum only: all of them are one source then.
    """
    scored = next(iter(completed), _SCORED) if is_one else _SCORED
    sums: dict[Source, float] = defaultdict(float)
    for source, change in points.items():
        is_scored = source == _SCORED or source in completed
        sums[scored if is_scored else source] += change
    return dict(sums)


def _sources(
    after: CarcassonneModel, new: tuple[int, int]
) -> Iterator[tuple[tuple[int, int, Target], Source]]:
    """The parts of the features, with the first cell of each that is not the new one."""
    for feature in after.features:
        cell = min(feature.cells - {new}, default=new)
        for part in feature.segments:
            yield part, Source(feature.kind, cell)


def _owners(model: CarcassonneModel, action: int) -> dict[Source, tuple[int, ...]]:
    """The players with most meeples on each feature that has some after an action, or scores.

    Two features of a kind may have one source; they are left out if they have not the same owners.
    """
    after, move = model.clone(), model.decode_action(action)
    after.apply_action(action)
    sources, features = dict(_sources(after, (move.x, move.y))), after.features
    indices = {part: i for i, feature in enumerate(features) for part in feature.segments}
    counts = [Counter[int]() for _ in features]
    for feature in model.features:
        held = dict(enumerate(feature.meeples))
        counts[indices[next(iter(feature.segments))]].update(held)
    if move.target is not None:
        counts[indices[move.x, move.y, move.target]][model.current_player()] += 1
    found: dict[Source, set[tuple[int, ...]]] = defaultdict(set)
    for part, i in indices.items():
        if (most := max(counts[i].values(), default=0)) > 0:
            owners = (player for player, count in counts[i].items() if count == most)
            found[sources[part]].add(tuple(sorted(owners)))
    return {source: all_.pop() for source, all_ in found.items() if len(all_) == 1}


def _complete(model: CarcassonneModel) -> set[tuple[int, int, Target]]:
    """The parts of all complete features."""
    return {part for feature in model.features if feature.is_complete for part in feature.segments}


def _words(source: Source, owners: tuple[int, ...], player: int) -> str:
    if source.cell is None:
        return "meeples in hand" if source.kind == "meeples" else source.kind
    x, y = source.cell
    whose = "shared " if len(owners) > 1 else "".join(f"player {owner + 1}'s " for owner in owners)
    return f"{'own ' if owners == (player,) else whose}{source.kind} at ({x}, {y})"


def change_words(found: dict[str, float]) -> str:
    """The largest changes in words: "own city at (0, 1) +5.2, meeples in hand -1.9"."""
    texts = [f"{source} {change:+.1f}" for source, change in found.items() if abs(change) >= 0.05]
    return ", ".join(texts[:4]) + (", ..." if len(texts) > 4 else "")
