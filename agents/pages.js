// Elements of pages, their colours, and what a browser keeps of them.

const SVG = "http://www.w3.org/2000/svg";

export const $ = (id) => document.getElementById(id);

/** An HTML element; properties that begin with "on" are listeners, others attributes. */
export function el(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

/** An SVG element that draws a symbol of the tiles' document. */
export function use(symbol, properties = {}) {
  return svg("use", { href: `#${symbol}`, ...properties });
}

/** Whether a button that stays pressed, by its id, is. */
export const isPressed = (id) => $(id).getAttribute("aria-pressed") === "true";

export function setPressed(id, isOn) { $(id).setAttribute("aria-pressed", String(isOn)); }

/** Whether a finger points. */
export const isCoarse = () => matchMedia("(pointer: coarse)").matches;

/** Whether the reader wants no motion. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Sets light or dark colours, those of the reader's system if no theme is given, and returns which. */
export function themed(theme) {
  const isDark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (document.documentElement.dataset.theme = isDark ? "dark" : "light");
}

/** Listeners that show a thing while the pointer or the focus is on an element or in it; after that, null. */
export function whilePointed(show, thing) {
  const [begin, end] = [() => show(thing), () => show(null)];
  return { onpointerenter: begin, onpointerleave: end, onfocusin: begin, onfocusout: end };
}

/** Shows one child for each item; those of the same key as before stay, as tiles are slow to draw. */
export function renew(parent, items, keyOf, make) {
  const before = parent.kept ?? new Map();
  parent.kept = new Map(items.map((item) => [keyOf(item), item]));
  for (const [key, item] of parent.kept) parent.kept.set(key, before.get(key) ?? make(item));
  const children = [...parent.kept.values()];
  const staying = new Set(children);
  for (const child of [...parent.childNodes]) if (!staying.has(child)) child.remove();
  children.forEach((child, i) => {
    if (parent.childNodes[i] !== child) parent.insertBefore(child, parent.childNodes[i] ?? null);
  });
}

/** What the browser keeps for the next visit under a name, or null; some keep nothing, as in the frame of a notebook. */
export function kept(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch { /* it is forgotten */ }
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
