/// A request whose results can be observed: a `Request`, a `Selection` of values or groups, or an `Inclusion`.
public protocol ObservableRequest<Element>: Sendable {
    /// A row, or the values of a row or a group.
    associatedtype Element: Sendable
    /// Observes the results in a store. Use `store.observe(request)`.
    func results(in store: Store) -> AsyncThrowingStream<[Element], any Error>
}

extension Request: ObservableRequest {
    /// Observes the rows in a store.
    public func results(in store: Store) -> AsyncThrowingStream<[Entity], any Error> {
        store.observe { try $0.fetch(self) }
    }
}

extension Selection: ObservableRequest {
    /// Observes the values in a store.
    public func results(in store: Store) -> AsyncThrowingStream<[Value], any Error> {
        store.observe(areSameLists(by: areSame)) { try $0.fetch(self) }
    }
}

extension Inclusion: ObservableRequest {
    /// Observes the rows and what belongs to them in a store.
    public func results(in store: Store) -> AsyncThrowingStream<[Value], any Error> {
        // The values are nested tuples, which have no `==`. The fetched rows are compared instead.
        store.observe({ FetchedLists.areSame($0.lists, $1.lists) }, { $0.values }) { transaction in
            var lists: FetchedLists? = FetchedLists()
            let values = try transaction.fetch(self, &lists)
            return (values: values, lists: lists ?? FetchedLists())
        }
    }
}
