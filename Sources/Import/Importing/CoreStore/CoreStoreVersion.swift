/// Maps the classes of one version of CoreStore to a model of Core Data.
struct CoreStoreVersion {
    private let source: SwiftSource
    private let types: SwiftTypes
    private let entities: [EntityEntry]

    init(_ source: SwiftSource, entities: [EntityEntry]) {
        self.source = source
        types = SwiftTypes(source, schema: nil)
        self.entities = entities
    }

    func model() throws -> CoreDataModel {
        let classes = try entities.map { entry in
            let found = try source.declaration(entry.type, in: source.scopes(of: entry.scope))
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
        try declaration.checkReadable("a class")
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
            let number = { (label: String) in field.option(label) }
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
        if let value = field.option("dynamicInitialValue") { losses.append(.defaultNotConstant(value)) }
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
