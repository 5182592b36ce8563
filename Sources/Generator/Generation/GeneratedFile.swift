import SQLSchema

/// A generated file with the folder that it belongs to.
package struct GeneratedFile: Hashable, Sendable {
    /// The folders that files belong to.
    package enum Place: Hashable, Sendable {
        /// The Swift files of the model's target: `Generated/` in the model's folder, or the build plugin's folder.
        case sources
        /// `Migrations/` in the model's folder. Its files are generated once. After that, you edit them.
        case migrations
        /// `SQL/` in the model's folder.
        case sql
        /// The model's folder.
        case model
        /// The Swift files of the test target: `Generated/` in the target's folder, or the build plugin's folder.
        case tests
    }

    /// The folder that the file belongs to.
    package var place: Place
    /// The name of the file.
    package var name: String
    /// The text of the file.
    package var contents: String

    /// Creates a generated file.
    package init(place: Place, name: String, contents: String) {
        self.place = place
        self.name = name
        self.contents = contents
    }
}
