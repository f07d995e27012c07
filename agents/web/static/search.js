// The panel of the search: what it expects, and a table of its moves.

import { $, el, svg } from "./pages.js";

const number = new Intl.NumberFormat("en");
const value = (mean) => (mean === null ? "–" : mean.toFixed(3).replace("-", "−"));

/** Shows a thought of a player of this name, or words in its place. */
export function showSearch(thought, name) {
  if (!thought) {
    $("thought").replaceChildren(el("p", { class: "empty" }, "Planners show here what they think. Ask for a hint to see a search of your own position."));
    return;
  }
  const { race } = thought;
  const numbers = [
    `${thought.seconds.toFixed(1)} s`,
    thought.iterations !== null ? `${number.format(thought.iterations)} iterations, ${number.format(Math.round(thought.rate ?? 0))} a second` : null,
    thought.num_nodes ? `${number.format(thought.num_nodes)} nodes` : null,
    race ? `race of ${race.contestants} moves: ${number.format(race.rollouts)} playouts, ${race.num_left} left` : null,
  ].filter(Boolean);
  const who = thought.is_hint ? `Hint for ${name}` : name;
  $("thought").replaceChildren(
    el("p", { class: "who" }, el("b", {}, who), ` expects a return of ${value(thought.value)}`),
    el("p", { class: "facts" }, numbers.join(" · ")),
    thought.line.length ? el("p", { class: "facts" }, `Expected: ${thought.line.join(", ")}`) : "",
    thought.rows.length ? rowsTable(thought) : "");
}

function rowsTable({ rows, action, race }) {
  const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
  const hasVisits = rows.some((row) => row.visits !== null);
  const lines = rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / most, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${row.margin.toFixed(3)}`;
    return el("tr", { class: row.action === action ? "best" : row.is_out ? "out" : "" },
      el("td", {}, row.words),
      hasVisits ? el("td", { class: "visits" }, bar, number.format(row.visits ?? 0)) : null,
      el("td", { class: "points" }, value(row.value) + margin));
  });
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Moves of the search" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "move"), hasVisits ? el("th", {}, race ? "playouts" : "visits") : null,
      el("th", { title: "Expected return of the player to move, with an interval of about 95 %" }, "value"))),
    el("tbody", {}, ...lines)));
}
