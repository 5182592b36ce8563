// The diagram: boxes at the places that the layout gave them, lines between them, and the ways to move about.

const measure = { header: 34, row: 22, character: 7.3, padding: 58 };
/** Below this scale only names are shown. */
const farScale = 0.35;

class Diagram {
  /** Creates a diagram. `select` is called with the index of an entity, or -1. */
  constructor(select) {
    this.select = select;
    this.boxes = new Map();
    this.focused = -1;
    this.scale = 1;
    this.origin = { x: 0, y: 0 };
    this.lineLayer = svg("g", { "aria-hidden": "true" });
    this.boxLayer = svg("g");
    this.content = svg("g", {}, this.lineLayer, this.boxLayer);
    this.svg = svg("svg", { role: "group", "aria-label": "Diagram. Arrow keys move between entities." }, this.content);
    this.element = html("div", { class: "diagram" }, this.svg, this.tools(), html("div", { class: "legend", hidden: true }));
    this.legend = this.element.lastChild;
    this.legend.append(...Object.keys(signs).map((kind) => html("span", { class: `mark ${kind}` }, `${signs[kind]} ${kind}`)));
    this.isFitted = false;
    this.listen();
  }

  tools() {
    const button = (label, text, action) => html("button", { type: "button", "aria-label": label, title: label, onclick: action }, text);
    return html("div", { class: "tools" },
      button("Zoom in", "+", () => this.zoom(1.25)), button("Zoom out", "−", () => this.zoom(0.8)),
      button("Fit (0)", "Fit", () => this.fit()),
      html("details", {}, html("summary", {}, "Signs"), html("ul", {}, ["PK: primary key", "FK: foreign key", "UQ: unique", "IX: indexed",
        "type?: nullable", "type[]: to-many", "line with a fork: many rows", "line with a bar: one row", "line with a circle and a bar: one row or none"]
        .map((text) => html("li", {}, text)))));
  }

  // Drawing

  /** Draws the version `to`, compared with `from` unless it is null. Boxes that do not change are kept. */
  draw(from, to, selected, found) {
    const compared = new Map(comparedEntities(from, to).map((entity) => [entity.index, entity]));
    for (const [index, { element }] of this.boxes) {
      if (compared.has(index)) continue;
      element.remove();
      this.boxes.delete(index);
    }
    const near = selected >= 0 && compared.has(selected) ? neighbours(selected, from, to).add(selected) : null;
    for (const [index, entity] of compared) {
      const signature = JSON.stringify([entity.name, entity.mark, entity.rows.map((row) => [row.name, row.type, row.sign, row.mark, row.oldName, row.facts])]);
      const old = this.boxes.get(index);
      if (old?.signature !== signature) {
        const element = this.box(entity);
        if (old) old.element.replaceWith(element); else this.boxLayer.append(element);
        this.boxes.set(index, { element, signature, entity, rows: this.shownRows(entity), hasRows: false });
      }
      const { element } = this.boxes.get(index);
      element.setAttribute("aria-pressed", String(index === selected));
      element.classList.toggle("found", found.has(index));
      element.classList.toggle("faded", near !== null && !near.has(index));
    }
    if (compared.has(selected)) this.focused = selected;
    if (!this.boxes.has(this.focused)) this.focused = this.boxes.keys().next().value ?? -1;
    for (const [index, { element }] of this.boxes) element.setAttribute("tabindex", index === this.focused ? "0" : "-1");
    this.drawVisibleRows();
    this.lineLayer.replaceChildren(...data.lines.flatMap((line) => this.line(line, compared, from, to, near, selected)));
    this.legend.hidden = from === null;
  }

  /** Draws the rows of the boxes that can be seen. A large diagram is drawn faster without the others. */
  drawVisibleRows(isPrinting = false) {
    const { width, height } = this.svg.getBoundingClientRect();
    for (const [index, box] of this.boxes) {
      if (box.hasRows) continue;
      const place = data.entities[index];
      const [left, top] = [place.x * this.scale + this.origin.x, place.y * this.scale + this.origin.y];
      const isVisible = this.scale >= farScale && left < width && top < height
        && left + place.width * this.scale > 0 && top + (measure.header + measure.row * (place.rows + 1)) * this.scale > 0;
      if (!isVisible && !isPrinting) continue;
      box.element.append(...this.rows(box));
      box.hasRows = true;
    }
  }

  /** Returns the rows for which the box has space. */
  shownRows({ index, rows }) {
    const space = data.entities[index].rows;
    return rows.length > space ? rows.slice(0, Math.max(0, space - 1)) : rows;
  }

