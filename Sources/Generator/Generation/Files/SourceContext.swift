import Mustache

/// The schema, the access level and the modules that the lines of a source file name.
struct SourceContext: TemplateValues {
    let schema: String
    let access: String
    let swift: String
    let strata: String

    static let fields: [TemplateField<Self>] = [
        .text("schema", \.schema, "the name of the schema's type"),
        .text("access", \.access, "the access modifier with a space after it; empty for `internal`"),
        .text("swift", \.swift, "the module `Swift` with a dot, if its types need it; else empty"),
        .text("strata", \.strata, "the module `Strata` with a dot, if its types need it; else empty"),
    ]
}

extension Generator {
    var sourceContext: SourceContext {
        SourceContext(
            schema: history.name, access: options.access.modifier, swift: names.swift, strata: names.strata)
    }
}
