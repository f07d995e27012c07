"""The version of the installed distribution, which all its packages have."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("carcassonne-planning")
except PackageNotFoundError:  # the packages are imported from a checkout that nobody installed
    __version__ = "unknown"
