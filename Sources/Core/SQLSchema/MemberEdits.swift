/// The calls of JSON functions that change members of a struct. All other members keep their exact text.
///
/// A function has a limited number of arguments, so one change of many members needs several calls.
struct MemberEdits {
    /// A new value of a member.
    private enum Value {
        /// JSON.
        case json(String)
        /// The exact text of an old member.
        case text(of: String)
        /// The changed value of an old member. `isJSON` is true if it is an object or an array.
        case changed(String, ValueChange, isJSON: Bool)
    }

    private struct Call {
        let function: String
        /// The members, with their new values; nil if a member is removed.
        let arguments: [(member: String, value: Value?)]
    }

    /// The calls, beginning with the one that has the old value as its argument.
    private let calls: [Call]

    init(_ changes: [ValueChange.Member]) {
        var removed: [(String, Value?)] = []
        var set: [(String, Value?)] = []
        var replaced: [(String, Value?)] = []
        var inserted: [(String, Value?)] = []
        for change in changes {
            switch change {
            case .added(let name, let json): inserted.append((name, .json(json)))
            case .removed(let name): removed.append((name, nil))
            case .renamed(let old, let new, let change, let isJSON):
                removed.append((old, nil))
                let isChanged = change.map { !$0.isIdentity } ?? false
                set.append((new, isChanged ? change.map { .changed(old, $0, isJSON: isJSON) } : .text(of: old)))
            case .changed(let name, let change, let isJSON):
                replaced.append((name, .changed(name, change, isJSON: isJSON)))
            }
        }
        calls = [
            ("json_remove", removed), ("json_set", set), ("json_replace", replaced), ("json_insert", inserted),
        ].flatMap { function, arguments in
            let most = (SQLiteLimits.arguments - 1) / (function == "json_remove" ? 1 : 2)
            return stride(from: 0, to: arguments.count, by: most).map {
                Call(function: function, arguments: Array(arguments[$0..<min($0 + most, arguments.count)]))
            }
        }
    }

    /// Returns SQL for the changed JSON.
    ///
    /// - Parameters:
    ///   - value: SQL for the old JSON.
    ///   - depth: The number of lists around the value.
    func sql(_ value: String, depth: Int) -> String {
        calls.reduce(value) { text, call in
            let arguments = call.arguments.flatMap { member, new -> [String] in
                [SQLite.jsonPath(member)] + (new.map { [sql($0, value, depth: depth)] } ?? [])
            }
            return "\(call.function)(\(text), \(arguments.joined(separator: ", ")))"
        }
    }

    private func sql(_ new: Value, _ value: String, depth: Int) -> String {
        switch new {
        case .json(let text): return "json(\(SQL.literal(text)))"
        case .text(let member):
            // With one path, `json_extract` parses a number and formats it again. With two paths, it returns a list with the
            // original text.
            let path = SQLite.jsonPath(member)
            let list = "json_remove(json_extract(\(value), \(path), \(path)), '$[1]')"
            return "json(substr(\(list), 2, length(\(list)) - 2))"
        case .changed(let member, let change, let isJSON):
            let before = "json_extract(\(value), \(SQLite.jsonPath(member)))"
            let after = SQLite.changed(before, change, depth: depth)
            return isJSON ? "json(\(after))" : after
        }
    }

    /// Returns the number of entries that the changed JSON needs on the stack of SQLite's parser.
    ///
    /// - Parameter value: The entries for the old JSON.
    func parserDepth(_ value: Int) -> Int {
        func depth(_ new: Value?) -> Int {
            switch new {
            case nil: 1
            case .json: 4
            case .text: 17 + value
            case .changed(_, let change, let isJSON): (isJSON ? 3 : 0) + change.parserDepth(3 + value)
            }
        }
        return calls.enumerated().reduce(3 * calls.count + value) { most, call in
            let around = 3 * (calls.count - 1 - call.offset)
            return max(most, around + 5 + (call.element.arguments.map { depth($0.value) }.max() ?? 0))
        }
    }
}
