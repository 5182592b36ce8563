import CSQLite

/// A value that a query can select: a value of one or several columns, a complete row, or an optional one.
public protocol Selectable: Equatable {
    /// The number of columns.
    static var columnCount: Int { get }
    /// Reads the value from a row.
    ///
    /// - Parameters:
    ///   - row: The row.
    ///   - index: The index of the first column, counted from 0.
    /// - Throws: `MalformedValue` if the stored value has another type.
    init(row: Row, at index: Int) throws
    /// Returns whether the columns from `index` on have no value.
    static func isMissing(in row: Row, at index: Int) -> Bool
}

extension Optional: Selectable where Wrapped: Selectable {
    /// The number of columns of the value.
    @inlinable public static var columnCount: Int { Wrapped.columnCount }

    /// Reads the value; nil if there is none.
    @inlinable public init(row: Row, at index: Int) throws {
        self = Wrapped.isMissing(in: row, at: index) ? nil : try Wrapped(row: row, at: index)
    }

    /// Returns whether there is no value.
    @inlinable public static func isMissing(in row: Row, at index: Int) -> Bool {
        Wrapped.isMissing(in: row, at: index)
    }
}

extension ColumnStorable {
    /// Returns whether a column is NULL. A key with several columns is missing if one of them is NULL: such a foreign key
    /// references no row (https://sqlite.org/foreignkeys.html#fk_composite).
    @inlinable public static func isMissing(in row: Row, at index: Int) -> Bool {
        let count = columnCount
        return count == 1 ? row.isNull(index) : (index..<index + count).contains { row.isNull($0) }
    }
}

extension StoredEntity {
    /// The number of the table's columns.
    public static var columnCount: Int { table.fetchedColumns.count }

    /// Reads a complete row from the columns of a query.
    public init(row: Row, at index: Int) throws {
        if index == 0 {
            self = try Self.read(row)
        } else {
            let columns = ColumnRange(row, from: index, Self.table.fetchedColumns)
            self = try withExtendedLifetime(columns) { try Self.read(Row(nil, Unmanaged.passUnretained(columns))) }
        }
    }

    /// Returns whether there is no row. A primary key is never NULL.
    public static func isMissing(in row: Row, at index: Int) -> Bool {
        row.isNull(index + (table.fetchedColumns.firstIndex(of: table.key[0]) ?? 0))
    }
}

/// The columns of a row from an index on.
private final class ColumnRange: RowSource {
    private let row: Row
    private let first: Int

    init(_ row: Row, from first: Int, _ names: [String]) {
        (self.row, self.first) = (row, first)
        super.init(names)
    }

    override func cell(_ index: Int) -> OpaquePointer? {
        names.indices.contains(index) ? row.cell(first + index) : nil
    }
}
