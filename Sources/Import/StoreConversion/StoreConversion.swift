import Foundation
import SQLSchema
import Strata

/// Converts a database of another library to a store.
///
/// The rows are copied in short transactions, each of which keeps the state after it (`ConversionState`). An interrupted
/// conversion goes on after the last of them.
struct StoreConversion {
    let schema: SchemaDefinition
    let format: ImportedFormat
    let source: Connection
    /// The folder in which Core Data stores large values.
    let files: URL?
    let options: ConversionOptions
    /// The file of the database.
    let file: ConvertedFile
    let draft: ConversionDraft
    private let index: ImportedFormatLookup
    private let monitor: ConversionMonitor

    init(
        schema: SchemaDefinition, format: ImportedFormat, source: Connection, files: URL?, options: ConversionOptions,
        file: ConvertedFile, draft: ConversionDraft
    ) {
        self.file = file
        self.draft = draft
        self.schema = schema
        self.format = format
        self.source = source
        self.files = files
        self.options = options
        index = ImportedFormatLookup(format)
        monitor = ConversionMonitor(options)
    }

    /// A version that the database may have, and the origin of its rows.
    private struct Candidate {
        let versionIndex: Int
        let version: SchemaVersion
        let match: VersionMatch
    }

    /// Writes the store into the draft.
    func run() throws -> ConversionReport {
        let reader: any ConversionSource =
            switch format.library {
            case .coreData, .swiftData, .coreStore: try CoreDataSource(reading: source, index)
            case .lucid: try LucidSource(reading: source, index)
            case .room, .drift, .sqlite, .sql: try TableSource(reading: source, index)
            }
        // Values do not differ between the candidates, so the newest one that accepts all rows is as good as any other.
        var candidates = Array(try candidates(reader).reversed())
        // The interrupted conversion has found rows that do not fit the candidates before its own.
        if let candidateIndex = candidates.firstIndex(where: { plan(of: $0) == draft.plan }) {
            candidates.insert(candidates.remove(at: candidateIndex), at: 0)
        }
        var best: (candidate: Candidate, report: ConversionReport)?
        var tried: [Candidate] = []
        for candidate in candidates {
            // Versions with equal tables produce the same store.
            if tried.contains(where: { $0.version.tables == candidate.version.tables }) { continue }
            tried.append(candidate)
            let report = try convert(candidate, reader)
            if report.invalidRowCount == 0 || candidates.count == 1 { return try accepted(report) }
            if best.map({ report.lostCount < $0.report.lostCount }) ?? true { best = (candidate, report) }
        }
        guard let best else { throw ConversionError.unknownVersion([]) }
        // The new database contains the result of the last attempt.
        if best.candidate.versionIndex == tried.last?.versionIndex { return try accepted(best.report) }
        return try accepted(try convert(best.candidate, reader))
    }

    /// Returns the report, if it does not refuse the database.
    ///
    /// - Throws: `ConversionError.invalidRows` if it does.
    private func accepted(_ report: ConversionReport) throws -> ConversionReport {
        if report.isRefused { throw ConversionError.invalidRows(report) }
        return report
    }

    private func convert(_ candidate: Candidate, _ reader: any ConversionSource) throws -> ConversionReport {
        let (connection, found) = try draft.open(candidate.version, plan: plan(of: candidate))
        let tables = candidate.match.tables
        let state = try found ?? ConversionState(report(of: candidate))
        try monitor.begin(tables, in: source, completed: state.completedRows)
        try connection.execute("PRAGMA foreign_keys = OFF")
        let rows = SetAsideRows(
            connection, candidate.version, policies: index.invalidRows(at: candidate.versionIndex),
            otherwise: options.invalidRows)
        for table in tables { rows.sourceValues[table.table.name] = TableCopy.sourceValues(of: table, in: source) }
        let batches = ConversionBatches(
            state, from: source, file, into: connection, draft, rows, monitor, files: files)
        for table in tables.dropFirst(state.tables) {
            let forms = table.table.columnNames.map {
                index.form(of: $0, in: table.table.name, at: candidate.versionIndex)
            }
            try batches.copy(table, forms: forms, lastKey: reader.lastKey(of: table.table))
        }
        try batches.finish()
        monitor.end()
        return batches.state.report
    }

    /// The report before the first row, with the data that no version has.
    private func report(of candidate: Candidate) throws -> ConversionReport {
        var report = ConversionReport(version: candidate.version.name)
        for name in candidate.match.extra {
            // A table or a column is not a row, so it cannot be set aside.
            report.add(
                .init(
                    table: name, reason: "\(candidate.version.name) does not have it",
                    outcome: options.invalidRows == .drop ? .dropped : .refused))
        }
        for left in candidate.match.left {
            let count = try source.integer(left.count) ?? 0
            if count > 0 { report.left.append(.init(name: left.name, reason: left.reason.rawValue, values: count)) }
        }
        return report
    }

