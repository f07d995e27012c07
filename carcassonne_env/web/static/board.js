// The picture of the board: tiles, meeples, legal places, the tile about to be placed, and thoughts.

import { $, isCoarse, renew, svg, use } from "./pages.js";
import { turned } from "./pieces.js";
import { Window } from "./view.js";
import { numeral, say } from "./words.js";

const MARGIN = isCoarse() ? 105 : 130; // a finger needs the room of the numbers
const TO_AXIS = 115; // from the tiles to the numbers beside the board
const [RADIUS, STROKE] = [13, 2.5]; // of a ring, in units
const CLEAR = 0.75; // pixels a unit at which a tile is seen well
// pixels of its diameter at least, for a mouse and for a finger, which meets it within its reach
const [FINE, COARSE, REACH] = [20, 26, 44];
// pixels a unit at which a finger lays a tile at least, and by the root of the number of rings
const [NEAR, WITH_ROOM] = [0.6, 0.44];
const LAYERS = [ // from below
  "tiles", "farms", "last", "parts", "meeples", "legal", "heat", "compared", "line", "axes", "ghost", "shares",
  "motion",
];
const WHEEL_STEP = 1.15;
const WHEEL_PAUSE = 120;

/** The point of a cell's upper left corner. */
export const corner = ([x, y]) => [x * 100, -y * 100];
const at = (cell, rotation = 0) => {
  const [x, y] = corner(cell);
  return `translate(${x} ${y})` + (rotation ? ` rotate(${90 * rotation} 50 50)` : "");
};
/** All numbers from one below the smallest to one above the largest. */
const around = (numbers) => {
  const first = Math.min(...numbers) - 1;
  return Array.from({ length: Math.max(...numbers) + 2 - first }, (_, i) => first + i);
};

export class Board {
  /** `listeners`: place(cell), turn(steps), meeple(slot), play(), miss(cell), point(region or null). */
  constructor(element, facts, listeners) {
    this.element = element;
    this.facts = facts;
    this.listeners = listeners;
    this.window = new Window(element, () => this.choice && this.showChoice(this.choice));
    this.laid = svg("g", { class: "farms" }); // farms on the tile about to be placed
    this.layers = {};
    for (const name of LAYERS) this.layers[name] = svg("g", { class: name });
    element.replaceChildren(...Object.values(this.layers));
    element.addEventListener("click", (event) => this.clicked(event));
    element.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
    element.addEventListener("pointerover", (event) => this.pointed(event));
    element.addEventListener("pointerleave", () => this.light(null));
    this.lastWheel = 0;
    this.lit = null;
    for (const [id, key] of [["zoom-in", "+"], ["zoom-out", "-"], ["fit", "0"]]) $(id).onclick = this.keys[key];
  }

  /** What keys do with the view, and the buttons beside the board. */
  get keys() {
    const larger = () => this.window.zoom(0.8);
    return { "+": larger, "=": larger, "-": () => this.window.zoom(1.25), 0: () => this.window.fit() };
  }

  /** Draws a position; `isOther` says whether it is of another game than before. */
  show(view, isOther = false) {
    this.light(null);
    this.view = view;
    this.choice = null; // of the position before; the caller shows the new one
    this.region = new Map();
    view.regions.forEach((region, i) => region.parts.forEach((part) => this.region.set(part.join(), i)));
    const { tiles, last, parts, meeples } = this.layers;
    renew(tiles, view.board, String, ([letter, x, y, rotation]) => {
      const [left, top] = corner([x, y]);
      return use(`tile-${letter}-${rotation}`, { x: left, y: top });
    });
    this.lying = new Map(view.board.map(([letter, x, y, rotation]) => [[x, y].join(), [letter, rotation]]));
    const all = view.regions.length ? view.board.flatMap((tile) => this.partsOf(tile)) : [];
    renew(parts, all, (part) => part.key, (part) => part.draw());
    for (const part of parts.children) part.dataset.region = this.region.get(part.dataset.part);
    meeples.replaceChildren(...view.meeples.map((meeple) => this.standing(meeple).figure));
    const newest = view.record[view.ply - 1];
    last.replaceChildren(...(newest ? [this.frame(newest.placement)] : []));
    const [xs, ys] = [1, 2].map((i) => view.board.map((tile) => tile[i]));
    if (!isCoarse()) this.showAxes(xs, ys);
    if (isOther || this.ply !== view.ply) {
      this.isComparing = false;
      this.fitBounds(xs, ys, newest?.placement, isOther || (isCoarse() && !view.ply));
    }
    this.ply = view.ply;
  }

