import Descriptions
import JSONText
import SchemaModel

/// The descriptions of all versions of an app that uses Lucid, merged to descriptions with a history.
///
/// Lucid's descriptions say when an entity or a property is new, and how it was called before. That something was removed or
/// changed shows in the descriptions of an older version alone.
struct LucidHistory {
    private let versions: [LucidVersion]
    private var descriptions: [Lineage] = []

    /// A description, or one of its parts, in the versions that have it.
    private struct Lineage {
        var birth: Int
        var death: Int?
        /// Its name and its fields in each version, from its birth on.
        var states: [(name: String, fields: [ElementText.Field])]
        /// The members of its newest description whose values have no history.
        var constants: [ElementText.Field] = []
        var path = ""
        var isSubtype = false
        /// The instructions for the generated tests, by version.
        var instructions: [Int: [JSONOutput.Member]] = [:]
        /// The parts, by the key of their list.
        var parts: [(key: String, elements: [Lineage])] = []
    }

    init(_ versions: [LucidVersion]) {
        self.versions = versions
        for (index, version) in versions.enumerated() { add(version, at: index) }
    }

    /// The descriptions, with their paths.
    var files: [(path: String, json: JSONOutput)] {
        let numbers = versions.map(\.version)
        func baseName(_ path: some StringProtocol) -> String {
            path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        }
        // A description of the newest version keeps its file, also if it describes nothing that is stored.
        let living = Set(descriptions.filter { $0.death == nil }.map(\.path))
        var taken = Set((versions.last?.files ?? []).map(\.path).filter { !living.contains($0) }.map(baseName))
        // If there are several descriptions of a path, the one that exists until the later version keeps it.
        let order = descriptions.indices.sorted {
            (descriptions[$0].death ?? .max, $1) > (descriptions[$1].death ?? .max, $0)
        }
        var paths: [Int: String] = [:]
        for index in order {
            let path = descriptions[index].path
            var (free, number) = (path, 2)
            while !taken.insert(baseName(free)).inserted {
                free = path.dropLast(5) + "\(number).json"
                number += 1
            }
            paths[index] = free
        }
        return descriptions.indices.map { index in
            let lineage = descriptions[index]
            let text = DescriptionText(
                fileName: "", element: element(lineage, start: 0, discards: !lineage.isSubtype),
                parts: lineage.parts.map { part in
                    let discards = part.key == "properties"
                    return (part.key, part.elements.map { element($0, start: lineage.birth, discards: discards) })
                })
            return (paths[index] ?? lineage.path, text.object(numbers))
        }
    }

    private func element(_ lineage: Lineage, start: Int, discards: Bool) -> ElementText {
        var element = ElementText(
            life: .init(birth: lineage.birth, death: lineage.death, isDiscarded: lineage.death != nil && discards),
            start: start, states: lineage.states.map { $0.fields + lineage.constants })
        element.instructions = lineage.instructions
        return element
    }

    // MARK: Lineages

    private mutating func add(_ version: LucidVersion, at index: Int) {
        let names = Set(version.elements.map(\.name))
        var places: [Int] = []
        for element in version.elements {
            let former =
                element.items.compactMap { $0["previous_name"]?.string }
                + [element.json["previous_name"]?.string].compactMap(\.self)
            let found = descriptions.indices.first { place in
                let lineage = descriptions[place]
                guard lineage.death == nil, lineage.isSubtype == element.isSubtype, let last = lineage.states.last
                else {
                    return false
                }
                return last.name == element.name || former.contains(last.name) && !names.contains(last.name)
            }
            let place = found ?? descriptions.count
            if found == nil { descriptions.append(Lineage(birth: index, states: [])) }
            places.append(place)
            descriptions[place].states.append((element.name, []))
            (descriptions[place].path, descriptions[place].isSubtype) = (element.path, element.isSubtype)
            let item = element.items.first { $0["version"]?.string.flatMap { Version($0) } == version.version }
            let instructions = (item?.members ?? []).filter { $0.key.hasPrefix("ignore_") }
            if !instructions.isEmpty { descriptions[place].instructions[index] = instructions }
        }
        for place in descriptions.indices where descriptions[place].death == nil && !places.contains(place) {
            descriptions[place].death = index
        }
        // Relationships lead to entities by the names that these have in the version.
        for (place, element) in zip(places, version.elements) {
            let table: KeyTable = element.isSubtype ? .subtype : .entity
            let last = descriptions[place].states.count - 1
            descriptions[place].states[last].fields = fields(of: element.json, table)
            descriptions[place].constants = constants(of: element.json, table)
            for key in ["properties", "cases", "options"] {
                guard let inner = table.table(of: key) else { continue }
                add(parts(key, of: element), of: key, to: place, inner, at: index)
            }
        }
    }

