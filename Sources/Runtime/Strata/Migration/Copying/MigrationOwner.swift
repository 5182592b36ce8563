import Foundation

/// One run of a migration, in one process.
struct MigrationOwner: CustomStringConvertible {
    let description: String
    /// The runs of this process that have not ended.
    private static let running = Locked<Set<String>>([])

    init() {
        description = "\(ProcessInfo.processInfo.processIdentifier) \(UUID().uuidString)"
        Self.running.withLock { _ = $0.insert(description) }
    }

    /// Ends the run.
    func end() { Self.running.withLock { _ = $0.remove(description) } }

    /// Whether a run may still be going on. A process that ended may have left its number to another one.
    static func mayBeRunning(_ owner: String) -> Bool {
        guard let process = owner.split(separator: " ").first.flatMap({ Int32($0) }), process > 0 else { return false }
        if process == ProcessInfo.processInfo.processIdentifier { return running.withLock { $0.contains(owner) } }
        return kill(process, 0) == 0 || errno == EPERM
    }
}
