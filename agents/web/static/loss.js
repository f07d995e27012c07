// What a move lost: its mark and words.

import { el } from "./pages.js";
import { say } from "./words.js";

export const GLYPHS = [[10, "??"], [5, "?"], [2, "?!"]]; // by the points that a move lost, as annotations of chess mark moves
const SHOWN_LOSS = 0.5; // points; a move that lost less is not marked

// In what follows, `how` says how a game tells losses: what a `point` is in the units of the server, the words `amount(loss, digits)`
// of a loss (a game may ignore the digits) and `what` is lost, the `colour(player)`, a picture `chip(player)`, the words `named(move)` of a move, the
// `style` of those of a better one, and what the record shows of a move, short: `line(move)`.

export const glyphOf = (lost, { point }) => GLYPHS.find(([least]) => lost >= least * point)?.[1] ?? "";

/** Whether a move lost so much that it is marked. */
export const isMarked = (loss, { point }) => loss?.points >= SHOWN_LOSS * point;

export const lostWords = (lost, how) => `${glyphOf(lost, how)} −${how.amount(lost)}`;

/** The mark of a move in the record; null if it lost nothing worth a mark. */
export const markOf = (loss, how) => (isMarked(loss, how) ? el("span", { class: "lost", title: say("points_lost") }, lostWords(loss.points, how)) : null);
