// The panels beside the board: players, the record, tiles and features.

import { isMarked, markOf, onlyOf } from "./loss.js";
import { chip, figure, movePicture, tilePicture } from "./pieces.js";
import { $, el, isCoarse, renew, svg, use, whilePointed } from "./pages.js";
import { showSteps } from "./past.js";
import { numeral, say } from "./words.js";

const NEXT = 3; // tiles to come that stand at the hand

export function showPlayers(view, facts) {
  $("players").replaceChildren(...view.seats.map((seat, i) => {
    const parts = Object.entries(view.breakdown[i]).map(([kind, points]) => `${say(`kind_${kind}`)} ${points}`);
    const isNext = view.player === i;
    return el("div", { class: isNext ? "player next" : "player" },
      chip(i, facts.colours),
      el("span", { class: "name" }, seat.name, isNext ? el("span", { class: "hidden" }, `, ${say("to_move")}`) : null),
      el("strong", { class: "score", title: say("points_title") }, String(view.scores[i]), el("span", { class: "hidden" }, ` ${say("points")}`)),
      el("span", { class: "parts" }, parts.join(" · ")),
      el("span", { class: "forecast" }, ...hands(view.in_hand[i], i, facts),
        view.seats.length > 1 || view.is_over || !view.forecast ? null : say("expected_score", { points: Math.round(view.forecast[i]) })));
  }));
  showLead(view, facts);
  $("scores").replaceChildren(...view.seats.map((seat, i) => el("span", { class: view.player === i ? "next" : "", title: seat.name },
    chip(i, facts.colours), el("span", { class: "name" }, seat.name), el("b", {}, String(view.scores[i])),
    view.is_over ? null : handCount(view.in_hand[i], i, facts))));
}

/** The meeples in a player's hand. */
function hands(count, player, { colours }) {
  const figures = Array.from({ length: count }, (_, i) => use("meeple", { fill: colours[player], x: 14 + 27 * i }));
  const picture = svg("svg", { class: "hands", viewBox: `0 -14 ${27 * count + 2} 28`, "aria-hidden": "true" }, ...figures);
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
    renew($("bag"), left, ([letter]) => letter, ([letter]) => el("span", { class: "left" }, tilePicture(letter), el("b")));
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
  const worth = region.is_complete && region.kind !== "farm" ? say("scored", { points }) : isLong && !view.is_over ? say("if_ended", { points }) : points;
  return `${regionName(region)} · ${state} · ${worth}`;
}

/** The kind of the feature of a slot of a tile, in words. */
export function kindOf(slot, letter, { tiles }) { return say(`kind_${tiles[letter].kinds[slot - 1]}`); }

/** Where a move puts a meeple on its tile. */
export function meepleWords(slot, letter, { tiles }) { return say(`meeple_${slot ? tiles[letter].kinds[slot - 1] : "none"}`); }

/** Where a move puts its tile and its meeple. */
export function placementWords({ x, y, rotation, slot, letter }, facts) {
  return say("lies", { x: numeral(x), y: numeral(y), angle: 90 * rotation, meeple: meepleWords(slot, letter, facts) });
}

export function showRegions(view, facts, light) {
  const held = view.regions.map((region, i) => [region, i]).filter(([region]) => region.owners.length);
  held.sort(([a], [b]) => b.points - a.points);
  $("regions").replaceChildren(...(held.length ? held.map(([region, i]) =>
    el("button", { class: "region", ...whilePointed(light, i), onclick: () => light(i) }, ...region.owners.map((player) => chip(player, facts.colours)), regionWords(region, view, false))) :
    [el("p", { class: "empty" }, say("no_meeple_on_board"))]));
}

/** All moves of the game, with the one before the position or the one that is compared marked; `lossOf(number)` is what a move lost, or undefined. A click shows the position after a move, but before one that is marked as a loss. */
export function showRecord(view, facts, look, lossOf) {
  const lines = view.record.map((line, i) => ({ line, i, points: line.points, loss: lossOf(i + 1) }));
  if (view.final_points.some((points) => points)) lines.push({ points: view.final_points });
  renew($("record"), lines, (item) => JSON.stringify([item, view.seats]), ({ line, i, points, loss }) => {
    const gains = points.map((gained, player) => [player, gained]).filter(([, gained]) => gained)
      .map(([player, gained]) => el("b", {}, `+${gained} ${view.seats[player].name}`));
    if (!line) return el("li", { class: "move" }, say("final_scoring"), ...gains);
    const mark = markOf(loss, lossesIn(facts));
    return el("li", {}, el("button", { class: "move", onclick: () => look(mark ? i : i + 1) },
      el("span", { class: "number" }, `${i + 1}.`),
      chip(line.placement.player, facts.colours), ...moveParts(line.placement, facts), ...gains, mark, onlyOf(loss, lossesIn(facts))));
  });
  const buttons = [...$("record").querySelectorAll("button")];
  const shown = isMarked(lossOf(view.ply + 1), lossesIn(facts)) ? view.ply : view.ply - 1; // the move before the position, or the one that is compared
  buttons.forEach((button, i) => {
    if (i === shown) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
    button.classList.toggle("later", i >= view.ply);
  });
  const [list, item] = [$("record"), buttons[shown]?.parentNode];
  const end = view.ply === view.last_ply ? list.scrollHeight : (item?.offsetTop ?? 0) - list.offsetTop - list.clientHeight / 2;
  if (list.at !== `${view.ply}/${view.last_ply}`) list.scrollTop = end;
  list.at = `${view.ply}/${view.last_ply}`;
  showSteps(view.ply, view.last_ply);
}

/** How losses are told; see analysis.js. */
export const lossesIn = (facts) => ({
  point: 1, digit: 0.1, amount: (points, more = 0) => numeral(points, 1 + more), colour: (player) => facts.colours[player], chip: (player) => chip(player, facts.colours),
  named: (move) => placementWords(move, facts), brief: (move) => (isCoarse() ? "" : `(${numeral(move.x)}, ${numeral(move.y)}), `) + meepleWords(move.slot, move.letter, facts), line: ({ placement }) => moveParts(placement, facts).filter((_, i) => i !== (isCoarse() ? 1 : 2)), style: "hidden", // the board shows it
});

/** A move as a small picture: the tile as it lies, the cell, and the feature that gets a meeple. */
export function moveParts(placement, facts) {
  const { letter, x, y, slot } = placement;
  const kind = slot ? kindOf(slot, letter, facts) : say("no_meeple");
  return [movePicture(placement, facts), el("span", { class: "cell" }, `${numeral(x)}, ${numeral(y)}`), el("span", { class: "kind" }, kind)];
}
