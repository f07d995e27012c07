// The panel of the search: what it expects, and a table of its moves.

import { moveParts, whilePointed } from "./panels.js";
import { el } from "./pages.js";
import { effort, fixed, rowsTable, showParts } from "./search.js";

/** The search's table. `seen` is { thought, ply, name } or null; `listeners`: change, look, preview, lay. */
export function showThought(seen, shown, listeners, isHere, isAlone, facts) {
  if (!seen) return showParts();
  const { thought, ply, name } = seen;
  const { change, look } = listeners;
  const [who, verb] = thought.is_hint ? [`Hint for ${name}`, ": "] : [name, thought.is_final ? " " : " thinks: "];
  const [head, title] = isAlone ? ["score", "Expected score"] : ["lead", "Expected lead"];
  const sign = (points) => (isAlone || points < 0 ? "" : "+");
  return showParts(
    el("p", { class: "who" }, el("b", {}, who), verb, thought.words),
    effort(thought),
    el("div", { class: "toggles" },
      toggle("Heat map", shown.heat, (value) => change("heat", value)),
      toggle("Expected line", shown.line, (value) => change("line", value)),
      isHere ? null : el("button", { onclick: () => look(ply) }, "Show on the board")),
    rowsTable(thought, {
      move: (row) => moveButton(row, facts, isHere ? listeners : null), value: ({ points }) => sign(points) + fixed(points, 1),
      digits: 1, head, title: `${title} at the end in points`,
    }));
}

function toggle(words, isOn, change) {
  const box = el("input", { type: "checkbox", onchange: (event) => change(event.target.checked) });
  box.checked = isOn;
  return el("label", { class: "check" }, box, words);
}

/** A move of a search; it shows on the board where the pointer or the focus is on it. */
function moveButton({ placement, words }, facts, listeners) {
  const shows = listeners ? { ...whilePointed(listeners.preview, placement), onclick: () => listeners.lay(placement) } : {};
  return el("button", { class: "move", title: words, ...shows }, ...moveParts(placement, facts));
}
