#if canImport(Observation)
    import Observation

    /// A value that is read from a store, and read again whenever it changes. A view of SwiftUI that uses it is updated.
    ///
    /// ```swift
    /// let movies = LiveQuery(Movie.all.orderBy { $0.title.ascending }, in: store)
    /// let counts = LiveQuery(Movie.all.select { ($0, $0.genres.count) }, in: store)
    /// let count = LiveQuery(0, in: store) { try $0.count(Movie.self) }
    /// ```
    ///
    /// In SwiftUI, keep it in a property with `@State`. It observes the store for as long as it exists.
    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @MainActor @Observable public final class LiveQuery<Value: Sendable> {
        /// The newest value; the initial value before the first read.
        public private(set) var value: Value
        /// Whether the value has been read.
        public private(set) var isLoaded = false
        /// The error that has ended the observation; nil while there is none.
        public private(set) var error: (any Error)?
        @ObservationIgnored private var observation: LiveObservation?

        /// Observes a value that `body` reads.
        ///
        /// - Parameters:
        ///   - initial: The value before the first read.
        ///   - store: The store.
        ///   - body: Reads the value.
        public convenience init(
            _ initial: Value, in store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value: Equatable {
            self.init(initial, store.observe(body))
        }

        /// Observes a tuple of values that `body` reads.
        ///
        /// - Parameters:
        ///   - initial: The values before the first read.
        ///   - store: The store.
        ///   - body: Reads the values.
        @_disfavoredOverload public convenience init<each Part: Equatable & Sendable>(
            _ initial: Value, in store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value == (repeat each Part) {
            self.init(initial, store.observe(areSameTuples, body))
        }

        /// Observes the results of a request: rows, selected values, groups, or rows with their related rows.
        public convenience init<Result: ObservableRequest>(
            _ request: Result, in store: Store
        ) where Value == [Result.Element] {
            self.init([], store.observe(request))
        }

        private init(_ initial: Value, _ values: AsyncThrowingStream<Value, any Error>) {
            value = initial
            receive(values)
        }

        /// Observes another value instead, such as the rows of another search. The present value stays until the other one is
        /// read.
        public func read(
            from store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value: Equatable {
            receive(store.observe(body))
        }

        /// Observes another tuple of values instead.
        @_disfavoredOverload public func read<each Part: Equatable & Sendable>(
            from store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value == (repeat each Part) {
            receive(store.observe(areSameTuples, body))
        }

        /// Observes the results of another request instead.
        public func read<Result: ObservableRequest>(_ request: Result, in store: Store)
        where Value == [Result.Element] {
            receive(store.observe(request))
        }

        private func receive(_ values: AsyncThrowingStream<Value, any Error>) {
            error = nil
            observation = LiveObservation(of: values) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let value):
                    self.value = value
                    self.isLoaded = true
                case .failure(let error): self.error = error
                }
            }
        }
    }
#endif

#if canImport(Combine)
    import Combine

    /// A value that is read from a store, and read again whenever it changes, for systems without `LiveQuery`.
    ///
    /// In SwiftUI, keep it in a property with `@StateObject`.
    @MainActor public final class LiveObject<Value: Sendable>: ObservableObject {
        /// The newest value; the initial value before the first read.
        @Published public private(set) var value: Value
        /// The error that has ended the observation; nil while there is none.
        @Published public private(set) var error: (any Error)?
        private var observation: LiveObservation?

        /// Observes a value that `body` reads.
        ///
        /// - Parameters:
        ///   - initial: The value before the first read.
        ///   - store: The store.
        ///   - body: Reads the value.
        public convenience init(
            _ initial: Value, in store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value: Equatable {
            self.init(initial, store.observe(body))
        }

        /// Observes a tuple of values that `body` reads.
        ///
        /// - Parameters:
        ///   - initial: The values before the first read.
        ///   - store: The store.
        ///   - body: Reads the values.
        @_disfavoredOverload public convenience init<each Part: Equatable & Sendable>(
            _ initial: Value, in store: Store, _ body: @escaping @Sendable (ReadTransaction) throws -> Value
        ) where Value == (repeat each Part) {
            self.init(initial, store.observe(areSameTuples, body))
        }

        /// Observes the results of a request: rows, selected values, groups, or rows with their related rows.
        public convenience init<Result: ObservableRequest>(
            _ request: Result, in store: Store
        ) where Value == [Result.Element] {
            self.init([], store.observe(request))
        }

        private init(_ initial: Value, _ values: AsyncThrowingStream<Value, any Error>) {
            value = initial
            receive(values)
        }

        private func receive(_ values: AsyncThrowingStream<Value, any Error>) {
            observation = LiveObservation(of: values) { [weak self] result in
                guard let self else { return }
                switch result {
                case .success(let value): self.value = value
                case .failure(let error): self.error = error
                }
            }
        }
    }
#endif

/// Passes the values of an observation to the main actor, for as long as this object exists.
private final class LiveObservation: Sendable {
    private let task: Task<Void, Never>

    init<Value: Sendable>(
        of values: AsyncThrowingStream<Value, any Error>,
        _ receive: @escaping @MainActor @Sendable (Result<Value, any Error>) -> Void
    ) {
        task = Task {
            do {
                for try await value in values {
                    // The owner of a cancelled observation no longer exists, or observes another value.
                    await MainActor.run { if !Task.isCancelled { receive(.success(value)) } }
                }
            } catch {
                await MainActor.run { if !Task.isCancelled { receive(.failure(error)) } }
            }
        }
    }

    deinit { task.cancel() }
}
