import Descriptions
import JSONText
import SchemaModel

/// The rules by which elements of descriptions change in a draft. The fields of an element are its current values. The
/// item of the draft in the version history has the former ones.
package struct DraftElements {
    let version: Version
    /// Whether the draft is the first version. Nothing has a history then.
    let isFirst: Bool

    /// An item of a version history without changes.
    var item: JSONOutput { .object([.init("version", .string(version.text))]) }

    /// Returns whether the draft has an element.
    func isAlive(_ value: JSONOutput) -> Bool { value["removed_at_version"] == nil }

    /// Returns whether an element was added in the draft, so that it has no history.
    func isNew(_ value: JSONOutput, in parent: JSONOutput? = nil) -> Bool {
        if isFirst || parent.map({ isNew($0) }) == true || parsed(value["added_at_version"]) == version { return true }
        guard let first = value["version_history"]?.elements.first, first.members.count == 1 else { return false }
        return parsed(first["version"]) == version
    }

    func parsed(_ value: JSONOutput?) -> Version? { value?.string.flatMap(Version.init) }

    /// Sets the name of an element, and records the former one.
    func setName(of value: inout JSONOutput, to name: String, isNew: Bool, isFile: Bool = false) {
        let old = value["name"]
        value["name"] = .string(name)
        if isNew { return }
        let items = value["version_history"]?.elements ?? []
        let isThere = parsed(items.last?["version"]) == version
        var item = isThere ? items[items.count - 1] : self.item
        if item["previous_name"] != nil {
            if item["previous_name"] == .string(name) { item["previous_name"] = nil }
        } else if item["previous"]?["name"] != nil {
            if item["previous"]?["name"] == .string(name) { item["previous"]?["name"] = nil }
        } else {
            item["previous_name"] = old
        }
        if item["previous"]?.members.isEmpty == true { item["previous"] = nil }
        setItem(item, of: &value, isFile: isFile)
    }

    /// Sets the last item of a version history, which is that of the draft. An item without changes is removed, unless
    /// it records that an entity exists.
    private func setItem(_ item: JSONOutput, of value: inout JSONOutput, isFile: Bool) {
        var items = value["version_history"]?.elements ?? []
        if parsed(items.last?["version"]) == version { items.removeLast() }
        if item.members.count > 1 || (isFile && !items.isEmpty) { items.append(item) }
        if items.isEmpty {
            value["version_history"] = nil
        } else if value["version_history"] == nil {
            value.append(items[0], to: "version_history")
        } else {
            value["version_history"] = .array(items)
        }
    }

    /// Returns the name that an element had before the draft; nil if the draft has not renamed it.
    func formerName(of value: JSONOutput?) -> JSONOutput? {
        guard let item = value?["version_history"]?.elements.last, parsed(item["version"]) == version else {
            return nil
        }
        return item["previous_name"] ?? item["previous"]?["name"]
    }

    /// Records that the draft no longer has an element.
    func remove(_ value: inout JSONOutput, discarding isDiscarded: Bool) {
        value["removed_at_version"] = .string(version.text)
        if isDiscarded { value["discard"] = .bool(true) }
    }

    /// Restores the values that an element had before the draft.
    func restore(_ value: inout JSONOutput, isFile: Bool = false) {
        guard let item = value["version_history"]?.elements.last, parsed(item["version"]) == version else { return }
        var former = item["previous"]?.members ?? []
        if let name = item["previous_name"] { former.append(.init("name", name)) }
        for field in former {
            let key = KeyTable.anyCanonical(field.key)
            let field = field.value == .null ? nil : field.value
            if KeyTable.relationship.fields.contains(key) {
                value["property_type"]?[key] = field
            } else {
                value[key] = field
            }
        }
        setItem(self.item, of: &value, isFile: isFile)
    }
}
