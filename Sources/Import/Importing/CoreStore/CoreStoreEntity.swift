extension CoreStoreVersion {
    /// `Entity<V1.Laundry>("Laundry")`.
    struct EntityEntry {
        var type: String
        var name: String
        var isAbstract = false
        var rewriteMark: String?
        /// The paths of each compound index, and of each constraint, as names of properties.
        var indexes: [[String]] = []
        var constraints: [[String]] = []
        var path: String
        var line: Int

        /// The type around the schema.
        var scope: String

        /// Reads an element of the list of entities; nil if it is something else.
        init?(_ tokens: [SwiftToken], _ source: SwiftSource, scope: String, path: String) throws {
            guard let open = tokens.firstIndex(where: { $0.text == "(" }), open > 3, tokens[0].text == "Entity",
                tokens[1].text == "<", tokens[open - 1].text == ">",
                let type = tokens[2..<(open - 1)].map({ $0 }).names, let arguments = tokens.inside(bracketAt: open),
                open + arguments.count + 2 == tokens.count
            else { return nil }
            self.type = type.joined(separator: ".")
            (self.path, self.scope) = (path, scope)
            line = tokens[0].line
            let written = SwiftSource.Attribute(name: "", arguments: arguments, line: line).parts
            let parts = try source.withConstants(written, in: scope, path: path)
            try CoreStoreVersion.checkLiterals(
                parts, known: ["isAbstract", "versionHashModifier", "indexes", "uniqueConstraints"], path: path)
            guard let name = parts.first(where: { $0.label == nil })?.value.stringLiteral else { return nil }
            self.name = name
            for (label, value) in parts {
                switch label {
                case "isAbstract": isAbstract = value.text == "true"
                case "versionHashModifier": rewriteMark = value.stringLiteral
                case "indexes": indexes = try Self.paths(value, path: path)
                case "uniqueConstraints": constraints = try Self.paths(value, path: path)
                default: break
                }
            }
        }

        /// `[[\.$name, \.$price]]`
        private static func paths(_ tokens: [SwiftToken], path: String) throws -> [[String]] {
            try (tokens.listElements ?? []).map { list in
                guard let elements = list.listElements, elements.allSatisfy({ $0.first?.text == "\\" }) else {
                    throw ImportError("\(list.text) is not a list of key paths", path: path, line: list.first?.line)
                }
                return elements.compactMap { $0.last?.text }
            }
        }
    }

    /// Checks the arguments that an import reads.
    ///
    /// - Parameter known: The labels that there are; nil if others do not matter.
    /// - Throws: `ImportError` with the line of one that is not a literal, or not known.
    static func checkLiterals(
        _ parts: [(label: String?, value: [SwiftToken])], known: Set<String>? = nil, path: String
    ) throws {
        for case (let label?, let value) in parts {
            guard let first = value.first, value.map(\.text) != ["nil"] else { continue }
            if let known, !known.contains(label) {
                throw ImportError("the argument \(label) is unknown", path: path, line: first.line)
            }
            let isLiteral =
                switch label {
                case "previousVersionKeyPath", "renamingIdentifier", "versionHashModifier": value.stringLiteral != nil
                case "isAbstract", "isTransient", "isIndexed", "allowsExternalBinaryDataStorage":
                    ["true", "false"].contains(value.text)
                case "indexes", "uniqueConstraints", "versionLock": value.listElements != nil
                default: true
                }
            if !isLiteral {
                throw ImportError("\(label): \(value.text) is not a literal", path: path, line: first.line)
            }
        }
    }
}
