// A finished game as a film: its positions one after the other.

import { closeEnding } from "./ending.js";
import { $, setPressed } from "./pages.js";
import { PATHS } from "./theme.js";

const DELAY = 700; // milliseconds between moves
const PAUSE = "M8 1A7 7 0 1 0 8 15A7 7 0 1 0 8 1ZM5.5 5V11H7V5ZM9 5V11H10.5V5Z";
let timer = null;

/**
 * Shows the positions after `at()` up to the end, from the start if that is the end.
 *
 * A second call stops it, and so does a reader who looks elsewhere.
 */
export function film(at, end, show) {
  if (timer !== null) return stopFilm();
  let ply = at() === end ? 0 : at();
  if (ply !== at()) show(ply);
  closeEnding(); // the end is seen on the board
  showRunning(true);
  timer = setInterval(() => {
    if (at() !== ply || ply === end) return stopFilm();
    return show(ply += 1);
  }, DELAY);
  return null;
}

export function stopFilm() {
  clearInterval(timer);
  timer = null;
  showRunning(false);
}

function showRunning(isRunning) {
  setPressed("film", isRunning);
  $("film").querySelector("path").setAttribute("d", isRunning ? PAUSE : PATHS.film);
}
