// The dialog of a new game: which game, and who plays.

import { $, el } from "./pages.js";

const ME = "me";
const MAX_GAME = 12_000;

export class NewGame {
  /** `send(type, content)` asks the server for a game. */
  constructor(facts, send) {
    this.facts = facts;
    this.send = send;
    this.players = facts.players ?? [];
    $("set-game").value = facts.game;
    $("known-games").replaceChildren(...Object.keys(facts.sizes).map((name) => el("option", { value: name })));
    $("set-game").oninput = () => this.show();
    $("cancel").onclick = () => this.close();
    $("setup").querySelector("form").onsubmit = (event) => this.submit(event);
    $("open").onclick = () => $("file").click();
    $("file").onchange = () => this.read($("file").files[0]);
    $("more").onclick = () => this.seat(this.players.length + 1);
    $("fewer").onclick = () => this.seat(this.players.length - 1);
    this.seat(this.players.length || 2);
    this.show();
  }

  get game() { return $("set-game").value.trim(); }

  open(canCancel) {
    $("cancel").hidden = !canCancel;
    this.refuse("");
    if (!$("setup").open) $("setup").showModal();
    $("start").focus();
    this.showKept();
  }

  close() { if ($("setup").open) $("setup").close(); }

  /** Says why the server refused the game. */
  refuse(words) { $("setup-error").textContent = words; }

  /** Proposes the games that the server has kept. */
  async showKept() {
    const kept = await fetch("kept.json").then((response) => response.json()).catch(() => []);
    const words = kept.map(({ name, players, game }) => `${name.slice(0, 10)}, ${game}: ${players.join(" – ")}`);
    $("games").hidden = kept.length === 0;
    $("kept-game").replaceChildren(...["Go on with …", ...words].map((text) => el("option", {}, text)));
    $("kept-game").onchange = () => {
      const chosen = kept[$("kept-game").selectedIndex - 1];
      if (chosen) this.send("open", { game: chosen.name });
    };
  }

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
        value: player, list: "known-players", "aria-label": `Player ${i + 1}`, spellcheck: "false", maxlength: 1000,
        oninput: (event) => (this.players[i] = event.target.value),
      }))));
  }

  async read(file) {
    $("file").value = "";
    if (file.size > MAX_GAME) this.refuse(`A saved game has at most ${MAX_GAME.toLocaleString("en")} bytes, and ${file.name} has ${file.size.toLocaleString("en")}.`);
    else this.send("load", { text: await file.text() });
  }

  submit(event) {
    event.preventDefault();
    this.send("new", { game: this.game, players: this.players.map((text) => text.trim()) });
  }
}
