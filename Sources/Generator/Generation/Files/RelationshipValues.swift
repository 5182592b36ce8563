import Mustache
import SchemaModel

/// A relationship of an entity.
struct RelationshipValues: TemplateValues, Hashable {
    /// The join table of a relationship.
    struct Join: TemplateValues, Hashable {
        let table: String
        let sourceColumns: String?
        let targetColumns: String
        let allowsDuplicates: Bool
        let hasOrderedInverse: Bool
        let isReversed: Bool

        static let fields: [TemplateField<Self>] = [
            .text("table", \.table, "the name of the table, as a literal"),
            .optional(
                "sourceColumns", \.sourceColumns,
                "the columns of the source's primary key, as a literal, if a primary key has several columns"),
            .text("targetColumns", \.targetColumns, "the columns of the target's primary key, as a literal"),
            .flag("allowsDuplicates", \.allowsDuplicates, "whether a row may have the same target several times"),
            .flag("hasOrderedInverse", \.hasOrderedInverse, "whether the inverse has positions"),
            .flag("isReversed", \.isReversed, "whether the inverse declares the table"),
        ]
    }

    let member: String
    let kind: String
    let target: String
    let column: String?
    let inverse: String?
    let position: String?
    let join: Join?
    let isSymmetric: Bool
    let documentation: [String]

    static let fields: [TemplateField<Self>] = [
        .text("member", \.member, "the name"),
        .text("kind", \.kind, "`RequiredToOne`, `ToOne` or `ToMany`"),
        .text("target", \.target, "the struct of the related rows"),
        .optional("column", \.column, "the columns of its own foreign key, as a literal"),
        .optional("inverse", \.inverse, "the columns of its inverse's foreign key, as a literal"),
        .optional("position", \.position, "the column with the positions in the inverse's table, as a literal"),
        .object("join", \.join, "the join table"),
        .flag("isSymmetric", \.isSymmetric, "whether it is its own inverse"),
        .texts("documentation", \.documentation, "the lines of the description"),
    ]
}

extension Generator {
    /// Returns an entity's relationships.
    ///
    /// - Parameters:
    ///   - entity: The entity.
    ///   - version: The version of the entity.
    ///   - isDocumented: Whether they have their doc comments.
    ///   - type: Returns the struct of the related rows.
    func relationships(
        of entity: Entity, in version: ModelVersion, isDocumented: Bool = false, _ type: (Entity) -> String
    ) -> [RelationshipValues] {
        entity.properties.compactMap { property in
            guard let relationship = property.relationship, let target = version.entity(relationship.target) else {
                return nil
            }
            let inverse = version.inverse(of: relationship)
            let storage = version.storage(of: relationship)
            let isSymmetric = version.isOwnInverse(relationship)
            var kind = relationship.association == .toOne ? "ToOne" : "ToMany"
            if storage == .column, !property.isNullable, !isSymmetric { kind = "RequiredToOne" }
            let join: RelationshipValues.Join? =
                switch storage {
                case .joinTable: self.join(property, of: entity, in: version, isReversed: false)
                case .inverseJoinTable: inverse.map { self.join($0, of: target, in: version, isReversed: true) }
                case .column, .inverseColumn: nil
                }
            func columns(_ property: Property?) -> String {
                SwiftLiteral.strings(property.map { version.referenceParts(of: $0).map(\.name) } ?? [])
            }
            return RelationshipValues(
                member: SwiftName.escaped(SwiftName.member(property.name)),
                kind: kind,
                target: type(target),
                column: storage == .column ? columns(property) : nil,
                inverse: storage == .inverseColumn ? columns(inverse) : nil,
                position: storage == .inverseColumn && relationship.isOrdered
                    ? SwiftLiteral.string(inverse?.positionColumn ?? "") : nil,
                join: join,
                isSymmetric: isSymmetric,
                documentation: isDocumented ? Self.lines(of: property.documentation) : [])
        }
    }

    /// Returns the join table that a property declares.
    private func join(
        _ property: Property, of source: Entity, in version: ModelVersion, isReversed: Bool
    ) -> RelationshipValues.Join {
        let table = version.joinTables(of: source).first { $0.property == property.lineage }
        let hasParts = (table?.source.count ?? 1) > 1 || (table?.target.count ?? 1) > 1
        return RelationshipValues.Join(
            table: SwiftLiteral.string(version.joinTableName(of: property, in: source)),
            sourceColumns: hasParts ? table.map { SwiftLiteral.strings($0.source) } : nil,
            targetColumns: SwiftLiteral.strings(table?.target ?? []),
            allowsDuplicates: property.relationship?.allowsDuplicates == true,
            hasOrderedInverse: table?.hasOrderedInverse == true,
            isReversed: isReversed)
    }
}
