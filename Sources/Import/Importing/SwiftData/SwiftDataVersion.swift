/// Maps the models of one version of SwiftData to a model of Core Data.
struct SwiftDataVersion {
    private let types: SwiftTypes
    private let models: [SwiftSource.Declaration]

    init(_ source: SwiftSource, schema: SwiftSource.Declaration?, models: [SwiftSource.Declaration]) {
        types = SwiftTypes(source, schema: schema?.name)
        self.models = models
    }

    private static func name(of model: SwiftSource.Declaration) -> String {
        model.name.split(separator: ".").last.map(String.init) ?? model.name
    }

    func model() throws -> CoreDataModel {
        var model = CoreDataModel()
        for declaration in models {
            try declaration.checkReadable("a model")
            let name = Self.name(of: declaration)
            if model.entities.contains(where: { $0.name == name }) {
                throw ImportError("the version has two models \(name)", path: declaration.path, line: declaration.line)
            }
            var entity = CoreDataModel.Entity(name: name, line: declaration.line)
            entity.parent = try superclass(of: declaration).map(Self.name)
            let attribute = declaration.attributes.first { $0.name == "Model" }
            if let attribute, !attribute.arguments.isEmpty {
                throw ImportError("@Model has no arguments here", path: declaration.path, line: attribute.line)
            }
            // An extension cannot store properties.
            for property in declaration.properties { try add(property, of: declaration, to: &entity) }
            for macro in declaration.macros { try add(macro, of: declaration, to: &entity) }
            model.entities.append(entity)
        }
        findInverses(&model)
        return model
    }

    /// Returns the nearest superclass that is a model.
    ///
    /// - Throws: `ImportError` if the version does not list it.
    private func superclass(of declaration: SwiftSource.Declaration) throws -> SwiftSource.Declaration? {
        var next = declaration
        for _ in 0..<32 {
            let classes = try next.inherits.compactMap { try types.declaration($0, around: next) }
            guard let parent = classes.first(where: { $0.kind == "class" }) else { return nil }
            if models.contains(where: { $0.name == parent.name }) { return parent }
            if parent.isModel { throw unlisted(parent, declaration, line: declaration.line) }
            next = parent
        }
        return nil
    }

    private func unlisted(
        _ model: SwiftSource.Declaration, _ owner: SwiftSource.Declaration, line: Int
    ) -> ImportError {
        ImportError(
            "this version does not list the model \(model.name): write it in its models", path: owner.path, line: line)
    }

    // MARK: Properties

    private func add(
        _ property: SwiftSource.Property, of owner: SwiftSource.Declaration, to entity: inout CoreDataModel.Entity
    ) throws {
        func refusal(_ message: String) -> ImportError {
            ImportError("\(property.name): \(message)", path: owner.path, line: property.line)
        }
        let attribute = property.attributes.first { $0.name == "Attribute" }
        let options = attribute?.parts ?? []
        func has(_ option: String) -> Bool {
            options.contains { part in part.label == nil && part.value.prefix { $0.text != "(" }.last?.text == option }
        }
        if property.isConstant || property.attributes.contains(where: { $0.name == "Transient" }) || has("ephemeral") {
            entity.unstored.append((property.name, .transient, false))
            return
        }
        let (type, isOptional) = try types.type(of: property, in: owner)
        var token: String?
        var rewriteMark: String?
        let all = options + (property.attributes.first { $0.name == "Relationship" }?.parts ?? [])
        if let value = all.first(where: { $0.label == "originalName" })?.value {
            guard let name = value.stringLiteral else { throw refusal("its originalName is not a literal") }
            token = name
        }
        if let value = options.first(where: { $0.label == "hashModifier" })?.value {
            guard let mark = value.stringLiteral else { throw refusal("its hashModifier is not a literal") }
            rewriteMark = mark
        }
        if let target = try target(of: type) {
            entity.properties.append(
                CoreDataModel.Property(
                    name: property.name, token: token, isOptional: isOptional, isIndexed: false,
                    content: .relationship(
                        try relationship(property, to: target.name, isToMany: target.isToMany, owner)),
                    losses: Self.limits(of: property)))
            return
        }
        if let relationship = property.attributes.first(where: { $0.name == "Relationship" }) {
            throw ImportError(
                "\(property.name): \(SwiftTypes.text(of: type)) is not a model of this version", path: owner.path,
                line: relationship.line)
        }
        if has("unique") { entity.uniquenessConstraints.append([property.name]) }
        if has("transformable") {
            let loss = ImportFinding.transformer(Array((options.first?.value ?? []).dropFirst()).text)
            entity.properties.append(
                CoreDataModel.Property(
                    name: property.name, token: token, isOptional: isOptional, isIndexed: false,
                    content: .attribute(.init(type: "Transformable", isExternal: has("externalStorage"))),
                    losses: [loss], rewriteMark: rewriteMark))
            return
        }
        let first = entity.properties.count
        try addAttribute(
            property.name, type, isOptional: isOptional, value: property.value, (property, owner), to: &entity)
        for index in first..<entity.properties.count {
            let rest = entity.properties[index].name.dropFirst(property.name.count)
            entity.properties[index].token = token.map { $0 + rest }
            entity.properties[index].rewriteMark = rewriteMark
            if has("externalStorage"), case .attribute(var content) = entity.properties[index].content {
                content.isExternal = true
                entity.properties[index].content = .attribute(content)
            }
        }
    }

