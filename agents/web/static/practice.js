// A mistake that the reader tries again, or a variation: a position of an analysed game, opened as a game of its own.

import { isPresent, load, look, view } from "./live.js";
import { isMarked } from "./loss.js";
import { $, el } from "./pages.js";
import { nameOf, numeral, say } from "./words.js";

let plies = []; // of the mistakes that the reader wants to try

/** Opens the position of a game, where one of the `mistakes` was made or, if `is_free`, for a variation. */
export function practise(position, mistakes) {
  plies = mistakes;
  load("retry", position);
}

/** Says what to do, or what the move lost; without a tile about to be placed, shows where the reader can go on. */
export function showPractice({ practice, is_running: isRunning, judge }, loss, how) {
  const { game, ply, is_free: isFree } = practice;
  const next = plies.find((each) => each > ply);
  const words = loss ? triedWords(loss, nameOf(judge), how) : isRunning ? say("searching") : say(isFree ? "move_freely" : "find_better");
  if (isPresent() && view().ply <= ply + 1) $("told").prepend(el("b", {}, words), " ");
  if (!$("choices").childElementCount) {
    $("choices").append(
      ...(loss?.better ? [el("button", { onclick: () => look(ply) }, say("solution"))] : []),
      ...(next === undefined ? [] : [el("button", { onclick: () => practise({ game, ply: next }, plies) }, say("next_mistake"))]),
      el("button", { onclick: () => { location.hash = `${game}/${ply}`; } }, say("to_analysis")));
  }
}

/** What the move lost, without the better one. */
function triedWords(loss, name, how) {
  const { number, points, better } = loss;
  if (points === null) return say("never_tried", { number });
  return better && isMarked(loss, how) ? say("move_loses", { points: numeral(points, how.digits), name }) : say("as_good", { name });
}
