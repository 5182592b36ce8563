import SQLSchema

/// Matches the elements of two versions.
enum Matching {
    /// The position in `old` of each element in `new`; nil if the element is new.
    ///
    /// Elements match by the first of these that applies: your renames; the origin; name and token; the token; the
    /// name; the name in the app's code. A token is the name or the token of the same element in the other version,
    /// whichever version has it.
    ///
    /// - Parameters:
    ///   - renames: The new names by old names; nil for a removed element.
    ///   - ignoringCase: Whether names that differ only in letter case are the same, as in SQL.
    static func match<Element: Renamable>(
        _ old: [Element], _ new: [Element], renames: [String: String?] = [:], ignoringCase: Bool = false
    ) -> [Int?] {
        var places: [Int?] = Array(repeating: nil, count: new.count)
        var isTaken = Array(repeating: false, count: old.count)
        func pair(_ key: (Element) -> String?, _ newKey: (Element) -> String?) {
            var free: [String: Int] = [:]
            for (place, element) in old.enumerated() where !isTaken[place] {
                if let key = key(element), free[key] == nil { free[key] = place }
            }
            for (place, element) in new.enumerated() where places[place] == nil {
                guard let name = newKey(element), let match = free.removeValue(forKey: name) else { continue }
                places[place] = match
                isTaken[match] = true
            }
        }
        if !renames.isEmpty {
            pair({ renames[$0.name] ?? nil }, { $0.name })
            for (place, element) in old.enumerated() where renames.keys.contains(element.name) {
                isTaken[place] = true
            }
        }
        var keys: [(Element) -> String?] = [
            { element in element.origin.map { $0 + "\u{0}" + (element.token ?? "") } },
            { $0.name + "\u{0}" + ($0.token ?? $0.name) }, { $0.token ?? $0.name }, { $0.name },
        ]
        if ignoringCase { keys.append { $0.name.lowercased() } }
        keys.append { $0.path }
        for key in keys { pair(key, key) }
        return places
    }
}
