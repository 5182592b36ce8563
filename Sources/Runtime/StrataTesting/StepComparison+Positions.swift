import SQLSchema
import Strata

/// The comparison of positions in join tables.
extension StepComparison {
    /// Returns the condition that the row at one end of a pair `n` keeps all its pairs in a step, each in its position.
    ///
    /// It keeps them if no pair is dropped or merged, and if no other row is merged into this one.
    ///
    /// - Parameters:
    ///   - table: The expectation of the join table, with references.
    ///   - index: The index of the expectation.
    ///   - isTarget: Whether the row is the target of the pair.
    func hasAllPairs(_ table: TableExpectation, _ index: Int, ofTarget isTarget: Bool) -> String {
        let targets = table.key.count - targetCount(of: table.to)..<table.key.count
        let end = isTarget ? targets : 0..<targets.lowerBound
        let columns = Array(table.key[end])
        // A reference has the old columns of an end whose primary key may change. Those of any other end are the same.
        let old =
            table.references.first { $0.columns == columns }?.oldColumns
            ?? columns.compactMap { if case .column(let name) = table.values[$0] { name } else { nil } }
        let isSame = old.map { "a.\(SQL.quoted($0)) IS o.\(SQL.quoted($0))" }.joined(separator: " AND ")
        let id = old.map { "quote(o.\(SQL.quoted($0)))" }.joined(separator: " || ',' || ")
        let others = [
            "(SELECT count(*) FROM original.\(SQL.quoted(table.from)) AS a WHERE \(isSame)) AS strata_count",
            "\(id) AS strata_end",
        ]
        guard let pairs = expected(table, index, [], others) else { return "1" }
        let keys = end.map { "strata_k\($0)" }.joined(separator: ", ")
        let pair = table.key.indices.map { "quote(strata_k\($0))" }.joined(separator: " || ',' || ")
        let isEqual = isMultiset(table) ? "" : " AND count(DISTINCT \(pair)) = count(*)"
        let complete = """
            SELECT \(keys) FROM (\(pairs)) GROUP BY \(keys) \
            HAVING count(*) = min(strata_count) AND min(strata_end) IS max(strata_end)\(isEqual)
            """
        return "(\(end.map { "n.strata_k\($0)" }.joined(separator: ", "))) IN (\(complete))"
    }
}
