import Mustache
import SchemaDiff
import SchemaModel
import SQLSchema

/// A column of a fixture's table. A foreign key of several columns is one of them.
struct FixtureColumnValues: TemplateValues, Hashable {
    enum Role: Hashable {
        case key, value, position, reference
    }

    /// The name of the first column, as a literal.
    let name: String
    let role: Role
    let property: String
    let columns: String
    let target: String?
    let deleteRule: String?
    let sample: SampleValues?
    let isNullable: Bool
    let isUnique: Bool
    let member: String?

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "the name of the first column, as a literal"),
        .flag("isKey", \.isKey, "whether it is a primary key that is not a property"),
        .flag("isValue", \.isValue, "whether it is an attribute"),
        .flag("isPosition", \.isPosition, "whether it has positions"),
        .flag("isReference", \.isReference, "whether it is a foreign key"),
        .text("property", \.property, "the name of the property in the description, as a literal"),
        .text("columns", \.columns, "the names of all its columns, as a literal"),
        .optional("target", \.target, "the table that a foreign key refers to, as a literal"),
        .optional("deleteRule", \.deleteRule, "the case of `Strata.DeleteRule`, if it is not `nullify`"),
        .object("sample", \.sample, "the values in fixtures"),
        .flag("isNullable", \.isNullable, "whether it can be NULL"),
        .flag("isUnique", \.isUnique, "whether the values in fixtures are distinct"),
        .optional(
            "member", \.member, "the name of the property in the struct, as a literal, if it differs from the name"),
    ]

    private var isKey: Bool { role == .key }
    private var isValue: Bool { role == .value }
    private var isPosition: Bool { role == .position }
    private var isReference: Bool { role == .reference }
}

/// The values of a column in fixtures.
struct SampleValues: TemplateValues, Hashable {
    let type: String
    let values: String?
    let limits: [LimitValues]

    static let fields: [TemplateField<Self>] = [
        .text("type", \.type, "the case of `StrataTesting.ColumnType`"),
        .optional("values", \.values, "all values, as a literal, if they are given"),
        .flag("hasLimits", \.hasLimits, "whether `limits` has elements"),
        .list("limits", \.limits, "the limits of the values"),
    ]

    private var hasLimits: Bool { !limits.isEmpty }
}

/// A limit of the values of a column.
struct LimitValues: TemplateValues, Hashable {
    let name: String
    let value: String

    static let fields: [TemplateField<Self>] = [
        .text("name", \.name, "the case of `StrataTesting.ColumnLimit`"),
        .text("value", \.value, "its value, as a literal"),
    ]

    /// Returns the values of limits.
    static func all(_ limits: [ValueLimit]) -> [LimitValues] {
        limits.map { limit in
            let (name, value) =
                switch limit {
                case .minimum(let value): ("minimum", SwiftLiteral.sqliteValue(value))
                case .maximum(let value): ("maximum", SwiftLiteral.sqliteValue(value))
                case .minLength(let length): ("minLength", String(length))
                case .maxLength(let length): ("maxLength", String(length))
                case .pattern(let pattern): ("pattern", SwiftLiteral.string(pattern))
                case .oneOf(let values):
                    ("oneOf", "[\(values.map(SwiftLiteral.sqliteValue).joined(separator: ", "))]")
                }
            return LimitValues(name: name, value: value)
        }
    }
}

extension Generator {
    /// Returns the columns of the fixtures' table of an entity.
    func fixtureColumns(of entity: Entity, in version: ModelVersion) -> [FixtureColumnValues] {
        let distinct = distinctColumns(of: entity, in: version)
        return version.columns(of: entity).filter { $0.part == 0 }.map { column in
            fixtureColumn(column, of: entity, in: version, isDistinct: distinct.contains(column.name))
        }
    }

    private func fixtureColumn(
        _ column: StoredColumn, of entity: Entity, in version: ModelVersion, isDistinct: Bool
    ) -> FixtureColumnValues {
        let property = column.property.flatMap(entity.property)
        var role = FixtureColumnValues.Role.value
        var columns = [column.name]
        var (target, deleteRule): (String?, String?)
        switch column.role {
        case .identifier: role = .key
        case .attribute: break
        case .position: role = .position
        case .reference(let lineage):
            role = .reference
            columns = version.columns(of: entity).filter {
                $0.property == column.property && $0.role != .position
            }.map(\.name)
            target = SwiftLiteral.string(version.entity(lineage)?.tableName ?? "")
            let rule = property.map(version.deleteRule) ?? .nullify
            deleteRule = rule == .nullify ? nil : SwiftName.member(rule.rawValue)
        }
        // StrataTesting compares names in the same way.
        func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
        let hasOwnName = plain(column.member) != plain(column.name)
        return FixtureColumnValues(
            name: SwiftLiteral.string(column.name), role: role,
            property: SwiftLiteral.string(property?.name ?? column.name), columns: SwiftLiteral.strings(columns),
            target: target, deleteRule: deleteRule,
            sample: role == .reference || role == .position
                ? nil : sample(column.type, limits: property?.limits ?? [], in: version),
            isNullable: column.isNullable && column.role != .position,
            isUnique: isDistinct && column.role != .identifier && column.role != .position,
            member: hasOwnName ? SwiftLiteral.string(column.member) : nil)
    }

    /// Returns the columns whose values must be distinct in a fixture, one for each unique index. It is the first
    /// attribute of the index that has a scalar type other than Boolean, or else the first column of the index.
    private func distinctColumns(of entity: Entity, in version: ModelVersion) -> Set<String> {
        let columns = version.columns(of: entity)
        var names: Set<String> = []
        for index in version.table(of: entity).indexes where index.isUnique {
            let candidates = index.columns.compactMap { name in columns.first { $0.name == name && $0.part == 0 } }
            // A single-column primary key is always distinct.
            if candidates.contains(where: { $0.isKey && version.keyParts(of: entity).count == 1 }) { continue }
            let attribute = candidates.first { $0.role == .attribute && ($0.type.scalar ?? .bool) != .bool }
            names.insert((attribute ?? candidates.first)?.name ?? "")
        }
        return names
    }

    /// Returns the values of a column in fixtures.
    private func sample(_ type: ValueType, limits: [ValueLimit], in version: ModelVersion) -> SampleValues {
        let limits = LimitValues.all(limits)
        func texts(_ texts: [String]) -> SampleValues {
            SampleValues(type: "texts", values: SwiftLiteral.strings(texts), limits: limits)
        }
        switch type {
        case .scalar(let scalar): return SampleValues(type: scalar.rawValue, values: nil, limits: limits)
        case .array, .dictionary: return texts(SampleJSON.texts(of: type, in: version))
        case .subtype(let lineage):
            switch version.subtype(lineage)?.kind {
            case .cases(let cases): return texts(cases.map(\.value))
            case .options(let options):
                let all = options.reduce(0) { $0 | 1 << $1.bit }
                let values = [0] + options.map { 1 << $0.bit } + (options.count > 1 ? [all] : [])
                return SampleValues(
                    type: "integers", values: "[\(values.map(String.init).joined(separator: ", "))]", limits: limits)
            case .members, nil: return texts(SampleJSON.texts(of: type, in: version))
            }
        }
    }
}
