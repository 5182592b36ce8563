import JSONText
import SchemaModel

/// Edits the descriptions of a model in its draft, together with their history. All other text stays as it is.
package struct DescriptionEditor {
    /// The name of an entity or a subtype, or of one of its elements: `episode.rating`.
    package struct Path: Hashable, Sendable, CustomStringConvertible {
        /// The name of the entity or subtype.
        package let owner: String
        /// The name of the property, case or option; nil for the entity or subtype itself.
        package let element: String?

        init(owner: String, element: String?) {
            self.owner = owner
            self.element = element
        }

        /// Parses a path; nil if `text` is not one or two names.
        package init?(_ text: String) {
            let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (1...2).contains(names.count), !names.contains("") else { return nil }
            owner = names[0]
            element = names.count > 1 ? names[1] : nil
        }

        package var description: String { element.map { "\(owner).\($0)" } ?? owner }
    }

    /// The reason why an edit is not possible.
    package enum Refusal: Error, Hashable, Sendable {
        /// The draft has no such element.
        case unknown(Path, nearest: String?)
        /// The draft already has an element with this name.
        case exists(Path)
        /// The element has no data of its own that could be deleted.
        case nothingToDiscard(Path)
        /// The property is new with its entity, so no row needs a backfill value.
        case nothingToFill(Path)
    }

    private struct File {
        let source: SourceFile
        let json: JSON
        var value: JSONOutput
    }

    /// The keys of the lists of elements.
    private static let lists = ["properties", "cases", "options"]

    private var files: [File] = []
    private var others: [String: FileOutcome] = [:]
    private let draft: DraftElements

    /// Reads the files to edit.
    ///
    /// - Parameters:
    ///   - files: The descriptions, which must be valid.
    ///   - draft: The version to edit, which must not be released.
    ///   - isFirst: Whether the draft is the first version. It has no history then.
    /// - Throws: `Diagnostic` if a file is not valid JSON.
    package init(_ files: [SourceFile], draft: Version, isFirst: Bool) throws(Diagnostic) {
        self.draft = DraftElements(version: draft, isFirst: isFirst)
        for file in files.sorted(by: { $0.path < $1.path }) {
            let json = try file.json()
            self.files.append(File(source: file, json: json, value: JSONOutput(json)))
        }
    }

    /// The outcomes of the edits, by the paths of the files.
    package var outcomes: [String: FileOutcome] {
        var outcomes = others
        for file in files where outcomes[file.source.path] == nil {
            var edits = JSONEdits(of: file.source.bytes)
            edits.change(file.json, to: file.value)
            outcomes[file.source.path] = edits.isEmpty ? .kept : .rewritten(edits.result)
        }
        return outcomes
    }

    /// Returns whether the draft has an entity or a subtype with a name.
    package func has(_ owner: String) -> Bool { place(of: owner) != nil }

    // MARK: Versions

    /// Adds the draft to the history of an entity, so that it exists before anything changes in it.
    ///
    /// - Parameter first: The first version of the model.
    package mutating func addVersion(after first: Version) {
        let place = files.firstIndex { file in
            file.value["identifier"] != nil && file.value["persist"] != .bool(false) && draft.isAlive(file.value)
        }
        guard let place else { return }
        // The first item of a history is the birth of the entity if it holds only its version.
        if files[place].value["version_history"]?.elements.isEmpty != false {
            let birth = files[place].value["added_at_version"] ?? .string(first.text)
            files[place].value["version_history"] = nil
            files[place].value.append(.object([.init("version", birth)]), to: "version_history")
        }
        files[place].value.append(draft.item, to: "version_history")
    }

    // MARK: Adding

    /// A property to add.
    package struct NewProperty {
        /// The type as descriptions name it: `int`, `[string]`, or the name of a subtype.
        package var type = ""
        /// The association if the property is a relationship to the entity that `type` names; nil for other properties.
        package var association: String?
        package var isNullable = false
        package var isUnique = false
        package var isIndexed = false
        /// The default value; nil for none.
        package var defaultValue: JSONOutput?
        /// The backfill value; nil for none.
        package var fill: JSONOutput?

        package init() {}
    }

    /// Adds a property to an entity or to a struct.
    package mutating func add(_ property: NewProperty, at path: Path) throws(Refusal) {
        let place = try require(path.owner)
        let name = path.element ?? ""
        if element(name, of: place) != nil { throw .exists(path) }
        var members = [JSONOutput.Member("name", .string(name))]
        if let association = property.association {
            let relationship: [JSONOutput.Member] = [
                .init("entity_name", .string(property.type)), .init("association", .string(association)),
            ]
            members.append(.init("property_type", .object(relationship)))
        } else {
            members.append(.init("property_type", .string(property.type)))
        }
        for (key, isSet) in [
            ("nullable", property.isNullable), ("unique", property.isUnique), ("indexed", property.isIndexed),
        ] where isSet {
            members.append(.init(key, .bool(true)))
        }
        if let value = property.defaultValue { members.append(.init("default_value", value)) }
        if !draft.isNew(files[place].value) {
            members.append(.init("added_at_version", .string(draft.version.text)))
            if let fill = property.fill {
                let item = [JSONOutput.Member("version", .string(draft.version.text)), .init("fill", fill)]
                members.append(.init("version_history", .array([.object(item)])))
            }
        }
        if property.fill != nil, draft.isNew(files[place].value) { throw .nothingToFill(path) }
        files[place].value.append(.object(members), to: "properties")
    }

    /// Adds an entity in a new file.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - identifier: The type of its identifier: `int`, `string` or `uuid`.
    ///   - path: The path of the file.
    package mutating func addEntity(_ name: String, identifier: String, file path: String) throws(Refusal) {
        if has(name) { throw .exists(Path(owner: name, element: nil)) }
        let members: [JSONOutput.Member] = [
            .init("name", .string(name)), .init("version_history", .array([draft.item])),
            .init("identifier", .object([.init("type", .string(identifier))])), .init("properties", .array([])),
        ]
        others[path] = .rewritten(Array(JSONOutput.object(members).file.utf8))
    }

    // MARK: Renaming

    /// Renames an element, in its description and wherever the draft refers to it.
    package mutating func rename(_ path: Path, to name: String) throws(Refusal) {
        let place = try require(path.owner)
        if let old = path.element {
            guard let (list, index) = element(old, of: place) else { throw unknown(path, of: place) }
            if element(name, of: place) != nil { throw .exists(Path(owner: path.owner, element: name)) }
            let (draft, parent) = (draft, files[place].value)
            files[place].value.changeElement(index, of: list) {
                draft.setName(of: &$0, to: name, isNew: draft.isNew($0, in: parent))
            }
            followRename(of: old, to: name, in: path.owner, at: place, list)
        } else {
            if has(name) { throw .exists(Path(owner: name, element: nil)) }
            draft.setName(of: &files[place].value, to: name, isNew: draft.isNew(files[place].value), isFile: true)
            if files[place].value["identifier"] == nil {
                followRename(ofSubtype: path.owner, to: name)
            } else {
                followRename(ofEntity: path.owner, to: name)
            }
        }
    }

    /// Renames the references to an element of an entity or a subtype.
    private mutating func followRename(
        of old: String, to name: String, in owner: String, at place: Int, _ list: String
    ) {
        if list == "properties" {
            files[place].value.changeName(old, to: name, in: ["identifier", "property"])
            files[place].value.changeName(old, to: name, in: ["identifier", "properties"])
            forEachElement(of: place, in: ["indexes"]) { $0.changeName(old, to: name, in: ["properties"]) }
        }
        let version = draft.version
        for place in files.indices where draft.isAlive(files[place].value) {
            forEachElement(of: place, in: ["properties"]) { property in
                if list == "properties", property["property_type"]?["entity_name"] == .string(owner) {
                    property.changeName(old, to: name, in: ["property_type", "inverse"])
                } else if list != "properties", property["property_type"]?.innerType == owner {
                    property.changeName(old, to: name, in: ["default_value"])
                    guard var items = property["version_history"]?.elements, var item = items.last,
                        item["version"]?.string.flatMap(Version.init) == version
                    else { return }
                    item.changeName(old, to: name, in: ["fill"])
                    items[items.count - 1] = item
                    property["version_history"] = .array(items)
                }
            }
        }
    }

    /// Renames the references to an entity.
    private mutating func followRename(ofEntity old: String, to name: String) {
        for place in files.indices where draft.isAlive(files[place].value) {
            files[place].value.changeName(old, to: name, in: ["identifier", "derived_from_relationships"])
            forEachElement(of: place, in: ["properties"]) {
                $0.changeName(old, to: name, in: ["property_type", "entity_name"])
            }
        }
    }

    /// Renames the references to a subtype.
    private mutating func followRename(ofSubtype old: String, to name: String) {
        for place in files.indices where draft.isAlive(files[place].value) {
            forEachElement(of: place, in: ["properties"]) { property in
                guard property["property_type"]?.innerType == old else { return }
                property["property_type"] = property["property_type"]?.replacingInnerType(by: name)
            }
        }
    }

    // MARK: Removing

    /// Removes an element. The descriptions of older versions keep it. A relationship is removed with its inverse.
    ///
    /// - Parameters:
    ///   - path: The element.
    ///   - isDiscarded: Whether its data is deleted without a custom migration.
    package mutating func remove(_ path: Path, discarding isDiscarded: Bool) throws(Refusal) {
        let place = try require(path.owner)
        guard let name = path.element else {
            // A subtype has no rows. Its values are in properties.
            if isDiscarded, files[place].value["identifier"] == nil { throw .nothingToDiscard(path) }
            return removeFile(at: place, isDiscarded)
        }
        guard let (list, index) = element(name, of: place) else { throw unknown(path, of: place) }
        if isDiscarded, list == "cases" { throw .nothingToDiscard(path) }
        let type = files[place].value[list]?.elements[index]["property_type"]
        removeElement(index, of: list, at: place, isDiscarded)
        if let target = type?["entity_name"]?.string, let inverse = type?["inverse"]?.string,
            let other = self.place(of: target), let (list, index) = element(inverse, of: other)
        {
            removeElement(index, of: list, at: other, isDiscarded)
        }
    }

    private mutating func removeElement(_ index: Int, of list: String, at place: Int, _ isDiscarded: Bool) {
        var elements = files[place].value[list]?.elements ?? []
        if draft.isNew(elements[index], in: files[place].value) {
            elements.remove(at: index)
            files[place].value[list] = .array(elements)
        } else {
            let former = withFormerNames(elements[index])
            let draft = draft
            files[place].value.changeElement(index, of: list) { value in
                if former.members.count > 0 { value = former }
                draft.restore(&value)
                draft.remove(&value, discarding: isDiscarded)
            }
        }
    }

    private mutating func removeFile(at place: Int, _ isDiscarded: Bool) {
        if draft.isNew(files[place].value) {
            others[files[place].source.path] = .removed
            return
        }
        // The last version of an entity is the one before the draft, so its elements are as they were in it.
        let owner = files[place].value["name"]?.string ?? ""
        for list in Self.lists + ["indexes"] {
            let elements = files[place].value[list]?.elements ?? []
            for index in elements.indices.reversed() where draft.isAlive(elements[index]) {
                guard !draft.isNew(elements[index]) else {
                    var kept = files[place].value[list]?.elements ?? []
                    kept.remove(at: index)
                    files[place].value[list] = .array(kept)
                    continue
                }
                var value = withFormerNames(elements[index])
                draft.restore(&value)
                if value == elements[index] { continue }
                var kept = files[place].value[list]?.elements ?? []
                kept[index] = value
                files[place].value[list] = .array(kept)
                if let old = elements[index]["name"]?.string, let name = value["name"]?.string, old != name {
                    followRename(of: old, to: name, in: owner, at: place, list)
                }
            }
        }
        draft.restore(&files[place].value, isFile: true)
        draft.remove(&files[place].value, discarding: isDiscarded)
    }

    /// Returns an element with the names that other elements had before the draft.
    private func withFormerNames(_ element: JSONOutput) -> JSONOutput {
        var value = element
        if let target = element["property_type"]?["entity_name"]?.string, let place = place(of: target) {
            if let inverse = element["property_type"]?["inverse"]?.string,
                let (list, index) = self.element(inverse, of: place),
                let former = draft.formerName(of: files[place].value[list]?.elements[index])
            {
                value["property_type"]?["inverse"] = former
            }
            if let former = draft.formerName(of: files[place].value) { value["property_type"]?["entity_name"] = former }
        } else if let subtype = element["property_type"]?.innerType, let place = place(of: subtype) {
            if let former = draft.formerName(of: files[place].value)?.string {
                value["property_type"] = element["property_type"]?.replacingInnerType(by: former)
            }
            for list in ["cases", "options"] {
                for element in files[place].value[list]?.elements ?? [] {
                    guard let name = element["name"]?.string, let former = draft.formerName(of: element)?.string else {
                        continue
                    }
                    value.changeName(name, to: former, in: ["default_value"])
                }
            }
        }
        return value
    }

    // MARK: Finding

    private func require(_ owner: String) throws(Refusal) -> Int {
        if let place = place(of: owner) { return place }
        let names = files.filter { draft.isAlive($0.value) }.compactMap { $0.value["name"]?.string }
        throw .unknown(Path(owner: owner, element: nil), nearest: names.nearest(to: owner))
    }

    private func unknown(_ path: Path, of place: Int) -> Refusal {
        let elements = Self.lists.flatMap { files[place].value[$0]?.elements ?? [] }
        let names = elements.filter(draft.isAlive).compactMap { $0["name"]?.string ?? $0.string }
        return .unknown(path, nearest: path.element.flatMap { names.nearest(to: $0) }.map { "\(path.owner).\($0)" })
    }

    private func place(of owner: String) -> Int? {
        files.firstIndex { $0.value["name"] == .string(owner) && draft.isAlive($0.value) && !isRemoved($0) }
    }

    private func isRemoved(_ file: File) -> Bool { others[file.source.path] == .removed }

    /// Returns the list that has an element with this name in the draft, and its position in this list.
    private func element(_ name: String, of place: Int) -> (list: String, index: Int)? {
        for list in Self.lists {
            let elements = files[place].value[list]?.elements ?? []
            let index = elements.firstIndex { element in
                (element["name"] ?? element) == .string(name) && draft.isAlive(element)
                    && element["unused"] != .bool(true)
            }
            if let index { return (list, index) }
        }
        return nil
    }

    /// Changes the elements that the draft has.
    private mutating func forEachElement(of place: Int, in lists: [String], _ body: (inout JSONOutput) -> Void) {
        let draft = draft
        for list in lists {
            for index in (files[place].value[list]?.elements ?? []).indices {
                files[place].value.changeElement(index, of: list) { if draft.isAlive($0) { body(&$0) } }
            }
        }
    }
}

