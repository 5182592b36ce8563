import Foundation
import SQLSchema
import Strata
import Testing

/// Rows that the struct of their version cannot hold, in a custom migration.
@Suite struct MalformedRowTests {
    private static let tables = [
        Table("s", ["id integer key", "v text"]),
        Table("t", ["id integer key", "s_id integer? -> s(id) nullify"]),
    ]
    /// The second text is not UTF-8.
    private static let content = """
        INSERT INTO s VALUES (1, 'one'), (2, CAST(x'74ff776f' AS TEXT)), (3, 'three');
        INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)
        """

    private static let code: @Sendable (CustomStep) throws -> Void = { step in
        try step.migrate(ValuedRow<Int>.self) { old, _ in
            Outcome<ValuedRow<Int>>.keep(ValuedRow(id: old.id, v: old.v + "!"))
        }
        try step.followKeys()
    }

    @Test func `a row that cannot be read makes a migration fail, and names the column`() throws {
        let error = #expect(throws: MalformedValue.self) {
            try withStore(Self.tables, rows: Self.content, code: Self.code, check: { (_: URL) throws in })
        }
        #expect(error?.description == "the value in s.v is not UTF-8")
    }

    @Test(arguments: [StoreOptions.MigrationMode.oneTransaction, .resumable])
    func `a row that cannot be read is set aside with its bytes`(mode: StoreOptions.MigrationMode) throws {
        var options = StoreOptions()
        options.malformedRows = .setAside
        options.migration = mode
        let isResumable = mode == .resumable
        var report: MigrationReport?
        try withStore(
            Self.tables, rows: Self.content, code: isResumable ? nil : Self.code,
            rowCode: isResumable ? Self.code : nil,
            options: options,
            check: { (url: URL) throws in
                #expect(
                    try rows(url, "SELECT id, v FROM s ORDER BY id") == [
                        [.integer(1), .text("one!")], [.integer(3), .text("three!")],
                    ])
                #expect(try rows(url, "SELECT s_id FROM t ORDER BY id") == [[.integer(1)], [.null], [.integer(3)]])
                let kept = try rows(
                    url,
                    "SELECT version, \"table\", \"row\", \"column\", hex(value), typeof(value) FROM strata_set_aside ORDER BY id"
                )
                #expect(
                    kept == [
                        [.text("1"), .text("s"), .integer(1), .text("id"), .text("32"), .text("integer")],
                        [.text("1"), .text("s"), .integer(1), .text("v"), .text("74FF776F"), .text("text")],
                    ])
            }, opened: { report = $0.migrationReport })
        #expect(report?.setAsideRows == ["s": 1] && report?.droppedRows == [:])
    }
}
