/// Edits of a JSON file. The text that no edit replaces stays as it is.
package struct JSONEdits {
    private let bytes: [UInt8]
    private var edits: [(range: Range<Int>, text: String)] = []

    /// Creates an empty list of edits.
    ///
    /// - Parameter bytes: The bytes of the file.
    package init(of bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Whether there are no edits.
    package var isEmpty: Bool { edits.isEmpty }

    /// The bytes of the edited file.
    package var result: [UInt8] {
        var result = bytes
        // At one place, text is removed before other text is inserted there.
        let order = edits.enumerated().sorted { left, right in
            let (one, other) = (left.element.range, right.element.range)
            if one.lowerBound != other.lowerBound { return one.lowerBound > other.lowerBound }
            return one.isEmpty == other.isEmpty ? left.offset > right.offset : other.isEmpty
        }
        for (_, edit) in order { result.replaceSubrange(edit.range, with: Array(edit.text.utf8)) }
        return result
    }

    // MARK: Text

    /// Inserts `text` at an offset.
    package mutating func insert(_ text: String, at offset: Int) {
        edits.append((offset..<offset, text))
    }

    /// Replaces a range of the text. Earlier edits inside the range are dropped.
    package mutating func replace(_ range: Range<Int>, with text: String = "") {
        edits.removeAll { range.contains($0.range.lowerBound) && $0.range.upperBound <= range.upperBound }
        edits.append((range, text))
    }

    /// Removes elements of a list, each with one comma.
    ///
    /// - Parameters:
    ///   - dead: The positions of the elements, in ascending order.
    ///   - ranges: The ranges of all elements.
    package mutating func remove(_ dead: [Int], from ranges: [Range<Int>]) {
        guard let last = ranges.indices.last(where: { !dead.contains($0) }) else {
            if let first = ranges.first, let end = ranges.last?.upperBound { replace(first.lowerBound..<end) }
            return
        }
        for index in dead where index < last {
            replace(ranges[index].lowerBound..<ranges[index + 1].lowerBound)
        }
        if last < ranges.count - 1, let end = ranges.last?.upperBound { replace(ranges[last].upperBound..<end) }
    }

    // MARK: Values

    /// Changes a value of the file into another one, with as few edits as possible. New members and elements get the
    /// layout of those beside them.
    ///
    /// - Parameters:
    ///   - json: The value in the file.
    ///   - value: The new value.
    package mutating func change(_ json: JSON, to value: JSONOutput) {
        let old = JSONOutput(json)
        if old == value { return }
        // A value in the canonical layout keeps it.
        let start = indentation(at: json.offset)
        let taken = json.offset - lineStart(of: json.offset) - start + 1
        if Array(old.text(indentation: start, taken: taken).utf8) == Array(bytes[json.offset..<json.end]) {
            return replace(json.offset..<json.end, with: value.text(indentation: start, taken: taken))
        }
        let before = self
        switch (json.value, value) {
        case (.object(let old), .object(let new)): change(old, to: new, in: json)
        case (.array(let old), .array(let new)): change(old, to: new, in: json)
        default: replace(json.offset..<json.end, with: value.text(indentation: indentation(at: json.offset)))
        }
        // An object on one line becomes several lines if it no longer fits.
        guard !bytes[json.offset..<json.end].contains(0x0a) else { return }
        let line = lineStart(of: json.offset)
        let length = json.end - line + edits.dropFirst(before.edits.count).map { $0.text.utf8.count }.reduce(0, +)
        if length >= JSONOutput.width {
            self = before
            let indentation = indentation(at: json.offset)
            let taken = json.offset - line - indentation + 1
            replace(
                json.offset..<json.end, with: value.text(indentation: indentation, taken: taken))
        }
    }

    private mutating func change(_ old: [JSON.Member], to new: [JSONOutput.Member], in json: JSON) {
        let ranges = old.map { $0.keyOffset..<$0.value.end }
        if !old.contains(where: { member in new.contains { $0.key == member.key } }) {
            let value = JSONOutput.object(new).text(indentation: indentation(at: json.offset))
            return replace(json.offset..<json.end, with: value)
        }
        remove(old.indices.filter { index in !new.contains { $0.key == old[index].key } }, from: ranges)
        /// The new members, in groups with the position of the existing member before them.
        var groups: [(anchor: Int?, added: [JSONOutput.Member])] = [(nil, [])]
        for member in new {
            if let index = old.firstIndex(where: { $0.key == member.key }) {
                change(old[index].value, to: member.value)
                groups.append((index, []))
            } else {
                groups[groups.count - 1].added.append(member)
            }
        }
        for (anchor, added) in groups {
            let offset = anchor.map { ranges[$0].lowerBound } ?? ranges.first?.lowerBound ?? json.offset
            let indentation = indentation(at: offset)
            let texts = added.map { member in
                let key = JSON.quoted(member.key) + ": "
                return key + member.value.text(indentation: indentation, taken: key.utf8.count + 1)
            }
            insert(texts, after: anchor, of: ranges, in: json)
        }
    }

    private mutating func change(_ old: [JSON], to new: [JSONOutput], in json: JSON) {
        let values = old.map(JSONOutput.init)
        let ranges = old.map { $0.offset..<$0.end }
        let start = zip(values, new).prefix { $0 == $1 }.count
        let end = zip(values.reversed(), new.reversed()).prefix { $0 == $1 }.count
        let tail = min(end, min(old.count, new.count) - start)
        let (dead, added) = (start..<old.count - tail, start..<new.count - tail)
        if dead.count == added.count {
            for (one, other) in zip(dead, added) { change(old[one], to: new[other]) }
        } else if !old.isEmpty, dead.count == old.count {
            replace(
                json.offset..<json.end, with: JSONOutput.array(new).text(indentation: indentation(at: json.offset)))
        } else {
            remove(Array(dead), from: ranges)
            let indentation = indentation(at: ranges.first?.lowerBound ?? json.offset)
            insert(
                new[added].map { $0.text(indentation: indentation, taken: 1) }, after: start > 0 ? start - 1 : nil,
                of: ranges, in: json)
        }
    }

    /// Inserts elements or members into a list.
    ///
    /// - Parameters:
    ///   - texts: The texts of the new elements.
    ///   - anchor: The position of the element before them; nil if they are the first ones.
    ///   - ranges: The ranges of the existing elements.
    ///   - json: The list.
    private mutating func insert(_ texts: [String], after anchor: Int?, of ranges: [Range<Int>], in json: JSON) {
        if texts.isEmpty { return }
        guard let first = ranges.first else {
            let space = if case .object = json.value { " " } else { "" }
            return replace(json.offset + 1..<json.end - 1, with: space + texts.joined(separator: ", ") + space)
        }
        func gap(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        let separator =
            switch (anchor ?? 0, ranges.count) {
            case (_, 1):
                // The space after the bracket also separates the elements, if it is a new line.
                gap(json.offset + 1..<first.lowerBound).contains("\n")
                    ? "," + gap(json.offset + 1..<first.lowerBound) : ", "
            case (let index, let count) where index + 1 < count:
                gap(ranges[index].upperBound..<ranges[index + 1].lowerBound)
            case (let index, _): gap(ranges[index - 1].upperBound..<ranges[index].lowerBound)
            }
        if let anchor {
            insert(texts.map { separator + $0 }.joined(), at: ranges[anchor].upperBound)
        } else {
            insert(texts.map { $0 + separator }.joined(), at: first.lowerBound)
        }
    }

    // MARK: Lines

    private func lineStart(of offset: Int) -> Int {
        bytes[..<offset].lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    }

    /// Returns the number of spaces at the start of the line that contains `offset`.
    private func indentation(at offset: Int) -> Int {
        bytes[lineStart(of: offset)..<offset].prefix { $0 == 0x20 }.count
    }
}
