import Foundation
@testable import Laundry
import Movies
import StoreConversion
import Strata
import StrataTesting
import Testing

// The examples of doc comments. `DocumentationTests` checks that each one is in a compiled file.

extension PropertyColumns<Movie> {
    /// The number by which SQLite finds the row.
    var rowNumber: Column<Movie, Int> { .init("rowid") }
}

private struct MovieCard: Sendable {
    let title: String
    let genreCount: Int
}

@Suite struct CommentSamples {
    private let movies = [
        Movie(id: 1, title: "The Mirror", popularity: 9, voteCount: 1_000),
        Movie(id: 2, title: "Stalker", popularity: 3),
    ]
    private let drama = Genre(id: 1, name: "drama")
    private let mystery = Genre(id: 2, name: "mystery")
    private let mosfilm = Studio(id: .init(rawValue: UUID()), name: "Mosfilm")

    private func withFile(_ body: (URL) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.appendingPathComponent("movies.sqlite"))
    }

    private func filledStore() throws -> Store {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { transaction in
            try transaction.insert(contentsOf: movies)
            try transaction.insert(contentsOf: [drama, mystery])
            try transaction.insert(mosfilm)
        }
        return store
    }

    @Test func `examples of pending migrations`() async throws {
        try await withFile { (url: URL) throws in
            _ = try Store(at: url, schema: MoviesSchema.self)
            if try Store.discardPendingMigration(of: url) { print("The update starts again.") }
        }
    }

    @Test func `examples of reading`() throws {
        try filledStore().read { (transaction: ReadTransaction) throws in
            do {
                let movies = try transaction.fetch(Movie.all.where { $0.popularity > 4 })
                #expect(movies.count == 1)
            }
            do {
                let movies = try transaction.fetch(Movie.self) { $0.popularity > 4 }
                #expect(movies.count == 1)
            }
            #expect(try transaction.count(Movie.all.where { $0.rowNumber > 1 }) == 1)
            let newest = try transaction.first(Movie.all.orderBy { $0.id.descending })
            #expect(newest?.id == 2)
            do {
                let cursor = try transaction.cursor(Movie.all.orderBy { $0.title.ascending })
                while let movie = try cursor.next() { print(movie.title) }
            }
            do {
                let cursor = try transaction.cursor(Movie.self)
                while let movie = try cursor.next() { print(movie.title) }
            }
            do {
                let cursor = try transaction.cursor(Movie.all)
                while let movie = try cursor.next() { print(movie.title) }
            }
            try transaction.cursor(Movie.all).forEach { print($0.title) }
            let count = try transaction.count(Movie.all.where { $0.summary == nil })
            let isKnown = try transaction.exists(Movie.all.where { $0.title == "Stalker" })
            print(try transaction.plan(of: Movie.all.where { $0.title == "Stalker" }))
            let least = try transaction.min(of: \.popularity, in: Movie.all)
            let greatest = try transaction.max(of: \.popularity, in: Movie.all)
            let votes = try transaction.sum(of: \.voteCount, in: Movie.all)
            let average = try transaction.average(of: \.popularity, in: Movie.all)
            #expect(count == 2 && isKnown && least == 3 && greatest == 9 && votes == 1_000 && average == 6)
            let titles = try transaction.fetch(Movie.all.select { ($0.title, $0.studio.name) })
            for (title, studio) in titles { print(title, studio ?? "no studio") }
            let rows = try transaction.fetch(Movie.all.select { ($0, $0.genres.count) })
            let cards = try transaction.fetch(Movie.all.select { ($0.title, $0.genres.count) }.map(MovieCard.init))
            #expect(rows.count == cards.count && cards.allSatisfy { $0.genreCount == 0 })
            do {
                let titles = Movie.all.select { $0 }.map(\.title)
                #expect(try transaction.fetch(titles).count == 2)
                let studios = Movie.all.orderBy { $0.title }.select { $0.studio.name }.distinct().limit(10)
                #expect(try transaction.fetch(studios) == [nil])
            }
            #expect(titles.count == 2)
        }
    }

    @Test func `examples of requests`() throws {
        try filledStore().read { (transaction: ReadTransaction) throws in
            func titles(_ request: Request<Movie>) throws -> [String] { try transaction.fetch(request).map(\.title) }
            do {
                let request = Movie.all.filter(.filter(\.title, beginsWith: "The "))
                #expect(try titles(request) == ["The Mirror"])
            }
            do {
                let request = Movie.all.where { $0.title.hasPrefix("The ") && $0.summary != nil }
                #expect(try titles(request) == [])
            }
            do {
                let request = Movie.all.where { $0.popularity > 4 && !$0.title.hasPrefix("The ") }
                #expect(try titles(request) == [])
            }
            do {
                let request = Movie.all.orderBy { [$0.popularity.descending, $0.title.ascending] }
                #expect(try titles(request) == ["The Mirror", "Stalker"])
            }
            do {
                let request = Movie.all.orderBy { $0.title.ascending }
                #expect(try titles(request) == ["Stalker", "The Mirror"])
            }
            do {
                let request = Movie.all.orderBy { $0.title }
                #expect(try titles(request) == ["Stalker", "The Mirror"])
            }
            do {
                let request = Movie.all.orderBy { ($0.popularity, $0.title) }
                #expect(try titles(request) == ["Stalker", "The Mirror"])
            }
            do {
                let request = Movie.all.where { $0.genres.contains(drama) }
                #expect(try titles(request) == [])
            }
            let secondPage = Movie.all.orderBy { $0.title.ascending }.limit(20, offset: 20)
            #expect(try titles(secondPage) == [])
            do {
                let request = Movie.all.orderBy { $0.summary.ascending(nulls: .last) }
                #expect(try titles(request).count == 2)
            }
            do {
                let request = Movie.all.orderBy { $0.summary.descending(nulls: .first) }
                #expect(try titles(request).count == 2)
            }
            do {
                let condition = Condition<Movie>.all(of: [
                    .filter(\.title, contains: "irr"), .filter(\.popularity, moreThan: 4),
                ])
                #expect(try titles(Movie.all.filter(condition)) == ["The Mirror"])
            }
            do {
                let condition = Condition<Movie>.any(of: ["The ", "A "].map { .filter(\.title, beginsWith: $0) })
                #expect(try titles(Movie.all.filter(condition)) == ["The Mirror"])
            }
            do {
                let condition = Condition<Movie>.not(.filter(\.title, beginsWith: "The "))
                #expect(try titles(Movie.all.filter(condition)) == ["Stalker"])
            }
            do {
                let movies = try transaction.fetch(Movie.self) { $0.popularity.isBetween(4...6) }
                #expect(movies == [])
            }
            do {
                let movies = try transaction.fetch(Movie.self) { $0.title.isIn(["Stalker", "Solaris"]) }
                #expect(movies.count == 1)
            }
            do {
                let movies = try transaction.fetch(Movie.self) { $0.title.isLike("%100^%%", escape: "^") }
                #expect(movies == [])
            }
        }
        let store = try filledStore()
        let request = Movie.all.where { $0.popularity > 4 }.orderBy { $0.title.ascending }.limit(10)
        let movies = try store.read { try $0.fetch(request) }
        #expect(movies.count == 1)
    }

    @Test func `examples of SQL`() throws {
        let store = try filledStore()
        try store.read { transaction in
            let movies = try transaction.rows("SELECT * FROM movie WHERE popularity > ?", [4.5], as: Movie.self)
            let titles = try transaction.rows("SELECT title FROM movie") { try $0.value("title", as: String.self) }
            let sums = try transaction.rows("SELECT sum(vote_count) AS votes FROM movie") { row in
                let votes = try row.value("votes", as: Int.self)
                return votes
            }
            #expect(movies.count == 1 && titles.count == 2 && sums == [1_000])
        }
        try store.write { transaction in
            try transaction.execute("UPDATE movie SET popularity = popularity + ?", [0.5])
        }
    }

    @Test func `examples of writing`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { transaction in
            try transaction.insert(Movie(id: 7, title: "Solaris", popularity: 8))
            try transaction.insert(contentsOf: movies)
            var movie = movies[0]
            try transaction.upsert(Movie(id: 7, title: "Solaris", popularity: 8.5))
            try transaction.upsert(movie, updating: [\.title, \.popularity])
            movie.title = "Solyaris"
            try transaction.update(movie)
            try transaction.update(movie, \.title, \.popularity)
            try transaction.update(Movie.all.where { $0.summary == nil }) { $0.summary.set(to: "Unseen.") }
            try transaction.update(Movie.all) { [$0.popularity.set(to: 5), $0.voteCount.set(to: 0)] }
            try transaction.delete(movie)
            try transaction.delete(Movie.self, id: 7)
            let count = try transaction.delete(Movie.all.where { $0.popularity < 2 })
            #expect(count == 0)
            let id = try transaction.newID(of: Movie.self)
            try transaction.insert(Movie(id: id, title: "Mirror", popularity: 9))
            try? transaction.savepoint {
                try transaction.delete(Movie.all)
                throw CancellationError()
            }
        }
        try store.write { transaction in
            let id = try transaction.newID(of: Movie.self)
            try transaction.insert(Movie(id: id, title: "Mirror", popularity: 9))
        }
        let titles = try store.read { try $0.fetch(Movie.all.orderBy { $0.id.ascending }).map(\.title) }
        #expect(titles == ["Stalker", "Mirror", "Mirror"])
    }

    @Test @MainActor func `examples of live queries`() async throws {
        let store = try filledStore()
        let movies = LiveQuery(Movie.all.orderBy { $0.title.ascending }, in: store)
        let counts = LiveQuery(Movie.all.select { ($0, $0.genres.count) }, in: store)
        let count = LiveQuery(0, in: store) { try $0.count(Movie.self) }
        while !movies.isLoaded || !counts.isLoaded || !count.isLoaded { try await Task.sleep(nanoseconds: 1_000_000) }
        #expect(movies.value.count == count.value && counts.value.count == count.value)
    }

    @Test func `examples of closing and copying a store`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appendingPathComponent("movies.sqlite")
        var options = StoreOptions()
        options.trace = { if $0.seconds > 0.05 { print($0.seconds, $0.sql) } }
        let store = try Store(at: url, schema: MoviesSchema.self, options: options)
        try store.backup(to: url.appendingPathExtension("backup")) { print($0.completedPages, $0.totalPages) }
        try store.suspend()
        store.resume()
        try store.close()
        let backup = url.appendingPathExtension("backup")
        try Store.restoreBackup(from: backup, to: url, schema: MoviesSchema.self)
    }

    @Test func `examples of writing rows that exist already`() throws {
        let store = try filledStore()
        try store.write { transaction in
            let movies = try transaction.fetch(Movie.self)
            try transaction.upsert(contentsOf: movies)
            let isNew = try transaction.insertOrIgnore(Movie(id: 7, title: "Solaris", popularity: 8))
            try transaction.delete(Movie.self, id: 7)
            let movie = try transaction.insertAndFetch(Movie(id: 7, title: "Solaris", popularity: 8))
            #expect(movie.id == 7)
            let genre = try transaction.upsert(Genre(id: 9, name: "Drama"), on: \.name)
            #expect(genre.id == 9 && isNew != movies.contains { $0.id == 7 })
            let seen = try transaction.updateAndFetch(Movie.all.where { $0.voteCount > 0 }) {
                [$0.summary.set(to: "Seen.")]
            }
            #expect(seen.allSatisfy { $0.summary == "Seen." })
            let unpopular = try transaction.deleteAndFetch(Movie.all.where { $0.popularity < 2 })
            #expect(unpopular.isEmpty)
            let id = try transaction.newID(of: Studio.self)
            try transaction.insert(Studio(id: id, name: "Lenfilm"))
            let studio = Studio(id: Studio.ID(), name: "Lenfilm")
            #expect(studio.id != id)
        }
        try store.write { transaction in
            var movie = movies[0]
            let old = movie
            movie.title = "Nostalghia"
            try transaction.update(movie, changedFrom: old)
        }
    }

    @Test func `examples of changing related rows`() throws {
        try filledStore().write { transaction in
            let movie = movies[0]
            try transaction.setRelated(movie, \.studio, to: mosfilm)
            try transaction.setRelated(movie, \.genres, to: [drama, mystery])
            #expect(try transaction.related(movie, \.genres) == [drama, mystery])
            try transaction.remove(drama, from: movie, \.genres)
            try transaction.add(drama, to: movie, \.genres)
            try transaction.add(drama.id, to: movie, \.genres)
            try transaction.add(contentsOf: [drama, mystery], to: movie, \.genres)
            #expect(try transaction.related(movie, \.genres) == [mystery, drama])
            try transaction.insert(drama, at: 0, in: movie, \.genres)
            try transaction.insert(mystery, at: 0, in: movie, \.genres)
            #expect(try transaction.related(movie, \.genres) == [mystery, drama])
            let horror = Genre(id: 3, name: "Horror")
            try transaction.insert(horror)
            try transaction.add(horror, to: movie, \.genres)
            try transaction.move(from: 2, to: 0, in: movie, \.genres)
            let genreID = try transaction.remove(at: 0, from: movie, \.genres)
            #expect(genreID == horror.id)
        }
    }

    @Test func `examples of selections, groups and computed values`() throws {
        let store = try filledStore()
        try store.write { transaction in
            try transaction.setRelated(movies[0], \.studio, to: mosfilm.id)
            try transaction.setRelated(movies[0], \.genres, to: [drama.id])
        }
        try store.read { transaction in
            do {
                let titles = try transaction.fetch(Movie.all.orderBy { $0.title.ascending }.select { $0.title })
                #expect(titles == movies.map(\.title).sorted())
            }
            do {
                let studios = try transaction.fetch(Movie.all.select { $0.studio.name }.distinct())
                #expect(Set(studios) == ["Mosfilm", nil])
            }
            do {
                let selection = Movie.all.select { $0.studio.name }
                #expect(try transaction.fetch(selection).count == 2)
            }
            do {
                let selection = Movie.all.select { ($0.title, $0.studio.name, $0.genres.count) }
                #expect(try transaction.fetch(selection).map(\.2).max() == 1)
            }
            do {
                let groups = Movie.all.grouped(by: \.studioID).having { $0.count > 1 }.orderBy { $0.count.descending }
                let counts = try transaction.fetch(groups.select { ($0.key, $0.count, $0.max(\.popularity)) })
                #expect(counts.isEmpty)
            }
            do {
                let groups = Movie.all.grouped { ($0.studio.name, $0.voteCount) }.select { ($0.key.0, $0.count) }
                #expect(try transaction.fetch(groups).count == 2)
            }
            do {
                let groups = Movie.all.grouped { $0.popularity * 2 }.select { ($0.key, $0.count) }
                #expect(try transaction.fetch(groups).count == 2)
                let last = movies[0]
                let page = Movie.all.where { ($0.popularity, $0.id) < (last.popularity, last.id) }
                    .orderBy { [$0.popularity.descending, $0.id.descending] }.limit(20)
                #expect(try transaction.fetch(page).map(\.title) == ["Stalker"])
            }
            do {
                let groups = Movie.all.grouped(by: \.studioID).having { $0.count > 1 }
                #expect(try transaction.fetch(groups.select { $0.count }).isEmpty)
            }
            do {
                let groups = Movie.all.grouped(by: \.studioID).orderBy { $0.count.descending }
                #expect(try transaction.fetch(groups.select { $0.count }) == [1, 1])
            }
            do {
                let counts = try transaction.fetch(Movie.all.grouped(by: \.studioID).select { ($0.key, $0.count) })
                #expect(counts.map(\.1) == [1, 1])
            }
            do {
                let groups = Movie.all.grouped(by: \.studioID, \.voteCount).select { ($0.key.0, $0.key.1, $0.count) }
                #expect(try transaction.fetch(groups).count == 2)
            }
            do {
                let request = Movie.all.where { $0.studio.name == "Mosfilm" }
                #expect(try transaction.count(request) == 1)
            }
            do {
                let request = Movie.all.where { $0.genres.contains { $0.name == "Drama" } }
                #expect(try transaction.count(request) == 0, "its name is in lower case")
            }
            do {
                let request = Movie.all.orderBy { ($0.studio.name ?? "").ascending }
                #expect(try transaction.fetch(request).count == 2)
            }
            do {
                let request = Movie.all.orderBy { ($0.popularity * $0.voteCount.double).descending }
                #expect(try transaction.fetch(request).count == 2)
            }
            do {
                let length = Column<Movie, Int>(sql: "length(title)")
                let request = Movie.all.orderBy { _ in length.descending }
                #expect(try transaction.fetch(request).count == 2)
            }
            do {
                let isLong = Condition<Movie>(sql: "length(title) > ?", [10])
                let movies = try transaction.fetch(Movie.all.filter(isLong).where { $0.popularity > 3 })
                #expect(movies.isEmpty)
            }
            do {
                let request = Movie.all.where { $0.title.contains("strasse", ignoring: [.case, .diacritics]) }
                #expect(try transaction.count(request) == 0)
            }
            do {
                let request = Movie.all.where { $0.title.contains("mirror", ignoring: .case) }
                #expect(try transaction.count(request) <= 1)
            }
        }
        try store.write { transaction in
            try transaction.update(Movie.all) { [$0.popularity.set(to: $0.popularity * 2)] }
            try transaction.update(Movie.all) { [$0.voteCount.set(to: $0.voteCount * $0.voteCount)] }
        }
    }

    @Test func `examples of relationships`() throws {
        let store = try filledStore()
        let movie = movies[0]
        try store.write { transaction in
            try transaction.setRelated(movie, \.genres, to: [drama.id, mystery.id])
            try transaction.setRelated(movie, \.studio, to: mosfilm.id)
        }
        try store.read { transaction in
            let genres = try transaction.related(movie, \.genres)
            let studio = try transaction.related(movie, \.studio)
            #expect(genres == [drama, mystery] && studio == mosfilm)
            let genresOf = try transaction.related(movies, \.genres)
            for movie in movies { print(movie.title, genresOf[movie.id, default: []]) }
            let studioOf = try transaction.related(movies, \.studio)
            for movie in movies { print(movie.title, studioOf[movie.id]?.name ?? "") }
        }
    }

    @Test func `examples of models of your own`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        try store.write { transaction in
            let film = Film(number: 7, title: "Solaris", votes: 3)
            try transaction.insert(film)
            try transaction.upsert(film)
            film.title = "Solyaris"
            try transaction.update(film)
        }
        try store.read { transaction in
            let films = try transaction.fetch(Film.self)
            let film = try transaction.find(Film.self, id: 7)
            #expect(films.map(\.title) == ["Solyaris"] && film?.votes == 3)
        }
        try store.write { transaction in
            let film = Film(number: 7, title: "Solaris", votes: 3)
            try transaction.delete(film)
        }
    }

    @Test func `examples of stores`() async throws {
        try await withFile { (url: URL) throws in
            let store = try Store(at: url, schema: MoviesSchema.self)
            try store.write { try $0.insert(Movie(id: 7, title: "Solaris", popularity: 8)) }
            let movies = try store.read { try $0.fetch(Movie.self) }
            let count = try store.read { transaction in try transaction.count(Movie.self) }
            #expect(movies.count == 1 && count == 1)
            let movie = Movie(id: 8, title: "Mirror", popularity: 9)
            try store.write { transaction in
                try transaction.insert(movie)
                try transaction.delete(Movie.self, id: 1)
            }
        }
    }

    @Test func `examples of stores in asynchronous code`() async throws {
        try await withFile { url in
            let movies = movies
            do {
                let store = try Store(inMemory: MoviesSchema.self)
                try await store.write { try $0.insert(contentsOf: movies) }
                let movies = try await store.read { try $0.fetch(Movie.self) }
                #expect(movies.count == 2)
                let favourite = movies[0]
                for try await movies in store.observe(Movie.all.orderBy { $0.title.ascending }) {
                    print(movies.map(\.title))
                    break
                }
                for try await rows in store.observe(Movie.all.select { ($0, $0.genres.count) }) {
                    for (movie, count) in rows { print(movie.title, count) }
                    break
                }
                for try await (movies, genres) in store.observe({ try ($0.count(Movie.self), $0.count(Genre.self)) }) {
                    print(movies, genres)
                    break
                }
                for try await genres in store.observe({ try $0.related(favourite, \.genres) }) {
                    print(genres.map(\.name))
                    break
                }
            }
            let store = try await Store.open(at: url, schema: MoviesSchema.self)
            #expect(store.migrationReport == nil)
            Store.open(at: url, schema: MoviesSchema.self) { result in
                if case .success(let store) = result { print(store.isNewer) }
            }
            for try await event in Store.opening(at: url, schema: MoviesSchema.self) {
                switch event {
                case .migrating(let progress): print(progress)
                case .opened(let store): print(try await store.read { try $0.count(Movie.self) })
                }
            }
        }
    }

    @Test func `examples of migrations`() async throws {
        try await withFile { (url: URL) throws in
            let progress = Progress(totalUnitCount: 0)
            do {
                var options = StoreOptions()
                options.backup = .automatic(keep: 2)
                options.migrationProgress = { print("\($0.completedRows) of \($0.totalRows) rows") }
                let store = try Store(at: url, schema: MoviesSchema.self, options: options)
                #expect(store.migrationReport == nil)
            }
            do {
                var options = StoreOptions()
                options.report(to: progress)
                let store = try Store(at: url, schema: MoviesSchema.self, options: options)
                #expect(store.migrationReport == nil)
            }
            do {
                let store = try Store(at: url, schema: MoviesSchema.self)
                print(try store.read { try $0.count(Movie.self) })
            } catch let error as any StrataError {
                print(error.description)
            }
            let inspection = try StoreInspection(of: url, comparedWith: MoviesSchema.self)
            print(inspection.version, inspection.drift ?? [])
            do {
                let plan = try MigrationPlan(from: url, to: MoviesSchema.self)
                if !plan.steps.isEmpty { print(plan) }
            }
            let newURL = url.appendingPathExtension("new")
            try Store.migrate(from: url, to: newURL, schema: MoviesSchema.self)
        }
        try await withFile { (url: URL) throws in
            let store = try Store(at: url, schema: LaundrySchema.self)
            let id: Laundry.ID = 7
            let laundry = try store.read { try $0.find(Laundry.self, id: id) }
            #expect(laundry == nil)
            do {
                let number = 7
                let id = Laundry.ID(number)
                #expect(id == 7)
            }
            let plan = try MigrationPlan(from: url, to: LaundrySchema.self)
            print(plan)
            let report = try plan.execute(at: url, to: LaundrySchema.self)
            #expect(report == nil)
        }
        try await withFile { (url: URL) throws in
            var options = StoreOptions()
            options.newestVersion = "1.0"
            let store = try Store(at: url, schema: LaundrySchema.self, options: options)
            print(try store.read { try $0.count(LaundrySchema.V1_0.LaundryData.self) })
        }
        let needsHistory = true
        var options = StoreOptions()
        // "chain": { "1.0": ["3.0", "2.0"] }
        options.chain = { version, choices in needsHistory ? "2.0" : nil }
        #expect(options.chain?("1.0", ["3.0", "2.0"]) == "2.0")
    }

    @Test func `an example of the progress of a conversion`() {
        var options = ConversionOptions()
        options.progress = { print("\($0.completedRows) of \($0.totalRows) rows") }
        #expect(options.isCancelled == nil)
    }

    @Test func `an example of a history`() {
        var history = VersionHistory()
        history.version(
            "1.0", fingerprint: 0x1,
            """
            table note
              id integer key
            """)
        history.version(
            "1.1", fingerprint: 0x2,
            """
            change note
              + text text?
            """)
        history.step(from: "1.0", to: "1.1", "map note")
        #expect(history.versions.map(\.name) == ["1.0", "1.1"])
    }
}

