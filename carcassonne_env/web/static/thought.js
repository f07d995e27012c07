// The panel of the search: what it expects, and a table of its moves.

import { moveParts } from "./panels.js";
import { $, el, svg } from "./pages.js";

const number = new Intl.NumberFormat("en");
const signed = (points) => (points >= 0 ? "+" : "−") + Math.abs(points).toFixed(1);

/** The search's table. `seen` is { thought, ply, name } or null; `listeners`: change, look, preview, lay. */
export function showThought(seen, shown, listeners, isHere, facts) {
  const box = $("thought");
  if (!seen) {
    box.replaceChildren(el("p", { class: "empty" }, "Planners show here what they think. Ask for a hint to see a search of your own position."));
    return;
  }
  const { thought, ply, name } = seen;
  const { change, look } = listeners;
  const rate = thought.iterations ? thought.iterations / Math.max(thought.seconds, 1e-3) : 0;
  const numbers = [
    `${thought.seconds.toFixed(1)} s`,
    thought.iterations ? `${number.format(thought.iterations)} iterations, ${number.format(Math.round(rate))} a second` : null,
    thought.num_nodes ? `${number.format(thought.num_nodes)} nodes` : null,
  ].filter(Boolean);
  const who = thought.is_hint ? `Hint for ${name}` : name;
  const verb = thought.is_hint ? "" : thought.is_final ? " " : " thinks: ";
  box.replaceChildren(
    el("p", { class: "who" }, el("b", {}, who), thought.is_hint ? ": " : verb, thought.words),
    el("p", { class: "facts" }, numbers.join(" · ")),
    el("div", { class: "toggles" },
      toggle("Heat map", shown.heat, (value) => change("heat", value)),
      toggle("Expected line", shown.line, (value) => change("line", value)),
      isHere ? null : el("button", { onclick: () => look(ply) }, "Show on the board")),
    rowsTable(thought, facts, isHere ? listeners : null));
}

function toggle(words, isOn, change) {
  const box = el("input", { type: "checkbox", onchange: (event) => change(event.target.checked) });
  box.checked = isOn;
  return el("label", { class: "check" }, box, words);
}

function rowsTable(thought, facts, listeners) {
  const total = Math.max(1, ...thought.rows.map((row) => row.visits ?? 0));
  const hasVisits = thought.rows.some((row) => row.visits !== null);
  const rows = thought.rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / total, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${row.margin.toFixed(1)}`;
    return el("tr", { class: row.action === thought.action ? "best" : "" },
      el("td", {}, moveButton(row, facts, listeners)),
      hasVisits ? el("td", { class: "visits" }, bar, number.format(row.visits ?? 0)) : null,
      el("td", { class: "points" }, `${signed(row.points)}${margin}`));
  });
  const lead = "Expected lead in points, with an interval of about 95 %";
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Moves of the search" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "move"), hasVisits ? el("th", {}, "visits") : null, el("th", { title: lead }, "points"))),
    el("tbody", {}, ...rows)));
}

/** A move of a search; it shows on the board where the pointer or the focus is on it. */
function moveButton({ placement, words }, facts, listeners) {
  const shows = listeners ? {
    onpointerenter: () => listeners.preview(placement), onpointerleave: () => listeners.preview(null),
    onfocus: () => listeners.preview(placement), onblur: () => listeners.preview(null),
    onclick: () => listeners.lay(placement),
  } : {};
  return el("button", { class: "move", title: words, ...shows }, ...moveParts(placement, facts));
}
