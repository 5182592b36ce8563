import Commands
import Foundation
import ModelCommands
import StoreCommands
import Strata

// Carries out requests of the campaign `random-models` with the generator and the engine. Each line of the input is a
// request, and each line of the output its reply, both in JSON.
//
// The models are not compiled: a custom migration looks the new rows up in a script.

struct Request: Decodable {
    /// `check`, `strata`, `create` or `migrate`.
    let action: String
    /// The folder of the model.
    let folder: String?
    /// The arguments of the command-line tool.
    let arguments: [String]?
    let file: String?
    /// The version of the store that is created, or the one that the store is migrated to.
    let version: String?
    /// `fused`, `stepwise`, `batches`, `interrupted` or `copy`.
    let way: String?
    /// The file of the script.
    let script: String?
    /// The file of the backup, or of the copy.
    let target: String?
    /// How often each attempt may ask whether it is cancelled.
    let interruptions: [Int]?
}

struct Reply: Encodable {
    var error: String?
    var output: String?
    var versions: [String]?
    var report: MigrationReport?
}

/// A model that the driver has read.
struct Model {
    let known: SchemaDefinition
    let valueTypes: String

    init(_ folder: String) throws {
        guard let folder = ModelFolder.all(below: folder).first else {
            throw DriverError("the folder has no strata.json")
        }
        let history = try folder.loaded().history
        known = SchemaDefinition(history)
        valueTypes = history.newest.valueTypeLines.joined(separator: "\n")
    }

    /// The schema up to a version, whose custom migrations follow a script.
    func known(upTo version: String?, _ script: Script?) throws -> SchemaDefinition {
        let newest = known.versions.firstIndex { $0.name == version } ?? known.versions.count - 1
        let versions = known.versions.prefix(newest + 1)
        let names = Set(versions.map(\.name))
        let steps = known.steps.filter { names.contains($0.to) }.map { step in
            // The script is for the first of several steps from a version.
            let isFirst = known.steps.first { $0.from == step.from }?.to == step.to
            guard step.isCustom, isFirst, let conversions = script?.steps[step.from] else { return step }
            return MigrationStep(from: step.from, to: step.to, changes: step.changes, code: ScriptedMigration.self) {
                step, migration in
                for (place, conversion) in conversions.enumerated() {
                    try migration.value.convert(conversion, at: place, step)
                }
            }
        }
        return SchemaDefinition(
            known.name, versions: Array(versions), steps: steps,
            valueTypes: newest == known.versions.count - 1 ? valueTypes : "")
    }
}

struct Driver {
    private var models: [String: Model] = [:]

    mutating func reply(to request: Request) -> Reply {
        do {
            return try carryOut(request)
        } catch {
            return Reply(error: "\(error)")
        }
    }

    private mutating func model(_ request: Request) throws -> Model {
        let folder = try value(request.folder, "folder")
        if let model = models[folder] { return model }
        let model = try Model(folder)
        models = [folder: model]
        return model
    }

    private func value<Value>(_ value: Value?, _ name: String) throws -> Value {
        guard let value else { throw DriverError("the request lacks \"\(name)\"") }
        return value
    }

    private mutating func carryOut(_ request: Request) throws -> Reply {
        switch request.action {
        case "check":
            models = [:]
            return Reply(versions: try model(request).known.versions.map(\.name))
        case "strata":
            var lines: [String] = []
            let console = Console(say: { lines.append($0) }, complain: { lines.append($0) })
            let code = Command.run(
                try value(request.arguments, "arguments"), console: console,
                others: ModelCommand.all.merging(StoreCommand.all) { $1 })
            let output = lines.joined(separator: "\n")
            return Reply(error: code == .success ? nil : output, output: output)
        case "create":
            let known = try model(request).known(upTo: try value(request.version, "version"), nil)
            var options = StoreOptions()
            options.journal = .delete
            _ = try Store(at: try url(request.file, "file"), definition: known, options: options)
            return Reply()
        case "migrate": return try migrate(request)
        default: throw DriverError("unknown action \"\(request.action)\"")
        }
    }

    private func url(_ path: String?, _ name: String) throws -> URL {
        URL(fileURLWithPath: try value(path, name))
    }

    private mutating func migrate(_ request: Request) throws -> Reply {
        let script = try request.script.map {
            try JSONDecoder().decode(Script.self, from: Data(contentsOf: URL(fileURLWithPath: $0)))
        }
        let known = try model(request).known(upTo: request.version, script)
        let file = try url(request.file, "file")
        var options = StoreOptions()
        options.backup = request.target.map { .file(URL(fileURLWithPath: $0)) }
        let way = request.way ?? "fused"
        switch way {
        case "stepwise": options.migrationStrategy = .stepwise
        case "batches", "interrupted": options.migration = .resumable
        default: options.migration = .oneTransaction
        }
        func open(_ options: StoreOptions) throws -> MigrationReport? {
            try Store(at: file, definition: known, options: options).migrationReport
        }
        func openInBatches(_ options: StoreOptions) throws -> MigrationReport? {
            try MigrationBatches.$duration.withValue(.zero) { try open(options) }
        }
        let report = try StepAccess.$fixedNow.withValue(Date(timeIntervalSinceReferenceDate: 800_000_000)) {
            switch way {
            case "batches": try openInBatches(options)
            case "copy":
                try Store.migrate(
                    from: file, to: try url(request.target, "target"), definition: known, options: StoreOptions())
            case "interrupted": try interrupted(options, after: request.interruptions ?? [], openInBatches)
            default: try open(options)
            }
        }
        return Reply(report: report)
    }

    /// Opens a store until it is migrated. Each attempt is cancelled when it has asked a number of times, except the last one.
    private func interrupted(
        _ options: StoreOptions, after counts: [Int], _ open: (StoreOptions) throws -> MigrationReport?
    ) throws -> MigrationReport? {
        for count in counts {
            let left = Locked(count)
            var options = options
            options.isMigrationCancelled = {
                left.withLock { left in
                    left -= 1
                    return left < 0
                }
            }
            do { return try open(options) } catch is CancellationError {}
        }
        return try open(options)
    }
}

var driver = Driver()
let (decoder, encoder) = (JSONDecoder(), JSONEncoder())
while let line = readLine() {
    let reply: Reply
    do {
        reply = driver.reply(to: try decoder.decode(Request.self, from: Data(line.utf8)))
    } catch {
        reply = Reply(error: "\(error)")
    }
    FileHandle.standardOutput.write(try encoder.encode(reply) + Data("\n".utf8))
}
