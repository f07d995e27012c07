// The page of any game: connects the server, the picture, the moves and the panels.

import { showIcons } from "./icons.js";
import { analyse, forgetAnalysis, isPractice, lossOf, nameBehind, showAnalysis, showPractice, startAnalysis, toMistake, tookAnalysis } from "./judge.js";
import { connect, game, isPresent, listen, look, notice, press, send, showActions, statusWords, view } from "./live.js";
import { isMarked, markOf, onlyOf } from "./loss.js";
import { NewGame, goalOf, nameIn } from "./new_game.js";
import { $, el, isCoarse, svg } from "./pages.js";
import { PHONE, showSteps } from "./past.js";
import { Picture, isSame, showMoves } from "./picture.js";
import { effort, rowsTable, showParts } from "./search.js";
import { startTheme } from "./theme.js";
import { isYou, numeral, resignation, say, told, victory } from "./words.js";

const POINT = 0.04; // of the return; by this a loss has the marks of chess
const COLOURS = { vermilion: "#d55e00" }; // of sides that have no name in CSS

let facts, picture;
let chosen = null; // the place whose moves are listed
let chances = null; // a module that is loaded when there is an analysis
let returns = null; // of the game if it is over, whatever position is shown
let held = null; // the row of a search that the reader has chosen to see
let isFull = false; // whether the reader wants all moves in the list, however many

async function begin() {
  showIcons();
  startTheme();
  placeSteps();
  facts = await fetch("facts.json").then((response) => response.json());
  picture = new Picture(choose);
  $("title").textContent = document.title = facts.game;
  startAnalysis(facts.levels, lossesHere, showLosses);
  listen({ all: listAll, help: () => showRules(view().game) }, ({ key }) => KEYS[key]);
  connect(new NewGame(facts, showRules), { shown: showAll, grown: showLosses, thought: showThought, analysis: tookAnalysis }, ["last_ply", "record"]);
}

/** On a phone the buttons that step through the game stand at the board. */
function placeSteps() {
  $(PHONE.matches ? "choices" : "past-title").after($("past"));
  PHONE.onchange = placeSteps;
}

function showThought({ game: name, ply, thought }) {
  if (name !== game() || ply !== view().ply) return;
  view().thought = thought;
  showPosition();
}

// The game

const aboutOf = (game) => facts.about[nameIn(game)] ?? { rules: "", sides: [] };

function showRules(game) {
  $("rules").replaceChildren(...(aboutOf(game).rules || say("no_rules")).split(/\n\n|\n(?=• )/).map((part) => el("p", {}, part)));
  $("help-box").showModal();
}

const KEYS = { Escape: () => (chosen ? listMoves(null) : null), m: () => toMistake(1), M: () => toMistake(-1), t: press("retry"), v: press("vary") };

// What is shown

function showAll(before) {
  const now = view();
  held = null;
  if (!before) forgetAnalysis();
  if (isPresent()) returns = now.returns;
  const sides = aboutOf(now.game).sides.map(told);
  $("save").href = `games/${game()}.json`;
  $("title").textContent = now.game;
  document.title = now.choices.length ? say("turn_title", { game: now.game }) : now.game;
  $("progress").textContent = now.is_over ? say("game_over") : say("num_moves", { count: now.ply });
  $("players").replaceChildren(...now.seats.map(({ name }, i) => el("div", { class: i === now.player ? "player next" : "player" },
    el("span", { class: "name" }, name), el("span", { class: "facts" }, sides[i]))));
  $("status").replaceChildren(...statusWords({
    idle: (sides[now.player] ? ` ${say("as_side", { side: sides[now.player] })}` : "") + choosingWords(now),
    isTrial: isPractice(), ended: [el("b", {}, resultWords(now)), " ", el("button", { onclick: analyse }, say("analyse")), " "],
  }), ...forced(now.choices), ...(now.last_ply ? [] : [el("span", { class: "facts" }, goalOf(aboutOf(now.game)))]));
  $("note").textContent = "";
  showActions(now.choices.length > 0);
  if (before && !before.is_over && now.is_over) notice(resultWords(now));
  $("places").style.setProperty("--piece", lossesHere().colour(now.player));
  listMoves(isCoarse() ? hintedPlace(now) : null);
  showLosses();
}

