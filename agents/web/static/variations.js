// The variations of a game that live at the server, in the list of its moves.

import { $, el } from "./pages.js";
import { say } from "./words.js";

const SHOWN = 3; // moves of a variation

/** Shows each variation as a link under the move at which it leaves the game. */
export function showVariations(variations, how) {
  const current = $("record").querySelector("[aria-current]");
  const before = current?.offsetTop;
  for (const each of $("record").querySelectorAll(".variation")) each.remove();
  for (const { game, ply, moves } of variations) {
    const item = $("record").children[ply] ?? $("record").lastElementChild; // moves of the game may be taken back
    item?.append(el("a", { class: "variation move", href: `#${game}`, title: say("variation") },
      el("span", { class: "number" }, `${ply + 1}.`), ...moves.slice(0, SHOWN).flatMap(how.line), moves.length > SHOWN ? "…" : ""));
  }
  if (current) $("record").scrollTop += current.offsetTop - before; // the move that is shown stays where it is
}
