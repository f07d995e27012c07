// The part of the board that is seen. It keeps its scale while the board grows; mouse, wheel, fingers and keys move it.

import { isCoarse, isStill } from "./pages.js";

const [LEAST, MOST] = [0.1, 4]; // pixels a unit; a tile has 100 units
// The board is not shown smaller unless the reader wants it; a finger places tiles from near, so that all is shown; a mouse needs room for rings.
const SMALLEST = isCoarse() ? LEAST : 0.5;
const LARGEST = 1.3;
const ROOM = 50; // units that the board may grow before the view changes again
const GLIDE_MS = 350;
const CLICK_DISTANCE = 6;

const clamp = (value, least, most) => Math.min(Math.max(value, least), most);
const middle = ({ x, y, width, height }) => ({ x: x + width / 2, y: y + height / 2 });
const grown = ({ x, y, width, height }, by) => ({ x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by });

export class Window {
  /** `scaled()` is called when the scale has changed. */
  constructor(svg, scaled) {
    this.svg = svg;
    this.scaled = scaled;
    this.bounds = { x: -150, y: -150, width: 400, height: 400 };
    this.now = { x: 50, y: 50, scale: 1 }; // the point in the middle, and pixels a unit
    this.aim = this.now; // where it glides to
    this.isFitted = true; // until the reader moves it
    this.visit = null; // what it shows from near for a while, and where it goes back to
    this.wasDragged = false;
    this.pointers = new Map();
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (event) => this.up(event));
    new ResizeObserver(() => this.resized()).observe(svg);
  }

  get size() { return { width: this.svg.clientWidth || 1, height: this.svg.clientHeight || 1 }; }

  /** Sets what the whole board is; the view changes only if the new spot is outside, or to show it whole. */
  setBounds(bounds, spot, isWhole) {
    this.bounds = bounds;
    if (isWhole) return this.fit();
    this.goBack();
    const box = this.box(this.aim);
    const isInside = ({ x, y, width, height }) => x >= box.x && y >= box.y && x + width <= box.x + box.width && y + height <= box.y + box.height;
    if (isInside(this.isFitted ? bounds : spot)) return null;
    const scale = this.fitting(bounds) < this.aim.scale ? this.fitting(grown(bounds, ROOM)) : this.aim.scale;
    if (this.isFitted && this.fitting(bounds) >= SMALLEST) {
      return this.glide({ ...middle(bounds), scale: clamp(scale, SMALLEST, this.aim.scale) });
    }
    return this.reveal(spot, this.isFitted ? Math.min(this.aim.scale, SMALLEST) : this.aim.scale);
  }

  resized() {
    const { visit } = this;
    if (this.isFitted) this.fit();
    else this.go(this.aim);
    if (visit) this.approach(visit.part, visit.scale);
  }

  fit() {
    this.isFitted = true;
    this.visit = null;
    this.go({ ...middle(this.bounds), scale: clamp(this.fitting(this.bounds), LEAST, LARGEST) });
  }

  /** Shows a part of the board at a scale, with its middle no farther from where it was than needed, and as little beside the board. */
  reveal(part, scale = this.aim.scale) {
    const ratio = this.aim.scale / scale;
    const near = (at, from, seen) => clamp(at, ...[from[0] + seen / 2, from[1] - seen / 2].sort((a, b) => a - b));
    const along = (axis, side) => {
      const [inside, all] = [part, this.bounds].map((box) => [box[axis], box[axis] + box[side]]);
      const fixed = middle(part)[axis];
      const seen = this.size[side] / scale;
      return near(near(fixed + (this.aim[axis] - fixed) * ratio, all, seen), inside, seen);
    };
    this.glide({ x: along("x", "width"), y: along("y", "height"), scale });
  }

  /** Shows a part from near until the position changes, or `goBack`; the whole board if there is room for it. */
  approach(part, scale) {
    this.visit = { part, scale, from: this.visit?.from ?? this.aim };
    this.reveal(this.fitting(this.bounds) < scale ? part : this.bounds, scale);
  }

  goBack() {
    if (this.visit) this.glide(this.visit.from);
    this.visit = null;
  }

  fitting({ width, height }) { return Math.min(this.size.width / width, this.size.height / height); }

  box({ x, y, scale }) {
    const { width, height } = this.size;
    return { x: x - width / scale / 2, y: y - height / scale / 2, width: width / scale, height: height / scale };
  }

  zoom(factor, point = this.aim) {
    const { x, y, scale: before } = this.aim;
    const scale = clamp(before / factor, LEAST, MOST);
    const ratio = before / scale;
    this.isFitted = false;
    this.visit = null;
    this.go({ x: point.x + (x - point.x) * ratio, y: point.y + (y - point.y) * ratio, scale });
  }

  go(aim) {
    cancelAnimationFrame(this.frame);
    const hasScaled = aim.scale !== this.aim.scale;
    this.aim = aim;
    this.show(aim);
    if (hasScaled) this.scaled();
  }

  glide(aim) {
    const from = this.now;
    const isThere = ["x", "y", "scale"].every((name) => Math.abs(aim[name] - from[name]) < 0.001);
    if (isThere || isStill()) return this.go(aim);
    cancelAnimationFrame(this.frame);
    const hasScaled = aim.scale !== this.aim.scale;
    this.aim = aim;
    if (hasScaled) this.scaled();
    const start = performance.now();
    const step = (time) => {
      const part = clamp((time - start) / GLIDE_MS, 0, 1);
      const eased = 1 - (1 - part) ** 3;
      const between = (name) => from[name] + (aim[name] - from[name]) * eased;
      this.show({ x: between("x"), y: between("y"), scale: between("scale") });
      if (part < 1) this.frame = requestAnimationFrame(step);
    };
    this.frame = requestAnimationFrame(step);
  }

  show(now) {
    this.now = now;
    const { x, y, width, height } = this.box(now);
    this.svg.setAttribute("viewBox", [x, y, width, height].map((number) => +number.toFixed(2)).join(" "));
  }

  /** The point of the board under a pointer. */
  point(event) {
    const matrix = this.svg.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : new DOMPoint();
  }

  cell(event) {
    const { x, y } = this.point(event);
    return [Math.floor(x / 100), -Math.floor(y / 100)];
  }

  down(event) {
    this.pointers.set(event.pointerId, event);
    this.wasDragged = this.pointers.size > 1;
    this.origin = event;
  }

  move(event) {
    const before = this.pointers.get(event.pointerId);
    if (!before) return;
    if (this.pointers.size === 2) {
      const [other] = [...this.pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
      const spread = (pointer) => Math.hypot(pointer.clientX - other.clientX, pointer.clientY - other.clientY);
      this.zoom(spread(before) / Math.max(1, spread(event)), this.point(other));
    } else {
      const far = Math.hypot(event.clientX - this.origin.clientX, event.clientY - this.origin.clientY);
      if (!this.wasDragged && far < CLICK_DISTANCE) return;
      this.wasDragged = true;
      const [from, to] = [this.point(before), this.point(event)];
      if (!this.visit) this.isFitted = false;
      this.go({ ...this.now, x: this.now.x + from.x - to.x, y: this.now.y + from.y - to.y });
    }
    this.pointers.set(event.pointerId, event);
  }

  up(event) { this.pointers.delete(event.pointerId); }
}
