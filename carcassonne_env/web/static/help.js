// The help, which is loaded when it is opened: its text, small boards on which points are made, and the levels of planners.

import { turned } from "./pieces.js";
import { $, el, svg, use } from "./pages.js";
import { nameOf, say, showPressed } from "./words.js";

/** For edges, and each kind of feature: tiles as [letter, column, row from above, rotation]; the tile that holds a meeple, and the part. */
const EXAMPLES = {
  fits: [[["U", 0, 0, 1], ["V", 1, 0, 0], ["E", 2, 0, 1], ["E", 3, 0, 3]]],
  misfits: [[["U", 0, 0, 1], ["E", 1, 0, 3]]],
  road: [[["X", 0, 0, 0], ["U", 1, 0, 1], ["X", 2, 0, 0]], 1, 0],
  city: [[["E", 0, 0, 1], ["F", 1, 0, 0], ["E", 2, 0, 3]], 0, 0],
  cloister: [[["N", 0, 0, 0], ["E", 1, 0, 0], ["N", 2, 0, 1], ["E", 0, 1, 3], ["B", 1, 1, 0], ["E", 2, 1, 1], ["N", 0, 2, 3], ["E", 1, 2, 2], ["N", 2, 2, 2]], 4, 0],
  farm: [[["E", 0, 0, 2], ["E", 1, 0, 2], ["E", 0, 1, 0], ["E", 1, 1, 0]], 2, 1],
};

export async function showHelp(facts) {
  const answer = await fetch("help.html");
  $("help-text").innerHTML = await answer.text();
  showPressed($("help-text"));
  $("levels").replaceChildren(...Object.keys(facts.levels).flatMap((level) => [el("dt", {}, nameOf(level)), el("dd", {}, say(`meaning_${level}`))]));
  for (const [kind, [tiles, holder, part]] of Object.entries(EXAMPLES)) {
    const [width, height] = [1, 2].map((i) => 100 * (1 + Math.max(...tiles.map((tile) => tile[i]))));
    $(`example-${kind}`).append(svg("svg", { viewBox: `0 0 ${width} ${height}`, width: (holder === undefined ? 0.4 : 0.3) * width, "aria-hidden": "true" },
      ...tiles.map(([tile, left, top, turns]) => use(`tile-${tile}-${turns}`, { x: 100 * left, y: 100 * top })),
      ...(holder === undefined ? [] : [holderOf(kind, tiles[holder], part, facts)])));
  }
}

/** The meeple on a part of a tile of an example. */
function holderOf(kind, [letter, column, row, rotation], part, { tiles, colours }) {
  const [x, y] = turned(tiles[letter].anchors[part], rotation);
  const aside = kind === "cloister" ? 30 : 0; // so that the building is seen
  return use(kind === "farm" ? "farmer" : "meeple", { fill: colours[0], transform: `translate(${100 * column + x + aside} ${100 * row + y + aside}) scale(1.6)` });
}
