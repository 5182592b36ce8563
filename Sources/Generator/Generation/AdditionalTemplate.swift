import Mustache
import SchemaModel

/// A template of your own that renders more files: one for each entity, one for each subtype, or one for the schema.
///
/// Its name says which: `Entity+Mock.swift` renders `movie.strata+Mock.swift` for `movie.json`. The build plugin knows the same
/// rule.
package struct AdditionalTemplate: Sendable {
    enum Subject: String {
        case entity = "Entity"
        case subtype = "Subtype"
        case schema = "Schema"
    }

    /// The part of the model that each of its files belongs to.
    let subject: Subject
    /// The part of its name that is yours: `Mock`.
    let name: String
    /// The name of the template: `Entity+Mock.swift`.
    var template: String { "\(subject.rawValue)+\(name).swift" }

    /// Creates an additional template; nil if the template `name` is not one.
    package init?(_ name: String) {
        guard let match = name.wholeMatch(of: /(Entity|Subtype|Schema)\+([A-Za-z0-9_]+)\.swift/),
            let subject = Subject(rawValue: String(match.1))
        else { return nil }
        self.subject = subject
        self.name = String(match.2)
    }

    /// Returns whether a file has a name that additional templates give to their files.
    package static func isOutput(_ fileName: String) -> Bool {
        fileName.contains(/(\.strata|^Strata\.schema)\+[A-Za-z0-9_]+\.swift$/)
    }

    /// Returns the name of the file for the description `baseName`.json. No other generated file can have it.
    static func outputName(_ name: String, _ baseName: String) -> String { "\(baseName).strata+\(name).swift" }
}

extension Generator {
    /// Returns the files of the additional templates.
    ///
    /// - Parameter isBuilt: Whether a build generates the files. It has a file for each description and name.
    func additionalSources(isBuilt: Bool) -> [Artifact] {
        guard !additional.isEmpty else { return [] }
        let entities = history.entityLineages.map { (history.sources[$0], entityFile($0)) }
        let subtypes = history.subtypeLineages.map { (history.subtypeSources[$0], subtypeFile($0)) }
        var files: [Artifact] = []
        func add<Values: TemplateValues>(_ template: AdditionalTemplate, _ values: [(source: String, file: Values?)]) {
            for case (let source, let file?) in values {
                files.append(
                    Artifact(
                        .sources, AdditionalTemplate.outputName(template.name, source), template.template, file))
            }
        }
        for template in additional {
            switch template.subject {
            case .entity: add(template, entities)
            case .subtype: add(template, subtypes)
            case .schema:
                let values = NewestTypes(
                    context: sourceContext, module: options.module, version: history.newest.version.text,
                    entities: entities.compactMap(\.1), subtypes: subtypes.compactMap(\.1))
                files.append(Artifact(.sources, "Strata.schema+\(template.name).swift", template.template, values))
            }
        }
        guard isBuilt else { return files }
        let rendered = Set(files.map(\.name))
        let names = Set(additional.filter { $0.subject != .schema }.map(\.name)).sorted()
        for source in entities.map(\.0) + subtypes.map(\.0) + history.unpersisted {
            for file in names.map({ AdditionalTemplate.outputName($0, source) }) where !rendered.contains(file) {
                files.append(Artifact(.sources, file, "NotStored.swift", NotStoredFile(source: source + ".json")))
            }
        }
        return files
    }
}

/// The values of `Schema+NAME.swift`: all types of the newest version.
struct NewestTypes: TemplateValues {
    let context: SourceContext
    let module: String
    let version: String
    let entities: [EntityFile]
    let subtypes: [SubtypeFile]

    static let fields: [TemplateField<Self>] =
        TemplateField.all(of: \.context) + [
            .text("module", \.module, "the name of the target's module"),
            .text("version", \.version, "the newest version"),
            .list("entities", \.entities, "the entities, by the names of their descriptions"),
            .list("subtypes", \.subtypes, "the subtypes, by the names of their descriptions"),
        ]
}
