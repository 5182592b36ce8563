// The views beside the diagram: tables, changes, documentation and store.

/** Creates the tables of a version, one for each entity and type. */
function tablesView(from, to, { link }) {
  const columns = ["Property", "Type", "Details", "Description", ...(from === null ? [] : ["Change"])];
  const head = () => html("thead", {}, html("tr", {}, columns.map((name) => html("th", { scope: "col" }, name))));
  const sections = comparedEntities(from, to).map((entity) => html("section", {},
    html("h3", {}, link(entity.index, entity.name), " ", markElement(entity.mark, entity.before?.name)),
    html("p", {}, (entity.after ?? entity.before).documentation ?? ""),
    html("div", { class: "scroll", role: "region", "aria-label": entity.name }, html("table", {}, head(), html("tbody", {}, entity.rows.map((row) =>
      html("tr", {}, rowCells(row, link), html("td", {}, row.documentation ?? ""),
        from === null ? "" : html("td", {}, markElement(row.mark, row.oldName)))))))));
  const types = comparedTypes(from, to)
    .map((type) => html("section", {}, html("h3", { "data-type": type.name, tabindex: "-1" }, type.name, " ", html("span", { class: "badge plain" }, type.kind), " ", markElement(type.mark, type.oldName)),
      html("p", {}, type.documentation ?? ""),
      html("table", {}, html("tbody", {}, type.elements.map((element) => html("tr", {},
        html("th", { scope: "row", class: "mono" }, element.mark === "removed" ? html("del", {}, element.name) : element.name),
        html("td", { class: "mono" }, element.oldContent ? [html("del", {}, element.oldContent), " "] : "", element.content), html("td", {}, element.documentation ?? ""),
        from === null ? "" : html("td", {}, markElement(element.mark, element.oldName))))))));
  return html("div", { class: "page" }, html("section", {}, html("h2", {}, `Entities in ${versionName(to)}`)), sections,
    types.length ? [html("section", {}, html("h2", {}, `Types in ${versionName(to)}`)), types] : "");
}

const actionWords = {
  keep: "table kept", alter: "ALTER TABLE", rebuild: "table rebuilt", create: "table created", custom: "custom migration", drop: "table dropped",
};

/** Creates the list of changes: of all versions, or between the compared ones. */
function changesView(from, to, tools) {
  const steps = from === null ? [...data.steps].reverse() : path(Math.min(from, to), Math.max(from, to));
  const page = html("div", { class: "page" }, html("section", {},
    html("h2", {}, from === null ? "All changes" : `From ${versionName(from)} to ${versionName(to)}`),
    from === null ? "" : html("p", {}, comparisonText(from, to))));
  if (from > to) page.append(html("p", { class: "note" }, `Stores are not migrated back. These are the steps from ${versionName(to)} to ${versionName(from)}.`));
  if (!steps) page.append(html("p", { class: "note" }, `No steps lead from ${versionName(from)} to ${versionName(to)}: stores are migrated past one of these versions.`));
  if (steps?.length === 0) page.append(html("p", { class: "note" }, from === null ? "There is only one version." : "These are the same version."));
  for (const step of steps ?? []) page.append(stepSection(step, tools));
  return page;
}

/** Returns what happens to the table of a change, as words. */
function tableWords(change, step) {
  const isNew = change.table === "create" && change.entity !== undefined && entityAt(change.entity, step.from);
  return isNew ? "table created again, empty" : actionWords[change.table];
}

function stepSection(step, { link, stepLink }) {
  const item = (change) => html("li", {}, handlingBadge(change.handling), " ",
    change.entity === undefined ? html("code", {}, change.subject) : link(change.entity, change.subject), " ", withCode(change.text), " ",
    change.table ? html("span", { class: "badge plain" }, tableWords(change, step)) : "",
    change.reason ? html("div", { class: "reason" }, withCode(change.reason)) : "");
  const tables = step.tables.map(({ name, action }) => html("li", {}, html("code", {}, name), ` ${actionWords[action]}`));
  return html("section", {},
    html("h3", {}, stepLink(step), " ", handlingBadge(step.custom ? "custom" : "inferred"), " ",
      step.changes.some(({ handling }) => handling === "discarding") ? handlingBadge("discarding") : ""),
    step.changes.length ? html("ul", { class: "changes" }, step.changes.map(item)) : html("p", { class: "note" }, "Nothing changes."),
    tables.length ? html("details", {}, html("summary", {}, counted(tables.length, "table changes", "tables change")), html("ul", {}, tables)) : "",
    lazyDetails("SQL", () => sqlElement(step.sql)));
}

