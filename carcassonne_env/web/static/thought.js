// The panel of the search: what it expects, and a table of its moves.

import { expectsWords } from "./choice.js";
import { moveParts, placementWords } from "./panels.js";
import { $, el } from "./pages.js";
import { effort, rowsTable, showParts } from "./search.js";
import { numeral, say } from "./words.js";

/** The search's table. `seen` is { thought, ply, name } or null; `listeners`: change, look, preview, lay. */
export function showThought(seen, shown, listeners, isHere, view, facts) {
  $("thought-title").textContent = seen && !seen.thought.is_hint ? `${say("search")}: ${seen.name}` : say("search");
  if (!seen) return showParts();
  const { thought, ply, name } = seen;
  const { change, look } = listeners;
  const isAlone = view.seats.length === 1;
  const what = thought.is_hint ? `${say("hint_for", { name })}:` : thought.is_final ? name : say("thinking", { name });
  const who = isHere ? what : say("before_move", { number: ply + 1, what });
  const kind = isAlone ? "score" : "lead";
  const sign = (points) => (isAlone || points < 0 ? "" : "+");
  return showParts(
    el("p", { class: "who" }, el("b", {}, who), ` ${expectsWords(thought, view)}`),
    effort(thought),
    el("div", { class: "toggles" },
      toggle(say(thought.iterations && !thought.race ? "heat_map" : "heat_strong"), shown.heat, (value) => change("heat", value)),
      toggle(say("expected_line"), shown.line, (value) => change("line", value)),
      isHere ? null : el("button", { onclick: () => look(ply) }, say("show_board"))),
    rowsTable(thought, {
      move: (row) => moveButton(row, facts, listeners.lay, isHere ? undefined : ply), show: (row) => listeners.preview(row && canLie(row.move, view) ? row.move : null), value: ({ value }) => sign(value) + numeral(value, 1),
      spread: (margin) => numeral(margin, 1), head: say(`head_${kind}`), title: say(`title_${kind}`),
    }));
}

function toggle(words, isOn, change) {
  const box = el("input", { type: "checkbox", onchange: (event) => change(event.target.checked) });
  box.checked = isOn;
  return el("label", { class: "check" }, box, words);
}

/** Whether a move can be shown on the board: on a free cell, or where it was played. */
const canLie = ({ letter, x, y }, { board }) => [undefined, letter].includes(board.find((tile) => tile[1] === x && tile[2] === y)?.[0]);

/** A move of a search; a click lays it, and from elsewhere leads to the position `ply` of the search. */
function moveButton({ move: placement }, facts, lay, ply) {
  return el("button", { class: "move", title: placementWords(placement, facts), onclick: () => lay(placement, ply) }, ...moveParts(placement, facts));
}
