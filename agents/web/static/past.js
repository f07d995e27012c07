// The position of a game that is seen, among all of them: a slider, and buttons that step through the game.

import { $ } from "./pages.js";
import { say } from "./words.js";

/** A phone, upright or on its side. */
export const PHONE = matchMedia("(max-width: 46rem) and (orientation: portrait), (max-height: 30rem) and (orientation: landscape)");

/** Shows the position after `ply` of `last` moves in the slider, and enables the buttons that lead to another one. */
export function showSteps(ply, last) {
  Object.assign($("ply"), { max: last, value: ply });
  $("ply").setAttribute("aria-valuetext", say("after_moves", { count: ply }));
  $("first").disabled = $("before").disabled = ply === 0;
  $("last").disabled = $("after").disabled = ply === last;
}