    /// Adds an attribute. A struct is a composite attribute, which becomes an attribute for each of its properties.
    ///
    /// - Parameters:
    ///   - name: The name of the attribute: `place`, or `place.latitude` in a composite one.
    ///   - value: The tokens of its default value.
    ///   - declaration: The property, and the type that declares it.
    private func addAttribute(
        _ name: String, _ type: SwiftSource.TypeName, isOptional: Bool, value: [SwiftToken],
        _ declaration: (property: SwiftSource.Property, owner: SwiftSource.Declaration),
        to entity: inout CoreDataModel.Entity
    ) throws {
        let (property, owner) = declaration
        var losses: [ImportFinding] = []
        let column: String
        if let found = try types.column(of: type) {
            column = found
        } else if case .named(let other) = type {
            guard let found = try types.declaration(other) else {
                throw ImportError(
                    "\(property.name): the type \(other) is unknown; import the folder with the file that declares it",
                    path: owner.path, line: property.line)
            }
            guard found.kind == "struct" else {
                entity.unstored.append((name, .unsupportedType(other, kind: found.kind), true))
                return
            }
            return try addParts(of: found, to: name, isOptional: isOptional, value: value, &entity)
        } else {
            if let model = try model(in: type) { throw unlisted(model, owner, line: property.line) }
            column = "Transformable"
            losses.append(.transformer("SwiftData"))
        }
        var content = CoreDataModel.Attribute(type: column)
        if !value.isEmpty, !SwiftTypes.isNil(value, isOptional: isOptional) {
            content.defaultValue = try SwiftTypes.literal(value) ?? types.rawValue(of: value, type, in: owner)
            if content.defaultValue == nil { losses.append(.defaultNotConstant(value.text)) }
        }
        entity.properties.append(
            CoreDataModel.Property(
                name: name, isOptional: isOptional, isIndexed: false, content: .attribute(content), losses: losses))
    }

    /// Adds the properties of a struct as parts of the composite attribute `name`.
    private func addParts(
        of type: SwiftSource.Declaration, to name: String, isOptional: Bool, value: [SwiftToken],
        _ entity: inout CoreDataModel.Entity
    ) throws {
        guard name.split(separator: ".").count < 16 else {
            throw ImportError("\(name): this struct contains itself", path: type.path, line: type.line)
        }
        try type.checkReadable("a struct")
        // `Place()`, `Place.init()` and `.init()` have the values of its declaration.
        let call = value.suffix(2).map(\.text) == ["(", ")"] ? value.dropLast(2).map(\.text) : []
        let called = call.last == "init" && call.count > 2 ? call.dropLast(2).last : call.last
        let isOwn = call == [".", "init"] || call.first != "." && called == Self.name(of: type)
        let isDefault = isOwn && !type.body.contains { $0.text == "init" }
        let first = entity.properties.count
        for property in type.properties where !property.isConstant || property.value.isEmpty {
            let (part, isPartOptional) = try types.type(of: property, in: type)
            try addAttribute(
                name + "." + property.name, part, isOptional: isOptional || isPartOptional,
                value: isDefault ? property.value : [], (property, type), to: &entity)
        }
        guard !value.isEmpty, !isDefault, value.map(\.text) != ["nil"] else { return }
        for index in first..<entity.properties.count {
            entity.properties[index].losses.append(.defaultNotConstant(value.text))
        }
    }

    // MARK: Relationships

    /// Returns the model that a type without columns consists of.
    private func model(in type: SwiftSource.TypeName) throws -> SwiftSource.Declaration? {
        switch type {
        case .named(let name): try types.declaration(name).flatMap { $0.isModel ? $0 : nil }
        case .optional(let inner), .array(let inner), .set(let inner): try model(in: inner)
        case .other: nil
        }
    }

    private func target(of type: SwiftSource.TypeName) throws -> (name: String, isToMany: Bool)? {
        let (element, isToMany): (SwiftSource.TypeName, Bool)
        if case .array(let inner) = type {
            (element, isToMany) = (inner, true)
        } else {
            (element, isToMany) = (type, false)
        }
        guard case .named(let written) = element else { return nil }
        // A struct or an enum can have the name of a model of another scope.
        if let found = try types.declaration(written), !found.isModel { return nil }
        let name = written.split(separator: ".").last.map(String.init) ?? written
        return models.contains { Self.name(of: $0) == name } ? (name, isToMany) : nil
    }

