// The winning chance, or the expected returns, over the moves of an analysed game.

import { line, plot } from "./chart.js";
import { $ } from "./pages.js";
import { isYou, say } from "./words.js";

/**
 * Shows what the planner of the analysis expected before each move, and the `returns` of a game that is over.
 *
 * In games of win, draw and loss it is the chance of the first player, in others the return of each player before their own moves. `units` are the words of
 * both: the `kind`, the words `of(value)` of one, and the `colour(player)` of a line.
 */
export function showChances(view, losses, returns, { kind, of, colour }, look) {
  const isChance = kind === "chance";
  const known = losses.filter((loss) => loss && loss.value !== null);
  $("curve-box").hidden = !known.length;
  if (!known.length) return;
  const players = isChance ? [0] : [...view.seats.keys()];
  const lines = players.map((player) => [
    ...known.filter((loss) => isChance || loss.player === player).map((loss) => [loss.number - 1, loss.player === player ? loss.value : -loss.value]),
    ...(returns ? [[view.last_ply, returns[player]]] : [])]);
  const values = lines.flat().map(([, value]) => value);
  const marks = isChance ? [-1, 0, 1] : [Math.min(...values), Math.max(...values)];
  const { x, y } = plot($("curve"), { values: marks, label: (value) => of(value, 2), top: 8, bottom: 130, view, look });
  $("curve").append(...lines.flatMap((points, i) => (points.length ? [line(points.map(([ply, value]) => [x(ply), y(value)]), { colour: colour(players[i]) })] : [])));
  const { name } = view.seats[0];
  const title = say(`curve_${isChance && isYou(name) ? "yours" : kind}`, { name });
  const here = lines[0].find(([ply]) => ply === view.ply);
  $("curve-title").textContent = title;
  $("curve").setAttribute("aria-label", here ? `${title}: ${of(here[1])}` : title);
}
