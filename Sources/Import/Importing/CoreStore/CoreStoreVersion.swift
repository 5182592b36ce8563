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

        /// The type around the schema.
        var scope: String

        /// Reads an element of the list of entities; nil if it is something else.
        init?(_ tokens: [SwiftToken], scope: String, path: String) throws {
            guard let open = tokens.firstIndex(where: { $0.text == "(" }), open > 3, tokens[0].text == "Entity",
                tokens[1].text == "<", tokens[open - 1].text == ">",
                let type = tokens[2..<(open - 1)].map({ $0 }).names, let arguments = tokens.inside(bracketAt: open),
                open + arguments.count + 2 == tokens.count
            else { return nil }
            self.type = type.joined(separator: ".")
            (self.path, self.scope) = (path, scope)
            line = tokens[0].line
            let parts = SwiftSource.Attribute(name: "", arguments: arguments, line: line).parts
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

    func model() throws -> CoreDataModel {
        let classes = try entities.map { entry in
            let found = try source.declaration(entry.type, in: SwiftSource.scopes(of: entry.scope))
            guard let found, found.kind == "class" else {
                throw ImportError("the class \(entry.type) is missing", path: entry.path, line: entry.line)
            }
            return found
        }
        var model = CoreDataModel()
        var fields: [[Field]] = []
        for (index, (entry, declaration)) in zip(entities, classes).enumerated() {
            try check(entry, declaration, besides: Array(zip(entities, classes).prefix(index)))
            var entity = CoreDataModel.Entity(name: entry.name, line: declaration.line)
            entity.isAbstract = entry.isAbstract
            entity.rewriteMark = entry.rewriteMark
            if let parent = try superclass(of: declaration)?.name {
                entity.parent = zip(entities, classes).first { $1.name == parent }?.0.name
            }
            let own = try declaration.properties.compactMap { try Field($0, of: declaration, types) }
            for field in own { try add(field, of: declaration, to: &entity, classes) }
            model.entities.append(entity)
            fields.append(own)
        }
        try checkInheritance(model, fields, classes)
        try connectInverses(&model, fields, classes)
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

    /// - Throws: `ImportError` if the class cannot be read, or if an entity has its name or its class.
    private func check(
        _ entry: EntityEntry, _ declaration: SwiftSource.Declaration,
        besides others: [(EntityEntry, SwiftSource.Declaration)]
    ) throws {
        if let (other, _) = others.first(where: { $0.0.name == entry.name || $0.1.name == declaration.name }) {
            let what = other.name == entry.name ? "name" : "class"
            throw ImportError(
                "the entity in line \(other.line) has the same \(what), \(what == "name" ? entry.name : declaration.name)",
                path: entry.path, line: entry.line)
        }
        if let line = declaration.conditionLine {
            throw ImportError(
                "#if in a class is not supported: import the branch that you ship", path: declaration.path, line: line)
        }
        if let line = declaration.patternLine {
            throw ImportError("only a simple name can follow var and let", path: declaration.path, line: line)
        }
    }

    private func superclass(of declaration: SwiftSource.Declaration) throws -> SwiftSource.Declaration? {
        try declaration.inherits.first.flatMap { try types.declaration($0, around: declaration) }
    }

    /// - Throws: `ImportError` if a class inherits from itself, or if it and a superclass have a field of one name.
    private func checkInheritance(
        _ model: CoreDataModel, _ fields: [[Field]], _ classes: [SwiftSource.Declaration]
    ) throws {
        for (index, entity) in model.entities.enumerated() {
            var names: [String: Int] = [:]
            var line: [String] = []
            var next: Int? = index
            while let place = next {
                line.append(model.entities[place].name)
                if line.count > 1, place == index {
                    throw ImportError(
                        "the superclasses of \(entity.name) are a cycle: \(line.joined(separator: ", "))",
                        path: classes[index].path, line: classes[index].line)
                }
                // A cycle of other classes is an error at these.
                if line.count > model.entities.count { break }
                for field in fields[place] {
                    if let other = names.updateValue(field.line, forKey: field.name) {
                        throw ImportError(
                            "\(field.variable): the name \(field.name) is also that of the field in line \(other)",
                            path: classes[place].path, line: field.line)
                    }
                }
                next = model.entities.firstIndex { $0.name == model.entities[place].parent }
            }
        }
    }

    // MARK: Fields

    private func add(
        _ field: Field, of owner: SwiftSource.Declaration, to entity: inout CoreDataModel.Entity,
        _ classes: [SwiftSource.Declaration]
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
            guard case .named(let name) = field.type, let target = classes.firstIndex(where: { $0.name == name }) else {
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
                            destination: entities[target].name, inverse: nil, isToMany: isToMany, isOrdered: isOrdered,
                            deletionRule: try field.deletionRule(refusal))),
                    losses: losses, rewriteMark: field.rewriteMark))
            return
        case .coded(let coder):
            content = .init(type: "Transformable", isExternal: field.has("allowsExternalBinaryDataStorage"))
            losses.append(.transformer(coder))
        case .stored:
            guard let column = try types.column(of: field.type) else {
                throw refusal("the type \(SwiftTypes.text(of: field.type)) is unknown")
            }
            content = .init(type: column)
        }
        if !field.value.isEmpty, !SwiftTypes.isNil(field.value, isOptional: field.isOptional) {
            if case .stored = field.kind {
                content.defaultValue =
                    try SwiftTypes.literal(field.value) ?? types.rawValue(of: field.value, field.type, in: owner)
            }
            if content.defaultValue == nil { losses.append(.defaultNotConstant(field.value.text)) }
        }
        if let value = field.number("dynamicInitialValue") { losses.append(.defaultNotConstant(value)) }
        entity.properties.append(
            CoreDataModel.Property(
                name: field.name, token: field.token, isOptional: field.isOptional, isIndexed: field.has("isIndexed"),
                content: .attribute(content), losses: losses, rewriteMark: field.rewriteMark))
    }

    /// Sets both sides of each inverse. CoreStore needs it at one of them.
    ///
    /// - Throws: `ImportError` if a class does not have the property that is an inverse.
    private func connectInverses(
        _ model: inout CoreDataModel, _ fields: [[Field]], _ classes: [SwiftSource.Declaration]
    ) throws {
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
                        path: classes[entity].path, line: field.line)
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
                guard let type = try property.type ?? types.inferredType(of: property.value, in: owner) else {
                    throw refusal("its type is not written, and its value does not show it: write the type")
                }
                let (written, isOptional) = try types.unwrapped(type, in: owner)
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
                options = SwiftSource.Attribute(name: "", arguments: legacy.arguments, line: line).parts
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

        /// The parts of `Value.Required<String>("name", initial: "")`.
        private struct Legacy {
            var container: String
            var kind: String
            var type: SwiftSource.TypeName
            var arguments: [SwiftToken]

            private static let kinds: Set = ["Required", "Optional", "ToOne", "ToManyOrdered", "ToManyUnordered"]
            private static let containers = [
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
