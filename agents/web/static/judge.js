// The analysis of the game at the server: what its moves lost, and another try at one of them.

import { optionsOf } from "./dialog.js";
import { game, isPresent, look, lookedAt, send, state, view } from "./live.js";
import { glyphOf, isMarked } from "./loss.js";
import { $ } from "./pages.js";
import { nameOf, say } from "./words.js";

let analysis = null; // what the moves lost, as far as the server has told
let how, changed;
let panel, practice, tree; // modules that are loaded when what they show is
let isEnded = false; // whether the game is over, whatever position is shown

/** Starts the panel: each of the levels can analyse; losses are told as `howOf()` says, see analysis.js; `listener()` hears that they have changed. */
export function startAnalysis(levels, howOf, listener) {
  [how, changed] = [howOf, listener];
  $("level").replaceChildren(...optionsOf(Object.keys(levels).map((name) => [name, nameOf(name)])));
  $("analyse").onclick = () => send("analyse", { level: analysis?.is_running ? null : $("level").value });
  $("retry").onclick = () => retry(view().ply, false);
  $("vary").onclick = () => retry(view().ply, true);
  $("learn").onclick = () => retry(mistakes()[0], false);
}

/** Shows the panel, and has the game analysed unless it is. */
export function analyse() {
  if (!$("analysed").textContent) {
    $("analyse").click();
    $("analysed").textContent = say("searching");
  }
  $("analysis").scrollIntoView();
}

export function forgetAnalysis() { analysis = null; }

export async function tookAnalysis(message) {
  if (message.game !== game()) return;
  if (!analysis || message.is_running) $("level").value = message.judge;
  analysis = message;
  if (message.practice) practice ??= await import("./practice.js");
  changed();
  const isHere = message.is_running && message.losses.at(-1)?.number === view().ply + 1;
  if (isHere && !isPresent()) send("look", { ply: view().ply }); // for the search of the judge
}

/** Who searched: a player, or the judge of the move. */
export function nameBehind({ judge, player }) { return judge ? nameOf(judge) : view().seats[player].name; }

/** What a move lost, if it was analysed and not taken back since. */
export function lossOf(number) { return analysis?.losses.find((loss) => loss.number === number && number <= view().last_ply); }

/** Whether the game is one in which the reader practises. */
export const isPractice = () => Boolean(analysis?.practice);

/** Shows the panel; returns what the next move lost if there is a better one, which the board shows. */
export function showAnalysis() {
  const losses = analysis?.losses ?? [];
  const isRunning = Boolean(analysis?.is_running);
  const words = say("analysed", { count: losses.length, moves: view().last_ply, name: nameOf(analysis?.judge ?? "") });
  $("analyse").textContent = say(isRunning ? "stop" : "analyse");
  $("analyse").disabled = view().last_ply === 0;
  $("level").disabled = isRunning;
  $("analysed").textContent = losses.length ? words + (isRunning ? " …" : "") : isRunning ? say("searching") : "";
  showPanel();
  showVariations();
  if (isPresent()) isEnded = view().is_over;
  const next = lossOf(view().ply + 1) ?? (practice && analysis?.practice ? practice.solution(analysis.practice, view().ply) : null);
  showRetry(Boolean(glyphOf(next?.points, how())));
  return isMarked(next, how()) && next.better ? next : null;
}

/** Shows the buttons that open a mistake, and for a variation any position of a finished game; in practice one takes back what was tried, which undo does in a variation. */
function showRetry(isMistake) {
  const opened = analysis?.practice;
  $("retry").hidden = opened ? opened.is_free || view().last_ply !== opened.ply + 1 : !isMistake;
  $("vary").hidden = Boolean(opened) || !isEnded || isPresent();
}

async function showVariations() {
  if (!tree && !analysis?.variations.length) return;
  tree ??= await import("./variations.js");
  tree.showVariations(analysis?.variations ?? [], how());
}

async function showPanel() {
  if (!isPresent()) $("note").textContent = "";
  if (!panel && !analysis?.losses.length) return;
  panel ??= await import("./analysis.js");
  panel.showLosses(analysis?.losses ?? [], view(), how(), look, state.own.length === 1 ? state.own[0] : null);
  $("learn").hidden = isPractice() || !mistakes().length;
  if (isPractice()) $("mistake").hidden = $("mistake-before").hidden = true; // the next one is another game
}

const mistakes = () => panel?.mistakes(analysis?.losses ?? [], how()) ?? [];

/** Tells the reader who tries a move again what to do, or what it lost. */
export function showPractice() {
  if (practice && analysis?.practice) practice.showPractice(analysis, lossOf(analysis.practice.ply + 1), how());
}

/** Opens a position to try another move, or takes back the one that was tried. */
async function retry(ply, isFree) {
  if (isPractice()) return send("undo");
  practice ??= await import("./practice.js");
  return practice.practise({ game: game(), ply, is_free: isFree, mistakes: isFree ? [] : mistakes() });
}

/** Shows the next position in which a mistake was made, or the last one for `steps` of -1. */
export function toMistake(steps) {
  const ply = panel?.mistakeFrom(lookedAt(), analysis?.losses ?? [], steps, how());
  if (ply !== undefined) look(ply);
}
