// The panels beside the board: players, the search, the curve, the record, tiles and features.

import { chip, tilePicture } from "./board.js";
import { $, el, renew, svg } from "./dom.js";

export const KIND = { city: "city", road: "road", cloister: "cloister", farm: "field" };
const SHOWN_LOSS = 0.5;
const DASHES = ["", "7 3", "2 3", "10 3 2 3", "5 5"];
const number = new Intl.NumberFormat("en");
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
const signed = (points) => (points >= 0 ? "+" : "−") + Math.abs(points).toFixed(1);

export function showPlayers(view, facts) {
  $("players").replaceChildren(...view.seats.map((seat, i) => {
    const parts = Object.entries(view.breakdown[i]).map(([kind, points]) => `${KIND[kind]} ${points}`);
    const isNext = view.player === i;
    return el("div", { class: isNext ? "player next" : "player" },
      chip(i, facts.colours),
      el("span", { class: "name" }, seat.name, isNext ? el("span", { class: "hidden" }, ", to move") : null),
      el("strong", { class: "score", title: "Points" }, String(view.scores[i]), el("span", { class: "hidden" }, " points")),
      el("span", { class: "parts" }, parts.join(" · ")),
      view.result ? null : el("span", { class: "forecast" },
        `${plural(view.in_hand[i], "meeple")} in hand · about ${Math.round(view.forecast[i])} at the end`));
  }));
}

export function showBag(view) {
  const left = Object.entries(view.bag).filter(([, count]) => count > 0);
  const coming = view.order ? [...view.order.trim()] : [];
  $("bag-title").textContent = coming.length ? "Tiles to come, in order" : "Tiles left";
  $("bag-empty").hidden = left.length > 0;
  if (coming.length) {
    const items = coming.map((letter, i) => [letter, coming.length - i]);
    renew($("bag"), items, String, ([letter]) => el("span", { class: "left" }, tilePicture(letter)));
  } else {
    renew($("bag"), left, ([letter]) => letter, ([letter]) => el("span", { class: "left" }, tilePicture(letter), el("b")));
    left.forEach(([, count], i) => ($("bag").children[i].lastChild.textContent = String(count)));
  }
}

export function regionWords(region, view, isLong = true) {
  const tiles = new Set(region.parts.map(([x, y]) => `${x},${y}`)).size;
  const holders = region.meeples
    .map((count, i) => (count ? `${view.seats[i].name}: ${plural(count, "meeple")}` : ""))
    .filter(Boolean);
  const size = region.kind === "cloister" ? "" : `, ${plural(tiles, "tile")}`;
  const state = region.is_complete ? "complete" : holders.length ? holders.join(", ") : "nobody’s";
  const worth = region.is_complete && region.kind !== "farm"
    ? `scored ${plural(region.points, "point")}`
    : plural(region.points, "point") + (isLong ? " if the game ended now" : "");
  return `${KIND[region.kind]}${size} · ${state} · ${worth}`;
}

export function showRegions(view, facts, light) {
  const held = view.regions.map((region, i) => [region, i]).filter(([region]) => region.owners.length);
  held.sort(([a], [b]) => b.points - a.points);
  $("regions").replaceChildren(...(held.length ? held.map(([region, i]) =>
    el("button", {
      class: "region", onpointerenter: () => light(i), onpointerleave: () => light(null),
      onfocus: () => light(i), onblur: () => light(null), onclick: () => light(i),
    }, ...region.owners.map((player) => chip(player, facts.colours)), regionWords(region, view, false))) :
    [el("p", { class: "empty" }, "No meeple is on the board.")]));
}

