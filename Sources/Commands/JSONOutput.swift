import Foundation

/// What commands say to programs.
package enum JSONOutput {
    /// `value` as JSON with sorted keys, so that outputs can be compared.
    package static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
