import Foundation

/// The versions of a model of CoreStore, read from its sources.
///
/// A version is a `CoreStoreSchema`, which lists its entities. CoreStore makes a model of Core Data of it.
struct CoreStoreModels {
    private let source: SwiftSource
    private let path: String

    /// A version, with the hashes of its `versionLock`.
    struct Version {
        var version: CoreDataFolder.Version
        /// The first eight bytes of each hash, in hexadecimal digits, by entity.
        var hashes: [String: String]
    }

    /// Reads a file, or all `.swift` files of a folder.
    static func read(_ path: String) throws -> (versions: [Version], notes: [ImportNote]) {
        var source = SwiftSource()
        for file in try SwiftSource.files(at: path) { try source.read(try SwiftSource.text(of: file), path: file) }
        try source.linkExtensions()
        return try CoreStoreModels(source: source, path: path).versions()
    }

    /// A `CoreStoreSchema` in the sources.
    private struct Schema {
        var name: String
        var model: CoreDataModel
        var hashes: [String: String]
        var path: String
        var line: Int
    }

    private func versions() throws -> (versions: [Version], notes: [ImportNote]) {
        var schemas: [Schema] = []
        for call in try calls("CoreStoreSchema", "modelVersion", ["entities", "entityConfigurations"]) {
            let schema = try schema(call)
            // A preview can have a copy.
            let other = schemas.first { $0.name == schema.name }
            if let other, other.model != schema.model || other.hashes != schema.hashes && !schema.hashes.isEmpty {
                throw ImportError("there are two schemas \(schema.name)", path: schema.path, line: schema.line)
            }
            if other == nil { schemas.append(schema) }
        }
        guard !schemas.isEmpty else { throw ImportError("it declares no CoreStoreSchema", path: path) }
        let ordered = try order(schemas)
        let versions = ordered.map { schema in
            Version(
                version: .init(name: schema.name, path: schema.path, model: schema.model), hashes: schema.hashes)
        }
        let providers =
            try calls("CustomSchemaMappingProvider", "from", ["entityMappings"])
            + calls("XcodeSchemaMappingProvider", "from", ["mappingModelBundle"])
        let notes =
            try providers
            .map { call in
                func refusal(_ message: String) -> ImportError {
                    ImportError(message, path: call.path, line: call.line)
                }
                guard let name = call.text("to") else {
                    throw refusal("the version to which this provider migrates is not a literal")
                }
                guard let index = ordered.firstIndex(where: { $0.name == name }) else {
                    throw refusal("this provider migrates to \(name), which no CoreStoreSchema declares")
                }
                let file = URL(fileURLWithPath: call.path).lastPathComponent
                return ImportNote(version: index, finding: .mappingProvider(file: file, line: call.line))
            }
        return (versions, notes)
    }

    // MARK: Schemas

    /// A call of an initializer.
    private struct Call {
        var arguments: [(label: String?, value: [SwiftToken])]
        /// The type around the call.
        var scope: String
        var path: String
        var line: Int

        /// Returns the text of an argument; nil if it is not a literal.
        func text(_ label: String) -> String? { arguments.first { $0.label == label }?.value.stringLiteral }
    }

    /// Returns the calls of an initializer: `A(…)`, `A.init(…)`, and `.init(…)` with its labels.
    ///
    /// - Parameters:
    ///   - first: The first label.
    ///   - others: The labels of which one tells the initializer from those of other types.
    private func calls(_ name: String, _ first: String, _ others: Set<String>) throws -> [Call] {
        var calls: [Call] = []
        for file in source.files {
            let tokens = file.tokens
            for index in tokens.indices.dropFirst() {
                let line = tokens[index].line
                // `map(CoreStoreSchema.init)`
                if tokens[index].text == "init", tokens[..<index].suffix(2).map(\.text) == [name, "."],
                    index + 1 == tokens.count || tokens[index + 1].text != "("
                {
                    throw ImportError("write the call as \(name)(\(first): …)", path: file.path, line: line)
                }
                guard tokens[index].text == "(" else { continue }
                let before = tokens[..<index].suffix(3).map(\.text)
                let isNamed = before.last == name || before == [name, ".", "init"]
                guard isNamed || tokens[(index + 1)...].prefix(2).map(\.text) == [first, ":"],
                    let inside = tokens.inside(bracketAt: index)
                else { continue }
                let arguments = SwiftSource.Attribute(name: "", arguments: inside, line: line).parts
                let labels = Set(arguments.compactMap(\.label))
                // `func make(modelVersion: ModelVersion)`
                let isDeclaration = ["String", "ModelVersion"].contains(arguments.first?.value.text ?? "")
                guard !isDeclaration, isNamed || !labels.isDisjoint(with: others) else { continue }
                let scope = source.scope(of: index, in: file.path)
                calls.append(
                    Call(
                        arguments: try source.withConstants(arguments, in: scope, path: file.path), scope: scope,
                        path: file.path, line: tokens[index - 1].line))
            }
        }
        return calls
    }

