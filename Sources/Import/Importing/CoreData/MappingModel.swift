import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// A mapping model of Core Data: `xcmapping.xml` in an `.xcmappingmodel`. It tells how the app migrates from one version to
/// another.
///
/// The file is a store of objects that Xcode edits. Apple does not document it; the names are those of such files.
struct MappingModel {
    /// The mapping of an entity.
    struct Entity {
        var source: String?
        var destination: String?
        /// The class whose code migrates the objects; nil for Core Data's own.
        var policy: String?
        var properties: [Property] = []
    }

    /// The mapping of a property, by its name in the new version.
    struct Property {
        /// The origin of the values.
        enum Value: Hashable {
            /// The property of the same name, as Xcode generates it.
            case same
            case property(String)
            /// An expression that computes a value.
            case expression
        }

        var name: String
        var value: Value
    }

    /// The name of the folder, for messages.
    let name: String
    /// The names of the two versions.
    let source: String
    let destination: String
    private(set) var entities: [Entity] = []

    /// Reads all mapping models in a folder and its subfolders.
    static func read(in path: String) throws -> [MappingModel] {
        guard FileManager.default.isFolder(path) else { throw ImportError("there is no such folder", path: path) }
        let names = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        let models = try names.filter { $0.hasSuffix(".xcmappingmodel") }.sorted().map { name in
            try MappingModel(path: "\(path)/\(name)")
        }
        guard !models.isEmpty else { throw ImportError("there is no .xcmappingmodel in it", path: path) }
        return models
    }

    private init(path: String) throws {
        let file = path + "/xcmapping.xml"
        name = URL(fileURLWithPath: path).lastPathComponent
        guard let data = FileManager.default.contents(atPath: file), data.count <= 64 << 20 else {
            throw ImportError("it does not exist, cannot be read, or is too large", path: file)
        }
        // The type of the document is Apple's, and nothing is resolved.
        guard let text = String(data: data, encoding: .utf8), !text.contains("<!ENTITY"), !text.contains("\0") else {
            throw ImportError("it is not a mapping model in UTF-8", path: file)
        }
        let objects = try MappingObjects.parse(data, path: file)
        func model(_ key: String) throws -> String {
            guard let path = objects.first(of: "XDDEVMAPPINGMODEL")?.attributes[key] else {
                throw ImportError("it does not name the two versions", path: file)
            }
            let last = path.split(separator: "/").last.map(String.init) ?? path
            return last.hasSuffix(".xcdatamodel") ? String(last.dropLast(12)) : last
        }
        source = try model("sourcemodelpath")
        destination = try model("destinationmodelpath")
        for object in objects.all(of: "XDDEVENTITYMAPPING") {
            var entity = Entity(
                source: object.attributes["sourcename"], destination: object.attributes["destinationname"],
                policy: object.attributes["migrationpolicyclassname"])
            if entity.policy == "NSEntityMigrationPolicy" || entity.policy == "" { entity.policy = nil }
            let parts =
                object.references["attributemappings", default: []]
                + object.references["relationshipmappings", default: []]
            for part in parts.compactMap({ objects.byID[$0] }) {
                guard let name = part.attributes["name"] else { continue }
                let isSame = part.attributes["autogenerateexpression"] == "1"
                let value = part.attributes["valueexpressiondata"].map(Self.value)
                entity.properties.append(Property(name: name, value: isSame ? .same : value ?? .same))
            }
            entities.append(entity)
        }
    }

    /// Returns the origin that an archived expression describes: `$source.name` is a property.
    private static func value(_ base64: String) -> Property.Value {
        guard let data = Data(base64Encoded: base64, options: .ignoreUnknownCharacters),
            let plist = try? PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any],
            let objects = plist["$objects"] as? [Any]
        else { return .expression }
        let classes = objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String }
        guard classes.contains("NSKeyPathExpression"),
            !classes.contains(where: { ["NSConstantValueExpression", "NSFunctionExpression"].contains($0) })
        else { return .expression }
        let known = ["$null", "source", "valueForKeyPath:", "valueForKey:"]
        let names = objects.compactMap { $0 as? String }.filter { !known.contains($0) }
        return names.count == 1 && !names[0].contains(".") ? .property(names[0]) : .expression
    }
}

