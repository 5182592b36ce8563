import Descriptions
import JSONText
import SchemaModel

/// Removing elements. The descriptions of older versions keep them.
extension DescriptionEditor {
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
        guard let (list, index) = element(name, of: place) else {
            guard let (list, index) = removedElement(name, of: place) else { throw unknown(path, of: place) }
            if !isDiscarded { throw .removed(path) }
            // The element was removed without this before.
            return files[place].value.changeElement(index, of: list) { $0["discard"] = .bool(true) }
        }
        let isComputed = files[place].value[list]?.elements[index]["computed"] != nil
        if isDiscarded, list == "cases" || isComputed { throw .nothingToDiscard(path) }
        let type = files[place].value[list]?.elements[index]["property_type"]
        guard let target = type?["entity_name"]?.string, let inverse = type?["inverse"]?.string,
            let other = self.place(of: target), let (otherList, otherIndex) = element(inverse, of: other)
        else { return removeElement(index, of: list, at: place, isDiscarded) }
        // The data of a relationship is in the column of its to-one side.
        func isToOne(_ type: JSONOutput?) -> Bool { type?["association"]?.string?.hasSuffix("one") == true }
        let otherType = files[other].value[otherList]?.elements[otherIndex]["property_type"]
        let (isOne, isOtherOne) = (isToOne(type), isToOne(otherType))
        removeElement(index, of: list, at: place, isDiscarded && (isOne || !isOtherOne))
        if let (list, index) = element(inverse, of: other) {
            removeElement(index, of: list, at: other, isDiscarded && (isOtherOne || !isOne))
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
}