    /// The elements of a list of a description. Cases and options that are unused are among the others.
    private func parts(_ key: String, of element: LucidVersion.Element) -> [JSONOutput] {
        func objects(_ key: String) -> [JSONOutput] {
            (element.json[key]?.elements ?? []).map { $0.string == nil ? $0 : .object([.init("name", $0)]) }
        }
        // An unused property is not stored.
        if key == "properties" { return objects(key).filter { $0["unused"] != .bool(true) } }
        var elements = objects(key)
        for var element in objects("unused_" + key) {
            element["unused"] = .bool(true)
            // In Lucid, an unused option is one of the options.
            if let place = elements.firstIndex(where: { $0["name"] == element["name"] }) {
                elements[place]["unused"] = .bool(true)
            } else {
                elements.append(element)
            }
        }
        if key == "options" {
            for place in elements.indices where elements[place]["bit"] == nil {
                elements[place]["bit"] = .raw(String(place))
            }
        }
        return elements
    }

    private mutating func add(
        _ elements: [JSONOutput], of key: String, to place: Int, _ table: KeyTable, at index: Int
    ) {
        var part = descriptions[place].parts.first { $0.key == key }?.elements ?? []
        let names = Set(elements.compactMap { $0["name"]?.string })
        var kept: Set<Int> = []
        for element in elements {
            let name = element["name"]?.string ?? ""
            let former = element["previous_name"]?.string
            let found = part.indices.first { lineage in
                guard part[lineage].death == nil, let last = part[lineage].states.last?.name else { return false }
                return last == name || last == former && !names.contains(last)
            }
            if found == nil { part.append(Lineage(birth: index, states: [])) }
            let lineage = found ?? part.count - 1
            kept.insert(lineage)
            part[lineage].states.append((name, fields(of: element, table)))
            part[lineage].constants = constants(of: element, table)
        }
        for lineage in part.indices where part[lineage].death == nil && !kept.contains(lineage) {
            part[lineage].death = index
        }
        if let known = descriptions[place].parts.firstIndex(where: { $0.key == key }) {
            descriptions[place].parts[known].elements = part
        } else {
            descriptions[place].parts.append((key, part))
        }
    }

    // MARK: Fields

    /// Returns the members of a description, or of a part, whose values have a history.
    private func fields(of object: JSONOutput, _ table: KeyTable) -> [ElementText.Field] {
        object.members.compactMap { member in
            // An absent flag is false.
            guard table.fields.contains(member.key), member.key == "default_value" || member.value != .bool(false)
            else { return nil }
            var value = member.value
            if let inner = table.table(of: member.key), case .object(let members) = value {
                value = .object(members.filter { !inner.ignored.contains($0.key) })
            }
            return .init(key: member.key, value: value, identity: identity(of: member.key, value))
        }
    }

    /// Returns the other members that a store needs.
    private func constants(of object: JSONOutput, _ table: KeyTable) -> [ElementText.Field] {
        let known = ["persist", "description", "unused"]
        return object.members.filter { known.contains($0.key) && table.others.contains($0.key) }.map {
            .init(key: $0.key, value: $0.value)
        }
    }

    /// The entity that a relationship leads to. Its name may change.
    private func identity(of key: String, _ value: JSONOutput) -> ElementText.Identity? {
        guard key == "property_type", let name = value["entity_name"]?.string,
            let target = descriptions.firstIndex(where: { $0.death == nil && $0.states.last?.name == name }),
            let association = value["association"]?.string
        else { return nil }
        return .relationship(EntityLineage(target), association.hasSuffix("many") ? .toMany : .toOne, inverse: nil)
    }
}
