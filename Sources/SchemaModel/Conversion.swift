/// A change of type that keeps every value, defined once, in SQL.
public struct Conversion: Hashable, Sendable {
    /// What is done to each value.
    public indirect enum Change: Hashable, Sendable {
        /// A single value becomes one of another type.
        case scalar(ScalarType, ScalarType)
        /// A case becomes its value.
        case caseToString
        /// The values of cases become others, by old value; a value that is not named stays. Some may become one.
        case cases([String: String], merged: Bool)
        /// Bits are cleared; nil clears none.
        case options(cleared: Int)
        /// The members of a struct change.
        case members([MemberChange])
        /// Every element of a list changes.
        case elements(Change, isJSON: Bool)

        /// Whether every value is stored as it was.
        public var isIdentity: Bool {
            switch self {
            case .scalar(let from, let to): (from, to) == (.float, .double) || from.storage == "TEXT"
            case .caseToString: true
            case .cases(let values, _): values.isEmpty
            case .options(let cleared): cleared == 0
            case .members(let changes): changes.isEmpty
            case .elements(let change, _): change.isIdentity
            }
        }

        /// Whether two different values may become one.
        var isMerging: Bool {
            switch self {
            case .scalar, .caseToString: false
            case .cases(_, let isMerged): isMerged
            case .options(let cleared): cleared != 0
            case .elements(let change, _): change.isMerging
            case .members(let changes):
                changes.contains { change in
                    switch change {
                    case .added: false
                    case .removed: true
                    case .renamed(_, _, let inner, _): inner?.isMerging ?? false
                    case .changed(_, let inner, _): inner.isMerging
                    }
                }
            }
        }
    }

    /// What becomes of a member of a struct.
    public indirect enum MemberChange: Hashable, Sendable {
        /// It is new, with that default, in JSON.
        case added(String, value: String)
        /// It goes.
        case removed(String)
        /// It is called otherwise, and its value may change too.
        case renamed(String, to: String, Change?, isJSON: Bool)
        /// Its value changes.
        case changed(String, Change, isJSON: Bool)
    }

    /// The type before.
    public let from: ValueType
    /// The type after.
    public let to: ValueType
    /// What is done to each value.
    public let change: Change

    /// The conversion between the types, or nil where only a person can say what the values become.
    public init?(from: ScalarType, to: ScalarType) {
        switch (from, to) {
        case (.bool, .int), (.int, .decimal), (.float, .double), (.bool, .string), (.int, .string), (.url, .string),
            (.color, .string), (.uuid, .string):
            self.init(from: .scalar(from), to: .scalar(to), .scalar(from, to))
        default:
            return nil
        }
    }

    init(from: ValueType, to: ValueType, _ change: Change) {
        self.from = from
        self.to = to
        self.change = change
    }

    /// The new value, where `value` is SQL for the old one. NULL stays NULL.
    public func sql(_ value: String) -> String {
        change.sql(value)
    }
}

extension Conversion.Change {
    /// The new value, where `value` is SQL for the old one and `depth` is the number of lists around it.
    func sql(_ value: String, depth: Int = 0) -> String {
        if isIdentity { return value }
        switch self {
        case .scalar(let from, let to): return Self.sql(value, from: from, to: to)
        case .caseToString: return value
        case .cases(let values, _):
            let cases = values.sorted { $0.key < $1.key }.map {
                "WHEN \(SQL.literal($0.key)) THEN \(SQL.literal($0.value))"
            }
            return "CASE \(value) \(cases.joined(separator: " ")) ELSE \(value) END"
        case .options(let cleared): return "\(value) & ~\(cleared)"
        case .members(let changes): return Self.sql(value, changes, depth: depth)
        case .elements(let change, let isJSON):
            let each = "each\(depth)"
            let new = change.sql("\(each).value", depth: depth + 1)
            // The list is named apart from `json_each`, whose own columns would be taken for those of the table.
            return "CASE WHEN \(value) IS NOT NULL THEN (SELECT json_group_array(\(isJSON ? "json(\(new))" : new)) "
                + "FROM (SELECT \(each).value FROM (SELECT \(value) AS list) AS list\(depth), "
                + "json_each(list\(depth).list) AS \(each) ORDER BY \(each).key) AS \(each)) END"
        }
    }

    private static func sql(_ value: String, from: ScalarType, to: ScalarType) -> String {
        switch (from, to) {
        case (.bool, .string):
            return "CASE \(value) WHEN 0 THEN 'false' WHEN 1 THEN 'true' END"
        case (.int, .string), (.int, .decimal):
            return "CAST(\(value) AS TEXT)"
        case (.uuid, .string):
            let hex = "hex(\(value))"
            let parts = [(1, 8), (9, 4), (13, 4), (17, 4), (21, 12)].map { "substr(\(hex), \($0), \($1))" }
            // `hex(NULL)` is the empty text, so NULL needs a word of its own.
            return "CASE WHEN \(value) IS NOT NULL THEN " + parts.joined(separator: " || '-' || ") + " END"
        default:
            return value
        }
    }

    /// The members are set in the old JSON, so that whatever is not named stays as it is written, to the last digit.
    private static func sql(_ value: String, _ changes: [Conversion.MemberChange], depth: Int) -> String {
        var removed: [String] = []
        var set: [String] = []
        var replaced: [String] = []
        var inserted: [String] = []
        for change in changes {
            switch change {
            case .added(let name, let json):
                inserted += [path(name), "json(\(SQL.literal(json)))"]
            case .removed(let name):
                removed.append(path(name))
            case .renamed(let old, let new, let change, let isJSON):
                removed.append(path(old))
                let before = "json_extract(\(value), \(path(old)))"
                if let change, !change.isIdentity {
                    let after = change.sql(before, depth: depth)
                    set += [path(new), isJSON ? "json(\(after))" : after]
                } else {
                    set += [path(new), written(value, path(old))]
                }
            case .changed(let name, let change, let isJSON):
                let after = change.sql("json_extract(\(value), \(path(name)))", depth: depth)
                replaced += [path(name), isJSON ? "json(\(after))" : after]
            }
        }
        var text = value
        for (function, arguments) in [
            ("json_remove", removed), ("json_set", set), ("json_replace", replaced), ("json_insert", inserted),
        ] where !arguments.isEmpty {
            text = "\(function)(\(text), \(arguments.joined(separator: ", ")))"
        }
        return text
    }

    private static func path(_ name: String) -> String {
        SQL.literal("$.\"\(name)\"")
    }

    /// The member as it is written, to the last digit: `json_extract` of one path reads a number and writes it anew,
    /// that of two gives a list of what is written.
    private static func written(_ value: String, _ path: String) -> String {
        let list = "json_remove(json_extract(\(value), \(path), \(path)), '$[1]')"
        return "json(substr(\(list), 2, length(\(list)) - 2))"
    }
}
