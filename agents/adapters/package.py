"""The package OpenSpiel, or an error that says how to install it."""

try:
    import pyspiel
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "games of OpenSpiel need the package open_spiel: "
        "pip install 'carcassonne-planning[openspiel]'",
        name="pyspiel",
    ) from error

__all__ = ["pyspiel"]
