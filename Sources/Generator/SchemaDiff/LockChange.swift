import Foundation
import SchemaModel

/// A change to what is sealed.
package struct LockChange: Hashable, Sendable {
    /// The sealed version that would change.
    package var version: Version
    /// The entity or subtype, as the lock names it; nil if the change concerns the version itself.
    package var entity: String?
    /// The property, key, index, case or option; nil if the change concerns the whole entity.
    package var element: String?
    /// The text in the lock; nil if the lock does not have the element.
    package var was: String?
    /// The text that the descriptions give; nil if they do not have the element.
    package var now: String?
    /// Whether only the statements that create the tables would change, for instance their order of columns.
    package var isOnlyDDL = false
}

extension Lock {
    /// How `history` differs from what is sealed here, oldest version first.
    package func changes(in history: SchemaHistory) -> [LockChange] {
        var changes: [LockChange] = []
        guard let last = versions.last else { return [] }
        let sealed = Set(versions.map(\.version))
        for version in history.versions where version.version < last.version && !sealed.contains(version.version) {
            changes.append(
                LockChange(version: version.version, now: "a version between versions that are sealed"))
        }
        for seal in versions {
            guard let version = history.versions.first(where: { $0.version == seal.version }) else {
                changes.append(LockChange(version: seal.version, was: "a sealed version"))
                continue
            }
            let lines = version.sortedLines
            let isUnchanged =
                lines.count == seal.lines.count && zip(lines, seal.lines).allSatisfy { Self.isSame($0, $1) }
            if !isUnchanged {
                let was = Self.byName(seal.lines)
                let now = Self.byName(lines)
                for name in Set(was.keys).union(now.keys).sorted() where !Self.isSame(was[name], now[name]) {
                    changes += Self.changes(version: seal.version, entity: name, was: was[name], now: now[name])
                }
            } else if let ddl = seal.ddl, ddl != version.ddlFingerprint {
                changes.append(LockChange(version: seal.version, isOnlyDDL: true))
            }
        }
        return changes
    }

    private static func changes(version: Version, entity: String, was: String?, now: String?) -> [LockChange] {
        guard let was, let now else {
            return [
                LockChange(
                    version: version, entity: entity, was: was.map(Self.kind),
                    now: now.map(Self.kind))
            ]
        }
        let before = fields(of: was)
        let after = fields(of: now)
        let elements = Set(before.keys).union(after.keys).sorted().filter { !isSame(before[$0], after[$0]) }
        let changes = elements.map { element in
            LockChange(version: version, entity: entity, element: element, was: before[element], now: after[element])
        }
        return changes.isEmpty ? [LockChange(version: version, entity: entity, was: was, now: now)] : changes
    }

    /// Whether both have the same bytes, as fingerprints do. Swift's `==` also accepts other forms of the same characters.
    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard var left, var right else { return left == nil && right == nil }
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }

    /// The kind of element that a logical line describes, in words.
    private static func kind(of line: String) -> String {
        line.contains(" | key ") ? "an entity" : "a subtype"
    }

    /// The fields of a logical line, by their element: `key`, a property's name, `index (a, b)`.
    private static func fields(of line: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in line.split(separator: " | ").dropFirst() {
            if part.hasPrefix("key ") {
                fields["key"] = String(part.dropFirst(4))
            } else if let colon = part.firstRange(of: ": ") {
                fields[String(part[..<colon.lowerBound])] = String(part[colon.upperBound...])
            } else {
                fields[String(part)] = String(part)
            }
        }
        return fields
    }
}
