// What the moves lost: a bar for each move, the worst ones, and sums.

import { $, el, renew, svg } from "./pages.js";
import { GLYPHS, glyphOf, placementWords, plot } from "./panels.js";
import { chip } from "./pieces.js";
import { numeral, say } from "./words.js";

const WORST = 6;

/** What the next move lost, in words; the better move, which the board shows, for those who do not see it. */
function lossWords({ number, points, error, better }, facts) {
  if (points === null) return [say("never_tried", { number })];
  if (!better) return [say("nothing_better", { number })];
  const lost = numeral(points, 1) + (error ? ` ± ${numeral(error, 1)}` : "");
  return [say("move_lost", { number, glyph: glyphOf(points), points: lost }),
    el("span", { class: "hidden" }, ` ${say("better_is", { better: placementWords(better, facts) })}`)];
}

/** Those of the player whom the reader has chosen, or all. */
function chosen(losses) { return losses.filter(({ player }) => ["", String(player)].includes($("whose").value)); }

/** Shows what the analysed moves lost; at first the mistakes of the player `own`, or of all players for null. */
export function showLosses(losses, view, facts, look, own = null) {
  const here = losses.find((loss) => loss.number === view.ply + 1);
  if (view.ply < view.last_ply) $("note").replaceChildren(...(here ? lossWords(here, facts) : []));
  const whose = [["", say("all_players")], ...view.seats.map(({ name }, i) => [i, name])];
  renew($("whose"), whose.map((each) => [...each, own]), String, ([value, name]) => el("option", { value, selected: value === own }, name));
  $("whose").hidden = !losses.length || view.seats.length === 1;
  $("whose").onchange = () => showLosses(losses, view, facts, look, own);
  const bad = chosen(losses).filter((loss) => loss.points > 0).sort((a, b) => b.points - a.points);
  renew($("worst"), bad.slice(0, WORST), JSON.stringify, ({ number, player, points }) => el("li", {}, el("button", {
    class: "move", onclick: () => look(number - 1),
  }, chip(player, facts.colours), say("move_number", { number }), el("b", {}, `${glyphOf(points)} −${numeral(points, 1)}`))));
  // noise can make a difference negative, so that sums are right; a negative sum is no loss
  const lostBy = (player) => Math.max(0, losses.reduce((sum, loss) => sum + (loss.player === player ? loss.difference : 0), 0));
  const sums = view.seats.map(({ name }, player) => `${name} ${numeral(lostBy(player), 1)}`);
  $("totals").textContent = losses.length ? say("lost_in_all", { points: sums.join(", ") }) : "";
  $("legend").textContent = losses.length ? `${say("points_lost")}: ${GLYPHS.map(([least, glyph]) => `${glyph} ≥ ${least}`).reverse().join(", ")}` : "";
  showBars($("losses"), losses, bad, view, facts, look);
  for (const [id, steps] of [["mistake", 1], ["mistake-before", -1]]) {
    const next = mistakeFrom(view.ply, losses, steps);
    Object.assign($(id), { hidden: !mistakes(losses).length, disabled: next === undefined, onclick: () => look(next) });
  }
}

/** The positions in which the chosen players made mistakes. */
export function mistakes(losses) {
  return chosen(losses).filter(({ points }) => glyphOf(points)).map(({ number }) => number - 1).sort((a, b) => a - b);
}

/** The nearest of these positions ahead of `ply`, behind it for `steps` of -1; undefined if there is none. */
export function mistakeFrom(ply, losses, steps) {
  const plies = mistakes(losses).filter((each) => steps * (each - ply) > 0);
  return plies.at(steps > 0 ? 0 : -1);
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
