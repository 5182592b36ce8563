import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// The expected value of a migrated column. The source states which change a value has. StrataTesting computes the result with its
/// own code, not with that of the migration. The template `ExpectedValue.swift` writes it.
indirect enum ExpectedValue: TemplateValues, Hashable {
    /// The unchanged value of a column of the old row.
    case column(String)
    /// A value, as a literal.
    case value(String)
    /// A changed value.
    case converted(ExpectedValue, ExpectedConversion)
    /// The first value, or the second if that is NULL.
    case first(ExpectedValue, ExpectedValue)
    /// A value, or the second one if the first violates the limits.
    case limited(ExpectedValue, [LimitValues], otherwise: String, collation: String?)

    /// The parts of an expected value that is computed from another one.
    struct Operation: TemplateValues {
        let value: ExpectedValue
        var conversion: ExpectedConversion?
        var other: ExpectedValue?
        var limits: [LimitValues] = []
        var otherwise: String?
        var collation: String?

        static let fields: [TemplateField<Self>] = [
            .object("value", \.value, "the value, an expected value"),
            .object("conversion", \.conversion, "its change, for the template `Conversion.swift`"),
            .object("other", \.other, "the value if the first is NULL"),
            .list("limits", \.limits, "the limits"),
            .optional("otherwise", \.otherwise, "the value if the first violates the limits, as a literal"),
            .optional("collation", \.collation, "the case of the collation in which values are compared"),
        ]
    }

    static let null = ExpectedValue.value(".null")

    static let fields: [TemplateField<Self>] = [
        .optional("column", \.column, "the unchanged value of a column of the old row, as a literal"),
        .optional("literal", \.literal, "a value, as a literal"),
        .object("converted", \.converted, "a changed value"),
        .object("first", \.first, "the first of two values that is not NULL"),
        .object("limited", \.limited, "a value, or another one if it violates limits"),
    ]

    private var column: String? { if case .column(let name) = self { SwiftLiteral.string(name) } else { nil } }
    private var literal: String? { if case .value(let literal) = self { literal } else { nil } }
    private var converted: Operation? {
        if case .converted(let value, let conversion) = self {
            Operation(value: value, conversion: conversion)
        } else {
            nil
        }
    }
    private var first: Operation? {
        if case .first(let first, let second) = self { Operation(value: first, other: second) } else { nil }
    }
    private var limited: Operation? {
        if case .limited(let value, let limits, let otherwise, let collation) = self {
            Operation(value: value, limits: limits, otherwise: otherwise, collation: collation)
        } else {
            nil
        }
    }

    /// Returns the expected value of a column; nil if a custom migration provides the value.
    ///
    /// - Parameters:
    ///   - origin: The origin of the value.
    ///   - collation: The collation of the new column.
    init?(_ origin: ValueOrigin, _ collation: Collation?) {
        switch origin {
        case .copy(let column): self = .column(column.name)
        case .changed(let column, let change):
            let value = ExpectedValue.column(column.name)
            self = ExpectedConversion(change.values).map { .converted(value, $0) } ?? value
        case .coalesced(let first, let second):
            guard let first = ExpectedValue(first, collation), let second = ExpectedValue(second, collation) else {
                return nil
            }
            self = .first(first, second)
        case .limited(let first, let limits, let literal):
            guard let first = ExpectedValue(first, collation) else { return nil }
            self = .limited(
                first, LimitValues.all(limits), otherwise: SwiftLiteral.sqliteValue(literal),
                collation: collation?.rawValue)
        case .constant(let literal): self = .value(SwiftLiteral.sqliteValue(literal))
        case .null: self = .null
        case .custom: return nil
        }
    }
}

