// The panel of the search: what a thought expects, and a table of its moves.

import { $, el, svg, whilePointed } from "./pages.js";
import { numeral, say } from "./words.js";

const SHORT = 0.1; // seconds of a search whose rate says little

/**
 * Shows a thought: `who` searched, in bold, `words` after that, what the search did, elements `more`, and
 * the best moves.
 *
 * `move(row)` and `value(row)` return what the row of a move shows, and `spread(margin)` the words of a margin;
 * `show(row)` shows its move on the board while it is pointed at or focused, null after that. `head` is the head of the
 * values, and `title` what they are.
 */
export function showThought(thought, { who, words, more, ...table }) {
  $("thought").replaceChildren(
    el("p", { class: "who" }, el("b", {}, who), words),
    effort(thought),
    ...more,
    thought.rows.length ? rowsTable(thought, table) : "");
}

export function showNoThought() { $("thought").replaceChildren(el("p", { class: "empty" }, say("no_thought"))); }

/** How long the search took and what it did. */
function effort({ seconds, iterations, rate, num_nodes: nodes, race }) {
  const pace = seconds < SHORT ? "" : `, ${say("a_second", { rate: numeral(rate) })}`;
  const numbers = [
    `${numeral(seconds, 1)} s`,
    iterations ? say("iterations", { count: numeral(iterations) }) + pace : null,
    nodes ? say("nodes", { count: numeral(nodes) }) : null,
    race ? say("race", { count: race.contestants, rollouts: numeral(race.rollouts), left: race.num_left }) : null,
  ];
  return el("p", { class: "facts" }, numbers.filter(Boolean).join(" · "));
}

function rowsTable({ rows, action, race }, { move, value, spread, head, title, show }) {
  const most = Math.max(1, ...rows.map((row) => row.visits ?? 0));
  const hasVisits = rows.some((row) => row.visits !== null);
  const lines = rows.map((row) => {
    const bar = svg("svg", { class: "bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
      svg("rect", { width: (100 * (row.visits ?? 0)) / most, height: 10 }));
    const margin = row.margin === null ? "" : ` ± ${spread(row.margin)}`;
    const out = row.is_out ? el("span", { class: "hidden" }, `, ${say("out")}`) : null;
    return el("tr", { class: row.action === action ? "best" : row.is_out ? "out" : "", ...whilePointed(show, row) },
      el("td", {}, move(row)),
      hasVisits ? el("td", { class: "visits" }, bar, numeral(row.visits ?? 0)) : null,
      el("td", { class: "points" }, value(row) + margin, out));
  });
  const heads = el("tr", {}, el("th", {}, say("head_move")),
    hasVisits ? el("th", {}, say(race ? "playouts" : "visits")) : null,
    el("th", { title: say("interval", { title }) }, head));
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": say("in_search") },
    el("table", {}, el("thead", {}, heads), el("tbody", {}, ...lines)));
}
