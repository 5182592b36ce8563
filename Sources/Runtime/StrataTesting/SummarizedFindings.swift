/// The first finding of each kind, with the number of further findings of that kind.
struct SummarizedFindings {
    /// Whether the finding with the shortest text is taken instead of the first one. For the differences of rows, it shows an ordinary
    /// row, and not the one with the smallest number.
    let takesShortest: Bool
    private var kinds: [String] = []
    private var found: [String: (text: String, count: Int)] = [:]
    /// Of more findings of a kind, the texts are not computed.
    private static let mostTexts = 100

    init(takingShortest takesShortest: Bool = false) {
        self.takesShortest = takesShortest
    }

    /// Adds a finding.
    mutating func add(_ kind: String, _ text: @autoclosure () -> String) {
        guard let (known, count) = found[kind] else {
            kinds.append(kind)
            found[kind] = (text(), 1)
            return
        }
        let new = takesShortest && count < Self.mostTexts ? text() : known
        found[kind] = (new.count < known.count ? new : known, count + 1)
    }

    /// The text of a finding of each kind, with the number of further findings.
    var texts: [String] {
        kinds.compactMap { found[$0] }.map { text, count in
            count == 1 ? text : text + (count == 2 ? " (and another)" : " (and \(count - 1) others)")
        }
    }
}
