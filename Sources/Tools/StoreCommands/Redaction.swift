import Foundation
import JSONText
import SQLSchema
import SchemaModel
import Strata

/// Replaces the texts and the data of a store by noise, so that a store can be given away with a bug report. Numbers, dates,
/// cases, and the equality of all values stay, because migrations depend on them.
struct Redaction {
    /// A column of a table.
    struct ColumnName: Hashable {
        var table: String
        var column: String
    }

    /// The treatment of a column whose noise violates a constraint.
    private enum Substitute: Hashable {
        /// The texts that match a pattern, one for each text.
        case samples(GlobPattern)
        /// The same value in all rows.
        case constant(SQLiteValue)
    }

    private let version: ModelVersion
    private let noise = Noise()
    /// The types of the values of the model's columns.
    private var types: [ColumnName: ValueType] = [:]
    /// The columns of the app's tables whose numbers are keys, or refer to rows.
    var keptNumbers: Set<ColumnName> = []
    /// The columns that foreign keys refer to, by the columns of the foreign keys.
    private var references: [ColumnName: ColumnName] = [:]
    /// The values that a limit allows, by column.
    private var allowed: [ColumnName: Set<SQLiteValue>] = [:]
    /// The substitutes of a column that were not tried yet, the next one last.
    private var untried: [ColumnName: [Substitute]] = [:]
    private var substitutes: [ColumnName: Substitute] = [:]
    /// The numbers of the texts that samples replace.
    private var numbers: [ColumnName: [SQLiteValue: Int]] = [:]

    init(_ version: ModelVersion) {
        self.version = version
        for entity in version.entities {
            for column in version.columns(of: entity) {
                types[ColumnName(table: entity.tableName, column: column.name)] = column.type
            }
        }
        for table in version.tables {
            for key in table.foreignKeys {
                for (column, target) in zip(key.columns, key.targetColumns) {
                    references[ColumnName(table: table.name, column: column)] = ColumnName(
                        table: key.target, column: target)
                }
            }
            for check in table.checks {
                guard case .isIn(.column(let column), let values) = check.condition else { continue }
                allowed[ColumnName(table: table.name, column: column)] = Set(
                    values.compactMap(SQLiteValue.init(literal:)))
            }
        }
    }

    /// The columns with other values than noise, each with what these are.
    var substituted: [String] {
        substitutes.map { column, substitute in
            switch substitute {
            case .samples: "\(column.table).\(column.column): samples of its pattern"
            case .constant(let value): "\(column.table).\(column.column): \(value) in all rows"
            }
        }.sorted()
    }

    /// The column whose values a column repeats.
    private func origin(_ column: ColumnName) -> ColumnName {
        var column = column
        var seen: Set<ColumnName> = []
        while let next = references[column], seen.insert(column).inserted { column = next }
        return column
    }

    // MARK: Rows

    /// Returns a row with noise.
    mutating func redacted(_ table: String, _ columns: [String], _ values: [SQLiteValue]) -> [SQLiteValue] {
        zip(columns, values).map { redacted($1, ColumnName(table: table, column: $0)) }
    }

    private mutating func redacted(_ value: SQLiteValue, _ column: ColumnName) -> SQLiteValue {
        let column = origin(column)
        if value == .null { return value }
        switch substitutes[column] {
        case .constant(let value): return value
        case .samples(let pattern):
            let number = numbers[column]?[value] ?? numbers[column]?.count ?? 0
            numbers[column, default: [:]][value] = number
            return pattern.text(number, length: 0).map(SQLiteValue.text) ?? .null
        case nil: break
        }
        if allowed[column]?.contains(value) == true { return value }
        switch (value, types[column]) {
        case (.blob(let data), .scalar(.uuid)) where data.count == 16: return value
        case (.blob(let data), _): return .blob(noise.data(data))
        case (.text(let text), .scalar(let type)): return .text(redacted(text, type))
        case (.text(let text), let type?): return .text(redacted(text, as: type))
        case (.text(let text), nil): return .text(noise.text(text))
        // The app's own numbers may be of any kind.
        case (.integer, nil) where !isOfModel(column) && !keptNumbers.contains(column): return .integer(0)
        case (.real, nil) where !isOfModel(column) && !keptNumbers.contains(column): return .real(0)
        case (.integer, .scalar(let type)) where !Self.isNumber(type): return .integer(0)
        case (.real, .scalar(let type)) where !Self.isNumber(type): return .real(0)
        case (.null, _), (.integer, _), (.real, _): return value
        }
    }

    /// Whether a column without a type is one of the model's: it holds positions.
    private func isOfModel(_ column: ColumnName) -> Bool {
        version.tables.contains { $0.name == column.table && $0.columnNames.contains(column.column) }
    }

    /// Whether the values of a type are numbers, in a column or in JSON.
    private static func isNumber(_ type: ScalarType) -> Bool {
        type.storage == .integer || type.storage == .real
    }

    private func redacted(_ text: String, _ type: ScalarType) -> String {
        switch type {
        case .url: noise.url(text)
        case .color where isColor(text), .decimal where Decimal(string: text)?.description == text: text
        case .uuid where UUID(uuidString: text) != nil: text
        default: noise.text(text)
        }
    }

