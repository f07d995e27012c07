// The frame of a page: what the page of any game and that of Carcassonne do alike. Each hands in its board and words.

import { forgetAnalysis, lossOf, showAnalysis, startAnalysis, toMistake, tookAnalysis } from "./judge.js";
import { connect, game, isMine, listen, look, press, view } from "./live.js";
import { $ } from "./pages.js";
import { showRecord } from "./past.js";
import { startTheme } from "./theme.js";
import { say } from "./words.js";

const KEYS = { m: () => toMistake(1), M: () => toMistake(-1), t: press("retry"), v: press("vary") };

let page;

/**
 * Starts the page that `made(facts)` makes once the server has told the facts: the `dialog` of a new game, a `board`
 * with showCompared(loss), `losses()`, which says how losses are told, see analysis.js, the listeners judged() to the
 * analysis, shown(before), grown(), thought(thought, ply) and `heard`, see `connect`, and `clicks` and `keyed`, see
 * `listen`.
 */
export async function begin(made) {
  startTheme();
  const facts = await fetch("facts.json").then((response) => response.json());
  page = await made(facts);
  startAnalysis(facts.levels, page.losses, page.judged);
  listen(page.clicks, (event) => page.keyed(event) ?? KEYS[event.key]);
  connect(page.dialog, { shown, grown: page.grown, thought, analysis: tookAnalysis, ...page.heard });
}

function shown(before) {
  if (!before) {
    forgetAnalysis();
    $("save").href = `games/${game()}.json`;
  }
  page.shown(before);
  const name = document.querySelector("h1").textContent;
  document.title = isMine() ? say("turn_title", { game: name }) : name;
}

function thought({ game: name, ply, thought: found }) {
  if (name !== game()) return;
  if (ply === view().ply) view().thought = found;
  page.thought(found, ply);
}

/** Shows what the moves lost, in the record and in the panel, and the better move on the board. */
export function showLosses() {
  showRecord(view(), page.losses(), look, lossOf);
  page.board.showCompared(showAnalysis());
}
