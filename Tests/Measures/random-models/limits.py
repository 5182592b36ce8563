"""Sizes at the limits of SQLite: the greatest one that is accepted has to work, and the next one has to be refused."""

from collections import namedtuple

#: A size of descriptions. `write(files, count, first, last)` adds descriptions whose elements exist in the version `first` and change
#: in `last`. `greatest` is the greatest accepted size; None if it is found by trying, up to `most`. `others` are tried too.
#: `deep(count)` names the properties whose change is too deep for the parser of older SQLite, so that it needs a custom migration.
Size = namedtuple("Size", "name greatest write others most deep", defaults=[(), None, lambda count: ()])

#: No size is refused.
ALL = "all"


def entity(name, first, properties, **fields):
    history = {"version_history": [{"version": first}], "identifier": {"type": "int"}}
    return {"name": name, **history, "properties": properties, **fields}


def texts(count, **fields):
    return [{"name": f"p{number}", "property_type": "string", "nullable": True} | fields for number in range(count)]


def rename(element, last):
    element["version_history"] = [{"version": last, "previous": {"name": element["name"]}}]
    element["name"] = "renamed " + element["name"]


def require(element, last):
    element["version_history"] = [{"version": last, "previous": {"nullable": True}, "fill": "none"}]
    del element["nullable"]


def columns(files, count, first, last):
    """A table with so many columns, which the last version rebuilds."""
    properties = texts(count - 3)
    properties.append({"name": "shown", "property_type": "string", "computed": "upper(p2)", "indexed": True})
    reference = {"entity_name": "wide", "association": "to_one"}
    properties.append({"name": "next", "property_type": reference, "nullable": True})
    rename(properties[0], last)
    require(properties[1], last)
    files["Wide.json"] = entity("wide", first, properties, search={"properties": ["p3", "p4"]})


def new_columns(files, count, first, last):
    """A table to which the last version adds columns until it has so many."""
    properties = texts(count - 1)
    for property in properties[-40:]:
        property["added_at_version"] = last
    files["Wide.json"] = entity("wide", first, properties)


def searched(files, count, first, last):
    """A search of so many properties, of which the last version renames one."""
    properties = texts(count)
    rename(properties[0], last)
    names = [property["name"] for property in properties]
    files["Wide.json"] = entity("wide", first, properties)
    files["Wide.json"]["version_history"].append({"version": last, "previous": {"search": {"properties": ["p0", *names[1:]]}}})
    files["Wide.json"]["search"] = {"properties": names}


def members(files, count, first, last):
    """A struct of which the last version renames so many members."""
    parts = texts(count + 1)
    for part in parts[:count]:
        rename(part, last)
    files["Part.json"] = {"name": "part", "properties": parts}
    files["Wide.json"] = entity(
        "wide", first, [{"name": "one", "property_type": "part"}, {"name": "many", "property_type": "[part]", "default_value": []}]
    )


def cases(files, count, first, last):
    """An enum of which the last version renames so many stored values."""
    names = [{"name": f"c{number}"} for number in range(count + 1)]
    for name in names[:count]:
        rename(name, last)
    files["State.json"] = {"name": "state", "cases": names}
    files["Wide.json"] = entity(
        "wide",
        first,
        [{"name": "one", "property_type": "state"}, {"name": "many", "property_type": "[state]", "default_value": []}],
    )


def options(files, count, first, last):
    names = [{"name": f"o{number}"} for number in range(count)]
    rename(names[0], last)
    files["State.json"] = {"name": "state", "options": names}
    files["Wide.json"] = entity("wide", first, [{"name": "one", "property_type": "state"}])


def lists(files, count, first, last):
    """Lists nested so deep, of a struct that the last version changes."""
    part = {"name": "a", "property_type": "string"}
    rename(part, last)
    files["Part.json"] = {"name": "part", "properties": [part]}
    properties = [{"name": "deep", "property_type": "[" * count + "part" + "]" * count, "default_value": []}]
    properties.append({"name": "plain", "property_type": "[" * count + "string" + "]" * count, "default_value": []})
    files["Wide.json"] = entity("wide", first, properties)


def structs(files, count, first, last):
    """Structs nested so deep, of which the last version changes the innermost."""
    member = {"name": "a", "property_type": "string"}
    rename(member, last)
    for depth in range(count):
        inner = {"name": "b", "property_type": f"part{depth - 1}", "nullable": True}
        files[f"Part{depth}.json"] = {"name": f"part{depth}", "properties": [inner] if depth else [member]}
    files["Wide.json"] = entity("wide", first, [{"name": "one", "property_type": f"part{count - 1}"}])


