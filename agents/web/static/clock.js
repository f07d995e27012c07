// The clocks of the players, which tick in the page until the server tells them again.

import { $, el } from "./pages.js";
import { numeral } from "./words.js";

const TICK_MS = 200;
const SHORT = 10; // seconds, from which tenths are shown

let timer;

export function showClock({ left, running }, seats) {
  const start = performance.now();
  const tick = () => {
    if ($("clocks").hidden) return clearInterval(timer); // another game has come, without clocks
    return $("clocks").replaceChildren(...seats.flatMap(({ name }, i) => {
      const time = timeOf(Math.max(0, left[i] - (i === running ? (performance.now() - start) / 1000 : 0)));
      $("scores")?.children[i].setAttribute("data-clock", time); // of a phone
      return [i ? " · " : "", el(i === running ? "b" : "span", {}, `${name} ${time}`)];
    }));
  };
  clearInterval(timer);
  if (running !== null) timer = setInterval(tick, TICK_MS);
  tick();
}

function timeOf(seconds) {
  const rest = seconds % 60;
  const shown = seconds < SHORT ? numeral(Math.floor(rest * 10) / 10, 1) : Math.floor(rest);
  return `${Math.floor(seconds / 60)}:${rest < 10 ? "0" : ""}${shown}`;
}
