import Descriptions
import Foundation
import JSONText
import SchemaModel

/// Your answers about steps that a source does not explain: the new names of renamed elements, the removed elements,
/// and the backfill values of new ones.
///
/// The answers are an object like `{"12": {"user": "account", "user.mail": "email", "user.fax": null, "account.age":
/// {"fill": 0}}}`. Its keys are versions, by their former names. Renamed and removed elements have their names before
/// the version. Elements with a backfill value have their names in the version. Columns are written as `table.column`.
/// `{"types": {"user.is_admin": "bool"}}` names columns of Booleans, in all versions.
struct Renames: Sendable {
    /// The answer for a table or a column in a step.
    enum Answer: Hashable, Sendable {
        case renamed(String)
        case removed
        case filled(ImportedFill)

        fileprivate var json: JSONOutput {
            switch self {
            case .renamed(let name): .string(name)
            case .removed: .null
            case .filled(.constant(let value)): .object([.init("fill", value)])
            case .filled(.property(let name)): .object([.init("fill_from", .string(name))])
            }
        }
    }

    private var versions: [String: [String: Answer]] = [:]
    /// The columns of Booleans, as `table.column`, in all versions. The source declares whole numbers.
    private var booleans: Set<String> = []
    /// The file and the line of each answer, by version and name.
    private var locations: [String: (path: String, line: Int)] = [:]

    init() {}

