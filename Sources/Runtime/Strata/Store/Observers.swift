/// The observers of a store.
final class Observers: Sendable {
    private struct State {
        var observers: [ObjectIdentifier: any Observer] = [:]
        /// The tables of each observer; nil for one that is reading, whose tables are not known before it has read.
        var tables: [ObjectIdentifier: Set<String>] = [:]
        /// Whether a timer looks for writes of other connections.
        var isWatched = false
    }

    private let state = Locked(State())

    var isEmpty: Bool { state.withLock(\.observers.isEmpty) }

    /// Wakes `observer` after each transaction that may have changed its tables, until `remove`.
    ///
    /// - Returns: Whether to start looking for writes of other connections.
    func add(_ observer: any Observer) -> Bool {
        state.withLock { state in
            state.observers[ObjectIdentifier(observer)] = observer
            defer { state.isWatched = true }
            return !state.isWatched
        }
    }

    /// Whether to go on looking for writes of other connections. Once it is false, the next `add` starts again.
    func keepsWatching() -> Bool {
        state.withLock { state in
            state.isWatched = !state.observers.isEmpty
            return state.isWatched
        }
    }

    func remove(_ observer: any Observer) {
        state.withLock { state in
            state.observers[ObjectIdentifier(observer)] = nil
            state.tables[ObjectIdentifier(observer)] = nil
        }
    }

    /// Sets the tables that an observer has read. While it reads, they are nil: any change may concern it.
    func setTables(_ tables: Set<String>?, of observer: any Observer) {
        state.withLock { state in
            // It may have been removed while it read.
            if state.observers[ObjectIdentifier(observer)] != nil { state.tables[ObjectIdentifier(observer)] = tables }
        }
    }

    /// Ends all observations.
    func end() {
        let ended = state.withLock { state in
            defer { (state.observers, state.tables) = ([:], [:]) }
            return state.observers.values
        }
        for observer in ended { observer.end() }
    }

    /// Wakes the observers of the tables that may have changed.
    func wake(for changes: TableChanges) {
        let concerned = state.withLock { state -> [any Observer] in
            guard case .tables(let names) = changes else { return Array(state.observers.values) }
            if names.isEmpty { return [] }
            return state.observers.filter { id, _ in
                state.tables[id].map { !$0.isDisjoint(with: names) } ?? true
            }.map(\.value)
        }
        for observer in concerned { observer.wake() }
    }
}

/// Something that reads the store again when it may have changed.
protocol Observer: AnyObject, Sendable {
    func wake()
    func end()
}
