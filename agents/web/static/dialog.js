// What the dialogs of a new game share: seats, and how they open and close.

import { $, el } from "./pages.js";
import { nameOf, say } from "./words.js";

export const ME = "me";
export const OTHER = ""; // in a list: what the reader names in words

export class Dialog {
  /** A subclass has submit(), which starts the game, and meaning(player), what a player is, in words or null. */
  constructor(facts) {
    this.facts = facts;
    $("cancel").onclick = () => this.close();
    $("setup").oninput = () => this.refuse("");
    $("setup").onclose = async () => {
      if (!document.querySelector("main").inert) return;
      (await import("./empty.js")).showEmpty(() => this.open(false));
    };
    $("setup").querySelector("form").onsubmit = (event) => {
      event.preventDefault();
      this.submit();
    };
    $("open").onclick = () => $("file").click();
    $("file").onchange = () => this.read($("file").files[0]);
  }

  /** The time of each player, for the server; null without clocks. */
  get clock() {
    const [minutes, increment] = $("set-clock").value.split("+").map(Number);
    return minutes ? { seconds: 60 * minutes, increment } : null;
  }

  /**
   * A seat of `players`: a list of a person, the levels and named players, what the chosen one is, and a text for
   * another planner, at first `example`. `show()` shows all anew.
   */
  seat(players, i, named, example, show, ...more) {
    const player = players[i];
    const label = { number: i + 1 };
    const levels = Object.keys(this.facts.levels).map((level) => [level, say("level", { level: nameOf(level) })]);
    const known = [[ME, say("a_person")], ...levels, ...named.map((name) => [name, name])];
    const isOther = known.every(([value]) => value !== player);
    const choose = () => {
      players[i] = select.value || example;
      show();
      $("seats").children[i].querySelector("select").focus();
    };
    const options = optionsOf([...known, [OTHER, say("other_planner")]]);
    const select = el("select", { "aria-label": say("player", label), onchange: choose }, ...options);
    select.value = isOther ? OTHER : player;
    const text = isOther ? el("input", {
      value: player, "aria-label": say("planner_of", label), spellcheck: "false", maxlength: 1000,
      oninput: () => (players[i] = text.value),
    }) : null;
    const facts = isOther ? say("planner_hint", { example }) : this.meaning(player);
    return el("div", { class: "seat" }, el("span", { class: "place" }, String(i + 1)), select, ...more, text,
      facts ? el("p", { class: "facts" }, facts) : null);
  }

  open(canCancel) {
    $("cancel").hidden = !canCancel;
    this.clear();
    if (!$("setup").open) $("setup").showModal();
    $("start").focus();
    this.showKept();
  }

  close() { if ($("setup").open) $("setup").close(); }

  refuse(words) { $("setup-error").textContent = words; }

  clear() {
    this.refuse("");
    $("games").hidden = true;
  }

  async showKept() {
    const kept = await fetch("kept.json").then((response) => response.json()).catch(() => []);
    if (kept.length) (await import("./opening.js")).proposeKept(kept);
  }

  /** Opens the game of a file, or lets the reader choose one. */
  async read(file) {
    $("file").value = "";
    this.clear();
    try {
      await (await import("./opening.js")).openFile(file, this.facts.max_file, this.tables);
    } catch (error) {
      this.refuse(error.message);
    }
  }
}

/** The entries of a list, from pairs of value and words. */
export const optionsOf = (pairs) => pairs.map(([value, words]) => el("option", { value }, words));
