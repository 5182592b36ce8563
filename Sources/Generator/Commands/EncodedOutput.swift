import Foundation

/// The JSON output of commands.
package enum EncodedOutput {
    /// Returns `value` as JSON. Its keys are sorted, so that outputs can be compared.
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
