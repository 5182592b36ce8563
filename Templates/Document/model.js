// The schema through its versions, and the comparison of two of them. Nothing here touches the page.

const data = JSON.parse(document.getElementById("data").textContent);
const newest = data.versions.length - 1;
/** The version that is shown first: the one of the store, or else the newest. */
const initial = data.store ? data.versions.findIndex(({ name }) => name === data.store.version) : newest;

/** Returns the value of a list of [first version, value] in a version; null if there is none. */
function at(epochs, version) {
  let value = null;
  for (const [first, next] of epochs) {
    if (first > version) break;
    value = next;
  }
  return value;
}

/** Returns the entity with an index in a version; null if the version does not have it. */
const entityAt = (index, version) => at(data.entities[index].states, version);

/** Returns a property of an entity in a version; null if the version does not have it. */
const propertyAt = (entity, index, version) => at(data.entities[entity].properties[index], version);

/** Returns the name of an entity in a version, or else its last name. */
function entityName(index, version) {
  const state = entityAt(index, version);
  return (state ?? data.entities[index].states.findLast(([, value]) => value)?.[1])?.name ?? "";
}

/** Returns the type of a property: `string?`, `order`, `tag[]`. */
function typeText(property, version) {
  const { relationship } = property;
  if (!relationship) return property.type + (property.nullable ? "?" : "");
  return entityName(relationship.target, version) + (relationship.many ? "[]" : property.nullable ? "?" : "");
}

/** Returns whether two facts are the same apart from their documentation. */
function isSame(before, after) {
  const text = (facts) => JSON.stringify(facts, (key, value) => (key === "documentation" ? undefined : value));
  return before === after || text(before) === text(after);
}

function mark(before, after, isUnchanged) {
  if (!before) return after ? "added" : null;
  if (!after) return "removed";
  if (before.name !== after.name) return "renamed";
  return isUnchanged ? null : "changed";
}

/**
 * Returns an entity in the version `to`, compared with the version `from`; null if neither has it. Without a comparison,
 * `from` is null.
 *
 * The rows are the primary key and the properties, in the order of their columns. A removed property is in the place that
 * it had.
 */
function comparedEntity(index, from, to) {
  const after = entityAt(index, to);
  const before = from === null ? after : entityAt(index, from);
  if (!before && !after) return null;
  const rows = [];
  const [was, now] = [before?.key, after?.key];
  const keyRow = (text, mark) => {
    const [name, type] = text.split(": ");
    rows.push({ name, type, sign: "PK", mark, facts: ["primary key"], oldFacts: [], newFacts: [] });
  };
  if (now) keyRow(now, from === null || was === now ? null : before ? "changed" : "added");
  if (was && !now) keyRow(was, "removed");

  const order = [...(after?.properties ?? [])];
  (before?.properties ?? []).forEach((property, place, all) => {
    if (order.includes(property)) return;
    order.splice(place === 0 ? 0 : order.indexOf(all[place - 1]) + 1, 0, property);
  });
  for (const property of order) {
    const new_ = propertyAt(index, property, to);
    const old = from === null ? new_ : propertyAt(index, property, from);
    const [shown, version] = new_ ? [new_, to] : [old, from];
    const rowMark = from === null ? null : mark(old, new_, isSame(old, new_));
    rows.push({
      property, name: shown.name, type: typeText(shown, version), mark: rowMark, documentation: shown.documentation,
      oldName: rowMark === "renamed" ? old.name : undefined,
      oldType: old && new_ && typeText(old, from ?? to) !== typeText(new_, to) ? typeText(old, from) : undefined,
      sign: shown.sign ?? "", facts: shown.facts, relationship: shown.relationship && { ...shown.relationship, nullable: shown.nullable }, version,
      oldRelationship: old && from !== null && old.relationship?.target !== new_?.relationship?.target ? { ...old.relationship, nullable: old.nullable } : undefined,
      oldFacts: old && new_ ? old.facts.filter((fact) => !new_.facts.includes(fact)) : [],
      newFacts: old && new_ ? new_.facts.filter((fact) => !old.facts.includes(fact)) : [],
    });
  }
  const isUnchanged = isSame(before, after) && rows.every((row) => !row.mark);
  return {
    index, before, after, rows, name: (after ?? before).name,
    mark: from === null ? null : mark(before, after, isUnchanged),
  };
}