/** Creates details whose contents are created when they are opened. */
function lazyDetails(title, content) {
  const element = html("details", {}, html("summary", {}, title));
  element.addEventListener("toggle", () => { if (element.open && element.childElementCount === 1) element.append(content()); });
  return element;
}

/** Returns how many entities differ between two versions, as text. */
function comparisonText(from, to) {
  const counts = new Map();
  for (const { mark } of comparedEntities(from, to)) if (mark) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const parts = Object.keys(signs).filter((kind) => counts.has(kind)).map((kind) => `${counts.get(kind)} ${kind}`);
  const types = comparedTypes(from, to).filter(({ mark }) => mark).length;
  const discarding = (path(from, to) ?? []).flatMap(({ changes }) => changes).filter(({ handling }) => handling === "discarding").length;
  return (parts.length ? `Entities: ${parts.join(", ")}` : "No entity differs")
    + (types ? `; ${counted(types, "type differs", "types differ")}` : "")
    + (discarding ? `; ${counted(discarding, "change discards", "changes discard")} data` : "")
    + (from > to ? `; ${versionName(from)} is the newer version` : "");
}

/** Creates the coverage of the documentation. */
function documentationView(to, { link }) {
  const entities = comparedEntities(null, to);
  let [all, done] = [0, 0];
  const items = [];
  for (const entity of entities) {
    const rows = entity.rows.filter((row) => row.property !== undefined);
    const missing = rows.filter((row) => !row.documentation).map((row) => row.name);
    all += rows.length + 1;
    done += rows.length - missing.length + (entity.after.documentation ? 1 : 0);
    if (entity.after.documentation && !missing.length) continue;
    items.push(html("li", {}, link(entity.index, entity.name), entity.after.documentation ? "" : " has no description",
      missing.length ? html("div", { class: "reason" }, "properties without one: ", html("code", {}, missing.join(", "))) : ""));
  }
  const percent = all ? Math.round(100 * done / all) : 100;
  return html("div", { class: "page" }, html("section", {}, html("h2", {}, `Documentation of ${versionName(to)}`),
    html("p", {}, `${done} of ${all} entities and properties have a description (${percent} %).`),
    html("div", { class: "coverage", "aria-hidden": "true" }, html("div", { style: `width: ${percent}%` }))),
  html("section", {}, html("ul", { class: "changes" }, items)));
}

/** Returns a number with a noun: `1 row`, `2,000 rows`. */
function counted(number, one, many) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Returns the size of a table in a store, as text. */
function storeText(table) {
  const size = table.bytes === undefined ? "" : `, ${bytesText(table.bytes)}`;
  return `${counted(table.rows, "row", "rows")}${size} in the store`;
}

function bytesText(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let place = 0;
  for (; bytes >= 1000 && place < units.length - 1; place++) bytes /= 1000;
  return `${place ? bytes.toFixed(1) : bytes} ${units[place]}`;
}

/** Creates the facts about a store. */
function storeView() {
  const { store } = data;
  const list = (title, lines, none) => html("section", {}, html("h3", {}, title), lines.length ? html("ul", {}, lines.map((line) => html("li", {}, line))) : html("p", {}, none));
  const numbers = (cells) => cells.map((cell) => html("td", { class: "number" }, cell));
  return html("div", { class: "page" },
    html("section", {}, html("h2", {}, "Store"), html("p", {}, `Version ${store.version}, ${bytesText(store.bytes)}, journal mode ${store.journal}, fingerprint of the version `, html("code", {}, store.fingerprint))),
    html("section", {}, html("h3", {}, "Tables"), html("table", {},
      html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "Table"), html("th", { scope: "col", class: "number" }, "Rows"), html("th", { scope: "col", class: "number" }, "Size with indexes"))),
      html("tbody", {}, store.tables.map((table) => html("tr", {}, html("th", { scope: "row", class: "mono" }, table.name),
        numbers([table.rows.toLocaleString("en"), table.bytes === undefined ? "" : bytesText(table.bytes)])))))),
    html("section", {}, html("h3", {}, "Migrations"), store.migrations.length ? html("table", {},
      html("thead", {}, html("tr", {}, ["Step", "Finished", "Rows", "Seconds"].map((name) => html("th", { scope: "col" }, name)))),
      html("tbody", {}, store.migrations.map((migration) => html("tr", {}, html("td", {}, `${migration.from} → ${migration.to}`),
        html("td", {}, migration.finishedAt), numbers([migration.rows.toLocaleString("en"), migration.seconds.toFixed(3)]))))) : html("p", {}, "The store was never migrated.")),
    list("Differences from a new store", store.drift ?? [], store.drift ? "None." : "Not compared: the model does not have this version."),
    list("Damage", store.damage, "None."), list("Created by the app", store.userObjects, "Nothing."));
}
