// The page: connects the server, the board, the hand and the panels.

import { Board } from "./board.js";
import { Choice, expectsWords } from "./choice.js";
import { begin, showLosses } from "./frame.js";
import { Hand } from "./hand.js";
import { analyse, isPractice, nameBehind, showPractice, toMistake } from "./judge.js";
import {
  game, isByAddress, isMine, isPresent, look, lookedAt, notice, press, send, showActions, state, statusWords, step,
  view,
} from "./live.js";
import { $, el, isPressed, keep, kept, setPressed } from "./pages.js";
import {
  chooseTab, chosenTab, kindOf, lossesIn, meepleWords, placementWords, regionWords, showBag, showPlayers, showRegions,
  startPhone, startTabs,
} from "./panels.js";
import { chip } from "./pieces.js";
import { Setup } from "./setup.js";
import { say } from "./words.js";

const BRIEF = 0.3; // seconds of a search that would only flash on the board

const shown = { heat: true, line: true };
let facts, board, hand;
let curves, ending, farms, thoughts; // modules that are loaded when what they show is
let choice = null; // of the person to move
let held = null; // the move of a search that the reader has chosen to see in a position of the past, with its ply
let left = null; // what the panel showed before the reader looked at the tiles left
let seen = null; // the thought in the panel, with its ply and the name of its player

startTabs();
startPhone();
chooseSound(Boolean(kept("sound")));
const symbols = fetch("symbols.svg").then((response) => response.text());
begin(async (known) => {
  facts = known;
  const drawing = new DOMParser().parseFromString(await symbols, "image/svg+xml").documentElement;
  $("symbols").append(document.adoptNode(drawing));
  board = new Board($("board"), facts, { place, turn, meeple, play, miss, point });
  hand = new Hand(board, dropped, () => turn(1));
  $("help-box").addEventListener("focusin", fillHelp);
  keepKeys();
  return {
    dialog: new Setup(facts),
    board,
    losses: () => ({ ...lossesIn(facts), light }),
    shown: showState,
    grown,
    judged,
    thought: searched,
    heard: { weighed },
    clicks: CLICKS,
    keyed,
  };
});

async function fillHelp() {
  if ($("help-text").hasChildNodes()) return;
  const { showHelp } = await import("./help.js");
  showHelp(facts);
}

// The server

function showState(before) {
  const isOther = before === null;
  if (isOther || held?.ply !== view().ply) held = null;
  if (isOther) {
    $("board").focus({ preventScroll: true });
    seen = null;
    ending?.openEnding();
    chooseTab(view().is_over ? "analysis" : "game");
    $("export").href = `games/${game()}.html`;
  }
  renewChoice();
  showAll(isOther);
  if (before && before.ply !== view().ply) moved(before, view());
  if (before && view().num_discarded > before.num_discarded) notice(say("fits_nowhere"));
  if (choice && document.activeElement === document.body) $("board").focus({ preventScroll: true });
}

/** Loads what draws motion at the first move, which is mostly one of the reader and needs none. */
async function moved(before, now) {
  if (now.ply === before.ply + 1) playSound(now.record[before.ply].points.some((points) => points));
  const { showMotion } = await import("./motion.js");
  showMotion(board, before, now, $("hand"));
}

async function playSound(hasPoints) {
  if (isPressed("sound")) (await import("./sound.js")).sound(hasPoints);
}

function chooseSound(isWanted) {
  keep("sound", isWanted ? "on" : "");
  setPressed("sound", isWanted);
}

function grown() {
  showCurve();
  showLosses();
  showChoice();
}

function judged() {
  showLosses();
  if (!isPractice()) return;
  showChoice();
  showResult();
}

function searched(thought, ply) {
  seen = { thought, ply, name: nameBehind(thought) };
  const { rows, action } = thought;
  if (thought.is_hint && thought.is_final) lay((rows.find((row) => row.action === action) ?? rows[0]).move);
  showSearch();
}

