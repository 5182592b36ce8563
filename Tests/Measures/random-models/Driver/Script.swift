import Foundation
import Strata

/// The results of the custom migrations of a model, which the interpreter has computed.
///
/// The rows are those of one database: a script belongs to the database that it was computed for.
struct Script: Decodable, Sendable {
    /// The entities whose rows a custom migration converts, by the version before the step.
    let steps: [String: [Conversion]]

    /// The conversion of the rows of an entity, or rows that are added to one.
    struct Conversion: Decodable, Sendable {
        let old: Table
        let new: Table
        /// Whether the primary keys of both tables have the same type.
        let keepsKeyType: Bool
        /// Whether the old entity is removed, and its rows become rows of another one.
        let isMerged: Bool
        /// The outcome of each old row, by the text of its primary key.
        let outcomes: [String: Outcome]
        /// The rows that are added to the new table, besides those of the outcomes.
        let added: [[CodedValue]]
    }

    struct Table: Decodable, Sendable {
        let name: String
        let key: [String]
        let columns: [String]

        var entityTable: EntityTable { EntityTable(name, key: key, columns: columns) }
    }

    /// The outcome of an old row: a new row, the primary key of another row, or nothing if the row is dropped.
    struct Outcome: Decodable, Sendable {
        let keep: [CodedValue]?
        let merge: [CodedValue]?
    }
}

/// A value of SQLite as text: a letter for its storage class, and the value.
struct CodedValue: Decodable, Sendable {
    let value: SQLiteValue

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        let rest = String(text.dropFirst())
        switch text.first {
        case "n": value = .null
        case "i": value = .integer(Int64(rest) ?? 0)
        case "r": value = .real(Double(rest) ?? 0)
        case "t": value = .text(rest)
        default:
            value = .blob(
                Data(
                    stride(from: 0, to: rest.count, by: 2).map { offset in
                        let start = rest.index(rest.startIndex, offsetBy: offset)
                        return UInt8(rest[start..<rest.index(start, offsetBy: 2)], radix: 16) ?? 0
                    }))
        }
    }

    /// Returns the text of a primary key.
    static func text(of key: [SQLiteValue]) -> String {
        key.map { value in
            switch value {
            case .null: "n"
            case .integer(let value): "i\(value)"
            case .real(let value): "r\(value)"
            // Swift compares texts by their canonical forms, and SQLite by their bytes.
            case .text(let value): "t" + Data(value.utf8).hexadecimal
            case .blob(let value): "x" + value.hexadecimal
            }
        }.joined(separator: "\u{1f}")
    }
}

/// A custom migration that looks each result up.
struct ScriptedMigration: CustomMigration {
    /// Converts the rows of one entity, or adds rows to one.
    ///
    /// - Parameter place: The place of the conversion in its step.
    func convert(_ conversion: Script.Conversion, at place: Int, _ step: CustomStep) throws {
        let tables = ScriptedTables(old: conversion.old.entityTable, new: conversion.new.entityTable)
        try ScriptedTables.$current.withValue(tables) { try convert(conversion, step, place, Zero.self) }
    }

    private func convert<Number: TypeNumber>(
        _ conversion: Script.Conversion, _ step: CustomStep, _ place: Int, _ number: Number.Type
    ) throws {
        if place > 0 { return try convert(conversion, step, place - 1, Next<Number>.self) }
        if !conversion.added.isEmpty {
            try step.once("add \(conversion.new.name)") { access in
                let context = MigrationContext<Never, Never>(access)
                for row in conversion.added {
                    try context.insert(ScriptedRow<NewSide<Number>>(values: row.map(\.value)))
                }
            }
        } else if conversion.keepsKeyType {
            try convert(ScriptedRow<OldSide<CommonKey>>.self, conversion, step, number)
        } else {
            try convert(ScriptedRow<OldSide<FormerKey>>.self, conversion, step, number)
        }
    }

    private func convert<Side: ScriptedSide, Number: TypeNumber>(
        _ type: ScriptedRow<Side>.Type, _ conversion: Script.Conversion, _ step: CustomStep, _ number: Number.Type
    ) throws {
        func outcome(
            _ old: ScriptedRow<Side>, _ access: StepAccess
        ) throws -> Outcome<ScriptedRow<NewSide<Number>>> {
            let key = CodedValue.text(of: type.id(of: old).values)
            guard let outcome = conversion.outcomes[key] else {
                throw DriverError("\(conversion.old.name): the script has no outcome for the row \(key)")
            }
            if let row = outcome.keep { return .keep(ScriptedRow(values: row.map(\.value))) }
            if let key = outcome.merge { return .merge(into: CommonKey(values: key.map(\.value))) }
            return .drop
        }
        if conversion.isMerged {
            try step.merge(type, outcome)
        } else {
            try step.migrate(type, outcome)
        }
    }
}

extension Data {
    fileprivate var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}

struct DriverError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
