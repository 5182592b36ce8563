import Foundation

/// A random history of descriptions, in which several elements change at once and every step can be inferred.
struct RandomHistory {
    private var random: SeededRandom
    private var entities: [Element] = []
    private var cases: Element
    private var count = 0
    private var version = 1
    private let versions: Int

    /// An element of a description, with its present fields and its history.
    private final class Element {
        var fields: [String: Any]
        var history: [[String: Any]]
        var properties: [Element] = []
        var isRemoved = false
        /// The names of fields that changed in the present version.
        var changed: Set<String> = []
        let birth: Int

        init(_ fields: [String: Any], _ version: Int) {
            self.fields = fields
            birth = version
            history = [["version": "\(version).0"]]
        }

        var name: String { fields["name"] as? String ?? "" }
        var type: String? { fields["property_type"] as? String }

        /// Changes fields in a version.
        func change(_ version: Int, _ values: [String: Any?], _ instructions: [String: Any] = [:]) {
            guard changed.isDisjoint(with: values.keys) else { return }
            changed.formUnion(values.keys)
            var item =
                history.last?["version"] as? String == "\(version).0"
                ? history.removeLast() : ["version": "\(version).0"]
            var previous = item["previous"] as? [String: Any] ?? [:]
            for (key, value) in values {
                previous[key] = fields[key] ?? NSNull()
                fields[key] = value
            }
            item["previous"] = previous
            history.append(item.merging(instructions) { $1 })
        }

        func remove(_ version: Int) {
            isRemoved = true
            changed.insert("removed")
            fields["removed_at_version"] = "\(version).0"
            fields["discard"] = true
        }

        var json: [String: Any] {
            var json = fields
            json["version_history"] = history
            if fields["identifier"] != nil { json["properties"] = properties.map(\.json) }
            if fields["cases"] != nil { json["cases"] = properties.map(\.json) }
            return json
        }
    }

    init(seed: UInt64, versions: Int) {
        random = SeededRandom(seed: seed)
        self.versions = versions
        cases = Element(["name": "kind", "cases": true], 1)
        cases.properties = ["red", "blue"].map { Element(["name": $0], 1) }
        for _ in 0..<3 { addEntity() }
        for entity in entities { for _ in 0..<4 { addProperty(to: entity) } }
        while version < versions {
            version += 1
            for element in entities + [cases] {
                element.changed = []
                for property in element.properties { property.changed = [] }
            }
            for _ in 0..<(3 + Int(random.next() % 5)) { change() }
        }
    }

