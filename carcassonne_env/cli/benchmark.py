"""``carcassonne benchmark``: measures a player on the tasks of the benchmark; the leaderboard."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agents.cli.options import Entrant, Jobs, code_of, entrants_of, texts_by_name
from agents.files import write_file

from ..players.weights import weights_of

if TYPE_CHECKING:
    from agents.benchmark import Task


def benchmark(
    players: Annotated[
        list[str] | None, typer.Argument(help="players to measure, also as name=player")
    ] = None,
    task: Annotated[
        list[str] | None, typer.Option(help="only the task of this name; repeatable")
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="few games, with seeds for development; no result")
    ] = False,
    table: Annotated[
        bool, typer.Option("--table", help="write the leaderboard from the results in --out")
    ] = False,
    out: Annotated[
        Path, typer.Option(file_okay=False, help="folder for games, results and leaderboard")
    ] = Path("results/benchmark"),
    jobs: Jobs = None,
) -> None:
    """Measure players on the frozen tasks of "Carcassonne benchmark v1".

    A player is a specification, module:name for an agent or a function of the model, or
    process(./engine) for a program in any language. Each player's games and result are in files of
    its name in the folder --out; without another name, module:name is called module.name. If you
    interrupt the command, run it again, and it continues.

    carcassonne benchmark "mine=my_agents:clever" --task 1p-3m-s --quick
    """
    from ..play.benchmark import V1

    if not players and not table:
        raise ValueError("name a player, or give --table")
    if quick and table:
        raise ValueError("--quick gives no result, so it does not go with --table")
    tasks = V1.chosen(list(dict.fromkeys(task or [])))
    for entrant, identity in _entrants(players or []):
        with TemporaryDirectory() if quick else nullcontext(out) as folder:
            _measure(entrant, identity, tasks, Path(folder), jobs, is_quick=quick)
    if table:
        _write_leaderboard(out)


def _entrants(players: Sequence[str]) -> list[tuple[Entrant, str]]:
    """The players that are named, all of them checked, and their identities.

    A name is also that of files.
    """
    from agents.benchmark import NAME

    named = texts_by_name(map(_with_name, players))
    for name in named:
        if not NAME.fullmatch(name):
            raise ValueError(
                "the name of a player must begin with a letter or digit and have only letters, "
                f"digits, spaces and _.+()=,- up to 80, got {name!r}: put a name and = before it"
            )
    return [(each, _identity_of(each)) for each in entrants_of(named)]


def _identity_of(entrant: Entrant) -> str:
    """The identity with a checksum of weights and of code, which is read when it is imported."""
    code = code_of(entrant.player, entrant.text, weights_of(entrant.identity))
    return f"{entrant.identity} #{code:08x}" if code else entrant.identity


def _with_name(text: str) -> str:
    """A player's text with a name for files before it if it is module:name alone."""
    is_imported = re.fullmatch(r"[\w.]+:\w+", text)
    return f"{text.replace(':', '.')}={text}" if is_imported else text


def _measure(
    entrant: Entrant,
    identity: str,
    tasks: Sequence[Task],
    out: Path,
    jobs: int | None,
    *,
    is_quick: bool,
) -> None:
    """Plays the tasks, tells each result, and saves it unless the run is quick."""
    from agents.benchmark import play, result_of, save

    from ..play.benchmark import V1

    name, _, player = entrant
    for task in tasks:
        games = play(V1, name, player, identity, out, [task], is_quick=is_quick, workers=jobs)
        result = result_of(V1, name, _kind_of(player), identity, games)
        measured = result["tasks"][task.name]
        print(f"{name}, {task.name}: {_words(measured, is_quick)}")
        for rival, against in measured.get("rivals", {}).items():
            print(f"  against {rival}: {_words(against, is_quick)}")
        for kind, message in games.drop_duplicates("failure")[["failure", "message"]].to_numpy():
            if kind:
                print(f"  {kind}: {message}")
        if not is_quick:
            path = save(result, out)
    if not is_quick:
        print(f"Result: {path}")


def _kind_of(player: Any) -> str:
    """The kind of a player; only policies are known to see no more than learners do."""
    from agents.engine import ProcessAgent
    from agents.registry import make

    from ..players.network_agent import NetworkAgent
    from ..players.policy_agent import PolicyAgent
    from ..players.two_step_agent import TwoStepAgent

    agent = make(player) if isinstance(player, str) else player
    if isinstance(agent, TwoStepAgent):
        agent = agent.planner
    if isinstance(agent, PolicyAgent) and agent._wrappers:
        return "agent"  # wrappers may read the whole position
    if isinstance(agent, PolicyAgent | NetworkAgent):
        return "learner"
    if isinstance(agent, ProcessAgent):
        return "program"
    return "planner" if isinstance(player, str) else "agent"


def _words(measured: Mapping[str, Any], is_quick: bool) -> str:
    """What was measured, in words; a few games have no interval worth telling."""
    time, lead = measured["ms_per_move"], measured["lead"]
    interval = "" if is_quick else f" ± {measured['half_width']:.2g}"
    unit = {"score": "mean score {} points", "points": "{} match points a game"}
    parts = [unit[measured["unit"]].format(f"{measured['mean']:.3g}{interval}")]
    parts += [] if lead is None else [f"lead {lead:+.3g} points"]
    parts += [f"{measured['games']} games"] + ([] if time is None else [f"{time:.3g} ms a move"])
    return ", ".join(parts + [f"{count} {kind}" for kind, count in measured["failures"].items()])


def _write_leaderboard(out: Path) -> None:
    from agents.benchmark import load
    from agents.leaderboard import figure, page
    from agents.pictures import save_figure

    from ..play.benchmark import V1

    results, others = load(out, V1)
    save_figure(figure(V1, results), out / "leaderboard.png")
    write_file(out / "leaderboard.md", page(V1, results, others))
    print(f"Leaderboard: {out / 'leaderboard.md'}")
