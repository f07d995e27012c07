// The page of a game: panels of the live page, with all positions in the page itself.

import { mistakeFrom, showLosses } from "./analysis.js";
import { Board } from "./board.js";
import { showCurve } from "./curve.js";
import { closeEnding, openEnding, showEnding } from "./ending.js";
import { film, stopFilm } from "./film.js";
import { isMarked } from "./loss.js";
import { showMotion } from "./motion.js";
import { $, el, use } from "./pages.js";
import { lossesIn, moveParts, showPlayers, startPhone } from "./panels.js";
import { showRecord } from "./past.js";
import { chip } from "./pieces.js";
import { startTheme } from "./theme.js";
import { showVariations } from "./variations.js";
import { nameOf, say } from "./words.js";

const data = JSON.parse($("data").textContent);
const { losses, record, seats } = data;
let whole = {};
const steps = data.steps.map((step) => (whole = { ...whole, ...step }));
const how = lossesIn(data);
const end = steps.length - 1;
const curve = steps.map((step) => step.forecast);
const board = new Board($("board"), data, {});
for (const seat of seats) seat.name = nameOf(seat.name);
let now = 0;
let isFirst = true;

/** A position, as the server tells it to the live page. */
function viewAt(ply) {
  const past = { board: data.board.slice(0, ply + 1) };
  const ending = ply === end ? {} : { is_over: false };
  return { ...data, ...steps[ply], ...past, ...ending, ply, last_ply: end, curve, regions: [] };
}

const lossOf = (number) => losses.find((loss) => loss.number === number);

function show(ply) {
  const before = isFirst ? null : viewAt(now);
  now = Math.min(end, Math.max(0, ply));
  const view = viewAt(now);
  const line = record[now - 1];
  const next = lossOf(now + 1);
  board.show(view, isFirst);
  isFirst = false;
  showMotion(board, before, view, $("hand"));
  board.showCompared(isMarked(next, how) ? next : null);
  showPlayers(view, data);
  showCurve(view, data, look);
  showRecord(view, how, look, lossOf);
  showVariations(data.variations, how);
  $("note").textContent = "";
  showLosses(losses, view, how, look);
  $("hand").replaceChildren(...(view.tile ? [use(`tile-${view.tile}-0`)] : []));
  $("hand").setAttribute("aria-label", view.tile ? say("next_tile", { letter: view.tile }) : say("no_tile"));
  $("status").replaceChildren(...(line ? lastMove(line.placement) : [el("b", {}, say("start_of_game"))]));
  if (view.is_over) $("status").append(el("button", { onclick: showResult }, say("result")));
  $("told").textContent = view.tile ? say("next_at_left") : view.is_over ? say("is_over") : "";
  $("progress").textContent = say("after_of", { ply: now, count: end });
  showEnding(view, data.regions, data, () => {});
  if (location.protocol !== "about:") history.replaceState(null, "", `#${now}`); // not in a frame of a notebook
}

function lastMove(placement) {
  const { player } = placement;
  const parts = el("span", { class: "move" }, ...moveParts(placement, data));
  return [chip(player, data.colours), el("b", {}, seats[player].name), parts];
}

function showResult() {
  openEnding();
  show(now);
}

function look(ply) {
  stopFilm();
  show(ply);
}

function playFilm() { film(() => now, end, show); }

function toMistake(steps) { look(mistakeFrom(now, losses, steps, how) ?? now); }

/** The position that the address names, as in "#31". */
function linked() { return Number(location.hash.slice(1)) || 0; }

const CLICKS = {
  first: () => look(0),
  before: () => look(now - 1),
  film: playFilm,
  after: () => look(now + 1),
  last: () => look(end),
};
const KEYS = {
  ...board.keys,
  ArrowLeft: CLICKS.before,
  ArrowRight: CLICKS.after,
  "[": CLICKS.before,
  "]": CLICKS.after,
  Home: CLICKS.first,
  End: CLICKS.last,
  m: () => toMistake(1),
  M: () => toMistake(-1),
  " ": playFilm,
};

$("turn").setAttribute("aria-label", say("move"));
$("analysis").hidden = !losses.length;
$("panel-analysis").hidden = $("film").hidden = false;
startTheme();
startPhone();
for (const [id, listener] of Object.entries(CLICKS)) $(id).addEventListener("click", listener);
$("ply").addEventListener("input", (event) => look(Number(event.target.value)));
document.addEventListener("keydown", (event) => {
  const isInList = event.target.closest("select"); // the key opens the list, or chooses in it
  const isOther = event.ctrlKey || event.altKey || event.metaKey || isInList;
  if (isOther || !(event.key in KEYS) || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  KEYS[event.key]();
});
$("ending-close").addEventListener("click", () => closeEnding());
window.addEventListener("hashchange", () => look(linked()));
show(linked());
