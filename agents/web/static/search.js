// The panel of the search: what a thought expects, and a table of its moves.

import { $, el, svg, whilePointed } from "./pages.js";
import { numeral, say } from "./words.js";

const SHORT = 0.1; // seconds of a search whose rate says little

/** Shows the parts of a thought, or words in their place. */
export function showParts(...parts) {
  $("thought").replaceChildren(...(parts.length ? parts :
    [el("p", { class: "empty" }, say("no_thought"))]));
}

/** How long the search took and what it did. */
export function effort({ seconds, iterations, rate, num_nodes: nodes, race }) {
  const numbers = [
    `${numeral(seconds, 1)} s`,
    iterations ? say("iterations", { count: numeral(iterations) }) + (seconds < SHORT ? "" : `, ${say("a_second", { rate: numeral(rate) })}`) : null,
    nodes ? say("nodes", { count: numeral(nodes) }) : null,
    race ? say("race", { count: race.contestants, rollouts: numeral(race.rollouts), left: race.num_left }) : null,
  ];
  return el("p", { class: "facts" }, numbers.filter(Boolean).join(" · "));
}

/** The best moves: `move(row)` and `value(row)` return what a row shows, and `spread(margin)` the words of a margin; `show(row)` shows its move on the board while it is pointed at or focused, null after that. */
export function rowsTable({ rows, action, race }, { move, value, spread, head, title, show }) {
  const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
  const hasVisits = rows.some((row) => row.visits !== null);
  const lines = rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / most, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${spread(row.margin)}`;
    return el("tr", { class: row.action === action ? "best" : row.is_out ? "out" : "", ...whilePointed(show, row) },
      el("td", {}, move(row)),
      hasVisits ? el("td", { class: "visits" }, bar, numeral(row.visits ?? 0)) : null,
      el("td", { class: "points" }, value(row) + margin, row.is_out ? el("span", { class: "hidden" }, `, ${say("out")}`) : null));
  });
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": say("in_search") }, el("table", {},
    el("thead", {}, el("tr", {}, el("th", {}, say("head_move")), hasVisits ? el("th", {}, say(race ? "playouts" : "visits")) : null,
      el("th", { title: say("interval", { title }) }, head))),
    el("tbody", {}, ...lines)));
}
