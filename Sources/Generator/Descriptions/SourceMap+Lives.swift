import SchemaModel

/// Checks that elements exist only together with the entity or subtype that contains them, and change only while they
/// exist.
extension SourceMap {
    func lifeProblems() -> [Diagnostic] {
        var problems: [Diagnostic] = []
        func check(
            _ element: ElementSource, _ file: SourceFile, called name: String, in owner: String,
            _ limits: Range<VersionIndex>
        ) {
            problems += itemProblems(element.description, element.fields.life, file)
            let life = element.fields.life
            let isInside =
                !life.isEmpty && life.lowerBound >= limits.lowerBound && life.upperBound <= limits.upperBound
            if !isInside {
                var existence = "from \(versions[limits.lowerBound].text) on"
                if limits.upperBound.value < versions.versions.count {
                    existence += ", until it is removed at \(versions[limits.upperBound].text)"
                }
                let problem = Problem.outlivesEntity(element: name, entity: owner, versions: existence)
                problems.append(file.diagnostic(problem, at: element.description.offset))
            }
        }
        for entity in entities {
            let (file, life) = (entity.file, entity.fields.life)
            problems += itemProblems(entity.description.element, life, file)
            for property in entity.properties {
                check(property, file, called: property.description.quotedName, in: entity.name, life)
            }
            for index in entity.indexes {
                var name = "the index"
                if case .array(let properties)? = index.description.present["properties"]?.value {
                    name += " on " + properties.compactMap(\.text).map { "`\($0)`" }.joined(separator: ", ")
                }
                check(index, file, called: name, in: entity.name, life)
            }
            for one in entity.checks {
                check(one, file, called: "the check " + one.description.quotedName, in: entity.name, life)
            }
        }
        for subtype in subtypes {
            let (file, life) = (subtype.file, subtype.fields.life)
            problems += itemProblems(subtype.description.element, life, file)
            for element in subtype.elements {
                check(element, file, called: element.description.quotedName, in: subtype.name, life)
            }
        }
        return problems
    }

    /// Returns the problems with history items. An item must be inside the life of its element. In the version that
    /// adds or removes the element, it must not contain former values.
    private func itemProblems(
        _ element: ElementDescription, _ life: Range<VersionIndex>, _ file: SourceFile
    ) -> [Diagnostic] {
        element.items.compactMap { item in
            let index = versions.index(item.version)
            let isEnd = item.version == element.birth || item.version == element.death
            let isChange = life.contains(index) && index > life.lowerBound
            if isEnd ? item.previous.isEmpty : isChange { return nil }
            return file.diagnostic(.itemOutsideLife(item.version.text), at: item.offset)
        }
    }
}
