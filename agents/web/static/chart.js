// Charts over the moves of a game.

import { svg } from "./pages.js";
import { numeral } from "./words.js";

export const [LEFT, RIGHT] = [30, 318];

/** The moves that a chart has room for: those of the whole game if their number is known. */
export const movesOf = ({ num_tiles: tiles, last_ply: last }) => Math.max(tiles ? tiles - 1 : last, 1);

/** Clears a chart over the moves, and draws lines at some values, the first at the bottom; a click looks at a move. */
export function plot(chart, { values, label = numeral, top, bottom, view, look }) {
  const [low, high, moves] = [values[0], values.at(-1), movesOf(view)];
  const x = (ply) => LEFT + ((RIGHT - LEFT) * ply) / moves;
  const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low || 1);
  chart.replaceChildren(
    ...values.map((value) => svg("g", { class: "tick" },
      svg("path", { d: `M${LEFT} ${y(value)}H${RIGHT}` }), svg("text", { x: LEFT - 4, y: y(value) + 3.5 }, label(value)))),
    svg("path", { class: "now", d: `M${x(view.ply)} ${top - 2}V${bottom}` }));
  chart.onclick = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    look(Math.min(view.last_ply, Math.max(0, Math.round(((point.x - LEFT) / (RIGHT - LEFT)) * moves))));
  };
  return { x, y, width: (RIGHT - LEFT) / moves };
}
