/// A file to be written, and where it belongs.
public struct GeneratedFile: Hashable, Sendable {
    /// The folder that the file belongs to.
    public enum Place: Hashable, Sendable {
        /// Swift for the model's target: `Generated/` of the model, or the build plugin's folder.
        case sources
        /// `Migrations/` of the model: written once, then a person's.
        case migrations
        /// `SQL/` of the model.
        case sql
        /// The model's folder itself.
        case model
        /// Swift for the test target: `Generated/` of it, or the build plugin's folder.
        case tests
    }

    /// The folder that the file belongs to.
    public var place: Place
    /// The file's name.
    public var name: String
    /// What it holds.
    public var contents: String

    /// A file of `contents`.
    public init(place: Place, name: String, contents: String) {
        self.place = place
        self.name = name
        self.contents = contents
    }
}
