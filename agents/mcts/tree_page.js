import { $, el, svg } from "./pages.js";

const data = JSON.parse($("data").textContent);
const CHANCE = -1;
const TERMINAL = -4;
const INDENT = 18;                          // pixels for each level
const COLUMNS = ["text", "visits", "mean", "probability", "player", "numChildren"];

// Adds an element to its parent, an SVG element to a parent of SVG. The text is never read as HTML.
function make(parent, name, attributes = {}, text = "") {
  const element = (parent.namespaceURI.endsWith("svg") ? svg : el)(name, attributes, text);
  return parent.appendChild(element);
}

// The nodes: row 0 is the root, and every other one comes after its parent

const nodes = data.nodes.map(([parent, ...cells], number) => ({
  ...Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i]])),
  number,
  parent,
  children: [],
  level: 0,
  isOpen: false,
}));
const root = nodes[0];
for (const node of nodes.slice(1)) {
  node.parent = nodes[node.parent];
  node.level = node.parent.level + 1;
  node.parent.children.push(node);
}
root.isOpen = true;

const nameOf = player => player === CHANCE ? "chance" : player === TERMINAL ? "the end" : `player ${player + 1}`;
const asNumber = value => value === null ? "–" : String(Number(value.toPrecision(4)));
const valueOf = mean => data.points && mean !== null ? (mean * data.points).toFixed(2) : asNumber(mean);
const isOutcome = node => node.parent.player === CHANCE;
const counted = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;

function sorted(children) {
  const key = $("order").value;
  return [...children].sort((a, b) => (b[key] ?? -Infinity) - (a[key] ?? -Infinity) || b.visits - a.visits);
}

// The table

function probabilityOf(node) {
  const isKnown = node !== root && (isOutcome(node) || data.hasPriors);
  return isKnown && node.probability !== null ? asNumber(node.probability) : "";
}

// The move that leads to a node, cut out of the picture of the game: the part in the rectangle of its element.
function addMove(cell, node) {
  const move = document.querySelector(`#picture .move[data-node="${node.number}"]`);
  if (!move) return;
  const edges = ["x", "y", "width", "height"].map(name => move.querySelector("rect").getAttribute(name));
  cell.append(svg("svg", { class: "small", viewBox: edges.join(" ") }, move.firstElementChild.cloneNode(true)));
}

function addRow(node) {
  const numHidden = node.numChildren - node.children.length;
  const isInner = node.children.length > 0;
  const isRecommended = node === nodes[data.recommended];
  const row = make($("nodes"), "tr", { tabindex: node === root ? 0 : -1, "aria-level": node.level + 1 });
  row.className = `${isInner ? "inner" : ""} ${isRecommended ? "recommended" : ""}`;
  if (isInner) row.setAttribute("aria-expanded", node.isOpen);
  const cell = make(row, "td");
  cell.style.paddingLeft = `${8 + INDENT * node.level}px`;
  make(cell, "span", { class: "toggle" }, isInner ? (node.isOpen ? "▾" : "▸") : "");
  make(cell, "span", { class: "mover" }, node === root ? "" : `${nameOf(node.parent.player)}: `);
  addMove(cell, node);
  make(cell, "span", {}, node === root ? "the searched position" : node.text);
  if (isRecommended) make(cell, "span", { class: "mover" }, " (recommended)");
  if (node.player === TERMINAL) make(cell, "span", { class: "mover" }, " (game over)");
  if (numHidden && (node.isOpen || !isInner)) make(cell, "span", { class: "hidden" }, ` +${numHidden} left out`);
  const share = make(row, "td", { class: "share" });
  make(share, "div").style.width = `${100 * node.visits / Math.max(1, root.visits)}%`;
  make(row, "td", {}, node.visits.toLocaleString("en"));
  make(row, "td", {}, valueOf(node.mean));
  make(row, "td", {}, probabilityOf(node));
  row.addEventListener("click", () => turn(node, !node.isOpen));
  row.addEventListener("keydown", event => onKey(event, node));
  for (const type of ["focus", "pointerenter"]) row.addEventListener(type, () => light(node));
  node.row = row;
}

