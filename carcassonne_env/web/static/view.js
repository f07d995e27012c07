// The part of the board that is seen: zoom and drag by mouse, wheel, fingers and keys.

const MIN_WIDTH = 250;
const MAX_WIDTH = 8000;
const CLICK_DISTANCE = 6;

export class Window {
  constructor(svg) {
    this.svg = svg;
    this.box = { x: -150, y: -150, width: 400, height: 400 };
    this.isFitted = true;
    this.bounds = this.box;
    this.wasDragged = false;
    this.pointers = new Map();
    svg.addEventListener("pointerdown", (event) => this.down(event));
    svg.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) window.addEventListener(end, (event) => this.up(event));
    new ResizeObserver(() => (this.isFitted ? this.fit() : this.show())).observe(svg);
  }

  /** Sets what the whole board is, and shows it unless the reader looks elsewhere. */
  setBounds(bounds) {
    this.bounds = bounds;
    if (this.isFitted) this.fit();
  }

  fit() {
    this.isFitted = true;
    this.box = { ...this.bounds };
    this.show();
  }

  zoom(factor, point = null) {
    const width = Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, this.box.width * factor));
    const ratio = width / this.box.width;
    const centre = point ?? { x: this.box.x + this.box.width / 2, y: this.box.y + this.box.height / 2 };
    this.isFitted = false;
    this.box = {
      x: centre.x + (this.box.x - centre.x) * ratio,
      y: centre.y + (this.box.y - centre.y) * ratio,
      width,
      height: this.box.height * ratio,
    };
    this.show();
  }

  show() {
    const { x, y, width, height } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  }

  /** The point of the board under a pointer. */
  point(event) {
    const matrix = this.svg.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : new DOMPoint();
  }

  /** The cell under a pointer. */
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
      this.isFitted = false;
      this.box = { ...this.box, x: this.box.x + from.x - to.x, y: this.box.y + from.y - to.y };
      this.show();
    }
    this.pointers.set(event.pointerId, event);
  }

  up(event) { this.pointers.delete(event.pointerId); }
}
