import SchemaModel
import SQLSchema

extension SchemaHistory {
    /// Returns the format of the databases that the schema was imported from; nil if it was not imported.
    ///
    /// - Parameter invalidRows: The policies for rows that do not fit, by table and version.
    package func importedFormat(invalidRows: [ImportedInvalidRows]) -> ImportedFormat? {
        guard let imported else { return nil }
        let forms = Dictionary(
            imported.forms.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { one, _ in one })
        // The names that the column of a property has in all versions, newest first.
        var names: [StepInstructions.Element: [String]] = [:]
        for (version, entity) in changedEntities.reversed() {
            for column in version.columns(of: entity) where column.role == .attribute {
                guard let property = column.property else { continue }
                let name = (entity.tableName + "." + column.name).lowercased()
                let element = StepInstructions.Element(entity: entity.lineage, property: property)
                if names[element]?.contains(name) != true { names[element, default: []].append(name) }
            }
        }
        var columns: [ImportedColumn] = []
        var living: [String: Int] = [:]
        func add(_ column: String, of table: String, _ form: ImportedForm, in index: Int) {
            let name = table + "." + column
            if let columnIndex = living[name], columns[columnIndex].form == form,
                columns[columnIndex].versions.upperBound == index - 1
            {
                columns[columnIndex].versions = columns[columnIndex].versions.lowerBound...index
            } else {
                living[name] = columns.count
                columns.append(ImportedColumn(table, column, form, versions: index...index))
            }
        }
        for (index, version) in versions.enumerated() {
            for entity in version.entities {
                // Core Data has no keys that are UUIDs.
                let hasUUIDKeys = !imported.library.isCoreData
                for column in version.columns(of: entity)
                where column.role == .attribute || hasUUIDKeys && column.type == .scalar(.uuid) {
                    let name = entity.tableName + "." + column.name
                    // The form may be declared for another name of the column.
                    let others = column.property.flatMap { names[.init(entity: entity.lineage, property: $0)] } ?? []
                    let own = ([name.lowercased()] + others).first { forms[$0] != nil }
                    let states = own.flatMap { forms[$0] } ?? []
                    let said = states.last { $0.since.map { $0 <= version.version } ?? true }?.form
                    guard let form = version.form(of: column.type, said: said, in: imported) else { continue }
                    add(column.name, of: entity.tableName, form, in: index)
                }
                for join in version.joinTables(of: entity)
                where imported.library != .lucid && imported.library.isCoreData && join.relationship.inverse == nil {
                    let name = String(join.table.name.dropFirst(entity.tableName.count + 1))
                    add(name, of: entity.tableName, .ownerKeys, in: index)
                }
            }
        }
        let formerNames = Dictionary(
            formerNames.map { ($0.key.text, $0.value) }, uniquingKeysWith: { first, _ in first })
        let unread = imported.unread.sorted { $0.key < $1.key }.flatMap { name, states in
            runs(states).map { ImportedUnread(name, $0.value, versions: $0.versions) }
        }
        let hashes = imported.hashes.sorted { $0.key < $1.key }.flatMap { entity, states in
            runs(states).map { ImportedHash(entity, $0.value, versions: $0.versions) }
        }
        return ImportedFormat(
            imported.library, formerNames: formerNames,
            userVersions: Dictionary(
                imported.userVersions.map { ($0.key.text, $0.value) }, uniquingKeysWith: { first, _ in first }),
            columns: columns, origins: importedOrigins(imported),
            unread: unread,
            hashes: hashes, invalidRows: invalidRows)
    }

    /// The entities of each version that are not the same in the version before, oldest first.
    private var changedEntities: [(version: ModelVersion, entity: Entity)] {
        versions.enumerated().flatMap { index, version in
            version.entities.filter { index == 0 || !version.unchanged.contains($0.lineage) }.map { (version, $0) }
        }
    }

    /// Returns the values, each with the range of versions to which it applies, by their positions.
    private func runs<Value>(
        _ states: [ImportedSource.Since<Value>]
    ) -> [(value: Value, versions: ClosedRange<Int>)] {
        var runs: [(value: Value, versions: ClosedRange<Int>)] = []
        for (index, version) in versions.enumerated() {
            let state = states.last { $0.version.map { $0 <= version.version } ?? true }
            guard let value = state?.value else { continue }
            if let last = runs.last, last.value == value, last.versions.upperBound == index - 1 {
                runs[runs.count - 1].versions = last.versions.lowerBound...index
            } else {
                runs.append((value, index...index))
            }
        }
        return runs
    }

    private func importedOrigins(_ imported: ImportedSource) -> [ImportedOrigin] {
        var origins: [ImportedOrigin] = []
        for (name, states) in imported.origins.sorted(by: { $0.key < $1.key }) {
            for run in runs(states) {
                for index in run.versions {
                    guard let column = versions[index].column(called: name) else { continue }
                    if let last = origins.indices.last, origins[last].versions.upperBound == index - 1,
                        (origins[last].table, origins[last].property, origins[last].sources)
                            == (column.table, column.base, run.value)
                    {
                        origins[last].versions = origins[last].versions.lowerBound...index
                    } else {
                        origins.append(ImportedOrigin(column.table, column.base, run.value, versions: index...index))
                    }
                }
            }
        }
        return origins
    }

