// The curve of the scores that the players can expect, over the moves of the game.

import { LEFT, RIGHT, movesOf, plot } from "./chart.js";
import { $, svg } from "./pages.js";
import { say } from "./words.js";

const DASHES = ["", "7 3", "2 3", "10 3 2 3", "5 5"];

/** The expected final scores after each move, in games that have a forecast. */
export function showCurve(view, facts, look) {
  $("curve-box").hidden = !view.forecast;
  if (!view.forecast) return;
  const values = view.curve.flat();
  const [low, high] = [Math.floor(Math.min(...values) / 10) * 10, Math.ceil(Math.max(...values, 10) / 10) * 10];
  const last = view.curve.length - 1;
  const { x, y } = plot($("curve"), { values: [low, (low + high) / 2, high], top: 8, bottom: 130, view, look });
  $("curve").append(
    svg("text", { class: "axis", x: LEFT, y: 146 }, "0"),
    svg("text", { class: "axis", x: RIGHT, y: 146 }, say("axis_moves", { count: movesOf(view) })),
    ...view.seats.map((_, player) => svg("g", { class: "series" },
      svg("path", { class: "halo", d: path(view.curve, player, x, y) }),
      svg("path", {
        d: path(view.curve, player, x, y), stroke: facts.colours[player], "stroke-dasharray": DASHES[player],
      }),
      svg("circle", { cx: x(last), cy: y(view.curve[last][player]), r: 6.5, fill: facts.colours[player] }),
      svg("text", { class: `mark mark-${player}`, x: x(last), y: y(view.curve[last][player]) + 3.5 }, String(player + 1)))));
  const words = view.seats.map((seat, i) => `${seat.name} ${Math.round(view.curve[view.ply][i])}`).join(", ");
  $("curve").setAttribute("aria-label", say("curve_words", { ply: view.ply, scores: words }));
}

function path(curve, player, x, y) {
  return curve.map((scores, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(scores[player]).toFixed(1)}`).join("");
}
