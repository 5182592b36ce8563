import Foundation
import SchemaModel

/// The mark of a stub: a fingerprint of its text, by which a stub that you have not changed is recognised.
public enum StubMark {
    /// The text that a template writes in the place of the mark.
    static let blank = "0000000000000000"

    /// A stub with its mark.
    static func marked(_ text: String) -> String {
        text.replacing("(stub \(blank))", with: "(stub \(Fingerprint(of: Data(text.utf8)).description))")
    }

    /// Whether a file is a stub as Strata has written it.
    public static func isUntouched(_ text: String) -> Bool {
        guard let mark = text.firstMatch(of: /\(stub ([0-9a-f]{16})\)/) else { return false }
        return marked(text.replacing("(stub \(mark.1))", with: "(stub \(blank))")) == text
    }
}
