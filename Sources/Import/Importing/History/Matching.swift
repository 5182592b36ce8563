import SQLSchema

/// Matches the elements of two versions.
enum Matching {
    /// Returns the position in `old` of each element in `new`; nil if the element is new.
    ///
    /// Two elements match if one of these is the same, in this order of precedence:
    ///
    /// 1. the name, after your renames
    /// 2. the origin and the token
    /// 3. the name and the token
    /// 4. the token, or the name of an element without a token
    /// 5. the name
    /// 6. the name in the app's code
    ///
    /// - Parameters:
    ///   - old: The elements of the older version.
    ///   - new: The elements of the newer version.
    ///   - renames: The new names by old names; nil for a removed element.
    ///   - rules: The rules of the source; nil for one that declares renames. Where nothing does, names that differ only in
    ///     letter case are the same, as in SQL.
    static func match<Element: Renamable>(
        _ old: [Element], _ new: [Element], renames: [String: String?] = [:], by rules: Lineages.Rules? = nil
    ) -> [Int?] {
        var indexes: [Int?] = Array(repeating: nil, count: new.count)
        var isTaken = Array(repeating: false, count: old.count)
        func pair(_ key: (Element) -> String?, _ newKey: (Element) -> String?) {
            var free: [String: Int] = [:]
            for (index, element) in old.enumerated() where !isTaken[index] {
                if let key = key(element), free[key] == nil { free[key] = index }
            }
            for (index, element) in new.enumerated() where indexes[index] == nil {
                guard let name = newKey(element), let match = free.removeValue(forKey: name) else { continue }
                indexes[index] = match
                isTaken[match] = true
            }
        }
        if !renames.isEmpty {
            pair({ renames[$0.name] ?? nil }, { $0.name })
            for (index, element) in old.enumerated() where renames.keys.contains(element.name) {
                isTaken[index] = true
            }
        }
        var keys: [(Element) -> String?] = [
            { element in element.origin.map { $0 + "\u{0}" + (element.token ?? "") } },
            { $0.name + "\u{0}" + ($0.token ?? $0.name) }, { $0.token ?? $0.name }, { $0.name },
        ]
        if rules?.tellsRenames == false { keys.append { $0.name.lowercased() } }
        keys.append { $0.path }
        if rules?.tokensDecide == true { keys = [{ $0.token }] }
        for key in keys { pair(key, key) }
        return indexes
    }
}
