/// What `strata.json` says of the databases that a schema had before.
public struct ImportedSource: Hashable, Sendable {
    /// The library that made them.
    public var library: ImportedFormat.Library
    /// How the values of a column stand from a version on.
    public struct Form: Hashable, Sendable {
        /// The first version in which they stand so; nil for all.
        public var since: Version?
        /// How they stand.
        public var form: ImportedForm

        /// A form from a version on.
        public init(since: Version? = nil, form: ImportedForm) {
            self.since = since
            self.form = form
        }
    }

    /// How the values of columns stand in them, by table and column; what comes later holds from its version on.
    public var forms: [String: [Form]]
    /// What they have besides, which is not read: tables, and columns as `table.column`.
    public var unread: [String]

    /// A source of these parts.
    public init(library: ImportedFormat.Library, forms: [String: [Form]], unread: [String] = []) {
        self.library = library
        self.forms = forms
        self.unread = unread
    }
}

extension SchemaHistory {
    /// How the databases are read that the schema had before; nil where it had none.
    public var importedFormat: ImportedFormat? {
        guard let imported else { return nil }
        let forms = Dictionary(
            imported.forms.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { one, _ in one })
        var columns: [ImportedColumn] = []
        var living: [String: Int] = [:]
        for (index, version) in versions.enumerated() {
            for entity in version.entities {
                for column in version.columns(of: entity) where column.role == .attribute {
                    let name = entity.tableName + "." + column.name
                    let said = forms[name.lowercased()]?.last { $0.since.map { $0 <= version.version } ?? true }?.form
                    guard let form = version.form(of: column.type, said: said, in: imported.library) else { continue }
                    if let place = living[name], columns[place].form == form,
                        columns[place].versions.upperBound == index - 1
                    {
                        columns[place].versions = columns[place].versions.lowerBound...index
                    } else {
                        living[name] = columns.count
                        columns.append(ImportedColumn(entity.tableName, column.name, form, versions: index...index))
                    }
                }
            }
        }
        let names = Dictionary(
            formerNames.map { ($0.key.text, $0.value) }, uniquingKeysWith: { first, _ in first })
        return ImportedFormat(
            imported.library, formerNames: names, columns: columns, unread: imported.unread)
    }

    /// The columns that forms are named for and that no version has.
    public var unknownImportedColumns: [String] {
        guard let imported else { return [] }
        var known: Set<String> = []
        for version in versions {
            for entity in version.entities {
                for column in version.columns(of: entity) {
                    known.insert((entity.tableName + "." + column.name).lowercased())
                }
            }
        }
        return imported.forms.keys.filter { !known.contains($0.lowercased()) }.sorted()
    }
}

extension SchemaVersion {
    /// How values of `type` are read; nil where they stand as here.
    ///
    /// - `said`: what `strata.json` says of their column.
    fileprivate func form(
        of type: ValueType, said: ImportedForm?, in library: ImportedFormat.Library
    ) -> ImportedForm? {
        switch said {
        case nil: return form(of: type, in: library)
        case .plain: return nil
        case .archive: return form(of: type, in: .coreData)
        case .entity:
            guard case .subtype(let lineage) = type else { return said }
            return .entity(subtype(lineage)?.cases.map(\.value) ?? [])
        default: return said
        }
    }

    /// How values of `type` are read where nothing is said of their column.
    private func form(of type: ValueType, in library: ImportedFormat.Library) -> ImportedForm? {
        switch type {
        case .scalar(.bool): return .bool
        case .scalar(.date): return library == .coreData ? .referenceSeconds : .dateText
        case .scalar(.uuid): return .uuid
        case .scalar(.url): return .url
        case .scalar(.color): return .color
        case .scalar(.decimal): return .decimal
        case .scalar: return nil
        case .array(let element):
            guard library == .coreData else { return .json }
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
}
