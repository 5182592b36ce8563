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
  if (of.entity >= 0) parts.push(`entity=${encodeURIComponent(entityAddress(of.entity, of.to))}`);
  if (of.view !== "diagram") parts.push(`view=${of.view}`);
  return `#${parts.join("&")}`;
}

/** Reads the state from the address. Unknown names are ignored. */
function readAddress() {
  const values = new URLSearchParams(location.hash.slice(1));
  const names = (values.get("v") ?? "").split("..");
  const to = versionNamed(names[names.length - 1]);
  const from = names.length === 2 ? versionNamed(names[0]) : -1;
  state.to = to >= 0 ? to : initial;
  state.from = from >= 0 ? from : values.get("compare") === "previous" ? "previous" : null;
  state.view = Object.hasOwn(views, values.get("view")) ? values.get("view") : "diagram";
  state.entity = values.has("entity") ? entityNamed(values.get("entity"), state.to) : -1;
  if (location.hash && location.hash !== address(state)) history.replaceState(null, "", address(state));
}

/** Changes the state, the address and the page. A change that `continues` the last one replaces it in the browser's history. */
function change(changes, continues = false) {
  Object.assign(state, changes);
  history[continues ? "replaceState" : "pushState"](null, "", address(state));
  render(changes);
}

// The page

const link = (index, text) => html("a", { href: address({ ...state, entity: index }), "data-entity": index }, text);
const versionLink = (version) => html("a", { href: address({ ...state, from: null, to: version }) }, versionName(version));
const stepLink = ({ from, to }) => html("a", { href: address({ view: "diagram", entity: -1, from, to }) }, `${versionName(from)} → ${versionName(to)}`);
const tools = { link, versionLink, stepLink, close: () => close() };

/** Closes the page of the entity, and gives the focus back to where the entity was chosen. */
function close() {
  const { entity } = state;
  change({ entity: -1 });
  if (state.view === "diagram") diagram.focus(entity);
  else document.querySelector(`#view a[data-entity="${entity}"]`)?.focus();
}

let shown = "";

function render(changes = {}) {
  const from = base();
  const { to, view, entity } = state;
  for (const item of element("views").children) {
    item.href = address({ ...state, view: item.dataset.view });
    if (item.dataset.view === view) item.setAttribute("aria-current", "page");
    else item.removeAttribute("aria-current");
  }
  const slider = element("slider");
  slider.max = newest;
  slider.value = to;
  slider.setAttribute("aria-valuetext", versionName(to));
  element("older").setAttribute("aria-disabled", String(to === 0));
  element("newer").setAttribute("aria-disabled", String(to === newest));
  element("to").value = to;
  element("from").value = state.from ?? "";
  element("summary").textContent = from === null ? counted(comparedEntities(null, to).length, "entity", "entities") : comparisonText(from, to);

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
      if (diagram.isFitted) diagram.drawVisibleRows(); else diagram.fit();
    }
    shown = "";
  } else if (shown !== `${view} ${from} ${to}`) {
    // The view stays as it is while only the entity changes.
    shown = `${view} ${from} ${to}`;
    const content = view === "tables" ? tablesView(from, to, tools) : view === "changes" ? changesView(from, to, tools)
      : view === "documentation" ? documentationView(to, tools) : storeView();
    element("view").replaceChildren(content);
    if ("view" in changes) element("view").scrollTop = 0;
  }
  // Only a region that scrolls needs the keyboard.
  for (const region of document.querySelectorAll(".scroll")) region.tabIndex = region.scrollWidth > region.clientWidth ? 0 : -1;
  if ("entity" in changes && entity >= 0) {
    panel.scrollTop = 0;
    if (isDiagram) diagram.reveal(entity);
    panel.querySelector("h2")?.focus({ preventScroll: innerWidth >= 760 });
  }
}

// Search

