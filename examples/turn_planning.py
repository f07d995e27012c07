"""Plans a turn of several actions in the tactics game and draws the plan as numbered arrows.

Six planners plan the same turn with the same number of turns valued. The plan of Evolutionary MCTS
is printed and drawn. Needs the extra ``render``.

    python examples/turn_planning.py --out .
"""

from __future__ import annotations

import argparse
from pathlib import Path

from agents import Rng, make
from agents.games import TacticsModel
from agents.pictures import save

PLANNERS = ("greedy-action", "greedy-turn", "non-exploring-mcts", "bb-mcts", "oep", "emcts")


def position(turns: int, seed: int) -> TacticsModel:
    """The position after some turns of Greedy Action against itself."""
    model, rng, agent = TacticsModel(), Rng(seed), make("greedy-action")
    while model.is_chance_node() or model.turn < turns:
        if model.is_chance_node():
            model.apply_action(model.sample_chance(rng))
        else:
            model.apply_action(agent.choose(model))
    return model


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=12, help="played before the one to plan")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--iterations", type=int, default=3000, help="turns valued")
    parser.add_argument("--out", type=Path, default=Path("."), help="folder for the pictures")
    args = parser.parse_args()
    model = position(args.turns, args.seed)
    player = model.current_player()
    now = model.evaluation(player)
    for name in PLANNERS:
        options = "" if name == "greedy-action" else f"(iterations={args.iterations})"
        result = make(f"{name}{options}", seed=args.seed).search(model)
        gained = result.end().evaluation(player) - now
        print(f"{name:20} {gained:+6} points, {result.evaluations:5} turns valued")
    print(f"\n{model}\n\n{result}")
    args.out.mkdir(parents=True, exist_ok=True)
    for path in (args.out / "plan.svg", args.out / "plan.png"):
        save(model.svg(result.plan), path)
        print(f"Picture: {path}")


if __name__ == "__main__":
    main()
