// The dialog of a new game.

import { $, el } from "./pages.js";
import { gamesIn } from "./files.js";

const MAX_SEATS = 5;
const ME = "me";
const OWN = "own";
const KEPT = "carcassonne-setup";

export class Setup {
  /** `start(settings)` begins a new game, `load(type, content)` opens one of a file. */
  constructor(facts, start, load) {
    this.facts = facts;
    this.start = start;
    this.load = load;
    this.seats = facts.players ?? this.kept().players ?? [ME, "casual"];
    $("set-meeples").replaceChildren(...[1, 2, 3, 4, 5, 6, 7].map((count) => el("option", {}, String(count))));
    $("set-meeples").value = this.kept().meeples ?? 7;
    $("set-tiles").value = this.kept().tiles ?? "base";
    $("set-known").checked = this.kept().known_order ?? false;
    $("add-seat").onclick = () => this.add();
    $("cancel").onclick = () => $("setup").close();
    $("setup").querySelector("form").onsubmit = (event) => this.submit(event);
    $("open").onclick = () => $("file").click();
    $("file").onchange = () => this.read($("file").files[0]);
    this.show();
  }

  open(canCancel) {
    $("cancel").hidden = !canCancel;
    $("setup-error").textContent = "";
    $("games").hidden = true;
    if (!$("setup").open) $("setup").showModal();
    $("start").focus();
    this.showKept();
  }

  /** Proposes the games that the server has kept. */
  async showKept() {
    const kept = await fetch("kept.json").then((response) => response.json()).catch(() => []);
    const games = kept.map(({ name, players }) => ({ words: `${name.slice(0, 10)}, ${players.join(" – ")}`, type: "open", content: { game: name } }));
    if (games.length && $("games").hidden) this.propose(games, "Go on with …");
  }

  /** Says why the server refused the game. */
  refuse(words) { $("setup-error").textContent = words; }

  /** Opens the game of a file, or lets the reader choose one. */
  async read(file) {
    $("file").value = "";
    $("setup-error").textContent = "";
    $("games").hidden = true;
    try {
      const games = await gamesIn(file);
      if (games.length === 1) return this.load(games[0].type, games[0].content);
      this.propose(games, `Choose one of ${games.length} games`);
      $("set-game").focus();
    } catch (error) {
      this.refuse(error.message);
    }
    return null;
  }

  propose(games, words) {
    $("set-game").replaceChildren(el("option", {}, words), ...games.map((game) => el("option", {}, game.words)));
    $("set-game").onchange = () => {
      const { type, content } = games[$("set-game").selectedIndex - 1];
      this.load(type, content);
    };
    $("games").hidden = false;
  }

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
