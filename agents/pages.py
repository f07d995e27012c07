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
_ELEMENTS = files(__package__) / "pages.js"


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


def bundled(*modules: str) -> str:
    """The texts of JavaScript modules, in the order of need, as one that imports nothing.

    The module ``pages.js`` of this package comes first: functions that all scripts use. Indentation
    and comments are left out, so no text of a module may go on in a second line or have `` // ``.
    """
    text = "\n".join([_ELEMENTS.read_text(encoding="utf-8"), *modules])
    left_out = r"^import .*\n|^ *//.*\n|^ */\*\*[^/]*\*/\n|^export |^ +| +// .*$"
    return re.sub(left_out, "", text, flags=re.MULTILINE)


def framed(document: str, height: int) -> str:
    """An element, so many pixels high, that shows a page of HTML in another one or a notebook."""
    return (
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
