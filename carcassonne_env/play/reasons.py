"""Why a move is good or bad: what it changes in the final scores to expect, feature by feature."""

from __future__ import annotations

from collections import defaultdict

from ..model import CarcassonneModel
from ..position import OutlookEntry, Target
from .words import feature_words


def changes(model: CarcassonneModel, action: int) -> dict[str, float]:
    """What an action changes in the lead that the player to move can expect.

    The lead is that over the other player who can expect most before the action; with one player it
    is the score. The expectation is that of `CarcassonneModel.outlook`, without what it is worth to
    be on the move, which all actions give away alike.

    Args:
        model: A position with a player to move. It is not changed.
        action: A legal action.

    Returns:
        Points by what they come from, the largest change first: a feature, in the words of the
        position after the action; "meeples in hand"; or another term of the outlook. Features that
        the action does not concern are missing. A game that ends has no outlook: the dict is then
        empty.
    """
    after = model.clone()
    after.apply_action(action)
    if after.is_terminal():
        return {}
    player, expected = model.current_player(), model.expected_scores
    others = [i for i in range(model.num_players) if i != player]
    rival = max(others, key=lambda i: expected[i], default=None)
    signs = {player: 1.0} if rival is None else {player: 1.0, rival: -1.0}
    names = {part: feature_words(whole) for whole in after.features for part in whole.segments}
    points: dict[str, float] = defaultdict(float)
    for position, sign in ((after, 1.0), (model, -1.0)):
        for entry in position.outlook():
            if entry.term != "to move":
                points[_source(entry, names)] += sign * signs.get(entry.player, 0.0) * entry.points
    found = sorted(points.items(), key=lambda item: -abs(item[1]))
    return {source: change for source, change in found if abs(change) > 1e-9}


def _source(entry: OutlookEntry, names: dict[tuple[int, int, Target], str]) -> str:
    if entry.feature is not None:
        return names[next(iter(entry.feature.segments))]  # all lead to the same feature
    return "meeples in hand" if "meeple" in entry.term else entry.term


def change_words(found: dict[str, float], count: int = 4) -> str:
    """The largest changes in words: "city at (0, 1) +5.2, meeples in hand -1.9"."""
    texts = [f"{source} {change:+.1f}" for source, change in found.items() if abs(change) >= 0.05]
    return ", ".join(texts[:count]) + (", ..." if len(texts) > count else "")
