// The move that a person is about to play: a cell, a rotation and a meeple, or only a tile in hand.

import { say } from "./words.js";

const AHEAD = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

export class Choice {
  /** `legal` holds the actions by "x,y", rotation and slot; `start` is the cell of the last tile. */
  constructor(legal, numRotations, start) {
    this.legal = legal;
    this.numRotations = numRotations;
    this.start = start;
    this.cells = Object.keys(legal).map((key) => key.split(",").map(Number));
    this.cells.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    this.cell = null;
    this.rotation = 0;
    this.slot = 0;
  }

  get rotations() { return Object.keys(this.legal[this.cell]).map(Number); }

  get slots() { return this.cell ? Object.keys(this.legal[this.cell][this.rotation]).map(Number) : []; }

  get action() { return this.cell ? this.legal[this.cell][this.rotation][this.slot] : null; }

  fits(cell, rotation = null) {
    const rotations = this.legal[cell];
    return Boolean(rotations) && (rotation === null || rotation in rotations);
  }

  /** Places the tile on a legal cell, turned as it is if that fits. */
  place(cell, rotation = this.rotation, slot = this.slot) {
    if (!this.fits(cell)) return false;
    this.cell = cell;
    this.rotation = this.fits(cell, rotation) ? rotation : this.rotations[0];
    this.slot = this.slots.includes(slot) ? slot : 0;
    return true;
  }

  takeBack() {
    this.cell = null;
    this.slot = 0;
  }

  /** Turns the tile: on the board to the next rotation that fits. Returns whether it turned. */
  turn(steps) {
    const all = this.cell ? this.rotations : [...Array(this.numRotations).keys()];
    const turned = next(all, this.rotation, steps);
    const hasTurned = turned !== this.rotation;
    this.rotation = turned;
    if (this.cell && !this.slots.includes(this.slot)) this.slot = 0;
    return hasTurned;
  }

  nextSlot(steps) { this.slot = next(this.slots, this.slot, steps); }

  nextCell(steps) { this.place(this.cell ? this.cells[(this.index + steps + this.cells.length) % this.cells.length] : this.nearest()); }

  get index() { return this.cells.findIndex(([x, y]) => x === this.cell[0] && y === this.cell[1]); }

  /** Moves to the nearest legal cell in the direction of an arrow key. */
  step(key) {
    if (!this.cell) return this.place(this.nearest());
    const [dx, dy] = AHEAD[key];
    const far = ([x, y]) => {
      const [i, j] = [x - this.cell[0], y - this.cell[1]];
      const ahead = i * dx + j * dy;
      return ahead > 0 ? ahead + 2 * Math.abs(i * dy + j * dx) : Infinity;
    };
    const best = this.cells.reduce((a, b) => (far(b) < far(a) ? b : a));
    return far(best) < Infinity && this.place(best);
  }

  nearest() {
    const far = ([x, y]) => Math.abs(x - this.start[0]) + Math.abs(y - this.start[1]);
    return this.cells.reduce((a, b) => (far(b) < far(a) ? b : a));
  }
}

function next(all, current, steps) {
  const i = all.indexOf(current);
  return all[(i + steps + all.length) % all.length] ?? all[0];
}

/** What a search expects, for the reader if it is a hint: the score of a single player, or the lead. */
export function expectsWords({ value, is_hint: isHint }, { seats }) {
  const count = Math.abs(Math.round(value));
  const key = seats.length === 1 ? "expects_score" : !count ? "expects_draw" : value > 0 ? "expects_win" : "expects_loss";
  return say(isHint ? "hint_expects" : "expects", { expects: say(key, { points: say("num_points", { count }) }) });
}
