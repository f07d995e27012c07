// What the moves lost: a bar for each move, the worst ones, and sums.

import { $, el, renew, svg } from "./pages.js";
import { glyphOf, meepleWords, plot } from "./panels.js";
import { chip } from "./pieces.js";

const WORST = 6;

/** What the next move lost, in words; the better move too if it has one. */
function lossWords({ number, points, error, better }, facts) {
  if (points === null) return `The planner of the analysis never tried move ${number}.`;
  if (!better) return `The planner of the analysis finds nothing better than move ${number}.`;
  const { x, y, slot, letter } = better;
  const words = `column ${signed(x)}, row ${signed(y)}, ${meepleWords(slot, letter, facts)}`;
  return `Move ${number} ${glyphOf(points)} lost ${points.toFixed(1)}${error ? ` ± ${error.toFixed(1)}` : ""} points. Better: ${words}.`;
}

const signed = (number) => String(number).replace("-", "−");

/** Shows what the analysed moves lost. */
export function showLosses(losses, view, facts, look) {
  const here = losses.find((loss) => loss.number === view.ply + 1);
  const before = (number) => look(losses.some((loss) => loss.number === number && loss.points > 0) ? number - 1 : number);
  if (view.ply < view.last_ply) $("note").textContent = here ? lossWords(here, facts) : "";
  const bad = losses.filter((loss) => loss.points > 0).sort((a, b) => b.points - a.points);
  renew($("worst"), bad.slice(0, WORST), JSON.stringify, ({ number, player, points }) => el("li", {}, el("button", {
    class: "move", onclick: () => look(number - 1),
  }, chip(player, facts.colours), `Move ${number}`, el("b", {}, `${glyphOf(points)} −${points.toFixed(1)}`))));
  // noise can make a difference negative, so that sums are right; a negative sum is no loss
  const lostBy = (player) => Math.max(0, losses.reduce((sum, loss) => sum + (loss.player === player ? loss.difference : 0), 0));
  const sums = view.seats.map(({ name }, player) => `${name} ${lostBy(player).toFixed(1)}`);
  $("totals").textContent = losses.length ? `Points lost in all: ${sums.join(", ")}.` : "";
  showBars($("losses"), losses, bad, view, facts, before);
}

function showBars(chart, losses, bad, view, facts, look) {
  chart.toggleAttribute("hidden", !losses.length);
  const most = Math.max(5, ...bad.map((loss) => loss.points));
  const moves = Math.max(view.num_tiles - 1, 1);
  const { x, y, width } = plot(chart, { values: [0, most], moves, top: 10, bottom: 66, view, look });
  const thick = Math.max(1.6, 0.7 * width);
  chart.append(...bad.map(({ number, player, points }) => svg("rect", {
    x: x(number) - thick / 2, y: y(points), width: thick, height: y(0) - y(points), fill: facts.colours[player],
  }, svg("title", {}, `Move ${number}: ${points.toFixed(1)} points`))));
}