    /// The columns in `forms` and the properties in `origins` that no version has.
    package var unknownImportedColumns: [String] {
        guard let imported else { return [] }
        var (known, properties): (Set<String>, Set<String>) = ([], [])
        for (version, entity) in changedEntities {
            let table = entity.tableName.lowercased() + "."
            if imported.library == .lucid {
                properties.insert(entity.tableName.lowercased())
                properties.formUnion(version.joinTables(of: entity).map { $0.table.name.lowercased() })
                for subtype in version.subtypes {
                    properties.formUnion(subtype.members.map { "\(subtype.name).\($0.name)".lowercased() })
                }
            }
            known.formUnion(version.columns(of: entity).map { table + $0.name.lowercased() })
            properties.formUnion(entity.properties.map { table + $0.name.lowercased() })
        }
        return imported.forms.keys.filter { !known.contains($0.lowercased()) }.sorted()
            + imported.origins.keys.filter { !properties.contains($0.lowercased()) }.sorted()
    }
}

extension ModelVersion {
    /// Returns the table and the column of the property with the name `TABLE.PROPERTY`. The column name does not
    /// include the `_id` of a foreign key.
    fileprivate func column(called name: String) -> (table: String, base: String)? {
        for entity in entities where !name.hasPrefix(entity.tableName + ".") {
            if joinTables(of: entity).contains(where: { $0.table.name == name }) { return (name, "") }
        }
        for entity in entities where name.hasPrefix(entity.tableName) {
            if name == entity.tableName { return (name, "") }
            guard name.hasPrefix(entity.tableName + ".") else { continue }
            let called = name.dropFirst(entity.tableName.count + 1)
            guard let property = entity.properties.first(where: { $0.name == called }) else { continue }
            let column = columns(of: entity).first { $0.property == property.lineage && $0.role != .position }
            // A relationship with a join table has no column here.
            let base = column.map { column in
                column.role == .attribute
                    ? column.name : ColumnSuffix.reference.removed(from: column.name) ?? column.name
            }
            return (entity.tableName, base ?? property.name)
        }
        return nil
    }

    /// Returns the form of values of `type`; nil if it is the same as in the store.
    ///
    /// - Parameter said: The form of the column's values in `strata.json`.
    fileprivate func form(
        of type: ValueType, said: ImportedForm?, in imported: ImportedSource
    ) -> ImportedForm? {
        switch said {
        case nil where imported.library == .lucid && isList(type): return lucidForm(of: type, imported)
        case nil: return form(of: type, in: imported.library)
        case .plain: return nil
        case .archive: return form(of: type, in: .coreData)
        case .entity:
            guard case .subtype(let lineage) = type else { return said }
            return .entity(subtype(lineage)?.cases.map(\.value) ?? [])
        default: return said
        }
    }

    /// Returns the form of values of `type` if `strata.json` does not specify one for their column.
    private func form(of type: ValueType, in library: ImportedFormat.Library) -> ImportedForm? {
        switch type {
        case .scalar(.bool): return .bool
        case .scalar(.date): return library.isCoreData ? .referenceSeconds : .dateText
        case .scalar(.uuid): return .uuid
        case .scalar(.url): return .url
        case .scalar(.color): return .color
        case .scalar(.decimal): return .decimal
        case .scalar(.milliseconds): return library == .lucid ? .seconds : nil
        case .scalar: return nil
        case .dictionary: return .json
        case .array(let element):
            guard library.isCoreData else { return .json }
            switch element {
            case .scalar(.bool): return .archiveOfBools
            case .scalar(.decimal): return .archiveOfDecimals
            default: return .archive
            }
        case .subtype(let lineage):
            switch subtype(lineage)?.kind {
            case .cases(let cases): return .choice(cases.map(\.value))
            case .members: return .json
            case .options, nil: return nil
            }
        }
    }

    /// Whether values of `type` are JSON.
    private func isList(_ type: ValueType) -> Bool {
        switch type {
        case .array, .dictionary: true
        case .subtype(let lineage): !(subtype(lineage)?.members.isEmpty ?? true)
        case .scalar: false
        }
    }

    /// Returns the form of JSON that Lucid wrote, with the names of members in camelCase.
    private func lucidForm(of type: ValueType, _ imported: ImportedSource) -> ImportedForm {
        switch type {
        case .array(let element): .list(of: lucidForm(of: element, imported))
        case .dictionary(_, let value): .values(of: lucidForm(of: value, imported))
        case .scalar(let scalar):
            switch scalar {
            case .int, .milliseconds: .integer
            case .double, .float, .seconds: .real
            case .string, .data, .uuid, .decimal: .string
            case .bool: .bool
            case .url: .url
            case .color: .color
            case .date: .referenceSeconds
            }
        case .subtype(let lineage):
            switch subtype(lineage)?.kind {
            case .members(let members):
                .members(
                    members.map { member in
                        let name = (subtype(lineage)?.name ?? "") + "." + member.name
                        let origin = imported.origins[name]?.last { $0.version.map { $0 <= version } ?? true }?.value
                        return ImportedMember(
                            origin?.first.flatMap { $0.split(separator: ".").last.map(String.init) }
                                ?? SwiftName.camelCase(member.name),
                            member.name, isNullable: member.isNullable,
                            member.type.map { lucidForm(of: $0, imported) } ?? .plain)
                    })
            case .cases(let cases): .choice(cases.map(\.value))
            case .options, nil: .integer
            }
        }
    }
}
