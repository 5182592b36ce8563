import SQLSchema
import Strata

/// The format of the databases that a schema was imported from, by the positions of its versions.
struct ImportedFormatLookup {
    private var columns: [String: [ImportedColumn]] = [:]
    private var origins: [String: [ImportedOrigin]] = [:]
    private let unread: [ImportedUnread]
    private let hashes: [ImportedHash]
    private let format: ImportedFormat

    init(_ format: ImportedFormat) {
        for column in format.columns { columns[column.table + "." + column.column, default: []].append(column) }
        for origin in format.origins { origins[origin.table + "." + origin.property, default: []].append(origin) }
        unread = format.unread
        hashes = format.hashes
        self.format = format
    }

    /// Returns whether the columns of these tables are read in the same way in two versions.
    func readsAlike(_ one: Int, _ other: Int, in used: Set<String>) -> Bool {
        columns.values.allSatisfy { columns in
            guard let table = columns.first?.table, used.contains(table) else { return true }
            let forms = [one, other].map { index in columns.first { $0.versions.contains(index) }?.form }
            return forms[0] == forms[1] || (forms[0].flatMap { one in forms[1].map(one.isAlike) } ?? false)
        }
            && format.origins.allSatisfy {
                !used.contains($0.table) || $0.versions.contains(one) == $0.versions.contains(other)
            }
    }

    /// Returns the hashes of the Core Data entities in the version at `index`; empty if they are unknown.
    func hashes(at index: Int) -> [String: UInt64] {
        Dictionary(
            hashes.filter { $0.versions.contains(index) }.map { ($0.entity, $0.hash) },
            uniquingKeysWith: { one, _ in one })
    }

    /// Returns the form of a column's values in the version at `index`; nil if they are copied unchanged.
    func form(of column: String, in table: String, at index: Int) -> ImportedForm? {
        columns[table + "." + column]?.first { $0.versions.contains(index) }?.form
    }

    /// Returns the Core Data properties, as `Entity.property`, that a property of a table contains in the version at
    /// index `index`.
    func sources(of property: String, in table: String, at index: Int) -> [String] {
        let name = table + "." + property
        return origins[name]?.first { $0.versions.contains(index) }?.sources ?? [name]
    }

    /// Returns the policies for rows that do not fit in the version at `index`, by table.
    func invalidRows(at index: Int) -> [String: ImportedInvalidRows.Policy] {
        Dictionary(
            format.invalidRows.filter { $0.versions.contains(index) }.map { ($0.table, $0.policy) },
            uniquingKeysWith: { one, _ in one })
    }

    /// Returns the data that a conversion from the version at `index` leaves in the database.
    func unread(at index: Int) -> [ImportedUnread] { unread.filter { $0.versions.contains(index) } }
}
