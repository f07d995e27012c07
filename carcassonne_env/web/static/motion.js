// Motion after a move: the tile glides from the hand, meeples walk home, and points rise where they were made.

import { isStill, svg } from "./pages.js";

const [GLIDE_TIME, WALK_TIME, RISE_TIME] = [350, 900, 1600]; // milliseconds

/** Shows how the position before became the one that the board shows, if one move lies between them. */
export function showMotion(board, before, view, hand) {
  if (view.ply === before?.ply) return;
  if (isStill() || view.ply !== before?.ply + 1) return board.layers.motion.replaceChildren();
  const { placement, points } = view.record[view.ply - 1];
  const wasHere = Object.keys(before.legal ?? {}).length > 0; // a person laid it on this page
  if (!wasHere) glide(board, placement, hand, view.meeples.findIndex(([, x, y]) => x === placement.x && y === placement.y));
  const staying = new Set(view.meeples.map(String));
  const figures = before.meeples.filter((meeple) => !staying.has(String(meeple))).map((meeple) => board.standing(meeple));
  figures.forEach(({ figure, at }) => walk(board, figure, at));
  points.forEach((gained, player) => {
    if (!gained) return;
    const places = figures.filter((one) => one.player === player).map((one) => one.at);
    rise(board, `+${gained}`, player, places[0] ?? [100 * placement.x + 50, 50 - 100 * placement.y]);
  });
}

/** The frame and the meeple, by its number, come after the tile. */
function glide(board, { x, y }, hand, number) {
  const { left, top, width, height } = hand.getBoundingClientRect();
  const from = board.window.point({ clientX: left + width / 2, clientY: top + height / 2 });
  const away = `translate(${from.x - 100 * x - 50}px, ${from.y + 100 * y - 50}px)`;
  board.layers.tiles.lastElementChild.animate([{ transform: away }, { transform: "none" }], { duration: GLIDE_TIME, easing: "ease-out" });
  for (const late of [board.layers.last, board.layers.meeples.children[number]]) late?.animate({ opacity: [0, 0] }, GLIDE_TIME);
}

/** Home is where the scores are: at the right, or above the board on a phone. */
function walk(board, figure, [x, y]) {
  const seen = board.window.box(board.window.aim);
  const isBeside = seen.width > seen.height;
  const [dx, dy] = isBeside ? [seen.x + seen.width - x, seen.y + 60 - y] : [seen.x + seen.width / 2 - x, seen.y - y];
  const walker = svg("g", {}, figure);
  play(board, walker, [{ transform: "none" }, { opacity: 1, offset: 0.7 }, { transform: `translate(${dx}px, ${dy}px)`, opacity: 0 }], WALK_TIME);
}

function rise(board, words, player, [x, y]) {
  const text = svg("text", { x, y: y - 16, fill: board.facts.colours[player] }, words);
  play(board, text, [{ transform: "none", opacity: 0 }, { opacity: 1, offset: 0.15 }, { opacity: 1, offset: 0.7 }, { transform: "translateY(-70px)", opacity: 0 }], RISE_TIME);
}

function play(board, element, frames, duration) {
  board.layers.motion.append(element);
  element.animate(frames, { duration, easing: "ease-in-out" }).onfinish = () => element.remove();
}
