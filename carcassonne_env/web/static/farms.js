// All farms with their owners: each is hatched in the owners' colours, by as many lines side by side as the owner's number.

import { svg } from "./pages.js";

const [LINE, STEP] = [5, 8]; // width of a line, and from line to line, in units

/** Draws the farms among the regions, on the tile about to be placed too. */
export function showFarms(board, regions) {
  const farms = regions.filter(({ kind }) => kind === "farm");
  const drawn = (i) => svg("rect", { ...board.window.bounds, fill: `url(#owners-${i})`, "clip-path": `url(#farm-${i})` });
  board.layers.farms.replaceChildren(...farms.flatMap(({ owners, parts }, i) => [
    svg("clipPath", { id: `farm-${i}` }, ...parts.map((part) => board.part(part))),
    hatching(`owners-${i}`, owners, board.facts.colours),
    drawn(i),
  ]));
  const cell = board.choice?.cell?.join();
  board.laid.replaceChildren(...farms.flatMap(({ parts }, i) => (parts.some(([x, y]) => `${x},${y}` === cell) ? [drawn(i)] : [])));
}

/** The lines of each owner in turn, with a wider space after them; pale ground alone for nobody's farm. */
function hatching(id, owners, colours) {
  const lines = [...owners.flatMap((owner) => [...Array(owner + 1).fill(owner), null]), null];
  const size = { width: STEP * lines.length, height: STEP };
  return svg("pattern", { id, ...size, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    svg("rect", { ...size, class: "ground" }),
    ...lines.map((owner, i) => (owner === null ? null : svg("rect", { x: STEP * i, width: LINE, height: STEP, fill: colours[owner] }))));
}