    /// Everything that the rows of the store depend on, as text. A conversion continues a draft only if the text is the same.
    private func plan(of candidate: Candidate) -> String {
        let policies = index.invalidRows(at: candidate.versionIndex)
        let tables = candidate.match.tables.map { table in
            let forms = table.table.columnNames.map { name in
                index.form(of: name, in: table.table.name, at: candidate.versionIndex).map { "\($0)" } ?? ""
            }
            return [table.query(["*"], of: .init()), table.strays ?? "", Self.text(of: policies[table.table.name])]
                + forms
        }
        let parts = [
            file.identity, candidate.version.name, candidate.version.statements.joined(), options.invalidRows.rawValue,
        ]
        return (parts + tables.flatMap(\.self) + candidate.match.extra).joined(separator: "\n")
    }

    private static func text(of policy: ImportedInvalidRows.Policy?) -> String {
        guard case .fill(let values) = policy else { return policy.map { "\($0)" } ?? "" }
        return values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
    }

    // MARK: Versions

    /// Returns the versions that the database may have, oldest first.
    ///
    /// The database has all tables and columns of these versions. It has no other tables and columns, unless you named
    /// the version.
    private func candidates(_ reader: any ConversionSource) throws -> [Candidate] {
        let versions = schema.versions
        if let name = options.version {
            let wanted = versions.indices.filter {
                versions[$0].name == name || format.formerNames[versions[$0].name] == name
            }
            if wanted.isEmpty { throw ConversionError.noVersion(name) }
            return try candidates(reader, among: wanted)
        }
        let numbers = versions.map { format.userVersion(of: $0.name) }
        guard let number = reader.userVersion, numbers.contains(where: { $0 != nil }) else {
            return try candidates(reader, among: Array(versions.indices))
        }
        let wanted = versions.indices.filter { numbers[$0] == number }
        if wanted.isEmpty { throw ConversionError.noVersion(String(number)) }
        do {
            return try candidates(reader, among: wanted)
        } catch ConversionError.unknownVersion(let mismatches) {
            let others = try versions.indices.filter { index in
                let match = try reader.match(versions[index], at: index, exactly: true)
                return match.missing.isEmpty && match.extra.isEmpty
            }
            if others.isEmpty { throw ConversionError.unknownVersion(mismatches) }
            throw ConversionError.contradictoryVersion(
                userVersion: number, of: wanted.map { versions[$0].name }, tablesOf: others.map { versions[$0].name })
        }
    }

    private func candidates(_ reader: any ConversionSource, among wanted: [Int]) throws -> [Candidate] {
        let versions = schema.versions
        let identified = options.version == nil ? reader.identified(among: wanted) : wanted
        if identified.isEmpty { throw ConversionError.unknownHashes }
        var mismatches: [VersionMismatch] = []
        // If you changed the type of a property after the import, its column still has the type that the import found.
        for isExact in [true, false] {
            var found: [Candidate] = []
            mismatches = []
            for versionIndex in identified {
                let match = try reader.match(versions[versionIndex], at: versionIndex, exactly: isExact)
                let isComplete = match.missing.isEmpty && (match.extra.isEmpty || options.version != nil)
                if isComplete {
                    found.append(Candidate(versionIndex: versionIndex, version: versions[versionIndex], match: match))
                } else {
                    mismatches.append(
                        VersionMismatch(
                            version: versions[versionIndex].name, missing: match.missing, extra: match.extra))
                }
            }
            if found.isEmpty { continue }
            let used = try usedTables(found)
            for (older, newer) in zip(found, found.dropFirst())
            where !keepsValues(from: older.versionIndex, to: newer.versionIndex, in: used) {
                throw ConversionError.ambiguousVersion(found.map(\.version.name))
            }
            return found
        }
        throw ConversionError.unknownVersion(mismatches)
    }

    /// Returns the tables of the store that get rows in one of the candidates.
    private func usedTables(_ candidates: [Candidate]) throws -> Set<String> {
        if candidates.count < 2 { return [] }
        return Set(
            try candidates.flatMap { candidate in
                try candidate.match.tables.filter { table in
                    try source.integer("SELECT EXISTS (SELECT 1 FROM \(table.from))") == 1
                }.map(\.table.name)
            })
    }

    /// Returns whether the steps between two versions leave all values in these tables unchanged, so that a store of the older
    /// version is also a valid store of the newer version.
    private func keepsValues(from older: Int, to newer: Int, in used: Set<String>) -> Bool {
        if used.isEmpty { return true }
        guard index.readsAlike(older, newer, in: used) else { return false }
        let versions = schema.versions
        let names = versions[older..<newer].map(\.name)
        func columns(_ table: String, _ version: String) -> Set<String>? {
            let tables = versions.first { $0.name == version }?.tables
            return (tables?.first { $0.name == table }?.columnNames).map { Set($0) }
        }
        return schema.steps.filter { names.contains($0.from) }.allSatisfy { step in
            !step.isCustom
                && step.changes.allSatisfy { change in
                    if case .map(let from, _, _, _) = change, !used.contains(from) { return true }
                    guard case .map(let from, let to, let values, []) = change, from == to,
                        columns(from, step.from) == columns(to, step.to)
                    else { return false }
                    return values.allSatisfy { name, value in
                        switch value {
                        case .column(name), .coalesce(.column(name), _): true
                        default: false
                        }
                    }
                }
        }
    }
}
