// Light and dark colours, and the button that changes them.

import { keep, kept } from "./kept.js";
import { $, themed } from "./pages.js";

const THEME = "theme";

export function startTheme() {
  const begin = () => choose(kept(THEME));
  begin();
  matchMedia("(prefers-color-scheme: dark)").onchange = begin;
  $("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    keep(THEME, theme);
    choose(theme);
  });
}

function choose(theme) { $("theme").setAttribute("aria-pressed", String(themed(theme) === "dark")); }
