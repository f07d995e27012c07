"""The legal move that a person has selected and can change before playing it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from ..model import CarcassonneModel
from ..position import Move, segment_targets

Cell = tuple[int, int]
"""Coordinates (x, y) on the board."""
T = TypeVar("T")

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
_SIDEWAYS = 2
"""Weight of a step sideways in the distance between cells; a step ahead has weight 1."""


def nearest(cells: Iterable[Cell], start: Cell, direction: str) -> Cell:
    """The cell nearest to ``start`` among those that lie in a direction; ``start`` if none does.

    The direction is "left", "right", "up" or "down".
    """
    ahead, aside = DIRECTIONS[direction]
    distances = []
    for x, y in cells:
        dx, dy = x - start[0], y - start[1]
        along, across = dx * ahead + dy * aside, dx * aside + dy * ahead
        if along > 0:
            distances.append((along + _SIDEWAYS * abs(across), (x, y)))
    return min(distances, default=(0, start))[1]


class Selection:
    """A selected legal move of a position, with methods that select other legal moves.

    The selected ``rotation``, in quarter turns clockwise, fits into the ``cell``. The ``slot`` of
    the meeple is 0 for none, else 1 + the index of the tile's segment. ``cells`` are the legal ones
    in reading order, from the north-west, and ``actions`` those of the model by cell, rotation and
    slot. The selection keeps no reference to the position.
    """

    def __init__(self, model: CarcassonneModel) -> None:
        self.letter = model.current_tile or ""
        self.actions: dict[Cell, dict[int, dict[int, int]]] = defaultdict(dict)
        actions = model.legal_actions().tolist()
        for action in actions:
            x, y, rotation, target = model.decode_action(action)
            targets = (None, *segment_targets(self.letter, rotation))
            slots = self.actions[x, y].setdefault(rotation, {})
            slots[targets.index(target)] = action
        self.cells = sorted(self.actions, key=lambda cell: (-cell[1], cell[0]))
        self.num_moves = len(actions)
        self.slot = self.rotation = 0
        _, left, top, _ = model.board[-1]
        self.select(min(self.cells, key=lambda cell: abs(cell[0] - left) + abs(cell[1] - top)))

    @property
    def action(self) -> int:
        """The model's action for the selected move."""
        return self.actions[self.cell][self.rotation][self.slot]

    @property
    def move(self) -> Move:
        """The selected move."""
        targets = (None, *segment_targets(self.letter, self.rotation))
        return Move(*self.cell, self.rotation, targets[self.slot])

    @property
    def num_targets(self) -> int:
        """Number of segments on which a meeple may be placed."""
        return len(self.actions[self.cell][self.rotation]) - 1

    def select(self, cell: Cell) -> None:
        """Selects a legal cell and keeps rotation and meeple if legal; ignores other cells."""
        if cell in self.actions:
            rotations = self.actions[cell]
            self.cell = cell
            self.rotation = self.rotation if self.rotation in rotations else min(rotations)
            self._keep_slot()

    def choose(self, action: int) -> None:
        """Selects a legal action of the model."""
        self.cell, self.rotation, self.slot = next(
            (cell, rotation, slot)
            for cell, rotations in self.actions.items()
            for rotation, slots in rotations.items()
            for slot, number in slots.items()
            if number == action
        )

    def step(self, direction: str) -> None:
        """Selects the nearest legal cell in a direction."""
        self.select(nearest(self.cells, self.cell, direction))

    def next_cell(self, steps: int) -> None:
        """Moves ``steps`` legal cells on in reading order, and from the last to the first."""
        self.select(_turned(self.cells, self.cell, steps))

    def rotate(self, steps: int) -> None:
        """Selects the next rotation that fits; the meeple stays on its segment if that is legal."""
        self.rotation = _turned(sorted(self.actions[self.cell]), self.rotation, steps)
        self._keep_slot()

    def next_target(self, steps: int) -> None:
        """Selects the next segment for the meeple; "no meeple" is one of the choices."""
        slots = sorted(self.actions[self.cell][self.rotation])
        self.slot = _turned(slots, self.slot, steps)

    def _keep_slot(self) -> None:
        if self.slot not in self.actions[self.cell][self.rotation]:
            self.slot = 0


def _turned(choices: list[T], current: T, steps: int) -> T:
    return choices[(choices.index(current) + steps) % len(choices)]
