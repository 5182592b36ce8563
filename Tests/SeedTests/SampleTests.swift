import Movies
import Strata
import StrataTesting
import Testing

/// Samples in a target without the tests of the model.
@Suite struct SampleTests {
    @Test func `a target with samples gets rows of every version`() throws {
        let movie = try MoviesSchema.sample(Movie.self)
        let other = try MoviesSchema.sample(Movie.self, 1)
        #expect(try MoviesSchema.sample(Movie.self) == movie)
        #expect(other.id != movie.id)
        #expect(try MoviesSchema.sample(MoviesSchema.V1_0.Movie.self).title == movie.title)
    }

    @Test func `samples can be written and read again`() throws {
        let store = try Store(inMemory: MoviesSchema.self)
        let movies = try (0..<20).map { try MoviesSchema.sample(Movie.self, $0) }
        try store.write { try $0.insert(contentsOf: movies) }
        #expect(try store.read { try $0.fetch(Movie.self) } == movies)
    }
}
