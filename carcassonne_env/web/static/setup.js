// The dialog of a new game.

import { $, el } from "./dom.js";

const MAX_SEATS = 5;
const ME = "me";
const OWN = "own";
const KEPT = "carcassonne-setup";

export class Setup {
  constructor(facts, start) {
    this.facts = facts;
    this.start = start;
    this.seats = facts.players ?? this.kept().players ?? [ME, "casual"];
    $("set-meeples").replaceChildren(...[1, 2, 3, 4, 5, 6, 7].map((count) => el("option", {}, String(count))));
    $("set-meeples").value = this.kept().meeples ?? 7;
    $("set-tiles").value = this.kept().tiles ?? "base";
    $("set-known").checked = this.kept().known_order ?? false;
    $("add-seat").onclick = () => this.add();
    $("cancel").onclick = () => $("setup").close();
    $("setup").querySelector("form").onsubmit = (event) => this.submit(event);
    this.show();
  }

  open(canCancel) {
    $("cancel").hidden = !canCancel;
    $("setup-error").textContent = "";
    if (!$("setup").open) $("setup").showModal();
    $("start").focus();
  }

  /** Says why the server refused the game. */
  refuse(words) { $("setup-error").textContent = words; }

  close() { if ($("setup").open) $("setup").close(); }

  kept() {
    try {
      return JSON.parse(localStorage.getItem(KEPT)) ?? {};
    } catch {
      return {};
    }
  }

  add() {
    this.seats.push("casual");
    this.show();
    $("seats").lastElementChild.querySelector("select").focus();
  }

  show() {
    $("seats").replaceChildren(...this.seats.map((player, i) => this.row(player, i)));
    $("add-seat").disabled = this.seats.length >= MAX_SEATS;
  }

  row(player, i) {
    const isOwn = player !== ME && !(player in this.facts.levels);
    const options = [[ME, "a person"], ...Object.entries(this.facts.levels).map(([level]) => [level, `planner: ${level}`]), [OWN, "another planner …"]];
    const select = el("select", { "aria-label": `Player ${i + 1}` }, ...options.map(([value, words]) => el("option", { value }, words)));
    select.value = isOwn ? OWN : player;
    select.onchange = () => this.set(i, select.value === OWN ? "mcts(c=0.02, time_limit=2)" : select.value);
    const text = isOwn ? el("input", { value: player, "aria-label": `Planner of player ${i + 1}`, spellcheck: "false", maxlength: 1000 }) : null;
    if (text) text.oninput = () => (this.seats[i] = text.value);
    const remove = el("button", { type: "button", "aria-label": `Remove player ${i + 1}`, title: "Remove" }, "×");
    remove.disabled = this.seats.length === 1;
    remove.onclick = () => { this.seats.splice(i, 1); this.show(); };
    return el("div", { class: "seat" }, el("span", { class: "place" }, String(i + 1)), select, remove, text);
  }

  set(i, player) {
    this.seats[i] = player;
    this.show();
    $("seats").children[i].querySelector("select").focus();
  }

  submit(event) {
    event.preventDefault();
    const game = {
      players: this.seats.map((text) => text.trim()),
      tiles: $("set-tiles").value,
      meeples: Number($("set-meeples").value),
      known_order: $("set-known").checked,
    };
    try {
      localStorage.setItem(KEPT, JSON.stringify(game));
    } catch { /* a browser may keep nothing */ }
    this.start(game);
  }
}
