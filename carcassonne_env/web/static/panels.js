// The panels beside the board and their tabs: players, the record, tiles and features.

import { chip, figure, movePicture, tilePicture } from "./pieces.js";
import { $, el, isCoarse, renew, svg, use, whilePointed } from "./pages.js";
import { onPhone } from "./past.js";
import { numeral, say } from "./words.js";

const NEXT = 3; // tiles to come that stand at the hand
const TABS = ["game", "analysis"];

export function showPlayers(view, facts) {
  const isAlone = view.seats.length === 1 && !view.is_over && view.forecast;
  $("players").replaceChildren(...view.seats.map((seat, i) => {
    const parts = Object.entries(view.breakdown[i]).map(([kind, points]) => `${say(`kind_${kind}`)} ${points}`);
    const isNext = view.player === i;
    return el("div", { class: isNext ? "player next" : "player" },
      chip(i, facts.colours),
      el("span", { class: "name" }, seat.name, isNext ? el("span", { class: "hidden" }, `, ${say("to_move")}`) : null),
      el("strong", { class: "score", title: say("points_title") },
        String(view.scores[i]), el("span", { class: "hidden" }, ` ${say("points")}`)),
      el("span", { class: "parts" }, parts.join(" · ")),
      el("span", { class: "forecast" }, ...hands(view.in_hand[i], i, facts),
        isAlone ? say("expected_score", { points: Math.round(view.forecast[i]) }) : null));
  }));
  showLead(view, facts);
  $("scores").replaceChildren(...view.seats.map((seat, i) =>
    el("span", { class: view.player === i ? "next" : "", title: seat.name },
      chip(i, facts.colours), el("span", { class: "name" }, seat.name), el("b", {}, String(view.scores[i])),
      view.is_over ? null : handCount(view.in_hand[i], i, facts))));
}

/** The meeples in a player's hand. */
function hands(count, player, { colours }) {
  const figures = Array.from({ length: count }, (_, i) => use("meeple", { fill: colours[player], x: 14 + 27 * i }));
  const viewBox = `0 -14 ${27 * count + 2} 28`;
  const picture = svg("svg", { class: "hands", viewBox, "aria-hidden": "true" }, ...figures);
  return count ? [picture, el("span", { class: "hidden" }, say("in_hand", { count }))] : [say("no_meeple_in_hand")];
}

/** Their number, which needs less room. */
function handCount(count, player, { colours }) {
  return el("span", { class: "count" }, figure(player, colours),
    el("span", { "aria-hidden": "true" }, String(count)), el("span", { class: "hidden" }, say("in_hand", { count })));
}

/** A bar of the expected final scores, at the end of the scores. */
function showLead({ seats, forecast, scores, is_over: isOver }, { colours }) {
  $("lead").hidden = $("lead-title").hidden = seats.length === 1;
  if ($("lead").hidden) return;
  const points = (isOver ? scores : forecast).map(Math.round);
  $("lead-title").textContent = say(isOver ? "points_title" : "expected");
  const words = `${$("lead-title").textContent}: ${seats.map((seat, i) => `${seat.name} ${points[i]}`).join(", ")}`;
  $("lead").setAttribute("aria-label", words);
  $("lead").title = words;
  if ($("lead").children.length !== seats.length) $("lead").replaceChildren(...seats.map(() => el("span")));
  [...$("lead").children].forEach((part, i) => {
    part.className = [1, 2, 4].includes(i) ? "on-light" : "";
    part.style.background = colours[i];
    part.style.flexGrow = Math.max(points[i], 1);
    part.textContent = points[i];
  });
}

export function showBag(view) {
  const left = Object.entries(view.bag).filter(([, count]) => count > 0);
  const coming = view.order ? [...view.order.trim()] : [];
  $("bag-title").textContent = say(coming.length ? "tiles_to_come" : "tiles_left");
  $("bag-empty").hidden = left.length > 0;
  $("coming").replaceChildren(...coming.slice(0, NEXT).map((letter) => tilePicture(letter)));
  if (coming.length) {
    const items = coming.map((letter, i) => [letter, coming.length - i]);
    renew($("bag"), items, String, ([letter]) => el("span", { class: "left" }, tilePicture(letter)));
  } else {
    const picture = ([letter]) => el("span", { class: "left" }, tilePicture(letter), el("b"));
    renew($("bag"), left, ([letter]) => letter, picture);
    left.forEach(([, count], i) => ($("bag").children[i].lastChild.textContent = String(count)));
  }
}

/** The kind of a feature and its size. */
export function regionName({ kind, num_tiles: count }) {
  const words = say(`kind_${kind}`);
  return kind === "cloister" ? words : say("size", { kind: words, count });
}

