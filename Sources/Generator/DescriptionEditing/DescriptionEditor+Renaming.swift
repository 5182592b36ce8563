import Descriptions
import JSONText
import SchemaModel

/// Renaming elements, and the references to them.
extension DescriptionEditor {
    /// Renames an element, in its description and wherever the draft refers to it.
    package mutating func rename(_ path: Path, to name: String) throws(Refusal) {
        let fileIndex = try require(path.owner)
        if let old = path.element {
            guard let (list, index) = element(old, of: fileIndex) else { throw unknown(path, of: fileIndex) }
            if element(name, of: fileIndex) != nil { throw .exists(Path(owner: path.owner, element: name)) }
            let (draft, parent) = (draft, files[fileIndex].value)
            files[fileIndex].value.changeElement(index, of: list) {
                draft.setName(of: &$0, to: name, isNew: draft.isNew($0, in: parent))
            }
            followRename(of: old, to: name, in: path.owner, at: fileIndex, list)
        } else {
            if has(name) { throw .exists(Path(owner: name, element: nil)) }
            draft.setName(
                of: &files[fileIndex].value, to: name, isNew: draft.isNew(files[fileIndex].value), isFile: true)
            if files[fileIndex].value["identifier"] == nil {
                followRename(ofSubtype: path.owner, to: name)
            } else {
                followRename(ofEntity: path.owner, to: name)
            }
        }
    }

    /// Renames the references to an element of an entity or a subtype.
    mutating func followRename(
        of old: String, to name: String, in owner: String, at fileIndex: Int, _ list: String
    ) {
        if list == "properties" {
            files[fileIndex].value.changeName(old, to: name, in: ["identifier", "property"])
            files[fileIndex].value.changeName(old, to: name, in: ["identifier", "properties"])
            files[fileIndex].value.changeName(old, to: name, in: ["search", "properties"])
            files[fileIndex].value.changeName(old, to: name, in: ["distribution"])
            forEachElement(of: fileIndex, in: ["indexes"]) { index in
                if case .array(let names) = index["properties"] {
                    index["properties"] = .array(names.map { $0.changingIndexedName(old, to: name) })
                }
                index.changeName(old, to: name, inCondition: "where")
            }
            forEachElement(of: fileIndex, in: ["checks"]) { $0.changeName(old, to: name, inCondition: "where") }
            forEachElement(of: fileIndex, in: ["properties"]) { $0.changeName(old, to: name, inCondition: "computed") }
        }
        let version = draft.version
        for fileIndex in files.indices where draft.isAlive(files[fileIndex].value) {
            let properties = files[fileIndex].value["properties"]?.elements ?? []
            let ofType = Set(
                properties.filter { $0["property_type"]?.innerType == owner }.compactMap { $0["name"]?.string })
            if list != "properties", !ofType.isEmpty {
                forEachElement(of: fileIndex, in: ["indexes", "checks"]) { index in
                    for property in ofType { index.changeName(old, to: name, in: ["where", property]) }
                }
            }
            forEachElement(of: fileIndex, in: ["properties"]) { property in
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
    mutating func followRename(ofEntity old: String, to name: String) {
        for index in files.indices where draft.isAlive(files[index].value) {
            files[index].value.changeName(old, to: name, in: ["identifier", "derived_from_relationships"])
            forEachElement(of: index, in: ["properties"]) {
                $0.changeName(old, to: name, in: ["property_type", "entity_name"])
            }
        }
    }

    /// Renames the references to a subtype.
    mutating func followRename(ofSubtype old: String, to name: String) {
        for index in files.indices where draft.isAlive(files[index].value) {
            forEachElement(of: index, in: ["properties"]) { property in
                guard property["property_type"]?.innerType == old else { return }
                property["property_type"] = property["property_type"]?.replacingInnerType(by: name)
            }
        }
    }
}
