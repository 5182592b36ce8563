import Foundation
import SchemaModel

/// A change to a released version.
package enum LockChange: Hashable, Sendable {
    /// No description names the version any more.
    case versionRemoved(Version)
    /// The version is older than a released version, but was not released itself.
    case versionAdded(Version)
    /// Only the statements that create the tables change, for example the order of columns. The table is nil if it is
    /// unknown.
    case tables(Version, table: String?)
    /// The content of versions changes.
    case content(Edit)
    /// An edit changes a fact about a released step.
    case step(StepEdit)

    /// A change of a fact about a released step.
    package struct StepEdit: Hashable, Sendable {
        /// The versions before and after the step.
        package let from: Version
        package let to: Version
        /// The entity or the subtype.
        package let owner: String
        /// The property, case, option or member; nil for the entity or the subtype itself.
        package let element: String?
        /// The fact in the lock; nil if the lock does not have it.
        package let was: String?
        /// The fact in the descriptions; nil if they do not have it.
        package let now: String?

        /// The versions in which the element may have its name, the likelier first: what a step removes has it only before.
        package var reportedVersions: [Version] {
            let removals = ["discard", "replaced_by", "merged_into"]
            return removals.contains { (was ?? now ?? "").hasPrefix($0) } ? [from, to] : [to, from]
        }
    }

    /// A setting of an entity that may be absent. The raw value is its name in messages.
    package enum Setting: String, CaseIterable, Sendable {
        case search = "the search"
        case table = "the table name"

        /// The word that begins the setting in the lock.
        fileprivate var word: String {
            switch self {
            case .search: "search"
            case .table: "table"
            }
        }

        /// The key of the setting in descriptions.
        package var key: String {
            switch self {
            case .search: "search"
            case .table: "persisted_name"
            }
        }
    }

    /// A change of an entity, a subtype, or an element of one.
    package struct Edit: Hashable, Sendable {
        /// The released versions that change, oldest first.
        package var versions: [Version]
        /// The entity or subtype, as the lock names it.
        package var entity: String
        /// The property, case, option, index, check or `key`, as the lock names it, or a setting; nil for the entity itself.
        package var element: String?
        /// The text in the lock; nil if the lock does not have the element.
        package var was: String?
        /// The text in the descriptions; nil if they do not have the element.
        package var now: String?
        /// The former name, if exactly one name was removed and exactly one was added.
        package var formerName: String?
        /// Whether a released version before these has the element, which a released version has removed.
        package var isRemovedBefore = false

        /// The setting of the entity that differs; nil if it is something else.
        package var setting: Setting? { element.flatMap { Setting(rawValue: $0) } }

        package init(
            _ versions: [Version], entity: String, element: String? = nil, was: String? = nil, now: String? = nil,
            formerName: String? = nil
        ) {
            self.versions = versions
            self.entity = entity
            self.element = element
            self.was = was
            self.now = now
            self.formerName = formerName
        }
    }
}

extension Lock {
    /// Returns how `history` differs from the released versions, oldest version first. A change that is the same in
    /// several versions is returned once.
    package func changes(in history: SchemaHistory) -> [LockChange] {
        guard let last = versions.last else { return [] }
        let sealed = Set(versions.map(\.version))
        var changes: [LockChange] = history.versions.map(\.version)
            .filter { $0 < last.version && !sealed.contains($0) }.map { .versionAdded($0) }
        var edits: [LockChange.Edit] = []
        let differences = versions.concurrentMap { Difference(of: $0, in: history) }
        for (seal, difference) in zip(versions, differences) {
            switch difference {
            case nil: break
            case .removed: changes.append(.versionRemoved(seal.version))
            case .ddl: changes.append(.tables(seal.version, table: nil))
            case .lines(let lines):
                for edit in LockComparison(version: seal.version, was: seal.lines, now: lines).edits {
                    let index = edits.firstIndex { other in
                        var other = other
                        other.versions = edit.versions
                        return other == edit
                    }
                    if let index { edits[index].versions += edit.versions } else { edits.append(edit) }
                }
            }
        }
        for index in edits.indices where edits[index].was == nil {
            let before = versions.prefix { $0.version < edits[index].versions[0] }
            edits[index].isRemovedBefore = before.contains { sealed in
                guard let line = Lock.byName(sealed.lines)[edits[index].entity] else { return false }
                return edits[index].element.map { LockComparison.fields(of: line)[$0] != nil } ?? true
            }
        }
        // An edit of a version changes the steps to it and from it too.
        if !changes.isEmpty || !edits.isEmpty { return changes + edits.map { .content($0) } }
        return versions.flatMap { stepEdits(of: $0, in: history) }.map { .step($0) }
    }