  box(entity) {
    const { index, name, rows, mark } = entity;
    const place = data.entities[index];
    const height = measure.header + measure.row * Math.min(rows.length, place.rows);
    const group = svg("g", {
      class: `box ${mark ?? ""}`, transform: `translate(${place.x} ${place.y})`, role: "button", "data-entity": name,
      "aria-label": `${name}, ${rows.length} properties${mark ? `, ${mark}` : ""}`,
    });
    group.append(
      svg("rect", { class: "body", width: place.width, height: height + 4, rx: 7 }),
      svg("path", { class: "head-line", d: `M0 ${measure.header}H${place.width}`, stroke: "var(--border)" }),
      svg("text", { class: `name word ${mark ?? ""}`, x: 12, y: 22, style: `--far: ${Math.min(44, place.width * 1.5 / (name.length + 2))}px` }, mark ? `${signs[mark]} ${name}` : name));
    const old = entity.before?.name;
    group.append(svg("title", {}, mark === "renamed" ? `${name}, renamed from ${old}` : entity.after?.documentation ?? name));
    return group;
  }

  /** Creates the rows of a box. */
  rows({ entity, rows: shown }) {
    const { index, rows } = entity;
    const { width } = data.entities[index];
    const characters = Math.floor((width - measure.padding) / measure.character);
    const elements = shown.map((row, place) => {
      const y = measure.header + measure.row * place + 16;
      const type = shortened(row.type, characters - 3);
      const label = shortened(row.name, characters - 2 - type.length);
      const line = svg("g", { class: `row ${row.mark ?? ""}` });
      line.append(
        svg("title", {}, [row.oldName && `renamed from ${row.oldName}`, row.oldType && `was ${row.oldType}`, ...row.facts, row.documentation].filter(Boolean).join("\n") || row.name),
        svg("text", { class: "sign", x: 15, y }, row.sign));
      if (row.mark) line.append(svg("text", { class: "word mark-sign", x: 4, y }, signs[row.mark]));
      line.append(
        svg("text", { class: "word", x: 32, y }, label),
        svg("text", { class: row.oldType ? "word" : "type", x: width - 10, y, "text-anchor": "end" }, type));
      return line;
    });
    if (rows.length > shown.length) {
      const hidden = rows.slice(shown.length);
      const marked = hidden.filter((row) => row.mark).length;
      const y = measure.header + measure.row * (shown.length + 1) - 6;
      elements.push(svg("text", { class: "count row", x: 32, y }, `${hidden.length} more${marked ? `, ${marked} of them differ` : ""}`));
    }
    return elements;
  }

  /** Creates the line of a relationship, with the signs of its cardinality at both ends. */
  line(line, compared, from, to, near, selected) {
    const entity = compared.get(line.entity);
    const rowIndex = entity?.rows.findIndex((row) => row.property === line.property) ?? -1;
    const row = entity?.rows[rowIndex];
    if (!row) return [];
    const draw = (relationship, mark) => (relationship?.drawn && compared.has(relationship.target)
      ? this.relationshipLine(line, compared, entity, row, rowIndex, relationship, mark, near, selected) : []);
    const mark = entity.mark === "removed" ? "removed" : row.mark ?? (entity.mark === "added" ? "added" : "");
    // A relationship with another target has two lines.
    return row.oldRelationship && row.mark !== "removed"
      ? [draw(row.oldRelationship, "removed"), draw(row.relationship, "added")].flat() : draw(row.relationship, mark);
  }

  relationshipLine(line, compared, entity, row, rowIndex, relationship, mark, near, selected) {
    const { target, inverse } = relationship;
    const side = (index, rowPlace) => {
      const box = data.entities[index];
      const shown = this.boxes.get(index).rows;
      const place = rowPlace >= 0 && rowPlace < shown.length ? rowPlace : -1;
      return { left: box.x, right: box.x + box.width, y: box.y + (place < 0 ? measure.header / 2 : measure.header + measure.row * place + 11) };
    };
    const inverseRow = inverse === undefined ? -1 : compared.get(target).rows.findIndex((other) => other.property === inverse);
    const start = side(line.entity, rowIndex);
    const end = side(target, target === line.entity && inverseRow === rowIndex ? -1 : inverseRow);
    const bends = [];
    // The layout has bends for the last target only.
    const isLaidOut = data.entities[line.entity].properties[line.property].findLast(([, value]) => value?.relationship?.drawn)?.[1].relationship.target === target;
    for (let place = 0; isLaidOut && place < line.bends.length; place += 2) bends.push({ x: line.bends[place], y: line.bends[place + 1] });

    const points = curve(start, end, bends);
    const [first, last] = [points[0], points[points.length - 1]];
    const ends = endSign(first, relationship.unique ? "zero or one" : "many")
      + endSign(last, relationship.many ? "many" : relationship.nullable ? "zero or one" : "one");
    const isLinked = selected >= 0 && (line.entity === selected || target === selected);
    const isFaded = near !== null && !isLinked;
    const classes = `${mark} ${isLinked ? "linked" : ""} ${isFaded ? "faded" : ""}`;
    const elements = [svg("path", { class: `line ${classes}`, d: pathText(points) + ends, "data-line": `${entity.name}.${row.name}` })];
    const rule = relationship.deleteRule;
    if (rule && rule !== "nullify" && rule !== "deny") {
      elements.push(svg("text", {
        class: `rule ${isFaded ? "faded" : ""}`, x: first.x + first.side * 22, y: first.y - 5,
        "text-anchor": first.side > 0 ? "start" : "end",
      }, rule.replace("_", " ")));
    }
    return elements;
  }

