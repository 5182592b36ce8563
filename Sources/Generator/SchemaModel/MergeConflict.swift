import Foundation

/// A file in which git has marked the conflicts of a merge.
package struct MergeConflict: Hashable, Sendable {
    /// One of the two branches.
    package struct Side: Hashable, Sendable {
        /// The complete text of the file in this branch, apart from what git has merged.
        package var text = ""
        /// The name that git gives the branch: `HEAD`.
        package var label = ""
    }

    /// The branch into which the other one is merged. In a rebase, it is the branch that is rebased onto.
    package private(set) var ours = Side()
    /// The other branch.
    package private(set) var theirs = Side()
    /// The number of the first line with a mark; the first line is 1.
    package let line: Int

    /// Finds the marks in a text; nil if there are none. Lines may end with LF or CRLF.
    package init?(in text: String) {
        guard strstr(text, "<<<<<<< ") != nil else { return nil }
        enum Part { case both, ours, base, theirs }
        var part = Part.both
        var sides: (ours: [String], theirs: [String]) = ([], [])
        var labels: (ours: String?, theirs: String?)
        var first: Int?
        for (index, bytes) in text.utf8.split(separator: 0x0a, omittingEmptySubsequences: false).enumerated() {
            let line = String(decoding: bytes.last == 0x0d ? bytes.dropLast() : bytes, as: UTF8.self)
            // A mark is seven characters, alone or before a space.
            let isMark = line.utf8.count == 7 || line.utf8.dropFirst(7).first == 0x20
            switch (part, isMark ? String(line.prefix(7)) : "") {
            case (.both, "<<<<<<<"):
                part = .ours
                first = first ?? index + 1
                labels.ours = labels.ours ?? String(line.dropFirst(8))
            case (.ours, "|||||||"): part = .base
            case (.ours, "======="), (.base, "======="): part = .theirs
            case (.theirs, ">>>>>>>"):
                part = .both
                labels.theirs = labels.theirs ?? String(line.dropFirst(8))
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
        ours = Side(text: sides.ours.joined(separator: "\n"), label: labels.ours ?? "")
        theirs = Side(text: sides.theirs.joined(separator: "\n"), label: labels.theirs ?? "")
    }
}
