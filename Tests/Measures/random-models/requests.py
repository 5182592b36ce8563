"""Writes tests that compare random requests with filters in Swift."""

import random

from descriptions import Subtype
from swift import swift_name, swift_string

SUPPORT = '''\
import Foundation
import Strata
import StrataTesting
import Testing

/// How a column compares texts.
enum Collation { case binary, nocase, rtrim }

func bytes(_ text: String, _ collation: Collation) -> [UInt8] {
    var bytes = Array(text.utf8)
    switch collation {
    case .binary: break
    case .nocase: bytes = bytes.map { (65...90).contains($0) ? $0 + 32 : $0 }
    case .rtrim: while bytes.last == 32 { bytes.removeLast() }
    }
    return bytes
}

func equal<Value: Equatable>(_ left: Value?, _ right: Value?, _ collation: Collation = .binary) -> Bool {
    if let left = left as? String, let right = right as? String { return bytes(left, collation) == bytes(right, collation) }
    return left == right
}

func less<Value: Comparable>(_ left: Value?, _ right: Value?, _ collation: Collation = .binary) -> Bool {
    guard let left, let right else { return false }
    if let left = left as? String, let right = right as? String {
        return bytes(left, collation).lexicographicallyPrecedes(bytes(right, collation))
    }
    return left < right
}

struct RequestCheck {
    let store: Store

    /// Compares the rows of a condition, and of its negation, with those that `expected` selects.
    func callAsFunction<Entity: StoredEntity>(
        _ number: Int, _ condition: (Entity.Columns) -> Condition<Entity>,
        _ expected: (ReadTransaction, Entity) throws -> Bool
    ) throws {
        let condition = condition(Entity.Columns())
        try store.write { transaction in
            let all = try transaction.fetch(Entity.self)
            for isNegated in [false, true] {
                let request = Entity.all.filter(isNegated ? !condition : condition)
                let rows = try transaction.fetch(request)
                let wanted = try all.filter { try expected(transaction, $0) != isNegated }
                #expect(
                    Set(rows.map(Entity.id)) == Set(wanted.map(Entity.id)) && rows.count == wanted.count,
                    "request \\(number), negated: \\(isNegated)")
                #expect(try transaction.count(request) == wanted.count, "request \\(number), count")
                #expect(try transaction.exists(request) != wanted.isEmpty, "request \\(number), exists")
            }
        }
    }
}
'''


