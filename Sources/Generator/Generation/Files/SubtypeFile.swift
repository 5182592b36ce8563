import Mustache
import SchemaDiff
import SchemaModel

/// The values of `Subtype.swift` and `SubtypeHistory.swift`: types of a subtype.
struct SubtypeFile: TemplateValues {
    let source: String
    let context: SourceContext
    let isCodable: Bool
    /// The alias of the newest type; nil in the file of the superseded ones.
    let newest: NewestType?
    let shapes: [SubtypeDeclaration]

    static let fields: [TemplateField<Self>] =
        TemplateField.all(of: \.context) + [
            .text("source", \.source, "the file name of the description"),
            .flag("isCodable", \.isCodable, "whether types are `Codable`"),
            .object("newest", \.newest, "the alias of the newest type; absent in `SubtypeHistory.swift`"),
            .list("shapes", \.shapes, "the types"),
        ]
}

/// A type of a subtype.
struct SubtypeDeclaration: TemplateValues {
    /// A subtype with cases.
    struct Cases: TemplateValues {
        let name: String
        let cases: [Case]
        let migrating: [CaseMigration]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "its name in the namespace"),
            .list("cases", \.cases, "the cases"),
            .list("migrating", \.migrating, "the older types that can be converted to this one"),
        ]
    }

    struct Case: TemplateValues {
        let name: String
        let value: String
        let documentation: [String]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name"),
            .text("value", \.value, "the stored value, as a literal"),
            .texts("documentation", \.documentation, "the lines of the description"),
        ]
    }

    struct CaseMigration: TemplateValues {
        /// A case, and the case that it becomes.
        struct Pair: TemplateValues {
            let from: String
            let to: String

            static let fields: [TemplateField<Self>] = [
                .text("from", \.from, "the older case"),
                .text("to", \.to, "the case that it becomes"),
            ]
        }

        let old: String
        let cases: [Pair]

        static let fields: [TemplateField<Self>] = [
            .text("old", \.old, "the older type"),
            .list("cases", \.cases, "its cases"),
        ]
    }

    /// A subtype with options.
    struct Options: TemplateValues {
        let name: String
        let options: [Option]
        let migrating: [OptionMigration]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "its name in the namespace"),
            .list("options", \.options, "the options"),
            .list("migrating", \.migrating, "the older types that can be converted to this one"),
        ]
    }

    struct Option: TemplateValues {
        let name: String
        let bit: Int
        let documentation: [String]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "the name"),
            .number("bit", \.bit, "the position of its bit"),
            .texts("documentation", \.documentation, "the lines of the description"),
        ]
    }

    struct OptionMigration: TemplateValues {
        let old: String
        let cleared: String?

        static let fields: [TemplateField<Self>] = [
            .text("old", \.old, "the older type"),
            .optional("cleared", \.cleared, "the bits that are cleared, if there are any"),
        ]
    }

    /// A subtype with members.
    struct Struct: TemplateValues {
        let name: String
        let hasCodingKeys: Bool
        let decodesDefaults: Bool
        let members: [Member]
        let stored: [Member]
        let migrating: [StructMigration]

        static let fields: [TemplateField<Self>] = [
            .text("name", \.name, "its name in the namespace"),
            .flag("hasCodingKeys", \.hasCodingKeys, "whether members are encoded by the names in the description"),
            .flag("decodesDefaults", \.decodesDefaults, "whether absent members are decoded as their defaults"),
            .list("members", \.members, "the members, in the order of the description"),
            .list("stored", \.stored, "the members, in the order in which JSON has them"),
            .list("migrating", \.migrating, "the older types that can be converted to this one"),
        ]
    }

    struct Member: TemplateValues {
        let property: InitializedProperty
        let key: String
        let reader: String

        static let fields: [TemplateField<Self>] =
            TemplateField.all(of: \.property) + [
                .text("key", \.key, "the name in JSON, as a literal"),
                .text("reader", \.reader, "the method of `Strata.JSONReader` that reads it"),
            ]
    }

    struct StructMigration: TemplateValues {
        let old: String
        let arguments: [Argument]

        static let fields: [TemplateField<Self>] = [
            .text("old", \.old, "the older type"),
            .list("arguments", \.arguments, "the arguments of the memberwise initializer"),
        ]
    }

    let namespace: String
    let cases: Cases?
    let options: Options?
    let structure: Struct?

    static let fields: [TemplateField<Self>] = [
        .text("namespace", \.namespace, "the namespace of the version that declares it"),
        .object("enum", \.cases, "a subtype with cases"),
        .object("options", \.options, "a subtype with options"),
        .object("struct", \.structure, "a subtype with members"),
    ]
}

