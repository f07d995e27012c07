// The page of any game: connects the server, the picture, the moves and the panels.

import { NewGame } from "./new_game.js";
import { $, el, isCoarse } from "./pages.js";
import { Picture, isSame, showMoves } from "./picture.js";
import { showSearch } from "./search.js";
import { Server } from "./server.js";
import { startTheme } from "./theme.js";

const PRESS = isCoarse() ? "tap" : "click";

let server, setup, picture;
let state = null; // the last state that shows the present or the position looked at
let chosen = null; // the place whose moves are listed
let isStarting = false;

const game = () => location.hash.slice(1);
const view = () => state.view;
const isPresent = () => view().ply === view().last_ply;

async function begin() {
  startTheme();
  const facts = await fetch("facts.json").then((response) => response.json());
  picture = new Picture(choose);
  setup = new NewGame(facts, (type, content) => {
    isStarting = true;
    server.send(type, content);
  });
  addListeners();
  server = new Server({ opened, lost, state: showState, thought: showThought, error: refused });
}

// The server

function opened() {
  document.body.classList.remove("offline");
  notice("");
  if (game()) server.send("open", { game: game() });
  else setup.open(false);
}

function lost() {
  document.body.classList.add("offline");
  notice("The connection to the server is lost. Is the command still running?");
}

function refused({ message }) {
  if (isStarting || !state) {
    if (!state) history.replaceState(null, "", location.pathname);
    setup.open(Boolean(state));
    setup.refuse(message);
  } else notice(message);
  isStarting = false;
}

function showState(message) {
  const isOther = message.game !== game() || !state;
  if (isOther) {
    history.replaceState(null, "", `#${message.game}`);
    setup.close();
    $("save").href = `games/${message.game}.json`;
  }
  isStarting = false;
  if (!isOther && !message.is_answer && !isPresent() && view().ply < message.view.last_ply) {
    const { last_ply, record } = message.view; // the reader looks at the past
    Object.assign(view(), { last_ply, record });
    return showRecord();
  }
  state = message;
  chosen = null;
  notice("");
  return showAll();
}

function showThought({ game: name, ply, thought }) {
  if (name !== game() || ply !== view().ply) return;
  view().thought = thought;
  showPosition();
}

// What is shown

function showAll() {
  const now = view();
  $("title").textContent = now.game;
  document.title = now.choices.length ? `Your turn – ${now.game}` : now.game;
  $("progress").textContent = now.result ? "Game over" : `${now.ply} ${now.ply === 1 ? "move" : "moves"} played`;
  $("players").replaceChildren(...now.seats.map(({ name }, i) => el("div", { class: i === now.player ? "player next" : "player" },
    el("span", { class: "name" }, name))));
  $("status").replaceChildren(...statusWords());
  showPosition();
  showRecord();
  showActions();
}

function showPosition() {
  const now = view();
  picture.show(now, chosen);
  showMoves(now.choices, chosen, play);
  showSearch(now.thought, now.thought ? now.seats[now.thought.player].name : "");
}

function statusWords() {
  const now = view();
  if (!isPresent()) return [`After ${now.ply} of ${now.last_ply} moves `, el("button", { onclick: () => look(now.last_ply) }, "Back to the game")];
  if (now.result) return [el("b", {}, now.result.join(". ")), " ", el("button", { class: "main", onclick: () => setup.open(true) }, "New game")];
  const { name, is_person: isPerson } = now.seats[now.player];
  if (!isPerson) return [el("b", {}, name), state.is_held ? " waits: paused" : " thinks …"];
  const words = state.is_thinking ? " A hint is on its way …" : now.choices.some(({ place }) => place) ? ` Choose a move, or ${PRESS} a place.` : " Choose a move.";
  return [el("b", {}, name === "you" ? "Your turn." : `${name}, it is your turn.`), words];
}

function showActions() {
  const now = view();
  const isMine = now.choices.length > 0;
  const shownIf = {
    hint: isMine, undo: now.can_undo, hurry: state.is_thinking && !isMine && isPresent(),
    resign: isPresent() && now.player !== null && now.seats.some((seat) => seat.is_person),
    hold: isPresent() && now.player !== null && (!isMine || state.is_held),
  };
  for (const [id, isShown] of Object.entries(shownIf)) $(id).hidden = !isShown;
  $("hint").disabled = state.is_thinking;
  $("hold").textContent = state.is_held ? "Go on" : "Pause";
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

function notice(words) { $("notice").textContent = words; }

// Moves of the person, and steps through the game

function choose(place) {
  const there = view().choices.filter((choice) => choice.place && isSame(choice.place, place));
  if (there.length === 1) return play(there[0].action);
  chosen = place;
  showPosition();
  return $("moves").querySelector("button")?.focus();
}

function play(action) { server.send("play", { ply: view().ply, action }); }

function look(ply) { server.send("look", { ply: Math.min(Math.max(ply, 0), view().last_ply) }); }

const WISHES = { h: "hint", u: "undo" };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !state) return;
  if (event.target.closest("input, select")) return;
  if (event.key in WISHES && !$(WISHES[event.key]).hidden) server.send(WISHES[event.key]);
  else if (event.key === "[") look(view().ply - 1);
  else if (event.key === "]") look(view().ply + 1);
  else if (event.key === "Escape" && chosen) showEverywhere();
  else return;
  event.preventDefault();
}

function showEverywhere() {
  chosen = null;
  showPosition();
}

function addListeners() {
  const clicks = {
    new: () => setup.open(Boolean(state)), hint: () => server.send("hint"), undo: () => server.send("undo"),
    resign: () => { if (confirm("Give this game up?")) server.send("resign"); },
    hurry: () => server.send("hurry"), hold: () => server.send("hold", { is_held: !state.is_held }), all: showEverywhere,
    first: () => look(0), before: () => look(view().ply - 1), after: () => look(view().ply + 1), last: () => look(view().last_ply),
  };
  for (const [id, listener] of Object.entries(clicks)) $(id).addEventListener("click", listener);
  $("ply").addEventListener("input", (event) => look(Number(event.target.value)));
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", () => location.reload());
}

begin();