  /** Numbers the columns above the board and the rows at its left, as moves name them. */
  showAxes(xs, ys) {
    const [left, top] = corner([Math.min(...xs), Math.max(...ys)]);
    const label = (number, x, y) => svg("text", { x, y }, numeral(number));
    this.layers.axes.replaceChildren(
      ...around(xs).map((column) => label(column, 100 * column + 50, top - TO_AXIS + 6)),
      ...around(ys).map((row) => label(row, left - TO_AXIS, 56 - 100 * row)));
  }

  /** Draws the legal places and the tile about to be placed; `choice` is null if none is. */
  showChoice(choice) {
    this.choice = choice;
    const { legal, ghost } = this.layers;
    const isPlaced = choice !== null && choice.cell !== null;
    legal.replaceChildren(...(choice?.cells ?? [])
      .filter((cell) => !isPlaced || cell.join() !== choice.cell.join())
      .map((cell) => this.legalCell(cell, choice)));
    ghost.replaceChildren(...(isPlaced ? this.ghost(choice) : []));
  }

  /**
   * Draws the next move as it was played and the better one of its `loss`, and no other marks; nothing for null. They
   * are seen from near at first.
   */
  showCompared(loss) {
    const { played, better } = loss ?? {};
    if (better && !this.isComparing) this.window.approach(...this.near(CLEAR, better, played));
    const shown = better ? [[better, "better"], [played, "played"]] : [];
    const isSame = better && better.x === played.x && better.y === played.y;
    this.layers.compared.replaceChildren(...shown.map(([placement, name]) => {
      const [left, top] = corner([placement.x, placement.y]);
      const isAside = isSame && name === "played"; // the smaller one, at the corner of the other
      const { letter, x, y, rotation, slot } = placement;
      const isLow = slot > 0 && this.anchor(letter, [x, y], rotation, slot - 1)[1] < top + 50; // away from the meeple
      const aside = `translate(${left - 45} ${top - 45}) scale(.6) translate(${-left} ${-top})`;
      const labelled = `translate(${left + (isSame && !isAside ? 24 : 0)} ${top + (isLow ? 98 : 2)})`;
      const size = Math.max(1, CLEAR / this.window.aim.scale);
      return svg("g", { class: `compared ${name}`, transform: isAside ? aside : null },
        this.dreamt(placement, null),
        svg("g", { transform: `${labelled} scale(${size}) translate(0 ${isLow ? -25 : 0})` },
          svg("rect", { class: "label", width: 76, height: 25, rx: 6 }),
          svg("text", { x: 38, y: 19 }, say(name))));
    }));
    this.isComparing = Boolean(better);
    this.element.classList.toggle("comparing", this.isComparing);
  }

  /** Moves the view so that a finger can meet the rings on the tile about to be placed. */
  approach([x, y]) {
    const scale = Math.max(NEAR, WITH_ROOM * Math.sqrt(this.choice.slots.length - 1));
    if (isCoarse()) this.window.approach(...this.near(scale, { x, y }));
  }

  reveal([x, y]) { this.window.reveal(...this.near(0, { x, y })); }

  /** The part of the board with the cells, and the scale at which to show it: this one at least if they fit. */
  near(scale, ...cells) {
    const [xs, ys] = [cells.map(({ x }) => 100 * x), cells.map(({ y }) => -100 * y)];
    const [x, y] = [Math.min(...xs) - 60, Math.min(...ys) - 60];
    const part = { x, y, width: Math.max(...xs) + 160 - x, height: Math.max(...ys) + 160 - y };
    return [part, Math.min(Math.max(this.window.aim.scale, scale), this.window.fitting(part))];
  }

  /** Draws one move of a thought in place of its line, over all other marks. */
  preview(placement) {
    this.layers.line.replaceChildren();
    this.layers.ghost.replaceChildren(this.dreamt(placement, null));
  }

  partsOf([letter, x, y, rotation]) {
    return this.facts.tiles[letter].kinds.map((_, i) => ({
      key: [letter, x, y, rotation, i].join(),
      draw: () => this.part([x, y, i]),
    }));
  }

  /** The outline of a part of a tile on the board, or of the one about to be placed. */
  part([x, y, i]) {
    const [letter, rotation] = this.lying.get([x, y].join()) ?? [this.view.tile, this.choice.rotation];
    return use(`part-${letter}-${i}`, { transform: at([x, y], rotation), "data-part": [x, y, i].join() });
  }

