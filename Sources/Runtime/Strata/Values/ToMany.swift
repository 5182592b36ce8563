import SQLSchema

/// A to-one relationship. Strata generates one for each to-one relationship of an entity.
public struct ToOne<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the source. In a symmetric relationship, the target references the source with the same
        /// columns.
        case column([String], isSymmetric: Bool)
        /// The unique foreign key columns of the target.
        case inverse([String])
    }

    let storage: Storage

    /// Creates a relationship that is stored in columns of the source.
    public init(column: [String], symmetric isSymmetric: Bool = false) {
        storage = .column(column, isSymmetric: isSymmetric)
    }

    /// Creates a relationship that is stored in columns of the target.
    public init(inverse: [String]) {
        storage = .inverse(inverse)
    }
}

/// A to-one relationship in which each row has a related row. Strata generates one for each relationship that is not nullable
/// and stored with the entity.
///
/// A query that follows the relationship leaves out rows without a related row. Strata writes no such rows, but another program
/// can.
public struct RequiredToOne<Source: StoredEntity, Target: StoredEntity>: Sendable {
    /// The same relationship, as one in which a row may have no related row.
    public let optional: ToOne<Source, Target>

    /// Creates a relationship that is stored in columns of the source.
    public init(column: [String]) {
        optional = ToOne(column: column)
    }
}

/// A to-many relationship. Strata generates one for each to-many relationship of an entity.
public struct ToMany<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the target, and the column with its position if the relationship is ordered.
        case inverse([String], position: String?)
        /// A join table, and the end of it that the source is.
        case joinTable(JoinTable, JoinEnd)
    }

    let storage: Storage

    /// Creates a relationship that is stored in columns of the target.
    ///
    /// - Parameters:
    ///   - inverse: The foreign key columns of the target.
    ///   - position: The column with the position of the target; nil to sort by primary key.
    public init(inverse: [String], position: String? = nil) {
        storage = .inverse(inverse, position: position)
    }

    /// Creates a relationship that is stored in a join table.
    ///
    /// - Parameters:
    ///   - joinTable: The name of the join table.
    ///   - source: The columns of the primary key of the side that stores the relationship.
    ///   - target: The columns of the primary key of the other side.
    ///   - hasDuplicates: Whether a row may refer to the same row several times.
    ///   - hasOrderedInverse: Whether the rows of the other side are ordered too.
    ///   - isReversed: Whether the relationship starts at the other side.
    ///   - isSymmetric: Whether the relationship is its own inverse.
    public init(
        joinTable: String, source: [String] = ["source_id"], target: [String] = ["target_id"],
        duplicates hasDuplicates: Bool = false, orderedInverse hasOrderedInverse: Bool = false,
        reversed isReversed: Bool = false, symmetric isSymmetric: Bool = false
    ) {
        storage = .joinTable(
            JoinTable(
                name: joinTable, source: source, target: target, hasDuplicates: hasDuplicates,
                hasOrderedInverse: hasOrderedInverse),
            isReversed ? .target : isSymmetric ? .both : .source)
    }
}

/// The SQL that finds related rows. The table of the related rows has the alias `t`.
struct RelatedQuery {
    /// The tables.
    let tables: String
    /// The columns with the primary key of the source, with their tables.
    let source: [String]
    /// The order, or an empty string.
    let order: String

    /// A statement that selects the related rows for which `condition` is true.
    ///
    /// - Parameters:
    ///   - target: The table of the related rows.
    ///   - condition: The condition.
    ///   - additions: Additional columns.
    func select(_ target: EntityTable, _ additions: [String] = [], where condition: String) -> String {
        let columns = target.fetchedColumns.map { "t." + SQL.quoted($0) } + additions
        let ordering = order.isEmpty ? "" : " ORDER BY " + order
        return "SELECT \(columns.joined(separator: ", ")) FROM \(tables) WHERE \(condition)\(ordering)"
    }

    /// The condition for the related rows of the row whose primary key is in the parameters from 1 on.
    var ofOne: String { source.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ") }

    fileprivate static func qualified(_ columns: [String], _ table: String) -> [String] {
        columns.map { table + "." + SQL.quoted($0) }
    }

    /// The same rows, joined with the table of the source if its primary key has a collation, which the foreign key does not
    /// have. The result then has the primary key as the source stores it.
    fileprivate func joined(with table: EntityTable, _ name: String) -> RelatedQuery {
        if table.keyCollations.isEmpty { return self }
        let key = Self.qualified(table.key, "s")
        return RelatedQuery(
            tables: tables + " JOIN \(SQL.quoted(name)) AS s ON \(Self.equal(key, source))",
            source: key, order: order)
    }

    fileprivate static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }
}

extension ToOne {
    /// The SQL that finds the related rows.
    ///
    /// - Parameter name: Returns the current name of a table.
    func rows(names name: (String) -> String) -> RelatedQuery {
        let target = "\(SQL.quoted(name(Target.table.name))) AS t"
        switch storage {
        case .inverse(let columns):
            return RelatedQuery(tables: target, source: RelatedQuery.qualified(columns, "t"), order: "")
                .joined(with: Source.table, name(Source.table.name))
        case .column(let columns, _):
            let key = RelatedQuery.qualified(Target.table.key, "t")
            let condition = RelatedQuery.equal(key, RelatedQuery.qualified(columns, "s"))
            return RelatedQuery(
                tables: "\(SQL.quoted(name(Source.table.name))) AS s JOIN \(target) ON \(condition)",
                source: RelatedQuery.qualified(Source.table.key, "s"), order: "")
        }
    }
}

extension ToMany {
    /// The SQL that finds the related rows.
    ///
    /// - Parameter name: Returns the current name of a table.
    func rows(names name: (String) -> String) -> RelatedQuery {
        let target = "\(SQL.quoted(name(Target.table.name))) AS t"
        let key = RelatedQuery.qualified(Target.table.key, "t")
        switch storage {
        case .inverse(let columns, let position):
            let order = (position.map { ["t.\(SQL.quoted($0)) NULLS LAST"] } ?? []) + key
            return RelatedQuery(
                tables: target, source: RelatedQuery.qualified(columns, "t"),
                order: order.joined(separator: ", ")
            ).joined(with: Source.table, name(Source.table.name))
        case .joinTable(let join, let end):
            let (from, to) = end == .target ? (join.target, join.source) : (join.source, join.target)
            let condition = RelatedQuery.equal(key, RelatedQuery.qualified(to, "j"))
            // A source that refers to the row several times is related to it once.
            let isOnce = join.hasDuplicates && end == .target
            let pairs = SQL.quoted(name(join.name))
            let table = isOnce ? "(SELECT DISTINCT \(SQL.list(from + to)) FROM \(pairs))" : pairs
            let isInverse = join.hasOrderedInverse && end == .target
            let position = "j." + SQL.quoted(isInverse ? Table.inversePosition : Table.position)
            return RelatedQuery(
                tables: "\(table) AS j JOIN \(target) ON \(condition)",
                source: RelatedQuery.qualified(from, "j"),
                order: ((isOnce ? [] : [position + (isInverse ? " NULLS LAST" : "")]) + key).joined(separator: ", ")
            ).joined(with: Source.table, name(Source.table.name))
        }
    }
}
