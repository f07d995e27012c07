// The picture of a position, and the places where the reader can press for a move.

import { $, isCoarse, isPressed, setPressed, svg } from "./pages.js";
import { say } from "./words.js";

const RADII = { least: 0.02, most: 0.05 }; // of a place, in shares of the picture's smaller side
const FINGER = 40; // pixels between places that a finger tells apart
const ENOUGH = 0.8; // of them; with more the picture need not be enlarged
const DARKEST = 0.75; // opacity of the place where a search looks most
const MOST_RINGS = 40; // places whose rings are always seen
const MOST_LISTED = 24; // moves that are listed without being asked for, if the picture has a place for each

export class Picture {
  /** `choose(place, isSure)` is called with a place [x, y] that the reader presses, a finger not being sure; with null for a tap beside all. */
  constructor(choose) {
    this.choose = choose;
    this.drawn = null;
    this.loss = null; // of the next move, which is compared with the better one
    $("places").onclick = (event) => { if (isCoarse()) this.tap(event); };
    $("fit").onclick = () => this.zoom(!isPressed("fit"));
  }

  /** Shows a view; `chosen` is the place whose moves are listed, or null. */
  show({ picture, text, choices, thought }, chosen) {
    $("picture").hidden = picture === null;
    $("text").hidden = picture !== null;
    $("text").textContent = text ?? "";
    if (picture === null) return;
    if (picture !== this.drawn) {
      this.drawn = picture;
      $("drawing").src = `data:image/svg+xml,${encodeURIComponent(picture)}`;
      const root = new DOMParser().parseFromString(picture, "image/svg+xml").documentElement;
      $("drawing").alt = root.querySelector("title")?.textContent ?? say("position");
      const size = ["width", "height"].map((name) => parseFloat(root.getAttribute(name)) || 1);
      this.box = root.getAttribute("viewBox")?.trim().split(/[\s,]+/).map(Number) ?? [0, 0, ...size];
      if ($("places").getAttribute("viewBox") !== this.box.join(" ")) this.zoom(false); // of another game
      $("places").setAttribute("viewBox", this.box.join(" "));
    }
    const places = placesOf(choices);
    const points = [...places.values()].map(({ place }) => place).concat(thought?.places ?? []);
    const side = Math.min(this.box[2], this.box[3]);
    this.spacing = spacingOf(points);
    this.radius = Math.min(Math.max(RADII.least * side, 0.45 * this.spacing), RADII.most * side); // so that no circles overlap, unless they are too small to press
    this.places = [...places.values()].map(({ place }) => place);
    if (places.size) $("fit").hidden = !isCoarse() || this.pixels * this.spacing >= ENOUGH * FINGER;
    const heat = thought?.places ?? [];
    const most = Math.max(...heat.map(([, , share]) => share)) || 1;
    const advised = choices.find(({ action }) => action === thought?.action)?.place;
    $("places").classList.toggle("many", places.size > MOST_RINGS);
    replaceKeepingFocus($("places"), [
      ...heat.map(([x, y, share]) => svg("circle", { class: "heat", cx: x, cy: y, r: this.radius, "fill-opacity": (DARKEST * share / most).toFixed(2) })),
      ...[...places.values()].map((each) => this.place(each, { chosen, advised }))]);
    this.showCompared(this.loss);
  }

  /** Pixels of a unit of the whole picture. */
  get pixels() { return Math.min($("picture").clientWidth / this.box[2], $("picture").clientHeight / this.box[3]); }

  /** Enlarges the picture so far that a finger can press each place, or shows it whole. */
  zoom(isLarge) {
    const { clientWidth: width, clientHeight: height } = $("picture");
    setPressed("fit", isLarge);
    $("fit").textContent = isLarge ? "−" : "+";
    $("sheet").style.setProperty("--zoom", isLarge ? FINGER / (this.pixels * this.spacing) : 1);
    $("picture").scrollTo(($("sheet").clientWidth - width) / 2, ($("sheet").clientHeight - height) / 2);
  }

  /** Chooses the place that is next to a finger. */
  tap(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform($("places").getScreenCTM().inverse());
    const far = ([placeX, placeY]) => Math.hypot(placeX - x, placeY - y);
    const [nearest] = this.places.sort((a, b) => far(a) - far(b));
    this.choose(nearest && far(nearest) < this.spacing ? nearest : null, false);
  }

  /** Marks the places of the move that was played and of a better one; null for none. */
  showCompared(loss) {
    this.loss = loss;
    for (const each of $("places").querySelectorAll(".compared")) each.remove();
    for (const name of loss ? ["played", "better"] : []) {
      const { place, words } = loss[name];
      if (place) $("places").append(svg("g", { class: `compared ${name}` }, svg("title", {}, words), ...rings(place, this.radius)));
    }
  }

  /** Marks the place of a move of a search; none for null. */
  showMove(row) {
    $("places").querySelector(".shown")?.remove();
    if (row?.place) $("places").append(svg("g", { class: "shown" }, ...rings(row.place, this.radius)));
  }

  /** A place for a press, a ring with a halo, in the classes of `marks` that are of this place. */
  place({ place, words }, marks) {
    const press = (event) => {
      if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      if (event.type === "keydown" || !isCoarse()) this.choose(place, true);
    };
    const marked = Object.keys(marks).filter((name) => marks[name] && isSame(marks[name], place));
    return svg("g", {
      class: ["place", ...marked].join(" "), tabindex: 0, role: "button", "aria-label": words.join(", "), onclick: press, onkeydown: press,
    }, svg("title", {}, words.join(", ")), ...rings(place, this.radius));
  }
}

const rings = ([x, y], radius) => ["halo", "ring"].map((name) => svg("circle", { class: name, cx: x, cy: y, r: radius }));

/** Shows other children; the focus stays with the same words. */
function replaceKeepingFocus(parent, children) {
  const focused = parent.contains(document.activeElement) ? document.activeElement.textContent : null;
  parent.replaceChildren(...children);
  if (focused) children.find((child) => child.textContent === focused)?.focus({ preventScroll: true });
}

export const isSame = ([x, y], [otherX, otherY]) => x === otherX && y === otherY;

/** The places of the choices, each once with the words of its moves. */
function placesOf(choices) {
  const places = new Map();
  for (const { place, words } of choices) {
    if (!place) continue;
    const key = place.join();
    if (!places.has(key)) places.set(key, { place, words: [] });
    places.get(key).words.push(words);
  }
  return places;
}

/** The least distance of two of the places. */
function spacingOf(places) {
  let least = Infinity;
  places.forEach(([x, y], i) => places.slice(i + 1).forEach(([otherX, otherY]) => {
    const distance = Math.hypot(x - otherX, y - otherY);
    if (distance > 0) least = Math.min(least, distance);
  }));
  return least;
}

/**
 * The buttons of moves, which `button(choice)` makes: those at the chosen place, or all. Of very many, unless `isFull`,
 * only those without a place.
 */
export function showMoves(choices, chosen, isFull, button) {
  const isShort = isFull || choices.length <= MOST_LISTED;
  const listed = choices.filter(({ place }) => (chosen ? place && isSame(place, chosen) : isShort || !place));
  $("choosing").hidden = choices.length === 0;
  $("all").hidden = listed.length === choices.length;
  $("moves").hidden = listed.length === 0;
  $("moves-title").textContent = say("num_choices", { count: chosen ? listed.length : choices.length });
  replaceKeepingFocus($("moves"), listed.map((choice) => button(choice)));
}
