// The end of the game: the result, the points by kind of feature, and the final scoring feature by feature.

import { $, el, whilePointed } from "./pages.js";
import { regionName } from "./panels.js";
import { chip } from "./pieces.js";
import { resignation, victory } from "./result.js";
import { say } from "./words.js";

const FARM = 3; // points of a farm for each complete city
let isClosed = false; // by the reader, or by a step to another position

/** Shows the result over the board, at the end of the game; `light(number)` lights a feature of `regions`. */
export function showEnding(view, regions, facts, light) {
  const isLast = view.ply === view.last_ply;
  if (!isLast && !$("ending").hidden) isClosed = true;
  if (isLast && !view.is_over) isClosed = false; // a move was taken back
  $("ending").hidden = !isLast || !view.is_over || isClosed;
  if ($("ending").hidden) return;
  $("ending-title").textContent = resultWords(view);
  const finals = regions.map((region, number) => ({ ...region, number }))
    .filter((region) => !region.is_complete && region.owners.length && region.points)
    .sort((one, other) => other.points - one.points);
  const hasFinals = view.final_points.some((points) => points);
  $("ending-points").replaceChildren(pointsTable(view, facts));
  $("finals-box").hidden = !hasFinals;
  $("finals-title").replaceChildren(`${say("of_finals")} `, ...view.final_points.flatMap((points, i) => [el("span", {}, chip(i, facts.colours), `+${points}`), " "]));
  $("finals").replaceChildren(...finals.map((region) => el("li", {}, el("button", { class: "region", ...whilePointed(light, region.number) },
    ...region.owners.map((player) => chip(player, facts.colours)), finalName(region), el("b", {}, `+${region.points}`)))));
}

/** A farm is worth its cities; other features by their size. */
function finalName(region) { return region.kind === "farm" ? say("farm_cities", { count: region.points / FARM }) : regionName(region); }

/** The points that decide: a player who gave up, or whose time is over, is behind the others. */
const deciding = ({ scores, resigned }) => scores.map((points, i) => (i === resigned ? -1 : points));

function resultWords(view) {
  const { scores, seats } = view;
  const ended = resignation(view);
  if (ended && seats.length < 3) return ended;
  if (seats.length === 1) return say("num_points", { count: scores[0] });
  const words = victory(seats, deciding(view), { scores: scores.join(" : ") });
  return ended ? `${ended}. ${words}` : words;
}

export function closeEnding() {
  isClosed = true;
  $("ending").hidden = true;
}

export function openEnding() { isClosed = false; }

function pointsTable(view, facts) {
  const { seats, scores, breakdown } = view;
  const kinds = Object.keys(breakdown[0]);
  const results = deciding(view);
  const cells = (tag, texts) => texts.map((text) => el(tag, {}, String(text)));
  return el("table", {},
    el("thead", {}, el("tr", {}, ...cells("th", ["", ...kinds.map((kind) => say(`kind_${kind}`)), say("points")]))),
    el("tbody", {}, ...seats.map((seat, i) => el("tr", { class: results[i] === Math.max(...results) ? "best" : "" },
      el("th", {}, chip(i, facts.colours), " ", seat.name),
      ...cells("td", kinds.map((kind) => breakdown[i][kind])),
      el("td", {}, el("strong", {}, String(scores[i])))))));
}
