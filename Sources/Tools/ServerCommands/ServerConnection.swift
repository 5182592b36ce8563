import Commands
import Foundation
import SQLSchema

/// An error that a server reports.
struct ServerError: Error, CustomStringConvertible {
    /// The five characters of the error's class (https://www.postgresql.org/docs/15/errcodes-appendix.html).
    let code: String
    let message: String
    let detail: String?

    var description: String { message + (detail.map { " (\($0))" } ?? "") }

    /// Whether the server refuses a value: it does not fit its type, violates a constraint, or exceeds a limit.
    var isRefusal: Bool { ["22", "23", "54"].contains(code.prefix(2)) }
}

/// A connection to a PostgreSQL server. Only the thread that created it uses it.
final class ServerConnection {
    private let library: ServerLibrary
    private let handle: OpaquePointer

    /// Connects to a database. No error contains a password of the address.
    ///
    /// - Parameter address: Its address: `postgresql://user@host/database`.
    /// - Throws: `CommandError` if the library is missing, or if the database cannot be reached.
    init(to address: String) throws {
        guard let library = ServerLibrary.shared else {
            throw CommandError.message(
                "error: libpq is missing, the client library of PostgreSQL; install libpq5 (Debian) or libpq (Homebrew)"
            )
        }
        // libpq would take a part of such a password for the host.
        let isClear = address.wholeMatch(of: /postgres(ql)?:\/\/([^@\/?#]*@)?[^@]*/) != nil
        guard isClear, var passwords = library.passwords(in: address) else {
            throw CommandError.message(
                "error: this is not an address like postgresql://USER@HOST/DATABASE. Write @ as %40, / as %2F and % as %25 in a "
                    + "password, or give it in PGPASSWORD or ~/.pgpass")
        }
        if let password = ProcessInfo.processInfo.environment["PGPASSWORD"] { passwords.append(password) }
        self.library = library
        guard let handle = library.connect(address) else {
            throw CommandError.message("error: libpq has no memory left")
        }
        self.handle = handle
        guard library.status(handle) == 0 else {
            var message = Self.text(library.errorMessage(handle))
            for password in passwords where !password.isEmpty {
                message = message.replacingOccurrences(of: password, with: "…")
            }
            throw CommandError.message("error: the server cannot be reached: \(message)")
        }
        _ = library.setNoticeProcessor(handle, { _, _ in }, nil)
        do {
            // Settings of the role or the environment could change how values are written, and policies could hide rows.
            try execute(
                """
                SET client_encoding = 'UTF8'; SET standard_conforming_strings = on; SET bytea_output = 'hex';
                SET extra_float_digits = 1; SET DateStyle = 'ISO'; SET TimeZone = 'UTC'; SET row_security = off
                """)
            let encoding = try value("SHOW server_encoding") ?? ""
            guard encoding == "UTF8" else {
                throw CommandError.message(
                    "error: the database has the encoding \(encoding); create one with ENCODING 'UTF8'")
            }
        } catch let error as ServerError {
            throw CommandError.message("error: \(error)")
        }
    }

    deinit { library.finish(handle) }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        (pointer.map { String(cString: $0) } ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    // MARK: Statements

    /// Runs statements.
    func execute(_ sql: String) throws(ServerError) { library.clear(try result(library.execute(handle, sql))) }

    /// Runs a statement, and returns its rows. Each value is a text; nil is NULL.
    func rows(_ sql: String, _ parameters: [String?] = []) throws(ServerError) -> [[String?]] {
        let copies = parameters.map { $0.flatMap { strdup($0) } }
        defer { for copy in copies { free(copy) } }
        let values = copies.map { UnsafePointer($0) }
        let result = try result(
            library.executeWithParameters(handle, sql, Int32(values.count), nil, values, nil, nil, 0))
        defer { library.clear(result) }
        let columns = library.columnCount(result)
        return (0..<library.rowCount(result)).map { row in
            (0..<columns).map { column in
                library.isNull(result, row, column) == 1
                    ? nil : library.value(result, row, column).map { String(cString: $0) }
            }
        }
    }

    /// Runs a statement, and returns the first value of its first row.
    func value(_ sql: String, _ parameters: [String?] = []) throws(ServerError) -> String? {
        try rows(sql, parameters).first?.first ?? nil
    }

    /// Runs a body in one transaction.
    func transaction<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("BEGIN")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            try? execute("ROLLBACK")
            throw error
        }
    }

    private func result(_ result: OpaquePointer?) throws(ServerError) -> OpaquePointer {
        guard let result else {
            throw ServerError(code: "08006", message: Self.text(library.errorMessage(handle)), detail: nil)
        }
        // PGRES_EMPTY_QUERY to PGRES_COPY_IN.
        if (0...4).contains(library.resultStatus(result)) { return result }
        defer { library.clear(result) }
        func field(_ name: Character) -> String? {
            library.resultField(result, Int32(name.asciiValue ?? 0)).map { String(cString: $0) }
        }
        throw ServerError(
            code: field("C") ?? "08006", message: field("M") ?? Self.text(library.errorMessage(handle)),
            detail: field("D") ?? (field("W")?.hasPrefix("COPY") == true ? field("W") : nil))
    }

    // MARK: COPY

    /// Begins `COPY … FROM STDIN`.
    func beginCopy(_ sql: String) throws(ServerError) { library.clear(try result(library.execute(handle, sql))) }

    /// Sends a part of the data.
    func send(_ bytes: [UInt8]) throws(ServerError) {
        let sent = bytes.withUnsafeBytes { buffer in
            buffer.baseAddress.map {
                library.putCopyData(handle, $0.assumingMemoryBound(to: CChar.self), Int32(buffer.count))
            } ?? 1
        }
        guard sent == 1 else { throw ServerError(code: "08006", message: failure, detail: nil) }
    }

    /// Ends the copy.
    func endCopy() throws(ServerError) {
        guard library.putCopyEnd(handle, nil) == 1 else {
            throw ServerError(code: "08006", message: failure, detail: nil)
        }
        try finishCopy()
    }

    /// Ends the copy after an error, which rolls its rows back.
    func cancelCopy() {
        _ = library.putCopyEnd(handle, "cancelled")
        try? finishCopy()
    }

    private var failure: String { Self.text(library.errorMessage(handle)) }

    private func finishCopy() throws(ServerError) {
        var first: ServerError?
        while let next = library.nextResult(handle) {
            do { library.clear(try result(next)) } catch { first = first ?? error }
        }
        if let first { throw first }
    }

    /// Reads the rows of `COPY … TO STDOUT`. Calls `body` with the bytes of each row.
    func copy(from sql: String, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
        library.clear(try result(library.execute(handle, sql)))
        var problem: (any Error)?
        var buffer: UnsafeMutablePointer<CChar>?
        while true {
            let count = library.getCopyData(handle, &buffer, 0)
            if count < 0 { break }
            if let start = buffer, problem == nil {
                do {
                    try start.withMemoryRebound(to: UInt8.self, capacity: Int(count)) {
                        try body(UnsafeBufferPointer(start: $0, count: Int(count)))
                    }
                } catch { problem = error }
            }
            library.free(buffer)
        }
        try finishCopy()
        if let problem { throw problem }
    }
}
