import Commands
import Foundation
import PostgreSQL
import SchemaModel
import Strata

/// `strata deploy`: brings a database on a server to the newest version, phase by phase.
enum DeployCommand {
    /// The key of the lock that two deployments cannot hold at the same time: "strata" in ASCII.
    private static let lock = 0x7374_7261_7461
    /// The time in seconds for which a file is tried again while something else holds a lock.
    private static let patience = 300.0

    static func run(_ arguments: Arguments, _ console: Console) throws {
        guard arguments.folders.count == 1 else { throw CommandError.usage("deploy takes one folder of a model") }
        let model = try arguments.model(at: arguments.folders[0]).loaded()
        let target = try arguments.value("--to")
        let schema = try model.serverSchema()
        let oldest = try arguments.option("--oldest-client").map { text in
            guard let version = Version(text), model.history.versions.contains(where: { $0.version == version }) else {
                throw CommandError.noVersion(text, known: model.history.versions.map(\.version.text))
            }
            return version
        }
        let last = try arguments.option("--phase").map { text in
            guard let phase = ServerPhase(rawValue: text) else {
                let known = ServerPhase.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError.usage("--phase takes one of \(known)")
            }
            return phase
        }
        if last == .contract, oldest == nil {
            throw CommandError.usage("--phase contract needs --oldest-client: the oldest version that still runs")
        }
        if let tool = try arguments.option("--export").map(MigrationTool.init(named:)) {
            if arguments.has("--check") {
                throw CommandError.usage("--check compares a database, so it excludes --export")
            }
            let folder = try MigrationFolder(URL(fileURLWithPath: target), of: tool, schema)
            let plan = try DeploymentPlan(schema, folder.state, oldestClient: oldest, lastPhase: last ?? .contract)
            say(plan, "the folder", console)
            for note in folder.notes { console.say("note: " + note) }
            if arguments.has("--dry-run") { return }
            try requireWritten(plan, schema, of: model)
            for name in try folder.add(plan.tasks) { console.say("wrote \(name)") }
            return
        }
        let connection = try ServerConnection(to: target)
        do {
            if arguments.has("--check") {
                return try ServerDrift(of: connection, schema).report(console)
            }
            if !arguments.has("--dry-run") { try lock(connection, console) }
            let plan = try DeploymentPlan(
                schema, try ServerState(reading: connection), oldestClient: oldest, lastPhase: last ?? .contract)
            say(plan, "the database", console)
            if arguments.has("--dry-run") { return }
            try requireWritten(plan, schema, of: model)
            for task in plan.tasks { try run(task, connection, target, console) }
            if !plan.tasks.isEmpty { console.say("the database has version \(plan.after)") }
        } catch let error as ServerError {
            throw CommandError.elsewhere("error: \(error)")
        }
    }

    private static func requireWritten(_ plan: DeploymentPlan, _ schema: ServerSchema, of model: LoadedModel) throws {
        let steps = Set(plan.tasks.compactMap(\.step))
        for step in schema.steps where steps.contains(ServerState.Step(from: step.step.from, to: step.step.to)) {
            guard let name = step.step.unwritten.first else { continue }
            let file = model.serverMigrations(from: step.step.from, to: step.step.to).appendingPathComponent(name)
            throw CommandError.elsewhere("\(file.path): error: this migration is not written yet")
        }
    }

    /// Waits until no other deployment or copy runs.
    static func lock(_ connection: ServerConnection, _ console: Console) throws {
        // A server whose client was killed notices it only when it asks.
        try? connection.execute("SET client_connection_check_interval = '500ms'")
        for attempt in 0..<150 {
            if try connection.value("SELECT pg_try_advisory_lock(\(lock))") == "t" { return }
            if attempt == 0 { console.say("another deployment or copy is running; waiting") }
            Thread.sleep(forTimeInterval: 0.2)
        }
        throw CommandError.elsewhere("error: another deployment or copy is running in this database")
    }

    private static func say(_ plan: DeploymentPlan, _ target: String, _ console: Console) {
        switch (plan.before, plan.tasks.isEmpty) {
        case (nil, _): console.say("\(target) is empty")
        case (let version?, true): console.say("\(target) has version \(version), and nothing is left to do")
        case (let version?, false): console.say("\(target) has version \(version)")
        }
        for task in plan.tasks {
            console.say("  " + (task.step.map { "\($0.from) to \($0.to): " } ?? "create ") + task.script.name)
        }
        for note in plan.notes { console.say("note: " + note) }
    }

    // MARK: Running

    private static func run(
        _ task: DeploymentPlan.Task, _ connection: ServerConnection, _ url: String, _ console: Console
    ) throws {
        let script = task.script
        let progress = script.backfilledTable.map { BackfillProgress(url, task, $0, console) }
        defer { progress?.stop() }
        do {
            try connection.execute(script.settings.joined(separator: ";\n"))
            switch script.mode {
            case .transaction, .validation:
                try patiently {
                    try connection.transaction {
                        for statement in script.statements { try connection.execute(statement) }
                    }
                }
            case .single:
                // An index whose creation was interrupted has to be dropped first, so the file begins again.
                try patiently {
                    for statement in script.statements { try connection.execute(statement) }
                }
            }
        } catch let error as ServerError {
            let step = task.step.map { "\($0.from) to \($0.to), " } ?? ""
            throw CommandError.elsewhere("error: \(step)\(script.name): \(error)")
        }
    }

    /// Tries something again while another transaction holds a lock. A statement waits for it only for a moment, so that others
    /// do not have to wait behind it.
    private static func patiently(_ body: () throws -> Void) throws {
        var failed: Date?
        var pause = 0.05
        while true {
            let start = Date()
            do { return try body() } catch let error as ServerError where error.isTransient {
                // A long attempt was not waiting for a lock all the time. A backfill keeps the batches that it has committed.
                if Date().timeIntervalSince(start) > 2 { (failed, pause) = (nil, 0.05) }
                let first = failed ?? Date()
                if Date().timeIntervalSince(first) > patience { throw error }
                failed = first
                Thread.sleep(forTimeInterval: pause * Double.random(in: 0.5...1.5))
                pause = min(2, pause * 1.5)
            }
        }
    }
}

/// The line that shows how far a backfill is.
private final class BackfillProgress: Sendable {
    private let isOver = Locked(false)
    private let line: ProgressLine

    /// Watches a backfill over another connection, on another thread.
    init(_ url: String, _ task: DeploymentPlan.Task, _ table: String, _ console: Console) {
        line = console.progress("filling \(table)", unit: "rows")
        let (step, file) = (task.step ?? ServerState.Step(from: "", to: ""), task.script.name)
        Thread.detachNewThread { [isOver, line] in
            // Without this connection, the backfill only has no line.
            guard let connection = try? ServerConnection(to: url) else { return }
            let estimate = try? connection.value(
                "SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass($1)", [PostgreSQL.quoted(table)])
            let total = max(0, estimate.flatMap { Int($0) } ?? 0)
            while !isOver.withLock({ $0 }) {
                let rows = try? connection.value(
                    "SELECT rows_done FROM strata_history WHERE from_version = $1 AND to_version = $2 AND file = $3",
                    [step.from, step.to, file])
                if let rows = rows.flatMap({ Int($0) }) { line.update(rows, of: total) }
                Thread.sleep(forTimeInterval: 0.3)
            }
        }
    }

    func stop() {
        isOver.withLock { $0 = true }
        line.end()
    }
}
