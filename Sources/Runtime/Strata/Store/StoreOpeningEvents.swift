/// An event while a store is opened.
public enum StoreOpeningEvent: Sendable {
    /// The store is being migrated.
    case migrating(MigrationProgress)
    /// The store is open. This is the last event.
    case opened(Store)
}

/// The events while ``Store/opening(at:schema:options:)`` opens a store.
public struct StoreOpeningEvents: AsyncSequence, Sendable {
    let stream: AsyncThrowingStream<StoreOpeningEvent, any Error>

    /// Creates an iterator over the events.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator()) }

    /// An iterator over the events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncThrowingStream<StoreOpeningEvent, any Error>.Iterator
        private var isOpened = false

        fileprivate init(base: AsyncThrowingStream<StoreOpeningEvent, any Error>.Iterator) { self.base = base }

        /// Returns the next event; nil after the store was opened.
        ///
        /// - Throws: The error of opening the store, or `CancellationError` if the task is cancelled.
        public mutating func next() async throws -> StoreOpeningEvent? {
            // The store may be open already.
            try Task.checkCancellation()
            let event = try await base.next()
            if case .opened? = event { isOpened = true }
            // The stream ends without an error in a task that is cancelled.
            if event == nil, !isOpened { throw CancellationError() }
            return event
        }
    }
}
