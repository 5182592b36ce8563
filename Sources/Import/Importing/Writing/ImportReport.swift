import JSONText
import SchemaDiff
import SchemaModel
import SQLSchema

/// The report of an import, for your review: `IMPORT.md`.
struct ImportReport {
    /// The notes about things that were not carried over, one line each.
    let losses: [Line]
    /// The notes about things that may have been renamed.
    let undecided: [Line]
    /// The notes about changes of values that the model does not show.
    private let marked: [Line]
    /// The notes about things that descriptions cannot have.
    private let missing: [Line]
    private let history: SchemaHistory
    private let format: ModelImport.Format
    private let firstVersion: Version?
    private let settings: JSONOutput?

    /// A finding, the elements that it is about, and the versions that it applies to.
    struct Line {
        var finding: ImportFinding
        var subjects: [String]
        var versions: [Int]
    }

    /// Creates a report from the notes of an import.
    ///
    /// - Parameters:
    ///   - notes: The notes, with the positions of their versions among the imported versions.
    ///   - history: The history of the complete model.
    ///   - format: The library that the model comes from.
    ///   - firstVersion: The first version to report; nil to report all versions.
    ///   - offset: The difference between the position of a version in the history and in the notes.
    ///   - settings: `strata.json` if the import wrote it; nil if versions were added to it.
    init(
        notes: [ImportNote], history: SchemaHistory, format: ModelImport.Format, firstVersion: Version? = nil,
        offset: Int = 0, settings: JSONOutput? = nil
    ) {
        self.settings = settings
        self.history = history
        self.format = format
        self.firstVersion = firstVersion
        let notes = notes.map { note in
            var note = note
            note.version += offset
            return note
        }
        losses = Self.lines(notes.filter { $0.finding.section == .notCarriedOver })
        undecided = Self.lines(notes.filter { $0.finding.section == .undecided })
        marked = Self.lines(notes.filter { $0.finding.section == .marked })
        missing = Self.lines(notes.filter { $0.finding.section == .missing })
    }

    private static func lines(_ notes: [ImportNote]) -> [Line] {
        struct Key: Hashable {
            var finding: ImportFinding
            /// The element; nil for a finding about types, which many columns can have.
            var subject: String?
        }
        var lines: [Line] = []
        var indexes: [Key: Int] = [:]
        for note in notes {
            let subject = [note.entity, note.property].compactMap(\.self).joined(separator: ".")
            var key = Key(finding: note.finding, subject: subject)
            switch note.finding {
            case .values, .codeType: key.subject = nil
            default: break
            }
            let index = indexes[key, default: lines.count]
            if index == lines.count {
                indexes[key] = index
                lines.append(Line(finding: note.finding, subjects: [], versions: []))
            }
            if !lines[index].versions.contains(note.version) { lines[index].versions.append(note.version) }
            let name = subject.isEmpty ? "the model" : subject
            if !lines[index].subjects.contains(name) { lines[index].subjects.append(name) }
        }
        return lines
    }

    /// Returns the versions as ranges: `1.0 to 3.0, 5.0`.
    private func names(_ versions: [Int]) -> String {
        var runs: [ClosedRange<Int>] = []
        for version in versions.sorted() {
            if let last = runs.last, last.upperBound == version - 1 {
                runs[runs.count - 1] = last.lowerBound...version
            } else {
                runs.append(version...version)
            }
        }
        return runs.map { run in
            let (first, last) = (
                history.versions[run.lowerBound].version.text, history.versions[run.upperBound].version.text
            )
            return run.count == 1 ? first : "\(first) to \(last)"
        }.joined(separator: ", ")
    }

    /// The notes that you should review, for the console.
    var undecidedLines: [String] {
        (undecided + marked).map { line in
            "\(names(line.versions)): \(line.subjects.joined(separator: ", ")): \(line.finding.text)"
        }
    }

