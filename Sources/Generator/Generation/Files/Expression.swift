import Mustache

/// An expression for a new value, from values of an old row. The template `Expression.swift` writes it.
indirect enum Expression: TemplateValues {
    /// A literal, a parameter, or a property of the old value.
    case name(String)
    /// The conversion of a value of a scalar type.
    case scalar(to: String, of: Expression)
    /// The text of a case.
    case rawValue(of: Expression, isOptional: Bool)
    /// The conversion of each element, or of an optional value. `element` is that of `$0`.
    case map(Expression, element: Expression)
    /// The conversion of each value of a dictionary. `element` is that of `$0`.
    case mapValues(Expression, element: Expression)
    /// The value of a newer type of a subtype.
    case migrating(Expression, to: String)
    /// A value of a type, from its members.
    case initializer(of: String, [Argument])
    /// The first value, or the second if that is nil.
    case coalesced(Expression, Expression)

    /// The parts of an operation.
    struct Operation: TemplateValues {
        var type = ""
        var isOptional = false
        let value: Expression
        var other: Expression?

        static let fields: [TemplateField<Self>] = [
            .text("type", \.type, "the type, or the method, that makes the value"),
            .flag("isOptional", \.isOptional, "whether the value is an optional"),
            .object("value", \.value, "the value, an expression"),
            .object("other", \.other, "the second value, or that of `$0`; an expression"),
        ]
    }

    /// The parts of a call of an initializer.
    struct Call: TemplateValues {
        let type: String
        let arguments: [Argument]

        static let fields: [TemplateField<Self>] = [
            .text("type", \.type, "the type"),
            .list("arguments", \.arguments, "the arguments"),
        ]
    }

    static let fields: [TemplateField<Self>] = [
        .optional("name", \.name, "a literal, a parameter, or a property of the old value"),
        .object("scalar", \.scalar, "the conversion of a value of a scalar type"),
        .object("rawValue", \.rawValue, "the text of a case"),
        .object("map", \.map, "the conversion of each element, or of an optional value"),
        .object("mapValues", \.mapValues, "the conversion of each value of a dictionary"),
        .object("migrating", \.migrating, "the value of a newer type of a subtype"),
        .object("initializer", \.initializer, "a value from its members"),
        .object("coalesced", \.coalesced, "the first value, or the second if that is nil"),
    ]

    private var name: String? { if case .name(let name) = self { name } else { nil } }
    private var scalar: Operation? {
        if case .scalar(let type, let value) = self { Operation(type: type, value: value) } else { nil }
    }
    private var rawValue: Operation? {
        if case .rawValue(let value, let isOptional) = self {
            Operation(isOptional: isOptional, value: value)
        } else {
            nil
        }
    }
    private var map: Operation? {
        if case .map(let value, let element) = self { Operation(value: value, other: element) } else { nil }
    }
    private var mapValues: Operation? {
        if case .mapValues(let value, let element) = self { Operation(value: value, other: element) } else { nil }
    }
    private var migrating: Operation? {
        if case .migrating(let value, let type) = self { Operation(type: type, value: value) } else { nil }
    }
    private var initializer: Call? {
        if case .initializer(let type, let arguments) = self { Call(type: type, arguments: arguments) } else { nil }
    }
    private var coalesced: Operation? {
        if case .coalesced(let first, let second) = self { Operation(value: first, other: second) } else { nil }
    }
}

/// An argument of a call.
struct Argument: TemplateValues {
    let label: String
    let value: Expression

    static let fields: [TemplateField<Self>] = [
        .text("label", \.label, "the argument label"),
        .object("value", \.value, "the value, for the template `Expression.swift`"),
    ]
}
