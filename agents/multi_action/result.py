"""The result of planning a turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

from agents.forward_model import ForwardModel
from agents.mcts.result import SearchResult


@dataclass(frozen=True, eq=False, repr=False)
class TurnResult:
    """A turn that a planner chose.

    Attributes:
        plan: Its actions, from the first to the last.
        value: The value of the position in which it ends, or with ``reply`` of that after the
            replies, to the player whose turn it is, in units of the returns.
        model: A copy of the position at its start, which must not be changed.
        player: The player whose turn it is.
        evaluations: Complete turns valued by the search.
        model_calls: Actions and chance outcomes applied to forward models.
        seconds: Wall time.
        history: (turns valued, value) each time a turn was better than all before it.
        search: The MCTS that found it; None for planners that build no tree.
    """

    plan: tuple[int, ...]
    value: float
    model: ForwardModel
    player: int
    evaluations: int
    model_calls: int
    seconds: float
    history: list[tuple[int, float]]
    search: SearchResult | None = None

    @property
    def action(self) -> int:
        """The first action of the plan."""
        return self.plan[0]

    @property
    def evaluations_per_second(self) -> float:
        """Complete turns valued in a second."""
        return self.evaluations / self.seconds

    @property
    def principal_variation(self) -> list[tuple[int, int]]:
        """The plan as pairs (player, action)."""
        return [(self.player, action) for action in self.plan]

    def rest(self) -> TurnResult | None:
        """The result after the first action, without the search tree; None if no action is left."""
        if len(self.plan) == 1:
            return None
        model = self.model.clone()
        model.apply_action(self.action)
        return replace(self, plan=self.plan[1:], model=model, search=None)

    def end(self) -> ForwardModel:
        """The position in which the plan ends."""
        model = self.model.clone()
        for action in self.plan:
            model.apply_action(action)
        return model

    def __str__(self) -> str:
        lines = [f"{number:3}. {text}" for number, text in enumerate(self._words(), 1)]
        return "\n".join([*lines, self._note()])

    def __repr__(self) -> str:
        return f"<TurnResult: {'; '.join(self._words())}, value {self.value:.4g}>"

    def _repr_html_(self) -> str:
        """The plan as a list, which notebooks display."""
        items = "".join(f"<li>{escape(text)}</li>" for text in self._words())
        return f"<ol>{items}</ol><div>{escape(self._note())}</div>"

    def _words(self) -> list[str]:
        """The actions of the plan in the game's words."""
        model = self.model.clone()
        words = []
        for action in self.plan:
            words.append(model.action_to_string(action))
            model.apply_action(action)
        return words

    def _note(self) -> str:
        return f"value {self.value:.4f}; {self.evaluations:,} turns valued in {self.seconds:.3f} s"
