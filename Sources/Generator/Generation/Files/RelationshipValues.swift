import Mustache
import SchemaModel

/// A relationship of an entity.
struct RelationshipValues: TemplateValues, Hashable {
    /// The join table of a relationship.
    struct Join: TemplateValues, Hashable {
        let table: String
        let columns: JoinValues
        let isReversed: Bool

        static let fields: [TemplateField<Self>] =
            TemplateField.all(of: \.columns) + [
                .text("table", \.table, "the name of the table, as a literal"),
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
        .optional("column", \.column, "the columns of the foreign key in the table of the relationship, as a literal"),
        .optional("inverse", \.inverse, "the columns of the foreign key in the table of the inverse, as a literal"),
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
                case .inverseJoinTable: inverse.flatMap { self.join($0, of: target, in: version, isReversed: true) }
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
    ) -> RelationshipValues.Join? {
        guard let join = version.joinTables(of: source).first(where: { $0.property == property.lineage }) else {
            return nil
        }
        return RelationshipValues.Join(
            table: SwiftLiteral.string(join.table.name), columns: JoinValues(join), isReversed: isReversed)
    }
}
