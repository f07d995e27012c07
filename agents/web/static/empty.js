// What a page shows while there is no game on it.

import { $, el } from "./pages.js";
import { say } from "./words.js";

/** Says so in the middle of the page, with a button that calls `open()`, until there is a game. */
export function showEmpty(open) {
  if ($("empty")) return;
  document.querySelector("main").after(el("section", { id: "empty", "aria-label": say("game") },
    el("p", {}, say("no_game")), el("button", { class: "main", onclick: open }, say("new_game"))));
}
