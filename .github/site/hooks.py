"""Makes pages of the READMEs, of the sources that pages link to, of module docstrings and of films.

Links in READMEs and pages are those of the repository, so that they also work on a code host. A
link to a file that is a page leads to this page; a link to a source leads to a page that shows it.
Some pages have comments that are filled: ``<!-- spaces: ID ... -->``, ``<!-- film: NAME TEXT -->``
and ``<!-- modules -->``. Films are made once, in build/films.
"""

from __future__ import annotations

import ast
import json
import posixpath
import re
from collections.abc import Callable
from pathlib import Path

import gymnasium
from films import FILMS
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
SITE = ".github/site/pages/"
PACKAGES = ("agents", "carcassonne_env", "fop_env")
PAGES = {
    "README.md": "index.md",
    ".github/CHANGELOG.md": "changelog.md",
    ".github/CONTRIBUTING.md": "contributing.md",
    "agents/README.md": "planners/index.md",
    "agents/adapters/README.md": "games/openspiel.md",
    "agents/evolving/README.md": "planners/evolving.md",
    "agents/games/README.md": "games/small.md",
    "agents/lookahead/README.md": "planners/lookahead.md",
    "agents/mcts/README.md": "planners/mcts.md",
    "agents/multi_action/README.md": "planners/turns.md",
    "carcassonne_env/README.md": "games/carcassonne.md",
    "carcassonne_env/players/README.md": "games/players.md",
    "examples/README.md": "learning.md",
    "examples/baselines/README.md": "baselines.md",
    "examples/benchmark/README.md": "benchmark.md",
    "examples/benchmark/leaderboard.md": "leaderboard.md",
    "examples/experiments/README.md": "experiments/index.md",
    "examples/experiments/results/e1.md": "experiments/e1.md",
    "examples/experiments/results/e2.md": "experiments/e2.md",
    "examples/experiments/results/e3.md": "experiments/e3.md",
    "examples/experiments/results/e4.md": "experiments/e4.md",
    "examples/experiments/results/e5.md": "experiments/e5.md",
    "examples/experiments/results/e6.md": "experiments/e6.md",
    "examples/experiments/results/e7.md": "experiments/e7.md",
    "examples/experiments/results/evolving.md": "experiments/evolving.md",
    "examples/experiments/results/mistakes.md": "experiments/mistakes.md",
    "examples/experiments/results/outlook.md": "experiments/outlook.md",
    "examples/experiments/results/search.md": "experiments/search.md",
    "fop_env/README.md": "games/fop.md",
}
"""The files of the repository that are pages, beside those in `SITE`."""
SOURCES = {page: path for path, page in PAGES.items()}
LANGUAGES = {".py": "python", ".pyx": "cython", ".pxd": "cython", ".yml": "yaml", ".toml": "toml"}
PICTURES = (".gif", ".png", ".svg")
LINK = re.compile(r"(\]\(|src=\")([^)\s\"]+)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages that are not in the folder of pages, and the pictures."""
    for path, page in PAGES.items():
        files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
    for path in sorted({_target(file, link) for file in files for link in _links(file)}):
        if path in PAGES or path.startswith(SITE):
            continue
        if path.endswith(PICTURES):
            files.append(File.generated(config, path, abs_src_path=str(ROOT / path)))
        else:
            files.append(File.generated(config, _site_path(path), content=_listing(path)))
    folder = ROOT / "build" / "films"
    folder.mkdir(parents=True, exist_ok=True)
    for name, film in FILMS.items():
        if not (folder / name).exists():
            film(folder / name)
        files.append(File.generated(config, f"films/{name}", abs_src_path=str(folder / name)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fills the comments, and turns links of the repository to links of the site."""
    if page.file.src_uri.startswith("source/"):
        return markdown
    markdown = re.sub(r"<!-- spaces: (.*?) -->", lambda m: _spaces(m[1].split()), markdown)
    markdown = re.sub(
        r"<!-- film: (\S+) (.*?) -->",
        lambda m: f"![{m[2]}]({_relative(f'films/{m[1]}', page.file.src_uri)}){{ .film }}",
        markdown,
    )
    markdown = re.sub("<!-- modules -->", lambda _: _modules(), markdown)

    def translated(match: re.Match[str]) -> str:
        before, link = match.groups()
        if "://" in link or link.startswith(("#", "mailto:")) or "films/" in link:
            return match[0]
        file, _, anchor = link.partition("#")
        target = files.get_file_from_path(_site_path(_target(page.file, file)))
        if target is None:
            raise PluginError(f"{page.file.src_uri} links to {link}, which is nowhere")
        if before == 'src="':
            return before + target.url_relative_to(page.file)
        return before + _relative(target.src_uri, page.file.src_uri) + (anchor and f"#{anchor}")

    return _outside_code(markdown, lambda text: LINK.sub(translated, text))


def _outside_code(markdown: str, change: Callable[[str], str]) -> str:
    """The text with a change in all that is not code."""
    parts, end = [], 0
    for code in CODE.finditer(markdown):
        parts += [change(markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, change(markdown[end:])])


def _links(file: File) -> list[str]:
    """The files of the repository to which a page links."""
    if not file.is_documentation_page():
        return []
    found: list[str] = []
    _outside_code(file.content_string, lambda text: found.extend(LINK.findall(text)) or "")
    links = [link.partition("#")[0] for _, link in found if "://" not in link]
    return [link for link in links if link and not link.startswith("mailto:")]


def _target(file: File, link: str) -> str:
    """The path in the repository to which a link on a page leads."""
    source = SOURCES.get(file.src_uri, SITE + file.src_uri)
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link))
    if (ROOT / path).is_dir():
        path += "/README.md"
    if not (ROOT / path).is_file():
        raise PluginError(f"{source} links to {link}, which is no file")
    return path


def _site_path(path: str) -> str:
    """Where a file of the repository is on the site."""
    if path.startswith(SITE):
        return path.removeprefix(SITE)
    if path.endswith(PICTURES):
        return path
    return PAGES.get(path, f"source/{path.lstrip('.')}.md")  # hidden folders are left out


def _relative(target: str, page: str) -> str:
    return posixpath.relpath(target, posixpath.dirname(page) or ".")


def _listing(path: str) -> str:
    """A page that shows a source."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if path.endswith(".ipynb"):
        cells = [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]
        parts = [f"```python\n{code}\n```" if kind == "code" else code for kind, code in cells]
        parts = [part if part.startswith("```") else LINK.sub(r"\1#", part) for part in parts]
        return f"---\ntitle: {path}\n---\n" + "\n\n".join(parts)
    language = LANGUAGES.get(Path(path).suffix, "text")
    return f"---\nsearch: {{exclude: true}}\n---\n# {path}\n\n````{language}\n{text}````\n"


def _spaces(ids: list[str]) -> str:
    """A table of environments as Gymnasium's pages have it, by the environments themselves."""
    rows: dict[str, list[str]] = {}
    for name in ids:
        package = "fop_env" if name.startswith("FOP") else "carcassonne_env"
        env = gymnasium.make(f"{package}:{name}")
        spaces = "<br>".join(
            f"`{key}`: {space.dtype}{list(space.shape)}"
            for key, space in env.observation_space.spaces.items()
        )
        made = f'`gymnasium.make("{name}")`'
        rows.setdefault(f"{env.action_space} | {spaces}", []).append(made)
    head = "| environment | action space | observation space |\n|---|---|---|\n"
    return head + "\n".join(f"| {'<br>'.join(made)} | {row} |" for row, made in rows.items())


def _modules() -> str:
    """The list of all modules, each with the first line of its docstring."""
    lines = []
    for package in PACKAGES:
        folders = sorted({path.parent for path in (ROOT / package).rglob("__init__.py")})
        for folder in folders:
            name = ".".join(folder.relative_to(ROOT).parts)
            rows = sorted(
                f"| `{path.stem}` | {first_line(path)} |"
                for path in folder.iterdir()
                if path.suffix in (".py", ".pyx") and not path.stem.startswith("_")
            )
            if rows:
                lines += ["", f"## {name}", "", "| module | content |", "|---|---|", *rows]
    return "\n".join(lines)


def first_line(path: Path) -> str:
    """The first sentence of a module's docstring, which may take several lines."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        docstring = ast.get_docstring(ast.parse(text)) or ""
    else:
        docstring = text.partition('"""')[2].partition('"""')[0]
    if not docstring:
        raise PluginError(f"{path} does not say at its top what it has")
    line = " ".join(docstring.split("\n\n")[0].split())
    return re.sub(r"``(.*?)``", r"`\1`", line).replace("|", r"\|").replace("*-", r"\*-")
