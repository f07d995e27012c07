// The picture of a position, and the places where the reader can press for a move.

import { $, el, svg } from "./pages.js";

const RADII = { least: 0.02, most: 0.05 }; // of a place, in shares of the picture's smaller side

export class Picture {
  /** `choose(place)` is called with a place [x, y] that the reader presses. */
  constructor(choose) {
    this.choose = choose;
    this.drawn = null;
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
      $("drawing").alt = root.querySelector("title")?.textContent ?? "Position";
      const size = ["width", "height"].map((name) => parseFloat(root.getAttribute(name)) || 1);
      this.box = root.getAttribute("viewBox")?.trim().split(/[\s,]+/).map(Number) ?? [0, 0, ...size];
      $("places").setAttribute("viewBox", this.box.join(" "));
    }
    const places = placesOf(choices);
    const points = [...places.values()].map(({ place }) => place).concat(thought?.places ?? []);
    const radius = radiusOf(points, Math.min(this.box[2], this.box[3]));
    $("places").replaceChildren(
      ...(thought?.places ?? []).map(([x, y, share]) => svg("circle", { class: "heat", cx: x, cy: y, r: radius, "fill-opacity": Math.round(70 * share) / 100 })),
      ...[...places.values()].map((each) => this.place(each, radius, chosen)));
  }

  place({ place, words }, radius, chosen) {
    const [x, y] = place;
    const press = (event) => {
      if (event.type === "keydown" && event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      this.choose(place);
    };
    const isChosen = chosen !== null && isSame(chosen, place);
    return svg("circle", {
      class: isChosen ? "place chosen" : "place", cx: x, cy: y, r: radius, tabindex: 0, role: "button",
      "aria-label": words.join(", "), onclick: press, onkeydown: press,
    }, svg("title", {}, words.join(", ")));
  }
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

/** A radius with which circles at these places do not overlap, unless they are too small to press. */
function radiusOf(places, side) {
  let least = Infinity;
  places.forEach(([x, y], i) => places.slice(i + 1).forEach(([otherX, otherY]) => {
    const distance = Math.hypot(x - otherX, y - otherY);
    if (distance > 0) least = Math.min(least, distance);
  }));
  return Math.min(Math.max(RADII.least * side, 0.45 * least), RADII.most * side);
}

/** The buttons of moves; `play(action)` is called with the action of one that is pressed. */
export function showMoves(choices, chosen, play) {
  const listed = chosen === null ? choices : choices.filter(({ place }) => place && isSame(place, chosen));
  $("choosing").hidden = choices.length === 0;
  $("all").hidden = chosen === null;
  $("moves-title").textContent = choices.length ? `Your moves: ${listed.length}` : "Your moves";
  $("moves").replaceChildren(...listed.map(({ action, words }) => el("button", { onclick: () => play(action) }, words)));
}