/** Who won or has resigned, and the returns if they tell more. */
function resultWords(view) {
  const { seats, returns } = view;
  if (!returns) return resignation(view);
  const values = returns.map((value) => numeral(value, 0, { maximumSignificantDigits: 4 })).join(" : ");
  if (seats.length === 1) return say(isYou(seats[0].name) ? "you_reached" : "return_of", { name: seats[0].name, value: values });
  const words = returns.every((value) => value === returns[0]) ? say("draw") : victory(seats, returns);
  return returns.every((value) => [-1, 0, 1].includes(value)) ? words : `${words}, ${values}`;
}

/** A button for the move of a person who has no other, as one who must pass. */
function forced(choices) {
  return choices.length === 1 ? choices.map(({ action, words }) => el("button", { class: "main", onclick: () => play(action) }, words)) : [];
}

/** The place of the move that a hint has found, which a finger can play then. */
function hintedPlace({ choices, thought }) {
  return choices.find(({ action }) => thought?.is_hint && thought.is_final && action === thought.action)?.place ?? null;
}

/** What the person is to do, or the move that a hint has found. */
function choosingWords({ choices, thought }) {
  const advised = thought?.is_hint && thought.is_final && advisedBy(thought);
  if (advised) return `. ${say("hint_is", { move: advised.move })}`;
  if (choices.length === 1) return `: ${say("only_move")} `;
  return `: ${say(choices.some(({ place }) => place) ? "press_or_choose" : "choose_move")}`;
}

function showPosition() {
  const now = view();
  picture.show(now, chosen);
  showMoves(now.choices, chosen, isFull, play);
  if (now.thought) showSearch(now.thought, nameBehind(now.thought));
  else showParts();
  showRow(null); // the rings are new ones
}

function showSearch(thought, name) {
  const kind = kindOf(view().game);
  const value = (mean) => (mean === null ? "–" : UNITS[kind].of(mean));
  const advised = advisedBy(thought);
  const expects = say(`expects_${kind}`, { value: value((advised ?? thought).value) });
  showParts(
    el("p", { class: "who" }, el("b", {}, thought.is_hint ? say("hint_for", { name }) : name),
      thought.is_hint && advised ? `: ${advised.move}. ${say("hint_expects", { expects })}` : ` ${say("expects", { expects })}`),
    effort(thought),
    thought.line.length ? el("p", { class: "facts" }, say("line", { moves: thought.line.join(", ") })) : "",
    thought.rows.length ? rowsTable(thought, {
      move: moveButton, show: showRow, value: (row) => value(row.value), spread: UNITS[kind].by, head: say(`mean_${kind}`), title: say(`expected_${kind}`),
    }) : "");
}

/** A move of a search; it shows on the board where its row is pointed at, and after a click until another one is clicked, or this one again. */
function moveButton(row) {
  const hold = () => {
    held = held?.action === row.action ? null : row;
    showRow(held);
  };
  return row.place ? el("button", { class: "move", onclick: hold }, row.move) : row.move;
}

function showRow(row) { picture.showMove(row ?? held); }

/** The row of the move that a search prefers; undefined if it shows no rows. */
const advisedBy = ({ rows, action }) => rows.find((row) => row.action === action);

/** How returns are told: as they are, or as the winning chance, in which a draw counts half; `of(value)` are the words of one, `by(value)` of a difference, of a loss up to a `digit`. */
const UNITS = {
  return: { digit: 0.01, of: (value, digits = 3) => numeral(value, digits), by: (value, digits = 3) => numeral(value, digits) },
  chance: { digit: 0.02, of: (value, digits = 3) => UNITS.chance.by(1 + value, digits), by: (value, digits = 3) => `${numeral(50 * value, digits - 2)} %` },
};

