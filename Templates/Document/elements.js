// The creation of elements. Text is always set as text, so that no description can be taken for HTML.

const svgNamespace = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

/** Creates an HTML element. An attribute whose name begins with `on` is an event listener. */
function html(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** Creates an SVG element. */
function svg(name, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, name), attributes, children);
}

const signs = { added: "+", removed: "−", renamed: "→", changed: "~" };

/** Creates text in which the parts between backticks are code. */
function withCode(text) {
  return text.split("`").map((part, place) => (place % 2 ? html("code", {}, part) : part));
}

/** Creates the mark of a comparison: a sign and a word. */
function markElement(mark, oldName) {
  if (!mark) return "";
  const words = mark === "renamed" ? `renamed from ${oldName}` : mark;
  return html("span", { class: `mark ${mark}` }, `${signs[mark]} ${words}`);
}
