import Mustache

/// The values of `NotStored.swift`: the file that a build has for a description of nothing that is stored.
struct NotStoredFile: TemplateValues {
    let source: String

    static let fields: [TemplateField<Self>] = [.text("source", \.source, "the file name of the description")]
}
