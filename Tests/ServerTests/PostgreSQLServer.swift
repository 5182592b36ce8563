import Foundation
import PostgreSQL
import Testing

@testable import ServerCommands

/// A PostgreSQL server that the tests start on a free port, in a temporary folder, and stop at the end.
final class PostgreSQLServer: @unchecked Sendable {
    private let folder: URL
    private let programs: String
    private let port: Int
    private let lock = NSLock()
    private var count = 0
    /// The databases that no test uses.
    private var databases: [String] = []

    /// The server; nil if PostgreSQL is not installed.
    static let shared: PostgreSQLServer? = try? PostgreSQLServer()

    /// Whether PostgreSQL is installed.
    static var isInstalled: Bool { programFolder != nil }

    /// The folder with `initdb`.
    private static let programFolder: String? = {
        let debian = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
        let folders =
            debian.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "/usr/lib/postgresql/\($0)/bin" }
            + ["/opt/homebrew/opt/postgresql@15/bin", "/opt/homebrew/bin", "/usr/local/bin"]
        return folders.first { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }
    }()

    private init() throws {
        programs = try #require(Self.programFolder)
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        port = try Self.freePort()
        if geteuid() == 0 { _ = try Self.run("chown", ["postgres", folder.path]) }
        try asOwner("initdb", ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "-N"])
        let settings = "-p \(port) -k \(folder.path) -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=50"
        try asOwner("pg_ctl", ["-D", data, "-w", "-l", folder.path + "/log", "-o", settings, "start"])
        atexit { PostgreSQLServer.shared?.stop() }
    }

    private var data: String { folder.path + "/data" }

    private func stop() {
        try? asOwner("pg_ctl", ["-D", data, "-m", "immediate", "stop"])
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a program of PostgreSQL. The superuser of the system may not run a server.
    private func asOwner(_ program: String, _ arguments: [String]) throws {
        let command = [programs + "/" + program] + arguments
        let all = geteuid() == 0 ? ["runuser", "-u", "postgres", "--"] + command : command
        // `Process` waits until its pipes are closed, and the server would inherit them.
        var texts = all.map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var process = pid_t()
        var status: Int32 = -1
        guard posix_spawnp(&process, all[0], nil, nil, &texts, environ) == 0, waitpid(process, &status, 0) == process,
            status == 0
        else { throw CocoaError(.executableLoad) }
    }

    private static func freePort() throws -> Int {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard bind(descriptor, address, size) == 0, getsockname(descriptor, address, &size) == 0 else {
                    return nil
                }
                return pointer.pointee.sin_port.bigEndian
            }
        }
        return Int(try #require(port))
    }

    /// Runs a program, and returns its exit code and output.
    static func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    // MARK: Databases

    /// Returns the address of a database.
    func url(_ database: String) -> String { "postgresql://postgres@127.0.0.1:\(port)/\(database)" }

    /// Runs a body with the address of an empty database. The creation of one takes half a second, so databases are emptied
    /// and used again.
    func withDatabase<Result>(_ body: (String) throws -> Result) throws -> Result {
        let free = lock.withLock {
            if !databases.isEmpty { return databases.removeLast() }
            count += 1
            return "test_\(count)"
        }
        let server = try ServerConnection(to: url("postgres"))
        if try server.value("SELECT true FROM pg_database WHERE datname = $1", [free]) == nil {
            try server.execute("CREATE DATABASE \(free)")
        }
        _ = try server.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1", [free])
        let connection = try ServerConnection(to: url(free))
        let schemas = try connection.rows(
            "SELECT quote_ident(nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
        )
        for schema in schemas { try connection.execute("DROP SCHEMA \(schema[0] ?? "") CASCADE") }
        try connection.execute("CREATE SCHEMA public; GRANT ALL ON SCHEMA public TO PUBLIC")
        defer { lock.withLock { databases.append(free) } }
        return try body(url(free))
    }

    /// Runs files with `psql`, in one session.
    ///
    /// - Parameter stops: Whether `psql` stops at the first error.
    func psql(_ files: [URL], at url: String, stops: Bool = true) throws -> (status: Int32, output: String) {
        try Self.run(
            programs + "/psql",
            ["-X", "-q", "-v", "ON_ERROR_STOP=\(stops ? 1 : 0)", "-d", url] + files.flatMap { ["-f", $0.path] })
    }

    /// Runs files with `psql`, and expects that all succeed.
    func run(_ files: [ServerFile], at url: String) throws {
        try withFolder { folder in
            let urls = try files.enumerated().map { place, file in
                let url = folder.appendingPathComponent("\(place)-\(file.name)")
                try Data(file.text.utf8).write(to: url)
                return url
            }
            let result = try psql(urls, at: url)
            #expect(result.status == 0, "\(result.output.suffix(2000))")
        }
    }

    /// Returns the definitions of a database, as `pg_dump` writes them. The columns of each table are sorted, because added ones
    /// come last.
    func dump(_ url: String) throws -> String {
        let result = try Self.run(programs + "/pg_dump", ["-s", "-d", url])
        #expect(result.status == 0)
        var lines: [String] = []
        var columns: [String]?
        for line in result.output.split(separator: "\n").map(String.init) {
            // Each dump has another key.
            if line.hasPrefix("\\restrict") || line.hasPrefix("\\unrestrict") || line.hasPrefix("--") { continue }
            if line.hasPrefix("CREATE TABLE") { columns = [] }
            if columns != nil, line.hasPrefix("    ") {
                columns?.append(line.hasSuffix(",") ? String(line.dropLast()) : line)
                continue
            }
            if let sorted = columns?.sorted(), line == ");" {
                lines += sorted
                columns = nil
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