    private func relationship(
        _ property: SwiftSource.Property, to target: String, isToMany: Bool, _ owner: SwiftSource.Declaration
    ) throws -> CoreDataModel.Relationship {
        var relationship = CoreDataModel.Relationship(
            destination: target, inverse: nil, isToMany: isToMany, isOrdered: false, deletionRule: "Nullify")
        guard let attribute = property.attributes.first(where: { $0.name == "Relationship" }) else {
            return relationship
        }
        for (label, value) in attribute.parts {
            if label == "deleteRule" || label == nil, let rule = value.last?.text {
                let rules = ["cascade": "Cascade", "nullify": "Nullify", "deny": "Deny", "noAction": "No Action"]
                guard let known = rules[rule] else {
                    if label == nil { continue }
                    throw ImportError("the delete rule \(rule) is unknown", path: owner.path, line: attribute.line)
                }
                relationship.deletionRule = known
            }
            // `\Note.folder`
            if label == "inverse", value.text != "nil" { relationship.inverse = value.last?.text }
        }
        return relationship
    }

    private static func limits(of property: SwiftSource.Property) -> [ImportFinding] {
        let parts = property.attributes.first { $0.name == "Relationship" }?.parts ?? []
        func number(_ label: String) -> String? {
            parts.first { $0.label == label }?.value.text
        }
        return [
            number("minimumModelCount").map { .unchecked(.atLeast($0)) },
            number("maximumModelCount").map { .unchecked(.atMost($0)) },
        ].compactMap(\.self)
    }

    /// Completes the inverses as SwiftData does: the other side of a given one, and the only pair of relationships between
    /// two models of which neither has another inverse.
    private func findInverses(_ model: inout CoreDataModel) {
        func relationship(_ entity: Int, _ property: Int) -> CoreDataModel.Relationship? {
            guard case .relationship(let found) = model.entities[entity].properties[property].content else {
                return nil
            }
            return found
        }
        func set(_ inverse: String, _ entity: Int, _ property: Int) {
            guard var found = relationship(entity, property), found.inverse == nil else { return }
            found.inverse = inverse
            model.entities[entity].properties[property].content = .relationship(found)
        }
        func each(_ body: (Int, Int, CoreDataModel.Relationship) -> Void) {
            for entity in model.entities.indices {
                for property in model.entities[entity].properties.indices {
                    if let found = relationship(entity, property) { body(entity, property, found) }
                }
            }
        }
        each { entity, property, found in
            guard let inverse = found.inverse,
                let target = model.entities.firstIndex(where: { $0.name == found.destination }),
                let index = model.entities[target].properties.firstIndex(where: { $0.name == inverse })
            else { return }
            set(model.entities[entity].properties[property].name, target, index)
        }
        each { entity, property, found in
            guard found.inverse == nil, let target = model.entities.firstIndex(where: { $0.name == found.destination })
            else { return }
            func free(from one: Int, to other: Int) -> [Int] {
                model.entities[one].properties.indices.filter { index in
                    relationship(one, index).map { $0.inverse == nil && $0.destination == model.entities[other].name }
                        ?? false
                }
            }
            let (own, others) = (free(from: entity, to: target), free(from: target, to: entity))
            guard entity != target, own == [property], others.count == 1,
                let other = relationship(target, others[0]), !(found.isToMany && other.isToMany)
            else { return }
            set(model.entities[target].properties[others[0]].name, entity, property)
            set(model.entities[entity].properties[property].name, target, others[0])
        }
    }

    // MARK: Constraints

    /// Adds `#Unique<Note>([\.id], [\.a, \.b])` or `#Index<Note>([\.a])`.
    private func add(
        _ macro: SwiftSource.Attribute, of owner: SwiftSource.Declaration, to entity: inout CoreDataModel.Entity
    ) throws {
        guard ["Unique", "Index"].contains(macro.name) else { return }
        for part in macro.parts {
            // `.binary([\.a])`
            let isBinary = part.value.prefix(3).map(\.text) == [".", "binary", "("]
            let list = isBinary ? Array(part.value.dropFirst(3).dropLast()) : part.value
            guard list.first?.text == "[" else {
                throw ImportError("#\(macro.name) takes lists of key paths", path: owner.path, line: macro.line)
            }
            let paths = Array(list.dropFirst().dropLast()).split(on: ",")
            // `\.place.latitude` or `\Note.place.latitude`
            let names = paths.map { path in
                path.drop { $0.text != "." }.filter { $0.kind == .word }.map(\.text).joined(separator: ".")
            }
            guard paths.allSatisfy({ $0.first?.text == "\\" }) else {
                throw ImportError("#\(macro.name) takes key paths", path: owner.path, line: macro.line)
            }
            if macro.name == "Unique" {
                entity.uniquenessConstraints.append(names)
            } else {
                entity.indexes.append(CoreDataModel.Index(properties: names))
            }
        }
    }
}
