"""The move that a person is about to play: one of the legal moves, changed key by key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TypeVar

from ..model import CarcassonneModel
from ..position import Move, segment_targets

Cell = tuple[int, int]
"""x and y on the board."""
T = TypeVar("T")

DIRECTIONS = {"left": (-1, 0), "right": (1, 0), "up": (0, 1), "down": (0, -1)}
_SIDEWAYS = 2
"""So much more does a step sideways count than one ahead."""


def nearest(cells: Iterable[Cell], start: Cell, direction: str) -> Cell:
    """The cell nearest to ``start`` among those that lie in a direction; itself without any.

    Args:
        cells: Cells to choose from.
        start: Where the way begins.
        direction: "left", "right", "up" or "down".
    """
    ahead, aside = DIRECTIONS[direction]

    def distance(cell: Cell) -> tuple[int, Cell]:
        dx, dy = cell[0] - start[0], cell[1] - start[1]
        along, across = dx * ahead + dy * aside, dx * aside + dy * ahead
        return along + _SIDEWAYS * abs(across), cell

    def is_ahead(cell: Cell) -> bool:
        return (cell[0] - start[0]) * ahead + (cell[1] - start[1]) * aside > 0

    return min(filter(is_ahead, cells), key=distance, default=start)


class Selection:
    """One legal move of a position, and the ways from it to the others.

    Args:
        model: A position with a player to move; it is not kept.

    Attributes:
        letter: The tile to place.
        cells: The legal cells in reading order, from the north-west.
        num_moves: Number of legal moves.
        cell: The cell selected.
        rotation: The rotation selected, one that fits there.
        slot: 0 for no meeple, else one more than the index of its segment on the tile.
    """

    def __init__(self, model: CarcassonneModel) -> None:
        self.letter = model.current_tile or ""
        self._actions: dict[Cell, dict[int, dict[int, int]]] = defaultdict(dict)
        actions = [int(action) for action in model.legal_actions()]
        for action in actions:
            x, y, rotation, target = model.decode_action(action)
            targets = (None, *segment_targets(self.letter, rotation))
            slots = self._actions[x, y].setdefault(rotation, {})
            slots[targets.index(target)] = action
        self.cells = sorted(self._actions, key=lambda cell: (-cell[1], cell[0]))
        self.num_moves = len(actions)
        self.slot = 0
        self.rotation = 0
        self.select(min(self.cells, key=lambda cell: _steps(cell, model.board[-1][1:3])))

    @property
    def action(self) -> int:
        """The action of the model that plays the move."""
        return self._actions[self.cell][self.rotation][self.slot]

    @property
    def move(self) -> Move:
        """The move selected."""
        targets = (None, *segment_targets(self.letter, self.rotation))
        return Move(*self.cell, self.rotation, targets[self.slot])

    @property
    def num_rotations(self) -> int:
        """Number of rotations that fit into the cell."""
        return len(self._actions[self.cell])

    @property
    def num_targets(self) -> int:
        """Number of places for a meeple."""
        return len(self._actions[self.cell][self.rotation]) - 1

    def select(self, cell: Cell) -> None:
        """Goes to a cell and keeps rotation and meeple where they are legal; ignores others."""
        if cell in self._actions:
            rotations = self._actions[cell]
            self.cell = cell
            self.rotation = self.rotation if self.rotation in rotations else min(rotations)
            self._keep_slot()

    def step(self, direction: str) -> None:
        """Goes to the nearest legal cell in a direction."""
        self.select(nearest(self.cells, self.cell, direction))

    def next_cell(self, steps: int) -> None:
        """Goes on by so many cells in reading order, around at the end."""
        self.select(_turned(self.cells, self.cell, steps))

    def rotate(self, steps: int) -> None:
        """Turns the tile on to the next rotation that fits; its meeple stays on its segment."""
        self.rotation = _turned(sorted(self._actions[self.cell]), self.rotation, steps)
        self._keep_slot()

    def next_target(self, steps: int) -> None:
        """Moves the meeple to the next place where it may stand, none among them."""
        slots = sorted(self._actions[self.cell][self.rotation])
        self.slot = _turned(slots, self.slot, steps)

    def _keep_slot(self) -> None:
        if self.slot not in self._actions[self.cell][self.rotation]:
            self.slot = 0


def _turned(choices: list[T], current: T, steps: int) -> T:
    return choices[(choices.index(current) + steps) % len(choices)]


def _steps(cell: Cell, other: Cell) -> int:
    return abs(cell[0] - other[0]) + abs(cell[1] - other[1])