    /// The descriptions, by the names of their files.
    func files() throws -> [String: String] {
        var files: [String: String] = [:]
        for (place, element) in ([cases] + entities).enumerated() {
            let data = try JSONSerialization.data(withJSONObject: element.json, options: .sortedKeys)
            files["Element\(place).json"] = String(decoding: data, as: UTF8.self)
        }
        return files
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value? {
        values.isEmpty ? nil : values[Int(random.next() % UInt64(values.count))]
    }

    private mutating func name(_ prefix: String) -> String {
        count += 1
        return "\(prefix)\(count)"
    }

    // MARK: Additions

    private mutating func addEntity() {
        let entity = Element(
            ["name": name("entity"), "identifier": ["type": pick(["int", "string", "uuid"]) ?? "int"]], version)
        entities.append(entity)
    }

    private func defaultValue(_ type: String) -> Any {
        switch type {
        case "int", "double", "float", "milliseconds": 7
        case "bool": true
        case "date": "2024-01-02T03:04:05Z"
        case "uuid": "6F9619FF-8B86-D011-B42D-00C04FC964FF"
        case "decimal": "1.5"
        case "data": "AQI="
        case "kind": "red"
        default: "text"
        }
    }

    private mutating func addProperty(to entity: Element, named: String? = nil) {
        var fields: [String: Any] = ["name": named ?? name("p")]
        let targets = entities.filter { !$0.isRemoved }
        switch random.next() % 8 {
        case 0:
            let target = pick(targets)?.name ?? entity.name
            fields["property_type"] = ["entity_name": target, "association": "to_one"]
            fields["nullable"] = true
            fields["on_delete"] = pick(["nullify", "cascade"])
        case 1:
            let target = pick(targets)?.name ?? entity.name
            fields["property_type"] = ["entity_name": target, "association": "to_many"]
            if random.next() % 2 == 0 { fields["ordered"] = true }
        case 2:
            let texts = entity.properties.filter { !$0.isRemoved && $0.type == "string" && $0.birth < version }
            guard let text = pick(texts) else { return }
            fields["property_type"] = "string"
            fields["computed"] = "\(text.name) || '!'"
        default:
            let types = [
                "int", "bool", "double", "float", "string", "date", "uuid", "decimal", "data", "kind", "url",
                "milliseconds",
            ]
            let type = pick(types) ?? "int"
            fields["property_type"] = type
            let isOptional = random.next() % 2 == 0
            if isOptional { fields["nullable"] = true } else { fields["default_value"] = defaultValue(type) }
            if random.next() % 4 == 0 { fields["indexed"] = true }
            if isOptional, random.next() % 5 == 0, type != "bool" { fields["unique"] = true; fields["indexed"] = nil }
            if type == "string", random.next() % 4 == 0 { fields["collation"] = "nocase" }
            if type == "int", random.next() % 3 == 0 { fields["minimum"] = 1 }
        }
        entity.properties.append(Element(fields, version))
    }

    // MARK: Changes

    private mutating func change() {
        let living = entities.filter { !$0.isRemoved }
        guard let entity = pick(living) else { return addEntity() }
        let properties = entity.properties.filter { !$0.isRemoved && $0.birth < version }
        switch random.next() % 24 {
        case 0: addEntity()
        case 1:
            guard entity.birth < version, entity.changed.isEmpty else { return }
            rename(entity, to: name("entity"))
        case 2:
            // Two entities exchange their names.
            guard let other = pick(living.filter { $0 !== entity && $0.birth < version }), entity.birth < version,
                entity.changed.isEmpty, other.changed.isEmpty
            else { return }
            let (one, two) = (entity.name, other.name)
            entity.change(version, ["name": two])
            other.change(version, ["name": one])
            exchange(one, two)
        case 3:
            guard living.count > 2, entity.birth < version, entity.changed.isEmpty,
                entity.properties.allSatisfy({ $0.birth < version && $0.changed.isEmpty })
            else { return }
            for other in living {
                for property in other.properties where target(of: property) == entity.name && !property.isRemoved {
                    guard property.birth < version, property.changed.isEmpty else { return }
                }
            }
            for other in living {
                for property in other.properties
                where other !== entity && target(of: property) == entity.name && !property.isRemoved {
                    property.remove(version)
                }
            }
            entity.remove(version)
            // Another entity may get the name.
            if random.next() % 2 == 0 {
                entities.append(Element(["name": entity.name, "identifier": ["type": "int"]], version))
                for _ in 0..<2 { addProperty(to: entities[entities.count - 1]) }
            }
        case 4:
            guard entity.birth < version, entity.changed.isEmpty else { return }
            entity.change(version, [:], ["rows": "discard"])
        case 5, 6, 7: addProperty(to: entity)
        case 8:
            guard let property = pick(properties), property.changed.isEmpty, !isRead(property, in: entity) else {
                return
            }
            property.remove(version)
            if random.next() % 2 == 0 { addProperty(to: entity, named: property.name) }
        case 9, 10:
            guard let property = pick(properties), property.changed.isEmpty, !isRead(property, in: entity) else {
                return
            }
            property.change(version, ["name": name("p")])
        case 11:
            guard let one = pick(properties), let two = pick(properties.filter { $0 !== one }), one.changed.isEmpty,
                two.changed.isEmpty, !isRead(one, in: entity), !isRead(two, in: entity)
            else { return }
            let names = (one.name, two.name)
            one.change(version, ["name": names.1])
            two.change(version, ["name": names.0])
        case 12:
            // The case gets another name, or a new one is added.
            guard
                let element = pick(
                    cases.properties.filter { $0.changed.isEmpty && $0.birth < version && $0.name != "red" })
            else { return }
            if random.next() % 2 == 0 {
                cases.properties.append(Element(["name": name("case")], version))
            } else {
                element.change(version, ["name": name("case")])
            }
        case 13, 14:
            // The references of a to-one relationship become pairs.
            guard let property = pick(properties.filter { $0.fields["on_delete"] != nil && $0.changed.isEmpty }),
                var type = property.fields["property_type"] as? [String: Any]
            else { return }
            property.change(version, ["nullable": nil, "on_delete": nil])
            type["association"] = "to_many"
            property.fields["property_type"] = type
            var item = property.history.removeLast()
            item["previous"] = (item["previous"] as? [String: Any] ?? [:]).merging(["association": "to_one"]) { $1 }
            property.history.append(item)
        default:
            guard let property = pick(properties), property.changed.isEmpty, let type = property.type else { return }
            if property.fields["computed"] != nil {
                guard
                    let text = pick(
                        properties.filter { $0.type == "string" && $0.fields["computed"] == nil && $0.changed.isEmpty })
                else { return }
                return property.change(version, ["computed": "'<' || \(text.name)"])
            }
            changeField(of: property, type, in: entity)
        }
    }

    private mutating func changeField(of property: Element, _ type: String, in entity: Element) {
        switch random.next() % 7 {
        case 0:
            if property.fields["nullable"] == nil {
                property.change(version, ["nullable": true])
            } else if property.fields["unique"] == nil {
                property.change(version, ["nullable": nil], ["fill": defaultValue(type)])
            }
        case 1: property.change(version, ["default_value": defaultValue(type)])
        case 2:
            let next = [
                "bool": "int", "int": "decimal", "float": "double", "url": "string", "uuid": "string", "kind": "string",
            ][type]
            guard let next, !isRead(property, in: entity), property.fields["minimum"] == nil,
                property.fields["default_value"] == nil
            else { return }
            property.change(version, ["property_type": next])
        case 3:
            guard property.fields["unique"] == nil else { return property.change(version, ["unique": nil]) }
            property.change(version, ["indexed": property.fields["indexed"] == nil ? true : nil])
        case 4:
            guard let minimum = property.fields["minimum"] as? Int else { return }
            property.change(version, ["minimum": random.next() % 2 == 0 ? minimum - 2 : nil])
        case 5:
            guard type == "string", property.fields["unique"] == nil else { return }
            property.change(version, ["collation": property.fields["collation"] == nil ? "nocase" : nil])
        default:
            // A new property takes the values of an old one.
            guard property.birth < version, type != "kind", property.fields["nullable"] == nil else { return }
            let copy = Element(["name": name("p"), "property_type": type], version)
            copy.history = [["version": "\(version).0", "fill_from": property.name]]
            entity.properties.append(copy)
        }
    }

    /// Whether a computed property reads a property. Its expression would have to change too.
    private func isRead(_ property: Element, in entity: Element) -> Bool {
        entity.properties.contains {
            !$0.isRemoved && ($0.fields["computed"] as? String)?.contains(property.name) == true
        }
    }

    private func target(of property: Element) -> String? {
        (property.fields["property_type"] as? [String: Any])?["entity_name"] as? String
    }

    /// Gives an entity another name. References name the entity of their last version.
    private func rename(_ entity: Element, to name: String) {
        let former = entity.name
        entity.change(version, ["name": name])
        exchange(former, name)
    }

    private func exchange(_ one: String, _ two: String) {
        for property in entities.filter({ !$0.isRemoved }).flatMap(\.properties) where !property.isRemoved {
            guard var type = property.fields["property_type"] as? [String: Any], let name = target(of: property),
                name == one || name == two
            else { continue }
            type["entity_name"] = name == one ? two : one
            property.changed.insert("target")
            property.fields["property_type"] = type
        }
    }
}

/// SplitMix64 (https://prng.di.unimi.it/splitmix64.c).
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
