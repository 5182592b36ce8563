import Foundation
import JSONText
import SchemaModel

/// Reads the JSON of one file into an `EntityDescription` or a `SubtypeDescription`, and collects diagnostics.
package struct DescriptionFileReader {
    let file: SourceFile
    private(set) var diagnostics: [Diagnostic] = []
    /// The entity that the file describes, if it is not stored.
    private(set) var unpersisted: UnpersistedEntity?
    /// The value of `persist`; nil if the entity does not have the key.
    private(set) var persistence: Bool?
    let isLucid: Bool?
    /// The keys that have no meaning for a store, and the offset of the first one.
    private var ignoredKeys: [String] = []
    /// The newest version in the history of the entity, and whether it is the first one.
    private var newest: Version?
    private var isFirst = true
    private var ignoredOffset = 0

    /// - Parameters:
    ///   - file: The file.
    ///   - isLucid: Whether keys that mean something else in Lucid have Lucid's meaning; nil if `strata.json` does not say it.
    package init(file: SourceFile, isLucid: Bool? = nil) {
        self.file = file
        self.isLucid = isLucid
    }

    /// Returns the problems of a file.
    package static func problems(in file: SourceFile) -> [Diagnostic] {
        var reader = DescriptionFileReader(file: file)
        _ = reader.read()
        return reader.diagnostics
    }

    /// Reads the entity or the subtype that the file describes; nil if the file lacks required parts, or if the entity
    /// is not stored.
    mutating func read() -> (any FileDescription)? {
        let json: JSON
        do {
            json = try file.json()
        } catch {
            diagnostics.append(error)
            return nil
        }
        guard case .object(let members) = json.value else {
            report(.notADescription(found: json.kind), at: json.offset)
            return nil
        }
        if isSubtype(members) { return subtype(members, at: json.offset) }
        let entity = canonical(members, .entity)
        let values = dictionary(entity)
        persistence = values["persist"].flatMap { bool($0, key: "persist") }
        if persistence == false || isLucid == true && values["persist"] == nil {
            unpersisted = UnpersistedEntity(reading: values, of: file)
            note(.unpersisted(isWritten: persistence == false), at: values["persist"]?.offset ?? json.offset)
            return nil
        }
        var element = element(entity, offset: json.offset, .entity)
        guard element.present["name"] != nil else {
            report(.missingKey("name", of: "an entity"), at: json.offset)
            return nil
        }
        if isLucid == true, element.present["identifier"] == nil {
            element.present["identifier"] = JSON(value: .object([]), offset: json.offset)
        }
        if element.present["identifier"] == nil {
            report(.missingIdentifier, at: json.offset)
            return nil
        }
        newest = element.items.last?.version
        isFirst = element.items.count < 2
        let properties = elements(values["properties"], key: "properties", .property)
        let indexes = elements(values["indexes"], key: "indexes", .index)
        let checks = elements(values["checks"], key: "checks", .check)
        noteIgnoredKeys()
        return EntityDescription(
            file: file, element: element, properties: properties, indexes: indexes, checks: checks)
    }

    mutating func elements(_ json: JSON?, key: String, _ table: KeyTable) -> [ElementDescription] {
        guard let json else { return [] }
        guard case .array(let array) = json.value else {
            report(.wrongKind(key: key, expected: "an array", found: json.kind), at: json.offset)
            return []
        }
        return array.compactMap { json in
            // If only the name is required, the element may be a string.
            if case .string = json.value, table.required == ["name"] {
                return ElementDescription(present: ["name": json], offset: json.offset)
            }
            guard case .object(let members) = json.value else {
                report(.wrongKind(key: key, expected: "an array of objects", found: json.kind), at: json.offset)
                return nil
            }
            return self.element(members, at: json.offset, table)
        }
    }

    /// Reads an element; nil if it is an unused property or lacks a required key.
    mutating func element(_ members: [JSON.Member], at offset: Int, _ table: KeyTable) -> ElementDescription? {
        let known = canonical(members, table)
        let isUnused = dictionary(known)["unused"].flatMap { bool($0, key: "unused") } ?? false
        if isUnused, table.fields.contains("property_type") { return nil }
        var element = element(known, offset: offset, table)
        element.isUnused = isUnused
        for key in table.required where element.present[key] == nil {
            report(.missingKey(key, of: table.kind.name), at: offset)
            return nil
        }
        return element
    }

    /// Reads the fields and the history of an element. The keys in `members` are already canonical.
    mutating func element(_ members: [JSON.Member], offset: Int, _ table: KeyTable) -> ElementDescription {
        var element = ElementDescription(offset: offset)
        var previousName: JSON?
        for member in members {
            let json = member.value
            switch member.key {
            case let key where table.fields.contains(key):
                set(&element.present, key: key, json)
            case "description": element.documentation = string(json, key: member.key)
            case "added_at_version":
                element.birth = version(json, key: member.key)
                element.birthOffset = json.offset
            case "removed_at_version":
                element.death = version(json, key: member.key)
                element.deathOffset = json.offset
            case "discard": element.isDiscarded = bool(json, key: member.key) ?? false
            case "replaced_by": element.replacedBy = json
            case "merged_into": element.mergedInto = json
            case "previous_name": previousName = json
            case "version_history": element.items = items(json, table)
            default: break
            }
        }
        if let previousName { rename(&element, from: previousName, table) }
        if let first = element.items.first, first.isBirth {
            if let birth = element.birth, birth != first.version { report(.addedTwice, at: first.offset) }
            element.birth = first.version
        }
        if let birth = element.birth, let death = element.death, death <= birth {
            report(.removedBeforeAdded(added: birth.text, removed: death.text), at: element.deathOffset)
        }
        // A malformed "removed_at_version" was reported already.
        let isRemoved = members.contains { $0.key == "removed_at_version" }
        if element.isDiscarded, !isRemoved {
            let member = members.first { $0.key == "discard" }
            report(.discardWithoutRemoval, at: member?.keyOffset ?? offset)
        }
        if let json = element.mergedInto, !isRemoved || element.isDiscarded {
            let reason =
                element.isDiscarded
                ? "\"discard\" is there too; remove one of them" : "it needs \"removed_at_version\" beside it"
            report(.keyDoesNotApply("merged_into", because: reason), at: json.offset)
        }
        if let json = element.replacedBy, !isRemoved {
            report(.replacementWithoutRemoval, at: json.offset)
        }
        return element
    }

    /// Reads a `previous_name` that is not in an item of the history. In Lucid, it has no version.
    private mutating func rename(_ element: inout ElementDescription, from name: JSON, _ table: KeyTable) {
        func rename(at version: Version) {
            if let index = element.items.firstIndex(where: { $0.version == version }) {
                element.items[index].previous["name"] = name
            } else {
                var item = HistoryItem(version: version, offset: name.offset)
                item.previous["name"] = name
                element.items.append(item)
                element.items.sort { $0.version < $1.version }
            }
        }
        if let version = element.birth, !element.items.contains(where: { $0.version == version }) {
            element.birth = nil
            return rename(at: version)
        }
        guard isLucid == true, element.birth == nil else {
            return report(.previousNameWithoutVersion, at: name.offset)
        }
        let isEntity = table.kind == .entity
        let version = isEntity ? element.items.last?.version : newest
        let isFirst = isEntity ? element.items.count < 2 : self.isFirst
        if let version, !isFirst { rename(at: version) }
        note(.previousNameOfLucid(since: isFirst ? nil : version?.text), at: name.offset)
    }

    mutating func items(_ json: JSON, _ table: KeyTable) -> [HistoryItem] {
        guard case .array(let array) = json.value else {
            report(.wrongKind(key: "version_history", expected: "an array", found: json.kind), at: json.offset)
            return []
        }
        var items: [HistoryItem] = []
        for json in array {
            guard case .object(let members) = json.value else {
                report(
                    .wrongKind(key: "version_history", expected: "an array of objects", found: json.kind),
                    at: json.offset)
                continue
            }
            let values = dictionary(canonical(members, .item))
            guard let versionJSON = values["version"] else {
                report(.missingKey("version", of: KeyTable.Kind.item.name), at: json.offset)
                continue
            }
            guard let version = version(versionJSON, key: "version") else { continue }
            if let last = items.last, version <= last.version {
                report(.versionsNotAscending(version.text, after: last.version.text), at: versionJSON.offset)
                continue
            }
            items.append(item(values, version: version, offset: versionJSON.offset, table))
        }
        return items
    }

    mutating func item(
        _ values: [String: JSON], version: Version, offset: Int, _ table: KeyTable
    ) -> HistoryItem {
        var item = HistoryItem(version: version, offset: offset)
        readPrevious(values, into: &item, table)
        readFill(values, into: &item, table)
        readChecks(values, into: &item)
        readRows(values, into: &item, table)
        readMigration(values, into: &item, table)
        return item
    }

    private mutating func readPrevious(_ values: [String: JSON], into item: inout HistoryItem, _ table: KeyTable) {
        if let name = values["previous_name"] {
            if table.fields.contains("name") {
                item.previous["name"] = name
            } else {
                report(.nothingPrevious(key: "name"), at: name.offset)
            }
        }
        guard let previous = values["previous"] else { return }
        if case .object(let members) = previous.value {
            readPrevious(members, into: &item, isNamed: values["previous_name"] != nil, table)
        } else {
            report(.wrongKind(key: "previous", expected: "an object", found: previous.kind), at: previous.offset)
        }
    }

    private mutating func readFill(_ values: [String: JSON], into item: inout HistoryItem, _ table: KeyTable) {
        (item.fill, item.fillFrom) = (values["fill"], values["fill_from"])
        let misplaced =
            switch table.kind {
            case .property: [String]()
            case .entity: ["fill"]
            default: ["fill", "fill_from"]
            }
        for key in misplaced {
            if let json = values[key] {
                report(.misplacedKey(key, belongs: "in the history of a property of an entity"), at: json.offset)
            }
        }
        if let fill = item.fill, item.fillFrom != nil {
            report(.keyDoesNotApply("fill", because: "\"fill_from\" is there too; remove one of them"), at: fill.offset)
        }
    }

    /// Reads the settings that exclude elements from the checks of the generated tests.
    private mutating func readChecks(_ values: [String: JSON], into item: inout HistoryItem) {
        if let json = values["ignore_migration_checks"] {
            item.isUnchecked = bool(json, key: "ignore_migration_checks") ?? false
            if item.isUnchecked { note(.uncheckedMigration, at: json.offset) }
        }
        let key = "ignore_property_migration_checks_on"
        guard let json = values[key] else { return }
        if case .array(let names) = json.value {
            item.uncheckedProperties = names
            note(.uncheckedMigration, at: json.offset)
        } else {
            report(.wrongKind(key: key, expected: "an array of names", found: json.kind), at: json.offset)
        }
    }

    private mutating func readRows(_ values: [String: JSON], into item: inout HistoryItem, _ table: KeyTable) {
        guard let json = values["rows"] else { return }
        if table.kind != .entity {
            report(.misplacedKey("rows", belongs: "in the history of an entity"), at: json.offset)
        } else if let text = string(json, key: "rows") {
            item.emptiesRows = text == "discard"
            if text != "discard" {
                report(.unknownValue(text, of: "rows", allowed: ["discard"]), at: json.offset)
            }
        }
    }

    private mutating func readMigration(_ values: [String: JSON], into item: inout HistoryItem, _ table: KeyTable) {
        guard let json = values["migration"], let text = string(json, key: "migration") else { return }
        item.isCustom = text == "custom"
        if text == "columns" { item.byColumnsOffset = json.offset }
        let isEntity = table.kind == .entity
        let known = isEntity ? ["custom", "columns"] : ["custom"]
        if known.contains(text), item.emptiesRows {
            report(
                .keyDoesNotApply("migration", because: "\"rows\": \"discard\" is there too; remove one of them"),
                at: json.offset)
        }
        if !isEntity, table.kind != .property {
            report(.misplacedKey("migration", belongs: "in the history of an entity or a property"), at: json.offset)
        } else if !isEntity, text == "columns" {
            let reason = "only an entity can have \"columns\""
            report(.keyDoesNotApply("migration", because: reason), at: json.offset)
        } else if !known.contains(text) {
            report(.unknownValue(text, of: "migration", allowed: known), at: json.offset)
        }
    }

    /// Reads the former values of fields.
    private mutating func readPrevious(
        _ members: [JSON.Member], into item: inout HistoryItem, isNamed: Bool, _ table: KeyTable
    ) {
        let isProperty = table.fields.contains("property_type")
        let keys = members.map { member in
            let key = table.canonical(member.key)
            return isProperty && key == member.key ? KeyTable.relationship.canonical(key) : key
        }
        for (index, member) in members.enumerated() {
            let key = keys[index]
            let isPart = isProperty && KeyTable.relationship.fields.contains(key)
            if !table.fields.contains(key), !isPart {
                report(table.problem(with: key) ?? .nothingPrevious(key: key), at: member.keyOffset)
            } else if keys[..<index].contains(key) {
                report(.json(.duplicateKey(key)), at: member.keyOffset)
            } else if key == "name", isNamed {
                report(
                    .keyDoesNotApply(key, because: "\"previous_name\" is there too; remove one of them"),
                    at: member.keyOffset)
            } else if isPart, keys.contains("property_type") {
                report(
                    .keyDoesNotApply(key, because: "\"property_type\" is there too; remove one of them"),
                    at: member.keyOffset)
            } else {
                set(&item.previous, key: key, member.value)
            }
        }
    }

    /// Sets a field. The field `property_type` also sets `entity_name`, `association` and `inverse`, which are null if
    /// they are absent.
    mutating func set(_ fields: inout [String: JSON], key: String, _ json: JSON) {
        fields[key] = json
        if KeyTable.entity.fields.contains(key), let table = KeyTable.entity.table(of: key) {
            guard case .object(let members) = json.value else { return }
            fields[key] = JSON(value: .object(canonical(members, table)), offset: json.offset)
        }
        guard key == "property_type" else { return }
        var parts: [String: JSON] = [:]
        if case .object(let members) = json.value { parts = dictionary(canonical(members, .relationship)) }
        for part in KeyTable.relationship.fields {
            fields[part] = parts[part] ?? JSON(value: .null, offset: json.offset)
        }
    }

    mutating func noteIgnoredKeys() {
        if !ignoredKeys.isEmpty { note(.ignoredKeys(ignoredKeys), at: ignoredOffset) }
    }

    // MARK: Values

    /// Returns the members with canonical keys, and reports wrong keys.
    mutating func canonical(_ members: [JSON.Member], _ table: KeyTable) -> [JSON.Member] {
        var spellings: [String: String] = [:]
        return members.map { member in
            let key = table.canonical(member.key)
            if let problem = table.problem(with: key) { report(problem, at: member.keyOffset) }
            if let other = spellings.updateValue(member.key, forKey: key) {
                report(.sameKey(other, member.key), at: member.keyOffset)
            }
            if table.ignored.contains(key) {
                if ignoredKeys.isEmpty { ignoredOffset = member.keyOffset }
                if !ignoredKeys.contains(key) { ignoredKeys.append(key) }
            }
            return JSON.Member(key: key, keyOffset: member.keyOffset, value: member.value)
        }
    }

    func dictionary(_ members: [JSON.Member]) -> [String: JSON] {
        Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func string(_ json: JSON?, key: String) -> String? {
        guard let json else { return nil }
        if case .string(let text) = json.value { return text }
        report(.wrongKind(key: key, expected: "a string", found: json.kind), at: json.offset)
        return nil
    }

    mutating func bool(_ json: JSON, key: String) -> Bool? {
        if case .bool(let value) = json.value { return value }
        report(.wrongKind(key: key, expected: "true or false", found: json.kind), at: json.offset)
        return nil
    }

    mutating func version(_ json: JSON, key: String) -> Version? {
        guard let text = string(json, key: key) else { return nil }
        guard let version = Version(text) else {
            report(.malformedVersion(text), at: json.offset)
            return nil
        }
        return version
    }

    mutating func report(_ problem: Problem, at offset: Int) {
        diagnostics.append(file.diagnostic(problem, at: offset))
    }

    mutating func note(_ problem: Problem, at offset: Int) {
        diagnostics.append(
            Diagnostic(problem, path: file.path, position: file.position(of: offset), severity: .note))
    }
}

extension SwiftName {
    /// Returns the reason why `name` is not usable; nil if it is usable.
    static func problem(with name: String) -> Problem? {
        if name.isEmpty { return .emptyName }
        let scalars = name.unicodeScalars
        let isUsable =
            scalars.allSatisfy { !$0.isInvisible } && !SwiftName.member(name).isEmpty
            && SwiftName.member(name).unicodeScalars.allSatisfy(SwiftName.isPartOfName)
        if !isUsable { return .unusableName(name) }
        return isComposed(name) ? nil : .decomposedName(name)
    }

    /// Returns whether `text` is in Unicode's composed form. Only then do equal strings have equal bytes.
    static func isComposed(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 } || text.precomposedStringWithCanonicalMapping.utf8.elementsEqual(text.utf8)
    }
}