/// An example of a custom migration, which is compiled.
func record(_ fixtures: Fixtures, _ version: FixtureVersion) throws {
    try fixtures.record(.migration, of: version) { fail in
        if try !fixtures.checkMigration(of: version).isEmpty { fail() }
    }
}

func rate(_ context: MigrationContext<MoviesSchema.V1_0, MoviesSchema.Newest>) throws {
    try context.execute("UPDATE \(context.tableName(of: Movie.self)) SET popularity = ?", [0.5])
}

/// Examples of reading in a custom migration, which are compiled.
func read(
    _ context: MigrationContext<LaundrySchema.V1_0, LaundrySchema.V2_0>, _ old: LaundrySchema.V1_0.Laundry,
    _ item: LaundrySchema.V1_0.LaundryItem, _ placeholder: LaundrySchema.V2_0.LaundryDetail
) throws {
    typealias V1_0 = LaundrySchema.V1_0
    typealias V2_0 = LaundrySchema.V2_0
    _ = {
        let laundry = try item.masterID.flatMap { try context.old.find(V1_0.Laundry.self, id: $0) }
        _ = laundry
    }
    _ = {
        let items = try context.old.fetch(V1_0.LaundryItem.all.where { $0.masterID == old.storeID })
        _ = items
    }
    _ = {
        let expensive = try context.old.fetch(V1_0.LaundryItem.self) { $0.price > 10 }
        _ = expensive
    }
    _ = {
        let items = try context.old.related(old, \.items)
        _ = items
    }
    _ = {
        let unnamed = try context.new.fetch(V2_0.Laundry.all.where { $0.name == nil })
        _ = unnamed
    }
    _ = {
        let items = context.old.tableName(of: V1_0.LaundryItem.self)
        let prices = try context.old.rows("SELECT price FROM \(items) WHERE master_id = ?", [old.storeID]) {
            try $0.value("price", as: Double?.self)
        }
        _ = prices
    }
    try context.delete(placeholder)
}
