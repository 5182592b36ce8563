import SQLSchema

/// A table that names pairs of rows.
struct JoinTable: Sendable {
    let name: String
    /// The columns of the source's key.
    let source: [String]
    /// The columns of the target's key.
    let target: [String]
}

/// Which end of a join table a row is.
enum JoinEnd: Sendable {
    case source, target
    /// Either: a pair stands in it both ways.
    case both
}

/// The way from rows of one entity to the row that they point at.
public struct ToOne<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the source.
        ///
        /// - `isSymmetric`: whether the target points back by the same columns.
        case column([String], isSymmetric: Bool)
        /// The unique foreign key columns of the target.
        case inverse([String])
    }

    let storage: Storage

    /// The row whose key is in the columns `column` of the source's table.
    public init(column: [String], symmetric isSymmetric: Bool = false) {
        storage = .column(column, isSymmetric: isSymmetric)
    }

    /// The row whose foreign key `inverse` holds the source's key.
    public init(inverse: [String]) {
        storage = .inverse(inverse)
    }
}

/// The way from rows of one entity to the rows that they point at, in order.
public struct ToMany<Source: StoredEntity, Target: StoredEntity>: Sendable {
    enum Storage: Sendable {
        /// The foreign key columns of the target, and the column of the order if there is one.
        case inverse([String], position: String?)
        /// A join table, and which end of it the source is.
        case joinTable(JoinTable, JoinEnd)
    }

    let storage: Storage

    /// The rows whose foreign key `inverse` holds the source's key, by `position` if there is one and by key.
    public init(inverse: [String], position: String? = nil) {
        storage = .inverse(inverse, position: position)
    }

    /// The rows that a join table names, which has the keys of both ends in the columns `source` and `target`.
    public init(
        joinTable: String, source: [String] = ["source_id"], target: [String] = ["target_id"],
        reversed isReversed: Bool = false, symmetric isSymmetric: Bool = false
    ) {
        storage = .joinTable(
            JoinTable(name: joinTable, source: source, target: target),
            isReversed ? .target : isSymmetric ? .both : .source)
    }
}

/// Where the rows stand that others point at: they are called `t`.
struct RelatedRows {
    /// The tables.
    let tables: String
    /// The columns that hold the key of the row that points, with their tables.
    let source: [String]
    /// The order of the rows, or nothing.
    let order: String

    /// A statement that gives the columns of `target` of the rows for which `condition` holds.
    ///
    /// - `additions`: further columns.
    func select(_ target: EntityTable, _ additions: [String] = [], where condition: String) -> String {
        let columns = target.columns.map { "t." + SQL.quoted($0) } + additions
        return "SELECT \(columns.joined(separator: ", ")) FROM \(tables) WHERE \(condition)\(order)"
    }

    /// A condition for the rows that the row points at whose key is the parameters from 1 on.
    var ofOne: String { source.enumerated().map { "\($1) = ?\($0 + 1)" }.joined(separator: " AND ") }

    /// A condition for the rows that so many rows point at, whose keys are the parameters.
    func ofMany(_ count: Int) -> String {
        let key = source.count == 1 ? "?" : "(" + source.map { _ in "?" }.joined(separator: ", ") + ")"
        let keys = [String](repeating: key, count: count).joined(separator: ", ")
        let columns = source.joined(separator: ", ")
        return source.count == 1 ? "\(columns) IN (\(keys))" : "(\(columns)) IN (VALUES \(keys))"
    }

    fileprivate static func qualified(_ columns: [String], _ table: String) -> [String] {
        columns.map { table + "." + SQL.quoted($0) }
    }

    /// The same rows, joined with the rows that point at them if the key of these has a collation: the foreign key does
    /// not have it. The rows are then found by the key, and are given with the key as it is stored.
    fileprivate func joined(with table: EntityTable, _ name: String) -> RelatedRows {
        if table.keyCollations.isEmpty { return self }
        let key = Self.qualified(table.key, "s")
        return RelatedRows(
            tables: tables + " JOIN \(SQL.quoted(name)) AS s ON \(Self.equal(key, source))",
            source: key, order: order)
    }

    fileprivate static func equal(_ left: [String], _ right: [String]) -> String {
        zip(left, right).map { "\($0) = \($1)" }.joined(separator: " AND ")
    }
}

extension ToOne {
    /// Where the related rows stand; `name` tells what a table is called.
    func rows(names name: (String) -> String) -> RelatedRows {
        let target = "\(SQL.quoted(name(Target.table.name))) AS t"
        switch storage {
        case .inverse(let columns):
            return RelatedRows(tables: target, source: RelatedRows.qualified(columns, "t"), order: "")
                .joined(with: Source.table, name(Source.table.name))
        case .column(let columns, _):
            let key = RelatedRows.qualified(Target.table.key, "t")
            let condition = RelatedRows.equal(key, RelatedRows.qualified(columns, "s"))
            return RelatedRows(
                tables: "\(SQL.quoted(name(Source.table.name))) AS s JOIN \(target) ON \(condition)",
                source: RelatedRows.qualified(Source.table.key, "s"), order: "")
        }
    }
}

extension ToMany {
    /// Where the related rows stand; `name` tells what a table is called.
    func rows(names name: (String) -> String) -> RelatedRows {
        let target = "\(SQL.quoted(name(Target.table.name))) AS t"
        let key = RelatedRows.qualified(Target.table.key, "t")
        switch storage {
        case .inverse(let columns, let position):
            let order = (position.map { ["t.\(SQL.quoted($0)) NULLS LAST"] } ?? []) + key
            return RelatedRows(
                tables: target, source: RelatedRows.qualified(columns, "t"),
                order: " ORDER BY " + order.joined(separator: ", ")
            ).joined(with: Source.table, name(Source.table.name))
        case .joinTable(let join, let end):
            let (from, to) = end == .target ? (join.target, join.source) : (join.source, join.target)
            let condition = RelatedRows.equal(key, RelatedRows.qualified(to, "j"))
            return RelatedRows(
                tables: "\(SQL.quoted(name(join.name))) AS j JOIN \(target) ON \(condition)",
                source: RelatedRows.qualified(from, "j"),
                order: " ORDER BY " + (["j.\"position\""] + key).joined(separator: ", ")
            ).joined(with: Source.table, name(Source.table.name))
        }
    }
}