function draw(focused) {
  $("nodes").replaceChildren();
  const waiting = [root];
  while (waiting.length) {
    const node = waiting.pop();
    addRow(node);
    if (node.isOpen) waiting.push(...sorted(node.children).reverse());
  }
  if (focused) focus(focused.row);
}

function focus(row) {
  if (!row) return;
  for (const other of $("nodes").rows) other.tabIndex = -1;
  row.tabIndex = 0;
  row.focus();
}

function turn(node, isOpen) {
  node.isOpen = isOpen && node.children.length > 0;
  draw(node);
}

// The picture of the game, if it draws one: its elements with "data-node" are the nodes

function light(node) {
  const path = new Set();
  for (let at = node; at !== root; at = at.parent) path.add(at);
  for (const part of document.querySelectorAll("#picture [data-node]")) {
    const shown = nodes[part.dataset.node];
    part.classList.toggle("lit", shown === node);
    part.classList.toggle("path", path.has(shown));
  }
}

$("picture").addEventListener("click", event => {
  const node = nodes[event.target.closest("[data-node]")?.dataset.node];
  if (!node) return;
  for (let above = node.parent; typeof above === "object"; above = above.parent) above.isOpen = true;
  draw(node);
});

function onKey(event, node) {
  const keys = {
    ArrowRight: () => node.isOpen ? focus(node.row.nextElementSibling) : turn(node, true),
    ArrowLeft: () => node.isOpen || node === root ? turn(node, false) : focus(node.parent.row),
    ArrowDown: () => focus(node.row.nextElementSibling),
    ArrowUp: () => focus(node.row.previousElementSibling),
    Enter: () => turn(node, !node.isOpen),
    " ": () => turn(node, !node.isOpen),
  };
  if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
  event.preventDefault();
  keys[event.key]();
}

// The depths

function drawDepths(svg) {
  const width = 600 / data.depths.length, most = Math.max(...data.depths);
  const every = Math.ceil(data.depths.length / 20);
  data.depths.forEach((count, depth) => {
    const height = 78 * count / most;
    const attributes = { x: width * depth + 1, width: Math.max(0.5, width - 2), y: 92 - height, height };
    make(make(svg, "rect", attributes), "title", {}, `depth ${depth}: ${counted(count, "node")}`);
    const middle = { x: width * (depth + 0.5), "text-anchor": "middle" };
    if (depth % every === 0) make(svg, "text", { ...middle, y: 106 }, depth);
    if (count === most) make(svg, "text", { ...middle, y: 10 }, count.toLocaleString("en"));
  });
}

// The page

const numLeftOut = data.numNodes - nodes.length;
$("summary").textContent = `${counted(data.iterations, "iteration")}, tree policy ${data.treePolicy}. `
  + `The search is that of ${nameOf(data.player)}. `
  + `Each mean is the mean return${data.points ? ", in points," : ""} of the player who decided last before the node.`;
$("left-out").textContent = numLeftOut
  ? `The page has the ${nodes.length.toLocaleString("en")} most visited of ${counted(data.numNodes, "node")}; `
    + `${numLeftOut.toLocaleString("en")} are left out.`
  : `The page has all ${counted(data.numNodes, "node")}.`;
const valueColumn = data.points ? "points" : "mean";
const lastColumn = data.hasPriors ? "prior or probability" : "probability";
for (const name of ["action or outcome", "share", "visits", valueColumn, lastColumn]) {
  make($("head"), "th", { scope: "col", class: name }, name);
}
for (const [value, name] of [["visits", "visits"], ["mean", valueColumn], ["probability", lastColumn]]) {
  make($("order"), "option", { value }, name);
}
$("order").addEventListener("change", () => draw());
$("close").addEventListener("click", () => {
  for (const node of nodes) node.isOpen = false;
  draw();
});
$("line").addEventListener("click", () => {
  let node = root;
  while (node.children.length) {
    node.isOpen = true;
    node = node.children.reduce((best, child) => child.visits > best.visits ? child : best);
  }
  draw();
});
drawDepths($("depths"));
draw();
