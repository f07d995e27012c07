// Playing together: who sits where, the link to the game, and the results of all games of the server.

import { el } from "./pages.js";
import { resignation } from "./result.js";
import { isYou, nameOf, numeral, say } from "./words.js";

/** The dialog for a game by its name; `free` has the seats that may be taken, with their numbers, and `send` takes one. */
export async function openShare(game, free, send) {
  const games = await fetch("results.json").then((response) => response.json());
  const isOver = games.find((each) => each.name === game)?.is_over;
  const isLocal = ["127.0.0.1", "localhost"].includes(location.hostname);
  const closed = () => {
    box.remove();
    if (box.returnValue) scrollTo(0, 0); // a seat is taken: to the board, on a phone
  };
  const name = el("input", { maxlength: 40, autocomplete: "nickname" });
  const box = el("dialog", { id: "share-box", "aria-labelledby": "share-title", onclose: closed }, el("form", { method: "dialog" },
    el("h2", { id: "share-title", tabindex: -1, autofocus: true }, say("share_game")),
    isOver ? null : el("div", { class: "fields" }, free.length ? el("label", {}, say("your_name"), name) : null,
      ...free.map(([seat, i]) => el("button", { value: "sit", onclick: (event) => sit(event, i, name, send) }, say("sit_here", { number: i + 1 }) + (isYou(seat.name) ? "" : ` (${seat.name})`)))),
    el("p", {}, say(isLocal ? "only_here" : "scan_it")),
    el("p", { "aria-live": "polite" }, el("a", { href: location.href }, location.href), " ", copyButton()),
    isLocal ? null : el("img", { id: "code", src: `games/${game}.svg`, alt: say("code") }),
    el("h3", { id: "results-title" }, say("all_games")),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-labelledby": "results-title" }, el("table", {},
      el("thead", {}, el("tr", {}, ...["players", "seed", "moves", "result"].map((key) => el("th", { class: key }, say(`head_${key}`))))),
      el("tbody", {}, ...games.map((each) => rowOf(each, game))))),
    el("div", { class: "buttons" }, el("button", { class: "main" }, say("close")))));
  document.body.append(box);
  box.showModal();
}

/** A button that copies the link; null where a page may not, as without HTTPS on another machine. */
function copyButton() {
  if (!navigator.clipboard) return null;
  const copy = () => navigator.clipboard.writeText(location.href).then(() => button.replaceChildren(say("copied")), () => button.remove());
  const button = el("button", { type: "button", onclick: copy }, say("copy_link"));
  return button;
}

function sit(event, seat, name, send) {
  if (name.value.trim()) return send("sit", { seat, name: name.value });
  event.preventDefault();
  return name.focus();
}

function rowOf({ name, players, seed, ply, is_over: isOver, scores, ...end }, game) {
  const result = scores?.map((score) => numeral(score, 0, { maximumSignificantDigits: 4 })).join(" : ");
  const lost = resignation({ ...end, seats: players.map((player) => ({ name: nameOf(player) })) });
  return el("tr", { class: name === game ? "best" : "" }, el("td", {}, el("a", { href: `#${name}` }, players.map(nameOf).join(" – "))),
    el("td", { class: "seed points" }, String(seed ?? "")), el("td", { class: "points" }, String(ply)), el("td", { class: "result" }, [lost && `${lost},`, isOver ? say("is_final") : "", result].filter(Boolean).join(" ")));
}
