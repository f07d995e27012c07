"""Pages of HTML in one file, which need no network, and frames that show them in notebooks."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

_PAGE = Template("""\
<!DOCTYPE html>
<html lang="en">
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
<script>
$script</script>
</body>
</html>
""")
"""The policy of the page refuses everything that is not in the file itself."""


def page(title: str, package: str, name: str, data: Any, **parts: str) -> str:
    """A page from the files ``name.html``, ``name.css`` and ``name.js`` of a package.

    Args:
        title: The title, as text.
        package: The package whose folder holds the files.
        name: Their name. The first file is the body.
        data: What the script reads from the element "data", as an object that JSON can express.
        parts: HTML for each ``$part`` of the body; it must be safe.
    """
    folder = files(package)
    body, style, script = (
        (folder / f"{name}.{suffix}").read_text(encoding="utf-8")
        for suffix in ("html", "css", "js")
    )
    return _PAGE.substitute(
        title=escape(title),
        style=style,
        body=Template(body).substitute(parts),
        data=json.dumps(data, separators=(",", ":")).replace("<", r"\u003c"),
        script=script,
    )


def framed(document: str, height: int) -> str:
    """An element that shows a page of HTML inside another one, such as a notebook.

    Args:
        document: The page.
        height: Height of the frame in pixels.
    """
    return (
        f'<iframe srcdoc="{escape(document)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:0"></iframe>'
    )
