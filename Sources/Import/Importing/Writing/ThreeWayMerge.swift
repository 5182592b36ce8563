import Descriptions
import JSONText
import SchemaModel

/// Merges the changes of an import into a description that you may have edited. The changes are the differences between
/// two descriptions that the import generates.
///
/// An element of a list changes only if you did not edit it, or only added members to it. The added members stay. If a
/// change conflicts with an edit, the merge throws the change as a `Conflict`.
struct ThreeWayMerge {
    /// A change that conflicts with an edit.
    struct Conflict: Error {
        /// The value that the import would write; nil if it would remove the value.
        var wanted: JSONOutput?
        /// The value that the import wrote before; nil if it would add the value.
        var before: JSONOutput?
    }

    /// Applies the differences between `before` and `after` to `own`; nil is an absent value.
    static func merge(
        _ own: JSONOutput?, from before: JSONOutput?, to after: JSONOutput?
    ) throws(Conflict) -> JSONOutput? {
        if isSame(before, after) { return own }
        if isSame(own, before) { return after }
        if isSame(own, after) { return own }
        switch (own, before, after) {
        case (.object(let own)?, .object(let before)?, .object(let after)?):
            return .object(try members(own, from: before, to: after))
        case (.array(let own)?, .array(let before)?, .array(let after)?):
            return .array(try elements(own, from: before, to: after))
        default:
            throw Conflict(wanted: after, before: before)
        }
    }

    private static func members(
        _ own: [JSONOutput.Member], from before: [JSONOutput.Member], to after: [JSONOutput.Member]
    ) throws(Conflict) -> [JSONOutput.Member] {
        var result: [JSONOutput.Member] = []
        for member in own {
            if let value = try merge(member.value, from: before[member.key], to: after[member.key]) {
                result.append(.init(member.key, value))
            }
        }
        for member in after where own[member.key] == nil {
            guard let value = try merge(nil, from: before[member.key], to: member.value) else { continue }
            // Insert the member before the first member that follows it in the import.
            let followers = after.drop { $0.key != member.key }.dropFirst().map(\.key)
            let place = result.firstIndex { followers.contains($0.key) }
            result.insert(.init(member.key, value), at: place ?? result.count)
        }
        return result
    }

    private static func elements(
        _ own: [JSONOutput], from before: [JSONOutput], to after: [JSONOutput]
    ) throws(Conflict) -> [JSONOutput] {
        var result = own
        var added = after.filter { element in !before.contains { isSame($0, element) } }
        var place: Int?
        for element in before where !after.contains(where: { isSame($0, element) }) {
            guard let found = result.firstIndex(where: { isSame($0, element) || extras(of: $0, over: element) != nil })
            else { throw Conflict(wanted: heir(of: element, among: added).map { added[$0] }, before: element) }
            let own = Self.extras(of: result[found], over: element) ?? []
            if !own.isEmpty {
                guard let heir = heir(of: element, among: added), case .object(let members) = added[heir] else {
                    throw Conflict(wanted: nil, before: element)
                }
                if own.contains(where: { members[$0.key] != nil && !isSame(members[$0.key], $0.value) }) {
                    throw Conflict(wanted: added[heir], before: element)
                }
                added[heir] = .object(members + own.filter { members[$0.key] == nil })
            }
            result.remove(at: found)
            place = min(place ?? found, found)
        }
        for element in added {
            let later = result.firstIndex { isLater($0, than: element) }
            let position = place ?? later ?? result.count
            result.insert(element, at: position)
            place = place.map { $0 + 1 }
        }
        return result
    }

    /// Returns the position of the element that replaces another: an element with the same name, or one that had this
    /// name according to its version history.
    private static func heir(of element: JSONOutput, among added: [JSONOutput]) -> Int? {
        guard let name = element.name else { return nil }
        return added.firstIndex { $0.name == name }
            ?? added.firstIndex { candidate in
                guard case .array(let items)? = candidate["version_history"] else { return false }
                return items.contains { $0["previous_name"] == name || $0["previous"]?["name"] == name }
            }
    }

    /// Returns the members that only `element` has; nil if `element` lacks a member of `other`.
    private static func extras(of element: JSONOutput, over other: JSONOutput) -> [JSONOutput.Member]? {
        guard case .object(let members) = element, case .object(let others) = other,
            others.allSatisfy({ isSame(members[$0.key], $0.value) })
        else { return nil }
        return members.filter { others[$0.key] == nil }
    }

    /// Returns whether both are items of a version history, and the first item belongs to the later version.
    private static func isLater(_ one: JSONOutput, than other: JSONOutput) -> Bool {
        guard let first = one["version"]?.string.flatMap(Version.init),
            let second = other["version"]?.string.flatMap(Version.init)
        else { return false }
        return first > second
    }

    private static func isSame(_ one: JSONOutput?, _ other: JSONOutput?) -> Bool {
        one?.canonical == other?.canonical
    }
}

extension [JSONOutput.Member] {
    fileprivate subscript(key: String) -> JSONOutput? {
        let key = KeyTable.anyCanonical(key)
        return first { KeyTable.anyCanonical($0.key) == key }?.value
    }
}

extension JSONOutput {
    fileprivate var name: JSONOutput? { self["name"] }

    /// The value with the canonical spelling and order of its keys.
    fileprivate var canonical: JSONOutput {
        switch self {
        case .raw: self
        case .array(let elements): .array(elements.map(\.canonical))
        case .object(let members):
            .object(
                members.map { Member(KeyTable.anyCanonical($0.key), $0.value.canonical) }.sorted { $0.key < $1.key })
        }
    }
}
