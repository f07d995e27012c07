// The curve of the scores that the players can expect, over the moves of the game.

import { line, plot } from "./chart.js";
import { $, svg } from "./pages.js";
import { say } from "./words.js";

const DASHES = ["", "7 3", "2 3", "10 3 2 3", "5 5"];

/** The expected final scores after each move, in games that have a forecast. */
export function showCurve(view, facts, look) {
  $("curve-box").hidden = !view.forecast;
  if (!view.forecast) return;
  const values = view.curve.flat();
  const [low, high] = [Math.floor(Math.min(...values) / 10) * 10, Math.ceil(Math.max(...values, 10) / 10) * 10];
  const { x, y } = plot($("curve"), { values: [low, (low + high) / 2, high], top: 8, bottom: 130, view, look });
  $("curve").append(
    ...view.seats.map((_, player) => {
      const points = view.curve.map((scores, ply) => [x(ply), y(scores[player])]);
      const drawn = line(points, { colour: facts.colours[player], dashes: DASHES[player] });
      drawn.append(svg("text", { class: `mark mark-${player}`, x: points.at(-1)[0], y: points.at(-1)[1] + 3.5 }, String(player + 1)));
      return drawn;
    }));
  const words = view.seats.map((seat, i) => `${seat.name} ${Math.round(view.curve[view.ply][i])}`).join(", ");
  $("curve").setAttribute("aria-label", say("curve_words", { ply: view.ply, scores: words }));
}