  /** A meeple of a view, on a tile that lies on the board: its player, its point and its picture. */
  standing([player, x, y, part]) {
    const [letter, rotation] = this.lying.get([x, y].join());
    const at = this.anchor(letter, [x, y], rotation, part);
    return { player, at, figure: this.meeple(player, letter, [x, y], rotation, part) };
  }

  meeple(player, letter, cell, rotation, part) {
    const [x, y] = this.anchor(letter, cell, rotation, part);
    const isLying = this.facts.tiles[letter].kinds[part] === "farm";
    return svg("g", { class: "meeple", transform: `translate(${x} ${y})` },
      use(isLying ? "farmer" : "meeple", { fill: this.facts.colours[player] }),
      svg("text", { class: `mark mark-${player}`, y: isLying ? 3.2 : 4.6 }, String(player + 1)));
  }

  anchor(letter, cell, rotation, part) {
    const [x, y] = turned(this.facts.tiles[letter].anchors[part], rotation);
    const [left, top] = corner(cell);
    return [left + x, top + y];
  }

  frame({ player, x, y }) {
    const [left, top] = corner([x, y]);
    const size = { x: left - 1, y: top - 1, width: 102, height: 102, rx: 4 };
    return svg("g", { class: "frame" }, svg("rect", { ...size, class: "halo" }),
      svg("rect", { ...size, stroke: this.facts.colours[player] }));
  }

  /** Marks the legal place under a tile that is dragged; null for none. */
  mark(cell) {
    for (const { classList, dataset } of this.layers.legal.children) {
      classList.toggle("below", dataset.cell === cell?.join());
    }
  }

  legalCell(cell, choice) {
    const [x, y] = corner(cell);
    const isReady = choice.fits(cell, choice.rotation);
    return svg("rect", {
      x: x + 7, y: y + 7, width: 86, height: 86, rx: 10, class: isReady ? "ready" : "", "data-cell": cell.join(),
    });
  }

  ghost(choice) {
    const { tile, player } = this.view;
    const [x, y] = corner(choice.cell);
    const slots = choice.slots.filter((slot) => slot > 0);
    const anchors = slots.map((slot) => this.anchor(tile, choice.cell, choice.rotation, slot - 1));
    const sizes = isCoarse() ? [COARSE, REACH] : [FINE, FINE];
    const [radius, reach] = sizes.map((size) => Math.max(RADIUS, size / 2 / this.window.aim.scale));
    const spots = spread(anchors, 2 * reach + STROKE).map(([left, top], i) => {
      const isChosen = slots[i] === choice.slot;
      const kind = this.facts.tiles[tile].kinds[slots[i] - 1];
      const [x, y] = anchors[i];
      const meeple = { fill: this.facts.colours[player], transform: `scale(${radius / RADIUS})` };
      const place = { "data-slot": slots[i], transform: `translate(${left} ${top})` };
      return svg("g", { class: isChosen ? "spot chosen" : "spot", ...place },
        svg("title", {}, say(`meeple_${kind}`)),
        svg("path", { d: `M0 0L${x - left} ${y - top}` }),
        svg("rect", { x: -reach, y: -reach, width: 2 * reach, height: 2 * reach, rx: reach }),
        svg("circle", { r: radius }),
        isChosen ? use(kind === "farm" ? "farmer" : "meeple", meeple) :
          svg("text", { "font-size": 1.1 * radius, y: 0.4 * radius }, String(i + 1)));
    });
    const area = svg("g", { class: "parts" });
    if (choice.slot) area.append(this.part([...choice.cell, choice.slot - 1]));
    area.firstChild?.classList.add("lit");
    return [
      use(`tile-${tile}-${choice.rotation}`, { x, y }),
      this.laid, area,
      svg("rect", { x, y, width: 100, height: 100, rx: 4, class: "placed", "data-turn": "1" }),
      ...spots,
    ];
  }

