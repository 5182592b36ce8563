"""The Swift code of names and values."""

import re

from descriptions import Dictionary, Subtype
from interpreter import LIMITS, literal

#: Functions that custom migrations and their expectations call.
SUPPORT = '''\
import Foundation
import Strata

/// FNV-1a with 32 bits.
func hashed(_ text: String) -> Int {
    Int(text.utf8.reduce(UInt32(0x811c_9dc5)) { ($0 ^ UInt32($1)) &* 0x0100_0193 })
}

/// A number that satisfies every check.
func number(_ text: String) -> Int { 5 + hashed(text) % 1000 }

func fitted(_ text: String, _ least: Int, _ most: Int) -> String {
    let fitted = String(text.prefix(most))
    return fitted + String(repeating: " ", count: max(0, least - fitted.count))
}

func fitted(_ data: Data, _ least: Int, _ most: Int) -> Data {
    data.prefix(most) + Data(repeating: 32, count: max(0, least - min(data.count, most)))
}

/// The length that SQLite computes. A text ends at U+0000.
func length(_ text: String) -> Int { text.unicodeScalars.prefix { $0 != "\\0" }.count }

func length(_ data: Data) -> Int { data.count }

/// Whether a text matches the pattern `[A-Z][0-9]*`.
func matches(_ text: String) -> Bool {
    let bytes = Array(text.utf8.prefix(2))
    return bytes.count == 2 && (65...90).contains(bytes[0]) && (48...57).contains(bytes[1])
}

/// The bytes that a collation compares.
func folded(_ text: String, _ collation: String) -> [UInt8] {
    var bytes = Array(text.utf8)
    switch collation {
    case "nocase":
        // SQLite compares texts of the same length up to U+0000.
        let count = bytes.count
        bytes = bytes.prefix { $0 != 0 }.map { (65...90).contains($0) ? $0 + 32 : $0 } + Array(" \\(count)".utf8)
    case "rtrim": while bytes.last == 32 { bytes.removeLast() }
    default: break
    }
    return bytes
}

func isOne(_ text: String, of texts: [String], _ collation: String) -> Bool {
    texts.contains { folded($0, collation) == folded(text, collation) }
}

func plainText(of text: String) -> String { text }

func plainText<ID: RawEntityID>(of id: ID) -> String where ID.RawValue == String { id.rawValue }

/// A row and the text from which its values are computed.
struct Found<ID: EntityID> {
    let text: String
    let id: ID
}

/// Returns the row with the least text.
func first<Entity: StoredEntity>(
    _ cursor: Cursor<Entity>, _ text: (Entity) -> String, where isChosen: (String) -> Bool = { _ in true }
) throws -> Found<Entity.ID>? {
    var found: Found<Entity.ID>?
    while let row = try cursor.next() {
        let own = text(row)
        if !isChosen(own) { continue }
        if let found, !own.utf8.lexicographicallyPrecedes(found.text.utf8) { continue }
        found = Found(text: own, id: Entity.id(of: row))
    }
    return found
}

/// Returns the row with the least text of each group of rows that a collation takes for equal.
func leaders<Entity: StoredEntity>(
    _ cursor: Cursor<Entity>, _ text: (Entity) -> String, _ group: (Entity) -> [UInt8], where isChosen: (String) -> Bool
) throws -> [[UInt8]: Found<Entity.ID>] {
    var leaders: [[UInt8]: Found<Entity.ID>] = [:]
    while let row = try cursor.next() {
        let (own, key) = (text(row), group(row))
        if !isChosen(own) { continue }
        if let found = leaders[key], !own.utf8.lexicographicallyPrecedes(found.text.utf8) { continue }
        leaders[key] = Found(text: own, id: Entity.id(of: row))
    }
    return leaders
}
'''


class Unsupported(Exception):
    """The script cannot write the Swift code of a custom migration."""


# Names


def swift_name(name):
    words = re.findall(r"[^\W_]+", name)
    head, *rest = words
    return head[:1].lower() + head[1:] + "".join("ID" if word == "id" else word[:1].upper() + word[1:] for word in rest)


def swift_type(name):
    name = swift_name(name)
    return name[:1].upper() + name[1:]


def swift_key(column, version):
    """The Swift property of a column of a primary key."""
    if column.property is None:
        return swift_name(column.name)
    name = column.property.name(version)
    return swift_name(name + "_id" if column.property.is_relationship(version) else name)


def key_type(entity, version):
    """What determines the Swift type of a primary key: the types of its parts, and their names if it is a struct."""
    columns = entity.key_columns(version)
    if len(columns) == 1 and not (columns[0].property and columns[0].property.is_relationship(version)):
        return columns[0].type
    parts = {swift_key(column, version): column.property for column in columns}
    return [
        (name, key_type(part.target(version), version) if part.is_relationship(version) else part.type(version))
        for name, part in parts.items()
    ]


def swift_version(name):
    return re.sub(r"[.-]", "_", name)


def normalized(name):
    return re.sub(r"[\W_]", "", name).lower()


# Values. The Swift variable `text` is a text that differs from row to row.


def swift_string(text):
    return '"' + "".join(f"\\u{{{ord(letter):x}}}" if not letter.isalnum() else letter for letter in text) + '"'