/** Returns the entities, properties and types whose names or descriptions contain a text, in any version. */
function search(text) {
  const words = text.trim().toLowerCase();
  if (!words) return [];
  const contains = (text) => text?.toLowerCase().includes(words);
  const results = [];
  /** Adds a result for the newest matching value, with the version to show it in. */
  const add = (epochs, result, matches) => {
    const now = at(epochs, state.to);
    const place = now && matches(now) ? -1 : epochs.findLastIndex(([, value]) => value && matches(value));
    if (place < 0 && !(now && matches(now))) return;
    const value = place < 0 ? now : epochs[place][1];
    const last = place < 0 ? state.to : (epochs[place + 1]?.[0] ?? data.versions.length) - 1;
    const rank = value.name.toLowerCase().startsWith(words) ? 0 : contains(value.name) ? 1 : 2;
    results.push({ ...result(value, last), to: last, detail: place < 0 ? "" : `until ${versionName(last)}`, rank: rank + (place < 0 ? 0 : 3) });
  };
  data.entities.forEach((entity, index) => {
    add(entity.states, (value) => ({ index, title: value.name, kind: "entity" }), (value) => contains(value.name) || contains(value.documentation));
    entity.properties.forEach((epochs, property) => add(epochs,
      (value, version) => ({ index, property, title: `${entityName(index, version)}.${value.name}`, kind: typeText(value, version) }),
      (value) => contains(value.name) || contains(value.documentation) || contains(value.type)));
  });
  data.subtypes.forEach((epochs) => add(epochs, (value) => ({ index: -1, type: value.name, title: value.name, kind: value.kind }),
    (value) => contains(value.name) || contains(value.documentation) || value.elements.some(({ name }) => contains(name))));
  return results.sort((left, right) => left.rank - right.rank);
}

const mostResults = 50;

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
  list.replaceChildren(...results.slice(0, mostResults).map((result, place) => html("li", {
    id: `result-${place}`, role: "option", "aria-selected": String(place === active), onclick: () => choose(place),
  }, result.title, " ", html("small", {}, [result.kind, result.detail].filter(Boolean).join(", ")))));
  if (isOpen) element("summary").textContent = results.length ? `${results.length} found` : "Nothing found";
  if (!results.length || results.length > mostResults) {
    list.append(html("li", { role: "option", "aria-disabled": "true" }, results.length ? `and ${results.length - mostResults} more` : "Nothing found"));
  }
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
  if (result.type) {
    change({ view: "tables", to: result.to, entity: -1 });
    document.querySelector(`[data-type="${CSS.escape(result.type)}"]`)?.focus();
    return;
  }
  change({ entity: result.index, to: result.to });
  const row = result.property === undefined ? null : document.querySelector(`#panel tr[data-property="${result.property}"]`);
  row?.classList.add("chosen");
  row?.scrollIntoView({ block: "nearest" });
}

function clearSearch() {
  element("search").value = "";
  showResults();
  render();
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
  let isDragging = false;
  element("slider").addEventListener("input", (event) => {
    change({ to: Number(event.target.value) }, isDragging);
    isDragging = true;
  });
  element("slider").addEventListener("change", () => { isDragging = false; });
  element("older").addEventListener("click", () => { if (state.to > 0) change({ to: state.to - 1 }); });
  element("newer").addEventListener("click", () => { if (state.to < newest) change({ to: state.to + 1 }); });
  element("theme").addEventListener("click", () => setTheme(isDark() ? "light" : "dark"));
  const input = element("search");
  input.addEventListener("input", showResults);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") choose(active);
    else if (event.key === "Escape") clearSearch();
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const count = Math.min(results.length, mostResults);
      if (count) active = (active + (event.key === "ArrowDown" ? 1 : count - 1)) % count;
      listResults();
    } else return;
    event.preventDefault();
  });
  input.addEventListener("blur", () => setTimeout(() => { element("results").hidden = true; }, 200));
  input.addEventListener("focus", listResults);
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target === input;
    if (event.key === "/" && !isTyping) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && state.entity >= 0 && !isTyping) close();
    else if (state.view === "diagram" && !isTyping && event.target.tagName !== "SELECT") diagram.pressed(event);
  });
  addEventListener("beforeprint", () => document.querySelectorAll("#view details").forEach((details) => { details.open = true; }));
  // A link changes the address, and the address changes the page.
  window.addEventListener("popstate", () => {
    const before = { ...state };
    readAddress();
    render(difference(before));
  });
  let isNarrow = innerWidth < 760;
  window.addEventListener("resize", () => {
    if (innerWidth < 760 !== isNarrow) { isNarrow = !isNarrow; diagram.fit(); }
  });
  element("views").append(...Object.entries(views).map(([name, title]) => html("a", { "data-view": name }, title)));
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
