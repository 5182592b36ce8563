/// The values of a template, or of a part of it. Each has a name in the template, and a sentence for the reference.
package protocol TemplateValues: Sendable {
    /// The names, in the order of the reference.
    static var fields: [TemplateField<Self>] { get }
}

extension TemplateValues {
    /// The values by name.
    package var value: Value { .object(valuesByName) }

    fileprivate var valuesByName: [String: Value] {
        var values = [String: Value](minimumCapacity: Self.fields.count + 2)
        for field in Self.fields { values[field.name] = field.value(self) }
        return values
    }
}

/// A named value of a template.
package struct TemplateField<Values>: Sendable {
    package typealias Path<Value> = any KeyPath<Values, Value> & Sendable

    package let name: String
    /// A part of a sentence that says what the value is.
    package let documentation: String
    package let form: TemplateForm
    let value: @Sendable (Values) -> Value

    private init(
        _ name: String, _ documentation: String, _ form: TemplateForm, _ value: @escaping @Sendable (Values) -> Value
    ) {
        (self.name, self.documentation, self.form, self.value) = (name, documentation, form, value)
    }

    /// The fields of a part. Templates find them in the values that have the part.
    package static func all<Part: TemplateValues>(of part: Path<Part>) -> [Self] {
        Part.fields.map { field in Self(field.name, field.documentation, field.form) { field.value($0[keyPath: part]) }
        }
    }

    /// Text for an interpolation.
    package static func text(
        _ name: String, _ text: Path<String>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .text) { .text($0[keyPath: text]) }
    }

    /// Text that may be absent.
    package static func optional(
        _ name: String, _ text: Path<String?>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .text) { $0[keyPath: text].map { .text($0) } ?? .null }
    }

    /// A number for an interpolation.
    package static func number(
        _ name: String, _ number: Path<Int>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .text) { .text(String($0[keyPath: number])) }
    }

    /// A Boolean for a section.
    package static func flag(
        _ name: String, _ flag: Path<Bool>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .flag) { .flag($0[keyPath: flag]) }
    }

    /// Texts for a section that is repeated, with `{{.}}` for each.
    package static func texts(
        _ name: String, _ texts: Path<[String]>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .texts) { .list($0[keyPath: texts].map { .text($0) }) }
    }

    /// Values for a section that is repeated. Each element also has the flags `isFirst` and `isLast`.
    package static func list<Element: TemplateValues>(
        _ name: String, _ elements: Path<[Element]>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .list(of: Element.self)) { owner in
            let elements = owner[keyPath: elements]
            return .list(
                elements.enumerated().map { index, element in
                    var values = element.valuesByName
                    values["isFirst"] = .flag(index == 0)
                    values["isLast"] = .flag(index == elements.count - 1)
                    return .object(values)
                })
        }
    }

    /// Values for a section.
    package static func object<Object: TemplateValues>(
        _ name: String, _ object: Path<Object>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .object(Object.self)) { $0[keyPath: object].value }
    }

    /// Values for a section; nil if they are absent.
    package static func object<Object: TemplateValues>(
        _ name: String, _ object: Path<Object?>, _ documentation: String
    ) -> Self {
        Self(name, documentation, .object(Object.self)) { $0[keyPath: object]?.value ?? .null }
    }
}

/// The forms of a named value.
package enum TemplateForm: Sendable {
    case text, flag, texts
    case list(of: any TemplateValues.Type)
    case object(any TemplateValues.Type)
}
