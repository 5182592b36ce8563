import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Reads the `contents` file of a Core Data model.
///
/// Source: the files that Xcode writes. Apple does not document their schema.
final class CoreDataParser: NSObject, XMLParserDelegate {
    /// The maximum size of a file, in bytes; larger files are rejected. A model of a thousand entities is smaller.
    static let maximumSize = 16 << 20
    /// The maximum depth of nested elements; deeper nesting is rejected. A model has five levels.
    static let maximumDepth = 32

    private let path: String
    private var model = CoreDataModel()
    private var failure: ImportError?
    /// The open elements, outermost first.
    private var open: [String] = []
    private var hasModel = false
    /// The open composite attributes of an entity, outermost first.
    private var composites: [Composite] = []

    private struct Composite {
        /// The path of its name, and of its renaming identifier.
        let name, token: String
        let isOptional: Bool
        let hasToken: Bool

        func isEmpty(_ model: CoreDataModel) -> Bool {
            guard let entity = model.entities.last else { return true }
            return !(entity.properties.map(\.name) + entity.unstored.map(\.name)).contains { $0.hasPrefix(name + ".") }
        }
    }

    private init(path: String) {
        self.path = path
    }

    /// Parses the model in `data`, which was read from `path`.
    ///
    /// External entities are never resolved. A file with a document type is rejected.
    static func parse(_ data: Data, path: String) throws -> CoreDataModel {
        guard data.count <= maximumSize else {
            throw ImportError("it has \(data.count) bytes, and no model has more than \(maximumSize)", path: path)
        }
        if let offset = data.firstIndex(of: 0) {
            let line = data[..<offset].count { $0 == 0x0a } + 1
            throw ImportError("it is not in UTF-8, as Xcode writes models", path: path, line: line)
        }
        // Foundation's parser on Linux ends the process at a name that is not UTF-8.
        guard String(data: data, encoding: .utf8) != nil else {
            throw ImportError("it is not in UTF-8, as Xcode writes models", path: path)
        }
        if let range = data.range(of: Data("<!DOCTYPE".utf8)) {
            let line = data[..<range.lowerBound].count { $0 == 0x0a } + 1
            throw ImportError(
                "it has a document type, which no model has; entities are not resolved", path: path, line: line)
        }
        let delegate = CoreDataParser(path: path)
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        let isParsed = parser.parse()
        if let failure = delegate.failure { throw failure }
        guard isParsed, delegate.hasModel, delegate.open.isEmpty else {
            throw ImportError("it has no <model>", path: path, line: max(1, parser.lineNumber))
        }
        return delegate.model
    }

    // MARK: Events

    func parser(_ parser: XMLParser, parseErrorOccurred error: any Error) {
        fail(Self.message(for: (error as NSError).code), parser)
    }

