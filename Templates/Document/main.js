// The state of the page, the address that keeps it, and the controls that change it.

const element = (id) => document.getElementById(id);
const versionName = (version) => data.versions[version].name;
const views = { diagram: "Diagram", tables: "Tables", changes: "Changes", documentation: "Documentation", ...(data.store ? { store: "Store" } : {}) };

const state = { view: "diagram", to: initial, from: null, entity: -1 };
let found = new Set();
const diagram = new Diagram((index) => change({ entity: index }));

/** Returns the version that the shown one is compared with; null if it is compared with none. */
function base() {
  if (state.from !== "previous") return state.from;
  return state.to > 0 ? state.to - 1 : null;
}

// The address

/** Returns the address of a state: `v=1.3..2.0&entity=episode&view=changes`. */
function address(of) {
  const parts = [];
  const isCompared = typeof of.from === "number";
  if (of.to !== initial || isCompared) parts.push(`v=${isCompared ? `${versionName(of.from)}..` : ""}${versionName(of.to)}`);
  if (of.from === "previous") parts.push("compare=previous");
  if (of.entity >= 0) parts.push(`entity=${encodeURIComponent(entityName(of.entity, of.to))}`);
  if (of.view !== "diagram") parts.push(`view=${of.view}`);
  return `#${parts.join("&")}`;
}

/** Reads the state from the address. Unknown names are ignored. */
function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const version = (name) => data.versions.findIndex((other) => other.name === name);
  const names = (values.get("v") ?? "").split("..");
  const to = version(names[names.length - 1]);
  const from = names.length === 2 ? version(names[0]) : -1;
  state.to = to >= 0 ? to : initial;
  state.from = from >= 0 ? from : values.get("compare") === "previous" ? "previous" : null;
  state.view = views[values.get("view")] ? values.get("view") : "diagram";
  state.entity = values.has("entity") ? entityNamed(values.get("entity"), state.to) : -1;
}

/** Changes the state, the address and the page. A change of the version replaces the entry in the browser's history. */
function change(changes) {
  Object.assign(state, changes);
  const isStep = "entity" in changes || "view" in changes;
  history[isStep ? "pushState" : "replaceState"](null, "", address(state));
  render(changes);
}

// The page

const link = (index, text) => html("a", { href: address({ ...state, entity: index }), "data-entity": index }, text);
const tools = { link, go: (version) => change({ to: version }), close: () => close() };

function close() {
  const { entity } = state;
  change({ entity: -1 });
  if (state.view === "diagram") diagram.focus(entity);
}

function render(changes = {}) {
  const from = base();
  const { to, view, entity } = state;
  element("views").replaceChildren(...Object.entries(views).map(([name, title]) =>
    html("a", { href: address({ ...state, view: name }), "aria-current": name === view ? "page" : undefined }, title)));
  const slider = element("slider");
  slider.max = newest;
  slider.value = to;
  slider.setAttribute("aria-valuetext", versionName(to));
  element("older").disabled = to === 0;
  element("newer").disabled = to === newest;
  element("to").value = to;
  element("from").value = state.from ?? "";
  element("summary").textContent = from === null ? `${comparedEntities(null, to).length} entities` : comparisonText(from, to);

  const panel = element("panel");
  panel.hidden = entity < 0;
  panel.replaceChildren(...(entity < 0 ? [] : panelContent(entity, from, to, tools).flat(Infinity).filter(Boolean)));
  if (entity >= 0) panel.setAttribute("aria-label", `Entity ${entityName(entity, to)}`);

  const isDiagram = view === "diagram";
  element("view").classList.toggle("canvas", isDiagram);
  if (isDiagram) {
    diagram.draw(from, to, entity, found);
    if (!diagram.element.isConnected) {
      element("view").replaceChildren(diagram.element);
      diagram.fit();
    }
  } else {
    const content = view === "tables" ? tablesView(from, to, tools) : view === "changes" ? changesView(from, to, tools)
      : view === "documentation" ? documentationView(to, tools) : storeView();
    element("view").replaceChildren(content);
    if ("view" in changes) element("view").scrollTop = 0;
  }
  if ("entity" in changes && entity >= 0) {
    panel.scrollTop = 0;
    if (isDiagram) diagram.reveal(entity);
    panel.querySelector("h2")?.focus({ preventScroll: true });
  }
}

// Search

