/// A value for a template.
package enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Text, for an interpolation.
    case text(String)
    /// A Boolean, for a section.
    case flag(Bool)
    /// A list, for a section that is repeated.
    case list([Value])
    /// Values by name.
    case object([String: Value])
    /// The absent value of a known name.
    case null

    /// Creates text.
    package init(stringLiteral text: String) { self = .text(text) }
    /// Creates a Boolean.
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
    /// Creates a list.
    package init(arrayLiteral values: Value...) { self = .list(values) }
    /// Creates an object.
    package init(dictionaryLiteral values: (String, Value)...) {
        self = .object(Dictionary(values, uniquingKeysWith: { _, last in last }))
    }

    /// Whether a section with this value is rendered.
    var isTruthy: Bool {
        switch self {
        case .flag(let flag): flag
        case .list(let values): !values.isEmpty
        case .null: false
        case .text, .object: true
        }
    }
}