    /// Reads the file at `path`.
    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ImportError("it cannot be read", path: path)
        }
        do {
            try read(try JSONParser.parse([UInt8](data)), path, data)
        } catch let error as JSONError {
            throw ImportError("it is not valid JSON", path: path, line: Self.line(of: error.offset, in: data))
        }
    }

    /// Reads the answers that a `strata.json` keeps from earlier imports.
    init(rememberedIn configuration: SourceFile) throws {
        guard let json = try configuration.json()["imported"]?["renames"] else { return }
        try read(json, configuration.path, Data(configuration.bytes))
    }

    private mutating func read(_ json: JSON, _ path: String, _ data: Data) throws {
        func refuse(_ message: String, _ offset: Int) -> ImportError {
            ImportError(message, path: path, line: Self.line(of: offset, in: data))
        }
        let form =
            "write {\"VERSION\": {\"OLD\": \"NEW\", \"TABLE.OLD\": \"NEW\", \"TABLE.REMOVED\": null, "
            + "\"TABLE.NEW\": {\"fill\": VALUE}}}"
        guard case .object(let members) = json.value else { throw refuse(form, json.offset) }
        for version in members {
            if version.key == Self.typesKey {
                try readTypes(version.value, refuse)
                continue
            }
            guard case .object(let names) = version.value.value else { throw refuse(form, version.value.offset) }
            versions[version.key] = versions[version.key] ?? [:]
            locations[version.key] = (path, Self.line(of: version.keyOffset, in: data))
            for name in names {
                locations[version.key + "\u{0}" + name.key] = (path, Self.line(of: name.keyOffset, in: data))
                let answer: Answer
                switch name.value.value {
                case .null: answer = .removed
                case .string(let new): answer = .renamed(new)
                case .object(let members) where members.map(\.key) == ["fill"]:
                    answer = .filled(.constant(JSONOutput(members[0].value)))
                case .object(let members) where members.map(\.key) == ["fill_from"]:
                    guard let name = members[0].value.text else { throw refuse(form, members[0].value.offset) }
                    answer = .filled(.property(name))
                default: throw refuse(form, name.value.offset)
                }
                versions[version.key, default: [:]][name.key] = answer
            }
        }
    }

    private static let typesKey = "types"

    /// Reads `{"user.is_admin": "bool"}`.
    private mutating func readTypes(_ json: JSON, _ refuse: (String, Int) -> ImportError) throws {
        let form = "write {\"types\": {\"TABLE.COLUMN\": \"bool\"}}"
        guard case .object(let columns) = json.value else { throw refuse(form, json.offset) }
        for column in columns {
            guard column.value.text == "bool", column.key.contains(".") else { throw refuse(form, column.value.offset) }
            booleans.insert(column.key)
            locations[Self.typesKey + "\u{0}" + column.key] = locations[Self.typesKey]
        }
    }

    static func line(of offset: Int, in data: Data) -> Int {
        data.prefix(offset).count { $0 == 0x0a } + 1
    }

    /// Adds the answer for an element in a version. A nil name removes the element.
    mutating func add(_ name: String, _ newName: String?, at version: String) {
        versions[version, default: [:]][name] = newName.map(Answer.renamed) ?? .removed
    }

    /// Adds a new name, unless there is an answer for the element.
    mutating func suggest(_ name: String, _ newName: String, at version: String) {
        if versions[version]?[name] == nil { add(name, newName, at: version) }
    }

    // MARK: Combining

    var isEmpty: Bool { versions.values.allSatisfy(\.isEmpty) && booleans.isEmpty }

    /// Returns these answers combined with other answers, which take precedence.
    func merging(_ others: Renames) -> Renames {
        var result = self
        for (version, names) in others.versions {
            result.versions[version, default: [:]].merge(names) { _, new in new }
        }
        result.locations.merge(others.locations) { _, new in new }
        result.booleans.formUnion(others.booleans)
        return result
    }

    /// Returns the versions whose answers differ from the answers in `other`.
    func versions(unlike other: Renames) -> Set<String> {
        let all = Set(versions.keys).union(other.versions.keys)
        return booleans == other.booleans ? all.filter { versions[$0] ?? [:] != other.versions[$0] ?? [:] } : all
    }

    /// Returns the answers in the form in which `strata.json` stores them, with the versions in the order of `names`.
    func json(_ names: [String]) -> JSONOutput {
        let types = booleans.sorted().map { JSONOutput.Member($0, .string("bool")) }
        return .object(
            (types.isEmpty ? [] : [.init(Self.typesKey, .object(types))])
                + names.compactMap { name in
                    versions[name].flatMap { answers in
                        answers.isEmpty
                            ? nil
                            : .init(
                                name, .object(answers.sorted { $0.key < $1.key }.map { .init($0.key, $0.value.json) }))
                    }
                })
    }

    /// Adds the backfill value of a column that the source's code adds, unless there is an answer for it.
    mutating func suggest(_ added: KotlinMigrations.AddedColumn, in imported: [ImportedVersion]) {
        let name = added.table + "." + added.column
        for (before, now) in zip(imported, imported.dropFirst()) {
            guard added.version.map({ String($0) == now.formerName }) ?? true, versions[now.formerName]?[name] == nil,
                let entity = now.entities.first(where: { $0.name == added.table }),
                let property = entity.properties.first(where: { $0.name == added.column }),
                property.defaultValue == nil,
                let type = property.scalar, let literal = DefaultValue.literal(sql: added.value, type: type)
            else { continue }
            let fill = ImportedFill.constant(.raw(literal.json(type: type)))
            if problem(name, fill, before, now) == nil { versions[now.formerName, default: [:]][name] = .filled(fill) }
        }
    }

    // MARK: Checking

    /// Checks that all tables and columns of the answers exist in `imported`.
    func check(_ imported: [ImportedVersion]) throws {
        for name in booleans.sorted() {
            let (table, column) = Self.parts(name)
            let found = imported.flatMap(\.entities).filter { $0.name == table }.flatMap(\.properties).filter {
                $0.name == column
            }
            if found.contains(where: { $0.scalar == .int || $0.scalar == .bool }) { continue }
            throw refusal(
                found.isEmpty
                    ? "there is no \(name) in any version" : "\(name) is not a whole number, so it cannot be a bool",
                at: Self.typesKey + "\u{0}" + name)
        }
        for (version, names) in versions.sorted(by: { $0.key < $1.key }) {
            guard let index = imported.firstIndex(where: { $0.formerName == version }), index > 0 else {
                let reason =
                    imported.first?.formerName == version
                    ? "is the oldest version, so nothing changes in it" : "does not exist"
                let nearest = imported.map(\.formerName).first { Version($0) != nil && Version($0) == Version(version) }
                throw refusal(
                    "the version \(version) \(reason)\(nearest.map { "; its former name is \($0)" } ?? "")", at: version
                )
            }
            var targets: [String: String] = [:]
            for (name, answer) in names.sorted(by: { $0.key < $1.key }) {
                let problem =
                    switch answer {
                    case .filled(let fill): problem(name, fill, imported[index - 1], imported[index])
                    case .renamed(let new): problem(name, new, imported[index - 1], imported[index])
                    case .removed: problem(name, nil, imported[index - 1], imported[index])
                    }
                if let problem { throw refusal(problem, at: version + "\u{0}" + name) }
                guard case .renamed(let new) = answer else { continue }
                let scope = Self.parts(name)
                let target = scope.property == nil ? new : scope.entity + "." + new
                if let other = targets.updateValue(name, forKey: target) {
                    throw refusal("\(other) and \(name) cannot both become \(new)", at: version + "\u{0}" + name)
                }
            }
        }
    }

    private func refusal(_ message: String, at key: String) -> ImportError {
        ImportError(message, path: locations[key]?.path ?? "", line: locations[key]?.line)
    }

    private static func parts(_ name: String) -> (entity: String, property: String?) {
        let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts[1] : nil)
    }

    private func problem(
        _ old: String, _ new: String?, _ before: ImportedVersion, _ now: ImportedVersion
    ) -> String? {
        let (entityName, propertyName) = Self.parts(old)
        guard let entity = before.entities.first(where: { $0.name == entityName }) else {
            return "there is no \(entityName) before \(now.formerName)"
        }
        if let propertyName, !entity.properties.contains(where: { $0.name == propertyName }) {
            return "there is no \(old) before \(now.formerName)"
        }
        guard let new else { return nil }
        let isThere: Bool
        if propertyName == nil {
            isThere = now.entities.contains { $0.name == new }
        } else {
            let newName: String? = entities(at: now.formerName)[entityName] ?? nil
            let names = [entityName, newName ?? entityName]
            isThere = now.entities.contains { candidate in
                names.contains(candidate.name) && candidate.properties.contains { $0.name == new }
            }
        }
        return isThere ? nil : "there is no \(new) in \(now.formerName)"
    }

    private func problem(
        _ name: String, _ fill: ImportedFill, _ before: ImportedVersion, _ now: ImportedVersion
    ) -> String? {
        let (entityName, propertyName) = Self.parts(name)
        guard let entity = now.entities.first(where: { $0.name == entityName }),
            let property = entity.properties.first(where: { $0.name == propertyName })
        else { return "there is no \(name) in \(now.formerName)" }
        if property.relationship != nil { return "\(name) is a relationship, which a custom migration fills" }
        let entities = entities(at: now.formerName)
        let oldName = entities.first { $0.value == entityName }?.key ?? entityName
        let old = before.entities.first { $0.name == oldName }
        let properties = properties(of: oldName, at: now.formerName)
        let oldProperty = properties.first { $0.value == propertyName }?.key ?? propertyName
        if let was = old?.properties.first(where: { $0.name == oldProperty }), !was.isNullable || property.isNullable {
            return "\(name) needs no backfill value in \(now.formerName): it is neither new nor newly mandatory"
        }
        switch fill {
        case .property(let source):
            if old?.properties.contains(where: { $0.name == source }) == true { return nil }
            return "there is no \(oldName).\(source) before \(now.formerName)"
        case .constant(let value):
            guard case .attribute(.scalar(let type)) = property.content,
                let json = try? JSONParser.parse(Array(value.text().utf8)), !LiteralReader.isLiteral(json, type: type)
            else { return nil }
            return "\(name) of type \(type.rawValue) cannot be \(value.text())"
        }
    }

    // MARK: Reading the answers

    /// Returns the new names of the tables, by their names before `version`; nil for a removed table.
    func entities(at version: String) -> [String: String?] {
        names(at: version).filter { !$0.key.contains(".") }
    }

    /// Returns the new names of the columns of a table; nil for a removed column.
    ///
    /// - Parameters:
    ///   - entity: The name of the table before `version`.
    ///   - version: The former name of the version.
    func properties(of entity: String, at version: String) -> [String: String?] {
        var result: [String: String?] = [:]
        for (key, value) in names(at: version) where key.hasPrefix(entity + ".") {
            result[String(key.dropFirst(entity.count + 1))] = value
        }
        return result
    }

    private func names(at version: String) -> [String: String?] {
        (versions[version] ?? [:]).compactMapValues { answer -> String?? in
            switch answer {
            case .renamed(let name): .some(name)
            case .removed: .some(nil)
            case .filled: nil
            }
        }
    }

    /// Returns the versions, with the Booleans and the backfill values in their properties.
    func filled(_ imported: [ImportedVersion]) -> [ImportedVersion] {
        imported.map { version in
            var version = version
            for name in booleans {
                let (table, column) = Self.parts(name)
                for entity in version.entities.indices where version.entities[entity].name == table {
                    for index in version.entities[entity].properties.indices
                    where version.entities[entity].properties[index].name == column
                        && version.entities[entity].properties[index].scalar == .int
                    {
                        version.entities[entity].properties[index].content = .attribute(.scalar(.bool))
                    }
                }
            }
            for (name, answer) in versions[version.formerName] ?? [:] {
                let (entityName, propertyName) = Self.parts(name)
                guard case .filled(let fill) = answer,
                    let entity = version.entities.firstIndex(where: { $0.name == entityName }),
                    let property = version.entities[entity].properties.firstIndex(where: { $0.name == propertyName })
                else { continue }
                let isBoolean = version.entities[entity].properties[property].scalar == .bool
                version.entities[entity].properties[property].fill = isBoolean ? fill.asBoolean : fill
            }
            return version
        }
    }
}

extension ImportedFill {
    /// The value of a Boolean whose column has whole numbers.
    fileprivate var asBoolean: ImportedFill {
        guard case .constant(let value) = self else { return self }
        return switch value.text() {
        case "0": .constant(.bool(false))
        case "1": .constant(.bool(true))
        default: self
        }
    }
}