extension Generator {
    /// Returns the newest type of a subtype; nil if the newest version does not have the subtype.
    func subtypeFile(_ lineage: SubtypeLineage) -> SubtypeFile? {
        guard let subtype = history.newest.subtype(lineage) else { return nil }
        return subtypeFile(
            lineage,
            newest: NewestType(
                name: SwiftName.escaped(SwiftName.type(subtype.name)),
                type: newestType(subtype.name),
                documentation: Self.lines(of: subtype.documentation)),
            names.subtypeShapes[lineage].filter { $0.last == history.versions.count - 1 })
    }

    /// Returns the superseded types of a subtype; nil if there are none.
    func subtypeHistoryFile(_ lineage: SubtypeLineage) -> SubtypeFile? {
        let shapes = names.subtypeShapes[lineage].filter { $0.last < history.versions.count - 1 }
        return shapes.isEmpty ? nil : subtypeFile(lineage, newest: nil, shapes)
    }

    private func subtypeFile(
        _ lineage: SubtypeLineage, newest: NewestType?, _ shapes: [SubtypeShape]
    ) -> SubtypeFile {
        SubtypeFile(
            source: history.subtypeSources[lineage] + ".json", context: sourceContext,
            isCodable: options.codingNames != nil, newest: newest, shapes: shapes.map(declaration))
    }

    private func declaration(_ shape: SubtypeShape) -> SubtypeDeclaration {
        let subtype = shape.subtype
        let name = SwiftName.escaped(SwiftName.type(subtype.name))
        let migrations = migrations(to: shape)
        var cases: SubtypeDeclaration.Cases?
        var options: SubtypeDeclaration.Options?
        var structure: SubtypeDeclaration.Struct?
        switch subtype.kind {
        case .cases(let elements):
            cases = .init(
                name: name,
                cases: elements.map { element in
                    .init(
                        name: SwiftName.escaped(SwiftName.member(element.name)),
                        value: SwiftLiteral.string(element.value),
                        documentation: lines(of: element.documentation, isUnused: element.isUnused))
                },
                migrating: migrations.compactMap { caseMigration($0, to: subtype) })
        case .options(let elements):
            options = .init(
                name: name,
                options: elements.map { element in
                    .init(
                        name: SwiftName.escaped(SwiftName.member(element.name)), bit: element.bit,
                        documentation: lines(of: element.documentation, isUnused: element.isUnused))
                },
                migrating: migrations.compactMap(optionMigration))
        case .members(let members):
            structure = .init(
                name: name,
                hasCodingKeys: self.options.codingNames == .descriptions,
                decodesDefaults: self.options.codingNames != nil && members.contains { $0.defaultValue != nil },
                members: members.inDescriptionOrder.map { self.member($0, in: history.versions[shape.first]) },
                stored: members.map { self.member($0, in: history.versions[shape.first]) },
                migrating: migrations.map { structMigration($0, to: subtype) })
        }
        return SubtypeDeclaration(
            namespace: names.namespace(shape.first), cases: cases, options: options, structure: structure)
    }

