// The page of a game: panels of the live page, with all positions in the page itself.

import { showLosses } from "./analysis.js";
import { Board } from "./board.js";
import { $, themed, use } from "./pages.js";
import { showCurve, showPlayers, showRecord } from "./panels.js";

const DELAY = 700; // milliseconds between moves
const data = JSON.parse($("data").textContent);
const { steps, losses, record } = data;
const end = steps.length - 1;
const curve = steps.map((step) => step.forecast);
const board = new Board($("board"), data, {});
let now = 0, timer = null;

/** A position, as the server tells it to the live page. */
function viewAt(ply) {
  const past = { board: data.board.slice(0, ply + 1), record: record.slice(0, ply) };
  const ending = ply === end ? {} : { result: null, final_points: [] };
  return { ...data, ...steps[ply], ...past, ...ending, ply, last_ply: end, curve, regions: [] };
}

const lossOf = (number) => losses.find((loss) => loss.number === number);

function show(ply) {
  now = Math.min(end, Math.max(0, ply));
  const view = viewAt(now);
  const line = view.record.at(-1);
  board.show(view);
  board.showBetter(lossOf(now)?.better);
  showPlayers(view, data);
  showCurve(view, data, look);
  showRecord(view, data, look, lossOf);
  showLosses(losses, view, data, look);
  $("hand").replaceChildren(...(view.tile ? [use(`tile-${view.tile}-0`)] : []));
  $("hand").setAttribute("aria-label", view.tile ? `Next tile: ${view.tile}` : "No tile");
  $("status").textContent = line ? `${data.seats[line.placement.player].name}: ${line.words}` : "The start of the game";
  $("told").textContent = view.result ?? (view.tile ? "The next tile is at the left." : "");
  $("progress").textContent = `After ${now} of ${end} moves`;
}

function look(ply) {
  clearInterval(timer);
  timer = null;
  $("film").textContent = "Play";
  show(ply);
}

function advance() {
  if (now < end) show(now + 1);
  else look(end);
}

function film() {
  if (timer !== null) return look(now);
  if (now === end) show(0);
  $("film").textContent = "Pause";
  timer = setInterval(advance, DELAY);
}

const CLICKS = { first: () => look(0), before: () => look(now - 1), film, after: () => look(now + 1), last: () => look(end) };
const KEYS = {
  ArrowLeft: CLICKS.before, ArrowRight: CLICKS.after, "[": CLICKS.before, "]": CLICKS.after, Home: CLICKS.first, End: CLICKS.last,
  " ": film, "+": () => board.window.zoom(0.8), "-": () => board.window.zoom(1.25), 0: () => board.window.fit(),
};

document.body.className = "replayed";
$("turn").setAttribute("aria-label", "Move");
$("analysis").hidden = !losses.length;
themed(null);
for (const [id, listener] of Object.entries(CLICKS)) $(id).addEventListener("click", listener);
for (const [id, key] of [["zoom-in", "+"], ["zoom-out", "-"], ["fit", "0"]]) $(id).addEventListener("click", KEYS[key]);
$("ply").addEventListener("input", (event) => look(Number(event.target.value)));
document.addEventListener("keydown", (event) => {
  const isModified = event.ctrlKey || event.altKey || event.metaKey;
  if (isModified || !(event.key in KEYS) || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  KEYS[event.key]();
});
show(0);