// What is shown

function renewChoice() {
  const { legal, tile, board: tiles, ply } = view();
  const [, x, y] = tiles.at(-1);
  if (choice && isMine() && choice.ply === ply && choice.game === state.game) return;
  choice = isMine() ? new Choice(legal, facts.tiles[tile].num_rotations, [x, y]) : null;
  if (choice) Object.assign(choice, { ply, game: state.game });
}

function showAll(isOther) {
  const now = view();
  board.show(now, isOther);
  showPlayers(now, facts);
  showBag(now);
  showResult();
  showRegions(now, facts, light);
  showCurve();
  const number = now.num_tiles - Object.values(now.bag).reduce((a, b) => a + b, 0);
  const tiles = say("tile_of", { number, count: now.num_tiles });
  const words = now.num_discarded ? say("left_out", { tiles, count: now.num_discarded }) : tiles;
  const bag = el("button", { title: say("tiles_left"), onclick: lookAtBag }, words);
  $("progress").replaceChildren(now.is_over ? say("game_over") : bag);
  showLosses();
  if (seen?.ply > now.last_ply || seen?.ply === now.ply) seen = null; // taken back, or the server tells it again
  if (now.thought) seen = { thought: now.thought, ply: now.ply, name: nameBehind(now.thought) };
  showSearch();
  showChoice();
  if (isPresent()) {
    document.querySelector("main").classList.toggle("over", now.is_over);
    $("film").hidden = !now.is_over;
  }
}

function lookAtBag() {
  const { top } = $("bag-title").getBoundingClientRect();
  if (left && chosenTab() === "game" && top < innerHeight) return leaveBag();
  left = { tab: chosenTab(), side: $("side").scrollTop };
  chooseTab("game");
  $("tab-game").focus();
  return $("bag-title").scrollIntoView();
}

/** Goes back to the board, and to what the panel showed before the tiles left. */
function leaveBag() {
  chooseTab(left?.tab ?? "game");
  $("side").scrollTop = left?.side ?? 0;
  left = null;
  scrollTo(0, 0);
  $("board").focus({ preventScroll: true });
}

/** Shows all farms with their owners, if the reader has chosen that. */
async function showFarms() {
  if (isPressed("farms")) farms ??= await import("./farms.js");
  const laid = choice?.cell && choice.action === choice.weighed?.action ? choice.weighed.farms : view().regions;
  farms?.showFarms(board, isPressed("farms") ? laid : []);
}

const light = (number) => board.light(number);

/** Shows the curve of the expected scores, which begins with the first move. */
async function showCurve() {
  if (view().last_ply) curves ??= await import("./curve.js");
  curves?.showCurve(view(), facts, look);
}

async function showResult() {
  if (!ending && !view().is_over) return;
  ending ??= await import("./ending.js");
  if (isPractice() || (isByAddress && !isPresent())) ending.closeEnding(); // the reader comes for another position
  else ending.showEnding(view(), view().regions, facts, light);
}

async function showSearch() {
  if (seen) thoughts ??= await import("./thought.js");
  const isHere = seen !== null && seen.ply === view().ply;
  const change = (name, value) => { shown[name] = value; showSearch(); };
  thoughts?.showSearch(seen, shown, { change, look, preview, lay }, isHere, view(), facts);
  showOverlays();
}

/**
 * Draws the thought on the board, unless the move follows at once; the line of play makes room for the tile about to be
 * placed.
 */
function showOverlays() {
  const { seats, ply } = view();
  if (!choice && held?.ply === ply) return board.preview(held.placement);
  const isBrief = !choice && isPresent() && seen?.thought.seconds < BRIEF && seats.some((seat) => seat.is_person);
  const thought = seen?.ply === ply && !isBrief ? seen.thought : null;
  const line = shown.line && !choice?.cell;
  return thoughts?.drawThought(board, thought, { heat: shown.heat, line, cell: choice?.cell });
}

