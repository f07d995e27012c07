"""The documentation site is complete. That its links lead somewhere, `.ci/checks site` tests."""

import ast
import inspect
import re
from pathlib import Path

import agents
import carcassonne_env
import fop_env

SITE = Path(__file__).parents[1] / ".github" / "site"
PAGES = {path.relative_to(SITE / "pages").as_posix(): path for path in SITE.rglob("*.md")}


def test_every_public_name_is_on_a_page():
    text = "".join(path.read_text(encoding="utf-8") for path in PAGES.values())
    documented = set(re.findall(r"^::: ([\w.]+)", text, re.MULTILINE))
    documented |= {name.replace(".pettingzoo_env", "") for name in documented}
    names = {
        f"{package.__name__}.{name}"
        for package in (agents, carcassonne_env, fop_env)
        for name in package.__all__
        if name != "__version__"
    }
    assert names <= documented


def test_every_page_is_in_the_navigation():
    _, _, nav = (SITE / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    readmes = re.findall(r'": "([\w/]+\.md)"', (SITE / "hooks.py").read_text(encoding="utf-8"))
    assert sorted(re.findall(r"[\w/]+\.md", nav)) == sorted([*PAGES, *readmes])


def test_stubs_have_the_docstrings_of_compiled_modules():
    """Without the signature that Cython writes above those of properties."""
    stub = Path(agents.__file__).parent / "games" / "dodgem" / "model.pyi"
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    documented = {
        node.name: ast.get_docstring(node)
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    }
    assert ast.get_docstring(tree) == inspect.getmodule(agents.games.Dodgem).__doc__
    assert documented["Dodgem"] == inspect.cleandoc(agents.games.Dodgem.__doc__)
    assert documented["cars"] == "The numbers of cars on the board, black's first."
