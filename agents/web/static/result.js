// Who has won a game, or has given it up.

import { isYou, list, say } from "./words.js";

/** Who has resigned, and who of two has won by that, in words; undefined if nobody has. */
export function resignation({ resigned, is_late: isLate, seats }) {
  const name = seats[resigned]?.name;
  if (!name) return undefined;
  const words = say(isLate ? "ran_out" : isYou(name) ? "you_resigned" : "resigned", { name });
  return seats.length === 2 ? `${words}. ${say("winner", { name: seats[1 - resigned].name })}` : words;
}

/** Who of the players with these results has won, in words with more `values`. */
export function victory(seats, results, values) {
  const names = seats.filter((_, i) => results[i] === Math.max(...results)).map(({ name }) => name);
  const key = names.length > 1 ? "share" : isYou(names[0]) ? "you_win" : "wins";
  return say(key, { ...values, name: names[0], names: list(names) });
}
