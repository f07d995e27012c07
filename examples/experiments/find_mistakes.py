"""Finds positions in which good players erred, for `mistakes.py`.

A player, by default the strongest one without its race, plays games against itself and against the
outlook, and the script looks at some of the moves of both. A first set of draws finds moves that
lose to another move; how much they lose is measured anew, with fresh draws, so that the loss is not
that of the luckiest of many moves.

``python examples/experiments/find_mistakes.py --games 6 20``
"""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import numpy as np
from mistakes import FILE, GREEDY, TREE, Position, leads_after, loss_of
from report import Option, Report, groups_by, markdown, run

from agents import make
from agents.experiment import run_experiment
from agents.files import write_file
from agents.game import play_game
from carcassonne_env import CarcassonneModel
from carcassonne_env.game_setup import Setup

MOVES = {"2p-7m-base-s": (8, 0.5), "2p-7m-small-s": (10, 0.0)}
"""So many moves of a game are looked at, after this share of the game, by the kind of game."""
CANDIDATES = 6
"""So many moves are compared: the one that was played and those that a search ranks first."""
FIRST_DRAWS = (24, 48, 120)
"""The draws of each round of the first comparison; moves that are no better leave after a round."""
LEAST_LOSS = 1.0
"""In points: a mistake loses at least so much in the first draws."""
CLEAR = 2.5
"""A mistake loses at least so many standard errors in the first draws, and then in fresh ones."""


def main(report: Report) -> None:
    args = report.args
    first, rivals = args.player, (args.player, GREEDY)
    jobs = [
        {"setup": setup, "first": first, "second": second, "draws": args.draws, "seed": seed}
        for setup, games in zip(MOVES, args.games, strict=True)
        for seed, second in zip(range(games), cycle(rivals), strict=False)
    ]
    table = run_experiment(report.path(), mistakes_of_game, jobs)
    found = [position for row in table["mistakes"] for position in json.loads(row)]
    path = report.out / FILE.name
    write_file(path, "[\n" + ",\n".join(map(json.dumps, found)) + "\n]\n")
    lines = [
        [*match, *map(str, rows[["moves", "suspected", "confirmed"]].sum())]
        for match, rows in groups_by(table, ["setup", "first", "second"]).items()
    ]
    header = ["game", "player", "against", "moves", "mistakes by the first draws", "by fresh ones"]
    report.section("Mistakes", f"{len(found)} positions: {path}", markdown(header, lines))


def mistakes_of_game(setup: str, first: str, second: str, draws: int, seed: int) -> dict[str, Any]:
    """Plays a game and looks at some of its moves; returns the mistakes as JSON."""
    before: list[CarcassonneModel] = []
    players = [first, second]
    game = play_game(
        Setup.named(setup), players, seed, watch=lambda model, _: before.append(model.clone())
    )
    actions = [ply.action for ply in game.plies]
    count, share = MOVES[setup]
    start = round(share * len(before))
    choices = [i for i in range(start, len(before)) if len(before[i].legal_actions()) > 1]
    rng = np.random.default_rng(seed)
    moves = sorted(rng.choice(choices, min(count, len(choices)), replace=False).tolist())
    found: list[Position] = []
    for i in moves:
        number = np.random.SeedSequence([seed, i])
        if (better := better_move(before[i], actions[i], number)) is not None:
            values = fresh(before[i], actions[i], better["better"], draws, number)
            place = {"setup": setup, "players": players, "seed": seed, "actions": actions[:i]}
            found.append(place | {"played": actions[i]} | better | values)
    clear = [position for position in found if position["loss"] > CLEAR * position["error"]]
    counts = {"moves": len(moves), "suspected": len(found), "confirmed": len(clear)}
    return counts | {"mistakes": json.dumps(clear)}


def better_move(
    model: CarcassonneModel, played: int, seed: np.random.SeedSequence
) -> Position | None:
    """The move that is clearly better than the played one in the first draws; None without one."""
    search, *draws = seed.spawn(1 + len(FIRST_DRAWS))
    result = make(TREE, seed=search).search(model)
    ordered = result.actions[result.ranking()].tolist()
    actions = [played, *(action for action in ordered if action != played)][:CANDIDATES]
    leads = np.empty((0, len(actions)))
    for count, draw in zip(FIRST_DRAWS, draws, strict=True):
        leads = np.vstack([leads, leads_after(model, actions, count, draw)])
        losses = [loss_of(own, leads[:, 0]) for own in leads.T]
        kept = [0, *(i for i, (loss, error) in enumerate(losses) if loss + error > LEAST_LOSS)]
        if len(kept) == 1:
            return None
        actions, leads = [actions[i] for i in kept], leads[:, kept]
    best = int(leads.mean(axis=0).argmax())
    loss, error = loss_of(leads[:, best], leads[:, 0])
    if loss < max(LEAST_LOSS, CLEAR * error):
        return None
    return {"better": actions[best], "first_loss": round(loss, 3)}


def fresh(
    model: CarcassonneModel, played: int, better: int, draws: int, seed: np.random.SeedSequence
) -> Position:
    """What the played move loses in fresh draws."""
    leads = leads_after(model, [better, played], draws, seed.spawn(1)[0])
    loss, error = loss_of(*leads.T)
    mean = float(leads[:, 0].mean())
    return {"draws": draws} | {
        name: round(value, 3) for name, value in (("lead", mean), ("loss", loss), ("error", error))
    }


if __name__ == "__main__":
    run(
        main,
        "Positions in which good players erred",
        player=Option(TREE, "that plays against itself and, in every second game, the outlook"),
        games=Option((6, 20), "of 72 tiles, and of 24 tiles", quick=(0, 1), nargs=2, least=0),
        draws=Option(2000, "for the loss of each mistake", quick=20, least=2),
    )
