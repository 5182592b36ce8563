import JSONText

/// Reads a JSON value from a column.
public struct JSONReader {
    let json: JSON

    init(_ json: JSON) {
        self.json = json
    }

    init(parsing text: String) throws {
        do {
            json = try JSONParser.parse(Array(text.utf8))
        } catch {
            throw MalformedJSON(expected: "JSON")
        }
    }

    func malformed(_ expected: String) -> MalformedJSON { MalformedJSON(expected: "JSON with " + expected) }

    var isNull: Bool { json.isNull }

    func bool() throws -> Bool {
        guard case .bool(let value) = json.value else { throw malformed("true or false") }
        return value
    }

    func string() throws -> String {
        guard case .string(let text) = json.value else { throw malformed("a string") }
        return text
    }

    func string<Value>(_ expected: String, _ value: (String) -> Value?) throws -> Value {
        guard let value = value(try string()) else { throw malformed(expected) }
        return value
    }

    func number<Value>(_ expected: String, _ value: (String) -> Value?) throws -> Value {
        guard case .number(let text) = json.value, let value = value(text) else { throw malformed(expected) }
        return value
    }

    func floatingPoint<Value: BinaryFloatingPoint & LosslessStringConvertible>() throws -> Value {
        switch json.value {
        case .number(let text): if let value = Value(text), value.isFinite { return value }
        case .string("inf"): return .infinity
        case .string("-inf"): return -.infinity
        default: break
        }
        throw malformed("a number")
    }

    func list() throws -> [JSONReader] {
        guard case .array(let elements) = json.value else { throw malformed("a list") }
        return elements.map { JSONReader($0) }
    }

    /// Returns the values of an object by key.
    func dictionary() throws -> [String: JSONReader] {
        guard case .object(let members) = json.value else { throw malformed("an object") }
        let values = members.map { ($0.key, JSONReader($0.value)) }
        return Dictionary(values, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Objects

    private func member(_ name: String) throws -> JSON? {
        guard case .object(let members) = json.value else { throw malformed("an object") }
        guard let value = members.first(where: { $0.key == name })?.value, !value.isNull else { return nil }
        return value
    }

    /// Returns the member `name` of an object.
    ///
    /// - Throws: `MalformedJSON` if it is absent, null or another kind of value.
    public func value<Value: JSONConvertible>(_ name: String) throws -> Value {
        guard let json = try member(name) else { throw malformed("a member \(name)") }
        return try Value(json: JSONReader(json))
    }

    /// Returns the member `name` of an object; nil if it is absent or null.
    public func optionalValue<Value: JSONConvertible>(_ name: String) throws -> Value? {
        try member(name).map { try Value(json: JSONReader($0)) }
    }
}

/// JSON in a column that is not a value of the column's type.
struct MalformedJSON: Error {
    let expected: String
}
