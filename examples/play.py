"""A planner plays one game of Carcassonne: watch the moves, get the score and a picture.

Run it as ``python examples/play.py``; ``--help`` lists the options. Needs the extra ``render``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium
from tqdm import tqdm

import carcassonne_env
from agents import MCTS
from carcassonne_env.rendering import save

IDS = [f"Carcassonne-1p-{meeples}m-{order}" for meeples in (1, 3) for order in "ds"]


def main() -> None:
    """Plays the game and writes ``board.svg`` and ``board.png``."""
    args = parsed_arguments()
    args.out.mkdir(parents=True, exist_ok=True)
    env = gymnasium.make(args.env)
    model = play(env, MCTS(iterations=args.iterations, c=args.c, seed=args.seed), args.seed)
    print(f"\nFinal score: {model.scores[0]} points, the final scoring included in the last move")
    for kind, points in model.score_breakdown[0].items():
        print(f"  {kind:9} {points:3}")
    for name in ("board.svg", "board.png"):
        save(model._repr_svg_(), args.out / name)
        print(f"Picture: {args.out / name}")


def parsed_arguments() -> argparse.Namespace:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__.splitlines()[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument(
        "--env", default="Carcassonne-1p-3m-d", choices=IDS, help="the environment's id"
    )
    parser.add_argument("--iterations", type=int, default=10_000, help="MCTS iterations a move")
    parser.add_argument("--c", type=float, default=0.5, help="exploration constant of UCB1")
    parser.add_argument("--seed", type=int, default=0, help="seed of the game and the planner")
    parser.add_argument("--out", type=Path, default=Path(), help="folder for the pictures")
    return parser.parse_args()


def play(env: gymnasium.Env, agent: MCTS, seed: int) -> carcassonne_env.CarcassonneModel:
    """Plays one episode, telling each move; returns the final position."""
    env.reset(seed=seed)
    model = env.unwrapped.model
    with tqdm(total=model.num_tiles - 1, unit="tile", desc=type(agent).__name__) as progress:
        while not model.is_terminal():
            letter = model.current_tile
            action = agent.act(env)
            move = model.decode_action(env.unwrapped.model_action(action))
            _, reward, _, _, _ = env.step(action)
            progress.write(f"{described(letter, move):58} +{reward:.0f}, {model.scores[0]} points")
            progress.update(len(model.board) - 1 - progress.n)
    return model


def described(letter: str, move: carcassonne_env.Move) -> str:
    """A move in words."""
    text = f"tile {letter} at ({move.x:2}, {move.y:2}), rotation {move.rotation}"
    if move.target is None:
        return text
    sides = "-".join(sorted(move.target[1])) if len(move.target) > 1 else ""
    return f"{text}, meeple on {move.target[0]} {sides}".rstrip()


if __name__ == "__main__":
    main()