export function regionWords(region, view, isLong = true) {
  const holders = region.meeples
    .map((count, i) => (count ? `${view.seats[i].name}: ${say("num_meeples", { count })}` : ""))
    .filter(Boolean);
  const state = region.is_complete ? say("complete") : holders.length ? holders.join(", ") : say("nobodys");
  const points = say("num_points", { count: region.points });
  const isScored = region.is_complete && region.kind !== "farm";
  const worth = isScored ? say("scored", { points }) : isLong && !view.is_over ? say("if_ended", { points }) : points;
  return `${regionName(region)} · ${state} · ${worth}`;
}

/** The kind of the feature of a slot of a tile, in words. */
export function kindOf(slot, letter, { tiles }) { return say(`kind_${tiles[letter].kinds[slot - 1]}`); }

/** Where a move puts a meeple on its tile. */
export function meepleWords(slot, letter, { tiles }) {
  return say(`meeple_${slot ? tiles[letter].kinds[slot - 1] : "none"}`);
}

/** Where a move puts its tile and its meeple. */
export function placementWords({ x, y, rotation, slot, letter }, facts) {
  return say("lies", { x: numeral(x), y: numeral(y), angle: 90 * rotation, meeple: meepleWords(slot, letter, facts) });
}

export function showRegions(view, facts, light) {
  const held = view.regions.map((region, i) => [region, i]).filter(([region]) => region.owners.length);
  held.sort(([a], [b]) => b.points - a.points);
  const buttons = held.map(([region, i]) =>
    el("button", { class: "region", ...whilePointed(light, i), onclick: () => light(i) },
      ...region.owners.map((player) => chip(player, facts.colours)), regionWords(region, view, false)));
  $("regions").replaceChildren(...(held.length ? buttons : [el("p", { class: "empty" }, say("no_meeple_on_board"))]));
}

/** How losses are told; see analysis.js. */
export const lossesIn = (facts) => ({
  point: 1,
  digit: 0.1,
  amount: (points, more = 0) => numeral(points, 1 + more),
  colour: (player) => facts.colours[player],
  chip: (player) => chip(player, facts.colours),
  named: (move) => placementWords(move, facts),
  brief: ({ x, y, slot, letter }) =>
    (isCoarse() ? "" : `(${numeral(x)}, ${numeral(y)}), `) + meepleWords(slot, letter, facts),
  line: ({ placement }) => moveParts(placement, facts).filter((_, i) => i !== (isCoarse() ? 1 : 2)),
  recorded: (line, number, seats) => [...playedParts(line, number, facts), ...gains(line.points, seats)],
  row: "move",
  style: "hidden", // the board shows it
});

/** A move of the record, or words for the points at the end, which no move has made. */
function playedParts({ placement }, number, facts) {
  if (!placement) return [say("final_scoring")];
  const { player } = placement;
  return [el("span", { class: "number" }, `${number}.`), chip(player, facts.colours), ...moveParts(placement, facts)];
}

/** The points that players have got. */
function gains(points, seats) {
  return points.flatMap((gained, player) => (gained ? [el("b", {}, `+${gained} ${seats[player].name}`)] : []));
}

/** A move as a small picture: the tile as it lies, the cell, and the feature that gets a meeple. */
export function moveParts(placement, facts) {
  const { letter, x, y, slot } = placement;
  const kind = slot ? kindOf(slot, letter, facts) : say("no_meeple");
  const cell = el("span", { class: "cell" }, `${numeral(x)}, ${numeral(y)}`);
  return [movePicture(placement, facts), cell, el("span", { class: "kind" }, kind)];
}

// Tabs: one panel is shown at a time

export function startTabs() {
  for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  $("tabs").addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = TABS.find((name) => $(`tab-${name}`) !== document.activeElement);
    chooseTab(other);
    $(`tab-${other}`).focus();
    event.stopPropagation();
  });
}

export const chosenTab = () => TABS.find((name) => !$(`panel-${name}`).hidden);

export function chooseTab(chosen) {
  for (const name of TABS) {
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === chosen));
    tab.tabIndex = name === chosen ? 0 : -1;
    $(`panel-${name}`).hidden = name !== chosen;
  }
}

// On a phone the buttons that step through the game and those of the view are at the turn, the moves at the end

/** Tells the style sheet how high the header is, which depends on the scores and clocks. */
function measure([{ target }]) { document.body.style.setProperty("--head", `${target.offsetHeight}px`); }

export function startPhone() {
  onPhone(placeParts);
  new ResizeObserver(measure).observe(document.querySelector("header"));
}

function placeParts(isPhone) {
  const moves = $("record").parentNode;
  if (isPhone) {
    $("choices").after($("past"));
    $("turn").append($("zoom"), $("pointed"));
    $("side").append(moves);
  } else {
    $("record").before($("past"));
    $("board").after($("zoom"), $("pointed"));
    $("players-title").parentNode.after(moves);
  }
}
