import Descriptions
import JSONText
import SchemaModel

/// Renaming elements, and the references to them.
extension DescriptionEditor {
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
    mutating func followRename(
        of old: String, to name: String, in owner: String, at place: Int, _ list: String
    ) {
        if list == "properties" {
            files[place].value.changeName(old, to: name, in: ["identifier", "property"])
            files[place].value.changeName(old, to: name, in: ["identifier", "properties"])
            files[place].value.changeName(old, to: name, in: ["search", "properties"])
            files[place].value.changeName(old, to: name, in: ["distribution"])
            forEachElement(of: place, in: ["indexes"]) { index in
                if case .array(let names) = index["properties"] {
                    index["properties"] = .array(names.map { $0.changingIndexedName(old, to: name) })
                }
                index.changeName(old, to: name, inCondition: "where")
            }
            forEachElement(of: place, in: ["checks"]) { $0.changeName(old, to: name, inCondition: "where") }
            forEachElement(of: place, in: ["properties"]) { $0.changeName(old, to: name, inCondition: "computed") }
        }
        let version = draft.version
        for place in files.indices where draft.isAlive(files[place].value) {
            let properties = files[place].value["properties"]?.elements ?? []
            let ofType = Set(
                properties.filter { $0["property_type"]?.innerType == owner }.compactMap { $0["name"]?.string })
            if list != "properties", !ofType.isEmpty {
                forEachElement(of: place, in: ["indexes", "checks"]) { index in
                    for property in ofType { index.changeName(old, to: name, in: ["where", property]) }
                }
            }
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
    mutating func followRename(ofEntity old: String, to name: String) {
        for place in files.indices where draft.isAlive(files[place].value) {
            files[place].value.changeName(old, to: name, in: ["identifier", "derived_from_relationships"])
            forEachElement(of: place, in: ["properties"]) {
                $0.changeName(old, to: name, in: ["property_type", "entity_name"])
            }
        }
    }

    /// Renames the references to a subtype.
    mutating func followRename(ofSubtype old: String, to name: String) {
        for place in files.indices where draft.isAlive(files[place].value) {
            forEachElement(of: place, in: ["properties"]) { property in
                guard property["property_type"]?.innerType == old else { return }
                property["property_type"] = property["property_type"]?.replacingInnerType(by: name)
            }
        }
    }
}
