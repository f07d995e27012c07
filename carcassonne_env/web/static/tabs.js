// Tabs of the side panel: one panel is shown at a time.

import { $ } from "./pages.js";

const TABS = ["game", "analysis"];

export function startTabs() {
  for (const name of TABS) $(`tab-${name}`).addEventListener("click", () => chooseTab(name));
  $("tabs").addEventListener("keydown", (event) => {
    if (!["ArrowLeft", "ArrowRight"].includes(event.key)) return;
    const other = TABS.find((name) => $(`tab-${name}`) !== document.activeElement);
    chooseTab(other);
    $(`tab-${other}`).focus();
    event.stopPropagation();
  });
}

export const chosenTab = () => TABS.find((name) => !$(`panel-${name}`).hidden);

export function chooseTab(chosen) {
  for (const name of TABS) {
    const tab = $(`tab-${name}`);
    tab.setAttribute("aria-selected", String(name === chosen));
    tab.tabIndex = name === chosen ? 0 : -1;
    $(`panel-${name}`).hidden = name !== chosen;
  }
}