function preview(placement) {
  if (placement) return board.preview(placement);
  board.showChoice(choice);
  return showOverlays();
}

/**
 * Lays the tile of the person to move as a search would. In the past shows the move until another one is chosen, or
 * this one again.
 */
function lay(placement, ply = view().ply) {
  const { x, y, rotation, slot } = placement;
  if (choice && ply === view().ply) return move(() => choice.place([x, y], rotation, slot));
  held = held?.placement === placement ? null : { placement, ply };
  if (ply !== view().ply) return look(ply);
  preview(null);
  $("table").scrollIntoView({ block: "nearest" });
  return board.reveal([x, y]);
}

function showChoice() {
  const now = view();
  board.showChoice(choice);
  hand.show(choice?.cell ? null : now.tile, choice?.rotation ?? 0, choice !== null);
  const result = el("button", { onclick: () => { ending.openEnding(); showAll(); } }, say("result"));
  $("status").replaceChildren(...statusWords({
    mark: now.player === null ? "" : chip(now.player, facts.colours),
    isTrial: isPractice(),
    ended: [el("b", {}, say("game_over")), result],
  }));
  $("told").replaceChildren(...(choice ? choiceWords() : []));
  showSpots();
  weigh();
  showFarms();
  const own = { play: choice, hint: choice, "turn-on": choice, "turn-back": choice, "take-back": choice?.cell };
  if (choice?.cell) own.resign = false;
  showActions(own);
  showPractice();
  $("play").disabled = !choice?.cell;
  showOverlays();
}

function weigh() {
  if (!choice && isPresent()) $("note").textContent = "";
  if (!choice) return;
  if (choice.action !== choice.asked) $("note").textContent = "";
  if (!choice.cell && !isPractice() && view().ply) showGained();
  if (choice.cell && choice.action !== choice.asked) send("weigh", { ply: view().ply, action: choice.action });
  choice.asked = choice.action;
}

async function showGained() {
  const { gainedWords } = await import("./preview.js");
  if (choice && !choice.cell && !isPractice()) $("note").textContent = gainedWords(view());
}

async function weighed(message) {
  const { previewWords } = await import("./preview.js");
  if (message.game !== game() || choice?.ply !== message.ply || choice.action !== message.action) return;
  choice.weighed = message;
  $("note").textContent = previewWords(message.preview, view());
  showFarms();
}

/** How the tile lies, for those who do not see the board, and what to do next. */
function choiceWords() {
  if (!choice.cell) {
    const isDashed = choice.cells.some((cell) => !choice.fits(cell, choice.rotation));
    return [say("place_it"), isDashed ? ` ${say("dashed")}` : ""];
  }
  const [x, y] = choice.cell;
  const lies = placementWords({ x, y, rotation: choice.rotation, slot: choice.slot, letter: view().tile }, facts);
  return [el("span", { class: "hidden" }, `${lies}. `), nextWords()];
}

function nextWords() {
  const thought = seen?.ply === view().ply ? seen.thought : null;
  if (thought?.is_hint && thought.is_final && thought.action === choice.action) {
    return `${say("hint_is", { move: slotWords(choice.slot) })} ${expectsWords(thought, view())}`;
  }
  if (choice.slot) return say("play_puts", { meeple: slotWords(choice.slot) });
  if (choice.slots.length > 1) return say("press_ring");
  return say(view().in_hand[view().player] ? "all_taken" : "none_in_hand");
}

function slotWords(slot) { return meepleWords(slot, view().tile, facts); }

function showSpots() {
  const slots = choice?.cell && choice.slots.length > 1 ? choice.slots : [];
  $("choices").replaceChildren(...slots.map((slot, i) => {
    const words = slot ? kindOf(slot, view().tile, facts) : slotWords(slot);
    const name = slot ? `${i} ${words}` : words; // as the ring on the tile
    return el("button", { "aria-pressed": String(slot === choice.slot), onclick: () => meeple(slot, true) }, name);
  }));
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
  if (!isTaken) notice(say("no_fit"));
}