/** The moves played; `lossOf(number)` is what a move lost, or undefined. */
export function showRecord(view, facts, look, lossOf) {
  const lines = view.record.map((line, i) => ({ line, i, points: line.points, lost: lossOf(i + 1)?.points ?? 0 })).reverse();
  if (view.final_points.some((points) => points)) lines.unshift({ points: view.final_points });
  renew($("record"), lines, (item) => JSON.stringify([item, view.seats]), ({ line, i, points, lost }) => {
    const gains = points.map((gained, player) => [player, gained]).filter(([, gained]) => gained)
      .map(([player, gained]) => el("b", {}, `+${gained} ${view.seats[player].name}`));
    if (!line) return el("li", { class: "move" }, "final scoring", ...gains);
    return el("li", {}, el("button", { class: "move", onclick: () => look(i + 1) },
      chip(line.placement.player, facts.colours), ...moveParts(line.placement, facts), ...gains,
      lost >= SHOWN_LOSS ? el("span", { class: "lost", title: "Points lost" }, `−${lost.toFixed(1)}`) : null));
  });
  const slider = $("ply");
  slider.max = view.last_ply;
  slider.value = view.ply;
  slider.setAttribute("aria-valuetext", `after ${plural(view.ply, "move")}`);
  $("first").disabled = $("before").disabled = view.ply === 0;
  $("last").disabled = $("after").disabled = view.ply === view.last_ply;
}

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

/** A move as a small picture: the tile as it lies, the cell, and the feature that gets a meeple. */
function moveParts({ letter, x, y, rotation, slot }, facts) {
  const kind = slot ? KIND[facts.tiles[letter].kinds[slot - 1]] : "–";
  return [tilePicture(letter, rotation, `Tile ${letter}`), `${x}, ${y}`.replaceAll("-", "−"), el("span", { class: "kind" }, kind)];
}

export function showCurve(view, facts, look) {
  const chart = $("curve");
  const [left, right, top, bottom] = [30, 318, 8, 130];
  const values = view.curve.flat();
  const [low, high] = [Math.floor(Math.min(...values) / 10) * 10, Math.ceil(Math.max(...values, 10) / 10) * 10];
  const moves = Math.max(view.num_tiles - 1, 1);
  const x = (ply) => left + ((right - left) * ply) / moves;
  const y = (points) => bottom - ((bottom - top) * (points - low)) / Math.max(high - low, 1);
  const ticks = [low, (low + high) / 2, high];
  const last = view.curve.length - 1;
  chart.replaceChildren(
    ...ticks.map((points) => svg("g", { class: "tick" },
      svg("path", { d: `M${left} ${y(points)}H${right}` }), svg("text", { x: left - 4, y: y(points) + 3.5 }, String(Math.round(points))))),
    svg("text", { class: "axis", x: left, y: 146 }, "0"),
    svg("text", { class: "axis", x: right, y: 146 }, `${moves} moves`),
    svg("path", { class: "now", d: `M${x(view.ply)} ${top}V${bottom}` }),
    ...view.seats.map((_, player) => svg("g", { class: "series" },
      svg("path", { class: "halo", d: path(view.curve, player, x, y) }),
      svg("path", {
        d: path(view.curve, player, x, y), stroke: facts.colours[player], "stroke-dasharray": DASHES[player],
      }),
      svg("circle", { cx: x(last), cy: y(view.curve[last][player]), r: 6.5, fill: facts.colours[player] }),
      svg("text", { class: `mark mark-${player}`, x: x(last), y: y(view.curve[last][player]) + 3.5 }, String(player + 1)))));
  chart.onclick = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(chart.getScreenCTM().inverse());
    look(Math.min(last, Math.max(0, Math.round(((at.x - left) / (right - left)) * moves))));
  };
  const words = view.seats.map((seat, i) => `${seat.name} ${Math.round(view.curve[view.ply][i])}`).join(", ");
  chart.setAttribute("aria-label", `Expected final score after move ${view.ply}: ${words}`);
}

function path(curve, player, x, y) {
  return curve.map((scores, ply) => `${ply ? "L" : "M"}${x(ply).toFixed(1)} ${y(scores[player]).toFixed(1)}`).join("");
}
