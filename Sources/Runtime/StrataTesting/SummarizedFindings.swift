/// The first finding of each kind, with the number of further findings of that kind.
struct SummarizedFindings {
    private var kinds: [String] = []
    private var found: [String: (text: String, count: Int)] = [:]

    /// Adds a finding. Its text is computed only if it is the first of its kind.
    mutating func add(_ kind: String, _ text: @autoclosure () -> String) {
        if found[kind] == nil {
            kinds.append(kind)
            found[kind] = (text(), 0)
        }
        found[kind]?.count += 1
    }

    /// The text of the first finding of each kind, with the number of further findings.
    var texts: [String] {
        kinds.compactMap { found[$0] }.map { text, count in
            count == 1 ? text : text + (count == 2 ? " (and another)" : " (and \(count - 1) others)")
        }
    }
}