/** The tile of the hand was dropped at a point. */
function dropped(at) {
  const isOnBoard = document.elementsFromPoint(at.clientX, at.clientY).includes($("board"));
  if (!isOnBoard || !choice) return;
  const cell = board.window.cell(at);
  if (choice.fits(cell)) place(cell);
  else notice(say("no_fit"));
}

function turn(steps) {
  if (!choice) return;
  if (!choice.turn(steps) && choice.cell) notice(say("no_turn"));
  showChoice();
}

function meeple(slot, isSure = false) {
  choice.slot = !isSure && choice.slot === slot ? 0 : slot;
  showChoice();
}

function play() {
  if (!choice?.cell) return;
  send("play", { ply: view().ply, action: choice.action });
}

function takeBack() {
  if (!choice) return;
  choice.takeBack();
  board.window.goBack();
  showChoice();
}

// Keys and buttons

const KEYS = {
  r: () => turn(1),
  R: () => turn(-1),
  m: () => nextSlot(1),
  M: () => nextSlot(-1),
  n: () => nextCell(1),
  N: () => nextCell(-1),
  f: press("farms"),
  Escape: () => ($("ending").hidden ? takeBack() : $("ending-close").click()),
  Home: () => look(0),
  End: () => look(view().last_ply),
};

const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -1, ArrowDown: 1 };

function keyed({ key, target }) {
  const isOnButton = target.closest("button, a, [tabindex]") && target !== $("board");
  if (key in STEPS) {
    if (isOnButton && target.closest(".scroll")) return null;
    return choice ? () => move(() => choice.step(key)) : () => step(STEPS[key]);
  }
  if (key === "Enter") return isOnButton ? null : play;
  if (key === " ") return isOnButton || $("film").hidden ? null : playFilm;
  if (/^[1-8]$/.test(key)) {
    const slot = choice?.slots.filter((each) => each > 0)[key - 1];
    return slot ? () => meeple(slot) : null;
  }
  return KEYS[key] ?? board.keys[key];
}

/** Changes the meeple of the tile about to be placed; without one shows another mistake that the analysis has found. */
function nextSlot(steps) {
  if (!choice?.cell) return toMistake(steps);
  choice.nextSlot(steps);
  showChoice();
}

function nextCell(steps) { move(() => choice.nextCell(steps)); }

/** Changes the choice of the person to move, if one is, and shows where the tile lies then. */
function move(change) {
  if (!choice) return;
  change();
  showChoice();
  if (!choice.cell) return;
  board.reveal(choice.cell);
  board.approach(choice.cell);
}

function closeToAnalysis() {
  ending.closeEnding();
  chooseTab("analysis");
}

async function playFilm() {
  const { film } = await import("./film.js");
  film(lookedAt, view().last_ply, look);
}

const CLICKS = {
  play,
  film: playFilm,
  "bag-back": leaveBag,
  "turn-on": () => turn(1),
  "turn-back": () => turn(-1),
  "take-back": takeBack,
  sound: () => {
    chooseSound(!kept("sound"));
    playSound(true);
  },
  farms: () => {
    setPressed("farms", !isPressed("farms"));
    showFarms();
  },
  "ending-close": () => {
    closeToAnalysis();
    scrollTo(0, 0); // of a phone
  },
  "ending-analyse": () => {
    closeToAnalysis();
    analyse();
  },
};

/** Leaves the keys to the board when a mouse clicks a button at it. */
function keepKeys() {
  for (const id of ["turn", "zoom"]) {
    $(id).addEventListener("click", (event) => {
      if (event.detail > 0 && !document.querySelector("dialog[open]")) $("board").focus({ preventScroll: true });
    });
  }
}
