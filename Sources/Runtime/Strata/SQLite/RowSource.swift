/// A source of column values other than the current row of a statement, or in another order.
@usableFromInline class RowSource {
    /// The names of the columns.
    let names: [String]

    init(_ names: [String]) { self.names = names }

    /// Returns the value of a column; nil for an index that no column has.
    @usableFromInline func cell(_ index: Int) -> OpaquePointer? { nil }
}
