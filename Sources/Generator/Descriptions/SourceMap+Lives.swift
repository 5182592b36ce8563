import SchemaModel

/// Checks that elements exist only together with the entity or subtype that contains them, and change only while they
/// exist.
extension SourceMap {
    /// Returns the errors for entities that may be new in the version to which a custom migration leads, and the notes for
    /// items without a change.
    ///
    /// - Parameters:
    ///   - sealed: The released versions.
    ///   - isListed: Whether `strata.json` lists the versions, so that the first one is known.
    ///   - isLucid: Whether the descriptions are those of Lucid, where an item needs no change.
    func itemProblems(sealed: [Version], isListed: Bool, isLucid: Bool) -> [Diagnostic] {
        var problems: [Diagnostic] = []
        func isPlain(_ item: HistoryItem) -> Bool { item.isBirth && item.fill == nil && item.fillFrom == nil }
        func note(_ items: some Sequence<HistoryItem>, besides changed: Set<Version> = [], _ file: SourceFile) {
            for item in items where !isLucid && isPlain(item) && !changed.contains(item.version) {
                problems.append(
                    Diagnostic(
                        .itemWithoutEffect(item.version.text), path: file.path,
                        position: file.position(of: item.offset),
                        severity: .note))
            }
        }
        let entityParts = entities.map { ($0.properties + $0.indexes + $0.checks).map(\.description) }
        let subtypeParts = subtypes.map { $0.elements.map(\.description) }
        func changes(_ elements: some Sequence<ElementDescription>) -> Set<Version> {
            Set(
                elements.flatMap { element in
                    element.items.filter { !isPlain($0) }.map(\.version)
                        + [element.birth, element.death].compactMap(\.self)
                })
        }
        // An item of an entity may name the version of a change of its parts or of a subtype.
        let ofSubtypes = changes(subtypes.map(\.description.element) + subtypeParts.joined())
        for entity in entities {
            let element = entity.description.element
            if let first = element.items.first, first.isCustom || first.byColumnsOffset != nil, first.previous.isEmpty,
                element.birth == nil, !isListed, !sealed.contains(where: { $0 < first.version }),
                let oldest = self.versions.versions.first, oldest < first.version
            {
                problems.append(
                    entity.file.diagnostic(
                        .migrationOfNewEntity(first.version.text, first: oldest.text), at: first.offset))
            }
        }
        for (entity, parts) in zip(entities, entityParts) {
            note(entity.description.element.items.dropFirst(), besides: ofSubtypes.union(changes(parts)), entity.file)
            for part in parts { note(part.items.dropFirst(), entity.file) }
        }
        for (subtype, parts) in zip(subtypes, subtypeParts) {
            note(subtype.description.element.items.dropFirst(), besides: changes(parts), subtype.file)
            for part in parts { note(part.items.dropFirst(), subtype.file) }
        }
        return problems
    }

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
