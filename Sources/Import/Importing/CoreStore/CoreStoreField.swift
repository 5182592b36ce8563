extension CoreStoreVersion {
    /// A field of a class: `@Field.Stored("name") var name = ""`, or `let name = Value.Required<String>("name", initial: "")`.
    struct Field {
        enum Kind {
            case stored
            /// A value that an encoder makes bytes of, with its text.
            case coded(String)
            case virtual
            case relationship(isToMany: Bool, isOrdered: Bool)
        }

        /// The name in the model, and that of the Swift property.
        let name: String
        let variable: String
        let kind: Kind
        /// The type of the values, or the class at the other end.
        let type: SwiftSource.TypeName
        let isOptional: Bool
        /// The tokens of the default value.
        let value: [SwiftToken]
        /// The property at the other end.
        let inverse: String?
        /// The name in the version before, if it is another one.
        let token: String?
        let rewriteMark: String?
        let line: Int
        private let options: [(label: String?, value: [SwiftToken])]

        private static let wrappers: Set = ["Stored", "Coded", "Virtual", "Relationship"]
        /// The types by which an alias of a field is known.
        private static let types =
            wrappers.union(Legacy.kinds).union(Legacy.containers.keys).union(["Field", "FieldContainer"])

        /// Reads a property; nil if it is not a field.
        ///
        /// - Throws: `ImportError` if it is a field that cannot be read.
        init?(_ property: SwiftSource.Property, of owner: SwiftSource.Declaration, _ types: SwiftTypes) throws {
            (variable, line) = (property.name, property.line)
            func refusal(_ message: String) -> ImportError {
                ImportError("\(property.name): \(message)", path: owner.path, line: property.line)
            }
            if let attribute = property.attributes.first(where: { Self.wrappers.contains($0.name) }) {
                options = try types.withConstants(attribute.parts, of: owner)
                let (written, isOptional) = try types.type(of: property, in: owner)
                switch (written, attribute.name) {
                case (.array(let element), "Relationship"):
                    kind = .relationship(isToMany: true, isOrdered: true)
                    self.type = element
                case (.set(let element), "Relationship"):
                    kind = .relationship(isToMany: true, isOrdered: false)
                    self.type = element
                case (_, "Relationship"):
                    kind = .relationship(isToMany: false, isOrdered: false)
                    self.type = written
                case (_, "Coded"):
                    kind = .coded(options.first { $0.label == "coder" }?.value.text ?? "a coder")
                    self.type = written
                default:
                    kind = attribute.name == "Virtual" ? .virtual : .stored
                    self.type = written
                }
                self.isOptional = isOptional
                value = property.value
            } else if let legacy = try Legacy(property, refusal) {
                let written = SwiftSource.Attribute(name: "", arguments: legacy.arguments, line: line).parts
                options = try types.withConstants(written, of: owner)
                let isTransient = options.first { $0.label == "isTransient" }?.value.text == "true"
                switch legacy.container {
                case "Value": kind = isTransient ? .virtual : .stored
                case "Transformable": kind = isTransient ? .virtual : .coded("a value transformer")
                default:
                    kind = .relationship(isToMany: legacy.kind != "ToOne", isOrdered: legacy.kind == "ToManyOrdered")
                }
                type = try types.unwrapped(legacy.type, in: owner).0
                isOptional = legacy.kind == "Optional"
                value = options.first { ["initial", "default"].contains($0.label) }?.value ?? []
            } else {
                let words =
                    property.attributes.map(\.name) + [property.value, property.typeTokens].compactMap(\.first?.text)
                for word in words {
                    let type = try types.aliased(word, in: owner).map(SwiftTypes.text) ?? ""
                    if type.split(whereSeparator: { !$0.isLetter }).contains(where: { Self.types.contains(String($0)) })
                    {
                        throw refusal("write the field with \(type), and not with the alias \(word)")
                    }
                }
                return nil
            }
            guard let name = options.first(where: { $0.label == nil })?.value.stringLiteral else {
                throw refusal("its name in the model is not a literal")
            }
            self.name = name
            try CoreStoreVersion.checkLiterals(options, path: owner.path)
            let options = options
            func text(_ labels: String...) -> String? {
                options.first { labels.contains($0.label ?? "") }?.value.stringLiteral
            }
            token = text("previousVersionKeyPath", "renamingIdentifier")
            rewriteMark = text("versionHashModifier")
            // `\.$master`, or `{ $0.master }`
            inverse = options.first { $0.label == "inverse" }?.value.last { $0.kind == .word }?.text
        }

        /// Returns the text of an option.
        func option(_ label: String) -> String? {
            options.first { $0.label == label }?.value.text
        }

        func has(_ label: String) -> Bool { option(label) == "true" }

        func deletionRule(_ refusal: (String) -> ImportError) throws -> String {
            guard let rule = options.first(where: { $0.label == "deleteRule" })?.value.last?.text else {
                return "Nullify"
            }
            guard let known = ["nullify": "Nullify", "cascade": "Cascade", "deny": "Deny"][rule] else {
                throw refusal("the delete rule \(rule) is unknown")
            }
            return known
        }

        /// The parts of `Value.Required<String>("name", initial: "")`.
        private struct Legacy {
            var container: String
            var kind: String
            var type: SwiftSource.TypeName
            var arguments: [SwiftToken]

            static let kinds: Set = ["Required", "Optional", "ToOne", "ToManyOrdered", "ToManyUnordered"]
            static let containers = [
                "Value": "Value", "ValueContainer": "Value", "Transformable": "Transformable",
                "TransformableContainer": "Transformable", "Relationship": "Relationship",
                "RelationshipContainer": "Relationship",
            ]

            /// Reads the value of a property, with its type if the value is `.init(…)`; nil if it is something else.
            ///
            /// - Throws: The refusal, if it is a field that cannot be read.
            init?(_ property: SwiftSource.Property, _ refusal: (String) -> ImportError) throws {
                let all = property.typeTokens + property.value
                let mention = all.indices.dropFirst().first { index in
                    all[index - 1].text == "." && Self.kinds.contains(all[index].text)
                        && all[..<(index - 1)].contains { Self.containers[$0.text] != nil }
                }
                guard mention != nil else { return nil }
                // `let name: Value.Required<String> = .init("name", initial: "")`
                let isShort = property.value.prefix(3).map(\.text) == [".", "init", "("]
                let tokens = isShort ? property.typeTokens + property.value.dropFirst(2) : property.value
                guard let open = tokens.firstIndex(where: { $0.text == "(" }),
                    let inside = tokens.inside(bracketAt: open),
                    open + inside.count + 2 == tokens.count
                else { throw refusal("write the field as Value.Required<String>(\"name\", initial: \"\")") }
                var head = Array(tokens[..<open])
                if head.suffix(2).map(\.text) == [".", "init"] { head.removeLast(2) }
                guard let index = head.lastIndex(where: { Self.kinds.contains($0.text) }), index + 1 < head.count,
                    head[index + 1].text == "<", head.last?.text == ">",
                    let container = head[..<index].compactMap({ Self.containers[$0.text] }).last,
                    let type = SwiftParser.type(of: Array(head[(index + 2)...].dropLast()))
                else { throw refusal("write the field as Value.Required<String>(\"name\", initial: \"\")") }
                (self.container, kind, self.type, arguments) = (container, head[index].text, type, inside)
            }
        }
    }
}
