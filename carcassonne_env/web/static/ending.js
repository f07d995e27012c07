// The end of the game: the result, the points by kind of feature, and the final scoring feature by feature.

import { $, el } from "./pages.js";
import { regionName, whilePointed } from "./panels.js";
import { chip } from "./pieces.js";

const FARM = 3; // points of a farm for each complete city
let closed = null; // the result that the reader has closed

/** Shows the result over the board, at the end of the game; `light(number)` lights a feature of `regions`. */
export function showEnding(view, regions, facts, light) {
  const isHere = Boolean(view.result) && view.ply === view.last_ply;
  const isShown = isHere && closed !== view.result;
  if (!isHere) closed = null;
  $("ending").hidden = !isShown;
  if (!isShown) return;
  $("ending-title").textContent = view.result;
  const finals = regions.map((region, number) => ({ ...region, number }))
    .filter((region) => !region.is_complete && region.owners.length && region.points)
    .sort((one, other) => other.points - one.points);
  const hasFinals = view.final_points.some((points) => points);
  $("ending-points").replaceChildren(pointsTable(view, facts));
  $("finals-box").hidden = !hasFinals;
  $("finals-title").replaceChildren("Of these in the final scoring: ", ...view.final_points.flatMap((points, i) => [chip(i, facts.colours), `+${points} `]));
  $("finals").replaceChildren(...finals.map((region) => el("li", {}, el("button", { class: "region", ...whilePointed(light, region.number) },
    ...region.owners.map((player) => chip(player, facts.colours)), nameOf(region), el("b", {}, `+${region.points}`)))));
}

/** A farm is worth its cities; other features by their size. */
function nameOf(region) { return region.kind === "farm" ? `farm, ${region.points / FARM} ${region.points > FARM ? "cities" : "city"}` : regionName(region); }

export function closeEnding(view) {
  closed = view.result;
  $("ending").hidden = true;
}

export function openEnding() { closed = null; }

function pointsTable({ seats, scores, breakdown }, facts) {
  const kinds = Object.keys(breakdown[0]);
  const best = Math.max(...scores);
  const cells = (tag, texts) => texts.map((text) => el(tag, {}, String(text)));
  return el("table", {},
    el("thead", {}, el("tr", {}, ...cells("th", ["", ...kinds, "points"]))),
    el("tbody", {}, ...seats.map((seat, i) => el("tr", { class: scores[i] === best ? "best" : "" },
      el("th", {}, chip(i, facts.colours), " ", seat.name),
      ...cells("td", kinds.map((kind) => breakdown[i][kind])),
      el("td", {}, el("strong", {}, String(scores[i])))))));
}