function search(text) {
  const words = text.trim().toLowerCase();
  if (!words) return [];
  const results = [];
  for (const entity of comparedEntities(base(), state.to)) {
    if (entity.name.toLowerCase().includes(words)) results.push({ index: entity.index, title: entity.name, detail: "entity", rank: entity.name.toLowerCase().startsWith(words) ? 0 : 1 });
    for (const row of entity.rows) {
      if (row.name.toLowerCase().includes(words) || row.type.toLowerCase().includes(words)) {
        results.push({ index: entity.index, title: `${entity.name}.${row.name}`, detail: row.type, rank: 2 });
      }
    }
  }
  return results.sort((left, right) => left.rank - right.rank).slice(0, 50);
}

let results = [];
let active = -1;

function showResults() {
  const input = element("search");
  results = search(input.value);
  active = results.length ? 0 : -1;
  found = new Set(results.map(({ index }) => index));
  if (state.view === "diagram") diagram.draw(base(), state.to, state.entity, found);
  listResults();
}

function listResults() {
  const [input, list] = [element("search"), element("results")];
  const isOpen = input.value.trim() !== "";
  list.hidden = !isOpen;
  input.setAttribute("aria-expanded", String(isOpen));
  list.replaceChildren(...(results.length ? results.map((result, place) => html("li", {
    id: `result-${place}`, role: "option", "aria-selected": String(place === active), onclick: () => choose(place),
  }, result.title, " ", html("small", {}, result.detail))) : [html("li", { role: "option", "aria-disabled": "true" }, "Nothing found")]));
  if (active >= 0) {
    input.setAttribute("aria-activedescendant", `result-${active}`);
    list.children[active].scrollIntoView({ block: "nearest" });
  } else {
    input.removeAttribute("aria-activedescendant");
  }
}

function choose(place) {
  const result = results[place];
  if (!result) return;
  clearSearch();
  change({ entity: result.index });
}

function clearSearch() {
  element("search").value = "";
  showResults();
}

// The controls

function option(value, text) {
  return html("option", { value }, text);
}

function start() {
  const names = data.versions.map(({ name, formerName, released }, index) =>
    option(index, name + (formerName ? ` (${formerName})` : "") + (released ? "" : " draft"))).reverse();
  element("to").append(...names);
  element("from").append(option("", "nothing"), option("previous", "the version before"), ...names.map((name) => name.cloneNode(true)));
  element("to").addEventListener("change", (event) => change({ to: Number(event.target.value) }));
  element("from").addEventListener("change", ({ target: { value } }) => change({ from: value === "" || value === "previous" ? value || null : Number(value) }));
  element("slider").addEventListener("input", (event) => change({ to: Number(event.target.value) }));
  element("older").addEventListener("click", () => change({ to: state.to - 1 }));
  element("newer").addEventListener("click", () => change({ to: state.to + 1 }));
  element("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  const input = element("search");
  input.addEventListener("input", showResults);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose(active);
    else if (event.key === "Escape") clearSearch();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const count = results.length;
      if (count) active = (active + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      listResults();
    } else return;
    event.preventDefault();
  });
  input.addEventListener("blur", () => setTimeout(() => { element("results").hidden = true; }, 200));
  input.addEventListener("focus", listResults);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest?.("input, select, textarea");
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && state.entity >= 0 && !isTyping) close();
  });
  // A link changes the address, and the address changes the page.
  window.addEventListener("hashchange", () => { const before = { ...state }; readAddress(); render(difference(before)); });
  window.addEventListener("popstate", () => { const before = { ...state }; readAddress(); render(difference(before)); });
  let isNarrow = innerWidth < 760;
  window.addEventListener("resize", () => {
    if (innerWidth < 760 !== isNarrow) { isNarrow = !isNarrow; diagram.fit(); }
  });
  setTheme(savedTheme());
  readAddress();
  render({});
  if (state.entity >= 0) diagram.reveal(state.entity);
  document.documentElement.dataset.ready = "true";
}

function difference(before) {
  return Object.fromEntries(Object.entries(state).filter(([name, value]) => before[name] !== value));
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Returns the theme that was chosen before. A browser may refuse to store it for a file. */
function savedTheme() {
  try { return localStorage.getItem("strata-theme"); } catch { return null; }
}

function setTheme(theme) {
  if (theme) {
    document.documentElement.dataset.theme = theme;
    try { localStorage.setItem("strata-theme", theme); } catch { /* It is forgotten with the page. */ }
  }
  element("theme").textContent = isDark() ? "Light" : "Dark";
}

start();
