// How well each player moved, as far as a game is analysed.

import { GLYPHS, glyphOf, inDigits } from "./loss.js";
import { $, el } from "./pages.js";
import { numeral, say } from "./words.js";

const CHANCE = 2; // percent of winning chance that a point counts as
export const NAMES = { "?!": "inaccuracies", "?": "mistakes", "??": "blunders" };

/**
 * The accuracy of moves in percent: the mean of what each leaves of 100 % by the winning chance that it lost.
 *
 * The formula is that of lichess (lichess.org/page/accuracy), 103.1668 exp(-0.04354 lost) - 3.1669, which leaves 84 % for 4 % of the chance, 64 % for 10 %
 * and 40 % for 20 %. There is no weight for moves in sharp positions, as lichess has. In Carcassonne a point counts as 2 % of the chance, as for the marks:
 * the lead at the end of 60 games between two players "expert" had a standard deviation of 17 points, so that in a level game the chance of a lead rises
 * by 100 % / (17 √(2π)) = 2.3 % a point, and by less when somebody is ahead.
 */
function accuracyOf(losses, { point }) {
  const left = losses.map(({ points }) => 103.1668 * Math.exp((-0.04354 * CHANCE * points) / point) - 3.1669);
  return Math.min(100, Math.max(0, left.reduce((sum, each) => sum + each, 0) / left.length));
}

/** What moves lost in all, by the losses that the reader sees. */
export const lostBy = (losses, how) => how.digit * losses.reduce((sum, { points }) => sum + inDigits(points, how), 0);

/** A table of accuracy, marks and the mean loss of each player. */
export function showSummary(losses, { seats }, how) {
  const marks = GLYPHS.map(([, glyph]) => glyph).reverse();
  const rows = seats.map(({ name }, player) => {
    const own = losses.filter((loss) => loss.player === player && loss.points !== null);
    const counts = marks.map((glyph) => own.filter(({ points }) => glyphOf(points, how) === glyph).length);
    const [accuracy, mean] = own.length ? [`${numeral(accuracyOf(own, how))} %`, how.amount(lostBy(own, how) / own.length, 1)] : ["–", "–"];
    return el("tr", {}, el("th", { scope: "row" }, name), ...[accuracy, ...counts, mean].map((text) => el("td", { class: "points" }, String(text))));
  });
  const heads = [say("accuracy"), ...marks, say("lost_a_move")];
  $("summary").replaceChildren(...(losses.length ? [
    el("thead", {}, el("tr", {}, el("td"), ...heads.map((text) => el("th", { scope: "col", title: NAMES[text] ? say(NAMES[text]) : text === heads[0] ? say("no_loss") : null }, text)))),
    el("tbody", {}, ...rows)] : []));
}
