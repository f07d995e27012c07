// Small pictures of tiles, moves and meeples.

import { el, svg, use } from "./pages.js";
import { say } from "./words.js";

/** A point of a tile after quarter turns clockwise. */
export const turned = ([x, y], rotation) => (rotation ? turned([100 - y, x], rotation - 1) : [x, y]);

/** A tile as a small picture of its own. */
export function tilePicture(letter, rotation = 0) {
  return svg("svg", { viewBox: "0 0 100 100", role: "img", "aria-label": say("tile", { letter }) }, use(`tile-${letter}-${rotation}`));
}

/** A move as a small picture: the tile as it lies, with its meeple. */
export function movePicture({ player, letter, rotation, slot }, facts) {
  const picture = tilePicture(letter, rotation);
  if (slot) {
    const { kinds, anchors } = facts.tiles[letter];
    const [x, y] = turned(anchors[slot - 1], rotation);
    picture.append(use(kinds[slot - 1] === "farm" ? "farmer" : "meeple", {
      fill: facts.colours[player], transform: `translate(${x} ${y}) scale(1.9)`,
    }));
  }
  return picture;
}

/** A player's meeple. */
export function figure(player, colours, ...more) {
  return svg("svg", { viewBox: "-14 -14 28 28", "aria-hidden": "true" }, use("meeple", { fill: colours[player] }), ...more);
}

/** A player's meeple with the player's number. */
export function chip(player, colours) {
  return el("span", { class: "chip" }, figure(player, colours, svg("text", { class: `mark mark-${player}`, y: 4.6 }, String(player + 1))));
}
