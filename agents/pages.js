"use strict";

const at = id => document.getElementById(id);
const data = JSON.parse(at("data").textContent);

// Adds an element to its parent, an SVG element to a parent of SVG. The text is never read as HTML.
function make(parent, name, attributes = {}, text = "") {
  const isSvg = parent.namespaceURI.endsWith("svg");
  const element = isSvg ? document.createElementNS(parent.namespaceURI, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.textContent = text;
  return parent.appendChild(element);
}

