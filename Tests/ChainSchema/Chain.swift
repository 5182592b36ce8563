import SQLSchema
import Strata

/// Ten versions of one table. Each step renames a column, and every third step also changes its values.
package enum Chain: Schema {
    package static let name = "ChainSchema"
    package static let fingerprint: UInt64 = 110
    package static let imported: ImportedFormat? = ImportedFormat(.sqlite)
    package static let versions = (1...10).map { number in
        SchemaVersion(
            "\(number)", fingerprint: 100 + UInt64(number),
            tables: [
                Table("t", ["id integer key", "a text", "c\(number) integer?"])
            ])
    }
    package static let steps = (1..<10).map { number in
        var columns: [String: ValueExpression] = ["c\(number + 1)": .column("c\(number)")]
        if number % 3 == 0 {
            columns["c\(number + 1)"] = .changed(.column("c\(number)"), .options(cleared: number))
        }
        return MigrationStep(
            from: "\(number)", to: "\(number + 1)", changes: [.map(from: "t", to: "t", columns: columns)])
    }
}

/// The same schema in an app that has only its first version.
package enum OldChain: Schema {
    package static let name = Chain.name
    package static let fingerprint: UInt64 = 101
    package static let versions = Array(Chain.versions.prefix(1))
    package static let steps: [MigrationStep] = []
}