    /// Returns how the step to a version differs from its lines in the lock.
    private func stepEdits(of seal: Sealed, in history: SchemaHistory) -> [LockChange.StepEdit] {
        guard let sealed = seal.step,
            let index = history.neighbours.firstIndex(where: {
                $0.from.version == sealed.from && $0.to.version == seal.version
            })
        else { return [] }
        let lines = history.stepLines(from: index, sealed: Set(versions.map(\.version)))
        // Facts are compared by their bytes: two texts that differ only in their Unicode form are two values.
        let (before, after) = (sealed.lines, lines.map(\.text))
        if sealed.isSame(as: .init(from: sealed.from, lines: after)) { return [] }
        let was = before.filter { line in !after.contains { Lock.isSame($0, line) } }
        let now = after.filter { line in !before.contains { Lock.isSame($0, line) } }
        let facts = history.neighbours[index].elements
        func split(_ line: String) -> (element: StepLine, kind: Substring)? {
            guard let element = facts.first(where: { line.hasPrefix($0.key + ": ") }) else { return nil }
            let fact = String(line.dropFirst(element.key.count + 2))
            return (
                StepLine(owner: element.owner, element: element.element, fact: fact),
                fact.prefix { $0 != " " && $0 != "_" }
            )
        }
        var added = now.compactMap(split)
        var edits = was.map { line -> LockChange.StepEdit in
            let old = split(line)
            let index = added.firstIndex { $0.element.key == old?.element.key && $0.kind == old?.kind }
            let new = index.map { added.remove(at: $0).element }
            return .init(
                from: sealed.from, to: seal.version, owner: old?.element.owner ?? line, element: old?.element.element,
                was: old?.element.fact ?? line, now: new?.fact)
        }
        edits += added.map {
            .init(
                from: sealed.from, to: seal.version, owner: $0.element.owner, element: $0.element.element, was: nil,
                now: $0.element.fact)
        }
        return edits
    }

    /// The difference between a released version and its descriptions.
    private enum Difference: Sendable {
        /// No description names the version.
        case removed
        /// The logical lines differ. These are the ones in the descriptions.
        case lines([String])
        /// Only the statements that create the tables differ.
        case ddl

        /// Compares a version; nil if it is the same.
        init?(of seal: Sealed, in history: SchemaHistory) {
            guard let version = history.versions.first(where: { $0.version == seal.version }) else {
                self = .removed
                return
            }
            let lines = version.logicalLines
            if lines.count != seal.lines.count || !zip(lines, seal.lines).allSatisfy({ Lock.isSame($0, $1) }) {
                self = .lines(lines)
            } else if let ddl = seal.ddl, ddl != version.ddlFingerprint {
                self = .ddl
            } else {
                return nil
            }
        }
    }

    /// Returns whether two texts have the same bytes. Fingerprints depend on the bytes, but Swift's `==` accepts
    /// equivalent characters.
    fileprivate static func isSame(_ left: String?, _ right: String?) -> Bool {
        guard var left, var right else { return left == nil && right == nil }
        return left.withUTF8 { left in
            right.withUTF8 { right in
                guard left.count == right.count else { return false }
                guard let first = left.baseAddress, let second = right.baseAddress else { return true }
                return memcmp(first, second, left.count) == 0
            }
        }
    }
}

/// Compares the logical lines of a released version in the lock with its lines in the descriptions.
private struct LockComparison {
    let version: Version
    private let was: [String: String]
    private let now: [String: String]
    /// The new names of elements that seem to be renamed, by former name. A rename also changes the lines of
    /// relationships and indexes.
    private var newNames: [String: String] = [:]

    init(version: Version, was: [String], now: [String]) {
        self.version = version
        self.was = Lock.byName(was)
        self.now = Lock.byName(now)
        if let (old, new) = Self.rename(from: self.was, to: self.now) { newNames[old] = new }
        for name in Set(self.was.keys).union(self.now.keys) {
            guard let before = self.was[name], let after = self.now[newNames[name] ?? name],
                let (old, new) = Self.rename(from: Self.fields(of: before), to: Self.fields(of: after))
            else { continue }
            newNames[old] = new
        }
    }

