// What the moves lost: a bar for each move, the worst ones, and sums.

import { $, el, renew, svg } from "./pages.js";
import { glyphOf, placementWords, plot } from "./panels.js";
import { chip } from "./pieces.js";
import { numeral, say } from "./words.js";

const WORST = 6;

/** What the next move lost, in words; the better move too if it has one. */
export function lossWords({ number, points, error, better }, facts) {
  if (points === null) return say("never_tried", { number });
  if (!better) return say("nothing_better", { number });
  const lost = numeral(points, 1) + (error ? ` ± ${numeral(error, 1)}` : "");
  return say("move_lost", { number, glyph: glyphOf(points), points: lost, better: placementWords(better, facts) });
}

/** Shows what the analysed moves lost. */
export function showLosses(losses, view, facts, look) {
  const here = losses.find((loss) => loss.number === view.ply + 1);
  if (view.ply < view.last_ply) $("note").textContent = here ? lossWords(here, facts) : "";
  const bad = losses.filter((loss) => loss.points > 0).sort((a, b) => b.points - a.points);
  renew($("worst"), bad.slice(0, WORST), JSON.stringify, ({ number, player, points }) => el("li", {}, el("button", {
    class: "move", onclick: () => look(number - 1),
  }, chip(player, facts.colours), say("move_number", { number }), el("b", {}, `${glyphOf(points)} −${numeral(points, 1)}`))));
  // noise can make a difference negative, so that sums are right; a negative sum is no loss
  const lostBy = (player) => Math.max(0, losses.reduce((sum, loss) => sum + (loss.player === player ? loss.difference : 0), 0));
  const sums = view.seats.map(({ name }, player) => `${name} ${numeral(lostBy(player), 1)}`);
  $("totals").textContent = losses.length ? say("lost_in_all", { points: sums.join(", ") }) : "";
  showBars($("losses"), losses, bad, view, facts, look);
  const next = mistakeFrom(view.ply, losses, 1);
  Object.assign($("mistake"), { hidden: !bad.length, disabled: next === undefined, onclick: () => look(next) });
}

/** The nearest position ahead of `ply` in which a mistake was made, behind it for `steps` of -1; undefined if there is none. */
export function mistakeFrom(ply, losses, steps) {
  const plies = losses.filter(({ points }) => glyphOf(points)).map(({ number }) => number - 1);
  return plies.sort((a, b) => steps * (a - b)).find((each) => steps * (each - ply) > 0);
}

/** The bar of a move stands at the position before it, which a click shows. */
function showBars(chart, losses, bad, view, facts, look) {
  chart.toggleAttribute("hidden", !losses.length);
  const most = Math.max(5, ...bad.map((loss) => loss.points));
  const moves = Math.max(view.num_tiles - 1, 1);
  const { x, y, width } = plot(chart, { values: [0, most], moves, top: 10, bottom: 66, view, look });
  const thick = Math.max(1.6, 0.7 * width);
  chart.append(...bad.map(({ number, player, points }) => svg("rect", {
    x: x(number - 1) - thick / 2, y: y(points), width: thick, height: y(0) - y(points), fill: facts.colours[player],
  }, svg("title", {}, say("move_points", { number, points: numeral(points, 1) })))), chart.querySelector(".now"));
}
