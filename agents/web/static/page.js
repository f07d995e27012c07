// The page of any game: connects the server, the picture, the moves and the panels.

import { connect, game, listen, look, send, showActions, statusWords, view } from "./live.js";
import { NewGame } from "./new_game.js";
import { $, el, isCoarse } from "./pages.js";
import { Picture, isSame, showMoves } from "./picture.js";
import { effort, fixed, rowsTable, showParts } from "./search.js";
import { startTheme } from "./theme.js";

const PRESS = isCoarse() ? "tap" : "click";

let picture;
let chosen = null; // the place whose moves are listed

async function begin() {
  startTheme();
  const facts = await fetch("facts.json").then((response) => response.json());
  picture = new Picture(choose);
  listen({ all: showEverywhere }, ({ key }) => (key === "Escape" && chosen ? showEverywhere : null));
  connect(new NewGame(facts), { shown: showAll, grown: showRecord, thought: showThought }, ["last_ply", "record"]);
}

function showThought({ game: name, ply, thought }) {
  if (name !== game() || ply !== view().ply) return;
  view().thought = thought;
  showPosition();
}

// What is shown

function showAll() {
  const now = view();
  chosen = null;
  $("save").href = `games/${game()}.json`;
  $("title").textContent = now.game;
  document.title = now.choices.length ? `Your turn – ${now.game}` : now.game;
  $("progress").textContent = now.result ? "Game over" : `${now.ply} ${now.ply === 1 ? "move" : "moves"} played`;
  $("players").replaceChildren(...now.seats.map(({ name }, i) => el("div", { class: i === now.player ? "player next" : "player" },
    el("span", { class: "name" }, name))));
  $("status").replaceChildren(...statusWords({
    idle: now.choices.some(({ place }) => place) ? `: choose a move, or ${PRESS} a place` : ": choose a move",
    ended: [el("b", {}, now.result?.join(". ")), " "],
  }));
  showPosition();
  showRecord();
  showActions(now.choices.length > 0);
}

function showPosition() {
  const now = view();
  picture.show(now, chosen);
  showMoves(now.choices, chosen, play);
  if (now.thought) showSearch(now.thought, now.seats[now.thought.player].name);
  else showParts();
}

function showSearch(thought, name) {
  const value = (mean) => (mean === null ? "–" : fixed(mean, 3));
  showParts(
    el("p", { class: "who" }, el("b", {}, thought.is_hint ? `Hint for ${name}` : name), ` expects a return of ${value(thought.value)}`),
    effort(thought),
    thought.line.length ? el("p", { class: "facts" }, `Expected: ${thought.line.join(", ")}`) : "",
    thought.rows.length ? rowsTable(thought, {
      move: (row) => row.words, value: (row) => value(row.value), digits: 3, head: "value", title: "Expected return of the player to move",
    }) : "");
}

function showRecord() {
  const { ply, last_ply: last, record, seats } = view();
  Object.assign($("ply"), { max: last, value: ply });
  $("ply").setAttribute("aria-valuetext", `${ply} of ${last}`);
  $("record").replaceChildren(...record.map(([player, words], i) => el("li", {},
    el("button", { class: i >= ply ? "later" : "", "aria-current": i + 1 === ply ? "step" : null, onclick: () => look(i + 1) },
      el("span", { class: "number" }, String(i + 1)), el("b", {}, seats[player].name), words))));
  $("record").children[Math.max(0, ply - 1)]?.scrollIntoView({ block: "nearest" });
}

// Moves of the person

function choose(place) {
  const there = view().choices.filter((choice) => choice.place && isSame(choice.place, place));
  if (there.length === 1) return play(there[0].action);
  chosen = place;
  showPosition();
  return $("moves").querySelector("button")?.focus();
}

function play(action) { send("play", { ply: view().ply, action }); }

function showEverywhere() {
  chosen = null;
  showPosition();
}

begin();
