// A mistake that the reader tries again, or a variation: a position of an analysed game, opened as a game of its own.

import { lossWords } from "./analysis.js";
import { isPresent, load, look, view } from "./live.js";
import { glyphOf, isMarked } from "./loss.js";
import { $, el } from "./pages.js";
import { nameOf, say } from "./words.js";

let seen = null; // the last position whose solution the reader has seen

/** Opens a position of a game, where one of the `mistakes` was made that the reader wants to try, or for a variation; see the message "retry". */
export function practise(position) {
  seen = null;
  load("retry", position);
}

/** What the mistake lost that is tried again, in its position once the reader has asked for the solution. */
export const solution = ({ ply, lost }, now) => (seen === ply && now === ply ? lost : null);

/** Says what to do, or what the move lost, and after the last mistake how many were solved; without a tile about to be placed, shows where the reader can go on. */
export function showPractice(analysis, loss, how) {
  const { practice } = analysis;
  const { game, ply, is_free: isFree, mistakes, lost } = practice;
  const isSeen = seen === ply;
  const isGood = loss && loss.points !== null && !(loss.better && isMarked(loss, how));
  const results = resultsOf(practice, isSeen ? "shown" : isGood && (practice.tries > 1 ? "later" : "solved"));
  const next = mistakes.find((each) => each > ply);
  if (!view().is_over) $("progress").textContent = `${say(isFree ? "variation" : "practice")} ${say("after_moves", { count: ply })}`;
  if (view().ply <= ply + 1) {
    const isEnd = next === undefined && mistakes.includes(ply) && (loss || isSeen);
    const words = [isPresent() ? toldWords(analysis, loss, isGood, how) : "", isEnd ? endWords(results, mistakes.length) : ""].filter(Boolean);
    if (words.length) $("told").prepend(el("b", {}, words.join(" ")), " ");
  }
  if (isSeen && lost && isPresent() && view().ply === ply && !$("note").hasChildNodes()) $("note").replaceChildren(...lossWords(lost, how, view()));
  for (const id of isFree ? ["resign"] : ["hint", "undo", "resign", "hold"]) $(id).hidden = true;
  if (loss && !isFree && view().ply === ply) $("status").querySelector("button")?.remove(); // one can try again
  if ($("choices").childElementCount) return;
  const offer = (key, onclick, style = null) => $("choices").append(el("button", { class: style, onclick }, say(key)));
  if (next !== undefined) offer("next_mistake", () => practise({ game, ply: next, mistakes, ...results }), isGood || isSeen ? "main" : null);
  if (!isFree && !isGood && !isSeen && (loss ?? lost)?.better) offer("solution", () => { seen = ply; look(ply); });
  offer("to_analysis", () => { location.hash = `${game}/${ply}`; });
}

/** The mistakes that were solved at the first try, solved later, and shown, with this one if it has a `result` for the first time. */
function resultsOf({ ply, solved, later, shown }, result) {
  const results = { solved, later, shown };
  if (result && !Object.values(results).flat().includes(ply)) results[result] = [...results[result], ply];
  return results;
}

const endWords = ({ solved, later, shown }, count) => say("solved_of", { count, solved: solved.length, later: later.length, shown: shown.length });

/** What to do, or what the move lost that was tried, with its player in a variation. */
function toldWords({ practice, is_running: isRunning, judge }, loss, isGood, how) {
  if (loss) return (practice.is_free ? `${view().seats[loss.player].name}: ` : "") + triedWords(loss, isGood, practice.lost?.points, nameOf(judge), how);
  if (isRunning) return say("searching");
  if (seen === practice.ply || $("choices").childElementCount) return ""; // the words about the tile that lies need the room
  return practice.is_free ? say("move_freely") : taskWords(practice, how);
}

/** Which mistake it is, what was played, and what to do. */
function taskWords({ ply, mistakes, lost }, how) {
  const number = mistakes.indexOf(ply) + 1;
  return [
    number ? say("mistake_of", { number, count: mistakes.length }) : "",
    lost ? say("was_played", { move: how.brief(lost.played) }) : "",
    say("find_better")].filter(Boolean).join(" ");
}

/** What the move lost, without the better one; it is called better than the one that is tried again, which lost `before`, if its mark is. */
function triedWords({ number, points }, isGood, before, name, how) {
  if (points === null) return say("never_tried", { number });
  if (isGood) return `✓ ${say("as_good", { name })}`;
  const isBetter = points < before && glyphOf(points, how) !== glyphOf(before, how);
  const words = say(isBetter ? "move_is_better" : "move_loses", { points: how.amount(points), before: how.amount(before ?? 0), what: how.what, name });
  return before === undefined || isBetter ? words : `${say("not_yet")} ${words}`;
}
