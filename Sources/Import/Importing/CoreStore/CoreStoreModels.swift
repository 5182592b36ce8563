import Foundation

/// The versions of a model of CoreStore, read from its sources.
///
/// A version is a `CoreStoreSchema`, which lists its entities. CoreStore makes a model of Core Data of it.
struct CoreStoreModels {
    private let source: SwiftSource
    /// The tokens of each file: schemas are values, which may be anywhere.
    private let files: [(path: String, tokens: [SwiftToken])]
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
        var files: [(path: String, tokens: [SwiftToken])] = []
        for file in try SwiftSource.files(at: path) {
            let text = try SwiftSource.text(of: file)
            try source.read(text, path: file)
            files.append((file, try SwiftLexer.tokens(of: text, path: file)))
        }
        return try CoreStoreModels(source: source, files: files, path: path).versions()
    }

    /// A `CoreStoreSchema` in the sources.
    private struct Schema {
        var name: String
        var entities: [CoreStoreVersion.EntityEntry]
        var hashes: [String: String]
        var path: String
        var line: Int
    }

    private func versions() throws -> (versions: [Version], notes: [ImportNote]) {
        let schemas = try calls("CoreStoreSchema").map(schema)
        guard !schemas.isEmpty else { throw ImportError("there is no CoreStoreSchema in it", path: path) }
        for (index, schema) in schemas.enumerated() where schemas[..<index].contains(where: { $0.name == schema.name })
        {
            throw ImportError("there are two schemas \(schema.name)", path: schema.path, line: schema.line)
        }
        let ordered = try order(schemas)
        let versions = try ordered.map { schema in
            let reader = CoreStoreVersion(source, entities: schema.entities)
            return Version(
                version: .init(name: schema.name, path: schema.path, model: try reader.model()), hashes: schema.hashes)
        }
        let notes = try calls("CustomSchemaMappingProvider").compactMap { call -> ImportNote? in
            let arguments = SwiftSource.Attribute(name: "", arguments: call.arguments, line: call.line).parts
            guard case .string(let name?)? = arguments.first(where: { $0.label == "to" })?.value.first?.kind else {
                throw ImportError(
                    "the version to which this provider migrates is not a literal", path: call.path, line: call.line)
            }
            guard let index = ordered.firstIndex(where: { $0.name == name }) else { return nil }
            let file = URL(fileURLWithPath: call.path).lastPathComponent
            return ImportNote(version: index, finding: .mappingProvider(file: file, line: call.line))
        }
        return (versions, notes)
    }

    // MARK: Schemas

    /// Returns the calls of an initializer, with the tokens of their arguments.
    private func calls(_ name: String) -> [(arguments: [SwiftToken], path: String, line: Int)] {
        files.flatMap { file in
            file.tokens.indices.compactMap { index -> (arguments: [SwiftToken], path: String, line: Int)? in
                guard file.tokens[index].text == name else { return nil }
                // `let schema: CoreStoreSchema = .init(…)`
                let rest = file.tokens[(index + 1)...]
                let open = index + (rest.prefix(3).map(\.text) == ["=", ".", "init"] ? 4 : 1)
                guard open < file.tokens.count, file.tokens[open].text == "(",
                    let arguments = file.tokens.inside(bracketAt: open)
                else { return nil }
                return (arguments, file.path, file.tokens[index].line)
            }
        }
    }

    private func schema(_ call: (arguments: [SwiftToken], path: String, line: Int)) throws -> Schema {
        let parts = SwiftSource.Attribute(name: "", arguments: call.arguments, line: call.line).parts
        func refusal(_ message: String) -> ImportError { ImportError(message, path: call.path, line: call.line) }
        try CoreStoreVersion.checkLiterals(parts, path: call.path)
        guard case .string(let name?)? = parts.first(where: { $0.label == "modelVersion" })?.value.first?.kind else {
            throw refusal("the modelVersion of this schema is not a literal")
        }
        guard let list = parts.first(where: { $0.label == "entities" })?.value,
            let elements = list.inside(bracketAt: 0)?.split(on: ",")
        else { throw refusal("the entities of \(name) are not written as [Entity<A>(\"A\"), Entity<B>(\"B\")]") }
        let entities = try elements.map { element in
            guard let entry = try CoreStoreVersion.EntityEntry(element, path: call.path) else {
                throw ImportError(
                    "\(element.text) is not written as Entity<A>(\"A\")", path: call.path, line: element[0].line)
            }
            return entry
        }
        var hashes: [String: String] = [:]
        let lock = parts.first { $0.label == "versionLock" }?.value.inside(bracketAt: 0) ?? []
        for element in lock.split(on: ",") {
            guard element.count > 3, case .string(let entity?) = element[0].kind, element[1].text == ":",
                let number = element[3].text.lowercased().split(separator: "x").last,
                let first = UInt64(number.filter { $0 != "_" }, radix: 16)
            else { throw refusal("the versionLock of \(name) is not written with literals") }
            // CoreStore reads the numbers from memory, where the first byte is the last of a number.
            let digits = String(first.byteSwapped, radix: 16)
            hashes[entity] = String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Schema(name: name, entities: entities, hashes: hashes, path: call.path, line: call.line)
    }

    /// Returns the schemas in the order of the migration chain; without one, in that of their names.
    ///
    /// - Throws: `ImportError` if the chain does not name the same versions as the schemas.
    private func order(_ schemas: [Schema]) throws -> [Schema] {
        guard let (names, path, line) = try chain() else {
            return schemas.sorted { $0.name.compare($1.name, options: [.numeric]) == .orderedAscending }
        }
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

    /// Returns the versions of `migrationChain`, oldest first; nil if there is none.
    ///
    /// - Throws: `ImportError` if its elements are not literals.
    private func chain() throws -> (names: [String], path: String, line: Int)? {
        for file in files {
            for index in file.tokens.indices where file.tokens[index].text == "migrationChain" {
                guard index + 2 < file.tokens.count, file.tokens[index + 1].text == ":",
                    file.tokens[index + 2].text == "[",
                    let elements = file.tokens.inside(bracketAt: index + 2)?.split(on: ","), !elements.isEmpty,
                    // The type of a parameter.
                    elements.map(\.text) != ["String"]
                else { continue }
                let links = elements.map {
                    $0.compactMap { if case .string(let text?) = $0.kind { text } else { nil } }
                }
                // `"V1"`, or `"V1": "V2"`
                let isPaired = links[0].count == 2
                guard
                    zip(links, elements).allSatisfy({ $0.count == (isPaired ? 2 : 1) && $1.count == (isPaired ? 3 : 1) }
                    )
                else {
                    throw ImportError(
                        "the migration chain is not written with literals", path: file.path,
                        line: file.tokens[index].line)
                }
                var names = links.map { $0[0] }
                if isPaired {
                    // `["V1": "V3", "V2": "V3"]`: a version comes after all that lead to it.
                    names = []
                    var rest = Set(links.flatMap(\.self))
                    while let next = rest.sorted(by: { $0.compare($1, options: [.numeric]) == .orderedAscending })
                        .first(where: { name in !links.contains { $0[1] == name && rest.contains($0[0]) } })
                    {
                        names.append(next)
                        rest.remove(next)
                    }
                }
                return (names, file.path, file.tokens[index].line)
            }
        }
        return nil
    }
}