  /** A move of a thought, with its number in the corner that is farthest from the meeple. */
  dreamt({ player, letter, x, y, rotation, slot }, i) {
    const [left, top] = corner([x, y]);
    const [ax, ay] = slot ? this.anchor(letter, [x, y], rotation, slot - 1) : [left + 99, top + 99];
    const [cx, cy] = [ax > left + 50 ? left + 14 : left + 86, ay > top + 50 ? top + 14 : top + 86];
    return svg("g", { class: "dream" },
      use(`tile-${letter}-${rotation}`, { x: left, y: top }),
      slot ? this.meeple(player, letter, [x, y], rotation, slot - 1) : null,
      svg("rect", { x: left + 2, y: top + 2, width: 96, height: 96, rx: 4, stroke: this.facts.colours[player] }),
      ...(i === null ? [] : [
        svg("rect", { class: "order", x: cx - 13, y: cy - 12, width: 26, height: 24, rx: 3 }),
        svg("text", { class: "order", x: cx, y: cy + 5 }, `${i + 1}.`),
      ]));
  }

  /** Lights a region up, by its number; null puts the light out. */
  light(number) {
    if (number === this.lit) return;
    this.lit = number;
    for (const part of this.layers.parts.children) {
      part.classList.toggle("lit", number !== null && part.dataset.region === String(number));
    }
    this.listeners.point(number === null ? null : this.view.regions[number]);
  }

  fitBounds(xs, ys, newest, isWhole) {
    const [left, top] = corner([Math.min(...xs), Math.max(...ys)]).map((edge) => edge - MARGIN);
    const [right, bottom] = corner([Math.max(...xs), Math.min(...ys)]).map((edge) => edge + 100 + MARGIN);
    const [x, y] = corner([newest?.x ?? 0, newest?.y ?? 0]);
    const spot = { x: x - MARGIN, y: y - MARGIN, width: 100 + 2 * MARGIN, height: 100 + 2 * MARGIN };
    this.window.setBounds({ x: left, y: top, width: right - left, height: bottom - top }, spot, isWhole);
  }

  // Pointers

  clicked(event) {
    if (this.window.wasDragged) return;
    const { cell, slot, turn } = event.target.closest("[data-cell],[data-slot],[data-turn]")?.dataset ?? {};
    const isAgain = event.detail > 1; // a spot may have come under the pointer, or the view may have moved
    if (turn || (slot && isAgain && this.before)) return this.clickedTile(event);
    this.before = null;
    if (cell && !isAgain) return this.listeners.place(cell.split(",").map(Number));
    if (slot) return this.listeners.meeple(Number(slot));
    if (event.target.dataset.region) return this.light(Number(event.target.dataset.region));
    this.light(null);
    return this.choice && !isAgain ? this.listeners.miss(this.window.cell(event)) : null;
  }

  /** A click turns the tile, a double click plays it as it lay before; each tap of a finger turns it. */
  clickedTile(event) {
    if (event.detail === 1 || this.window.origin?.pointerType === "touch") {
      const { cell, rotation, slot } = this.choice;
      this.before = { cell, rotation, slot };
      this.listeners.turn(1);
    } else if (event.detail === 2 && this.before?.cell.join() === this.choice.cell.join()) {
      this.choice.place(this.before.cell, this.before.rotation, this.before.slot);
      this.before = null;
      this.listeners.play();
    }
  }

  wheeled(event) {
    event.preventDefault();
    if (!event.target.closest(".ghost")) {
      return this.window.zoom(event.deltaY > 0 ? WHEEL_STEP : 1 / WHEEL_STEP, this.window.point(event));
    }
    if (event.timeStamp - this.lastWheel > WHEEL_PAUSE) {
      this.lastWheel = event.timeStamp;
      this.listeners.turn(event.deltaY > 0 ? 1 : -1);
    }
    return null;
  }

  pointed(event) {
    if (event.pointerType !== "touch") {
      this.light(event.target.dataset.region ? Number(event.target.dataset.region) : null);
    }
  }
}

/** The points of rings on a tile, moved apart until each two have the distance. */
function spread(points, distance) {
  const moved = points.map((point) => [...point]);
  for (let round = 0, isDone = false; round < 200 && !isDone; round += 1) {
    isDone = true;
    moved.forEach((one, i) => moved.slice(0, i).forEach((other) => {
      const [dx, dy] = [one[0] - other[0], one[1] - other[1]];
      const far = Math.hypot(dx, dy) || 1e-6;
      if (far >= distance) return;
      isDone = false;
      const push = (distance + 0.5 - far) / 2 / far;
      [one[0], one[1]] = [one[0] + dx * push, one[1] + dy * push];
      [other[0], other[1]] = [other[0] - dx * push, other[1] - dy * push];
    }));
  }
  return moved;
}