class RequestWriter:
    """Writes the requests of the newest version of a model."""

    def __init__(self, target, seed):
        self.target, self.model = target, target.model
        self.version = len(self.model.versions) - 1
        self.random = random.Random(seed)

    def write(self, count=12):
        entities = [e for e in self.model.living(self.version) if self.properties(e)]
        if not entities:
            return
        checks = []
        for number in range(count):
            entity = self.random.choice(entities)
            condition, expected = self.condition(entity, 2)
            name = self.struct(entity)
            checks.append(
                f"        try check({number}, {{ (row: {name}.Columns) in {condition} }}, "
                f"{{ (transaction, row: {name}) in try {expected} }})"
            )
        (self.target.tests / "RequestSupport.swift").write_text(SUPPORT)
        (self.target.tests / "Requests.swift").write_text(
            f"""\
import Foundation
import Strata
import StrataTesting
import Testing

@testable import {self.target.name}

@Test func `requests of {self.target.name} select the rows that a filter selects`() throws {{
    let database = try {self.target.name}SchemaMigrationTests.fixtures.database(of: "{self.model.versions[-1]}")
    try withExtendedLifetime(database) {{
        let check = RequestCheck(store: try database.store())
{chr(10).join(checks)}
    }}
}}
"""
        )

    def struct(self, entity):
        name = swift_name(entity.name(self.version))
        return f"{self.target.name}Schema.Newest.{name[:1].upper()}{name[1:]}"

    TYPES = ("int", "milliseconds", "double", "seconds", "string", "bool", "uuid", "date", "decimal", "float")

    def properties(self, entity):
        return [
            p
            for p in entity.properties
            if p.has_columns(self.version)
            and not p.is_relationship(self.version)
            and (p.type(self.version) in self.TYPES or self.is_enum(p.type(self.version)))
        ]

    def is_enum(self, type):
        return isinstance(type, Subtype) and type.kind == "cases"

    def condition(self, entity, depth):
        """A condition, and the same in Swift."""
        kind = self.random.randrange(6) if depth else 5
        if kind < 2:
            operator = self.random.choice(["&&", "||"])
            left, right = self.condition(entity, depth - 1), self.condition(entity, depth - 1)
            return tuple(f"({one} {operator} {other})" for one, other in zip(left, right))
        if kind == 2:
            return tuple(f"!({each})" for each in self.condition(entity, depth - 1))
        if kind == 3:
            return self.relationship(entity) or self.comparison(entity, "row")
        return self.comparison(entity, "row")

    def relationship(self, entity):
        """A condition on related rows."""
        choices = [
            p
            for p in entity.properties
            if p.lives(self.version) and p.is_relationship(self.version) and p.is_to_many(self.version)
        ]
        if not choices:
            return None
        property = self.random.choice(choices)
        name = swift_name(property.name(self.version))
        related = f"transaction.related(row, \\.`{name}`)"
        if self.random.random() < 0.5:
            return f"row.`{name}`.isEmpty", f"{related}.isEmpty"
        target = property.target(self.version)
        if self.random.random() < 0.3 or not self.properties(target):
            # A row counts each time that it is in the list.
            return f"(row.`{name}`.count > 1)", f"({related}.count > 1)"
        condition, expected = self.comparison(target, "other")
        return (
            f"row.`{name}`.contains {{ other in {condition} }}",
            f"{related}.contains {{ other in {expected} }}",
        )

    def comparison(self, entity, row):
        property = self.random.choice(self.properties(entity))
        type, name = property.type(self.version), f"{row}.`{swift_name(property.name(self.version))}`"
        collation = f", .{property.value('collation', self.version) or 'binary'}" if type == "string" else ""
        if property.nullable(self.version) and self.random.random() < 0.3:
            return self.random.choice([(f"({name} == nil)", f"({name} == nil)"), (f"({name} != nil)", f"({name} != nil)")])
        if type == "bool":
            return (f"({name} == true)", f"equal({name}, true)")
        value = self.value(property, type)
        if self.is_enum(type) or type == "uuid" or self.random.random() < 0.4:
            if self.random.random() < 0.5:
                return f"({name} == {value})", f"equal({name}, {value}{collation})"
            return f"({name} != {value})", f"!equal({name}, {value}{collation})"
        operator = self.random.choice(["<", ">", "<=", ">="])
        less, greater = f"less({name}, {value}{collation})", f"less({value}, {name}{collation})"
        same = f"equal({name}, {value}{collation})"
        expected = {"<": less, ">": greater, "<=": f"({less} || {same})", ">=": f"({greater} || {same})"}[operator]
        return f"({name} {operator} {value})", expected

    def value(self, property, type):
        choose = self.random.choice
        if self.is_enum(type):
            case = choose(type.living(self.version))
            name = swift_name(type.name(self.version))
            struct = f"{self.target.name}Schema.Newest.{name[:1].upper()}{name[1:]}"
            return f"{struct}(rawValue: {swift_string(type.text(case, self.version))})!"
        return {
            "int": lambda: choose(["0", "1", "-1", "4", "9007199254740993", "Int.max"]),
            "milliseconds": lambda: choose(["0", "1500"]),
            "double": lambda: choose(["0.0", "0.5", "-1.25", "1e300"]),
            "seconds": lambda: choose(["0.0", "1.5"]),
            "float": lambda: choose(["Float(0.0)", "Float(0.5)", "Float(0.1)"]),
            "string": lambda: swift_string(choose(["", "a", "A", "tea", "tea ", "é", "e\u0301", "007"])),
            "uuid": lambda: 'UUID(uuidString: "6F9619FF-8B86-D011-B42D-00C04FC964FF")!',
            "date": lambda: f"Date(timeIntervalSinceReferenceDate: {choose(['0', '1.5e9', '-3e9'])})",
            "decimal": lambda: f'Decimal(string: "{choose(["0", "1.5", "-7", "12345678901234567890.5"])}")!',
        }[type]()
