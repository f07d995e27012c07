// The variations of a game, in the list of its moves.

import { glyphOf, isMarked } from "./loss.js";
import { $, el } from "./pages.js";
import { say } from "./words.js";

const SHOWN = 3; // moves of a variation that can be opened; of others all are shown
let focused = null; // the variation whose link has the focus, which it keeps when the list is drawn anew
$("record").addEventListener("focusin", ({ target }) => (focused = target.closest(".variation")?.hash ?? null));

/** Shows each variation under the move at which it leaves the game, as a link to its game if that lives at the server. */
export function showVariations(variations, how) {
  const current = $("record").querySelector("[aria-current]");
  const before = current?.offsetTop;
  for (const each of $("record").querySelectorAll(".variation")) each.remove();
  for (const { game, ply, moves, losses } of variations) {
    const item = $("record").children[ply] ?? $("record").lastElementChild; // it may go on after the end of a game that was given up
    const shown = game ? moves.slice(0, SHOWN) : moves;
    const parts = shown.flatMap((move, i) => [...how.line(move), verdict(losses.find(({ number }) => number === ply + i + 1), how)]);
    item?.append(el(game ? "a" : "p", { class: "variation move", href: game ? `#${game}` : null },
      el("span", { class: "kind" }, say("variation")),
      el("span", { class: "number" }, `${ply + 1}.`), ...parts, moves.length > shown.length ? "…" : ""));
  }
  if (document.activeElement === document.body) $("record").querySelector(`a[href$="${focused}"]`)?.focus({ preventScroll: true });
  if (current) $("record").scrollTop += current.offsetTop - before; // the move that is shown stays where it is
}

/** The mark of a move that was analysed, or that it is as good as the best one. */
function verdict(loss, how) {
  if (!loss || loss.points === null) return null;
  const mark = glyphOf(loss.points, how) || (isMarked(loss, how) ? "" : "✓");
  return el("b", { class: "verdict", title: `${say("points_lost")}: ${how.amount(loss.points)}` }, mark);
}
