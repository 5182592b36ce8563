import Mustache

/// The values of `NotStored.swift`: a file that a build must have, though the description has nothing for it.
struct NotStoredFile: TemplateValues {
    let source: String

    static let fields: [TemplateField<Self>] = [.text("source", \.source, "the file name of the description")]
}
