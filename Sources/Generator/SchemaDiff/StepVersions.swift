import SchemaModel

/// The versions before and after a step, written as `1.0-2.0`.
package struct StepVersions: Hashable, Sendable, CustomStringConvertible {
    /// The version before the step.
    package let from: Version
    /// The version after it.
    package let to: Version

    package init(from: Version, to: Version) {
        self.from = from
        self.to = to
    }

    /// Parses a text such as `1.0-2.0`; nil if it is not a step. The name of a beta contains a hyphen too.
    package init?(_ text: String) {
        for index in text.indices where text[index] == "-" {
            if let from = Version(String(text[..<index])), let to = Version(String(text[index...].dropFirst())) {
                self.init(from: from, to: to)
                return
            }
        }
        return nil
    }

    package var description: String { "\(from)-\(to)" }
}

extension SchemaStep {
    /// The versions before and after the step.
    package var ends: StepVersions { StepVersions(from: from.version, to: to.version) }

    /// Whether custom code or a conversion writes values in the step. The tests then seal its results.
    package var writesValues: Bool {
        isCustom || entities.contains { entity in entity.columns.contains { $0.origin.isConversion } }
    }
}

extension ValueOrigin {
    /// Whether a conversion writes the values.
    fileprivate var isConversion: Bool {
        switch self {
        case .changed(_, let change): !change.values.isIdentity
        case .coalesced(let first, let second): first.isConversion || second.isConversion
        case .limited: true
        case .copy, .constant, .null, .custom: false
        }
    }
}
