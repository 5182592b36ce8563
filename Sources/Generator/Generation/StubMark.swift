import Foundation
import SchemaModel

/// The mark of a stub: a fingerprint of its text. With it, Strata recognizes a stub that you have not changed.
package enum StubMark {
    /// The placeholder that the template writes instead of the mark.
    static let blank = "0000000000000000"

    /// Returns the stub with its mark instead of the placeholder.
    static func marked(_ text: String) -> String {
        text.replacing("(stub \(blank))", with: "(stub \(Fingerprint(of: Data(text.utf8)).description))")
    }

    /// Returns whether a file is an unchanged stub, or a merge conflict between two of them.
    package static func isUntouched(_ text: String) -> Bool {
        if let conflict = MergeConflict(in: text) {
            return isUntouched(conflict.ours.text) && isUntouched(conflict.theirs.text)
        }
        guard let mark = text.firstMatch(of: /\(stub ([0-9a-f]{16})\)/) else { return false }
        return marked(text.replacing("(stub \(mark.1))", with: "(stub \(blank))")) == text
    }
}
