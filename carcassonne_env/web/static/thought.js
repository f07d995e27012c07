// The panel of the search: what it expects, and a table of its moves.

import { moveParts } from "./panels.js";
import { $, el, svg } from "./pages.js";

const number = new Intl.NumberFormat("en");
const plain = (points) => points.toFixed(1).replace("-", "−");
const signed = (points) => (points >= 0 ? "+" : "") + plain(points);

/** The search's table. `seen` is { thought, ply, name } or null; `listeners`: change, look, preview, lay. */
export function showThought(seen, shown, listeners, isHere, isAlone, facts) {
  const box = $("thought");
  if (!seen) {
    box.replaceChildren(el("p", { class: "empty" }, "Planners show here what they think. Ask for a hint to see a search of your own position."));
    return;
  }
  const { thought, ply, name } = seen;
  const { change, look } = listeners;
  const { race } = thought;
  const numbers = [
    `${thought.seconds.toFixed(1)} s`,
    thought.iterations ? `${number.format(thought.iterations)} iterations, ${number.format(Math.round(thought.rate))} a second` : null,
    thought.num_nodes ? `${number.format(thought.num_nodes)} nodes` : null,
    race ? `race of ${race.contestants} moves: ${number.format(race.rollouts)} playouts, ${race.num_left} left` : null,
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
    rowsTable(thought, isAlone, facts, isHere ? listeners : null));
}

function toggle(words, isOn, change) {
  const box = el("input", { type: "checkbox", onchange: (event) => change(event.target.checked) });
  box.checked = isOn;
  return el("label", { class: "check" }, box, words);
}

function rowsTable(thought, isAlone, facts, listeners) {
  const total = Math.max(1, ...thought.rows.map((row) => row.visits ?? 0));
  const hasVisits = thought.rows.some((row) => row.visits !== null);
  const rows = thought.rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / total, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${row.margin.toFixed(1)}`;
    const points = isAlone ? plain(row.points) : signed(row.points);
    return el("tr", { class: row.action === thought.action ? "best" : row.is_out ? "out" : "" },
      el("td", {}, moveButton(row, facts, listeners)),
      hasVisits ? el("td", { class: "visits" }, bar, number.format(row.visits ?? 0)) : null,
      el("td", { class: "points" }, `${points}${margin}`, row.is_out ? el("span", { class: "hidden" }, ", out of the race") : null));
  });
  const [title, words] = isAlone ? ["Expected score at the end", "score"] : ["Expected lead at the end", "lead"];
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Moves of the search" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "move"), hasVisits ? el("th", {}, thought.race ? "playouts" : "visits") : null,
      el("th", { title: `${title} in points, with an interval of about 95 %` }, words))),
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
