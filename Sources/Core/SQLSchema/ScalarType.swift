/// The types of single values.
package enum ScalarType: String, CaseIterable, Hashable, Sendable {
    case int, bool, double, float, string, url, color, date, seconds, milliseconds, data, uuid, decimal

    /// The facts of a type that generator, runtime and servers share.
    package struct Facts: Sendable {
        /// The type in which a column of a store has the values.
        package let storage: StorageType
        /// The type of a column on a server.
        package let server: ServerType
        /// The Swift type, with its module.
        package let swift: String
        /// The end of the name of the method of `Row` that reads a value: `optionalURL`.
        package let reader: String
        /// The label of the initializer of `SQLiteValue`; nil if it has none.
        package let valueLabel: String?
        /// How to write a value in a description, as a hint in messages.
        package let literalHint: String

        fileprivate init(
            _ storage: StorageType, _ server: ServerType, swift: String, reader: String, valueLabel: String? = nil,
            literal: String
        ) {
            (self.storage, self.server, self.swift, self.reader) = (storage, server, swift, reader)
            (self.valueLabel, literalHint) = (valueLabel, literal)
        }
    }

    /// The facts of the type.
    package var facts: Facts {
        switch self {
        case .int, .milliseconds:
            Facts(
                .integer, .bigint, swift: "Swift.Int", reader: "Int",
                literal: "write a whole number, without quotes")
        case .bool:
            Facts(.integer, .boolean, swift: "Swift.Bool", reader: "Bool", literal: "write true or false")
        case .double:
            Facts(
                .real, .double, swift: "Swift.Double", reader: "Double",
                literal: "write a finite number, without quotes")
        case .float:
            Facts(
                .real, .real, swift: "Swift.Float", reader: "Float", literal: "write a finite number, without quotes")
        case .string:
            Facts(
                .text, .text, swift: "Swift.String", reader: "String",
                literal: "write text in quotes, without the character U+0000")
        case .url:
            Facts(.text, .text, swift: "Foundation.URL", reader: "URL", literal: "write a valid URL in quotes")
        case .color:
            Facts(
                .text, .text, swift: "Swift.String", reader: "Color", valueLabel: "color",
                literal: "write \"#RRGGBB\" or \"#RRGGBBAA\"")
        case .date:
            Facts(
                .real, .timestamptz, swift: "Foundation.Date", reader: "Date",
                literal: #"write a time like "2001-01-01T23:59:59Z", or the seconds since 2001 as a number"#)
        case .seconds:
            Facts(
                .real, .double, swift: "Foundation.TimeInterval", reader: "Double",
                literal: "write a finite number, without quotes")
        case .data:
            Facts(
                .blob, .bytea, swift: "Foundation.Data", reader: "Data",
                literal: "write the bytes in base64, in quotes")
        case .uuid:
            Facts(.blob, .uuid, swift: "Foundation.UUID", reader: "UUID", literal: "write a valid UUID in quotes")
        case .decimal:
            Facts(
                .text, .numeric, swift: "Foundation.Decimal", reader: "Decimal",
                literal: "write a decimal number of at most 38 digits, like 1.5, with or without quotes")
        }
    }

    /// The type in which a column of a store has the values.
    package var storage: StorageType { facts.storage }
}

/// Returns whether `text` is `#RRGGBB` or `#RRGGBBAA`.
package func isColor(_ text: String) -> Bool {
    let bytes = text.utf8
    return (bytes.count == 7 || bytes.count == 9) && bytes.first == 0x23
        && bytes.dropFirst().allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
        }
}
