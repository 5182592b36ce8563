/// What a template is rendered with.
package enum Value: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Text, for an interpolation.
    case text(String)
    /// A switch, for a section.
    case flag(Bool)
    /// Values, for a section that is repeated.
    case list([Value])
    /// Values by name.
    case object([String: Value])
    /// Nothing: a name that is known but has no value.
    case null

    /// Text.
    package init(stringLiteral text: String) { self = .text(text) }
    /// A switch.
    package init(booleanLiteral flag: Bool) { self = .flag(flag) }
    /// A list.
    package init(arrayLiteral values: Value...) { self = .list(values) }
    /// An object.
    package init(dictionaryLiteral values: (String, Value)...) {
        self = .object(Dictionary(values, uniquingKeysWith: { _, last in last }))
    }

    /// Whether a section is rendered with it.
    var isTruthy: Bool {
        switch self {
        case .flag(let flag): flag
        case .list(let values): !values.isEmpty
        case .null: false
        case .text, .object: true
        }
    }
}
