/// A file in which git has marked the conflicts of a merge.
package struct MergeConflict: Hashable, Sendable {
    /// The text of the branch into which the other one is merged.
    package let ours: String
    /// The text of the other branch.
    package let theirs: String
    /// The number of the first line with a mark; the first line is 1.
    package let line: Int

    /// Finds the marks in a text; nil if there are none.
    package init?(in text: String) {
        guard text.contains("<<<<<<< ") else { return nil }
        enum Part { case both, ours, base, theirs }
        var part = Part.both
        var sides: (ours: [Substring], theirs: [Substring]) = ([], [])
        var first: Int?
        for (place, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            switch (part, line.prefix(7)) {
            case (.both, "<<<<<<<"):
                part = .ours
                first = first ?? place + 1
            case (.ours, "|||||||"): part = .base
            case (.ours, "======="), (.base, "======="): part = .theirs
            case (.theirs, ">>>>>>>"): part = .both
            case (.both, _):
                sides.ours.append(line)
                sides.theirs.append(line)
            case (.ours, _): sides.ours.append(line)
            case (.theirs, _): sides.theirs.append(line)
            case (.base, _): break
            }
        }
        guard let first, part == .both else { return nil }
        line = first
        ours = sides.ours.joined(separator: "\n")
        theirs = sides.theirs.joined(separator: "\n")
    }
}
