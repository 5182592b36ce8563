import Descriptions
import JSONText
import SchemaModel

/// Removes everything from the files of a model that no supported version needs. The rest of the text does not change.
package struct Pruning {
    private let oldest: Version
    private var edits: JSONEdits

    private init(of file: SourceFile, oldest: Version) {
        self.oldest = oldest
        edits = JSONEdits(of: file.bytes)
    }

    /// Prunes the files of a model.
    ///
    /// - Parameters:
    ///   - files: The descriptions.
    ///   - configuration: The file `strata.json`.
    ///   - oldest: The oldest supported version.
    /// - Returns: The outcomes, by the paths of the files.
    /// - Throws: `Diagnostic` if a file is not valid JSON.
    package static func prune(
        _ files: [SourceFile], configuration: SourceFile, oldest: Version
    ) throws(Diagnostic) -> [String: FileOutcome] {
        var outcomes: [String: FileOutcome] = [:]
        var isNamed = false
        var candidate: (file: SourceFile, pruning: Pruning, name: (text: String, offset: Int))?
        for file in files.sorted(by: { $0.path < $1.path }) {
            guard case .object(let members) = try file.json().value else { continue }
            var pruning = Pruning(of: file, oldest: oldest)
            guard pruning.prune(members, isFile: true) else {
                outcomes[file.path] = .removed
                continue
            }
            if pruning.namesOldest { isNamed = true }
            if candidate == nil, let name = pruning.naming(members) { candidate = (file, pruning, name) }
            outcomes[file.path] = pruning.outcome
        }
        // A version exists only if a description names it. If none names the oldest version any more, it is added to
        // one description.
        if !isNamed, let (file, kept, name) = candidate {
            var pruning = kept
            pruning.edits.insert(name.text, at: name.offset)
            outcomes[file.path] = pruning.outcome
        }
        var pruning = Pruning(of: configuration, oldest: oldest)
        pruning.prune(configuration: try configuration.json())
        outcomes[configuration.path] = pruning.outcome
        return outcomes
    }

    private var namesOldest = false

    /// Returns the text that adds the oldest version to the history of an entity that this version has, and where to
    /// insert it; nil for other descriptions.
    private func naming(_ members: [JSON.Member]) -> (text: String, offset: Int)? {
        let keys = members.map { KeyTable.entity.canonical($0.key) }
        func value(_ key: String) -> JSON? { keys.firstIndex(of: key).map { members[$0].value } }
        guard let first = members.first, value("identifier") != nil else { return nil }
        if case .bool(false) = value("persist")?.value { return nil }
        if let birth = version(value("added_at_version")), birth > oldest { return nil }
        guard let history = value("version_history") else {
            return ("\"version_history\": [{ \"version\": \"\(oldest)\" }],\n  ", first.keyOffset)
        }
        // The entity exists since the first version, and changes only after the oldest supported version.
        guard case .array(let items) = history.value, let item = items.first, case .object(let members) = item.value,
            members.count > 1, version(firstVersion(items)).map({ $0 > oldest }) ?? false
        else { return nil }
        return ("{ \"version\": \"\(oldest)\" }, ", item.offset)
    }

    private var outcome: FileOutcome { edits.isEmpty ? .kept : .rewritten(edits.result) }

    private func version(_ json: JSON?) -> Version? {
        if case .string(let text) = json?.value { Version(text) } else { nil }
    }

    // MARK: Elements

    /// Prunes the object of an entity, a subtype or an element. Returns false if no supported version has it.
    private mutating func prune(_ members: [JSON.Member], isFile: Bool) -> Bool {
        // The keys that matter here have the same names in all kinds of objects.
        let keys = members.map { KeyTable.property.canonical(KeyTable.entity.canonical($0.key)) }
        func value(_ key: String) -> JSON? { keys.firstIndex(of: key).map { members[$0].value } }
        if let death = version(value("removed_at_version")), death <= oldest { return false }
        var dead: Set<Int> = []
        let birth = version(value("added_at_version"))
        var isOlder = birth.map { $0 <= oldest } ?? (value("version_history") == nil)
        if let birth, birth <= oldest {
            for (index, key) in keys.enumerated() where key == "added_at_version" || key == "previous_name" {
                dead.insert(index)
            }
        }
        for (index, key) in keys.enumerated() {
            guard case .array(let elements) = members[index].value.value else { continue }
            switch key {
            case "version_history":
                isOlder = isOlder || version(firstVersion(elements)).map { $0 <= oldest } ?? false
                if pruneHistory(elements, isFile: isFile, isOlder: isOlder) { dead.insert(index) }
            case "properties", "indexes", "checks", "cases", "unused_cases", "options", "unused_options":
                let parts = elements.map { element -> Bool in
                    guard case .object(let members) = element.value else { return true }
                    return prune(members, isFile: false)
                }
                if key == "options" || key == "unused_options" { keepBits(of: elements, parts) }
                edits.remove(elements.indices.filter { !parts[$0] }, from: elements.map { $0.offset..<$0.end })
            default: break
            }
        }
        edits.remove(dead.sorted(), from: members.map { $0.keyOffset..<$0.value.end })
        return true
    }

    /// Adds explicit bits to options whose implicit bits would change because an option before them is removed.
    private mutating func keepBits(of options: [JSON], _ isKept: [Bool]) {
        var bit = -1
        var isShifted = false
        for (index, option) in options.enumerated() {
            var first: Int?
            var given: Int?
            if case .object(let members) = option.value {
                first = members.first?.keyOffset
                if case .number(let text)? = members.first(where: { $0.key == "bit" })?.value.value {
                    given = Int(text)
                }
            }
            bit = given ?? bit + 1
            if given != nil { isShifted = false }
            if !isKept[index] {
                isShifted = true
            } else if isShifted, given == nil {
                if let first {
                    edits.insert("\"bit\": \(bit), ", at: first)
                } else if case .string(let name) = option.value {
                    let text = "{ \"name\": \(JSON.quoted(name)), \"bit\": \(bit) }"
                    edits.replace(option.offset..<option.end, with: text)
                }
                isShifted = false
            }
        }
    }

    private func firstVersion(_ items: [JSON]) -> JSON? {
        guard case .object(let members) = items.first?.value else { return nil }
        return members.first { $0.key == "version" }?.value
    }

    /// Prunes the items of a history. Returns whether all items are removed.
    private mutating func pruneHistory(_ items: [JSON], isFile: Bool, isOlder: Bool) -> Bool {
        var dead: [Int] = []
        var isFirst = true
        for (index, item) in items.enumerated() {
            guard case .object(let members) = item.value,
                let json = members.first(where: { $0.key == "version" })?.value, let version = version(json)
            else { continue }
            if version <= oldest {
                if isFile, isFirst {
                    // The first item records that the entity exists since the oldest version.
                    if version < oldest || members.count > 1 {
                        edits.replace(item.offset..<item.end, with: "{ \"version\": \"\(oldest)\" }")
                    }
                    namesOldest = true
                } else {
                    dead.append(index)
                }
                isFirst = false
            } else if !isFile, isOlder, members.count == 1, dead.count == index {
                // If this were the first item, it would wrongly record that the element was added in this version.
                dead.append(index)
            }
        }
        edits.remove(dead, from: items.map { $0.offset..<$0.end })
        return dead.count == items.count
    }

    private mutating func prune(configuration json: JSON) {
        guard case .object(let members) = json.value else { return }
        for member in members {
            switch (member.key, member.value.value) {
            case ("versions", .array(let elements)):
                let dead = elements.indices.filter { index in
                    var json: JSON? = elements[index]
                    if case .object(let members) = elements[index].value {
                        json = members.first { $0.key == "version" }?.value
                    }
                    return version(json).map { $0 < oldest } ?? false
                }
                edits.remove(dead, from: elements.map { $0.offset..<$0.end })
            case ("chain", .object(let members)):
                let dead = members.indices.filter { Version(members[$0].key).map { $0 < oldest } ?? false }
                edits.remove(dead, from: members.map { $0.keyOffset..<$0.value.end })
            default: break
            }
        }
    }
}
