// The panel of the search: what a thought expects, and a table of its moves.

import { $, el, svg } from "./pages.js";

const number = new Intl.NumberFormat("en");

/** A number with so many digits and a minus sign. */
export const fixed = (value, digits) => value.toFixed(digits).replace("-", "−");

/** Shows the parts of a thought, or words in their place. */
export function showParts(...parts) {
  $("thought").replaceChildren(...(parts.length ? parts :
    [el("p", { class: "empty" }, "Planners show here what they think. Ask for a hint to see a search of your own position.")]));
}

/** How long the search took and what it did. */
export function effort({ seconds, iterations, rate, num_nodes: nodes, race }) {
  const numbers = [
    `${seconds.toFixed(1)} s`,
    iterations ? `${number.format(iterations)} iterations, ${number.format(Math.round(rate))} a second` : null,
    nodes ? `${number.format(nodes)} nodes` : null,
    race ? `race of ${race.contestants} moves: ${number.format(race.rollouts)} playouts, ${race.num_left} left` : null,
  ];
  return el("p", { class: "facts" }, numbers.filter(Boolean).join(" · "));
}

/** The best moves: `move(row)` and `value(row)` return what a row shows, the value with so many `digits` of its margin. */
export function rowsTable({ rows, action, race }, { move, value, digits, head, title }) {
  const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
  const hasVisits = rows.some((row) => row.visits !== null);
  const lines = rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / most, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${row.margin.toFixed(digits)}`;
    return el("tr", { class: row.action === action ? "best" : row.is_out ? "out" : "" },
      el("td", {}, move(row)),
      hasVisits ? el("td", { class: "visits" }, bar, number.format(row.visits ?? 0)) : null,
      el("td", { class: "points" }, value(row) + margin, row.is_out ? el("span", { class: "hidden" }, ", out of the race") : null));
  });
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Moves of the search" }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, "move"), hasVisits ? el("th", {}, race ? "playouts" : "visits") : null,
      el("th", { title: `${title}, with an interval of about 95 %` }, head))),
    el("tbody", {}, ...lines)));
}
