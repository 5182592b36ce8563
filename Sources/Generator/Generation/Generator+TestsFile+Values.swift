import SchemaDiff
import SchemaModel
import SQLSchema

/// The expected values of migrated columns, as Swift source. The source states which change a value has. StrataTesting computes
/// the result with its own code, not with that of the migration.
extension Generator {
    /// Returns Swift source for the unchanged value of a column of the old row.
    static func copy(_ column: String) -> String { ".column(\(SwiftLiteral.string(column)))" }

    /// Swift source for NULL.
    static let null = ".value(.null)"

    /// Returns Swift source for the expected value of a column; nil if a custom migration provides the value.
    ///
    /// - Parameters:
    ///   - origin: The origin of the value.
    ///   - collation: The collation of the new column.
    func expectation(_ origin: ValueOrigin, _ collation: Collation?) -> String? {
        switch origin {
        case .copy(let column): return Self.copy(column.name)
        case .changed(let column, let change):
            return conversion(change.values).map { ".converted(\(Self.copy(column.name)), \($0))" }
                ?? Self.copy(column.name)
        case .coalesced(let first, let second):
            guard let first = expectation(first, collation), let second = expectation(second, collation) else {
                return nil
            }
            return ".first(\(first), \(second))"
        case .limited(let first, let limits, let literal):
            guard let first = expectation(first, collation) else { return nil }
            let collation = collation.map { ", collation: .\($0.rawValue)" } ?? ""
            return ".limited(\(first), [\(limits.map(limitText).joined(separator: ", "))], "
                + "otherwise: \(sqliteValue(literal))\(collation))"
        case .constant(let literal): return ".value(\(sqliteValue(literal)))"
        case .null: return Self.null
        case .custom: return nil
        }
    }

    /// Returns Swift source for a change of values; nil if the stored values stay the same by the definition of the type.
    private func conversion(_ change: ValueChange) -> String? {
        switch change {
        case .scalar(let from, let to): return ".scalar(.\(from.rawValue), to: .\(to.rawValue))"
        case .caseToString: return nil
        case .cases(let values, _):
            let pairs = values.sorted { $0.key < $1.key }.map {
                "\(SwiftLiteral.string($0.key)): \(SwiftLiteral.string($0.value))"
            }
            return pairs.isEmpty ? nil : ".cases([\(pairs.joined(separator: ", "))])"
        case .options(let cleared): return cleared == 0 ? nil : ".options(cleared: \(cleared))"
        case .members(let members):
            let changes = members.compactMap(memberText)
            return changes.isEmpty ? nil : ".members([\(changes.joined(separator: ", "))])"
        case .elements(let change, _): return conversion(change).map { ".elements(\($0))" }
        }
    }

    private func memberText(_ change: ValueChange.Member) -> String? {
        switch change {
        case .added(let name, let json):
            return ".added(\(SwiftLiteral.string(name)), json: \(SwiftLiteral.string(json)))"
        case .removed(let name): return ".removed(\(SwiftLiteral.string(name)))"
        case .renamed(let old, let new, let inner, _):
            let inner = inner.flatMap(conversion).map { ", " + $0 } ?? ""
            return ".renamed(\(SwiftLiteral.string(old)), to: \(SwiftLiteral.string(new))\(inner))"
        case .changed(let name, let inner, _):
            return conversion(inner).map { ".changed(\(SwiftLiteral.string(name)), \($0))" }
        }
    }
}
