// The game that a page shows: its state, which the server tells, and what the reader asks for.

import { $, el, keep, kept } from "./pages.js";
import { isYou, nameOf, say, showPressed, told } from "./words.js";

const RETRY_MS = 1000;
const NOTICE_MS = 4000;
const GROWING = ["last_ply", "record", "curve", "final_points"]; // what is not of a position but of the game

export let state = null; // the last state that shows the present or the position looked at
let socket, dialog, listeners;
let isStarting = false;
export let isByAddress = false; // whether the address named the position, until the reader looks at another one
let asked = null; // the ply of the position that the server was asked for last, until it is shown

/** The game and the position that the address names, as in "#GAME/31"; the position is "" for the present. */
const linked = () => location.hash.match(/^#?([^/]*)\/?(\d*)/).slice(1);
export const game = () => linked()[0];
export const view = () => state.view;
/** Whether this page may move for a player. */
const isOwn = (player) => state.own.includes(player);
export const isPresent = () => view().ply === view().last_ply;
/** Whether the reader is to choose a move. */
export const isMine = () => Object.keys(view().legal ?? view().choices).length > 0;

/**
 * Connects the page.
 *
 * `begun` is the dialog of a new game. `heard` has one listener for each type of message, and two for the type "state":
 * shown(before) after the state has changed, with the view before or null for another game; and grown() after the game
 * went on while the reader looks at the past.
 */
export function connect(begun, heard) {
  dialog = begun;
  document.querySelector("main").inert = true; // until there is a game
  listeners = { error: refused, state: took, ...heard };
  const address = new URL("game", location.href);
  address.protocol = "ws:";
  address.hash = "";
  connectTo(address);
}

/** Makes the connection, again when it breaks. */
function connectTo(address) {
  socket = new WebSocket(address);
  socket.onopen = opened;
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    listeners[message.type](message);
  };
  socket.onclose = () => {
    document.body.className = "offline";
    notice(say("lost"), false);
    setTimeout(() => connectTo(address), RETRY_MS);
  };
}

export function send(type, content = {}) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type, ...content }));
}

/** Asks for a game; the server refuses it in the dialog. */
export function load(type, content) {
  isStarting = true;
  send(type, { ...content, browser: browser() });
}

/** Shows a position; the reader may be below the board and its buttons, as on a phone. */
export function look(ply, isNamed = false) {
  asked = Math.min(Math.max(ply, 0), view().last_ply);
  isByAddress = isNamed;
  send("look", { ply: asked });
  for (const id of ["table", "turn"]) $(id).scrollIntoView({ block: "nearest" });
}

/** The position that the reader has asked for, whether or not it is shown yet. */
export const lookedAt = () => asked ?? view().ply;

export function step(moves) { look(lookedAt() + moves); }

/** Tells something above the board, for some seconds or until the next notice. */
export function notice(words, isShort = true) {
  $("notice").textContent = words;
  clearTimeout(notice.timer);
  if (isShort) notice.timer = setTimeout(() => ($("notice").textContent = ""), NOTICE_MS);
}

function opened() {
  if (document.body.classList.replace("offline", "online")) notice(say("found"));
  if (game()) load("open", { game: game() });
  else dialog.open(false);
}

function refused(error) {
  const message = told(error.message);
  if (!state && !isStarting) {
    history.replaceState(null, "", location.pathname);
    dialog.open(false);
  }
  if (isStarting || !state) dialog.refuse(message);
  else notice(message);
  isStarting = false;
  asked = null;
}

function took(message) {
  for (const seat of message.view.seats) seat.name = nameOf(seat.name);
  if (!message.own.includes(message.view.player)) {
    Object.assign(message.view, { legal: {}, choices: [] }); // they are another one's
  }
  if (message.view.is_over) message.view.thought = null; // a hint that came before a resignation
  const isOther = message.game !== game() || !state;
  const back = state ? "" : linked()[1];
  if (isOther) {
    history[state ? "pushState" : "replaceState"](null, "", `#${message.game}`);
    dialog.close();
  }
  isStarting = document.querySelector("main").inert = false;
  if (isOther || message.view.ply === asked) asked = null;
  if (isOther) isByAddress = false;
  const isStaying = !isOther && !message.is_answer && !isPresent();
  const isPast = isStaying && view().ply < message.view.last_ply; // where the reader looks
  $("clocks").hidden = !message.clock;
  if (message.clock && !(isPast && message.view.is_over)) {
    import("./clock.js").then(({ showClock }) => showClock(message.clock, message.view.seats));
  }
  if (isPast) {
    for (const name of GROWING) view()[name] = message.view[name];
    return listeners.grown();
  }
  const persons = message.view.seats.filter((seat) => seat.is_person);
  const isInvited = isOther && !message.own.length && message.taken.length < persons.length;
  const before = isOther ? null : view();
  if (before && before.ply !== message.view.ply) notice(""); // it was about the position before
  state = message;
  listeners.shown(before);
  if (isOther) scrollTo(0, 0); // of a phone, which may show the end of the page
  if (back) look(Number(back), true);
  else history.replaceState(null, "", `#${game()}${isPresent() ? "" : `/${view().ply}`}`);
  if (isInvited) share();
}

