"""Pages of HTML in one file, which need no network, and frames that show them in notebooks."""

from __future__ import annotations

import json
import re
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


def page(title: str, data: Any, *, style: str, body: str, script: str, language: str = "en") -> str:
    """A page with a style sheet, a body and a script in itself.

    Args:
        title: The title, as text.
        data: What the script finds as JSON in the element "data".
        style: The style sheet. Comments, and spaces beside brackets, semicolons and commas are left
            out.
        body: HTML; it must be safe.
        script: A module without imports, as `bundled` makes it.
        language: The code of its language.
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

    Indentation and comments are left out, so no text of a module may go on in a second line or have
    `` // ``.
    """
    text = "\n".join([*imported(script, *folders, files(__package__)), script])
    left_out = r"^import .*\n|^ *//.*\n|^ */\*\*[^/]*\*/\n|^export |^ +| +// .*$"
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
