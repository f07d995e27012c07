const { players, colours, steps } = data;
const last = steps.length - 1;
const DELAY = 700;                          // milliseconds between moves
const LEFT = 30, RIGHT = 312, TOP = 8, BOTTOM = 132;   // the plot, in units of its viewBox
const WORST = 5;                            // number of moves listed
let now = 0, timer = null;

// What the moves lost: "loss" has the points, null if the search never tried the move, and the
// difference to the planner's move, which noise can make negative, so that sums are right

const analysed = steps.map((step, move) => ({ ...step, number: move })).filter(step => step.loss);
const worst = analysed.filter(step => step.loss.points > 0).sort((a, b) => b.loss.points - a.loss.points);
const mostLost = Math.max(5, ...analysed.map(step => step.loss.points));
document.body.classList.toggle("plain", analysed.length === 0);

function lossWords({ loss }) {
  if (!loss) return "";
  if (loss.points === null) return "The planner never tried this move.";
  if (!loss.better) return "The planner finds no better move.";
  const error = loss.error ? ` ± ${loss.error.toFixed(1)}` : "";
  return `Lost ${loss.points.toFixed(1)}${error} points. Better, with a dashed frame: ${loss.better}`;
}

const lostBy = player => analysed.reduce((sum, step) => sum + (step.player === player ? step.loss.difference : 0), 0);

// The table and the curve

const rows = players.map((name, player) => {
  const row = make(at("players"), "tr");
  const cell = make(row, "td");
  make(cell, "span", { class: "swatch" }).style.background = colours[player];
  cell.append(name);
  const cells = ["scores", "expected", "meeples"].map(key => [key, make(row, "td")]);
  make(row, "td", { class: "analysis" }, lostBy(player).toFixed(1));
  return { row, cells };
});

const values = steps.flatMap(step => step.expected);
const low = Math.min(0, ...values), high = Math.max(10, ...values);
const across = move => LEFT + (RIGHT - LEFT) * move / Math.max(1, last);
const up = value => BOTTOM - (BOTTOM - TOP) * (value - low) / (high - low);

function drawCurve(svg) {
  const gap = [5, 10, 20, 25, 50, 100].find(gap => (high - low) / gap <= 5) || 200;
  for (let value = Math.ceil(low / gap) * gap; value <= high; value += gap) {
    make(svg, "line", { class: "grid", x1: LEFT, x2: RIGHT, y1: up(value), y2: up(value) });
    make(svg, "text", { x: LEFT - 4, y: up(value) + 4, "text-anchor": "end" }, value);
  }
  make(svg, "text", { x: LEFT, y: 147 }, "start");
  make(svg, "text", { x: RIGHT, y: 147, "text-anchor": "end" }, `${last} moves`);
  players.forEach((_, player) => {
    const points = steps.map((step, move) => `${across(move)},${up(step.expected[player])}`).join(" ");
    make(svg, "polyline", { points, stroke: "#888", "stroke-width": 4 });
    make(svg, "polyline", { points, stroke: colours[player], "stroke-width": 2.5 });
  });
  return make(svg, "line", { class: "now", y1: TOP, y2: BOTTOM });
}

function drawLosses(svg) {
  const height = points => 62 * points / mostLost;
  for (const value of [0, Math.round(mostLost)]) {
    make(svg, "line", { class: "grid", x1: LEFT, x2: RIGHT, y1: 72 - height(value), y2: 72 - height(value) });
    make(svg, "text", { x: LEFT - 4, y: 76 - height(value), "text-anchor": "end" }, value);
  }
  const width = Math.max(1.5, 0.7 * (RIGHT - LEFT) / Math.max(1, last));
  for (const { number, player, loss } of worst) {
    const box = { x: across(number) - width / 2, width, y: 72 - height(loss.points), height: height(loss.points) };
    make(make(svg, "rect", { ...box, fill: colours[player] }), "title", {}, `move ${number}`);
  }
  return make(svg, "line", { class: "now", y1: 6, y2: 72 });
}

for (const step of worst.slice(0, WORST)) {
  const words = `Move ${step.number}, ${players[step.player]}: ${step.loss.points.toFixed(1)} points`;
  make(make(at("worst"), "li"), "button", {}, words).addEventListener("click", () => go(step.number));
}

const cursors = [drawCurve(at("curve")), drawLosses(at("losses"))];

// One position

function show(move) {
  now = Math.max(0, Math.min(last, move));
  const step = steps[now];
  for (const part of document.querySelectorAll("[data-begin]")) {
    const { begin, end } = part.dataset;
    part.style.display = now >= begin && (end === undefined || now < end) ? "" : "none";
  }
  const outline = document.querySelector(".last");
  outline.style.display = step.cell ? "" : "none";
  if (step.cell) outline.setAttribute("transform", `translate(${100 * step.cell[0]} ${-100 * step.cell[1]})`);
  rows.forEach(({ row, cells }, player) => {
    row.className = step.player === player ? "moved" : "";
    for (const [key, cell] of cells) {
      const value = step[key][player];
      cell.textContent = key === "expected" ? value.toFixed(1) : value;
    }
  });
  at("move").textContent = step.cell ? `${players[step.player]}: ${step.move}` : "The start of the game";
  at("loss").textContent = lossWords(step);
  at("next").style.visibility = step.tile ? "" : "hidden";
  if (step.tile) {
    document.querySelector("#next use").setAttribute("href", `#tile-${step.tile}-0`);
    document.querySelector("#next svg").setAttribute("aria-label", `tile ${step.tile}`);
  }
  for (const cursor of cursors) for (const end of ["x1", "x2"]) cursor.setAttribute(end, across(now));
  at("slider").value = now;
  at("count").textContent = `${now} of ${last}`;
  at("back").disabled = now === 0;
  at("forth").disabled = now === last;
}

// Controls

function pause() {
  clearInterval(timer);
  timer = null;
  at("play").textContent = "Play";
}

function advance() {
  show(now + 1);
  if (now === last) pause();
}

function toggle() {
  if (timer !== null) return pause();
  if (now === last) show(0);
  at("play").textContent = "Pause";
  timer = setInterval(advance, DELAY);
}

function go(move) {
  pause();
  show(move);
}

const KEYS = {
  ArrowLeft: () => go(now - 1),
  ArrowRight: () => go(now + 1),
  Home: () => go(0),
  End: () => go(last),
  " ": toggle,
};

document.addEventListener("keydown", event => {
  const isModified = event.ctrlKey || event.altKey || event.metaKey;
  if (isModified || !(event.key in KEYS) || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  KEYS[event.key]();
});
at("back").addEventListener("click", () => go(now - 1));
at("forth").addEventListener("click", () => go(now + 1));
at("play").addEventListener("click", toggle);
at("slider").addEventListener("input", event => go(Number(event.target.value)));
for (const plot of [at("curve"), at("losses")]) {
  plot.addEventListener("click", event => {
    const box = plot.getBoundingClientRect();
    const x = 320 * (event.clientX - box.left) / box.width;
    go(Math.round(last * (x - LEFT) / (RIGHT - LEFT)));
  });
}
at("slider").max = last;
show(0);
