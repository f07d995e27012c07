// What stands elsewhere on a phone: the buttons that step through the game and those of the view with the buttons of the turn, and the list of moves at the end.

import { PHONE } from "./past.js";
import { $ } from "./pages.js";

/** Tells the style sheet how high the header is, which depends on the scores and clocks. */
function measure([{ target }]) { document.body.style.setProperty("--head", `${target.offsetHeight}px`); }

export function startPhone() {
  placeParts();
  PHONE.onchange = placeParts;
  new ResizeObserver(measure).observe(document.querySelector("header"));
}

function placeParts() {
  const moves = $("record").parentNode;
  if (PHONE.matches) {
    $("choices").after($("past"));
    $("turn").append($("zoom"), $("pointed"));
    $("side").append(moves);
  } else {
    $("record").before($("past"));
    $("board").after($("zoom"), $("pointed"));
    $("players-title").parentNode.after(moves);
  }
}
