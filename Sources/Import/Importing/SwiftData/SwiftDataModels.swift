import Foundation

/// The versions of a SwiftData model, read from its sources.
///
/// A version is an enum that conforms to `VersionedSchema`; without one, all models are a single version. SwiftData keeps
/// its store in the layout of Core Data, so a version becomes a model of Core Data.
struct SwiftDataModels {
    private var source = SwiftSource()
    private let path: String

    /// Reads a file, or all `.swift` files of a folder.
    static func read(_ path: String) throws -> (versions: [CoreDataFolder.Version], notes: [ImportNote]) {
        var models = SwiftDataModels(path: path)
        for file in try SwiftSource.files(at: path) {
            try models.source.read(try SwiftSource.text(of: file), path: file)
        }
        try models.source.linkExtensions()
        return try models.versions()
    }

    private init(path: String) { self.path = path }

    // MARK: Versions

    private func versions() throws -> (versions: [CoreDataFolder.Version], notes: [ImportNote]) {
        let schemas = source.declarations.filter { $0.inherits.contains { $0.hasSuffix("VersionedSchema") } }
        if schemas.isEmpty {
            let models = source.declarations.filter(\.isModel)
            guard let first = models.first else {
                throw ImportError("there is neither a VersionedSchema nor a class with @Model in it", path: path)
            }
            let reader = SwiftDataVersion(source, schema: nil, models: models)
            return ([.init(name: "1.0", path: first.path, model: try reader.model())], [])
        }
        let plans = source.declarations.filter { $0.inherits.contains { $0.hasSuffix("SchemaMigrationPlan") } }
        if plans.count > 1 {
            throw ImportError(
                "the plan \(plans[1].name) is here beside \(plans[0].name): import the sources with the one that you ship",
                path: plans[1].path, line: plans[1].line)
        }
        let plan = plans.first
        var listed: [String] = []
        if let plan {
            guard let types = Self.types(in: property("schemas", of: plan)) else {
                throw ImportError(
                    "the schemas of the plan are not written as [A.self, B.self]", path: plan.path, line: plan.line)
            }
            listed = types
        }
        var ordered: [(schema: SwiftSource.Declaration, number: [Int])] = []
        for schema in schemas { ordered.append((schema, try number(of: schema))) }
        if listed.isEmpty {
            ordered.sort { $0.number.lexicographicallyPrecedes($1.number) }
        } else {
            ordered = try listed.map { name in
                let type = try source.declaration(name, in: SwiftSource.scopes(of: plan?.name ?? ""))
                guard let found = ordered.first(where: { $0.schema.name == type?.name })
                else {
                    throw ImportError(
                        "the plan names \(name), which these sources do not declare as a VersionedSchema",
                        path: plan?.path ?? path,
                        line: plan?.line)
                }
                return found
            }
        }
        for ((_, one), (schema, other)) in zip(ordered, ordered.dropFirst()) where !one.lexicographicallyPrecedes(other)
        {
            throw ImportError(
                "its versionIdentifier, \(Self.text(other)), does not come after \(Self.text(one))", path: schema.path,
                line: schema.line)
        }
        let stages = try customStages()
        var versions: [CoreDataFolder.Version] = []
        var notes: [ImportNote] = []
        var listedModels: Set<String> = []
        for (index, (schema, number)) in ordered.enumerated() {
            let models = try models(of: schema)
            listedModels.formUnion(models.map(\.name))
            let reader = SwiftDataVersion(source, schema: schema, models: models)
            versions.append(.init(name: Self.text(number), path: schema.path, model: try reader.model()))
            if let stage = stages.first(where: { $0.schema == schema.name }) {
                let file = URL(fileURLWithPath: stage.path).lastPathComponent
                notes.append(ImportNote(version: index, finding: .customStage(file: file, line: stage.line)))
            }
        }
        let unlisted = unlisted(besides: ordered.map(\.schema), listedModels, schemas)
        return (versions, notes + unlisted.map { ImportNote(version: versions.count - 1, finding: $0) })
    }

    /// Returns the schemas and models that belong to no version, without the models of such schemas.
    private func unlisted(
        besides versions: [SwiftSource.Declaration], _ models: Set<String>, _ schemas: [SwiftSource.Declaration]
    ) -> [ImportFinding] {
        let unlisted = schemas.filter { schema in !versions.contains { $0.name == schema.name } }
        let unlistedModels = source.declarations.filter { declaration in
            declaration.isModel && !models.contains(declaration.name)
                && !unlisted.contains { declaration.name.hasPrefix($0.name + ".") }
        }
        return (unlisted + unlistedModels).map {
            .unlisted($0.name, file: Self.fileName($0), line: $0.line)
        }
    }

    private static func fileName(_ declaration: SwiftSource.Declaration) -> String {
        URL(fileURLWithPath: declaration.path).lastPathComponent
    }

    private static func text(_ number: [Int]) -> String { number.map(String.init).joined(separator: ".") }

