// The page: connects the server, the board, the hand and the panels.

import { showLosses } from "./analysis.js";
import { Board } from "./board.js";
import { Choice } from "./choice.js";
import { closeEnding, openEnding, showEnding } from "./ending.js";
import { Hand } from "./hand.js";
import { showMotion } from "./motion.js";
import { $, el, isCoarse } from "./pages.js";
import { SHOWN_LOSS, previewWords, regionWords, showBag, showCurve, showPlayers, showRecord, showRegions } from "./panels.js";
import { chip } from "./pieces.js";
import { Server } from "./server.js";
import { Setup } from "./setup.js";
import { chooseTab, startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { showThought } from "./thought.js";

const NOTICE_MS = 4000;
const PRESS = isCoarse() ? "Tap" : "Click";

const shown = { heat: true, line: true };
let facts, board, hand, setup, server;
let state = null; // the last state that shows the present or the position looked at
let choice = null;
let analysis = null; // what the moves lost, as far as the server has told
let seen = null; // the thought in the panel, with its ply and the name of its player
let isStarting = false;
let asked = null; // the ply of the position that the server was asked for last, until it is shown

const game = () => location.hash.slice(1);
const view = () => state?.view;
const isPresent = () => view() && view().ply === view().last_ply;

async function begin() {
  startTheme();
  startTabs();
  const [symbols, read] = await Promise.all([
    fetch("symbols.svg").then((response) => response.text()),
    fetch("facts.json").then((response) => response.json()),
  ]);
  const drawing = new DOMParser().parseFromString(symbols, "image/svg+xml").documentElement;
  $("symbols").append(document.adoptNode(drawing));
  facts = read;
  board = new Board($("board"), facts, { place, turn, meeple, play, miss, point });
  hand = new Hand(dropped, () => turn(1));
  setup = new Setup(facts, start, load);
  $("level").replaceChildren(...Object.keys(facts.levels).map((level) => el("option", { selected: level === "expert" }, level)));
  $("levels").replaceChildren(...Object.entries(facts.meanings).flatMap(([level, words]) => [el("dt", {}, level), el("dd", {}, words)]));
  addListeners();
  server = new Server({ opened, lost, state: showState, thought: showProgress, analysis: showAnalysis, weighed, error: refused });
}

// The server

function opened() {
  if (document.body.classList.replace("offline", "online")) notice("The connection is back.");
  if (game()) server.send("open", { game: game() });
  else setup.open(false);
}

function lost() {
  document.body.className = "offline";
  notice("The connection to the server is lost. Is the command still running?", false);
}

function refused({ message }) {
  if (isStarting) setup.refuse(message);
  else if (!state) {
    history.replaceState(null, "", location.pathname);
    setup.open(false);
    setup.refuse(message);
  } else notice(message);
  isStarting = false;
  asked = null;
}

function start(settings) { load("new", settings); }

function load(type, content) {
  isStarting = true;
  server.send(type, content);
}

function showState(message) {
  const isOther = message.game !== game() || !state;
  if (isOther) {
    history.replaceState(null, "", `#${message.game}`);
    setup.close();
    $("board").focus({ preventScroll: true });
    seen = analysis = null;
    chooseTab(message.view.result ? "analysis" : "game");
    for (const [id, end] of [["save", "json"], ["export", "html"]]) $(id).href = `games/${message.game}.${end}`;
  }
  isStarting = false;
  if (isOther || message.view.ply === asked) asked = null;
  if (!isOther && !message.is_answer && !isPresent() && view().ply < message.view.last_ply) {
    const { last_ply, record, curve, final_points } = message.view; // the reader looks at the past
    Object.assign(view(), { last_ply, record, curve, final_points });
    showCurve(view(), facts, seek);
    showAnalysed();
    showChoice();
    return;
  }
  const before = isOther ? null : view();
  state = message;
  renewChoice();
  showAll(isOther);
  showMotion(board, before, view(), $("hand"));
  if (choice && document.activeElement === document.body) $("board").focus({ preventScroll: true });
}

function look(ply) {
  asked = Math.min(Math.max(ply, 0), view().last_ply);
  server.send("look", { ply: asked });
}

/** Goes on from the position that the reader has asked for, whether or not it is shown yet. */
function step(moves) { look((asked ?? view().ply) + moves); }

/** Looks at a position that was chosen below the board, as on a phone. */
function seek(ply) {
  look(ply);
  $("table").scrollIntoView({ block: "nearest" });
}

function showProgress({ game: name, ply, thought }) {
  if (name !== game()) return;
  seen = { thought, ply, name: view().seats[thought.player].name };
  if (view().ply === ply) view().thought = thought;
  if (thought.is_hint && thought.is_final && choice) takeHint(thought);
  showSearch();
}

function showAnalysis(message) {
  if (message.game !== game()) return;
  analysis = message;
  showAnalysed();
}

/** What a move lost, if it was analysed. */
function lossOf(number) { return analysis?.losses.find((loss) => loss.number === number); }

function showAnalysed() {
  const losses = analysis?.losses ?? [];
  const isRunning = Boolean(analysis?.is_running);
  const words = `${losses.length} of ${view().last_ply} moves`;
  $("analyse").textContent = isRunning ? "Stop" : "Analyse";
  $("analyse").disabled = view().last_ply === 0;
  $("level").disabled = isRunning;
  $("analysed").textContent = losses.length ? words + (isRunning ? " …" : "") : isRunning ? "Searching …" : "";
  showRecord(view(), facts, seek, lossOf);
  showLosses(losses, view(), facts, seek);
  const next = lossOf(view().ply + 1);
  board.showCompared(view().record[view().ply]?.placement, next?.points >= SHOWN_LOSS ? next.better : null);
}

/** Lays the tile as a hint proposes. */
function takeHint({ rows, action }) {
  const { placement } = rows.find((row) => row.action === action) ?? rows[0];
  lay(placement);
}

// What is shown

function renewChoice() {
  const { legal, tile, board: tiles } = view();
  const isMine = Object.keys(legal).length > 0;
  const [, x, y] = tiles.at(-1);
  const same = choice && isMine && choice.ply === view().ply && choice.game === state.game;
  if (same) return;
  choice = isMine ? new Choice(legal, facts.tiles[tile].num_rotations, [x, y]) : null;
  if (choice) Object.assign(choice, { ply: view().ply, game: state.game });
}

function showAll(isOther) {
  const now = view();
  board.show(now, isOther);
  showPlayers(now, facts);
  showBag(now);
  showEnding(now, now.regions, facts, (number) => board.light(number));
  showRegions(now, facts, (number) => board.light(number));
  showCurve(now, facts, seek);
  showAnalysed();
  if (seen && seen.ply > now.last_ply) seen = null; // it was taken back
  if (now.thought) seen = { thought: now.thought, ply: now.ply, name: now.seats[now.thought.player].name };
  showSearch();
  showChoice();
  document.title = choice ? "Your turn – Carcassonne" : "Carcassonne";
  $("progress").textContent = now.result ? "Game over" : `Tile ${now.num_tiles - Object.values(now.bag).reduce((a, b) => a + b, 0)} of ${now.num_tiles}`;
}

function showSearch() {
  const isHere = seen !== null && seen.ply === view().ply;
  const change = (name, value) => { shown[name] = value; showSearch(); };
  showThought(seen, shown, { change, look, preview, lay }, isHere, view().seats.length === 1, facts);
  showOverlays();
}

/** Draws the thought on the board; the line of play makes room for the tile about to be placed. */
function showOverlays() {
  const isHere = seen !== null && seen.ply === view().ply;
  board.showThought(isHere ? seen.thought : null, { heat: shown.heat, line: shown.line && !choice?.cell, cell: choice?.cell });
}

function preview(placement) {
  if (placement) return board.preview(placement);
  board.showChoice(choice);
  return showOverlays();
}

/** Lays the tile of the person to move as a search would. */
function lay({ x, y, rotation, slot }) {
  if (!choice?.place([x, y], rotation, slot)) return;
  choice.rotation = rotation;
  showChoice();
  revealChoice();
}

function revealChoice() {
  const [x, y] = choice.cell ?? [];
  if (!choice.cell) return;
  board.reveal(0, { x, y });
  board.approach(choice.cell);
}

function showChoice() {
  const now = view();
  board.showChoice(choice);
  hand.show(choice?.cell ? null : now.tile, choice?.rotation ?? 0, choice !== null);
  $("status").replaceChildren(...statusWords());
  $("told").replaceChildren(...(choice ? choiceWords() : []));
  showSpots();
  weigh();
  const isHere = isPresent();
  const isBusy = state.is_thinking && isHere;
  const shownIf = {
    play: choice, "turn-on": choice, "turn-back": choice, "take-back": choice?.cell, hint: choice,
    undo: isHere && now.can_undo, resign: isHere && !choice?.cell && now.seats.some((seat) => seat.is_person) && now.player !== null,
    hurry: isBusy && !choice, hold: isHere && now.player !== null && (!choice || state.is_held),
  };
  for (const [id, isShown] of Object.entries(shownIf)) $(id).hidden = !isShown;
  $("play").disabled = !choice?.cell;
  $("hint").disabled = isBusy;
  $("hold").textContent = state.is_held ? "Go on" : "Pause";
  showOverlays();
}

function statusWords() {
  const now = view();
  if (!isPresent()) {
    return [`After ${now.ply} of ${now.last_ply} moves `, el("button", { onclick: () => look(now.last_ply) }, "Back to the game")];
  }
  if (now.result) return [el("b", {}, "Game over"), el("button", { onclick: () => { openEnding(); showAll(); } }, "Result"), el("button", { class: "main", onclick: () => setup.open(true) }, "New game")];
  const { name, is_person: isPerson } = now.seats[now.player];
  const who = [chip(now.player, facts.colours), el("b", {}, name === "you" ? "Your turn" : isPerson ? `${name}, it is your turn` : name)];
  if (isPerson) return state.is_thinking ? [...who, " A hint is on its way …"] : who;
  return [...who, state.is_held ? " waits: paused" : " thinks …"];
}

/** Asks what the chosen move would do. */
function weigh() {
  if (!choice && isPresent()) $("note").textContent = "";
  if (!choice) return;
  if (choice.action !== choice.asked) $("note").textContent = "";
  if (choice.cell && choice.action !== choice.asked) server.send("weigh", { ply: view().ply, action: choice.action });
  choice.asked = choice.action;
}

function weighed({ game: name, ply, action, preview }) {
  if (name === game() && choice?.ply === ply && choice.action === action) $("note").textContent = previewWords(preview, view());
}

/** How the tile lies, for those who do not see the board, and what to do next. */
function choiceWords() {
  if (!choice.cell) return [`${PRESS} a marked place or drag the tile.`];
  const [x, y] = choice.cell;
  const lies = `Column ${x}, row ${y}, turned ${90 * choice.rotation}°, ${slotWords(choice.slot)}. `;
  return [el("span", { class: "hidden" }, lies), nextWords()];
}

function nextWords() {
  if (choice.slot) return `Play puts your ${slotWords(choice.slot)}.`;
  if (choice.slots.length > 1) return `${PRESS} a ring for a meeple, or Play.`;
  if (!view().in_hand[view().player]) return "You have no meeple in hand.";
  return "Each feature has a meeple already.";
}

function slotWords(slot) {
  return slot ? `meeple on the ${facts.tiles[view().tile].kinds[slot - 1]}` : "no meeple";
}

function showSpots() {
  const slots = choice?.cell && choice.slots.length > 1 ? choice.slots : [];
  $("choices").replaceChildren(...slots.map((slot, i) => {
    const words = slotWords(slot).replace("meeple on the ", "");
    const name = slot ? `${i} ${words}` : words; // as the ring on the tile
    return el("button", { "aria-pressed": String(slot === choice.slot), onclick: () => meeple(slot, true) }, name);
  }));
}

/** Tells something above the board, for some seconds or until the next notice. */
function notice(words, isShort = true) {
  $("notice").textContent = words;
  clearTimeout(notice.timer);
  if (isShort) notice.timer = setTimeout(() => ($("notice").textContent = ""), NOTICE_MS);
}

function point(region) {
  $("pointed").hidden = !region;
  $("pointed").textContent = region ? regionWords(region, view()) : "";
}

// Moves of the person

function place(cell) {
  if (!choice?.place(cell)) return;
  showChoice();
  board.approach(cell);
}

function miss(cell) {
  const isTaken = view().board.some(([, x, y]) => x === cell[0] && y === cell[1]);
  if (!isTaken) notice("The tile does not fit there. It fits where a place is marked.");
}

function dropped(event) {
  const isOnBoard = document.elementsFromPoint(event.clientX, event.clientY).includes($("board"));
  if (!isOnBoard || !choice) return;
  const cell = board.window.cell(event);
  if (choice.fits(cell)) place(cell);
  else notice("The tile does not fit there. It fits where a place is marked.");
}

function turn(steps) {
  if (!choice) return;
  if (!choice.turn(steps) && choice.cell) notice("The tile fits here only this way round.");
  showChoice();
}

function meeple(slot, isSure = false) {
  choice.slot = !isSure && choice.slot === slot ? 0 : slot;
  showChoice();
}

function play() {
  if (!choice?.cell) return;
  server.send("play", { ply: view().ply, action: choice.action });
}

function takeBack() {
  choice?.takeBack();
  if (choice) showChoice();
}

function hint() {
  if (!choice) return;
  chooseTab("analysis");
  server.send("hint");
}

// Keys and buttons

const KEYS = {
  r: () => turn(1), R: () => turn(-1), m: () => nextSlot(1), M: () => nextSlot(-1), Escape: () => ($("ending").hidden ? takeBack() : $("ending-close").click()), u: undo, h: hint,
  n: () => nextCell(1), N: () => nextCell(-1), "+": () => board.window.zoom(0.8), "=": () => board.window.zoom(0.8),
  "-": () => board.window.zoom(1.25), 0: () => board.window.fit(), "?": () => $("help-box").showModal(),
  "[": () => step(-1), "]": () => step(1), Home: () => look(0), End: () => look(view().last_ply),
};

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !state) return;
  const isTyping = event.target.closest("input, select, textarea");
  if (isTyping) return;
  const isOnButton = event.target.closest("button, a, [tabindex]") && event.target !== $("board");
  if (event.key.startsWith("Arrow")) {
    if (isOnButton && event.target.closest(".scroll")) return;
    if (choice) {
      choice.step(event.key);
      showChoice();
      revealChoice();
    } else if (event.key in STEPS) step(STEPS[event.key]);
    else return;
  } else if (event.key === "Enter") {
    if (isOnButton) return;
    play();
  } else if (/^[1-8]$/.test(event.key)) {
    const slot = choice?.slots.filter((each) => each > 0)[event.key - 1];
    if (slot) meeple(slot);
  } else if (event.key in KEYS) KEYS[event.key]();
  else return;
  event.preventDefault();
}

