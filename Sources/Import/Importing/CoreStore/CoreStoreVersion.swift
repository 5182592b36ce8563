/// Maps the classes of one version of CoreStore to a model of Core Data.
struct CoreStoreVersion {
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

        /// Reads an element of the list of entities; nil if it is something else.
        init?(_ tokens: [SwiftToken], path: String) throws {
            guard let open = tokens.firstIndex(where: { $0.text == "(" }), open > 3, tokens[0].text == "Entity",
                tokens[1].text == "<", tokens[open - 1].text == ">", let arguments = tokens.inside(bracketAt: open)
            else { return nil }
            type = tokens[2..<(open - 1)].map(\.text).joined()
            self.path = path
            line = tokens[0].line
            var name: String?
            let parts = SwiftSource.Attribute(name: "", arguments: arguments, line: line).parts
            try CoreStoreVersion.checkLiterals(parts, path: path)
            for part in parts {
                switch (part.label, part.value.first?.kind) {
                case (nil, .string(let text?)): name = text
                case ("isAbstract", _): isAbstract = part.value.first?.text == "true"
                case ("versionHashModifier", .string(let text)): rewriteMark = text
                case ("indexes", _): indexes = Self.paths(part.value)
                case ("uniqueConstraints", _): constraints = Self.paths(part.value)
                default: break
                }
            }
            guard let name else { return nil }
            self.name = name
        }

