// The tile in hand: it can be dragged to the board.

import { $, use } from "./pages.js";
import { say } from "./words.js";

const DRAG_DISTANCE = 6;

export class Hand {
  /** `drop(event)` is called where the tile is dropped, `click()` when it is clicked. */
  constructor(drop, click) {
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
    this.element.setPointerCapture(event.pointerId);
  }

  move(event) {
    if (!this.origin) return;
    const [dx, dy] = [event.clientX - this.origin.clientX, event.clientY - this.origin.clientY];
    if (!this.isDragged && Math.hypot(dx, dy) < DRAG_DISTANCE) return;
    this.isDragged = true;
    this.element.classList.add("dragged");
    this.element.style.transform = `translate(${dx}px, ${dy}px)`;
  }

  up(event) {
    const { isDragged, origin } = this;
    this.end();
    if (isDragged) this.drop(event);
    else if (origin) this.click();
  }

  end() {
    this.origin = null;
    this.isDragged = false;
    this.element.classList.remove("dragged");
    this.element.style.transform = "";
  }
}