extension JSONOutput {
    /// The name of a type without the brackets of lists; nil for a relationship.
    fileprivate var innerType: String? { string.map { String($0.drop { $0 == "[" }.prefix { $0 != "]" }) } }

    /// Returns the type with another name inside the brackets of lists.
    fileprivate func replacingInnerType(by name: String) -> JSONOutput {
        let brackets = (string ?? "").prefix { $0 == "[" }.count
        return .string(String(repeating: "[", count: brackets) + name + String(repeating: "]", count: brackets))
    }

    /// Changes an element of the list of a key. An element that is only a name stays one unless it changes.
    fileprivate mutating func changeElement(_ index: Int, of list: String, _ body: (inout JSONOutput) -> Void) {
        guard case .array(var elements)? = self[list] else { return }
        let before = elements[index]
        var value = before
        if before.string != nil { value = .object([Member("name", before)]) }
        let same = value
        body(&value)
        if value == same { return }
        elements[index] = before.string != nil && value.members.count == 1 ? value.members[0].value : value
        self[list] = .array(elements)
    }

    /// Replaces a name at the end of a path of keys: a string, or the strings of a list.
    fileprivate mutating func changeName(_ old: String, to new: String, in keys: [String]) {
        guard let key = keys.first, var value = self[key] else { return }
        if keys.count > 1 {
            value.changeName(old, to: new, in: Array(keys.dropFirst()))
        } else if value == .string(old) {
            value = .string(new)
        } else if case .array(let names) = value {
            value = .array(names.map { $0 == .string(old) ? .string(new) : $0 })
        }
        if value != self[key] { self[key] = value }
    }
}
