// SQL with highlighting.

const sqlToken = /(--[^\n]*)|('(?:[^']|'')*')|("(?:[^"]|"")*")|\b(\d+(?:\.\d+)?)\b|\b([A-Z][A-Z_]+)\b/g;

/** Creates the lines of SQL, with its keywords, strings, numbers and comments highlighted. */
function sqlElement(text) {
  const code = html("code");
  let end = 0;
  for (const match of text.matchAll(sqlToken)) {
    const [token, comment, string, name, number, keyword] = match;
    code.append(text.slice(end, match.index));
    const kind = comment ? "comment" : string ? "string" : number ? "number" : keyword ? "keyword" : null;
    code.append(kind && !name ? html("span", { class: `sql-${kind}` }, token) : token);
    end = match.index + token.length;
  }
  code.append(text.slice(end));
  return html("pre", { tabindex: "0", "aria-label": "SQL" }, code);
}