let lastComparison = {};

/** Returns the entities of the version `to`, compared with `from` unless it is null, sorted by name. */
function comparedEntities(from, to) {
  if (lastComparison.from !== from || lastComparison.to !== to) {
    const entities = data.entities.map((_, index) => comparedEntity(index, from, to)).filter(Boolean)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    lastComparison = { from, to, entities };
  }
  return lastComparison.entities;
}

/** Returns the steps that migrate a store from one version to another; null if there is no path. */
function path(from, to) {
  const steps = [];
  for (let version = from; version !== to;) {
    const step = data.steps.find((step) => step.from === version && step.to <= to);
    if (!step) return null;
    steps.push(step);
    version = step.to;
  }
  return steps;
}

/** Returns the entities that share a relationship with an entity, in either version. */
function neighbours(entity, from, to) {
  const found = new Set();
  data.entities.forEach((other, index) => {
    other.properties.forEach((epochs) => {
      for (const version of [from, to]) {
        const target = version === null ? undefined : at(epochs, version)?.relationship?.target;
        if (target === undefined) continue;
        if (index === entity) found.add(target);
        if (target === entity) found.add(index);
      }
    });
  });
  found.delete(entity);
  return found;
}

/** Returns the index of the version with a name; -1 if there is none. */
const versionNamed = (name) => data.versions.findIndex((version) => version.name === name);

/**
 * Returns the index of an entity by its name in a version, or else in any version; -1 if there is none. `dropped@1.0` is the
 * entity with the name `dropped` in 1.0.
 */
function entityNamed(text, version) {
  const [, name, place] = /^(.*)@([^@]*)$/.exec(text) ?? [null, text, null];
  const other = place === null ? -1 : versionNamed(place);
  const wanted = other < 0 ? [text, version] : [name, other];
  const now = data.entities.findIndex((_, index) => entityAt(index, wanted[1])?.name === wanted[0]);
  if (now >= 0) return now;
  return data.entities.findIndex(({ states }) => states.some(([, state]) => state?.name === text));
}

/** Returns the address of an entity for `entityNamed`. */
function entityAddress(index, version) {
  const state = entityAt(index, version);
  if (state) return state.name;
  const { states } = data.entities[index];
  const place = states.findLastIndex(([, value]) => value);
  const last = place + 1 < states.length ? states[place + 1][0] - 1 : newest;
  return `${states[place][1].name}@${data.versions[last].name}`;
}

/** Returns the types of the version `to`, compared with `from` unless it is null, sorted by name. */
function comparedTypes(from, to) {
  const types = [];
  for (const epochs of data.subtypes) {
    const after = at(epochs, to);
    const before = from === null ? after : at(epochs, from);
    if (!before && !after) continue;
    const elements = (after ?? before).elements.map((element) => {
      const [was, now] = [before, after].map((type) => type?.elements.find(({ lineage }) => lineage === element.lineage));
      return { ...element, mark: from === null ? null : mark(was, now, isSame(was, now)), oldName: was?.name, oldContent: was && now && was.content !== now.content ? was.content : undefined };
    });
    for (const element of after ? before?.elements ?? [] : []) {
      if (!elements.some(({ lineage }) => lineage === element.lineage)) elements.push({ ...element, mark: "removed" });
    }
    types.push({ ...(after ?? before), elements, mark: from === null ? null : mark(before, after, isSame(before, after)), oldName: before?.name });
  }
  return types.sort((left, right) => (left.name < right.name ? -1 : 1));
}