def swift_literal(value, type):
    """A value as SQLite stores it."""
    if type in ("int", "milliseconds", "double", "seconds", "float"):
        return f"({value!r})"
    if type == "bool":
        return "true" if value else "false"
    if type == "string":
        return swift_string(value)
    if type == "data":
        return f"Data({list(value)})"
    if type == "uuid":
        text = value.hex().upper()
        return 'UUID(uuidString: "' + "-".join([text[:8], text[8:12], text[12:16], text[16:20], text[20:]]) + '")!'
    raise Unsupported("a literal of another type")


def has_limits(property, version):
    return any(property.value(limit, version) is not None for limit in LIMITS)


def made_up(property, version, swift):
    """A value that satisfies the limits. `swift` is its Swift type."""
    type = property.type(version)
    is_unique = bool(property.value("unique", version))
    if is_unique and (has_limits(property, version) or type == "bool"):
        if property.nullable(version):
            return "nil"
        raise Unsupported("unique values with limits")
    for limit in ("one_of", "minimum", "maximum"):
        bound = property.value(limit, version)
        if bound is not None:
            return swift_literal(literal(bound[0] if limit == "one_of" else bound, type, version), type)
    if property.value("pattern", version):
        return '"A1"'
    if isinstance(type, list):
        return "[:]" if isinstance(type, Dictionary) else "[]"
    if isinstance(type, Subtype):
        return made_subtype(type, version, swift.rstrip("?"))
    number = "hashed(text)" if is_unique else "number(text)"
    made = {
        "int": number, "milliseconds": number, "bool": f"{number} % 2 == 1", "double": f"Double({number}) / 4",
        "seconds": f"Double({number}) / 4", "float": f"Float({number} % 0x7fffff) / 4",
        "date": f"Date(timeIntervalSinceReferenceDate: Double({number}))", "string": f'"c\\({number})"',
        "url": f'URL(string: "https://example.org/\\({number})")!',
        "color": f'String(format: "#%0{8 if is_unique else 6}X", {number})', "data": f'Data("c\\({number})".utf8)',
        "uuid": 'UUID_FOR("p" + text)', "decimal": f'Decimal(string: "\\({number}).5")!',
    }[type]  # fmt: skip
    least, most = property.value("min_length", version), property.value("max_length", version)
    return made if least is most is None else f"fitted({made}, {least or 0}, {1000 if most is None else most})"


def made_subtype(type, version, swift):
    if type.kind == "options":
        return f"{swift}(rawValue: 0)"
    if type.kind == "cases":
        return f"{swift}(rawValue: {swift_string(type.text(type.living(version)[0], version))})!"
    given = {"string": '""', "int": "0", "bool": "false", "[string]": "[]", "{string:int}": "[:]", "flags": "[]"}
    members = [m for m in type.living(version) if not m.value("nullable", version)]
    members = [m for m in members if m.value("default_value", version) is None]
    arguments = [f"{swift_name(m.name(version))}: {given[m.value('property_type', version)]}" for m in members]
    return f"{swift}({', '.join(arguments)})"


def unique_text(property, version):
    """A text that no other row has."""
    if property.value("pattern", version):
        return '"A\\(hashed(text))"'
    if property.value("max_length", version) is not None or property.value("one_of", version) is not None:
        raise Unsupported("unique values with limits")
    return '"u\\(hashed(text))"'


def limited(property, value, other, version):
    """A value, or another one if it violates a limit of a version."""
    conditions = []
    for limit, text in (
        ("minimum", "{value} < {bound}"), ("maximum", "{value} > {bound}"), ("min_length", "length({value}) < {bound}"),
        ("max_length", "length({value}) > {bound}"),
    ):  # fmt: skip
        bound = property.value(limit, version)
        if bound is not None:
            conditions.append(text.format(value=value, bound=f"({bound})"))
    if property.value("pattern", version):
        conditions.append(f"!matches({value})")
    allowed = property.value("one_of", version)
    if allowed is not None and property.type(version) == "uuid":
        uuids = ", ".join(swift_literal(literal(each, "uuid", version), "uuid") for each in allowed)
        conditions.append(f"![{uuids}].contains({value})")
    elif allowed is not None:
        collation = property.value("collation", version) or "binary"
        conditions.append(f'!isOne({value}, of: [{", ".join(map(swift_string, allowed))}], "{collation}")')
    return f"({' || '.join(conditions)} ? {other} : {value})" if conditions else value


def new_key(column, version, swift, prefix="k"):
    """A part of a primary key that no other row has. `swift` is its Swift type."""
    swift = swift.rstrip("?")
    property = column.property
    text = f'"{prefix}\\(hashed(text))"'
    if property and has_limits(property, version):
        text = unique_text(property, version) if column.type == "string" and prefix == "k" else None
        if text is None:
            raise Unsupported("a primary key with limits")
    value = {"string": text, "uuid": f'UUID_FOR("{prefix}" + text)', "int": f'hashed("{prefix}" + text)'}[column.type]
    return value if re.fullmatch(r"(?:(?:Swift|Foundation)\.)?(?:String|Int|UUID)", swift) else f"{swift}(rawValue: {value})"
