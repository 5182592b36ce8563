import JSONText

/// Writes JSON to a column, without white space. The members of an object keep the order in which they are written.
public struct JSONWriter {
    private var bytes: [UInt8] = []
    private var needsComma = false

    init() {}

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns the JSON of a value.
    static func text(of value: some JSONConvertible) throws -> String {
        var json = JSONWriter()
        try value.write(to: &json)
        return json.text
    }

    mutating func write(raw text: String) {
        bytes += text.utf8
    }

    mutating func write(_ text: String) {
        JSON.append(text, to: &bytes)
    }

    mutating func write<Value: BinaryFloatingPoint & LosslessStringConvertible>(floatingPoint value: Value) throws {
        if value.isNaN { throw UnstorableValue.notANumber }
        // Other columns cannot store -0.0 either.
        let value = value == 0 ? 0 : value
        if value.isFinite { write(raw: value.description) } else { write(value.description) }
    }

    mutating func list<Element>(
        _ elements: [Element], _ write: (inout JSONWriter, Element) throws -> Void
    ) throws {
        bytes.append(0x5b)
        for (index, element) in elements.enumerated() {
            if index > 0 { bytes.append(0x2c) }
            try write(&self, element)
        }
        bytes.append(0x5d)
    }

    /// Writes an object. `body` writes its members.
    public mutating func object(_ body: (inout JSONWriter) throws -> Void) throws {
        bytes.append(0x7b)
        needsComma = false
        try body(&self)
        needsComma = true
        bytes.append(0x7d)
    }

    /// Writes a member of an object. Writes nothing if the value is nil.
    public mutating func member(_ name: String, _ value: (some JSONConvertible)?) throws {
        guard let value else { return }
        if needsComma { bytes.append(0x2c) }
        write(name)
        bytes.append(0x3a)
        try value.write(to: &self)
        needsComma = true
    }
}
