import Foundation
import Laundry
import Movies
import Strata
import Testing

// The code samples of the documentation. `DocumentationTests` checks that the documentation has the same code.

/// A model class of an app.
final class Film: PersistableEntity {
    let number: Int
    var title: String
    var votes: Int

    init(number: Int, title: String, votes: Int) {
        (self.number, self.title, self.votes) = (number, title, votes)
    }

    var storeId: Movie.ID { Movie.ID(rawValue: number) }

    required init(stored movie: Movie) {
        (number, title, votes) = (movie.id.rawValue, movie.title, movie.voteCount)
    }

    func stored(over old: Movie?) -> Movie {
        var movie = old ?? Movie(id: storeId, title: title, popularity: 0)
        movie.title = title
        movie.voteCount = votes
        return movie
    }
}

@Suite struct Samples {
    private func withStore(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("movies.sqlite"))
    }

    private let movies = [
        Movie(id: 1, title: "The Mirror", popularity: 9, voteCount: 1_000),
        Movie(id: 2, title: "The Sacrifice", popularity: 5, voteCount: 2),
        Movie(id: 3, title: "The End", popularity: 1), Movie(id: 4, title: "Stalker", popularity: 9),
    ]

    @Test func `the tour inserts entities and fetches related ones`() async throws {
        try await withStore { (url: URL) throws in
            let store = try Store(at: url, schema: LaundrySchema.self)
            try store.write { transaction in
                try transaction.insert(LaundryDetail(storeID: 1))
                try transaction.insert(Laundry(storeID: 7, name: "Suds", masterID: 1))
            }
            let laundries = try store.read { transaction in
                try transaction.related(LaundryDetail(storeID: 1), \.success)
            }
            #expect(laundries.map(\.name) == ["Suds"])
        }
    }

    @Test func `the sample of daily use writes, fetches and observes`() async throws {
        try await withStore { url in
            let movies = movies
            var shown: [[Movie.ID]] = []
            func show(_ movies: [Movie]) { shown.append(movies.map(\.id)) }

            let store = try Store(at: url, schema: MoviesSchema.self)

            try await store.write { transaction in
                try transaction.insert(contentsOf: movies)
                try transaction.update(Movie.all.where { $0.studioID == nil }) { $0.voteCount += 1 }
            }
            let liked = try await store.read { transaction in
                try transaction.fetch(
                    Movie.all.where { $0.popularity > 3 && $0.title.hasPrefix("The ") }
                        .orderBy { $0.voteCount.descending }
                        .limit(20))
            }
            for try await top in store.observe(Movie.all.where { $0.voteCount > 1_000 }) {
                show(top)
                break
            }
            let favourite = movies[0]
            for try await genres in store.observe({ try $0.related(favourite, \.genres) }) {
                print(genres.map(\.name))
                break
            }
            #expect(shown == [[1]] && liked.map(\.id) == [1, 2])
        }
    }

    @Test func `the samples of queries fetch the expected rows`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { try $0.insert(contentsOf: movies) }
        try store.read { (transaction: ReadTransaction) throws in
            let movie = try transaction.find(Movie.self, id: 4)
            let all = try transaction.fetch(Movie.self)
            let popular = try transaction.fetch(Movie.self) { $0.popularity > 3 && !$0.title.isIn(["Stalker"]) }
            let count = try transaction.count(Movie.all.where { $0.summary == nil })
            let votes = try transaction.sum(of: \.voteCount, in: Movie.all)
            let titles = try transaction.fetch(Movie.all.select { ($0.title, $0.voteCount) })
            #expect(movie?.title == "Stalker" && all.count == 4 && popular.count == 2 && count == 4 && votes == 1_002)
            #expect(titles.map(\.0) == ["The Mirror", "The Sacrifice", "The End", "Stalker"])

            let page = Movie.all
                .where { $0.title.contains("irr") || $0.summary.isLike("%mirror%") }
                .orderBy { [$0.popularity.descending, $0.summary.ascending(nulls: .last)] }
                .limit(20, offset: 0)
            #expect(try transaction.fetch(page).map(\.id) == [1])

            let cursor = try transaction.cursor(Movie.all)
            while let movie = try cursor.next() {
                print(movie.title)
            }

            let words = ["The", "Stalker"]
            let isNamed = Condition<Movie>.any(of: words.map { .filter(\.title, beginsWith: $0) })
            let found = try transaction.fetch(Movie.all.filter(isNamed && .filter(\.popularity, moreThan: 3)))
            #expect(found.map(\.id).count == 3)
        }
    }

    @Test func `the samples of writes leave the expected rows`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { try $0.insert(contentsOf: movies) }
        try store.write { transaction in
            let movie = Movie(id: try transaction.newID(of: Movie.self), title: "Nostalghia", popularity: 7)
            try transaction.insert(movie)
            try transaction.upsert(Movie(id: 4, title: "Stalker", popularity: 9.5))
            var changed = movie
            changed.voteCount = 7
            try transaction.update(changed, \.voteCount)
            try transaction.update(Movie.all.where { $0.voteCount < 3 }) { $0.summary.set(to: "Unseen.") }
            try transaction.delete(Movie.all.where { $0.popularity < 2 })
            try? transaction.savepoint {
                try transaction.delete(Movie.all)
                throw CancellationError()
            }
        }
        let left = try store.read { try $0.fetch(Movie.all.orderBy { $0.id.ascending }.select { ($0.id, $0.summary) }) }
        #expect(left.map(\.0) == [1, 2, 4, 5] && left.map(\.1) == [nil, "Unseen.", "Unseen.", nil])
    }

    @Test func `the samples of relationships fetch the related rows`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        let movie = movies[0]
        try store.write { try $0.insert(contentsOf: movies) }
        let drama = Genre(id: 1, name: "drama")
        let mystery = Genre(id: 2, name: "mystery")
        try store.write { transaction in
            try transaction.insert(contentsOf: [drama, mystery])
            try transaction.setRelated(movie, \.genres, to: [mystery.id, drama.id])
        }
        try store.read { transaction in
            let genres = try transaction.related(movie, \.genres)
            #expect(genres == [mystery, drama])

            let movies = try transaction.fetch(Movie.all.limit(100))
            let genresOf = try transaction.related(movies, \.genres)
            for movie in movies {
                print(movie.title, genresOf[movie.id, default: []].map(\.name))
            }
            #expect(genresOf == [1: [mystery, drama]])
        }
    }

    @Test func `the samples of SQL fetch and change rows`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { try $0.insert(contentsOf: movies) }
        try store.read { transaction in
            let unseen = try transaction.rows(
                "SELECT * FROM movie WHERE vote_count < ? ORDER BY title", [2], as: Movie.self)
            #expect(unseen.map(\.id) == [4, 3])

            let initials = try transaction.rows(
                "SELECT substr(title, 1, 1) AS initial, count(*) AS number FROM movie GROUP BY 1 ORDER BY 1"
            ) { row in
                (try row.value("initial", as: String.self), try row.value("number", as: Int.self))
            }
            #expect(initials.map(\.0) == ["S", "T"] && initials.map(\.1) == [1, 3])
        }
        try store.write { transaction in
            try transaction.execute("UPDATE movie SET popularity = popularity * ?", [1.1])
        }
    }

    @Test func `your own model class is inserted and fetched`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { try $0.insert(contentsOf: movies) }
        let film = Film(number: 5, title: "Nostalghia", votes: 7)
        try store.write { try $0.insert(film) }
        let films = try store.read { try $0.fetch(Film.self) { $0.voteCount > 1 } }
        #expect(films.map(\.title) == ["The Mirror", "The Sacrifice", "Nostalghia"])
    }

    @Test func `your own model class is created from fetched entities`() async throws {
        let store = try Store(inMemory: MoviesSchema.self)
        let film = Film(number: 5, title: "Nostalghia", votes: 7)
        try await store.write { try $0.insert(film) }
        let films = try await store.read { try $0.fetch(Movie.self) }.map(Film.init)
        #expect(films.map(\.title) == ["Nostalghia"])
    }

    @Test func `opening a store reports its events`() async throws {
        try await withStore { url in
            var options = StoreOptions()
            options.busyTimeout = 10
            options.backup = .automatic(keep: 2)
            let store = try await Store.open(at: url, schema: MoviesSchema.self, options: options)
            #expect(store.migrationReport == nil)

            for try await event in Store.opening(at: url, schema: MoviesSchema.self) {
                switch event {
                case .migrating(let progress): print(progress)
                case .opened(let store): print(try await store.read { try $0.count(Movie.self) })
                }
            }
        }
    }

    @Test func `a store knows whether a newer app has migrated it`() async throws {
        try await withStore { url in
            let store = try Store(at: url, schema: MoviesSchema.self)
            if store.isNewer { print("A newer app has migrated this store.") }
            #expect(!store.isNewer)
        }
    }

    @Test func `an app goes back to a backup`() async throws {
        try await withStore { url in
            let store: Store
            var options = StoreOptions()
            options.backup = .automatic(keep: 2)
            do {
                store = try Store(at: url, schema: MoviesSchema.self, options: options)
            } catch StoreError.newer {
                // The customer went back from a beta, and agrees to lose the changes since then.
                try Store.restoreNewestBackup(to: url, schema: MoviesSchema.self)
                store = try Store(at: url, schema: MoviesSchema.self, options: options)
            }
            #expect(store.migrationReport == nil)
            for backup in try Store.backups(of: url) { print(backup.version, backup.date) }
        }
    }
}
