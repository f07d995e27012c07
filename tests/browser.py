"""Pages as a browser shows them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def data_of(page: str) -> Any:
    """What the script of a page reads."""
    return json.loads(re.search(r'id="data">(.*)</script>', page)[1])


def shown(page: str, folder: Path) -> str:
    """The elements of a page after its scripts have run; skips the test without a browser."""
    if (browser := shutil.which("chromium")) is None:
        pytest.skip("needs chromium")
    path = folder / "page.html"
    path.write_text(page, encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    options.append(f"--user-data-dir={folder / 'profile'}")
    command = [browser, *options, "--dump-dom", path.as_uri()]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert "CONSOLE" not in done.stderr
    return done.stdout