        /// `[[\.$name, \.$price]]`
        private static func paths(_ tokens: [SwiftToken]) -> [[String]] {
            (tokens.inside(bracketAt: 0) ?? []).split(on: ",").map { list in
                (list.inside(bracketAt: 0) ?? []).split(on: ",").compactMap { $0.last?.text }
            }
        }
    }

    private let source: SwiftSource
    private let types: SwiftTypes
    private let entities: [EntityEntry]

    init(_ source: SwiftSource, entities: [EntityEntry]) {
        self.source = source
        types = SwiftTypes(source, schema: nil)
        self.entities = entities
    }

    /// Checks the arguments that an import reads.
    ///
    /// - Throws: `ImportError` with the line of one that is not a literal.
    static func checkLiterals(_ parts: [(label: String?, value: [SwiftToken])], path: String) throws {
        for case (let label?, let value) in parts {
            guard let first = value.first, value.map(\.text) != ["nil"] else { continue }
            let isLiteral =
                switch label {
                case "previousVersionKeyPath", "renamingIdentifier", "versionHashModifier":
                    if case .string(_?) = first.kind { value.count == 1 } else { false }
                case "isAbstract", "isTransient", "allowsExternalBinaryDataStorage":
                    ["true", "false"].contains(value.text)
                case "indexes", "uniqueConstraints", "versionLock": first.text == "["
                default: true
                }
            if !isLiteral {
                throw ImportError("\(label): \(value.text) is not a literal", path: path, line: first.line)
            }
        }
    }

    func model() throws -> CoreDataModel {
        var model = CoreDataModel()
        var fields: [[Field]] = []
        for entry in entities {
            guard let declaration = declaration(of: entry.type) else {
                throw ImportError("the class \(entry.type) is missing", path: entry.path, line: entry.line)
            }
            if let line = declaration.conditionLine {
                throw ImportError(
                    "#if in a class is not supported: import the branch that you ship", path: declaration.path,
                    line: line)
            }
            var entity = CoreDataModel.Entity(name: entry.name, line: declaration.line)
            entity.isAbstract = entry.isAbstract
            entity.rewriteMark = entry.rewriteMark
            let parents = declaration.inherits.flatMap { scopes(of: declaration.name, $0) }
            entity.parent = entities.first { parents.contains(self.declaration(of: $0.type)?.name ?? "") }?.name
            let own = try declaration.properties.compactMap { try Field($0, of: declaration, types) }
            for field in own { try add(field, of: declaration, to: &entity) }
            model.entities.append(entity)
            fields.append(own)
        }
        try connectInverses(&model, fields)
        for (index, entry) in entities.enumerated() {
            // A path can lead to a property of a superclass.
            func name(_ variable: String, in entity: CoreDataModel.Entity) -> String {
                guard let place = model.entities.firstIndex(where: { $0.name == entity.name }) else { return variable }
                if let field = fields[place].first(where: { $0.variable == variable }) { return field.name }
                let parent = model.entities.first { $0.name == entity.parent }
                return parent.map { name(variable, in: $0) } ?? variable
            }
            let entity = model.entities[index]
            model.entities[index].indexes = entry.indexes.map { path in
                CoreDataModel.Index(properties: path.map { name($0, in: entity) })
            }
            model.entities[index].uniquenessConstraints = entry.constraints.map { $0.map { name($0, in: entity) } }
        }
        return model
    }

    /// The complete names that a name can have in a type.
    private func scopes(of owner: String, _ name: String) -> [String] {
        let parts = owner.split(separator: ".").dropLast()
        return parts.indices.reversed().map { parts[...$0].joined(separator: ".") + "." + name } + [name]
    }

    private func declaration(of type: String) -> SwiftSource.Declaration? {
        var name = type
        for _ in 0..<16 {
            if let found = source.declarations.first(where: { $0.name == name && $0.kind == "class" }) { return found }
            guard case .named(let other)? = source.aliases[name] else { return nil }
            name = other
        }
        return nil
    }

    // MARK: Fields

    private func add(
        _ field: Field, of owner: SwiftSource.Declaration, to entity: inout CoreDataModel.Entity
    ) throws {
        func refusal(_ message: String) -> ImportError {
            ImportError("\(field.name): \(message)", path: owner.path, line: field.line)
        }
        var losses: [ImportFinding] = []
        var content: CoreDataModel.Attribute
        switch field.kind {
        case .virtual:
            entity.unstored.append((field.name, .transient, false))
            return
        case .relationship(let isToMany, let isOrdered):
            guard case .named(let name) = field.type, let target = target(name, of: owner) else {
                throw refusal("\(SwiftTypes.text(of: field.type)) is not an entity of this version")
            }
            let number = { (label: String) in field.number(label) }
            losses += [
                number("minCount").map { .unchecked(.atLeast($0)) }, number("maxCount").map { .unchecked(.atMost($0)) },
            ].compactMap(\.self)
            entity.properties.append(
                CoreDataModel.Property(
                    name: field.name, token: field.token, isOptional: true, isIndexed: false,
                    content: .relationship(
                        .init(
                            destination: target.name, inverse: nil, isToMany: isToMany, isOrdered: isOrdered,
                            deletionRule: try field.deletionRule(refusal))),
                    losses: losses, rewriteMark: field.rewriteMark))
            return
        case .coded(let coder):
            content = .init(type: "Transformable", isExternal: field.has("allowsExternalBinaryDataStorage"))
            losses.append(.transformer(coder))
        case .stored:
            guard let column = types.column(of: field.type, in: owner) else {
                throw refusal("the type \(SwiftTypes.text(of: field.type)) is unknown")
            }
            content = .init(type: column)
            if let literal = SwiftTypes.literal(field.value) ?? types.rawValue(of: field.value, field.type, in: owner) {
                content.defaultValue = literal
            } else if !field.value.isEmpty, field.value.map(\.text) != ["nil"] {
                losses.append(.defaultNotConstant(field.value.text))
            }
        }
        entity.properties.append(
            CoreDataModel.Property(
                name: field.name, token: field.token, isOptional: field.isOptional, isIndexed: false,
                content: .attribute(content), losses: losses, rewriteMark: field.rewriteMark))
    }

    private func target(_ name: String, of owner: SwiftSource.Declaration) -> EntityEntry? {
        for scope in scopes(of: owner.name, name) {
            guard let found = declaration(of: scope) else { continue }
            return entities.first { declaration(of: $0.type)?.name == found.name }
        }
        return nil
    }

    /// Sets both sides of each inverse. CoreStore needs it at one of them.
    ///
    /// - Throws: `ImportError` if a class does not have the property that is an inverse.
    private func connectInverses(_ model: inout CoreDataModel, _ fields: [[Field]]) throws {
        for (entity, own) in fields.enumerated() {
            for field in own {
                guard let variable = field.inverse,
                    let index = model.entities[entity].properties.firstIndex(where: { $0.name == field.name }),
                    case .relationship(let relationship) = model.entities[entity].properties[index].content
                else { continue }
                // The property may belong to a superclass.
                var target = model.entities.firstIndex { $0.name == relationship.destination }
                while let place = target, !fields[place].contains(where: { $0.variable == variable }) {
                    target = model.entities.firstIndex { $0.name == model.entities[place].parent }
                }
                guard let target, let other = fields[target].first(where: { $0.variable == variable })?.name,
                    let otherIndex = model.entities[target].properties.firstIndex(where: { $0.name == other }),
                    case .relationship = model.entities[target].properties[otherIndex].content
                else {
                    throw ImportError(
                        "\(field.name): its inverse \(variable) is not a relationship of \(relationship.destination)",
                        path: declaration(of: entities[entity].type)?.path ?? entities[entity].path, line: field.line)
                }
                func set(_ inverse: String, _ entity: Int, _ property: Int) {
                    guard case .relationship(var found) = model.entities[entity].properties[property].content else {
                        return
                    }
                    found.inverse = inverse
                    model.entities[entity].properties[property].content = .relationship(found)
                }
                set(other, entity, index)
                set(field.name, target, otherIndex)
            }
        }
    }
}

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

        /// Reads a property; nil if it is not a field.
        ///
        /// - Throws: `ImportError` if it is a field that cannot be read.
        init?(_ property: SwiftSource.Property, of owner: SwiftSource.Declaration, _ types: SwiftTypes) throws {
            (variable, line) = (property.name, property.line)
            func refusal(_ message: String) -> ImportError {
                ImportError("\(property.name): \(message)", path: owner.path, line: property.line)
            }
            let wrappers = ["Stored", "Coded", "Virtual", "Relationship"]
            if let attribute = property.attributes.first(where: { wrappers.contains($0.name) }) {
                options = attribute.parts
                guard var written = property.type ?? types.inferredType(of: property.value, in: owner) else {
                    throw refusal("its type is not written, and its value does not show it")
                }
                let element = Self.elements(of: written)
                if attribute.name == "Relationship" {
                    kind = .relationship(isToMany: element != nil, isOrdered: element?.isOrdered ?? false)
                    written = element?.type ?? written
                } else if attribute.name == "Coded" {
                    kind = .coded(options.first { $0.label == "coder" }?.value.text ?? "a coder")
                } else {
                    kind = attribute.name == "Virtual" ? .virtual : .stored
                }
                (type, isOptional) = types.unwrapped(written, in: owner)
                value = property.value
            } else if let legacy = Self.legacy(property.value) {
                options = SwiftSource.Attribute(name: "", arguments: legacy.arguments, line: line).parts
                let isTransient = options.first { $0.label == "isTransient" }?.value.first?.text == "true"
                switch legacy.container {
                case "Value": kind = isTransient ? .virtual : .stored
                case "Transformable": kind = isTransient ? .virtual : .coded("a value transformer")
                default:
                    kind = .relationship(
                        isToMany: legacy.kind != "ToOne", isOrdered: legacy.kind == "ToManyOrdered")
                }
                type = types.unwrapped(legacy.type, in: owner).0
                isOptional = legacy.kind == "Optional"
                value = options.first { $0.label == "initial" }?.value ?? []
            } else {
                return nil
            }
            guard case .string(let name?)? = options.first(where: { $0.label == nil })?.value.first?.kind else {
                throw refusal("its name in the model is not a literal")
            }
            self.name = name
            try CoreStoreVersion.checkLiterals(options, path: owner.path)
            let options = options
            func text(_ labels: String...) -> String? {
                let value = options.first { labels.contains($0.label ?? "") }?.value.first?.kind
                if case .string(let text) = value { return text } else { return nil }
            }
            token = text("previousVersionKeyPath", "renamingIdentifier")
            rewriteMark = text("versionHashModifier")
            // `\.$master`, or `{ $0.master }`
            inverse = options.first { $0.label == "inverse" }?.value.last { $0.kind == .word }?.text
        }

        func number(_ label: String) -> String? {
            options.first { $0.label == label }?.value.text
        }

        func has(_ label: String) -> Bool { number(label) == "true" }

        func deletionRule(_ refusal: (String) -> ImportError) throws -> String {
            guard let rule = options.first(where: { $0.label == "deleteRule" })?.value.last?.text else {
                return "Nullify"
            }
            guard let known = ["nullify": "Nullify", "cascade": "Cascade", "deny": "Deny"][rule] else {
                throw refusal("the delete rule \(rule) is unknown")
            }
            return known
        }

        /// The type of the elements of `Array<Item>`, `[Item]` or `Set<Item>`; nil if it is another type.
        private static func elements(of type: SwiftSource.TypeName) -> (type: SwiftSource.TypeName, isOrdered: Bool)? {
            switch type {
            case .array(let element): return (element, true)
            case .other(let text) where text.hasPrefix("Set<") && text.hasSuffix(">"):
                return (.named(String(text.dropFirst(4).dropLast())), false)
            default: return nil
            }
        }

        /// Reads `Value.Required<String>("name", initial: "")`; nil if the value is something else.
        private static func legacy(
            _ tokens: [SwiftToken]
        ) -> (container: String, kind: String, type: SwiftSource.TypeName, arguments: [SwiftToken])? {
            guard tokens.count > 7, ["Value", "Transformable", "Relationship"].contains(tokens[0].text),
                tokens[1].text == ".", tokens[3].text == "<", let open = tokens.firstIndex(where: { $0.text == "(" }),
                tokens[open - 1].text == ">", let arguments = tokens.inside(bracketAt: open)
            else { return nil }
            let type = tokens[4..<(open - 1)].map(\.text).joined()
            return (tokens[0].text, tokens[2].text, .named(type), arguments)
        }
    }
}
