// Light and dark colours, and the button that changes them.

import { $, themed } from "./pages.js";

const THEME = "theme";

export function startTheme() {
  choose(kept());
  $("theme").addEventListener("click", () => {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(THEME, theme);
    } catch { /* a browser may keep nothing, as in the frame of a notebook */ }
    choose(theme);
  });
}

function kept() {
  try {
    return localStorage.getItem(THEME);
  } catch {
    return null;
  }
}

function choose(theme) { $("theme").setAttribute("aria-pressed", String(themed(theme) === "dark")); }
