/// The columns of the properties of an entity, found by the properties' key paths.
///
/// Key paths to stored properties are immutable and capture nothing, so they can be used by several threads at once. The
/// compiler has checked that where the table is declared.
struct StoredProperties: @unchecked Sendable {
    private struct Columns {
        var names: [String]
        /// The collations of the primary key that a foreign key references, with "" for the default.
        var collations: [String]
    }

    private var columns: [AnyKeyPath: Columns] = [:]

    /// Adds a column of a property.
    mutating func add(_ name: String, of property: AnyKeyPath, collation: String?) {
        columns[property, default: Columns(names: [], collations: [])].names.append(name)
        columns[property]?.collations.append(collation ?? "")
    }

    /// Returns the column of a property. If the property is not stored, SQLite refuses the column's name, which says so.
    func column<Entity, Value>(of property: KeyPath<Entity, Value>) -> Column<Entity, Value> {
        guard let columns = columns[property] else { return Column("a property of \(Entity.self) that is not stored") }
        let hasCollations = columns.collations.contains { !$0.isEmpty }
        return Column(columns.names, collations: hasCollations ? columns.collations : [])
    }
}
