"""Why a move is good or bad: what it changes in the final scores to expect, feature by feature.

For example, a player completes the own city at (0, 0), from which 5 points were expected, and it
scores 6. The outlook then has 5 points less from the city, 6 more that are scored, and 0.8 more for
the meeple that is in hand again. Scored points belong to the feature that brought them: the changes
are "own city at (0, 0)" +1 and "meeples in hand" +0.8.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import NamedTuple

from ..model import CarcassonneModel
from ..position import Move, Target

MOST_REASONS = 2
LEAST_REASON = 0.5
"""Points of the smallest one."""
LEAST_REST = 0.05
"""Points of the smallest rest that is told."""
Part = tuple[int, int, Target]
"""A segment of a tile: (x, y, target)."""


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


class _Effect(NamedTuple):
    """What an action does; nothing if it ends the game, which has no outlook then."""

    points: dict[Source, float]  # that the lead gains, with the scored ones apart
    completed: frozenset[Source]  # the features that score them
    owners: dict[Source, tuple[int, ...]]  # of features with meeples, also those that score


def changes(model: CarcassonneModel, action: int) -> dict[str, float]:
    """What an action changes in the lead that the player to move can expect.

    The lead is that over the other player who can expect most before the action; with one player it
    is the score. The expectation is that of `CarcassonneModel.outlook`, without what it is worth to
    be on the move, which all actions give away alike. The points are by what they come from, the
    largest change first: a feature by its owner and one of its cells, with the points that it
    scores; "meeples in hand"; or another term of the outlook. The dict is empty if the game ends.
    """
    effect, player = _effect(model, action), model.current_player()
    changed = _with_scores(effect, is_one=len(effect.completed) == 1)
    largest_first = sorted(changed.items(), key=lambda item: -abs(item[1]))
    return {
        _words(source, effect.owners.get(source, ()), player): points
        for source, points in largest_first
        if abs(points) > 1e-9
    }


def reasons(model: CarcassonneModel, better: int, played: int) -> tuple[Reason, ...]:
    """What a better action brings more than the played one, by `changes`: the largest parts.

    Their points may be negative. The last part is the rest of what the outlook expects more of the
    better action. There are no reasons if it expects no more, or if nothing speaks for the action.
    """
    gain, other = _effect(model, better), _effect(model, played)
    is_one = max(len(gain.completed), len(other.completed)) <= 1
    gains, others = (_with_scores(effect, is_one=is_one) for effect in (gain, other))
    found = {source: gains.get(source, 0.0) - others.get(source, 0.0) for source in gains | others}
    total = sum(found.values())
    if not gains or not others or total <= 0:
        return ()
    owners = other.owners | gain.owners
    told = [
        Reason(*source, round(points, 2), owners.get(source, ()))
        for source, points in found.items()
        if source.cell or source.kind in ("meeples", "scored")
    ]
    told.sort(key=lambda one: -abs(one.points))
    largest = [one for one in told[:MOST_REASONS] if abs(one.points) >= LEAST_REASON]
    if not any(one.points > 0 for one in largest):
        return ()
    rest = total - sum(one.points for one in largest)
    return (*largest, *([Reason("rest", None, round(rest, 2))] if abs(rest) >= LEAST_REST else []))


def change_words(found: dict[str, float]) -> str:
    """The largest changes in words: "own city at (0, 0) +5.2, meeples in hand -1.9"."""
    texts = [f"{source} {change:+.1f}" for source, change in found.items() if abs(change) >= 0.05]
    return ", ".join(texts[:4]) + (", ..." if len(texts) > 4 else "")


def _effect(model: CarcassonneModel, action: int) -> _Effect:
    after, move = model.clone(), model.decode_action(action)
    after.apply_action(action)
    if after.is_terminal():
        return _Effect({}, frozenset(), {})
    sources = _sources(after, move)
    return _Effect(
        _points(model, after, sources),
        _completed(model, after, move, sources),
        _owners(model, after, move, sources),
    )


def _sources(after: CarcassonneModel, move: Move) -> dict[Part, Source]:
    """The source of each part of a feature after a move: its first cell that is not the new one."""
    new, sources = (move.x, move.y), dict[Part, Source]()
    for feature in after.features:
        cell = min(feature.cells - {new}, default=new)
        sources |= dict.fromkeys(feature.segments, Source(feature.kind, cell))
    return sources


def _points(
    model: CarcassonneModel, after: CarcassonneModel, sources: dict[Part, Source]
) -> dict[Source, float]:
    """What each source brings more to the lead after an action than before it."""
    player, expected = model.current_player(), model.expected_scores
    others = [i for i in range(model.num_players) if i != player]
    rival = max(others, key=lambda i: expected[i], default=None)
    signs = {player: 1.0} if rival is None else {player: 1.0, rival: -1.0}
    points: dict[Source, float] = defaultdict(float)
    for position, sign in ((after, 1.0), (model, -1.0)):
        for entry in position.outlook():
            kind = "meeples" if "meeple" in entry.term else entry.term
            part = entry.feature and next(iter(entry.feature.segments))  # all are of one source
            source = sources[part] if part else Source(kind, None)
            if kind != "to move":
                points[source] += sign * signs.get(entry.player, 0.0) * entry.points
    return points


def _completed(
    model: CarcassonneModel, after: CarcassonneModel, move: Move, sources: dict[Part, Source]
) -> frozenset[Source]:
    """The features with meeples that a move completes."""
    held: set[tuple[int, int, Target | None]] = {(move.x, move.y, move.target)}
    held.update(part for each in model.features if any(each.meeples) for part in each.segments)
    return frozenset(sources[part] for part in _complete(after) - _complete(model) if part in held)


def _complete(model: CarcassonneModel) -> set[Part]:
    """The parts of all complete features."""
    return {part for feature in model.features if feature.is_complete for part in feature.segments}


def _owners(
    model: CarcassonneModel, after: CarcassonneModel, move: Move, sources: dict[Part, Source]
) -> dict[Source, tuple[int, ...]]:
    """The players with most meeples on each feature, before those come home that have scored.

    Two features of a kind may have one source; they are left out if they have not the same owners.
    """
    features = after.features
    indices = {part: i for i, feature in enumerate(features) for part in feature.segments}
    counts = [Counter[int]() for _ in features]
    for feature in model.features:
        counts[indices[next(iter(feature.segments))]].update(dict(enumerate(feature.meeples)))
    if move.target is not None:
        counts[indices[move.x, move.y, move.target]][model.current_player()] += 1
    found: dict[Source, set[tuple[int, ...]]] = defaultdict(set)
    for part, i in indices.items():
        if (most := max(counts[i].values(), default=0)) > 0:
            owners = (player for player, count in counts[i].items() if count == most)
            found[sources[part]].add(tuple(sorted(owners)))
    return {source: all_.pop() for source, all_ in found.items() if len(all_) == 1}


def _with_scores(effect: _Effect, *, is_one: bool) -> dict[Source, float]:
    """The points in which scored ones are a part of what the completed feature brings.

    Of several features, points are known in sum only: all of them are one source then.
    """
    scored = next(iter(effect.completed), _SCORED) if is_one else _SCORED
    sums: dict[Source, float] = defaultdict(float)
    for source, points in effect.points.items():
        is_scored = source == _SCORED or source in effect.completed
        sums[scored if is_scored else source] += points
    return dict(sums)


def _words(source: Source, owners: tuple[int, ...], player: int) -> str:
    if source.cell is None:
        return "meeples in hand" if source.kind == "meeples" else source.kind
    x, y = source.cell
    whose = "shared " if len(owners) > 1 else "".join(f"player {owner + 1}'s " for owner in owners)
    return f"{'own ' if owners == (player,) else whose}{source.kind} at ({x}, {y})"
