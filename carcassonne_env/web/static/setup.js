// The dialog of a new game.

import { Dialog, ME } from "./dialog.js";
import { keep, kept } from "./kept.js";
import { load } from "./live.js";
import { $, el } from "./pages.js";
import { say } from "./words.js";

const MAX_SEATS = 5;
const EXAMPLE = "strongest(time_limit=2)";
const KEPT = "carcassonne-setup"; // of the game that was started last in this browser

export class Setup extends Dialog {
  constructor(facts) {
    super(facts);
    const { players = [ME, "casual"], meeples = 7, tiles = "base", time = "", known_order: isKnown = false } = JSON.parse(kept(KEPT)) ?? {};
    this.seats = facts.players ?? players;
    $("set-meeples").replaceChildren(...[1, 2, 3, 4, 5, 6, 7].map((count) => el("option", {}, String(count))));
    $("set-meeples").value = meeples;
    $("set-tiles").value = tiles;
    $("set-clock").value = time;
    $("set-known").checked = isKnown;
    $("add-seat").onclick = () => this.add();
    $("rules").onclick = () => $("help-box").showModal();
    this.show();
  }

  tables() { return import("./files.js"); }

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
    const remove = el("button", { type: "button", "aria-label": say("remove_seat", { number: i + 1 }), title: say("remove") }, "×");
    remove.disabled = this.seats.length === 1;
    remove.onclick = () => { this.seats.splice(i, 1); this.show(); };
    const seat = this.seat(this.seats, i, [], EXAMPLE, () => this.show(), remove);
    if (player in this.facts.levels) seat.append(el("p", { class: "facts" }, say(`meaning_${player}`)));
    return seat;
  }

  submit() {
    const game = {
      players: this.seats.map((text) => text.trim()),
      tiles: $("set-tiles").value,
      meeples: Number($("set-meeples").value),
      known_order: $("set-known").checked,
    };
    const seed = $("set-seed").value.trim();
    keep(KEPT, JSON.stringify({ ...game, time: $("set-clock").value }));
    load("new", { ...game, clock: this.clock, seed: seed ? Number(seed) : null });
  }
}