/// The objects of an XML store.
private final class MappingObjects: NSObject, XMLParserDelegate {
    struct Object {
        var type: String
        var attributes: [String: String] = [:]
        var references: [String: [String]] = [:]
    }

    private(set) var byID: [String: Object] = [:]
    private var order: [String] = []
    private var open: String?
    private var attribute: String?

    static func parse(_ data: Data, path: String) throws -> MappingObjects {
        let objects = MappingObjects()
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = objects
        guard parser.parse(), !objects.byID.isEmpty else {
            throw ImportError("it is not the XML of a mapping model", path: path, line: max(1, parser.lineNumber))
        }
        return objects
    }

    func all(of type: String) -> [Object] { order.compactMap { byID[$0] }.filter { $0.type == type } }

    func first(of type: String) -> Object? { all(of: type).first }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        switch name {
        case "object":
            guard let id = attributes["id"], let type = attributes["type"] else { return }
            open = id
            order.append(id)
            byID[id] = Object(type: type.uppercased())
        case "attribute":
            attribute = attributes["name"]?.lowercased()
            if let open, let attribute { byID[open]?.attributes[attribute] = "" }
        case "relationship":
            guard let open, let key = attributes["name"]?.lowercased() else { return }
            byID[open]?.references[key] = attributes["idrefs"]?.split(separator: " ").map(String.init) ?? []
        default: break
        }
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) {
        if let open, let attribute { byID[open]?.attributes[attribute, default: ""] += text }
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
        if name == "object" { open = nil }
        if name == "attribute" { attribute = nil }
    }
}

extension ModelImport {
    /// Takes the renames of mapping models, unless you answered otherwise, and notes what the app's code computes.
    mutating func apply(_ mappings: [MappingModel]) {
        for mapping in mappings {
            let old = versions.firstIndex { $0.formerName == mapping.source }
            guard let old, versions.indices.contains(old + 1), versions[old + 1].formerName == mapping.destination
            else {
                let index = versions.firstIndex { $0.formerName == mapping.destination } ?? old ?? 0
                notes.append(
                    ImportNote(
                        version: index,
                        finding: .unusedMapping(mapping.name, from: mapping.source, to: mapping.destination)))
                continue
            }
            for entity in mapping.entities { apply(entity, of: mapping, from: versions[old], at: old + 1) }
        }
    }

    private mutating func apply(
        _ entity: MappingModel.Entity, of mapping: MappingModel, from before: ImportedVersion, at index: Int
    ) {
        guard let destination = entity.destination else { return }
        func note(_ property: String?, _ finding: ImportFinding) {
            notes.append(ImportNote(version: index, entity: destination, property: property, finding: finding))
            // The app's code computes the values, and may read any of the old ones.
            for table in versions[index].entities.indices where versions[index].entities[table].contains(destination) {
                versions[index].entities[table].isCustom = true
            }
            for table in before.entities.indices where entity.source.map(before.entities[table].contains) == true {
                versions[index - 1].entities[table].isRead = true
            }
        }
        if let policy = entity.policy { note(nil, .migrationPolicy(policy, in: mapping.name)) }
        let now = versions[index]
        let new = now.entities.first { $0.name == destination }
        let old = before.entities.first { $0.name == entity.source }
        if let old, let new, old.name != new.name, !now.entities.contains(where: { $0.name == old.name }) {
            rules.renames.suggest(old.name, new.name, at: now.formerName)
        }
        // You may have answered that the entity is another one.
        let answer = old.flatMap { rules.renames.entities(at: now.formerName)[$0.name] }
        let isSame = old.map { answer.map { $0 == destination } ?? ($0.name == destination) } ?? false
        for property in entity.properties {
            switch property.value {
            case .same: break
            case .expression: note(property.name, .mappedValue(mapping.name))
            case .property(let name) where name == property.name: break
            case .property(let name):
                if isSame, let old, let new, old.properties.contains(where: { $0.name == name }),
                    new.properties.contains(where: { $0.name == property.name }),
                    !new.properties.contains(where: { $0.name == name })
                {
                    rules.renames.suggest(old.name + "." + name, property.name, at: now.formerName)
                } else {
                    note(property.name, .mappedValue(mapping.name))
                }
            }
        }
    }
}