    private func isColor(_ text: String) -> Bool {
        [7, 9].contains(text.utf8.count) && text.hasPrefix("#") && text.dropFirst().allSatisfy(\.isHexDigit)
    }

    // MARK: Violations

    /// Chooses another treatment of the columns of a constraint that noise violates.
    ///
    /// - Returns: Whether there is one. Then all rows have to be written again.
    mutating func avoid(_ error: SQLiteError, in table: String) -> Bool {
        guard let table = version.tables.first(where: { $0.name == table }) else { return false }
        let check = table.checks.first { $0.name == error.check }
        let names = check?.condition.columns ?? error.columns.map { String($0.split(separator: ".").last ?? "") }
        for name in names {
            let column = origin(ColumnName(table: table.name, column: name))
            guard let owner = version.tables.first(where: { $0.name == column.table }),
                let definition = owner.columns.first(where: { $0.name == column.column }),
                [.text, .blob].contains(definition.type)
            else { continue }
            var next = untried[column] ?? Self.candidates(definition, check)
            defer { untried[column] = next }
            if let substitute = next.popLast() {
                (substitutes[column], numbers) = (substitute, [:])
                return true
            }
            substitutes[column] = nil
        }
        return false
    }

    /// The values that may satisfy the constraints of a column, the last one first.
    private static func candidates(_ column: Table.Column, _ check: Table.Check?) -> [Substitute] {
        var constants: [SQLiteValue] = column.isNullable ? [.null] : []
        if let value = column.defaultValue.flatMap(SQLiteValue.init(literal:)) { constants.append(value) }
        constants +=
            column.type == .text ? ["", "a", "A", "0"].map(SQLiteValue.text) : [.blob(Data()), .blob(Data([0]))]
        var candidates = constants.map(Substitute.constant)
        if case .binary(.column, .glob, .literal(.text(let text)))? = check?.condition, let pattern = GlobPattern(text)
        {
            candidates.insert(.samples(pattern), at: 0)
        }
        return candidates.reversed()
    }

    // MARK: JSON

    /// Returns a case, or JSON with noise for its texts, and for everything that the model does not know.
    private func redacted(_ text: String, as type: ValueType) -> String {
        if case .subtype(let lineage) = type, let cases = version.subtype(lineage)?.cases, !cases.isEmpty {
            return cases.contains { $0.value == text } ? text : noise.text(text)
        }
        guard let json = try? JSONParser.parse(Array(text.utf8)) else { return noise.text(text) }
        return redacted(json, type)
    }

    /// - Parameter type: The type of the value; nil if the model does not know it.
    private func redacted(_ json: JSON, _ type: ValueType?) -> String {
        switch (json.value, type) {
        case (.null, _): return "null"
        case (.bool(let value), _): return String(value)
        case (.number(let text), .scalar(let type)?): return Self.isNumber(type) ? text : "0"
        case (.number(let text), .subtype(let lineage)?):
            if case .options? = version.subtype(lineage)?.kind { return text }
            return "0"
        case (.number, _): return "0"
        case (.string(let text), .scalar(.data)?):
            let data = Data(base64Encoded: text)
            return JSON.quoted(data.map { noise.data($0).base64EncodedString() } ?? noise.text(text))
        case (.string(let text), .scalar(let type)?): return JSON.quoted(redacted(text, type))
        case (.string(let text), .subtype(let lineage)?):
            let isCase = version.subtype(lineage)?.cases.contains { $0.value == text } == true
            return JSON.quoted(isCase ? text : noise.text(text))
        case (.string(let text), _): return JSON.quoted(noise.text(text))
        case (.array(let elements), _):
            var element: ValueType?
            if case .array(let type)? = type { element = type }
            return "[\(elements.map { redacted($0, element) }.joined(separator: ","))]"
        case (.object(let values), .dictionary(let key, let type)?):
            let texts = values.map { value in
                let text = key == .int ? value.key : noise.text(value.key)
                return "\(JSON.quoted(text)):\(redacted(value.value, type))"
            }
            return "{\(texts.joined(separator: ","))}"
        case (.object(let values), _):
            let members = type?.subtype.flatMap(version.subtype)?.members ?? []
            let texts = values.map { value in
                let member = members.first { $0.persistedName ?? $0.name == value.key }
                let key = member == nil ? noise.text(value.key) : value.key
                return "\(JSON.quoted(key)):\(redacted(value.value, member?.type))"
            }
            return "{\(texts.joined(separator: ","))}"
        }
    }
}

extension SQLiteValue {
    /// Creates the value of a literal.
    fileprivate init(literal: Literal) {
        switch literal {
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let value): self = .text(value)
        case .blob(let value): self = .blob(Data(value))
        }
    }

    /// Creates the value of an expression; nil if it is not a literal.
    fileprivate init?(literal expression: RowExpression<String>) {
        guard case .literal(let literal) = expression else { return nil }
        self.init(literal: literal)
    }
}
