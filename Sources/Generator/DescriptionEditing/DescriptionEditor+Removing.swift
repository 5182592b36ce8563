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
        let fileIndex = try require(path.owner)
        guard let name = path.element else {
            // A subtype has no rows. Its values are in properties.
            if isDiscarded, files[fileIndex].value["identifier"] == nil { throw .nothingToDiscard(path) }
            return removeFile(at: fileIndex, isDiscarded)
        }
        guard let (list, index) = element(name, of: fileIndex) else {
            guard let (list, index) = removedElement(name, of: fileIndex) else { throw unknown(path, of: fileIndex) }
            if !isDiscarded { throw .removed(path) }
            // The element was removed without this before.
            return files[fileIndex].value.changeElement(index, of: list) { $0["discard"] = .bool(true) }
        }
        let isComputed = files[fileIndex].value[list]?.elements[index]["computed"] != nil
        if isDiscarded, list == "cases" || isComputed { throw .nothingToDiscard(path) }
        let type = files[fileIndex].value[list]?.elements[index]["property_type"]
        guard let target = type?["entity_name"]?.string, let inverse = type?["inverse"]?.string,
            let other = self.fileIndex(of: target), let (otherList, otherIndex) = element(inverse, of: other)
        else { return removeElement(index, of: list, at: fileIndex, isDiscarded) }
        // The data of a relationship is in the column of its to-one side.
        func isToOne(_ type: JSONOutput?) -> Bool { type?["association"]?.string?.hasSuffix("one") == true }
        let otherType = files[other].value[otherList]?.elements[otherIndex]["property_type"]
        let (isOne, isOtherOne) = (isToOne(type), isToOne(otherType))
        removeElement(index, of: list, at: fileIndex, isDiscarded && (isOne || !isOtherOne))
        if let (list, index) = element(inverse, of: other) {
            removeElement(index, of: list, at: other, isDiscarded && (isOtherOne || !isOne))
        }
    }

    private mutating func removeElement(_ index: Int, of list: String, at fileIndex: Int, _ isDiscarded: Bool) {
        var elements = files[fileIndex].value[list]?.elements ?? []
        if draft.isNew(elements[index], in: files[fileIndex].value) {
            elements.remove(at: index)
            files[fileIndex].value[list] = .array(elements)
        } else {
            let former = withFormerNames(elements[index])
            let draft = draft
            files[fileIndex].value.changeElement(index, of: list) { value in
                if former.members.count > 0 { value = former }
                draft.restore(&value)
                draft.remove(&value, discarding: isDiscarded)
            }
        }
    }

    private mutating func removeFile(at fileIndex: Int, _ isDiscarded: Bool) {
        if draft.isNew(files[fileIndex].value) {
            others[files[fileIndex].source.path] = .removed
            return
        }
        // The last version of an entity is the one before the draft, so its elements are as they were in it.
        let owner = files[fileIndex].value["name"]?.string ?? ""
        for list in Self.lists + ["indexes"] {
            let elements = files[fileIndex].value[list]?.elements ?? []
            for index in elements.indices.reversed() where draft.isAlive(elements[index]) {
                guard !draft.isNew(elements[index]) else {
                    var kept = files[fileIndex].value[list]?.elements ?? []
                    kept.remove(at: index)
                    files[fileIndex].value[list] = .array(kept)
                    continue
                }
                var value = withFormerNames(elements[index])
                draft.restore(&value)
                if value == elements[index] { continue }
                var kept = files[fileIndex].value[list]?.elements ?? []
                kept[index] = value
                files[fileIndex].value[list] = .array(kept)
                if let old = elements[index]["name"]?.string, let name = value["name"]?.string, old != name {
                    followRename(of: old, to: name, in: owner, at: fileIndex, list)
                }
            }
        }
        draft.restore(&files[fileIndex].value, isFile: true)
        draft.remove(&files[fileIndex].value, discarding: isDiscarded)
    }

    /// Returns an element with the names that other elements had before the draft.
    private func withFormerNames(_ element: JSONOutput) -> JSONOutput {
        var value = element
        if let target = element["property_type"]?["entity_name"]?.string, let fileIndex = fileIndex(of: target) {
            if let inverse = element["property_type"]?["inverse"]?.string,
                let (list, index) = self.element(inverse, of: fileIndex),
                let former = draft.formerName(of: files[fileIndex].value[list]?.elements[index])
            {
                value["property_type"]?["inverse"] = former
            }
            if let former = draft.formerName(of: files[fileIndex].value) {
                value["property_type"]?["entity_name"] = former
            }
        } else if let subtype = element["property_type"]?.innerType, let fileIndex = fileIndex(of: subtype) {
            if let former = draft.formerName(of: files[fileIndex].value)?.string {
                value["property_type"] = element["property_type"]?.replacingInnerType(by: former)
            }
            for list in ["cases", "options"] {
                for element in files[fileIndex].value[list]?.elements ?? [] {
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
