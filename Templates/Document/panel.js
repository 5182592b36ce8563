// The page of an entity: its properties, and what happened to each of them.

/** Creates the words for a property. Facts that a compared version does not have are marked. */
function factsElement(row, link) {
  const facts = [
    ...row.oldFacts.map((fact) => html("del", {}, fact)),
    ...row.facts.map((fact) => (row.newFacts.includes(fact) ? html("ins", {}, fact) : fact)),
  ].flatMap((fact, place) => (place === 0 ? [fact] : [", ", fact]));
  if (!row.relationship) return facts;
  return [link(row.relationship.target, entityName(row.relationship.target, row.version)), " ", facts];
}

/** Creates the cells with a row's name, type and facts. The former values of a compared row are struck out. */
function rowCells(row, link) {
  return [
    html("th", { scope: "row", class: "mono" }, row.mark === "removed" ? html("del", {}, row.name) : row.name),
    html("td", { class: "mono" }, row.oldType ? [html("del", {}, row.oldType), " "] : "", row.type),
    html("td", {}, factsElement(row, link)),
  ];
}

/** Creates the page of an entity. `versionLink` and `link` make links to a version and to an entity; `close` closes the page. */
function panelContent(index, from, to, { versionLink, link, close }) {
  const entity = comparedEntity(index, from, to);
  const button = html("button", { type: "button", class: "close", "aria-label": "Close", onclick: close }, "✕");
  if (!entity) {
    return [button, html("h2", { tabindex: "-1" }, entityName(index, to)), html("p", { class: "note" }, `There is no such entity in ${data.versions[to].name}.`), timeline(index, to, versionLink)];
  }
  const state = entity.after ?? entity.before;
  const version = entity.after ? to : from;
  const row = (row) => html("tr", { "data-property": row.property }, rowCells(row, link),
    html("td", {}, markElement(row.mark, row.oldName), row.mark && row.documentation ? html("br") : "", row.documentation ?? ""));
  const rows = data.store?.tables.find((table) => table.name === state.table);
  return [
    button,
    html("h2", { tabindex: "-1" }, state.name),
    html("p", {}, markElement(entity.mark, entity.before?.name)),
    html("p", {}, state.documentation ?? html("span", { class: "muted" }, "No description.")),
    state.table === state.name ? "" : html("p", {}, "Table ", html("code", {}, state.table)),
    rows ? html("p", {}, storeText(rows)) : "",
    html("h3", {}, from === null || !entity.before || !entity.after ? `Properties in ${data.versions[version].name}` : `Properties in ${data.versions[to].name}, compared with ${data.versions[from].name}`),
    html("div", { class: "scroll", role: "region", "aria-label": "Properties" }, html("table", {},
      html("thead", {}, html("tr", {}, ["Name", "Type", "Details", "Description"].map((name) => html("th", { scope: "col" }, name)))),
      html("tbody", {}, entity.rows.map(row)))),
    indexList(state, version, index),
    checkList(state),
    searchText(state),
    references(index, version, link),
    timeline(index, to, versionLink),
  ];
}

function indexList(state, version, entity) {
  if (!state.indexes) return "";
  return [html("h3", {}, "Indexes"), html("ul", {}, state.indexes.map((found) => html("li", {},
    html("code", {}, found.properties.map((property) => (propertyAt(entity, property, version)?.name ?? "") + (found.descending?.includes(property) ? " desc" : "")).join(", ")), found.unique ? " unique" : "",
    found.condition ? [" where ", html("code", {}, found.condition)] : "")))];
}

function checkList(state) {
  if (!state.checks) return "";
  return [html("h3", {}, "Checks"), html("ul", {}, state.checks.map((check) => html("li", {},
    html("code", {}, check.name), " ", html("code", {}, check.condition))))];
}

function searchText(state) {
  return state.search ? [html("h3", {}, "Search"), html("p", {}, html("code", {}, state.search))] : "";
}

/** Creates the list of the relationships of other entities to this one. */
function references(index, version, link) {
  const found = [];
  data.entities.forEach((entity, other) => entity.properties.forEach((epochs) => {
    const property = at(epochs, version);
    if (property?.relationship?.target === index && other !== index) found.push([other, property]);
  }));
  if (!found.length) return "";
  return [html("h3", {}, "Referenced by"), html("ul", {}, found.map(([other, property]) =>
    html("li", {}, link(other, entityName(other, version)), ".", html("code", {}, property.name))))];
}

/** Creates the timeline of an entity and its properties: a bar over all versions, and the changes as text. */
function timeline(index, to, versionLink) {
  const entity = data.entities[index];
  const changes = (matches) => data.steps.flatMap((step) => step.changes.filter(matches).map((change) => [step, change]));
  const item = (name, epochs, matches, firstText) => {
    const spans = epochs.map(([first, value], place) => {
      const end = epochs[place + 1]?.[0] ?? data.versions.length;
      const isNow = first <= to && to < end;
      return html("span", { class: value ? `there ${isNow ? "now" : ""}` : "", style: `--length: ${end - first}`, title: `from ${data.versions[first].name}` });
    });
    const begin = epochs[0]?.[0] ?? 0;
    const lines = changes(matches).map(([step, change]) => html("li", {}, versionLink(step.to), " ", withCode(change.text), " ", handlingBadge(change.handling)));
    const first = html("li", {}, versionLink(begin), ` ${firstText}`);
    return html("li", {}, html("b", { class: "mono" }, name),
      html("div", { class: "spans", "aria-hidden": "true" }, begin > 0 ? html("span", { style: `--length: ${begin}` }) : "", spans),
      html("ol", {}, begin === 0 || !lines.length ? first : "", lines));
  };
  const items = [item("(entity)", entity.states, (change) => change.entity === index && change.property === undefined, entity.states[0][0] === 0 ? "is in the first version" : "appears")];
  entity.properties.forEach((epochs, property) => {
    if (!epochs.length) return;
    const first = epochs[0][1];
    const last = epochs.findLast(([, value]) => value)[1];
    items.push(item(last.name, epochs, (change) => change.entity === index && change.property === property, `${first.name}: ${typeText(first, epochs[0][0])}`));
  });
  return html("details", { open: true }, html("summary", {}, "Timeline"), html("ul", { class: "timeline" }, items));
}

const handlingWords = { inferred: "inferred", custom: "custom migration", discarding: "discards data" };

function handlingBadge(handling) {
  return html("span", { class: `badge ${handling}` }, handlingWords[handling]);
}
