"""The direction of dependence: every import and cimport of the packages, against the rules."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from graphlib import TopologicalSorter
from importlib.util import resolve_name
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = {"carcassonne_env", "fop_env"}
PACKAGES = sorted(p for p in {"agents"} | ENVIRONMENTS if (ROOT / p / "__init__.py").exists())

CONTRACT = {
    f"agents.{name}"
    for name in ("checks", "evaluator", "forward_model", "policy", "rng", "struct_model")
}
"""Where games and planners meet: all may import it, and nothing in agents lies below it."""
HELPERS = {
    f"agents.{name}"
    for name in (
        *("aec_base", "bits", "env_base", "files", "lazy", "pictures", "svg", "tree_walk"),
        *("version", "window"),
    )
}
"""What games may import beside: for their environments, pictures and files."""
GAMES = CONTRACT | HELPERS
PLAYERS = GAMES | {"agents.agent", "agents.learner", "agents.registry"}
"""What a game's folder ``players`` may import of agents."""
ADAPTERS = "agents.adapters"
"""Bridges to other libraries; what a game's module of the library's name may import beside."""
COMMAND_LINE = "agents.cli"
"""The top of agents."""
PLAYING = "agents.playing"
"""Games between people and agents, which front ends of all games share."""
SERVER = "agents.web"
"""The server of games in the browser."""
GAME_COMMAND_LINE = "carcassonne_env.cli"
"""It shares the modules of the command line, which no other module of a game imports."""
PLAY = "carcassonne_env.play"
"""What front ends share."""
REPLAYING = "carcassonne_env.replaying"
"""Saved games, which front ends share as well."""
JCLOISTERZONE = "carcassonne_env.jcloisterzone"
"""Games of another program."""
WEB = "carcassonne_env.web"
"""The server of the game in the browser."""
SHARED = (PLAYING, PLAY, REPLAYING)
FRONT_ENDS = (GAME_COMMAND_LINE, JCLOISTERZONE, PLAY, REPLAYING, WEB)
"""Their modules may import all of agents, and nothing else imports them."""
SERVERS = {"pydantic", "starlette", "uvicorn", "websockets"}
SCREENS = {"rich", "textual", "typer"} | SERVERS
PLANNERS = ["agents.agent", "agents.specification", "agents.formulas", "agents.mcts"]
MAY_IMPORT = {
    "agents.formulas": (),
    "agents.mcts": (
        *PLANNERS,
        *("agents.files", "agents.lazy", "agents.pages", "agents.svg", "agents.tables"),
        "agents.tree_walk",
    ),
    "agents.evolving": PLANNERS,
    "agents.racing": PLANNERS,
    "agents.multi_action": PLANNERS,
    "agents.lookahead": (
        *("agents.agent", "agents.specification", "agents.formulas"),
        "agents.tables",
    ),
    "agents.games": (*HELPERS, "agents.catalogue"),
    ADAPTERS: (),
    PLAYING: (
        *("agents.agent", "agents.catalogue", "agents.files", "agents.game", "agents.registry"),
        "agents.specification",
    ),
    SERVER: (
        *("agents.agent", "agents.catalogue", "agents.files", "agents.game", "agents.pages"),
        *("agents.specification", PLAYING),
    ),
    COMMAND_LINE: ("agents",),
}
"""Packages of agents, and what each may import beside the contract and itself."""
CONTESTS = {
    f"agents.{name}"
    for name in (
        *("game", "arena", "league", "sprt", "experiment", "episodes", "evaluation", "benchmark"),
        *("coevolution", "environments", "leaderboard"),
    )
}
"""Modules above the registry."""
DRAWING = {"PIL", "cairosvg", "matplotlib", "pygame", "resvg_py"}
SLOW_TO_LOAD = DRAWING | {
    *("joblib", "open_spiel", "pandas", "pyspiel", "sb3_contrib", "scipy", "stable_baselines3"),
    *("textual", "torch", "tqdm", "typer"),
}


# Reading imports

CYTHON_IMPORT = re.compile(
    r"^([ \t]*)((?:from[ \t]+\S+[ \t]+)?c?import\b(?:[ \t]*\([^)]*\)|.*))", re.MULTILINE
)
STATEMENT = re.compile(r"(?:from\s+(\S+)\s+)?c?import\b(.*)", re.DOTALL)


def python_imports(source: str) -> Iterator[tuple[str, bool]]:
    """Yields each import statement of Python code, and whether loading the file runs it."""

    def search(node: ast.AST, is_outside: bool) -> Iterator[tuple[str, bool]]:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield ast.unparse(node), is_outside
        is_outside &= not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        is_outside &= not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # which hold no imports
                yield from search(child, is_outside)

    return search(ast.parse(source), True)


