import SchemaDiff
import SchemaModel

extension SourceMap {
    /// Creates an error at the position of the element that changes in a released version; nil if no description
    /// contains the element.
    func diagnostic(_ problem: Problem, of edit: LockChange.Edit, in version: Version) -> Diagnostic? {
        let index = versions.index(version)
        let name = edit.element?.split(separator: " ").last.map(String.init)
        if let entity = entityLineages.first(where: { self[$0].fields.isNamed(edit.entity, at: index) }) {
            if edit.element == "key" { return diagnostic(problem, entity: entity, key: "identifier", at: index) }
            if let key = edit.setting?.key, self[entity].fields[index][key] != nil {
                return diagnostic(problem, entity: entity, key: key, at: index)
            }
            let property = name.flatMap { self.property($0, of: entity, at: index) }
            return diagnostic(problem, entity: entity, property: property, at: index)
        }
        if let subtype = subtypeLineages.first(where: { self[$0].fields.isNamed(edit.entity, at: index) }) {
            let element = name.flatMap { self.element($0, of: subtype, at: index, alive: index) }
            return diagnostic(problem, subtype: subtype, element: element, at: index)
        }
        let files = entities.filter { $0.name == edit.entity }.map { ($0.file, $0.description.element.offset) }
        let others = subtypes.filter { $0.name == edit.entity }.map { ($0.file, $0.description.element.offset) }
        return (files + others).first.map { file, offset in file.diagnostic(problem, at: offset) }
    }
}

extension SourceMap {
    /// Creates an error at the position of the element of which the descriptions say something else for a released step; nil if no
    /// description contains the element.
    func diagnostic(_ problem: Problem, of edit: LockChange.StepEdit) -> Diagnostic? {
        let versionIndexes = edit.reportedVersions.map { versions.index($0) }
        for owner in [edit.to, edit.from].map({ versions.index($0) }) {
            if let entity = entityLineages.first(where: { self[$0].fields.isNamed(edit.owner, at: owner) }) {
                for versionIndex in versionIndexes {
                    guard let property = edit.element.flatMap({ self.property($0, of: entity, at: versionIndex) })
                    else {
                        continue
                    }
                    return diagnostic(problem, entity: entity, property: property, at: versionIndex)
                }
                return diagnostic(problem, entity: entity, property: nil, at: owner)
            }
            if let subtype = subtypeLineages.first(where: { self[$0].fields.isNamed(edit.owner, at: owner) }) {
                for versionIndex in versionIndexes {
                    guard
                        let element = edit.element.flatMap({
                            self.element($0, of: subtype, at: versionIndex, alive: versionIndex)
                        })
                    else {
                        continue
                    }
                    return diagnostic(problem, subtype: subtype, element: element, at: versionIndex)
                }
                return diagnostic(problem, subtype: subtype, element: nil, at: owner)
            }
        }
        return nil
    }
}

extension Timeline<Fields> {
    /// Returns whether the element exists in the version at `index`, and has the name there.
    fileprivate func isNamed(_ name: String, at index: VersionIndex) -> Bool {
        exists(at: index) && self[index].name == name
    }
}
