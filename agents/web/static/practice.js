// A mistake that the reader tries again, or a variation: a position of an analysed game, opened as a game of its own.

import { isPresent, load, look, view } from "./live.js";
import { isMarked } from "./loss.js";
import { $, el } from "./pages.js";
import { nameOf, numeral, say } from "./words.js";

let plies = []; // of the mistakes that the reader wants to try
let known = []; // what the moves of the game lost

/** Opens the position of a game, where one of the `mistakes` among the `losses` was made or, if `is_free`, for a variation. */
export function practise(position, mistakes, losses) {
  [plies, known] = [mistakes, losses];
  load("retry", position);
}

/** Says what to do, or what the move lost; without a tile about to be placed, shows where the reader can go on. */
export function showPractice({ practice, is_running: isRunning, judge }, loss, how) {
  const { game, ply, is_free: isFree } = practice;
  const next = plies.find((each) => each > ply);
  const words = loss ? (isFree ? `${view().seats[loss.player].name}: ` : "") + triedWords(loss, nameOf(judge), how) : isRunning ? say("searching") : say(isFree ? "move_freely" : "find_better");
  if (isPresent() && view().ply <= ply + 1) $("told").prepend(el("b", {}, words), " ");
  for (const id of isFree ? ["resign"] : ["hint", "undo", "resign", "hold"]) $(id).hidden = true;
  if (loss && !isFree && view().ply === ply) $("status").querySelector("button")?.remove(); // one can try again
  if (!$("choices").childElementCount) {
    $("choices").append(
      ...(loss?.better ? [el("button", { onclick: () => look(ply) }, say("solution"))] : []),
      ...(next === undefined ? [] : [el("button", { onclick: () => practise({ game, ply: next }, plies, known) }, say("next_mistake"))]),
      el("button", { onclick: () => { location.hash = `${game}/${ply}`; } }, say("to_analysis")));
  }
}

/** What the move lost, without the better one. */
function triedWords(loss, name, how) {
  const { number, points, better } = loss;
  if (points === null) return say("never_tried", { number });
  if (!better || !isMarked(loss, how)) return say("as_good", { name });
  const before = known.find((each) => each.number === number)?.points;
  const [lost, once] = [points, before].map((each) => numeral(each ?? 0, how.digits));
  return say(points < before ? "move_is_better" : "move_loses", { points: lost, before: once, name });
}