    private func lines(of documentation: String?, isUnused: Bool) -> [String] {
        let note = "Unused by new rows. It keeps stored values readable."
        return Self.lines(
            of: isUnused ? [documentation, note].compactMap(\.self).joined(separator: "\n\n") : documentation)
    }

    private func member(_ member: Property, in version: ModelVersion) -> SubtypeDeclaration.Member {
        let type = member.type ?? .scalar(.string)
        let name = SwiftName.member(member.name)
        let value = member.defaultValue.flatMap { version.literal($0, type: type) }.map {
            names.value($0, type: type, in: version)
        }
        let wrappedType = names.type(type, in: version)
        return SubtypeDeclaration.Member(
            property: InitializedProperty(
                SwiftName.escaped(name), wrappedType, isNullable: member.isNullable, defaultValue: value,
                documentation: member.documentation, names.parameter(name)),
            key: SwiftLiteral.string(member.name), reader: member.isNullable ? "optionalValue" : "value")
    }

    // MARK: Migration

    /// An older type of a subtype, and the step in which its values are converted.
    private struct Migration {
        let old: Subtype
        let type: String
        let change: TypeChange
        let step: SchemaStep
    }

    /// Returns the older types whose values can be converted to a type. This is so only if all values can be.
    private func migrations(to shape: SubtypeShape) -> [Migration] {
        var seen: Set<Int> = []
        return names.steps(to: shape.versions).compactMap { step in
            let (from, to) = (names.index(of: step.from), names.index(of: step.to))
            guard names.isEmitted(from), names.isEmitted(to),
                let old = step.from.subtype(shape.subtype.lineage),
                let before = names.subtypeShape(of: old.lineage, at: from), before.first != shape.first,
                seen.insert(before.first).inserted,
                case .changed(let change) = step.change(of: .subtype(old.lineage))
            else { return nil }
            return Migration(
                old: old, type: names.type(.subtype(old.lineage), in: step.from), change: change, step: step)
        }
    }

    private func caseMigration(_ migration: Migration, to new: Subtype) -> SubtypeDeclaration.CaseMigration? {
        guard case .cases(let values, _) = migration.change.values else { return nil }
        return .init(
            old: migration.type,
            cases: migration.old.cases.map { element in
                let heir =
                    new.choice(element.lineage)
                    ?? new.cases.first { $0.value == values[element.value] ?? element.value }
                return .init(
                    from: SwiftName.escaped(SwiftName.member(element.name)),
                    to: SwiftName.escaped(SwiftName.member(heir?.name ?? "")))
            })
    }

    private func optionMigration(_ migration: Migration) -> SubtypeDeclaration.OptionMigration? {
        guard case .options(let cleared) = migration.change.values else { return nil }
        return .init(old: migration.type, cleared: cleared == 0 ? nil : String(cleared))
    }

    private func structMigration(_ migration: Migration, to new: Subtype) -> SubtypeDeclaration.StructMigration {
        .init(
            old: migration.type,
            arguments: new.members.inDescriptionOrder.map { member in
                Argument(
                    label: SwiftName.label(SwiftName.member(member.name)),
                    value: value(of: member, migration.old, migration.step))
            })
    }

    private func value(of member: Property, _ old: Subtype, _ step: SchemaStep) -> Expression {
        guard let type = member.type else { return .name("nil") }
        guard let before = old.member(member.lineage), let oldType = before.type else {
            let value = member.defaultValue.flatMap { step.to.literal($0, type: type) }
            return .name(value.map { names.value($0, type: type, in: step.to) } ?? "nil")
        }
        let expression = Expression.name("old.\(SwiftName.escaped(SwiftName.member(before.name)))")
        guard case .changed(let change) = step.change(of: oldType, to: type) else { return expression }
        return names.expression(change, expression, isOptional: before.isNullable, in: step.to)
    }
}

extension [Property] {
    /// The members in the order of the description, while JSON has new ones at the end.
    fileprivate var inDescriptionOrder: [Property] { sorted { $0.lineage < $1.lineage } }
}
