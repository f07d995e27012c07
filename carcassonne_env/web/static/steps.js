// Where the buttons that step through the game stand: above the list of moves, or on a phone below the board, where both are seen.

import { $ } from "./pages.js";

const PHONE = matchMedia("(max-width: 46rem) and (orientation: portrait), (max-height: 30rem) and (orientation: landscape)");

export function placeSteps() {
  if (PHONE.matches) $("choices").after($("past"));
  else $("record").before($("past"));
  PHONE.onchange = placeSteps;
}
