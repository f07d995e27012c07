// Games that were begun before: those that the server keeps, and those in files.

import { load } from "./live.js";
import { $, el } from "./pages.js";
import { resignation } from "./result.js";
import { nameOf, numeral, say, told } from "./words.js";

const BEGUN = /^(\d+-\d+-\d+)-(\d\d)(\d\d)\d\d-.*/; // the names of kept games
const MAX_TABLE = 50_000_000;

/** Proposes the games that the server has kept. */
export function proposeKept(kept) {
  const games = kept.map(({ name, players, game, progress, is_over: isOver, ...end }) => {
    const names = players.map(nameOf);
    const ended = resignation({ ...end, seats: names.map((each) => ({ name: each })) });
    const far = new Set([ended ?? (isOver ? "finished" : ""), ...progress.split(", ")]);
    return { words: [name.replace(BEGUN, "$1 $2:$3"), game, names.join(" – "), ...[...far].map(told)].filter(Boolean).join(", "), type: "open", content: { game: name } };
  });
  if (games.length && $("games").hidden) propose(games, say("open_kept"));
}

function propose(games, words) {
  $("kept-game").replaceChildren(...[words, ...games.map((game) => game.words)].map((text) => el("option", {}, text)));
  $("kept-game").onchange = () => {
    const chosen = games[$("kept-game").selectedIndex - 1];
    if (chosen) load(chosen.type, chosen.content);
  };
  $("games").hidden = false;
}

/** Opens the game of a file, or lets the reader choose one; the server checks it. `tables`, if the page reads tables of tournaments, loads the module that does. */
export async function openFile(file, most, tables) {
  const games = await gamesIn(file, most, tables);
  if (games.length === 1) return load(games[0].type, games[0].content);
  propose(games, say("choose_game", { count: games.length }));
  return $("kept-game").focus();
}

/** The games in a file, each with words, and a message that opens it. */
async function gamesIn(file, most, tables) {
  if (!tables || !file.name.toLowerCase().endsWith(".csv")) return [{ type: "load", content: { text: await textOf(file, most) } }];
  const { gamesOf } = await tables();
  return gamesOf(file.name, await textOf(file, MAX_TABLE));
}

/** The text of a file of so many bytes at most. */
async function textOf(file, most) {
  if (file.size > most) throw new Error(say("too_large", { most: numeral(most), name: file.name, size: numeral(file.size) }));
  return file.text();
}