    private func schema(_ call: Call) throws -> Schema {
        func refusal(_ message: String) -> ImportError { ImportError(message, path: call.path, line: call.line) }
        try CoreStoreVersion.checkLiterals(
            call.arguments, known: ["modelVersion", "entities", "entityConfigurations", "versionLock"], path: call.path)
        guard let name = call.text("modelVersion") else {
            throw refusal("the modelVersion of this schema is not a literal")
        }
        guard let elements = call.arguments.first(where: { $0.label == "entities" })?.value.listElements else {
            throw refusal("the entities of \(name) are not written as [Entity<A>(\"A\"), Entity<B>(\"B\")]")
        }
        let entities = try elements.map { element in
            guard let entry = try CoreStoreVersion.EntityEntry(element, source, scope: call.scope, path: call.path)
            else {
                throw ImportError(
                    "\(element.text) is not written as Entity<A>(\"A\")", path: call.path, line: element[0].line)
            }
            return entry
        }
        var hashes: [String: String] = [:]
        for element in call.arguments.first(where: { $0.label == "versionLock" })?.value.listElements ?? [] {
            let parts = element.split(on: ":")
            guard parts.count == 2,
                let entity = try source.constant(.init(tokens: parts[0], scope: call.scope, path: call.path)).tokens
                    .stringLiteral,
                let numbers = parts[1].listElements?.map({ SwiftTypes.integer($0.text) }), let first = numbers.first,
                let first, !numbers.contains(nil), hashes[entity] == nil
            else { throw refusal("the versionLock of \(name) is not written with literals") }
            // CoreStore reads the numbers from memory, where the first byte is the last of a number.
            let digits = String(first.byteSwapped, radix: 16)
            hashes[entity] = String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Schema(
            name: name, model: try CoreStoreVersion(source, entities: entities).model(), hashes: hashes,
            path: call.path, line: call.line)
    }

    /// Returns the schemas in the order of the migration chain; without one, in that of their names.
    ///
    /// - Throws: `ImportError` if the chain does not name the same versions as the schemas.
    private func order(_ schemas: [Schema]) throws -> [Schema] {
        guard let chain = try chain() else {
            return schemas.sorted { $0.name.compare($1.name, options: [.numeric]) == .orderedAscending }
        }
        let (names, path, line) = (chain.versions, chain.path, chain.line)
        if let other = schemas.first(where: { !names.contains($0.name) }) {
            throw ImportError(
                "the chain does not name \(other.name); add it, or import the sources without this schema", path: path,
                line: line)
        }
        return try names.map { name in
            guard let schema = schemas.first(where: { $0.name == name }) else {
                throw ImportError(
                    "the chain names \(name), which no CoreStoreSchema declares", path: path, line: line)
            }
            return schema
        }
    }

    /// Returns the migration chain; nil if there is none.
    private func chain() throws -> MigrationChain? {
        var chain: MigrationChain?
        for file in source.files {
            for index in file.tokens.indices.dropFirst() where file.tokens[index].text == "migrationChain" {
                // Only an argument is a use of it.
                guard ["(", ","].contains(file.tokens[index - 1].text), index + 2 < file.tokens.count,
                    file.tokens[index + 1].text == ":"
                else { continue }
                let value = file.tokens.argument(at: index + 2)
                let scope = source.scope(of: index, in: file.path)
                guard
                    let found = try MigrationChain(
                        .init(tokens: value, scope: scope, path: file.path), source, line: file.tokens[index].line)
                else { continue }
                if let chain, chain.versions != found.versions {
                    let first = URL(fileURLWithPath: chain.path).lastPathComponent + ":\(chain.line)"
                    throw ImportError(
                        "\(first) has another migration chain; import the sources with one of them", path: found.path,
                        line: found.line)
                }
                chain = chain ?? found
            }
        }
        return chain
    }
}
