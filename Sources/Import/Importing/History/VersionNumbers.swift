import SchemaModel

/// Assigns dotted version numbers to versions.
enum VersionNumbers {
    /// Returns the numbers of versions.
    ///
    /// If all names end in numbers, and the numbers ascend, the numbers are kept: `Model 2` is 2.0, and `2.24.1` is
    /// 2.24.1. The first name may lack a number, and then is 1.0. In all other cases, the versions are counted.
    ///
    /// - Parameters:
    ///   - names: The names of the versions, oldest first.
    ///   - known: The numbers of the first versions, if these versions already have numbers.
    static func numbers(of names: [String], known: [Version] = []) -> [Version] {
        let written = names.enumerated().map { index, name in
            index < known.count ? known[index] : number(in: name, isFirst: index == 0)
        }
        if !written.contains(nil), zip(written, written.dropFirst()).allSatisfy({ isAscending($0, $1) }) {
            return written.compactMap(\.self)
        }
        var numbers = known
        while numbers.count < names.count {
            let major = (numbers.last?.number.components.first ?? 0) + 1
            if let next = Version("\(major).0") { numbers.append(next) }
        }
        return numbers
    }

    private static func isAscending(_ left: Version?, _ right: Version?) -> Bool {
        guard let left, let right else { return false }
        return left < right
    }

    private static func number(in name: String, isFirst: Bool) -> Version? {
        guard let match = name.firstMatch(of: /([0-9]+(?:\s*[._]\s*[0-9]+)*)\s*$/) else {
            return isFirst ? Version("1.0") : nil
        }
        let parts = match.1.split { !$0.isNumber }
        // A time is not a version.
        guard parts.allSatisfy({ $0.count <= 9 }) else { return nil }
        let text = parts.joined(separator: ".")
        return Version(text.contains(".") ? text : text + ".0")
    }
}