    /// The complete text of the file.
    var text: String {
        let title = "# What was imported"
        var lines = [
            settings == nil ? firstVersion.map { "# What was imported from \($0) on" } ?? title : title,
            "",
            "The descriptions beside this file were imported from a model of \(format.title). Each version equals the",
            "source, except for the differences listed below. Nothing reads this file: change it as you like.",
            "",
            "| version | former name | entities | migration |",
            "| --- | --- | --- | --- |",
        ]
        let steps = Dictionary(history.steps.map { ($0.to.version, $0) }, uniquingKeysWith: { first, _ in first })
        func isTold(_ version: Version) -> Bool { firstVersion.map { version >= $0 } ?? true }
        for version in history.versions where isTold(version.version) {
            let step = steps[version.version]
            let way = step.map { $0.isCustom ? "custom" : "inferred" } ?? ""
            let was = Self.cell(history.formerNames[version.version] ?? "")
            lines.append("| \(version.version) | \(was) | \(version.entities.count) | \(way) |")
        }
        lines += ["", "## Not carried over", ""]
        if losses.isEmpty { lines.append("Nothing.") } else { lines += table(losses) }
        lines += ["", "## To decide", ""]
        let discarded = discarded(isTold)
        if undecided.isEmpty, marked.isEmpty, missing.isEmpty, discarded.isEmpty { lines.append("Nothing.") }
        if !undecided.isEmpty {
            lines += [
                "Each of these steps removes something and adds something else. The source does not say whether this is a rename.",
                format.advice, "",
            ]
            lines += table(undecided)
        }
        if !marked.isEmpty {
            lines += lines.last == "" ? [] : [""]
            lines += [format.markAdvice, ""]
            lines += table(marked)
        }
        if !discarded.isEmpty {
            lines += lines.last == "" ? [] : [""]
            lines += [
                "These are removed with their data: the import writes `\"discard\": true`. If a row needs the data, delete the key and",
                "write the migration.", "", "| version | removed |", "| --- | --- |",
            ]
            lines += discarded
        }
        if !missing.isEmpty {
            lines += lines.last == "" ? [] : [""]
            lines += ["Descriptions cannot have these. Look whether the app relies on one of them.", ""]
            lines += table(missing)
        }
        lines += settingsLines
        let custom = history.steps.filter { $0.isCustom && isTold(settings == nil ? $0.to.version : $0.from.version) }
        if !custom.isEmpty {
            lines += ["", "## Migrations to write", "", "| step | reason |", "| --- | --- |"]
            for step in custom {
                for reason in step.customReasons {
                    lines.append("| \(step.from.version) to \(step.to.version) | \(Self.cell(reason)) |")
                }
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The rows of a table with what each version discards.
    private func discarded(_ isTold: (Version) -> Bool) -> [String] {
        history.steps.filter { isTold($0.to.version) }.compactMap { step in
            let names = step.instructions.discarded.compactMap { element -> String? in
                guard let entity = step.from.entity(element.entity) else { return nil }
                guard let property = element.property else { return entity.name }
                return entity.property(property).map { "\(entity.name).\($0.name)" }
            }
            return names.isEmpty ? nil : "| \(step.to.version) | \(Self.cell(names.sorted().joined(separator: ", "))) |"
        }
    }

    /// The settings that the import chose, with the cost of each.
    private var settingsLines: [String] {
        let known = [
            (
                "structs", "needed",
                "Only the structs of the newest version and of the two ends of each custom migration are generated. A test "
                    + "that names a struct of another version does not compile; `all` generates every struct."
            ),
            (
                "ddl", "newest",
                "Only the DDL of the newest version and the SQL of each step are written. `all` writes the DDL of every "
                    + "version."
            ),
        ]
        var rows = known.compactMap { name, value, text -> String? in
            guard case .string(value)? = settings?[name] else { return nil }
            return "| `\"\(name)\": \"\(value)\"` | \(text) |"
        }
        if let oldest = firstVersion, settings != nil {
            rows.append(
                "| `\"oldest_supported_version\": \"\(oldest)\"` | Nothing is generated for older versions. Their stores "
                    + "are refused with `StoreError.tooOld`. |")
        }
        if rows.isEmpty { return [] }
        return ["", "## Settings", "", "| setting in strata.json | cost |", "| --- | --- |"] + rows
    }

    private func table(_ lines: [Line]) -> [String] {
        ["| version | subject | difference |", "| --- | --- | --- |"]
            + lines.map { line in
                "| \(names(line.versions)) | \(Self.cell(line.subjects.joined(separator: ", "))) | \(Self.cell(line.finding.text)) |"
            }
    }

    private static func cell(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ").split(
            separator: "|", omittingEmptySubsequences: false
        ).joined(separator: "\\|")
    }
}

extension ModelImport.Format {
    /// The name of the library, for display.
    var title: String {
        switch self {
        case .coreData: "Core Data"
        case .swiftData: "SwiftData"
        case .coreStore: "CoreStore"
        case .lucid: "Lucid"
        case .room: "Room"
        case .drift: "Drift"
        case .sqlite, .sql: "SQLite"
        }
    }

    /// The advice about changes of values.
    fileprivate var markAdvice: String {
        switch self {
        case .coreData:
            "The app changes these values without a change of the model. Where a class or an expression of a mapping model does it, the\n"
                + "step is a custom migration, which you write. Where `versionHashModifier` changes, the app may have rewritten values: if it\n"
                + "has, add `\"migration\": \"custom\"` and write it."
        case .swiftData, .coreStore:
            "The app runs its own code in these steps. If it rewrites values, add `\"migration\": \"custom\"` and write it."
        case .lucid:
            "The app may run its own code in these steps. If it changes values, add `\"migration\": \"custom\"` and write it."
        case .room, .drift, .sqlite, .sql:
            "These statements change rows in ways that a description cannot express. The step is a custom migration: its stub shows the\n"
                + "statements, and you write what they did. Rows that a new store needs are inserted by the app."
        }
    }

    /// The advice about steps that remove one thing and add another.
    fileprivate var advice: String {
        switch self {
        case .coreData, .swiftData, .coreStore, .lucid:
            "The import discards what is removed, as Core Data does without a mapping model. If a row needs the data, import\n"
                + "again with `--renames`, or delete `\"discard\"` and write the migration."
        case .room, .drift, .sqlite, .sql:
            "Each step is a custom migration until you answer it with `--renames`."
        }
    }
}
