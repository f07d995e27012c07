"""Code that may crash, run in a process of its own, so that a crash is a failed test."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys


def run_alone(code: str, seconds: float = 300, gigabytes: int | None = None) -> str:
    """What the code prints; AssertionError with what it wrote to stderr if it does not end well.

    Args:
        code: Python code.
        seconds: After which it has failed.
        gigabytes: Of memory that it may ask for, where that can be limited. Under AddressSanitizer,
            which asks for terabytes, ``.ci/checks sanitized`` limits it.
    """
    is_sanitized = "libasan" in os.environ.get("LD_PRELOAD", "")
    if gigabytes is not None and importlib.util.find_spec("resource") and not is_sanitized:
        limit = f"({gigabytes} * 2**30,) * 2"
        code = f"import resource; resource.setrlimit(resource.RLIMIT_AS, {limit})\n{code}"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
    assert done.returncode == 0, f"exit code {done.returncode}\n{done.stderr[-4000:]}"
    return done.stdout