    /// All changes, by entity and element; never empty if a line differs.
    var edits: [LockChange.Edit] {
        var edits: [LockChange.Edit] = []
        for name in Set(was.keys).union(now.keys).sorted() where !Lock.isSame(was[name], now[name]) {
            if let new = newNames[name], now[name] == nil, let line = was[name], let other = now[new] {
                edits.append(
                    .init([version], entity: new, was: kind(of: line), now: kind(of: other), formerName: name))
                edits += elementEdits(entity: new, was: line, now: other)
            } else if let line = was[name], let other = now[name] {
                edits += elementEdits(entity: name, was: line, now: other)
            } else if !newNames.values.contains(name) || was[name] != nil {
                edits.append(
                    .init([version], entity: name, was: was[name].map(kind), now: now[name].map(kind)))
            }
        }
        if edits.isEmpty {
            let name = Set(was.keys).union(now.keys).sorted().first { !Lock.isSame(was[$0], now[$0]) }
            edits.append(
                .init([version], entity: name ?? "", was: name.flatMap { was[$0] }, now: name.flatMap { now[$0] }))
        }
        return edits
    }

    private func elementEdits(entity: String, was: String, now: String) -> [LockChange.Edit] {
        let (before, after) = (Self.fields(of: was), Self.fields(of: now))
        return Set(before.keys).union(after.keys).sorted().compactMap { element in
            let (was, now) = (before[element], after[element])
            if isSame(was, now) { return nil }
            if was == nil, let former = newNames.first(where: { $0.value == element })?.key, let old = before[former] {
                return .init([version], entity: entity, element: element, was: old, now: now, formerName: former)
            }
            // The element, or an element that it refers to, was renamed. A separate edit contains the new name.
            if now == nil, after[newNames[element] ?? renamed(element)] != nil { return nil }
            if was == nil, before.keys.contains(where: { renamed($0) == element }) { return nil }
            return .init([version], entity: entity, element: element, was: was, now: now)
        }
    }

    /// Returns whether two lines or fields are the same, apart from renames.
    private func isSame(_ was: String?, _ now: String?) -> Bool {
        Lock.isSame(was, now) || (was != nil && Lock.isSame(was.map(renamed), now))
    }

    /// Returns a line or field with the new names.
    private func renamed(_ text: String) -> String {
        if newNames.isEmpty { return text }
        var words: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let name = word.drop { "(\"".contains($0) }
            let end = name.firstIndex { ",):?\"".contains($0) } ?? name.endIndex
            let new = newNames[String(name[..<end])] ?? String(name[..<end])
            words.append("\(word[..<name.startIndex])\(new)\(name[end...])")
        }
        return words.joined(separator: " ")
    }

    /// Returns the removed name and the added name, if there is exactly one of each.
    private static func rename(from was: [String: String], to now: [String: String]) -> (String, String)? {
        func isName(_ key: String) -> Bool {
            !key.contains(" ") || key.hasPrefix("case ") || key.hasPrefix("option ")
        }
        let lost = was.keys.filter { now[$0] == nil && isName($0) }
        let new = now.keys.filter { was[$0] == nil && isName($0) }
        return lost.count == 1 && new.count == 1 ? (lost[0], new[0]) : nil
    }

    /// Returns the kind of element that a logical line describes, in words.
    private func kind(of line: String) -> String {
        line.contains(" | key ") ? "an entity" : "a subtype"
    }

    /// Returns the fields of a logical line, by their element: `key`, a property's name, `index (a, b)`.
    fileprivate static func fields(of line: String) -> [String: String] {
        var fields: [String: String] = [:]
        for part in line.split(separator: " | ").dropFirst() {
            if part.hasPrefix("key ") {
                fields["key"] = String(part.dropFirst(4))
            } else if let setting = LockChange.Setting.allCases.first(where: { part.hasPrefix($0.word + " ") }) {
                fields[setting.rawValue] = String(part.dropFirst(setting.word.count + 1))
            } else if let colon = part.firstRange(of: ": ") {
                fields[String(part[..<colon.lowerBound])] = String(part[colon.upperBound...])
            } else {
                fields[String(part)] = String(part)
            }
        }
        return fields
    }
}
