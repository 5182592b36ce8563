import Mustache
import SQLSchema

/// The format of the databases from which a schema was imported.
struct ImportedFormatValues: TemplateValues {
    struct FormerName: TemplateValues {
        let name: String
        let formerName: String

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the version, as a literal"),
            .text("formerName", \.formerName, "its former name, as a literal"),
        ]
    }

    struct UserVersion: TemplateValues {
        let name: String
        let number: Int

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the version, as a literal"),
            .number("number", \.number, "the `user_version` of its databases"),
        ]
    }

    /// The versions that have a name. If the newest version is among them, `last` is absent, so that a new version does
    /// not change the generated line.
    struct Versions: TemplateValues {
        let first: Int
        let last: String?

        static let fields: [TemplateField<Self>] = [
            .number("first", \.first, "the index of the first version"),
            .optional("last", \.last, "the index of the last version; absent if that is the newest"),
        ]
    }

    struct Column: TemplateValues {
        let table: String
        let column: String
        let form: String
        let versions: Versions

        static let fields: [TemplateField<Self>] = [
            .text("table", \.table, "the name of the table, as a literal"),
            .text("column", \.column, "the name of the column, as a literal"),
            .text("form", \.form, "the case of `Strata.ImportedForm`, with its values"),
            .object("versions", \.versions, "the versions that this is for"),
        ]
    }

    struct Origin: TemplateValues {
        let table: String
        let property: String
        let sources: String
        let versions: Versions

        static let fields: [TemplateField<Self>] = [
            .text("table", \.table, "the name of the table, as a literal"),
            .text("property", \.property, "the name of the property, as a literal"),
            .text("sources", \.sources, "the columns whose values it has, as a literal"),
            .object("versions", \.versions, "the versions that this is for"),
        ]
    }

    struct Unread: TemplateValues {
        let name: String
        let reason: String
        let versions: Versions

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name, as a literal"),
            .text("reason", \.reason, "the case of `Strata.ImportedUnread.Reason`"),
            .object("versions", \.versions, "the versions that this is for"),
        ]
    }

    struct Hash: TemplateValues {
        let entity: String
        let hash: String
        let versions: Versions

        static let fields: [TemplateField<Self>] = [
            .text("entity", \.entity, "the name of the entity, as a literal"),
            .text("hash", \.hash, "its hash, in hexadecimal"),
            .object("versions", \.versions, "the versions that this is for"),
        ]
    }

    struct InvalidRows: TemplateValues {
        struct Fill: TemplateValues {
            let column: String
            let value: String

            static let fields: [TemplateField<Self>] = [
                .text("column", \.column, "the name of the column, as a literal"),
                .text("value", \.value, "its value, as a literal"),
            ]
        }

        let table: String
        let policy: String
        let fills: [Fill]
        let versions: Versions

        static let fields: [TemplateField<Self>] = [
            .text("table", \.table, "the name of the table, as a literal"),
            .text("policy", \.policy, "the case of `Strata.ImportedInvalidRows.Policy`"),
            .flag("isFill", \.isFill, "whether rows get other values"),
            .list("fills", \.fills, "these values"),
            .object("versions", \.versions, "the versions that this is for"),
        ]

        private var isFill: Bool { policy == "fill" }
    }

    let library: String
    let formerNames: [FormerName]
    let userVersions: [UserVersion]
    let columns: [Column]
    let origins: [Origin]
    let unread: [Unread]
    let hashes: [Hash]
    let invalidRows: [InvalidRows]

    static let fields: [TemplateField<Self>] = [
        .text("library", \.library, "the case of `Strata.ImportedFormat.Library`"),
        .list("formerNames", \.formerNames, "the names of versions in the library"),
        .list("userVersions", \.userVersions, "the versions whose databases keep a `user_version`"),
        .list("columns", \.columns, "the columns whose values have another form"),
        .list("origins", \.origins, "the properties that have the values of other columns"),
        .list("unread", \.unread, "what is not read"),
        .list("hashes", \.hashes, "the hashes of entities in Core Data's metadata"),
        .list("invalidRows", \.invalidRows, "the policies for rows that do not fit"),
    ]
}

extension Generator {
    /// Returns the values of the format of imported databases.
    func imported(_ format: ImportedFormat) -> ImportedFormatValues {
        let newest = history.versions.count - 1
        func versions(_ range: ClosedRange<Int>) -> ImportedFormatValues.Versions {
            .init(first: range.lowerBound, last: range.upperBound == newest ? nil : String(range.upperBound))
        }
        return ImportedFormatValues(
            library: "\(format.library)",
            formerNames: history.versions.compactMap { version in
                format.formerNames[version.version.text].map {
                    .init(name: SwiftLiteral.string(version.version.text), formerName: SwiftLiteral.string($0))
                }
            },
            userVersions: history.versions.compactMap { version in
                format.userVersions[version.version.text].map {
                    .init(name: SwiftLiteral.string(version.version.text), number: $0)
                }
            },
            columns: format.columns.map { column in
                .init(
                    table: SwiftLiteral.string(column.table), column: SwiftLiteral.string(column.column),
                    form: column.form.expression, versions: versions(column.versions))
            },
            origins: format.origins.map { origin in
                .init(
                    table: SwiftLiteral.string(origin.table), property: SwiftLiteral.string(origin.property),
                    sources: SwiftLiteral.strings(origin.sources), versions: versions(origin.versions))
            },
            unread: format.unread.map { unread in
                .init(
                    name: SwiftLiteral.string(unread.name), reason: "\(unread.reason)",
                    versions: versions(unread.versions))
            },
            hashes: format.hashes.map { hash in
                .init(
                    entity: SwiftLiteral.string(hash.entity), hash: String(hash.hash, radix: 16),
                    versions: versions(hash.versions))
            },
            invalidRows: format.invalidRows.map { rows in
                var (policy, fills): (String, [ImportedFormatValues.InvalidRows.Fill]) = ("\(rows.policy)", [])
                if case .fill(let columns) = rows.policy {
                    policy = "fill"
                    fills = columns.sorted { $0.key < $1.key }.map { fill in
                        .init(
                            column: SwiftLiteral.string(fill.key), value: SwiftLiteral.string(fill.value))
                    }
                }
                return .init(
                    table: SwiftLiteral.string(rows.table), policy: policy, fills: fills,
                    versions: versions(rows.versions))
            })
    }
}

extension ImportedForm {
    /// The form as an expression without the leading dot.
    fileprivate var expression: String {
        switch self {
        case .choice(let texts): return "choice(\(SwiftLiteral.strings(texts)))"
        case .entity(let entities): return "entity(\(SwiftLiteral.strings(entities)))"
        case .list(let form): return "list(of: .\(form.expression))"
        case .values(let form): return "values(of: .\(form.expression))"
        case .members(let members):
            let texts = members.map { member in
                let form = member.form == .plain ? "" : ", .\(member.form.expression)"
                return
                    "Strata.ImportedMember(\(SwiftLiteral.string(member.source)), \(SwiftLiteral.string(member.name)), "
                    + "isNullable: \(member.isNullable)\(form))"
            }
            return "members([\(texts.joined(separator: ", "))])"
        default: return "\(self)"
        }
    }
}