def cython_imports(source: str) -> Iterator[tuple[str, bool]]:
    """Yields each import and cimport of Cython code, and whether it is not indented."""
    for indent, statement in CYTHON_IMPORT.findall(re.sub(r"#.*|\\\n", "", source)):
        yield statement, not indent


def names_in(statement: str, package: str) -> Iterator[str]:
    """Yields what a statement in ``package`` imports: for ``from a import b as c``, ``a.b``."""
    source, names = STATEMENT.fullmatch(statement).groups()
    for name in re.findall(r"([\w.*]+)(?:\s+as\s+\w+)?", names):
        yield f"{resolve_name(source, package)}.{name}" if source else name


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """Yields each absolute name that a file imports, and whether it does so when it is loaded."""
    read = cython_imports if path.suffix in (".pxd", ".pyx") else python_imports
    package = ".".join(path.relative_to(ROOT).parent.parts)
    for statement, is_outside in read(path.read_text(encoding="utf-8")):
        for name in names_in(statement, package):
            yield name, is_outside


def files(*folders: str) -> list[Path]:
    """The source files of some folders of the repository."""
    suffixes = (".py", ".pyi", ".pxd", ".pyx")
    return [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in suffixes]


def module_of(path: Path) -> str:
    """The module that a file is part of."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def root_of(name: str) -> str:
    """The package or library that a name belongs to."""
    return name.partition(".")[0]


MODULES = {module_of(path) for path in files(*PACKAGES)}


def dependence(name: str) -> str:
    """The module that an imported name is, or belongs to; other names as they are."""
    parent = name.rpartition(".")[0]
    return parent if name not in MODULES and parent in MODULES else name


PACKAGE_FILES = [path for path in files("agents") if path.parent != ROOT / "agents"]
IMPORTS = [(path, *found) for path in files(*PACKAGES) for found in imports(path)]
DEPENDENCES = {(module_of(path), dependence(name)) for path, name, _ in IMPORTS}
"""Every (module, what it imports)."""


def test_imports_are_found():
    """Of all kinds: in parentheses, relative ones, several names, of types only, in functions."""
    assert {
        ("agents", "agents.mcts.planner"),
        ("agents.mcts.search", "agents.mcts.tree"),
        ("agents.mcts.search", "agents.mcts.iteration"),
        ("agents.formulas.grammar", "cython"),
        ("agents.web.keeper", "agents.web.messages"),
        *(("agents.web.room", f"agents.web.{name}") for name in ("any_game", "messages")),
        ("carcassonne_env.encoding", "carcassonne_env.board"),
        ("carcassonne_env.gymnasium_env", "agents.env_base"),
        ("carcassonne_env.model", "agents.forward_model"),
        ("agents.pictures", "io"),
    } <= DEPENDENCES
    at_once = {(path.name, name): is_outside for path, name, is_outside in IMPORTS}
    for name in ("search.pyx", "agents.mcts.iteration.step_to"), ("room.py", "agents.web.any_game"):
        assert at_once[name]
    for file, name in (
        ("encoding.pyx", "gymnasium.spaces"),
        *(("pictures.py", name) for name in ("PIL.Image", "matplotlib.figure.Figure")),
    ):
        assert not at_once[file, name]


# The rules


def is_within(module: str, *places: str) -> bool:
    """Whether a module is one of some packages or modules, or lies in one."""
    return any(module == place or module.startswith(place + ".") for place in places)


def importers(*places: str, but: Collection[str] = ()) -> set[str]:
    """The modules that import some packages or modules, except those that lie in others."""
    return {m for m, name in DEPENDENCES if is_within(name, *places) and not is_within(m, *but)}


def room_of(module: str) -> str:
    """The package or module directly in agents that a module of agents belongs to."""
    return ".".join(module.split(".")[:2])


AGENTS = {(m, n) for m, n in DEPENDENCES if root_of(m) == root_of(n) == "agents"}


def test_every_package_of_agents_is_ranked():
    assert {room_of(module_of(path)) for path in PACKAGE_FILES} == {*MAY_IMPORT}


def test_packages_import_only_what_lies_below():
    assert not {
        (module, name)
        for module, name in AGENTS
        if (room := room_of(module)) in MAY_IMPORT
        and not is_within(name, room, *CONTRACT, *MAY_IMPORT[room])
    }


def test_the_contract_stands_alone():
    assert not {(m, n) for m, n in AGENTS if m in CONTRACT and n not in CONTRACT}
    assert not {(m, n) for m, n in AGENTS if m in HELPERS and n not in GAMES}


def test_planners_and_what_they_need_do_not_import_contests():
    above = CONTESTS | {"agents.registry"}
    assert not {
        (m, n)
        for m, n in AGENTS
        if n in above
        and m not in CONTESTS | {"agents"}
        and not is_within(m, COMMAND_LINE, PLAYING, SERVER)
    }


def test_modules_do_not_import_each_other_in_circles():
    graph = {module: set() for module in MODULES}
    for module, name in DEPENDENCES:
        if name in MODULES and name != module:
            graph[module].add(name)
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_environments_import_the_contract_and_helpers_alone():
    def allowed(module):
        return PLAYERS if module.split(".")[1:2] == ["players"] else GAMES

    def is_adapter(module):
        return module.split(".")[1:] == ["openspiel"]

    assert not {
        (module, name)
        for module, name in DEPENDENCES
        if root_of(module) in ENVIRONMENTS
        and root_of(name) == "agents"
        and name not in allowed(module)
        and not (is_adapter(module) and is_within(name, ADAPTERS))
        and not is_within(module, *FRONT_ENDS)
    }


@pytest.mark.parametrize(
    ("places", "but", "expected"),
    [
        ([COMMAND_LINE], [COMMAND_LINE, GAME_COMMAND_LINE], {"agents.__main__"}),
        ([GAME_COMMAND_LINE], [GAME_COMMAND_LINE], {"carcassonne_env.__main__"}),
        ([SERVER], [SERVER, WEB], {f"{COMMAND_LINE}.web", f"{GAME_COMMAND_LINE}.web"}),
        ([WEB], [WEB], {f"{GAME_COMMAND_LINE}.web"}),
        (SHARED, [*FRONT_ENDS, *SHARED, SERVER, COMMAND_LINE], set()),
        (["agents.games"], ["agents.games", *ENVIRONMENTS], set()),
        ([ADAPTERS], [ADAPTERS, *ENVIRONMENTS], set()),
        *([[package], [package], set()] for package in ENVIRONMENTS),
    ],
)
def test_only_these_import(places, but, expected):
    assert importers(*places, but=but) == expected


def test_the_table_knows_no_server():
    def rests_on(module):
        names = {name for m, name in DEPENDENCES if m == module}
        below = {name for name in names if is_within(name, WEB, SERVER)}
        return names.union(*map(rests_on, below))

    assert {f"{SERVER}.thinking", f"{SERVER}.table"} <= rests_on(f"{WEB}.table")
    assert not SERVERS & {root_of(name) for name in rests_on(f"{WEB}.table")}


def test_what_front_ends_share_needs_no_screen(tmp_path):
    modules = sorted(m for m in MODULES if is_within(m, *SHARED))
    assert {f"{PLAYING}.session", f"{PLAY}.session", f"{REPLAYING}.saved_game"} <= {*modules}
    assert not {(m, n) for m, n in DEPENDENCES if m in modules and root_of(n) in SCREENS}
    assert not SCREENS & loaded_by(modules, tmp_path)


def test_nothing_imports_examples_or_tests():
    tests = {"tests"} | {path.stem for path in files("tests")}
    assert not {(m, name) for m, name in DEPENDENCES if root_of(name) in tests | {"examples"}}
    assert not {
        (path.name, name)
        for path in files("examples")
        for name, _ in imports(path)
        if root_of(name) in tests
    }


def test_drawing_libraries_are_imported_where_they_draw():
    assert not {
        (path.name, name)
        for path, name, is_outside in IMPORTS
        if is_outside and root_of(name) in DRAWING
    }


def test_nothing_slow_is_loaded(tmp_path):
    loaded = loaded_by(PACKAGES, tmp_path)
    assert "numpy" in loaded
    assert not SLOW_TO_LOAD & loaded


def loaded_by(modules: list[str], folder: Path) -> set[str]:
    """All modules that are loaded once some are imported by a new process."""
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return set(done.stdout.split())


def test_the_words_of_the_checks_name_tests():
    """A list of words would otherwise outlive its tests."""
    checks = (ROOT / ".ci" / "checks").read_text(encoding="utf-8")
    files, words = (
        re.search(rf'\n{name}="([^"]*)"', checks)[1].split() for name in ("attacking", "often")
    )
    sources = "".join(
        (ROOT / "tests" / f"test_{name}.py").read_text(encoding="utf-8") for name in files
    )
    tests = re.findall(r"^def (test_\w+)", sources, re.MULTILINE)
    assert [word for word in words if word != "or" and not any(word in it for it in tests)] == []
