import Foundation
import SchemaModel
import SQLSchema

/// Gives imported elements names that are valid in a description, and the same in every version.
///
/// A valid name stays unchanged. Other names get a number, a prefix or a replacement, and the column or the table keeps
/// the old name.
struct Naming {
    /// The name of a property in the source, and its lineage.
    struct Key: Hashable {
        var lineage: ElementLineage
        var name: String
    }

    /// The chosen names of the entities, by table and by their names in the source.
    private(set) var entities: [[String: String]]
    /// The chosen names of the properties, by table.
    private(set) var properties: [[Key: String]]
    /// The properties whose columns cannot keep their names, because SQL ignores letter case and another column has the
    /// same name.
    private(set) var displaced: [Set<ElementLineage>]
    /// The names of the primary key columns that are not properties, by table and state.
    private(set) var identifiers: [[String]]
    private let lineages: Lineages

    init(_ lineages: Lineages, reserved: Set<String>, areSingular: Bool) {
        self.lineages = lineages
        entities = Array(repeating: [:], count: lineages.tables.count)
        properties = Array(repeating: [:], count: lineages.tables.count)
        displaced = Array(repeating: [], count: lineages.tables.count)
        identifiers = lineages.tables.map(Self.rowNumbers)
        nameEntities(reserved, areSingular)
        for table in lineages.tables.indices { nameProperties(of: table) }
    }

    /// Returns the chosen name of the entity `table` that the source calls `name`.
    func entity(_ table: Int, _ name: String) -> String { entities[table][name] ?? name }

    /// Returns the chosen name of a property of the entity `table` that the source calls `name`.
    func property(_ lineage: ElementLineage, _ name: String, of table: Int) -> String {
        properties[table][Key(lineage: lineage, name: name)] ?? name
    }

    /// Returns the source's name of a property with the reason for another one; nil if it keeps its name.
    func documentation(_ lineage: ElementLineage, _ name: String, of table: Int) -> String? {
        let chosen = property(lineage, name, of: table)
        if chosen == name { return nil }
        return Self.usable(name, "") == name
            ? "Called `\(name)` in the source. In Swift or SQL, another property already has that name."
            : "Called `\(name)` in the source. A property cannot have this name."
    }

    /// Returns `name` in a form that is valid in a description; `word` if there is no such form.
    private static func usable(_ name: String, _ word: String) -> String {
        let composed = name.precomposedStringWithCanonicalMapping
        let hasControl = composed.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return composed.isEmpty || hasControl || SwiftName.member(composed).isEmpty ? word : composed
    }

    private static func numbered(_ name: String, unless isTaken: (String) -> Bool) -> String {
        if !isTaken(name) { return name }
        var number = 2
        while isTaken("\(name)_\(number)") { number += 1 }
        return "\(name)_\(number)"
    }

    /// Returns the singular of an English name in lowercase, such as that of a table: `blog_entry` for `blog_entries`.
    static func singular(_ name: String) -> String {
        if name != name.lowercased() { return name }
        for (plural, word) in ["people": "person", "children": "child", "men": "man"] where name.hasSuffix(plural) {
            return name.dropLast(plural.count) + word
        }
        for ending in ["ss", "us", "is", "news", "series", "species"] where name.hasSuffix(ending) { return name }
        if name.hasSuffix("ies"), name.count > 4 { return name.dropLast(3) + "y" }
        for ending in ["sses", "shes", "ches", "xes", "zes"] where name.hasSuffix(ending) {
            return String(name.dropLast(2))
        }
        return name.hasSuffix("s") && name.count > 2 ? String(name.dropLast()) : name
    }

