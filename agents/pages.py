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

    The files ``pages.css`` and ``pages.js`` come before the package's own: colours of light and
    dark screens, the data, and functions that all scripts use.

    Args:
        title: The title, as text.
        package: The package whose folder holds the files.
        name: Their name. The first file is the body.
        data: What the script finds in its constant ``data``; an object that JSON can express.
        parts: HTML for each ``$part`` of the body; it must be safe.
    """
    return _PAGE.substitute(
        title=escape(title),
        style=_text(__package__, "pages.css") + _text(package, f"{name}.css"),
        body=Template(_text(package, f"{name}.html")).substitute(parts),
        data=json.dumps(data, separators=(",", ":")).replace("<", r"\u003c"),
        script=_text(__package__, "pages.js") + _text(package, f"{name}.js"),
    )


def _text(package: str, name: str) -> str:
    return (files(package) / name).read_text(encoding="utf-8")


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
