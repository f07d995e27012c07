// The page of any game: its picture, moves and panels, which it hands to the frame.

import { begin, showLosses } from "./frame.js";
import { analyse, isPractice, lossOf, nameBehind, showPractice } from "./judge.js";
import { isPresent, look, notice, send, showActions, statusWords, view } from "./live.js";
import { NewGame, goalOf, nameIn } from "./new_game.js";
import { $, el, isCoarse, svg } from "./pages.js";
import { onPhone } from "./past.js";
import { Picture, isSame, showMoves } from "./picture.js";
import { resignation, victory } from "./result.js";
import { showNoThought, showThought } from "./search.js";
import { isYou, numeral, say, told } from "./words.js";

const POINT = 0.04; // of the return; by this a loss has the marks of chess
const COLOURS = { vermilion: "#d55e00" }; // of sides that have no name in CSS

let facts, picture;
let chosen = null; // the place whose moves are listed
let chances = null; // a module that is loaded when there is an analysis
let returns = null; // of the game if it is over, whatever position is shown
let held = null; // the row of a search that the reader has chosen to see
let isFull = false; // whether the reader wants all moves in the list, however many

begin((known) => {
  facts = known;
  picture = new Picture(choose);
  $("title").textContent = document.title = facts.game;
  onPhone((isPhone) => $(isPhone ? "choices" : "past-title").after($("past")));
  return {
    dialog: new NewGame(facts, showRules),
    board: picture,
    losses: lossesHere,
    shown,
    grown: showJudged,
    judged: showJudged,
    thought: (_, ply) => { if (ply === view().ply) showPosition(); },
    clicks: { all: listAll, help: () => showRules(view().game) },
    keyed: ({ key }) => (key === "Escape" && chosen ? () => listMoves(null) : null),
  };
});

// The game

const aboutOf = (game) => facts.about[nameIn(game)] ?? { rules: "", sides: [] };

function showRules(game) {
  const rules = (aboutOf(game).rules || say("no_rules")).split(/\n\n|\n(?=• )/);
  $("rules").replaceChildren(...rules.map((part) => el("p", {}, part)));
  $("help-box").showModal();
}

// What is shown

function shown(before) {
  const now = view();
  held = null;
  if (isPresent()) returns = now.returns;
  $("title").textContent = now.game;
  $("progress").textContent = now.is_over ? say("game_over") : say("num_moves", { count: now.ply });
  showPlayers(now);
  $("note").textContent = "";
  showActions();
  if (before && !before.is_over && now.is_over) notice(resultWords(now));
  $("places").style.setProperty("--piece", lossesHere().colour(now.player));
  listMoves(isCoarse() ? hintedPlace(now) : null);
  showJudged();
}

function showPlayers(now) {
  const sides = aboutOf(now.game).sides.map(told);
  $("players").replaceChildren(...now.seats.map(({ name }, i) =>
    el("div", { class: i === now.player ? "player next" : "player" },
      el("span", { class: "name" }, name), el("span", { class: "facts" }, sides[i]))));
  const side = sides[now.player];
  const status = statusWords({
    idle: (side ? ` ${say("as_side", { side })}` : "") + choosingWords(now),
    isTrial: isPractice(),
    ended: [el("b", {}, resultWords(now)), " ", el("button", { onclick: analyse }, say("analyse")), " "],
  });
  const goal = now.last_ply ? [] : [el("span", { class: "facts" }, goalOf(aboutOf(now.game)))];
  $("status").replaceChildren(...status, ...forced(now.choices), ...goal);
}

/** Who won or has resigned, and the returns if they tell more. */
function resultWords(view) {
  const { seats, returns } = view;
  if (!returns) return resignation(view);
  const values = returns.map((value) => numeral(value, 0, { maximumSignificantDigits: 4 })).join(" : ");
  const { name } = seats[0];
  if (seats.length === 1) return say(isYou(name) ? "you_reached" : "return_of", { name, value: values });
  const words = returns.every((value) => value === returns[0]) ? say("draw") : victory(seats, returns);
  return returns.every((value) => [-1, 0, 1].includes(value)) ? words : `${words}, ${values}`;
}

/** A button for the move of a person who has no other, as one who must pass. */
function forced(choices) {
  return choices.length === 1 ? [moveButton(choices[0], "main")] : [];
}