def index_values(files, count, first, last):
    """An index whose condition names so many values."""
    values = [f"v{number}" for number in range(count)] if count > 1 else "v"
    properties = texts(3)
    rename(properties[1], last)
    files["Wide.json"] = entity("wide", first, properties, indexes=[{"properties": ["p2"], "where": {"p0": values}}])


def one_of(files, count, first, last):
    """A property with so many possible values."""
    properties = texts(2)
    properties[0]["one_of"] = [f"v{number}" for number in range(count)]
    require(properties[1], last)
    files["Wide.json"] = entity("wide", first, properties)


def default(files, count, first, last):
    """A default value of so many bytes, in a column that the last version adds and in one that it renames."""
    properties = texts(2, default_value="é" * (count // 2) + "x" * (count % 2))
    for property in properties:
        del property["nullable"]
    properties[0]["added_at_version"] = last
    rename(properties[1], last)
    files["Wide.json"] = entity("wide", first, properties)


def fills(files, count, first, last):
    """Values of so many bytes, in sum, for the rows of a table that is rebuilt."""
    properties = texts(8)
    for number, property in enumerate(properties):
        require(property, last)
        part = count // 8 + (count % 8 if number == 0 else 0)
        property["version_history"][0]["fill"] = "x" * part
    files["Wide.json"] = entity("wide", first, properties)


def sums(files, count, first, last):
    """Expressions of so many terms."""
    expression(files, first, last, " + ".join(["length(p0)"] + ["1"] * (count - 1)), f"length(p0) >= {1 - count}")


def parentheses(files, count, first, last):
    """Expressions with functions nested so deep."""
    expression(files, first, last, "length(" + "upper(" * count + "p0" + ")" * count + ")", "length(p0) >= 0")


def right_deep(files, count, first, last):
    """Expressions whose right sides are nested so deep."""
    expression(files, first, last, "1 - (" * count + "length(p0)" + ")" * count, "length(p0) >= 0")


def expression(files, first, last, value, condition):
    properties = texts(2)
    require(properties[1], last)
    properties.append({"name": "result", "property_type": "int", "computed": value, "indexed": True})
    files["Wide.json"] = entity(
        "wide",
        first,
        properties,
        indexes=[{"properties": ["p1"], "where": f"{value} > 3"}],
        checks=[{"name": "holds", "where": f"p0 IS NULL OR {value} = 3 OR {condition}"}],
    )


def key(files, count, first, last):
    """A primary key of so many columns, to which another table refers."""
    properties = [{"name": f"p{number}", "property_type": "int"} for number in range(count)]
    properties += texts(2)
    properties[-1]["name"], properties[-2]["name"] = "other", "text"
    require(properties[-1], last)
    reference = {"entity_name": "wide", "association": "to_one"}
    properties.append({"name": "next", "property_type": reference, "nullable": True})
    files["Wide.json"] = entity("wide", first, properties)
    files["Wide.json"]["identifier"] = {"type": "properties", "properties": [f"p{number}" for number in range(count)]}


#: `others` are the limits of functions and of SQLite's parser: there, the generated code or SQL becomes another one.
SIZES = [
    Size("columns", 2000, columns),
    Size("columns of a table that grows", 2000, new_columns),
    Size("searched properties", 1990, searched),
    Size("renamed members", ALL, members, (62, 63, 64, 126, 127, 128)),
    Size("renamed cases", ALL, cases, (62, 64, 127, 999, 1001)),
    Size("options", 63, options),
    Size("nested lists", 7, lists, (1, 2, 3, 4, 5), deep=lambda count: ("deep",) if count > 3 else ()),
    Size("nested structs", ALL, structs, (1, 5, 6, 7, 8, 12), deep=lambda count: ("one",) if count > 6 else ()),
    Size("values of an index", 125, index_values),
    Size("values of a property", 200, one_of, (127, 128)),
    Size("bytes of a default value", 100_000, default),
    Size("bytes of values for rows", None, fills, (), 800_000),
    Size("terms of an expression", None, sums, (), 1000),
    Size("nested functions", None, parentheses, (), 200),
    Size("nested right sides", None, right_deep, (), 200),
    Size("columns of a primary key", 100, key, (63, 64)),
]


def greatest(size, is_accepted):
    """The greatest accepted size."""
    if size.greatest:
        return size.greatest
    low, high = 1, size.most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if is_accepted(middle) else (low, middle - 1)
    return low
