"""The former name of `carcassonne_env.measures`, kept for programs that import it."""

from .measures import final_scores, turns

__all__ = ["final_scores", "turns"]
