// The tile in hand: it can be dragged to the board.

import { $, use } from "./pages.js";
import { say } from "./words.js";

const DRAG_DISTANCE = 6;
const LIFT = 40; // pixels of a tile above the finger that drags it

export class Hand {
  /** `drop(point)` is called where the tile is dropped on the board, `click()` when it is clicked. */
  constructor(board, drop, click) {
    this.board = board;
    this.drop = drop;
    this.click = click;
    this.element = $("hand");
    this.element.addEventListener("pointerdown", (event) => this.down(event));
    this.element.addEventListener("pointermove", (event) => this.move(event));
    this.element.addEventListener("pointerup", (event) => this.up(event));
    this.element.addEventListener("pointercancel", () => this.end());
  }

  show(tile, rotation, isMine) {
    this.isMine = isMine;
    this.element.replaceChildren(...(tile ? [use(`tile-${tile}-${rotation}`)] : []));
    this.element.setAttribute("aria-label", tile ? say("tile_turned", { letter: tile, angle: 90 * rotation }) : say("no_tile"));
    this.element.classList.toggle("mine", isMine);
  }

  down(event) {
    if (!this.isMine) return;
    this.origin = event;
    this.box = this.element.getBoundingClientRect();
    this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.origin) return;
    const [dx, dy] = [event.clientX - this.origin.clientX, event.clientY - this.origin.clientY];
    if (!this.isDragged && Math.hypot(dx, dy) < DRAG_DISTANCE) return;
    this.isDragged = true;
    this.element.classList.add("dragged");
    const { clientX, clientY } = this.held(event);
    const { left, top, width, height } = this.box;
    const scale = (this.board.window.aim.scale * this.element.viewBox.baseVal.width) / this.element.clientWidth; // as the tiles that lie
    this.element.style.transform = `translate(${clientX - left - width / 2}px, ${clientY - top - height / 2}px) scale(${scale})`;
    this.board.mark(this.board.window.cell({ clientX, clientY }));
  }

  /** The middle of the tile that a pointer drags. */
  held({ clientX, clientY, pointerType }) { return { clientX, clientY: clientY - (pointerType === "touch" ? LIFT : 0) }; }

  up(event) {
    const { isDragged, origin } = this;
    this.end();
    if (isDragged) this.drop(this.held(event));
    else if (origin) this.click();
  }

  end() {
    this.origin = null;
    this.isDragged = false;
    this.element.classList.remove("dragged");
    this.element.style.transform = "";
    this.board.mark(null);
  }
}
