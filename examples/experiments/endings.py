"""What players lose before the last tiles, where Expectimax knows exactly what moves are worth.

The outlook plays games against itself, greedily, until few tiles are left. Each player chooses a
move there, and Expectimax searches the position to the end of the game.
"""

from __future__ import annotations

from mistakes import GREEDY, PLAYERS
from report import Option, Report, grid, groups_by, markdown, run, with_interval

from agents import make
from agents.experiment import run_experiment
from agents.game import choose, seat
from carcassonne_env import CarcassonneModel

ENDINGS = (2, 3)
"""Numbers of tiles that are left, with the one to place."""
ROUNDING = 1e-6


def main(report: Report) -> None:
    args = report.args
    jobs = grid(player=args.players, tiles=ENDINGS, seed=range(args.games))
    table = run_experiment(report.path(), ending, jobs)
    lines = [
        [f"`{player}`", str(tiles), with_interval(rows["loss"], 2), f"{best:.0f} %"]
        for (player, tiles), rows in groups_by(table, ["player", "tiles"]).items()
        for best in [100 * (rows["loss"] < ROUNDING).mean()]
    ]
    report.section(
        "Endings",
        f"{args.games} games of the outlook against itself in the base game for two, before the "
        "last tiles are placed, of which one is drawn: mean loss in points by exact Expectimax, "
        "and the share of best moves.",
        markdown(["player", "tiles left", "mean loss", "best moves"], lines),
    )


def ending(player: str, tiles: int, seed: int) -> dict[str, float]:
    """What a player's move loses when so many tiles are left, with the one to place."""
    (outlook, agent), draws = seat([GREEDY, player], seed)
    model = CarcassonneModel()
    while model.is_chance_node() or sum(model.bag.values()) >= tiles:
        is_chance = model.is_chance_node()
        model.apply_action(model.sample_chance(draws) if is_chance else outlook.act(model))
    exact = make(f"expectimax(depth={tiles})", seed=seed).search(model)
    value = exact.values[exact.actions == choose(agent, model).action][0]
    return {"loss": float(exact.value - value) * model.max_score()}


if __name__ == "__main__":
    run(
        main,
        "Endings",
        players=Option(PLAYERS, "whose moves are valued", quick=(GREEDY,)),
        games=Option(60, "for each number of tiles", quick=2, least=2),
    )
