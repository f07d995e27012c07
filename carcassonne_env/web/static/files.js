// Tables of tournaments that a page opens. The page only finds the games in a file; the server checks them.

import { say } from "./words.js";

const CELL = /("[^"]*(?:""[^"]*)*"|[^",\r\n]*)(,|\r?\n|$)/y;
const COLUMNS = ["game", "seed", "seat_0", "plies"];

/** The games in the table of a tournament. Each has words, and a message that opens it. */
export function gamesOf(name, table) {
  const [head, ...rows] = rowsOf(table);
  const missing = COLUMNS.find((column) => !head.includes(column));
  if (missing) throw new Error(say("no_column", { name, column: missing }));
  const games = rows.filter((row) => row.length === head.length).map((row, i) => gameOf(name, i, new Map(head.map((column, j) => [column, row[j]]))));
  if (!games.length) throw new Error(say("no_games", { name }));
  return games;
}

function gameOf(name, i, row) {
  const players = [];
  while (row.has(`seat_${players.length}`)) players.push(row.get(`seat_${players.length}`));
  let actions;
  try {
    actions = JSON.parse(row.get("plies")).map((ply) => ply[1]);
  } catch {
    throw new Error(say("bad_plies", { name, row: i }));
  }
  const content = { setup: row.get("game"), seed: Number(row.get("seed")), players, actions };
  return { words: say("game_of_table", { row: i, players: players.join(" – "), setup: content.setup, seed: content.seed }), type: "recorded", content };
}

/** The cells of each line of a CSV table; an apostrophe stands before texts that a spreadsheet would run. */
function rowsOf(text) {
  const rows = [[]];
  CELL.lastIndex = 0;
  while (CELL.lastIndex < text.length) {
    const match = CELL.exec(text);
    if (!match) throw new Error(say("no_csv"));
    const [, cell, end] = match;
    rows.at(-1).push((cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).replace(/^'/, ""));
    if (end !== "," && end !== "") rows.push([]);
  }
  return rows;
}