  // Moving about

  transform() {
    this.content.setAttribute("transform", `translate(${this.origin.x} ${this.origin.y}) scale(${this.scale})`);
    // From far away only the names are shown, in large letters.
    this.svg.classList.toggle("far", this.scale < farScale);
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawVisibleRows());
  }

  /** Shows the complete diagram. */
  fit() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    this.scale = Math.min(1.2, (width - 48) / Math.max(1, data.width), (height - 48) / Math.max(1, data.height));
    this.origin = { x: (width - data.width * this.scale) / 2, y: (height - data.height * this.scale) / 2 };
    this.transform();
    this.drawVisibleRows();
    this.isFitted = true;
  }

  /** Zooms by a factor. The point at `x` and `y` keeps its place; without them the center does. */
  zoom(factor, x, y) {
    const { width, height } = this.svg.getBoundingClientRect();
    const [atX, atY] = [x ?? width / 2, y ?? height / 2];
    const scale = Math.min(3, Math.max(0.03, this.scale * factor));
    this.origin.x = atX - (atX - this.origin.x) * scale / this.scale;
    this.origin.y = atY - (atY - this.origin.y) * scale / this.scale;
    this.scale = scale;
    this.transform();
  }

  /** Moves the diagram so that an entity can be seen and read. */
  reveal(index) {
    const box = data.entities[index];
    const { width, height } = this.svg.getBoundingClientRect();
    if (!box || !width) return;
    const boxHeight = measure.header + measure.row * box.rows;
    const left = box.x * this.scale + this.origin.x;
    const top = box.y * this.scale + this.origin.y;
    const isVisible = left >= 0 && top >= 0 && left + box.width * this.scale <= width && top + measure.header * this.scale <= height;
    if (isVisible && this.scale > 0.5) return;
    if (this.scale < 0.6) this.scale = 0.8;
    this.origin = {
      x: width / 2 - (box.x + box.width / 2) * this.scale,
      y: Math.max(24 - box.y * this.scale, height / 2 - (box.y + boxHeight / 2) * this.scale),
    };
    if (boxHeight * this.scale < height - 48) this.origin.y = height / 2 - (box.y + boxHeight / 2) * this.scale;
    this.transform();
  }

  listen() {
    const pointers = new Map();
    let moved = false;
    const local = (event) => {
      const { left, top } = this.svg.getBoundingClientRect();
      return { x: event.clientX - left, y: event.clientY - top };
    };
    const spread = () => {
      const [first, second] = [...pointers.values()];
      return { length: Math.hypot(first.x - second.x, first.y - second.y), x: (first.x + second.x) / 2, y: (first.y + second.y) / 2 };
    };
    this.svg.addEventListener("pointerdown", (event) => {
      if (pointers.size === 0) moved = false;
      pointers.set(event.pointerId, local(event));
    });
    this.svg.addEventListener("pointermove", (event) => {
      const old = pointers.get(event.pointerId);
      if (!old) return;
      const now = local(event);
      if (!moved && Math.hypot(now.x - old.x, now.y - old.y) < 4) return;
      if (!moved) this.svg.setPointerCapture(event.pointerId);
      moved = true;
      this.svg.classList.add("panning");
      const before = pointers.size === 2 ? spread() : null;
      pointers.set(event.pointerId, now);
      if (before) {
        const after = spread();
        this.zoom(after.length / Math.max(1, before.length), after.x, after.y);
      } else {
        this.origin.x += now.x - old.x;
        this.origin.y += now.y - old.y;
        this.transform();
      }
    });
    const release = (event) => {
      pointers.delete(event.pointerId);
      this.svg.classList.remove("panning");
    };
    this.svg.addEventListener("pointerup", release);
    this.svg.addEventListener("pointercancel", release);
    this.svg.addEventListener("click", (event) => {
      if (moved) return;
      const box = event.target.closest(".box");
      this.select(box ? this.indexOf(box) : -1);
    });
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) {
        const { x, y } = local(event);
        this.zoom(Math.exp(-event.deltaY / 500), x, y);
      } else {
        this.origin.x -= event.deltaX;
        this.origin.y -= event.deltaY;
        this.transform();
      }
    }, { passive: false });
    // A box can get the focus by Tab or by a click, and may be out of sight.
    this.boxLayer.addEventListener("focusin", (event) => {
      this.focused = this.indexOf(event.target.closest(".box"));
      if (event.target.matches(":focus-visible")) this.reveal(this.focused);
    });
    // The printed diagram is complete, whatever part is on the screen.
    addEventListener("beforeprint", () => {
      this.drawVisibleRows(true);
      this.svg.setAttribute("viewBox", `-8 -8 ${data.width + 16} ${data.height + 16}`);
      this.svg.classList.remove("far");
      this.content.removeAttribute("transform");
    });
    addEventListener("afterprint", () => {
      this.svg.removeAttribute("viewBox");
      this.transform();
    });
  }

  indexOf(box) {
    for (const [index, { element }] of this.boxes) if (element === box) return index;
    return -1;
  }

  /** Handles a key anywhere on the page. */
  pressed(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const box = event.target.closest?.(".box");
    if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "0") this.fit();
    else if (box && directions[event.key]) this.move(directions[event.key]);
    else if (box && (event.key === "Enter" || event.key === " ")) this.select(this.indexOf(box));
    else return;
    event.preventDefault();
  }

  /** Moves the focus to the nearest entity in a direction. */
  move([x, y]) {
    const center = (index) => {
      const box = data.entities[index];
      return { x: box.x + box.width / 2, y: box.y + (measure.header + measure.row * box.rows) / 2 };
    };
    const here = center(this.focused);
    let [nearest, least] = [-1, Infinity];
    for (const index of this.boxes.keys()) {
      const there = center(index);
      const ahead = (there.x - here.x) * x + (there.y - here.y) * y;
      const aside = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
      if (index !== this.focused && ahead > 0 && ahead + 2 * aside < least) [nearest, least] = [index, ahead + 2 * aside];
    }
    if (nearest >= 0) this.focus(nearest);
  }

  /** Gives the focus to the box of an entity. */
  focus(index) {
    if (!this.boxes.has(index)) return;
    this.boxes.get(this.focused)?.element.setAttribute("tabindex", "-1");
    this.focused = index;
    const { element } = this.boxes.get(index);
    element.setAttribute("tabindex", "0");
    this.reveal(index);
    element.focus({ preventScroll: true });
  }
}

