// Charts over the moves of a game.

import { svg } from "./pages.js";
import { numeral, say } from "./words.js";

const [LEFT, RIGHT] = [30, 318];

/** The moves that a chart has room for: those of the whole game if their number is known. */
const movesOf = ({ num_tiles: tiles, last_ply: last }) => Math.max(tiles ? tiles - 1 : last, 1);

/** Clears a chart over the moves, and draws lines at some values, the first at the bottom, and the numbers of the first and the last move; a click looks at a move. */
export function plot(chart, { values, label = numeral, top, bottom, view, look }) {
  const [low, high, moves] = [values[0], values.at(-1), movesOf(view)];
  const x = (ply) => LEFT + ((RIGHT - LEFT) * ply) / moves;
  const y = (value) => bottom - ((bottom - top) * (value - low)) / (high - low || 1);
  chart.replaceChildren(
    ...values.map((value) => svg("g", { class: "tick" },
      svg("path", { d: `M${LEFT} ${y(value)}H${RIGHT}` }), svg("text", { x: LEFT - 4, y: y(value) + 3.5 }, label(value)))),
    svg("text", { class: "axis", x: LEFT, y: bottom + 14 }, "0"), svg("text", { class: "axis", x: RIGHT, y: bottom + 14 }, say("axis_moves", { count: moves })),
    svg("path", { class: "now", d: `M${x(view.ply)} ${top - 2}V${bottom}` }));
  chart.onclick = (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    look(Math.min(view.last_ply, Math.max(0, Math.round(((point.x - LEFT) / (RIGHT - LEFT)) * moves))));
  };
  return { x, y, width: (RIGHT - LEFT) / moves };
}

/** A line through points [x, y] of a chart, with a halo, and a disc at its end. */
export function line(points, { colour, dashes = "" }) {
  const d = points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");
  const [x, y] = points.at(-1);
  return svg("g", { class: "series" },
    svg("path", { class: "halo", d }), svg("path", { d, stroke: colour, "stroke-dasharray": dashes }), svg("circle", { cx: x, cy: y, r: 6.5, fill: colour }));
}
