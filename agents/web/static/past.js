// The position of a game that is seen, among all of them: a slider, buttons that step through the game, and its moves.

import { isMarked, markOf, onlyOf } from "./loss.js";
import { $, el, renew } from "./pages.js";
import { say } from "./words.js";

const PHONE = matchMedia(
  "(max-width: 46rem) and (orientation: portrait), (max-height: 30rem) and (orientation: landscape)");

/** Calls `place(isPhone)`, now and when that changes; a phone is upright or on its side. */
export function onPhone(place) {
  PHONE.onchange = () => place(PHONE.matches);
  place(PHONE.matches);
}

/** Shows the position after `ply` of `last` moves in the slider, and enables the buttons that lead to another one. */
function showSteps(ply, last) {
  Object.assign($("ply"), { max: last, value: ply });
  $("ply").setAttribute("aria-valuetext", say("after_moves", { count: ply }));
  $("first").disabled = $("before").disabled = ply === 0;
  $("last").disabled = $("after").disabled = ply === last;
}

/**
 * Shows where the reader is in a game, and all moves: the one before the position, or the one that is compared, is
 * marked. A click shows the position after a move, but before one that is marked as a loss.
 *
 * `how` says how losses are told, see analysis.js, and `lossOf(number)` what a move lost, or undefined.
 */
export function showRecord(view, how, look, lossOf) {
  const { record, final_points: finals, seats, ply, last_ply: last } = view;
  const lines = record.map((line, i) => ({ line, number: i + 1, loss: lossOf(i + 1) }));
  if (finals?.some((points) => points)) lines.push({ line: { points: finals } });
  renew($("record"), lines, (item) => JSON.stringify([item, seats]), ({ line, number, loss }) => {
    const parts = how.recorded(line, number, seats);
    if (!number) return el("li", { class: "move" }, ...parts);
    const mark = markOf(loss, how);
    const onclick = () => look(mark ? number - 1 : number);
    return el("li", {}, el("button", { class: how.row, onclick }, ...parts, mark, onlyOf(loss, how)));
  });
  const buttons = [...$("record").querySelectorAll("button")];
  const shown = isMarked(lossOf(ply + 1), how) ? ply : ply - 1;
  buttons.forEach((button, i) => {
    if (i === shown) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.classList.toggle("later", i >= ply);
  });
  scrollList(buttons[shown], `${ply}/${last}`);
  showSteps(ply, last);
}

/** Scrolls the list, but not the page, to the button of a move when the position `at` is a new one. */
function scrollList(button, at) {
  const list = $("record");
  const top = button ? button.parentNode.offsetTop - list.offsetTop - list.clientHeight / 2 : 0;
  if (list.at !== at) list.scrollTop = top;
  list.at = at;
}
