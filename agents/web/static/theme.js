// How all pages look: light or dark colours, the button that changes them, and the pictures on the buttons.

import { $, isPressed, keep, kept, setPressed, svg, themed } from "./pages.js";

const THEME = "theme";

export const PATHS = {
  theme: "M8 2A6 6 0 1 0 8 14A6 6 0 1 0 8 2M8 2V14M10 3V13M12 4.5V11.5",
  fit: "M2 6V2H6M10 2H14V6M14 10V14H10M6 14H2V10",
  farms: "M2 2H14V14H2ZM2 8L8 2M2 14L14 2M8 14L14 8",
  "turn-back": "M3 2V6H7M3 6A5.5 5.5 0 1 1 2.5 9",
  "turn-on": "M13 2V6H9M13 6A5.5 5.5 0 1 0 13.5 9",
  first: "M3 3V13M13 3L6 8L13 13Z",
  before: "M11 3L4 8L11 13Z",
  film: "M8 1A7 7 0 1 0 8 15A7 7 0 1 0 8 1ZM6 4.5V11.5L12 8Z",
  after: "M5 3L12 8L5 13Z",
  last: "M13 3V13M3 3L10 8L3 13Z",
  sound: "M2 6V10H5L9 13V3L5 6ZM11.5 5.5A4 4 0 0 1 11.5 10.5",
};

/** Draws the picture of each button that the page has, and sets its colours. */
export function startTheme() {
  for (const [id, d] of Object.entries(PATHS)) {
    const picture = { viewBox: "0 0 16 16", class: "icon", "aria-hidden": "true" };
    $(id)?.append(svg("svg", picture, svg("path", { d, "fill-rule": "evenodd" })));
  }
  const begin = () => setTheme(kept(THEME));
  begin();
  matchMedia("(prefers-color-scheme: dark)").onchange = begin;
  $("theme").addEventListener("click", () => {
    const theme = isPressed("theme") ? "light" : "dark";
    keep(THEME, theme);
    setTheme(theme);
  });
}

function setTheme(theme) { setPressed("theme", themed(theme) === "dark"); }