/** A button that plays a move. */
function moveButton({ action, words }, style) {
  return el("button", { class: style, onclick: () => play(action) }, words);
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
  showMoves(now.choices, chosen, isFull, moveButton);
  if (now.thought) showSearch(now.thought, nameBehind(now.thought));
  else showNoThought();
  showRow(null); // the rings are new ones
}

function showSearch(thought, name) {
  const unit = unitOf(view().game);
  const value = (mean) => (mean === null ? "–" : UNITS[unit].of(mean));
  const advised = advisedBy(thought);
  const expects = say(`expects_${unit}`, { value: value((advised ?? thought).value) });
  const isHint = thought.is_hint;
  const hint = isHint && advised ? `: ${advised.move}. ${say("hint_expects", { expects })}` : null;
  showThought(thought, {
    who: isHint ? say("hint_for", { name }) : name,
    words: hint ?? ` ${say("expects", { expects })}`,
    more: thought.line.length ? [el("p", { class: "facts" }, say("line", { moves: thought.line.join(", ") }))] : [],
    move: rowWords,
    show: showRow,
    value: (row) => value(row.value),
    spread: UNITS[unit].by,
    head: say(`mean_${unit}`),
    title: say(`expected_${unit}`),
  });
}

/**
 * A move of a search. It shows on the board where its row is pointed at, and after a click until another one is
 * clicked, or this one again.
 */
function rowWords(row) {
  const hold = () => {
    held = held?.action === row.action ? null : row;
    showRow(held);
  };
  return row.place ? el("button", { class: "move", onclick: hold }, row.move) : row.move;
}

function showRow(row) { picture.showMove(row ?? held); }

/** The row of the move that a search prefers; undefined if it shows no rows. */
const advisedBy = ({ rows, action }) => rows.find((row) => row.action === action);

/**
 * How returns are told: as they are, or as the winning chance, in which a draw counts half. `of(value)` are the words
 * of one, `by(value)` of a difference, of a loss up to a `digit`.
 */
const UNITS = {
  return: {
    digit: 0.01,
    of: (value, digits = 3) => numeral(value, digits),
    by: (value, digits = 3) => numeral(value, digits),
  },
  chance: {
    digit: 0.02,
    of: (value, digits = 3) => UNITS.chance.by(1 + value, digits),
    by: (value, digits = 3) => `${numeral(50 * value, digits - 2)} %`,
  },
};

const unitOf = (game) => (aboutOf(game).is_win_or_loss ? "chance" : "return");

/** How losses are told; see analysis.js. */
function lossesHere() {
  const { game: name, seats } = view();
  const unit = unitOf(name);
  const sides = aboutOf(name).sides.map((side) => COLOURS[side] ?? side);
  const colour = (player) => sides[player] ?? "gray";
  return {
    point: POINT,
    digit: UNITS[unit].digit,
    amount: (lost, more = 0) => UNITS[unit].by(lost, 2 + Math.max(more, 0)),
    isChance: unit === "chance",
    what: say(`what_${unit}`),
    colour,
    chip: (player) => svg("svg", { viewBox: "0 0 16 16", role: "img", "aria-label": seats[player].name },
      svg("circle", { cx: 8, cy: 8, r: 5, fill: colour(player), stroke: "gray" })),
    named: ({ words }) => words,
    brief: ({ words }) => words,
    line: ([, words]) => [el("span", {}, words)],
    recorded: ([player, words], number) =>
      [el("span", { class: "number" }, String(number)), el("b", {}, seats[player].name), words],
  };
}

/** Beside the board: what to do in practice and, for a finger, the moves of the place that it chose. */
function showTold() {
  for (const id of ["told", "choices"]) $(id).replaceChildren();
  showPractice();
  const there = choicesAt(chosen);
  if (isCoarse() && there.length > 1) $("choices").append(...there.map((choice) => moveButton(choice)));
}

function showJudged() {
  showTold();
  showLosses();
  showCurve();
}

/** Shows what the analysis expected before each move. */
async function showCurve() {
  const found = () => view().record.map((_, i) => lossOf(i + 1));
  if (found().some(Boolean)) chances ??= await import("./chances.js");
  const kind = unitOf(view().game);
  chances?.showChances(view(), found(), returns, { kind, of: UNITS[kind].of, colour: lossesHere().colour }, look);
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
  if (first) $("play").textContent = say("play_it", { move: first.words });
  $("play").onclick = () => play(first.action);
  showTold();
  showPosition();
}

function listAll() {
  isFull = true;
  listMoves(null);
  $("moves").querySelector("button").focus();
}
