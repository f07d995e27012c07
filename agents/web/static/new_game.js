// The dialog of a new game: which game, and who plays.

import { Dialog, ME, OTHER, optionsOf } from "./dialog.js";
import { load } from "./live.js";
import { $ } from "./pages.js";
import { say } from "./words.js";

const EXAMPLE = "mcts(time_limit=2)";

/** The name in the words of a game, which may have options. */
export const nameIn = (game) => game.split("(")[0].trim();

/** The first sentence of the rules of a game. */
export const goalOf = ({ rules }) => rules.split(/(?<=\.)\s/)[0];

export class NewGame extends Dialog {
  /** `showRules(game)` shows the rules of a game. */
  constructor(facts, showRules) {
    super(facts);
    this.players = facts.players ?? [];
    const titled = (name) => facts.about[nameIn(name)].title + name.slice(nameIn(name).length);
    const games = Object.keys(facts.sizes).map((name) => [name, titled(name)]);
    $("set-game").replaceChildren(...optionsOf([...games, [OTHER, say("other_game")]]));
    $("set-game").value = facts.game;
    $("set-game").onchange = () => this.choose();
    $("other-game").oninput = () => this.show();
    $("more").onclick = () => this.seats(this.players.length + 1);
    $("fewer").onclick = () => this.seats(this.players.length - 1);
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
    const isGone = (player) => named[this.name]?.includes(player) && !named[name].includes(player);
    this.players = this.players.map((player) => (isGone(player) ? "casual" : player));
    this.name = name;
    $("goal").textContent = goalOf(this.facts.about[nameIn(name)]);
    this.seats(sizes[name]);
  }

  seats(count) {
    this.players = Array.from({ length: count }, (_, i) => this.players[i] ?? (i ? "casual" : ME));
    $("fewer").disabled = count === 1;
    const named = this.facts.named[this.name];
    $("seats").replaceChildren(...this.players.map((_, i) =>
      this.seat(this.players, i, named, EXAMPLE, () => this.seats(count))));
  }

  /** What a level or a player is that comes with the game. */
  meaning(player) {
    if (player in this.facts.levels) return say(`about_${player}`);
    if (!this.facts.named[this.name].includes(player)) return null;
    return say(player.endsWith("evolved") ? "about_evolved" : "about_named");
  }

  submit() { load("new", { game: this.game, players: this.players.map((text) => text.trim()), clock: this.clock }); }
}