function nextSlot(steps) {
  if (!choice?.cell) return;
  choice.nextSlot(steps);
  showChoice();
}

function nextCell(steps) {
  if (!choice) return;
  choice.nextCell(steps);
  showChoice();
  revealChoice();
}

function undo() { if (isPresent() && view().can_undo) server.send("undo"); }

function addListeners() {
  const clicks = {
    new: () => setup.open(Boolean(state)), help: () => $("help-box").showModal(), play, hint, undo,
    "turn-on": () => turn(1), "turn-back": () => turn(-1), "take-back": takeBack,
    analyse: () => server.send("analyse", { level: analysis?.is_running ? null : $("level").value }),
    resign: () => { if (confirm("Give this game up?")) server.send("resign"); },
    hurry: () => server.send("hurry"), hold: () => server.send("hold", { is_held: !state.is_held }),
    "zoom-in": () => board.window.zoom(0.8), "zoom-out": () => board.window.zoom(1.25), fit: () => board.window.fit(),
    first: () => look(0), before: () => step(-1), after: () => step(1), last: () => look(view().last_ply),
    "ending-close": () => {
      closeEnding(view());
      chooseTab("analysis");
    },
  };
  for (const [id, listener] of Object.entries(clicks)) $(id).addEventListener("click", listener);
  for (const id of ["turn", "zoom"]) {
    $(id).addEventListener("click", (event) => { // a mouse leaves the keys to the board
      if (event.detail > 0 && !document.querySelector("dialog[open]")) $("board").focus({ preventScroll: true });
    });
  }
  $("ply").addEventListener("input", (event) => look(Number(event.target.value)));
  document.addEventListener("keydown", pressed);
  window.addEventListener("hashchange", () => location.reload());
}

begin();
