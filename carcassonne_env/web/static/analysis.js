// What the moves lost: a bar for each move, and the worst ones.

import { chip } from "./board.js";
import { $, el, renew, svg } from "./dom.js";

const WORST = 6;
const [LEFT, RIGHT, BOTTOM, HEIGHT] = [30, 318, 66, 56];

/** What a move lost, in words; the better move too if it has one. */
export function lossWords({ points, error, words }) {
  if (points === null) return "The search never tried this move.";
  if (!words) return "The search finds no better move.";
  return `Lost ${points.toFixed(1)}${error ? ` ± ${error.toFixed(1)}` : ""} points. Better, with a dashed frame: ${words}.`;
}

/** Shows an analysis, which is a message of the server or null. */
export function showAnalysis(analysis, view, facts, look) {
  const losses = analysis?.losses ?? [];
  const isRunning = Boolean(analysis?.is_running);
  $("analyse").textContent = isRunning ? "Stop" : "Analyse";
  $("analyse").disabled = view.last_ply === 0;
  $("level").disabled = isRunning;
  $("analysed").textContent = losses.length ? `${losses.length} of ${view.last_ply} moves${isRunning ? " …" : ""}` : isRunning ? "Searching …" : "";
  const here = losses.find((loss) => loss.number === view.ply);
  $("lost").textContent = here ? lossWords(here) : "";
  const bad = losses.filter((loss) => loss.points > 0).sort((a, b) => b.points - a.points);
  renew($("worst"), bad.slice(0, WORST), JSON.stringify, ({ number, player, points }) => el("li", {}, el("button", {
    class: "move", onclick: () => look(number),
  }, chip(player, facts.colours), `Move ${number}`, el("b", {}, `−${points.toFixed(1)}`))));
  showBars($("losses"), losses, bad, view, facts, look);
}

function showBars(chart, losses, bad, view, facts, look) {
  chart.toggleAttribute("hidden", !losses.length);
  const most = Math.max(5, ...bad.map((loss) => loss.points));
  const moves = Math.max(view.num_tiles - 1, 1);
  const x = (ply) => LEFT + ((RIGHT - LEFT) * ply) / moves;
  const width = Math.max(1.6, (0.7 * (RIGHT - LEFT)) / moves);
  chart.replaceChildren(
    ...[0, most].map((points) => svg("g", { class: "tick" },
      svg("path", { d: `M${LEFT} ${BOTTOM - (HEIGHT * points) / most}H${RIGHT}` }),
      svg("text", { x: LEFT - 4, y: BOTTOM + 3.5 - (HEIGHT * points) / most }, String(Math.round(points))))),
    svg("path", { class: "now", d: `M${x(view.ply)} 6V${BOTTOM}` }),
    ...bad.map(({ number, player, points }) => svg("rect", {
      x: x(number) - width / 2, y: BOTTOM - (HEIGHT * points) / most, width, height: (HEIGHT * points) / most, fill: facts.colours[player],
    }, svg("title", {}, `Move ${number}: ${points.toFixed(1)} points`))));
  chart.onclick = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    look(Math.min(view.last_ply, Math.max(0, Math.round(((at.x - LEFT) / (RIGHT - LEFT)) * moves))));
  };
}
