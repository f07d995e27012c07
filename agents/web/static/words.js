// Texts and numbers in the language of the page.

import { $, isCoarse } from "./pages.js";

const texts = JSON.parse($("words").textContent);
const VALUE = /'[^']*'|\d+/g; // in a text of the server
const NAME = /^\w+(?=( \d+)?($| \())|(?<= \()\w+(?=( \d+)?\)$)/g; // of a player, and of the one whose seat it was
const forms = new Intl.PluralRules(texts.language);

/** The text of a key with the values in place of their names in braces; of several forms, that of the value `count`. */
export function say(key, values = {}) {
  const text = texts[key];
  const form = text[forms.select(values.count ?? 0)] ?? text.other ?? text;
  return pressed(form).replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** A text of the server, in English if the words lack it; names after a colon stay. */
export function told(text) {
  const [sentence, ...names] = text.split(": ");
  const values = sentence.match(VALUE) ?? [];
  const words = texts[sentence.replace(VALUE, "#")]?.replace(/#/g, () => values.shift());
  return words ? [words, ...names].join(": ") : text;
}

/** The name of a player in the reader's language: of a planner, or of a person without another one. */
export const nameOf = (name) => name.replace(NAME, (word) => texts[`name_${word}`] ?? word);

export const isYou = (name) => name === say("name_you");

/** A number with so many digits after the point, or by options of `Intl.NumberFormat`. */
export const numeral = (value, digits = 0, options = { minimumFractionDigits: digits, maximumFractionDigits: digits }) =>
  value.toLocaleString(texts.language, options).replace("-", "−");

export const list = (parts) => new Intl.ListFormat(texts.language).format(parts);

/** A text in which "[click|tap]" has become the word for the mouse or the finger. */
const pressed = (text) => text.replace(/\[(.+?)\|(.*?)\]/g, isCoarse() ? "$2" : "$1");

/** Puts the word for the mouse or the finger into the texts in which both stand. */
export function showPressed(parent) {
  for (const each of parent.querySelectorAll(".press")) each.textContent = pressed(each.textContent);
}
