import Foundation
import JSONText

/// What a person said of things that went: what they are called since, or that they are gone.
///
/// A file like `{"12": {"user": "account", "account.mail": "email", "account.fax": null}}`: for a version, by its old
/// name, the names before it and the names in it. Tables stand by their names, columns as `table.column` by the table's
/// name before it.
struct Renames: Sendable {
    private var versions: [String: [String: String?]] = [:]

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
        func refuse(_ message: String, _ offset: Int) -> ImportError {
            ImportError(message, path: path, line: Self.line(of: offset, in: data))
        }
        let form = "write {\"VERSION\": {\"OLD\": \"NEW\", \"TABLE.OLD\": \"NEW\", \"TABLE.GONE\": null}}"
        guard case .object(let members) = json.value else { throw refuse(form, json.offset) }
        for version in members {
            guard case .object(let names) = version.value.value else { throw refuse(form, version.value.offset) }
            for name in names {
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

    /// The versions that are named.
    var versionNames: [String] { versions.keys.sorted() }

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