    /// Returns the tokens of a property's value or getter in the body of a type or of its extensions.
    private func property(_ name: String, of declaration: SwiftSource.Declaration) -> [SwiftToken] {
        for body in source.declarations.filter({ $0.name == declaration.name }).map(\.body) {
            var depth = 0
            for (index, token) in body.enumerated() {
                if token.kind == .symbol, "([{".contains(token.text) { depth += 1 }
                if token.kind == .symbol, ")]}".contains(token.text) { depth -= 1 }
                if depth == 0, index > 0, token.text == name, ["var", "let"].contains(body[index - 1].text) {
                    return Self.value(in: Array(body[(index + 1)...]))
                }
            }
        }
        return []
    }

    /// Returns the getter, or the value up to the end of its last line, with the symbol before it.
    private static func value(in tokens: [SwiftToken]) -> [SwiftToken] {
        var depth = 0
        var start: Int?
        for (index, token) in tokens.enumerated() {
            let isSymbol = token.kind == .symbol
            if let start, depth == 0, index > start + 1, token.line > tokens[index - 1].line || token.text == ";",
                !(isSymbol && "+.".contains(token.text))
            {
                return Array(tokens[start..<index])
            }
            if start == nil, depth == 0, isSymbol, "={".contains(token.text) { start = index }
            if isSymbol, "([{".contains(token.text) { depth += 1 }
            if isSymbol, ")]}".contains(token.text) { depth -= 1 }
            if let start, depth == 0, tokens[start].text == "{" { return Array(tokens[start...index]) }
        }
        return start.map { Array(tokens[$0...]) } ?? []
    }

    /// Returns the types in `{ [Note.self, Folder.self] }`.
    ///
    /// - Returns: The names; nil if the tokens are something else, such as a sum of lists.
    private static func types(in tokens: [SwiftToken]) -> [String]? {
        var list = tokens[...]
        if list.first?.text == "{", list.last?.text == "}" {
            list = list.dropFirst().dropLast()
        } else if list.first?.text == "=" {
            list = list.dropFirst()
        }
        if list.first?.text == "return" { list = list.dropFirst() }
        guard list.first?.text == "[", list.last?.text == "]" else { return nil }
        var names: [String] = []
        for element in Array(list.dropFirst().dropLast()).split(on: ",") where !element.isEmpty {
            let parts = element.split { $0.text == "." }
            guard element.count == 2 * parts.count - 1, parts.count > 1, parts.last?.first?.text == "self",
                parts.allSatisfy({ $0.first?.kind == .word })
            else { return nil }
            names.append(parts.dropLast().compactMap(\.first?.text).joined(separator: "."))
        }
        return names
    }

    /// Returns the number in `Schema.Version(1, 0, 0)`.
    private func number(of schema: SwiftSource.Declaration) throws -> [Int] {
        let tokens = property("versionIdentifier", of: schema)
        let numbers = tokens.filter { $0.kind == .number }.compactMap { Int($0.text) }
        guard numbers.count == 3, numbers.allSatisfy({ $0 < 1_000_000 }) else {
            throw ImportError(
                "its versionIdentifier is not written as Schema.Version(1, 0, 0)", path: schema.path, line: schema.line)
        }
        return numbers
    }

    /// Returns the models that a version lists.
    private func models(of schema: SwiftSource.Declaration) throws -> [SwiftSource.Declaration] {
        let tokens = property("models", of: schema)
        if let line = schema.conditionLine ?? tokens.first(where: { $0.text.hasPrefix("#") })?.line {
            throw ImportError(
                "#if in a VersionedSchema is not supported: import the branch that you ship", path: schema.path,
                line: line)
        }
        guard let names = Self.types(in: tokens), !names.isEmpty else {
            let call = tokens.first { ["append", "insert", "+="].contains($0.text) || $0.text == "+" }
            let reason = call.map { "its models are put together with \($0.text): write them as [A.self, B.self]" }
            throw ImportError(
                reason ?? "its models are not written as [A.self, B.self]", path: schema.path,
                line: call?.line ?? schema.line)
        }
        return try names.map { name in
            guard let model = try source.declaration(name, in: SwiftSource.scopes(of: schema.name)), model.isModel
            else {
                throw ImportError("the class \(name) with @Model is missing", path: schema.path, line: schema.line)
            }
            return model
        }
    }

    /// Returns the custom stages, with the complete names of the schemas to which they lead.
    private func customStages() throws -> [(schema: String, path: String, line: Int)] {
        try source.files.flatMap { file in
            try file.tokens.indices.dropFirst().compactMap { index in
                guard file.tokens[index].text == "(", file.tokens[index - 1].text == "custom",
                    let inside = file.tokens.inside(bracketAt: index)
                else { return nil }
                let line = file.tokens[index - 1].line
                let parts = SwiftSource.Attribute(name: "", arguments: inside, line: line).parts
                guard let type = parts.first(where: { $0.label == "toVersion" })?.value.names,
                    type.count > 1, type.last == "self"
                else { return nil }
                let scopes = SwiftSource.scopes(of: source.scope(of: index, in: file.path))
                let schema = try source.declaration(type.dropLast().joined(separator: "."), in: scopes)
                return schema.map { ($0.name, file.path, line) }
            }
        }
    }
}
