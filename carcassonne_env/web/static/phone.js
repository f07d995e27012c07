// What stands elsewhere on a phone: the buttons that step through the game, below the board in place of above the list of moves.

import { $ } from "./pages.js";

const PHONE = matchMedia("(max-width: 46rem) and (orientation: portrait), (max-height: 30rem) and (orientation: landscape)");

export function placeSteps() {
  if (PHONE.matches) $("choices").after($("past"));
  else $("record").before($("past"));
  PHONE.onchange = placeSteps;
}