const kindOf = (game) => (aboutOf(game).is_win_or_loss ? "chance" : "return");

/** How losses are told; see analysis.js. */
function lossesHere() {
  const { game: name, seats } = view();
  const kind = kindOf(name);
  const sides = aboutOf(name).sides.map((side) => COLOURS[side] ?? side);
  const colour = (player) => sides[player] ?? "gray";
  return {
    point: POINT, digit: UNITS[kind].digit, amount: (lost, more = 0) => UNITS[kind].by(lost, 2 + Math.max(more, 0)), isChance: kind === "chance", what: say(`what_${kind}`), colour, named: ({ words }) => words, brief: ({ words }) => words, line: ([, words]) => [el("span", {}, words)],
    chip: (player) => svg("svg", { viewBox: "0 0 16 16", role: "img", "aria-label": seats[player].name }, svg("circle", { cx: 8, cy: 8, r: 5, fill: colour(player), stroke: "gray" })),
  };
}

/** Beside the board: what to do in practice and, for a finger, the moves of the place that it chose. */
function showTold() {
  for (const id of ["told", "choices"]) $(id).replaceChildren();
  showPractice();
  const there = choicesAt(chosen);
  if (isCoarse() && there.length > 1) $("choices").append(...there.map(({ action, words }) => el("button", { onclick: () => play(action) }, words)));
}

/** What the moves lost, in the record and in the analysis, and the better move in the picture. */
function showLosses() {
  showTold();
  showRecord();
  picture.showCompared(showAnalysis());
  showCurve();
}

/** Shows what the analysis expected before each move. */
async function showCurve() {
  const found = () => view().record.map((_, i) => lossOf(i + 1));
  if (found().some(Boolean)) chances ??= await import("./chances.js");
  const kind = kindOf(view().game);
  chances?.showChances(view(), found(), returns, { kind, of: UNITS[kind].of, colour: lossesHere().colour }, look);
}

function showRecord() {
  const { ply, last_ply: last, record, seats } = view();
  const shown = isMarked(lossOf(ply + 1), lossesHere()) ? ply : ply - 1; // the move before the position, or the one that is compared
  showSteps(ply, last);
  $("record").replaceChildren(...record.map(([player, words], i) => {
    const mark = markOf(lossOf(i + 1), lossesHere());
    return el("li", {}, el("button", { class: i >= ply ? "later" : "", "aria-current": i === shown ? "step" : null, onclick: () => look(mark ? i : i + 1) },
      el("span", { class: "number" }, String(i + 1)), el("b", {}, seats[player].name), words, mark, onlyOf(lossOf(i + 1), lossesHere())));
  }));
  const [list, item] = [$("record"), $("record").children[shown]];
  list.scrollTop = item ? item.offsetTop - list.offsetTop - list.clientHeight / 2 : 0; // and the page stays where it is
}

// Moves of the person

const choicesAt = (place) => view().choices.filter((choice) => place && choice.place && isSame(choice.place, place));

/** Plays the move of a place if there is one only, at the second tap of a finger; else lists the moves. */
function choose(place, isSure) {
  const [first, ...others] = choicesAt(place);
  const isAgain = place && chosen && isSame(place, chosen);
  if (first && !others.length && (isSure || isAgain)) return play(first.action);
  listMoves(place);
  return others.length && !isCoarse() ? $("moves").querySelector("button").focus() : null;
}

function play(action) { send("play", { ply: view().ply, action }); }

/** Lists the moves of a place; those of all places for null. */
function listMoves(place) {
  chosen = place;
  const [first, ...others] = choicesAt(place);
  $("play").hidden = !first || others.length > 0;
  if (first) Object.assign($("play"), { textContent: say("play_it", { move: first.words }), onclick: () => play(first.action) });
  showTold();
  showPosition();
}

function listAll() {
  isFull = true;
  listMoves(null);
  $("moves").querySelector("button").focus();
}

begin();
