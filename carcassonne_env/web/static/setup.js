// The dialog of a new game.

import { Dialog, ME } from "./dialog.js";
import { load } from "./live.js";
import { $, el, keep, kept } from "./pages.js";
import { say } from "./words.js";

const MAX_SEATS = 5;
const EXAMPLE = "strongest(time_limit=2)";
const KEPT = "carcassonne-setup"; // of the game that was started last in this browser

export class Setup extends Dialog {
  constructor(facts) {
    super(facts);
    const before = JSON.parse(kept(KEPT)) ?? {};
    this.seats = facts.players ?? before.players ?? [ME, "casual"];
    $("set-meeples").replaceChildren(...[1, 2, 3, 4, 5, 6, 7].map((count) => el("option", {}, String(count))));
    $("set-meeples").value = before.meeples ?? 7;
    $("set-tiles").value = before.tiles ?? "base";
    $("set-clock").value = before.time ?? "";
    $("set-known").checked = before.known_order ?? false;
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
    $("seats").replaceChildren(...this.seats.map((_, i) =>
      this.seat(this.seats, i, [], EXAMPLE, () => this.show(), this.remover(i))));
    $("add-seat").disabled = this.seats.length >= MAX_SEATS;
  }

  remover(i) {
    const remove = () => { this.seats.splice(i, 1); this.show(); };
    return el("button", {
      type: "button", "aria-label": say("remove_seat", { number: i + 1 }), title: say("remove"),
      disabled: this.seats.length === 1, onclick: remove,
    }, "×");
  }

  meaning(player) { return player in this.facts.levels ? say(`meaning_${player}`) : null; }

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
