import Mustache

/// A property of a struct, and its parameter in the memberwise initializer.
struct InitializedProperty: TemplateValues {
    let member: String
    let type: String
    let wrappedType: String
    let isNullable: Bool
    let declaration: String
    let parameter: String
    let defaultValue: String?
    let hasDefaultValue: Bool
    let documentation: [String]

    static let fields: [TemplateField<Self>] = [
        .text("member", \.member, "the name"),
        .text("type", \.type, "the type"),
        .text("wrappedType", \.wrappedType, "the type without `?`"),
        .flag("isNullable", \.isNullable, "whether the type is an optional"),
        .text("declaration", \.declaration, "the label and the name of the parameter"),
        .text("parameter", \.parameter, "the name of the parameter"),
        .optional("default", \.defaultValue, "the default value, or `nil` for an optional without one; else absent"),
        .flag("hasDefaultValue", \.hasDefaultValue, "whether `default` is from the description"),
        .texts("documentation", \.documentation, "the lines of the description"),
    ]
}

extension InitializedProperty {
    /// Creates the property of a type.
    ///
    /// - Parameters:
    ///   - member: The name, as an expression.
    ///   - wrappedType: The type without `?`.
    ///   - isNullable: Whether the type is an optional.
    ///   - defaultValue: The default value of the description, as an expression.
    ///   - documentation: The description.
    ///   - parameter: The parameter.
    init(
        _ member: String, _ wrappedType: String, isNullable: Bool, defaultValue: String?, documentation: String?,
        _ parameter: (declared: String, name: String)
    ) {
        self.init(
            member: member, type: wrappedType + (isNullable ? "?" : ""), wrappedType: wrappedType,
            isNullable: isNullable, declaration: parameter.declared, parameter: parameter.name,
            defaultValue: defaultValue ?? (isNullable ? "nil" : nil), hasDefaultValue: defaultValue != nil,
            documentation: Generator.lines(of: documentation))
    }
}
