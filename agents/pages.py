"""Pages of HTML in one file, which need no network, and frames that show them in notebooks."""

from __future__ import annotations

import json
import re
from collections import Counter
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="$language">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$title</title>
<style>
$style</style>
</head>
<body>
$body
<script type="application/json" id="data">$data</script>
<script type="module">
$script</script>
</body>
</html>
""")
"""The policy of the page refuses everything that is not in the file itself."""
_DECLARED = re.compile(
    r"^(?:export )?(?:(?:(?:async )?function|class) (\w+)|(?:const|let) ([^=;]+))", re.MULTILINE
)
"""A declaration at the top level of a module, with its name or names."""


def page(title: str, data: Any, *, style: str, body: str, script: str, language: str = "en") -> str:
    """A page with a style sheet, safe HTML as body, and a script, as `bundled` makes it, in itself.

    The script finds the data as JSON in the element "data". Of the style sheet, comments and spaces
    beside brackets, semicolons and commas are left out.
    """
    return _PAGE.substitute(
        title=escape(title),
        style=re.sub(r"\s*([{};,])\s*", r"\1", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)),
        body=body,
        data=json.dumps(data, separators=(",", ":")).replace("<", r"\u003c"),
        script=script,
        language=language,
    )


def bundled(script: str, *folders: Any) -> str:
    """A JavaScript module with those that it imports from folders and this package, in one text.

    All of them share one scope, and indentation and comments are left out. So modules

    * declare names at the top level that no other one of them declares, and give a value to one
      name, or to a list in brackets, in a statement;
    * import names in braces, without ``as``, and never with ``import()``;
    * export only what they declare in the same statement;
    * have no text that goes on in a second line or has `` // ``.

    Raises:
        ValueError: If two modules declare a name, or one imports a name under another one.
    """
    text = "\n".join([*imported(script, *folders, files(__package__)), script])
    names = Counter(re.findall(r"\w+", " ".join(map("".join, _DECLARED.findall(text)))))
    if repeated := [name for name, count in names.items() if count > 1]:
        raise ValueError(f"modules of a page declare {', '.join(repeated)} more than once")
    if renamed := re.search(r"^import [^;]* as \w+", text, re.MULTILINE):
        raise ValueError(f"a module of a page must not rename what it imports: {renamed[0]}")
    left_out = r"^import [^;]*;\n|^ *//.*\n|^ */\*\*(?s:.*?)\*/\n|^export |^ +| +// .*$"
    return re.sub(left_out, "", text, flags=re.MULTILINE)


def imported(script: str, *folders: Any) -> list[str]:
    """The modules in folders that a script imports, at once or later, each after its own imports.

    They are named as in ``"./name.js"``; those that are in no folder are left out.
    """
    found: dict[str, str] = {}

    def find(text: str) -> None:
        for name in re.findall(r'"\./(\w+\.js)"', text):
            file = next((folder / name for folder in folders if (folder / name).is_file()), None)
            if file is not None and name not in found:
                found[name] = file.read_text(encoding="utf-8")
                find(found[name])
                found[name] = found.pop(name)

    find(script)
    return list(found.values())


def included(html: str, *folders: Any) -> str:
    """HTML with files of folders in place of their names, as in ``$losses_html``."""
    while name := re.search(r"\$(\w+)_html", html):
        file = next(path for folder in folders if (path := folder / f"{name[1]}.html").is_file())
        html = html.replace(name[0], file.read_text(encoding="utf-8"))
    return html


def framed(document: str, height: int) -> str:
    """An element, so many pixels high, that shows a page of HTML in another one or a notebook."""
    return (
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
