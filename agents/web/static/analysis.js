// What the moves lost: a bar for each move, the mistakes, and sums.
//
// In this and other modules, `how` says how a game tells losses: what a `point` is in the units of the server, and a
// unit of the last `digit` of words; the words `amount(loss, more)` of a loss with so many more digits (a game may
// ignore that there are fewer) and `what` is lost, whether it `isChance`, the `colour(player)`, a picture
// `chip(player)`, the words `named(move)` of a move, and `brief(move)` of one beside the board, the `style` of those of
// a better one and, where the board can, `light(number)` that lights a feature. It also says what the record shows of a
// move: `recorded(line, number, seats)` in a button of the class `row`, and, short, `line(line)` in a variation.

import { plot } from "./chart.js";
import { GLYPHS, glyphOf, lostWords } from "./loss.js";
import { $, el, isCoarse, renew, svg, whilePointed } from "./pages.js";
import { NAMES, lostBy, showSummary } from "./summary.js";
import { isYou, numeral, say } from "./words.js";

const LEAST_HEIGHT = 5; // points that the chart shows at least

/** Those of the player whom the reader has chosen, or all. */
const chosen = (losses) => losses.filter(({ player }) => ["", String(player)].includes($("whose").value));

/** The positions in which the chosen players made mistakes. */
export function mistakes(losses, how) {
  return chosen(losses).filter(({ points }) => glyphOf(points, how)).map(({ number }) => number - 1);
}

/** The nearest of these positions ahead of `ply`, behind it for `steps` of -1, and round the end of the game; undefined if there is none. */
export function mistakeFrom(ply, losses, steps, how) {
  const all = mistakes(losses, how);
  const plies = all.filter((each) => steps * (each - ply) > 0);
  return (plies.length ? plies : all).at(steps > 0 ? 0 : -1);
}

/** What the next move lost, in words, and the better move. */
export function lossWords({ number, points, error, better, reasons }, how, { seats, regions }) {
  if (points === null) return [say("never_tried", { number })];
  if (!better) return [say("nothing_better", { number })];
  const lost = how.amount(points) + (error ? ` ± ${how.amount(error)}` : "");
  return [say("move_lost", { number, glyph: glyphOf(points, how), points: lost, what: how.what }),
    el("span", { class: how.style }, ` ${say("better_is", { better: how.named(better) })}`),
    ...(reasons?.length ? reasonWords(reasons, seats, regions, how.light) : [])];
}

/** What the better move brings more, by kind, owners and cell of a feature, which lights up while it is pointed at. */
function reasonWords(reasons, seats, regions, light) {
  return [` ${say("better_by")} `, ...reasons.flatMap(([kind, cell, points, owners], i) => {
    const owned = ownedWords(say(`kind_${kind}`), owners, seats);
    const name = cell && !isCoarse() ? say("at_cell", { kind: owned, x: numeral(cell[0]), y: numeral(cell[1]) }) : owned; // for a finger the board has no numbers
    const number = light && cell ? featureAt(regions, kind, cell, owners) : -1;
    const lit = number < 0 ? {} : { class: "reason", tabindex: 0, ...whilePointed(light, number) };
    return [i ? ", " : "", el("span", lit, `${name} ${points > 0 ? "+" : ""}${numeral(points, 1)}`)];
  }), "."];
}

/** The number of a feature of this kind in a cell, if possible with these owners; -1 if it is new. */
function featureAt(regions, kind, cell, owners) {
  const isThere = (region) => region.kind === kind && region.parts.some(([x, y]) => x === cell[0] && y === cell[1]);
  const own = regions.findIndex((region) => isThere(region) && String(region.owners) === String(owners));
  return own < 0 ? regions.findIndex(isThere) : own;
}

/** A feature and whose it is, if somebody has a meeple there. */
function ownedWords(kind, owners, seats) {
  if (owners.length > 1) return say("shared", { kind });
  const [name] = owners.map((owner) => seats[owner].name);
  return name ? say("kind_of", { kind, owners: isYou(name) ? say("own") : say("owned_by", { name }) }) : kind;
}

/** Shows what the analysed moves lost, in the order of the game; at first the mistakes of the player `own`, or of all players for null. */
export function showLosses(losses, view, how, look, own = null) {
  const here = losses.find((loss) => loss.number === view.ply + 1);
  if (view.ply < view.last_ply) $("note").replaceChildren(...(here ? lossWords(here, how, view) : []));
  const whose = [["", say("all_players")], ...view.seats.map(({ name }, i) => [i, name])];
  renew($("whose"), whose.map((each) => [...each, own]), String, ([value, name]) => el("option", { value, selected: value === own }, name));
  $("whose").hidden = !losses.length || view.seats.length === 1;
  $("whose").onchange = () => showLosses(losses, view, how, look, own);
  const bad = chosen(losses).filter((loss) => loss.points > 0);
  renew($("worst"), bad.filter(({ points }) => glyphOf(points, how)), JSON.stringify, ({ number, player, points }) => el("li", {}, el("button", {
    class: "move", onclick: () => look(number - 1),
  }, how.chip(player), say("move_number", { number }), el("b", {}, lostWords(points, how)))));
  showSummary(losses, view, how);
  const sums = view.seats.map(({ name }, player) => `${name} ${how.amount(lostBy(losses.filter((loss) => loss.player === player), how))}`);
  $("totals").textContent = losses.length && !how.isChance ? say("lost_in_all", { points: sums.join(", ") }) : "";
  const marks = GLYPHS.map(([least, glyph]) => say("or_more", { mark: `${glyph} ${say(NAMES[glyph])}`, least: how.amount(least * how.point, -1) }));
  $("legend").textContent = losses.length ? `${say("points_lost")}: ${marks.reverse().join(", ")}` : "";
  showBars($("losses"), losses, bad, view, how, look);
  for (const [id, steps] of [["mistake", 1], ["mistake-before", -1]]) {
    const next = mistakeFrom(view.ply, losses, steps, how);
    Object.assign($(id), { hidden: next === undefined, onclick: () => look(next) });
  }
}

/** The bar of a move stands at the position before it, which a click shows. */
function showBars(chart, losses, bad, view, how, look) {
  chart.toggleAttribute("hidden", !losses.length);
  const most = Math.max(LEAST_HEIGHT * how.point, ...bad.map((loss) => loss.points));
  const { x, y, width } = plot(chart, { values: [0, most], label: (value) => how.amount(value, -1), top: 10, bottom: 66, view, look });
  const thick = Math.max(1.6, 0.7 * width);
  chart.append(...bad.map(({ number, player, points }) => svg("rect", {
    x: x(number - 1) - thick / 2, y: y(points), width: thick, height: y(0) - y(points), fill: how.colour(player),
  }, svg("title", {}, say("move_points", { number, points: how.amount(points) })))), chart.querySelector(".now"));
}