/** Returns `text`, cut so that it has at most `count` characters. */
function shortened(text, count) {
  return text.length <= count ? text : text.slice(0, Math.max(1, count - 1)) + "…";
}

/**
 * Returns the points of a line between two boxes. `side` of a point is 1 if the line goes on to the right of it, and -1 if
 * it goes on to the left.
 */
function curve(start, end, bends) {
  const nextX = bends[0]?.x ?? (end.left + end.right) / 2;
  const lastX = bends[bends.length - 1]?.x ?? (start.left + start.right) / 2;
  // Boxes above each other are connected on their right sides.
  const startSide = nextX < start.left ? -1 : 1;
  const endSide = lastX < end.left ? -1 : 1;
  const port = (box, side) => ({ x: side > 0 ? box.right : box.left, y: box.y, side });
  return [port(start, startSide), ...bends, port(end, endSide)];
}

function pathText(points) {
  let text = `M${points[0].x} ${points[0].y}`;
  for (let place = 1; place < points.length; place++) {
    const [from, to] = [points[place - 1], points[place]];
    const direction = Math.sign(to.x - from.x) || 1;
    const [out, into] = [from.side ?? direction, to.side ?? -direction];
    const reach = out === into ? 50 : Math.max(20, Math.abs(to.x - from.x) / 2);
    text += from.y === to.y && out !== into ? `L${to.x} ${to.y}` : `C${from.x + out * reach} ${from.y} ${to.x + into * reach} ${to.y} ${to.x} ${to.y}`;
  }
  return text;
}

/** Returns the sign for a cardinality at the end of a line: a crow's foot, a bar, or a circle and a bar. */
function endSign({ x, y, side }, cardinality) {
  if (cardinality === "many") return `M${x + side * 11} ${y}L${x} ${y - 6}M${x + side * 11} ${y}L${x} ${y + 6}`;
  const bar = `M${x + side * 7} ${y - 5}v10`;
  if (cardinality === "one") return bar;
  const [left, right] = [x + side * 14 - 4, x + side * 14 + 4];
  return `${bar}M${left} ${y}a4 4 0 1 0 8 0a4 4 0 1 0 ${left - right} 0`;
}
