// Light and dark colours, and the button that changes them.

import { keep, kept } from "./kept.js";
import { $, themed } from "./pages.js";

const THEME = "theme";

export function startTheme() {
  choose(kept(THEME));
  $("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    keep(THEME, theme);
    choose(theme);
  });
}

function choose(theme) { $("theme").setAttribute("aria-pressed", String(themed(theme) === "dark")); }