    private mutating func nameEntities(_ reserved: Set<String>, _ areSingular: Bool) {
        let all = Set(lineages.tables.flatMap(\.states).map { $0.name.lowercased() })
        // The names of the types in each version, and of the tables.
        var types: [Int: Set<String>] = [:]
        var tables: [Int: Set<String>] = [:]
        for (tableIndex, table) in lineages.tables.enumerated() {
            for name in Set(table.states.map(\.name)).sorted() {
                let indexes = table.states.indices.filter { table.states[$0].name == name }
                    .map { $0 + table.life.birth }
                let singular = Self.singular(name)
                var wanted = Self.usable(areSingular && !all.contains(singular) ? singular : name, "entity")
                if reserved.contains(SwiftName.type(wanted)) || ReservedNames.contains(wanted) {
                    wanted = "imported_" + wanted
                }
                let chosen = Self.numbered(wanted) { name in
                    indexes.contains { types[$0, default: []].contains(SwiftName.type(name)) }
                        || indexes.contains { tables[$0, default: []].contains(name.lowercased()) }
                }
                entities[tableIndex][name] = chosen
                for index in indexes {
                    types[index, default: []].insert(SwiftName.type(chosen))
                    tables[index, default: []].insert(chosen.lowercased())
                }
            }
        }
    }

    /// Returns the names of a primary key that is not a property, by state. No column has the same name. The name
    /// changes only if necessary.
    private static func rowNumbers(_ table: Lineages.Table) -> [String] {
        var names: [String] = []
        for (index, state) in table.states.enumerated() {
            if let name = names.last, table.states[index - 1].properties == state.properties {
                names.append(name)
                continue
            }
            let taken = Set(
                state.properties.flatMap { property in
                    ([property.name, property.column ?? property.name, ColumnSuffix.reference.added(to: property.name)]
                        + property.columns)
                        .flatMap {
                            [$0.lowercased(), SwiftName.member($0).lowercased()]
                        }
                })
            let candidates = [names.last ?? "id", "id", "row_id", "row_number", "strata_row_id"]
            names.append(
                candidates.first {
                    !taken.contains($0) && !taken.contains(SwiftName.member($0).lowercased())
                } ?? "strata_row_number")
        }
        return names
    }

    private mutating func nameProperties(of table: Int) {
        let history = lineages.tables[table]
        for (stateIndex, state) in history.states.enumerated() {
            var members: Set<String> = ["hashValue"]
            var columns: Set<String> = []
            switch state.identifier {
            case .rowNumber:
                members.insert(SwiftName.member(identifiers[table][stateIndex]))
                columns.insert(identifiers[table][stateIndex])
            case .column(let name, _):
                members.insert(SwiftName.member(name))
                columns.insert(name.lowercased())
            case .properties: break
            }
            let order = state.properties.indices.sorted {
                history.propertyLineages[stateIndex][$0] < history.propertyLineages[stateIndex][$1]
            }
            for index in order {
                let property = state.properties[index]
                let key = Key(lineage: history.propertyLineages[stateIndex][index], name: property.name)
                let fixed = properties[table][key]
                let chosen = Self.numbered(fixed ?? Self.usable(property.name, "property")) { name in
                    Self.members(name, property).contains(where: members.contains)
                        || property.column == nil
                            && Self.columns(name, property).contains(where: columns.contains)
                }
                properties[table][key] = chosen
                members.formUnion(Self.members(chosen, property))
                let own = Self.columns(property.name, property)
                if property.column == nil, own.contains(where: columns.contains) {
                    displaced[table].insert(key.lineage)
                }
                columns.formUnion(displaced[table].contains(key.lineage) ? Self.columns(chosen, property) : own)
            }
        }
    }

    /// Returns the columns that a property has if its name is `name`, in lowercase.
    private static func columns(_ name: String, _ property: ImportedProperty) -> [String] {
        switch property.relationship?.association {
        case nil: [(property.column ?? name).lowercased()]
        case .toOne:
            (property.columns.isEmpty ? [property.column ?? ColumnSuffix.reference.added(to: name)] : property.columns)
                .map { $0.lowercased() }
                + [ColumnSuffix.position.added(to: name).lowercased()]
        case .toMany: []
        }
    }

    /// Returns the names that a property has in the struct and, with a `~`, among the relationships of its entity.
    private static func members(_ name: String, _ property: ImportedProperty) -> [String] {
        guard let relationship = property.relationship else { return [SwiftName.member(name)] }
        // A relationship needs the other names only if it has a column, which is decided later.
        return relationship.association == .toMany
            ? ["~" + SwiftName.member(name)]
            : [
                "~" + SwiftName.member(name), SwiftName.member(ColumnSuffix.reference.added(to: name)),
                SwiftName.member(ColumnSuffix.position.added(to: name)),
            ]
    }
}
