import Foundation
import JSONText

/// What a person said of things that went: what they are called since, or that they are gone.
///
/// A file like `{"12": {"user": "account", "account.mail": "email", "account.fax": null}}`: for a version, by its old
/// name, the names before it and the names in it. Tables stand by their names, columns as `table.column` by the table's
/// name before it.
struct Renames: Sendable {
    private var versions: [String: [String: String?]] = [:]
    private var path = ""
    /// The line of each name that is said, by version and name.
    private var lines: [String: Int] = [:]

    init() {}

    /// Reads the file at `path`.
    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("it cannot be read", path: path)
        }
        let json: JSON
        do {
            json = try JSONParser.parse([UInt8](data))
        } catch {
            throw ImportError("it is not valid JSON", path: path, line: Self.line(of: error.offset, in: data))
        }
        self.path = path
        func refuse(_ message: String, _ offset: Int) -> ImportError {
            ImportError(message, path: path, line: Self.line(of: offset, in: data))
        }
        let form = "write {\"VERSION\": {\"OLD\": \"NEW\", \"TABLE.OLD\": \"NEW\", \"TABLE.GONE\": null}}"
        guard case .object(let members) = json.value else { throw refuse(form, json.offset) }
        for version in members {
            guard case .object(let names) = version.value.value else { throw refuse(form, version.value.offset) }
            lines[version.key] = Self.line(of: version.keyOffset, in: data)
            for name in names {
                lines[version.key + "\u{0}" + name.key] = Self.line(of: name.keyOffset, in: data)
                switch name.value.value {
                case .null: versions[version.key, default: [:]][name.key] = .some(nil)
                case .string(let new): versions[version.key, default: [:]][name.key] = new
                default: throw refuse(form, name.value.offset)
                }
            }
        }
    }

    static func line(of offset: Int, in data: Data) -> Int {
        data.prefix(offset).count { $0 == 0x0a } + 1
    }

    /// Checks that all that is said is of things that there are in `imported`.
    func check(_ imported: [ImportedVersion]) throws {
        for (version, names) in versions.sorted(by: { $0.key < $1.key }) {
            guard let place = imported.firstIndex(where: { $0.formerName == version }), place > 0 else {
                let reason =
                    imported.first?.formerName == version ? "is the first: nothing is before it" : "is not there"
                throw ImportError("the version \(version) \(reason)", path: path, line: lines[version])
            }
            let (before, now) = (imported[place - 1], imported[place])
            for (old, new) in names.sorted(by: { $0.key < $1.key }) {
                let line = lines[version + "\u{0}" + old]
                let parts = old.split(separator: ".", maxSplits: 1).map(String.init)
                guard let entity = before.entities.first(where: { $0.name == parts[0] }) else {
                    throw ImportError("there is no \(parts[0]) before \(version)", path: path, line: line)
                }
                if parts.count > 1, !entity.properties.contains(where: { $0.name == parts[1] }) {
                    throw ImportError("there is no \(old) before \(version)", path: path, line: line)
                }
                guard let new else { continue }
                let later = names[parts[0]] ?? nil
                let isThere =
                    parts.count == 1
                    ? now.entities.contains { $0.name == new }
                    : now.entities.contains { candidate in
                        [later, parts[0]].contains(candidate.name) && candidate.properties.contains { $0.name == new }
                    }
                if !isThere { throw ImportError("there is no \(new) in \(version)", path: path, line: line) }
            }
        }
    }

    /// What was said for the step to `version`.
    func names(at version: String) -> [String: String?] { versions[version] ?? [:] }

    /// The new names of the tables of the version before `version`.
    func entities(at version: String) -> [String: String?] {
        names(at: version).filter { !$0.key.contains(".") }
    }

    /// The new names of the columns of the table that was called `entity` before `version`.
    func properties(of entity: String, at version: String) -> [String: String?] {
        var result: [String: String?] = [:]
        for (key, value) in names(at: version) where key.hasPrefix(entity + ".") {
            result[String(key.dropFirst(entity.count + 1))] = value
        }
        return result
    }
}
