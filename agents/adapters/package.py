"""The package OpenSpiel, or an error that says how to install it."""

from agents.checks import extra

with extra("openspiel", "OpenSpiel"):
    import pyspiel

__all__ = ["pyspiel"]
