// The dialog of a new game: which game, and who plays.

import { Dialog, ME } from "./dialog.js";
import { load } from "./live.js";
import { $, el } from "./pages.js";
import { nameOf, say } from "./words.js";

const OTHER = ""; // in a list: what the reader names in words
const EXAMPLE = "mcts(time_limit=2)";

/** The name in the words of a game, which may have options. */
export const nameIn = (game) => game.split("(")[0].trim();

export class NewGame extends Dialog {
  /** `showRules(game)` shows the rules of a game. */
  constructor(facts, showRules) {
    super(facts);
    this.players = facts.players ?? [];
    $("set-game").replaceChildren(...optionsOf([...Object.keys(facts.sizes).map((name) => [name, name]), [OTHER, say("other_game")]]));
    $("set-game").value = facts.game;
    $("set-game").onchange = () => this.choose();
    $("other-game").oninput = () => this.show();
    $("more").onclick = () => this.seat(this.players.length + 1);
    $("fewer").onclick = () => this.seat(this.players.length - 1);
    $("about").onclick = () => showRules(this.game);
    this.show();
  }

  get game() { return $("set-game").value || $("other-game").value.trim(); }

  /** Goes on with the game of the list, or with a text that begins as the game before. */
  choose() {
    const isOther = $("set-game").value === OTHER;
    for (const id of ["other-game", "more", "fewer"]) $(id).hidden = !isOther;
    if (isOther) {
      $("other-game").value = this.name;
      $("other-game").focus();
    }
    this.show();
  }

  /** Shows as many seats as the game has, or the game without its options. */
  show() {
    const { sizes, named } = this.facts;
    const name = [this.game, nameIn(this.game)].find((each) => Object.hasOwn(sizes, each));
    if (!name || name === this.name) return;
    this.players = this.players.map((player) => (named[this.name]?.includes(player) && !named[name].includes(player) ? "casual" : player));
    this.name = name;
    this.seat(sizes[name]);
  }

  /** Shows so many seats. */
  seat(count) {
    this.players = Array.from({ length: count }, (_, i) => this.players[i] ?? (i ? "casual" : ME));
    $("fewer").disabled = count === 1;
    $("seats").replaceChildren(...this.players.map((player, i) => this.row(player, i)));
  }

  /** A seat: a list of known players, and a text for another one. */
  row(player, i) {
    const levels = Object.keys(this.facts.levels);
    const known = [[ME, say("a_person")], ...levels.map((level) => [level, say("level", { level: nameOf(level) })]), ...this.facts.named[this.name].map((name) => [name, name])];
    const isOther = known.every(([value]) => value !== player);
    const select = el("select", { "aria-label": say("player", { number: i + 1 }), onchange: () => this.set(i, select.value || EXAMPLE) },
      ...optionsOf([...known, [OTHER, say("other_planner")]]));
    select.value = isOther ? OTHER : player;
    const text = isOther ? el("input", {
      value: player, "aria-label": say("planner_of", { number: i + 1 }), spellcheck: "false", maxlength: 1000,
      oninput: () => (this.players[i] = text.value),
    }) : null;
    return el("div", { class: "seat" }, el("span", { class: "place" }, String(i + 1)), select, text);
  }

  set(i, player) {
    this.players[i] = player;
    this.seat(this.players.length);
    $("seats").children[i].querySelector("select").focus();
  }

  submit() { load("new", { game: this.game, players: this.players.map((text) => text.trim()), clock: this.clock }); }
}

const optionsOf = (pairs) => pairs.map(([value, words]) => el("option", { value }, words));
