"""The package OpenSpiel, or an error that says how to install it."""

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ImportError(
        "games of OpenSpiel need the package open_spiel: "
        "pip install 'carcassonne-planning[openspiel]'"
    ) from error

__all__ = ["pyspiel"]
