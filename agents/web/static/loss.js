// What a move lost: its mark and words.

import { el } from "./pages.js";
import { say } from "./words.js";

export const GLYPHS = [[10, "??"], [5, "?"], [2, "?!"]]; // by the points that a move lost, as annotations of chess mark moves
const SHOWN_LOSS = 0.5; // points; a move that lost less is not marked
const TIE = 1e-6; // so that the half of a digit is rounded up, as in words

/** A loss in units of the last digit that the reader sees, to which it is rounded. */
export const inDigits = (lost, { digit }) => Math.round(lost / digit + TIE);

/** Whether a loss is at least so many points in the words that the reader sees. */
const isAtLeast = (lost, least, how) => inDigits(lost, how) >= Math.round((least * how.point) / how.digit);

export const glyphOf = (lost, how) => GLYPHS.find(([least]) => isAtLeast(lost, least, how))?.[1] ?? "";

/** Whether a move lost so much that it is marked. */
export const isMarked = (loss, how) => Boolean(loss) && isAtLeast(loss.points, SHOWN_LOSS, how);

export const lostWords = (lost, how) => `${glyphOf(lost, how)} −${how.amount(lost)}`;

/** The mark of a move in the record; null if it lost nothing worth a mark. */
export const markOf = (loss, how) => (isMarked(loss, how) ? el("span", { class: "lost", title: say("points_lost") }, lostWords(loss.points, how)) : null);

/** A mark of the only good move: the second best would have been a mistake; null for others. */
export function onlyOf(loss, how) {
  const isOnly = loss && GLYPHS.slice(0, 2).some(([, glyph]) => glyphOf(loss.margin, how) === glyph);
  return isOnly ? el("span", { class: "only", title: say("only_good") }, "!") : null;
}