/** The dialog of the seats, the link to the game and all results. */
async function share() {
  const { openShare } = await import("./share.js");
  const isFree = (seat, i) => seat.is_person && !state.taken.includes(i);
  openShare(game(), view().seats.flatMap((seat, i) => (isFree(seat, i) ? [[seat, i]] : [])), send);
}

/** The secret by which the server knows this browser again. */
function browser() {
  browser.secret ??= kept("browser") ?? [...crypto.getRandomValues(new Uint8Array(16))].join("-");
  keep("browser", browser.secret);
  return browser.secret;
}

// Words and buttons that the pages of all games have

/**
 * Which position is shown or who is to move: `mark` stands before the name, `idle` after that of a person, `ended` in
 * place of both, of a `isTrial` without its buttons.
 */
export function statusWords({ mark = "", idle = "", ended, isTrial }) {
  const now = view();
  if (!isPresent()) {
    const back = el("button", { onclick: () => look(now.last_ply) }, say("to_game"));
    return [`${say("after_of", { ply: now.ply, count: now.last_ply })} `, back];
  }
  if (now.is_over) {
    const again = el("button", { class: "main", onclick: () => dialog.open(true) }, say("new_game"));
    return isTrial ? ended.slice(0, 1) : [...ended, again];
  }
  const { name, is_person: isPerson } = now.seats[now.player];
  return [mark, el("b", {}, isPerson ? turnWords(name, now.player) : name), doingWords(isPerson, now.player, idle)];
}

function turnWords(name, player) {
  if (!isOwn(player)) return say("moves_now", { name });
  return state.own.length === 1 || isYou(name) ? say("your_turn") : say("turn_of", { name });
}

/** What the player who is to move does, or the page for a person. */
function doingWords(isPerson, player, idle) {
  if (isPerson && !state.is_thinking) return isOwn(player) ? idle : "";
  return ` ${say(isPerson ? "hint_comes" : state.is_held ? "waits" : "thinks")}`;
}

/** Shows the buttons that have a use now, and those that `own` says; who waits for a turn sees them disabled. */
export function showActions(own = {}) {
  const now = view();
  const isGoingOn = isPresent() && now.player !== null;
  const isPlaying = isGoingOn && state.own.length;
  const isBusy = isPresent() && state.is_thinking;
  const mayAct = now.seats.some((seat) => !seat.is_person) && (state.own.length || !state.taken.length);
  const shownIf = {
    hint: isPlaying, undo: isPlaying || isOwn(now.undoer), resign: isPlaying,
    hurry: isBusy && !isMine() && mayAct, hold: isGoingOn && !isMine() && mayAct, ...own,
  };
  for (const [id, isShown] of Object.entries(shownIf)) $(id).hidden = !isShown;
  $("hint").disabled = isBusy || !isMine();
  $("undo").disabled = !isOwn(now.undoer);
  $("hold").textContent = say(state.is_held ? "go_on" : "hold");
}

/** Presses a button, if it is shown. */
export const press = (id) => () => { if (!$(id).hidden) $(id).click(); };

const CLICKS = {
  new: () => dialog.open(Boolean(state)), help: () => $("help-box").showModal(), share,
  "help-box": ({ target }) => { if (target === $("help-box")) target.close(); }, // on the backdrop
  hint: () => send("hint"), undo: () => send("undo"),
  resign: () => { if (confirm(say("give_up"))) send("resign"); },
  hurry: () => send("hurry"), hold: () => send("hold", { is_held: !state.is_held }),
  first: () => look(0), before: () => step(-1), after: () => step(1), last: () => look(view().last_ply),
};
const KEYS = { h: press("hint"), u: press("undo"), "?": press("help"), "[": () => step(-1), "]": () => step(1) };

/** Listens to the buttons `clicks` and those of all pages; `keyed(event)` returns what a key of the page does. */
export function listen(clicks, keyed) {
  for (const [id, listener] of Object.entries({ ...CLICKS, ...clicks })) $(id).addEventListener("click", listener);
  showPressed(document);
  $("language").onchange = (event) => {
    const language = `language=${event.target.value}`; // for servers at other ports, too
    document.cookie = `${language}; path=/; max-age=31536000; samesite=strict`;
    location.reload();
  };
  $("ply").addEventListener("input", (event) => look(Number(event.target.value)));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") || !state) return;
    if (event.target.closest("input, select, textarea")) return;
    const act = keyed(event) ?? KEYS[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  window.addEventListener("hashchange", () => location.reload());
}
