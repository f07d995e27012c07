// The dialog of a new game: which game, and who plays.

import { Dialog, ME } from "./dialog.js";
import { load } from "./live.js";
import { $, el } from "./pages.js";
import { say } from "./words.js";

export class NewGame extends Dialog {
  constructor(facts) {
    super(facts);
    this.players = facts.players ?? [];
    $("set-game").value = facts.game;
    $("known-games").replaceChildren(...Object.keys(facts.sizes).map((name) => el("option", { value: name })));
    $("set-game").oninput = () => this.show();
    $("more").onclick = () => this.seat(this.players.length + 1);
    $("fewer").onclick = () => this.seat(this.players.length - 1);
    this.seat(this.players.length || 2);
    this.show();
  }

  get game() { return $("set-game").value.trim(); }

  /** As many seats as the game has, or the game without its options. */
  show() {
    const { sizes, levels, named } = this.facts;
    const name = [this.game, this.game.split("(")[0].trim()].find((each) => Object.hasOwn(sizes, each));
    const known = [ME, ...Object.keys(levels), ...(name ? named[name] : [])];
    $("known-players").replaceChildren(...known.map((player) => el("option", { value: player })));
    if (name && name !== this.name) this.seat(sizes[name]);
    this.name = name ?? this.name;
  }

  /** Shows so many seats. */
  seat(count) {
    this.players = Array.from({ length: count }, (_, i) => this.players[i] ?? (i ? "casual" : ME));
    $("fewer").disabled = count === 1;
    $("seats").replaceChildren(...this.players.map((player, i) => el("div", { class: "seat" },
      el("span", { class: "place" }, String(i + 1)),
      el("input", {
        value: player, list: "known-players", "aria-label": say("player", { number: i + 1 }), spellcheck: "false", maxlength: 1000,
        oninput: (event) => (this.players[i] = event.target.value),
      }))));
  }

  submit() { load("new", { game: this.game, players: this.players.map((text) => text.trim()), clock: this.clock }); }
}
