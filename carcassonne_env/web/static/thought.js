// The search: its panel, with what it expects and a table of its moves, and its picture on the board.

import { corner } from "./board.js";
import { expectsWords } from "./choice.js";
import { moveParts, placementWords } from "./panels.js";
import { $, el, svg } from "./pages.js";
import { showNoThought, showThought } from "./search.js";
import { numeral, say } from "./words.js";

/** The search's panel. `seen` is { thought, ply, name } or null; `listeners`: change, look, preview, lay. */
export function showSearch(seen, shown, listeners, isHere, view, facts) {
  $("thought-title").textContent = seen && !seen.thought.is_hint ? `${say("search")}: ${seen.name}` : say("search");
  if (!seen) return showNoThought();
  const { thought, ply, name } = seen;
  const { change, look } = listeners;
  const isAlone = view.seats.length === 1;
  const what = thought.is_hint ? `${say("hint_for", { name })}:` : thought.is_final ? name : say("thinking", { name });
  const kind = isAlone ? "score" : "lead";
  const sign = (points) => (isAlone || points < 0 ? "" : "+");
  return showThought(thought, {
    who: isHere ? what : say("before_move", { number: ply + 1, what }),
    words: ` ${expectsWords(thought, view)}`,
    more: [el("div", { class: "toggles" },
      toggle(say(isCounted(thought) ? "heat_map" : "heat_strong"), shown.heat, (value) => change("heat", value)),
      toggle(say("expected_line"), shown.line, (value) => change("line", value)),
      isHere ? null : el("button", { onclick: () => look(ply) }, say("show_board")))],
    move: (row) => moveButton(row, facts, listeners.lay, isHere ? undefined : ply),
    show: (row) => listeners.preview(row && canLie(row.move, view) ? row.move : null),
    value: ({ value }) => sign(value) + numeral(value, 1),
    spread: (margin) => numeral(margin, 1),
    head: say(`head_${kind}`),
    title: say(`title_${kind}`),
  });
}

/** Whether the heat map shows shares of the tries, not values, which are no share of anything. */
const isCounted = ({ iterations, race }) => iterations > 0 && !race;

function toggle(words, isOn, change) {
  const box = el("input", { type: "checkbox", onchange: (event) => change(event.target.checked) });
  box.checked = isOn;
  return el("label", { class: "check" }, box, words);
}

/** Whether a move can be shown on the board: on a free cell, or where it was played. */
const canLie = ({ letter, x, y }, { board }) =>
  [undefined, letter].includes(board.find((tile) => tile[1] === x && tile[2] === y)?.[0]);

/** A move of a search; a click lays it, and from elsewhere leads to the position `ply` of the search. */
function moveButton({ move: placement }, facts, lay, ply) {
  const title = placementWords(placement, facts);
  return el("button", { class: "move", title, onclick: () => lay(placement, ply) }, ...moveParts(placement, facts));
}

/** Draws the heat map, of which tiles leave the edge, and the principal variation of a thought; nothing for null. */
export function drawThought(board, thought, shown) {
  const { heat, line, shares } = board.layers;
  const places = shown.heat && thought ? thought.places.filter((place) => place[2] > 0) : [];
  const most = Math.max(0.0001, ...places.map((place) => place[2]));
  const placements = shown.line && thought ? thought.line : [];
  const covered = new Set([...placements.map(({ x, y }) => `${x},${y}`), shown.cell?.join()]);
  heat.replaceChildren(...places.map(([x, y, share]) => {
    const [left, top] = corner([x, y]);
    const opacity = 0.1 + 0.75 * Math.sqrt(share / most);
    const edge = covered.has(`${x},${y}`) ? -9 : 4;
    const size = 100 - 2 * edge;
    return svg("rect", { x: left + edge, y: top + edge, width: size, height: size, rx: 10, opacity });
  }));
  const counted = places.filter((place) => isCounted(thought) && place[2] >= 0.01);
  shares.replaceChildren(...counted.map(([x, y, share]) => {
    const [left, top] = corner([x, y]);
    const below = covered.has(`${x},${y}`) ? 10 : 57;
    return svg("text", { x: left + 50, y: top + below }, `${Math.round(100 * share)}%`);
  }));
  line.replaceChildren(...placements.map((placement, i) => board.dreamt(placement, i)));
}