    func parser(
        _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
        attributes: [String: String]
    ) {
        let parent = open.last
        open.append(name)
        if open.count > Self.maximumDepth {
            fail("its elements are nested more than \(Self.maximumDepth) deep", parser)
            parser.abortParsing()
            return
        }
        switch (parent, name) {
        case (nil, "model"):
            hasModel = true
            model.identifier = attributes["userDefinedModelVersionIdentifier"]
        case (nil, _): fail("it begins with <\(name)>, and a model with <model>", parser)
        case ("model", "entity"): beginEntity(attributes, parser)
        case ("composite", "attribute"), ("composite", "composite"):
            if !composites.isEmpty { beginProperty(name, attributes, parser) }
        case ("entity", _): if !model.entities.isEmpty { beginProperty(name, attributes, parser) }
        case ("compoundIndex", "index"), ("uniquenessConstraint", "constraint"), ("fetchIndex", "fetchIndexElement"):
            beginPart(name, attributes, parser)
        case ("compoundIndexes", "compoundIndex"):
            entity { $0.indexes.append(CoreDataModel.Index(properties: [])) }
        case ("uniquenessConstraints", "uniquenessConstraint"): entity { $0.uniquenessConstraints.append([]) }
        default: break
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
    ) {
        if open.last == name { open.removeLast() }
        if name == "composite", let composite = composites.popLast(), composite.isEmpty(model) {
            unstored(composite.name, .compositeAttribute, hasColumns: true)
        }
    }

    private func fail(_ message: String, _ parser: XMLParser) {
        // The first error explains the others.
        if failure == nil { failure = ImportError(message, path: path, line: max(1, parser.lineNumber)) }
    }

    /// Returns the meaning of a libxml2 error code
    /// (https://gnome.pages.gitlab.gnome.org/libxml2/html/xmlerror_8h.html).
    private static func message(for code: Int) -> String {
        switch code {
        case 4: "the file is empty, or no XML"
        case 5, 77: "the XML ends before its elements do"
        case 9: "XML does not allow this character"
        case 26, 27: "an XML entity is used here that is not declared"
        case 38: "an attribute's value has \"<\" in it"
        case 39, 40, 41: "an attribute has no value in quotes"
        case 42: "an attribute appears here twice"
        case 65: "a space between two attributes is missing"
        case 68: "a name is missing, or not one of XML"
        case 73: "\">\" is missing"
        case 76: "a closing tag does not match the innermost open element"
        case 81: "the file is not in the encoding that it declares"
        default: "the file is not well-formed XML (libxml2 error \(code))"
        }
    }

    // MARK: Elements

    private func entity(_ change: (inout CoreDataModel.Entity) -> Void) {
        guard !model.entities.isEmpty else { return }
        change(&model.entities[model.entities.count - 1])
    }

    private func beginEntity(_ attributes: [String: String], _ parser: XMLParser) {
        guard let name = attributes["name"], !name.isEmpty else { return fail("an <entity> has no name", parser) }
        if model.entities.contains(where: { $0.name == name }) {
            return fail("the entity \(name) appears here a second time", parser)
        }
        model.entities.append(
            CoreDataModel.Entity(
                name: name, token: attributes["elementID"], line: parser.lineNumber, parent: attributes["parentEntity"],
                isAbstract: attributes["isAbstract"] == "YES", rewriteMark: attributes["versionHashModifier"]))
    }

    private func beginProperty(_ element: String, _ attributes: [String: String], _ parser: XMLParser) {
        switch element {
        case "attribute", "relationship", "fetchedProperty", "composite":
            guard let ownName = attributes["name"], !ownName.isEmpty else {
                return fail("<\(element)> has no name", parser)
            }
            let outer = composites.last
            let name = (outer.map { $0.name + "." } ?? "") + ownName
            var attributes = attributes
            if let outer {
                if outer.isOptional { attributes["optional"] = "YES" }
                let token = attributes["elementID"]
                if outer.hasToken || token != nil { attributes["elementID"] = outer.token + "." + (token ?? ownName) }
            }
            let others = model.entities.last?.properties ?? []
            if others.contains(where: { $0.name == name }) {
                return fail("the property \(name) appears here a second time", parser)
            }
            switch element {
            case "attribute": attribute(name, attributes)
            case "relationship": relationship(name, attributes)
            case "composite":
                let token = attributes["elementID"]
                composites.append(
                    Composite(
                        name: name, token: token ?? name, isOptional: attributes["optional"] == "YES",
                        hasToken: token != nil))
            default: unstored(name, .fetchedProperty)
            }
        case "fetchIndex":
            entity { entity in
                entity.indexes.append(CoreDataModel.Index(name: attributes["name"], properties: []))
                if let predicate = attributes["partialIndexPredicate"] {
                    entity.indexes[entity.indexes.count - 1].losses.append(.partial(predicate))
                }
            }
        default: break
        }
    }

    private func unstored(_ name: String, _ finding: ImportFinding, hasColumns: Bool = false) {
        entity { $0.unstored.append((name, finding, hasColumns)) }
    }

    /// The transformers that write the format of `NSKeyedArchiver`, which a conversion can read.
    private static let archivingTransformers: Set = [
        "NSSecureUnarchiveFromData", "NSSecureUnarchiveFromDataTransformer", "NSKeyedUnarchiveFromData",
        "NSKeyedUnarchiveFromDataTransformerName", "NSSecureUnarchiveFromDataTransformerName",
    ]

    private func attribute(_ name: String, _ attributes: [String: String]) {
        if attributes["transient"] == "YES" { return unstored(name, .transient) }
        if attributes["derived"] == "YES" {
            return unstored(name, .derived(from: attributes["derivationExpression"]), hasColumns: true)
        }
        guard let type = attributes["attributeType"], !type.isEmpty, type != "Undefined" else {
            return unstored(name, .untyped)
        }
        if type == "Composite" { return unstored(name, .compositeAttribute, hasColumns: true) }
        var losses: [ImportFinding] = []
        if let value = attributes["minValueString"] { losses.append(.unchecked(.minimum(value))) }
        if let value = attributes["maxValueString"] { losses.append(.unchecked(.maximum(value))) }
        if let text = attributes["regularExpressionString"] { losses.append(.unchecked(.pattern(text))) }
        let interval = attributes["minDateTimeInterval"] ?? attributes["maxDateTimeInterval"]
        if interval != nil { losses.append(.unchecked(.dates)) }
        var className = attributes["customClassName"] ?? attributes["attributeValueClassName"]
        if let transformer = attributes["valueTransformerName"], !transformer.isEmpty {
            if !Self.archivingTransformers.contains(transformer) {
                losses.append(.transformer(transformer))
                className = nil
            } else if CoreDataModel.Attribute(type: type, className: className).valueType == .scalar(.data) {
                losses.append(.transformer(transformer))
            }
        }
        let content = CoreDataModel.Attribute(
            type: type, className: className,
            defaultValue: attributes["defaultValueString"], defaultInterval: attributes["defaultDateTimeInterval"],
            isExternal: attributes["allowsExternalBinaryDataStorage"] == "YES")
        property(name, attributes, .attribute(content), losses)
    }

    private func relationship(_ name: String, _ attributes: [String: String]) {
        if attributes["transient"] == "YES" { return unstored(name, .transient) }
        guard let destination = attributes["destinationEntity"], !destination.isEmpty else {
            return unstored(name, .noDestination)
        }
        let isToMany = attributes["toMany"] == "YES"
        var losses: [ImportFinding] = []
        if isToMany, let count = attributes["minCount"], count != "0" { losses.append(.unchecked(.atLeast(count))) }
        if isToMany, let count = attributes["maxCount"], count != "0" { losses.append(.unchecked(.atMost(count))) }
        let content = CoreDataModel.Relationship(
            destination: destination, inverse: attributes["inverseName"], isToMany: isToMany,
            isOrdered: attributes["ordered"] == "YES", deletionRule: attributes["deletionRule"] ?? "Nullify")
        property(name, attributes, .relationship(content), losses)
    }

    private func property(
        _ name: String, _ attributes: [String: String], _ content: CoreDataModel.Content, _ losses: [ImportFinding]
    ) {
        entity {
            $0.properties.append(
                CoreDataModel.Property(
                    name: name, token: attributes["elementID"], isOptional: attributes["optional"] == "YES",
                    isIndexed: attributes["indexed"] == "YES", content: content, losses: losses,
                    rewriteMark: attributes["versionHashModifier"]))
        }
    }

    private func beginPart(_ element: String, _ attributes: [String: String], _ parser: XMLParser) {
        // These elements have a meaning only in the parents in which Xcode writes them.
        let parent =
            element == "constraint" ? "uniquenessConstraints" : element == "index" ? "compoundIndexes" : "entity"
        guard open.dropLast(2).last == parent, open.contains("entity") else { return }
        entity { entity in
            if element == "constraint" {
                guard let name = attributes["value"], !entity.uniquenessConstraints.isEmpty else { return }
                entity.uniquenessConstraints[entity.uniquenessConstraints.count - 1].append(name)
                return
            }
            let last = entity.indexes.count - 1
            if last < 0 { return }
            guard let name = attributes[element == "index" ? "value" : "property"] else {
                entity.indexes[last].losses.append(.expression(attributes["expression"]))
                return
            }
            if attributes["type"] == "RTree" { entity.indexes[last].losses.append(.rTree) }
            if attributes["order"] == "descending" {
                entity.indexes[last].descending.insert(name)
            }
            entity.indexes[last].properties.append(name)
        }
    }
}
