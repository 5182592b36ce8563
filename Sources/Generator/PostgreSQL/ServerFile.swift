/// A file of SQL for a server.
package struct ServerFile: Hashable, Sendable {
    /// The name of the file: `1-online.sql`.
    package let name: String
    /// The comment at the beginning.
    private let comment: String
    /// The statements of each transaction, without semicolons.
    private let transactions: [[String]]
    /// Whether the only statement cannot be a part of a transaction.
    private let isSingle: Bool

    /// The limits of the time for which a statement waits for a lock, and runs.
    enum Limit: String {
        /// Others wait while the statements run.
        case brief = "10s"
        /// The statements read or write all rows.
        case none = "0"

        var settings: [String] {
            ["SET LOCAL lock_timeout = '200ms'", "SET LOCAL statement_timeout = '\(rawValue)'"]
        }
    }

    /// Creates a file whose statements run in transactions.
    init(_ name: String, _ comment: String, _ transactions: [[String]]) {
        (self.name, self.comment, self.transactions, isSingle) = (name, comment, transactions, false)
    }

    /// Creates a file with one statement that cannot be a part of a transaction.
    init(_ name: String, _ comment: String, single statement: String) {
        (self.name, self.comment, transactions, isSingle) = (name, comment, [[statement]], true)
    }

    /// The complete text. The file begins and ends its transactions itself.
    package var text: String {
        comment
            + (isSingle ? transactions : transactions.map { ["BEGIN"] + $0 + ["COMMIT"] }).map(Self.text).joined(
                separator: "\n")
    }

    /// The text for a program that begins and ends the transaction itself; nil if one transaction is not enough.
    package var textWithoutTransaction: String? {
        transactions.count == 1 && !isSingle ? comment + Self.text(transactions[0]) : nil
    }

    private static func text(_ statements: [String]) -> String {
        statements.map { $0.hasSuffix(";\n") ? $0 : $0 + ";\n" }.joined()
    }
}