/// A change of values, for the template `Conversion.swift`.
indirect enum ExpectedConversion: TemplateValues, Hashable {
    case scalar(from: String, to: String)
    case cases([Pair])
    case options(cleared: Int)
    case members([Member])
    case elements(ExpectedConversion)
    case values(ExpectedConversion)

    /// A type and the type that it becomes.
    struct Scalar: TemplateValues {
        let from: String
        let to: String

        static let fields: [TemplateField<Self>] = [
            .text("from", \.from, "the type before"), .text("to", \.to, "the type after"),
        ]
    }

    /// A text and the text that it becomes.
    struct Pair: TemplateValues, Hashable {
        let from: String
        let to: String

        static let fields: [TemplateField<Self>] = [
            .text("from", \.from, "the text before, as a literal"),
            .text("to", \.to, "the text after, as a literal"),
        ]
    }

    struct Pairs: TemplateValues {
        let pairs: [Pair]

        static let fields: [TemplateField<Self>] = [.list("pairs", \.pairs, "the changed texts")]
    }

    /// A change of a member.
    struct Member: TemplateValues, Hashable {
        enum Kind: String { case added, removed, renamed, changed }

        let kind: Kind
        let name: String
        var json: String?
        var newName: String?
        var conversion: ExpectedConversion?

        static let fields: [TemplateField<Self>] = [
            .text("kind", \.kind.rawValue, "`added`, `removed`, `renamed` or `changed`"),
            .text("name", \.name, "the name, as a literal"),
            .optional("json", \.json, "the JSON of its value, as a literal, if it is added"),
            .optional("newName", \.newName, "the new name, as a literal, if it is renamed"),
            .object("conversion", \.conversion, "the change of its value, for the template `Conversion.swift`"),
        ]

        /// Creates a change; nil if the stored value stays the same.
        init?(_ change: ValueChange.Member) {
            switch change {
            case .added(let name, let json):
                (kind, self.name, self.json) = (.added, SwiftLiteral.string(name), SwiftLiteral.string(json))
            case .removed(let name): (kind, self.name) = (.removed, SwiftLiteral.string(name))
            case .renamed(let old, let new, let inner, _):
                (kind, name, newName) = (.renamed, SwiftLiteral.string(old), SwiftLiteral.string(new))
                conversion = inner.flatMap(ExpectedConversion.init)
            case .changed(let name, let inner, _):
                guard let inner = ExpectedConversion(inner) else { return nil }
                (kind, self.name, conversion) = (.changed, SwiftLiteral.string(name), inner)
            }
        }
    }

    struct Members: TemplateValues {
        let members: [Member]

        static let fields: [TemplateField<Self>] = [.list("members", \.members, "the changes")]
    }

    static let fields: [TemplateField<Self>] = [
        .object("scalar", \.scalar, "the conversion from a scalar type to another"),
        .object("cases", \.cases, "texts that become others"),
        .optional("options", \.options, "the bits that are cleared"),
        .object("struct", \.structure, "the changes of members"),
        .object("elements", \.elements, "the change of each element, of this form"),
        .object("values", \.values, "the change of each value of a dictionary"),
    ]

    private var scalar: Scalar? {
        if case .scalar(let from, let to) = self { Scalar(from: from, to: to) } else { nil }
    }
    private var cases: Pairs? { if case .cases(let pairs) = self { Pairs(pairs: pairs) } else { nil } }
    private var options: String? { if case .options(let cleared) = self { String(cleared) } else { nil } }
    private var structure: Members? { if case .members(let members) = self { Members(members: members) } else { nil } }
    private var elements: ExpectedConversion? { if case .elements(let element) = self { element } else { nil } }
    private var values: ExpectedConversion? { if case .values(let value) = self { value } else { nil } }

    /// Creates a change of values; nil if the stored values stay the same by the definition of the type.
    init?(_ change: ValueChange) {
        switch change {
        case .scalar(let from, let to): self = .scalar(from: from.rawValue, to: to.rawValue)
        case .caseToString: return nil
        case .cases(let values, _):
            if values.isEmpty { return nil }
            self = .cases(
                values.sorted { $0.key < $1.key }.map { pair in
                    Pair(
                        from: SwiftLiteral.string(pair.key), to: SwiftLiteral.string(pair.value))
                })
        case .options(let cleared):
            if cleared == 0 { return nil }
            self = .options(cleared: cleared)
        case .members(let members):
            let changes = members.compactMap(Member.init)
            if changes.isEmpty { return nil }
            self = .members(changes)
        case .elements(let change, _):
            guard let change = ExpectedConversion(change) else { return nil }
            self = .elements(change)
        case .values(let change, _):
            guard let change = ExpectedConversion(change) else { return nil }
            self = .values(change)
        }
    }
}
