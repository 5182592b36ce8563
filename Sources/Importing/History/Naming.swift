import Foundation
import SchemaModel

/// Gives what is imported names that a description may have, the same in every version.
///
/// Names stay as they are wherever they can. Others get a number or a word behind them; the column or the table keeps
/// the old name.
struct Naming {
    /// A name of an element and its lineage.
    struct Key: Hashable {
        var lineage: Int
        var name: String
    }

    /// The names of the entities, and of their properties.
    private(set) var entities: [Key: String] = [:]
    private(set) var properties: [[Key: String]]
    /// The properties whose columns cannot keep their names beside the others, as SQL does not tell capitals from small
    /// letters.
    private(set) var displaced: [Set<Int>]
    /// The names of the columns that are keys and no properties.
    private(set) var identifiers: [[String]]
    private let lineages: Lineages

    init(_ lineages: Lineages, reserved: Set<String>) {
        self.lineages = lineages
        properties = Array(repeating: [:], count: lineages.tables.count)
        displaced = Array(repeating: [], count: lineages.tables.count)
        identifiers = lineages.tables.map(Self.rowNumbers)
        nameEntities(reserved)
        for table in lineages.tables.indices { nameProperties(of: table) }
    }

    /// The name of an entity.
    func entity(_ lineage: Int, _ name: String) -> String { entities[Key(lineage: lineage, name: name)] ?? name }

    /// The name of a property of the entity `table`.
    func property(_ lineage: Int, _ name: String, of table: Int) -> String {
        properties[table][Key(lineage: lineage, name: name)] ?? name
    }

    /// A name that says the same and that a description may have.
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

    /// Whether no table of Strata can be called so.
    static func isReserved(table name: String) -> Bool {
        let name = name.lowercased()
        return ["sqlite_", "strata_"].contains(where: name.hasPrefix) || ["json_each", "json_tree"].contains(name)
    }

    private mutating func nameEntities(_ reserved: Set<String>) {
        // The types of each version, and its tables.
        var types: [Int: Set<String>] = [:]
        var tables: [Int: Set<String>] = [:]
        for (lineage, table) in lineages.tables.enumerated() {
            for name in Set(table.states.map(\.name)).sorted() {
                let places = table.states.indices.filter { table.states[$0].name == name }
                    .map { $0 + table.life.birth }
                var wanted = Self.usable(name, "entity")
                if reserved.contains(SwiftName.type(wanted)) || Self.isReserved(table: wanted) {
                    wanted = "imported_" + wanted
                }
                let chosen = Self.numbered(wanted) { name in
                    places.contains { types[$0, default: []].contains(SwiftName.type(name)) }
                        || places.contains { tables[$0, default: []].contains(name.lowercased()) }
                }
                entities[Key(lineage: lineage, name: name)] = chosen
                for place in places {
                    types[place, default: []].insert(SwiftName.type(chosen))
                    tables[place, default: []].insert(chosen.lowercased())
                }
            }
        }
    }

    /// The names of a key that is no property, state by state: one that no column has, the same as long as that holds.
    private static func rowNumbers(_ table: Lineages.Table) -> [String] {
        var names: [String] = []
        for (place, state) in table.states.enumerated() {
            if let name = names.last, table.states[place - 1].properties == state.properties {
                names.append(name)
                continue
            }
            let taken = Set(
                state.properties.flatMap { property in
                    ([property.name, property.column ?? property.name, property.name + "_id"] + property.columns)
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
        for (place, state) in history.states.enumerated() {
            var members: Set<String> = ["hashValue"]
            var columns: Set<String> = []
            switch state.identifier {
            case .rowNumber:
                members.insert(SwiftName.member(identifiers[table][place]))
                columns.insert(identifiers[table][place])
            case .column(let name, _):
                members.insert(SwiftName.member(name))
                columns.insert(name.lowercased())
            case .properties: break
            }
            let order = state.properties.indices.sorted {
                history.propertyLineages[place][$0] < history.propertyLineages[place][$1]
            }
            for index in order {
                let property = state.properties[index]
                let key = Key(lineage: history.propertyLineages[place][index], name: property.name)
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

    /// The columns that a property may have under a name, in small letters.
    private static func columns(_ name: String, _ property: ImportedProperty) -> [String] {
        switch property.relationship?.association {
        case nil: [(property.column ?? name).lowercased()]
        case .toOne:
            (property.columns.isEmpty ? [property.column ?? name + "_id"] : property.columns).map { $0.lowercased() }
                + [(name + "_position").lowercased()]
        case .toMany: []
        }
    }

    /// The names that a property takes in a struct, and among the relationships of its entity.
    private static func members(_ name: String, _ property: ImportedProperty) -> [String] {
        guard let relationship = property.relationship else { return [SwiftName.member(name)] }
        // The other names are those of a relationship that has a column, which is decided later.
        return relationship.association == .toMany
            ? ["~" + SwiftName.member(name)]
            : ["~" + SwiftName.member(name), SwiftName.member(name + "_id"), SwiftName.member(name + "_position")]
    }
}
