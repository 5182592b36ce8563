import Descriptions
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
        /// The element is a case or a subtype, whose values are in properties.
        case nothingToDiscard(Path)
        /// The draft has removed an element with this name.
        case removed(Path)
        /// An enum or an option set has no properties.
        case noProperties(Path)
        /// The inverse of a new relationship exists already.
        case inverseExists(Path)
        /// The property is new with its entity, so no row needs a backfill value.
        case nothingToFill(Path)
    }

    struct File {
        let source: SourceFile
        let json: JSON
        var value: JSONOutput
    }

    /// The keys of the lists of elements.
    static let lists = ["properties", "cases", "options", "checks"]

    var files: [File] = []
    var others: [String: FileOutcome] = [:]
    package let draft: DraftElements

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
    package func has(_ owner: String) -> Bool { fileIndex(of: owner) != nil }

    // MARK: Versions

    /// Adds the draft to the history of an entity, so that it exists before anything changes in it.
    ///
    /// - Parameter first: The first version of the model.
    package mutating func addVersion(after first: Version) {
        let index = files.firstIndex { file in
            file.value["identifier"] != nil && file.value["persist"] != .bool(false) && draft.isAlive(file.value)
        }
        guard let index else { return }
        // The first item of a history is the birth of the entity if it holds only its version.
        if files[index].value["version_history"]?.elements.isEmpty != false {
            let birth = files[index].value["added_at_version"] ?? .string(first.text)
            files[index].value["version_history"] = nil
            files[index].value.append(.object([.init("version", birth)]), to: "version_history")
        }
        files[index].value.append(draft.item, to: "version_history")
    }

    // MARK: Adding

    /// A property to add.
    package struct NewProperty {
        /// The type as descriptions name it: `int`, `[string]`, or the name of a subtype.
        package var type = ""
        /// The association if the property is a relationship to the entity that `type` names; nil for other properties.
        package var association: String?
        /// The name of the relationship in the other direction, which is added too; nil for none.
        package var inverse: String?
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
        let index = try require(path.owner)
        let name = path.element ?? ""
        if element(name, of: index) != nil { throw .exists(path) }
        if let type = removedType(name, of: index), type == property.type { throw .removed(path) }
        if files[index].value["cases"] != nil || files[index].value["options"] != nil {
            throw .noProperties(Path(owner: path.owner, element: nil))
        }
        var members = [JSONOutput.Member("name", .string(name))]
        if let association = property.association {
            var relationship: [JSONOutput.Member] = [
                .init("entity_name", .string(property.type)), .init("association", .string(association)),
            ]
            if let inverse = property.inverse {
                relationship.append(.init("inverse", .string(inverse)))
                var other = NewProperty()
                other.type = path.owner
                other.association = association == "to_one" ? "to_many" : "to_one"
                let target = try require(property.type)
                let otherPath = Path(owner: property.type, element: inverse)
                if element(inverse, of: target) != nil || otherPath == path { throw .inverseExists(otherPath) }
                // Only the side with one row has a column.
                other.isNullable = property.isNullable && association == "to_many"
                try add(other, inverseOf: name, at: otherPath)
            }
            members.append(.init("property_type", .object(relationship)))
        } else {
            members.append(.init("property_type", .string(property.type)))
        }
        let isNullable = property.isNullable && !(property.inverse != nil && property.association == "to_many")
        for (key, isSet) in [
            ("nullable", isNullable), ("unique", property.isUnique), ("indexed", property.isIndexed),
        ] where isSet {
            members.append(.init(key, .bool(true)))
        }
        if let value = property.defaultValue { members.append(.init("default_value", value)) }
        if !draft.isNew(files[index].value) {
            members.append(.init("added_at_version", .string(draft.version.text)))
            if let fill = property.fill {
                let item = [JSONOutput.Member("version", .string(draft.version.text)), .init("fill", fill)]
                members.append(.init("version_history", .array([.object(item)])))
            }
        }
        if property.fill != nil, draft.isNew(files[index].value) { throw .nothingToFill(path) }
        files[index].value.append(.object(members), to: "properties")
    }

    /// Adds the other side of a relationship.
    private mutating func add(_ property: NewProperty, inverseOf name: String, at path: Path) throws(Refusal) {
        try add(property, at: path)
        let fileIndex = try require(path.owner)
        guard let (list, index) = element(path.element ?? "", of: fileIndex) else { return }
        files[fileIndex].value.changeElement(index, of: list) { value in
            var type = value["property_type"]
            type = .object((type?.members ?? []) + [.init("inverse", .string(name))])
            value["property_type"] = type
        }
    }

    /// Adds an entity in a new file.
    ///
    /// - Parameters:
    ///   - name: The name of the entity.
    ///   - identifier: The type of its identifier: `int`, `string` or `uuid`.
    ///   - path: The path of the file.
    package mutating func addEntity(_ name: String, identifier: String, file path: String) throws(Refusal) {
        if has(name) { throw .exists(Path(owner: name, element: nil)) }
        // The other entities in the folder may name the JSON Schema.
        let folder = path.split(separator: "/").dropLast()
        let schema = files.first { file in
            file.source.path.split(separator: "/").dropLast() == folder && file.value["identifier"] != nil
        }?.value["$schema"]
        let members: [JSONOutput.Member] =
            (schema.map { [.init("$schema", $0)] } ?? []) + [
                .init("name", .string(name)), .init("version_history", .array([draft.item])),
                .init("identifier", .object([.init("type", .string(identifier))])), .init("properties", .array([])),
            ]
        others[path] = .rewritten(Array(JSONOutput.object(members).file.utf8))
    }

    // MARK: Finding

    func require(_ owner: String) throws(Refusal) -> Int {
        if let index = fileIndex(of: owner) { return index }
        let names = files.filter { draft.isAlive($0.value) }.compactMap { $0.value["name"]?.string }
        throw .unknown(Path(owner: owner, element: nil), nearest: names.nearest(to: owner))
    }

    func unknown(_ path: Path, of index: Int) -> Refusal {
        let elements = Self.lists.flatMap { files[index].value[$0]?.elements ?? [] }
        let names = elements.filter(draft.isAlive).compactMap { $0["name"]?.string ?? $0.string }
        return .unknown(path, nearest: path.element.flatMap { names.nearest(to: $0) }.map { "\(path.owner).\($0)" })
    }

    func fileIndex(of owner: String) -> Int? {
        files.firstIndex { $0.value["name"] == .string(owner) && draft.isAlive($0.value) && !isRemoved($0) }
    }

    func isRemoved(_ file: File) -> Bool { others[file.source.path] == .removed }

    /// Returns the list that has an element with this name in the draft, and its position in this list.
    func element(_ name: String, of fileIndex: Int) -> (list: String, index: Int)? {
        for list in Self.lists {
            let elements = files[fileIndex].value[list]?.elements ?? []
            let index = elements.firstIndex { element in
                (element["name"] ?? element) == .string(name) && draft.isAlive(element)
                    && element["unused"] != .bool(true)
            }
            if let index { return (list, index) }
        }
        return nil
    }

    /// Returns the list and the position of an element that the draft has removed.
    func removedElement(_ name: String, of fileIndex: Int) -> (list: String, index: Int)? {
        for list in Self.lists {
            let index = (files[fileIndex].value[list]?.elements ?? []).firstIndex { element in
                element["name"] == .string(name) && draft.parsed(element["removed_at_version"]) == draft.version
            }
            if let index { return (list, index) }
        }
        return nil
    }

    /// Returns the type, or the target, of a property that the draft has removed; nil if there is none.
    private func removedType(_ name: String, of fileIndex: Int) -> String? {
        guard let (list, index) = removedElement(name, of: fileIndex),
            let type = files[fileIndex].value[list]?.elements[index]["property_type"]
        else { return nil }
        return type.string ?? type["entity_name"]?.string
    }

    /// Changes the elements that the draft has.
    mutating func forEachElement(of fileIndex: Int, in lists: [String], _ body: (inout JSONOutput) -> Void) {
        let draft = draft
        for list in lists {
            for index in (files[fileIndex].value[list]?.elements ?? []).indices {
                files[fileIndex].value.changeElement(index, of: list) { if draft.isAlive($0) { body(&$0) } }
            }
        }
    }
}
