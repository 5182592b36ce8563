import Movies
import Strata
import Testing

/// The statements that the documentation compares with those of other libraries.
@Suite struct RequestSamples {
    @Test func `requests of other libraries`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        let movie = Movie(id: 4, title: "Stalker", popularity: 8)
        try store.write { try $0.insert(movie) }
        let ids = try [
            store.read { try $0.find(Movie.self, id: 4) }?.id,
            store.read { try $0.first(Movie.all.where { $0.title == "Stalker" }) }?.id,
            store.read { try $0.fetch(Movie.all.orderBy(\.popularity.descending).limit(10)) }.first?.id,
            store.read { try $0.fetch(Movie.all.orderBy(\.title)) }.first?.id,
            store.read { try $0.fetch(Movie.all.including(\.studio)) }.first?.0.id,
            store.read { try $0.fetch(Movie.all.select { ($0, $0.genres.count) }) }.first?.0.id,
        ]
        #expect(ids == .init(repeating: 4, count: 6))
        #expect(try store.read { try $0.fetch(Movie.all.select { ($0.title, $0.studio.name) }) }.count == 1)
        #expect(try store.read { try $0.fetch(Studio.all.select { ($0, $0.movies.count) }) }.isEmpty)
        #expect(try store.read { try $0.count(Movie.all.where { $0.summary == nil }) } == 1)
        #expect(try store.read { try $0.count(Movie.self) } == 1)
        try store.write { try $0.upsert(movie) }
        try store.write { try $0.update(Movie.all.where { $0.summary == nil }) { $0.popularity += 1 } }
        #expect(try store.read { try $0.find(Movie.self, id: 4) }?.popularity == 9)
        try store.write { try $0.update(Movie.all) { $0.popularity -= 8 } }
        #expect(try store.write { try $0.delete(Movie.all.where { $0.popularity < 2 }) } == 1)
        try store.write { try $0.insert(movie) }
        try store.write { try $0.delete(movie) }
        #expect(try store.read { try $0.count(Movie.self) } == 0)
    }

    @MainActor @Test func `observed requests`() async throws {
        let store = try Store(inMemory: MoviesSchema.self)
        var values = store.observe(Movie.all).makeAsyncIterator()
        #expect(try await values.next() == [])
        let movies = LiveQuery(Movie.all.orderBy(\.title), in: store)
        #expect(movies.value.isEmpty)
    }
}
