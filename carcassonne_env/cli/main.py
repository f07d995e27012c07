"""The command ``carcassonne``: the program of `agents.cli` with Carcassonne as its game."""

from __future__ import annotations

from agents.cli.main import Command, run

HELP = """\
Carcassonne: play, watch planners, run tournaments, reproduce published experiments.

Name a planner as a player: "mcts(c=0.5, iterations=1000)", random, greedy, strongest-value,
expectimax-2-vs, star2.5, ea-mcts, siea-mcts or es-mcts. Name a player of your own as module:name,
where name is an agent or a function of the model."""


def main() -> None:
    """Runs the command."""
    run(commands, HELP)


def commands() -> tuple[Command, ...]:
    """The subcommands. They are imported here, so that `run` reports a library that is missing."""
    from agents.cli.reproduce import reproduce

    from .analyse import analyse
    from .benchmark import benchmark
    from .dataset import dataset
    from .engine import engine
    from .join import join
    from .ladder import ladder
    from .play import play
    from .replay import replay
    from .tournament import tournament
    from .web import web

    contests = tournament, ladder, benchmark
    return play, web, replay, *contests, dataset, analyse, engine, join, reproduce
