// A finished game as a film: its positions one after the other.

import { $ } from "./pages.js";

const DELAY = 700; // milliseconds between moves
let timer = null;

/** Shows the positions after `at()` up to the end, from the start if that is the end; a second call stops it, and so does a reader who looks elsewhere. */
export function film(at, end, show) {
  if (timer !== null) return stopFilm();
  let ply = at() === end ? 0 : at();
  if (ply !== at()) show(ply);
  $("film").setAttribute("aria-pressed", "true");
  timer = setInterval(() => {
    if (at() !== ply || ply === end) return stopFilm();
    return show(ply += 1);
  }, DELAY);
  return null;
}

export function stopFilm() {
  clearInterval(timer);
  timer = null;
  $("film").setAttribute("aria-pressed", "false");
}
