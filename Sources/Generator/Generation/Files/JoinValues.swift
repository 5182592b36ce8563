import Mustache
import SchemaModel

/// The columns and the rules of a join table.
struct JoinValues: TemplateValues, Hashable {
    let sourceColumns: String?
    let targetColumns: String
    let allowsDuplicates: Bool
    let hasOrderedInverse: Bool

    static let fields: [TemplateField<Self>] = [
        .optional(
            "sourceColumns", \.sourceColumns,
            "the columns of the source's primary key, as a literal, if a primary key has several columns"),
        .text("targetColumns", \.targetColumns, "the columns of the target's primary key, as a literal"),
        .flag("allowsDuplicates", \.allowsDuplicates, "whether a row may have the same target several times"),
        .flag("hasOrderedInverse", \.hasOrderedInverse, "whether the inverse has positions"),
    ]
}

extension JoinValues {
    init(_ join: ModelVersion.JoinTable) {
        let hasParts = join.source.count > 1 || join.target.count > 1
        self.init(
            sourceColumns: hasParts ? SwiftLiteral.strings(join.source) : nil,
            targetColumns: SwiftLiteral.strings(join.target),
            allowsDuplicates: join.relationship.allowsDuplicates, hasOrderedInverse: join.hasOrderedInverse)
    }
}
