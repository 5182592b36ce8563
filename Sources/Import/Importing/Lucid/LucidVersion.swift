import DescriptionEditing
import Descriptions
import JSONText
import SchemaModel

/// The descriptions of one version of an app that uses Lucid.
struct LucidVersion {
    let version: Version
    /// The tag of the version; nil for the files of the folder.
    let tag: String?
    /// The files, as Lucid reads them.
    let files: [SourceFile]
    /// The descriptions of entities that are stored, and of subtypes, in Strata's spelling.
    private(set) var elements: [Element] = []
    /// The stored part of this version.
    let stored: ModelVersion

    /// A description.
    struct Element: Hashable {
        /// The path in the folder.
        var path: String
        var isSubtype: Bool
        var json: JSONOutput

        var name: String { json["name"]?.string ?? "" }
        /// The items of its history.
        var items: [JSONOutput] { json["version_history"]?.elements ?? [] }
    }

    /// Reads the descriptions of a version.
    ///
    /// - Throws: `ImportError` if they are wrong.
    init(_ version: Version, tag: String?, files: [SourceFile], folder: String, schema: String) throws {
        // Lucid tells files apart by their folders, too.
        var names: Set<String> = []
        let files = files.map { file in
            var path = file.path
            var number = 2
            while !names.insert(SourceFile(path: path, bytes: []).baseName.lowercased()).inserted {
                path = file.path.dropLast(5) + "\(number).json"
                number += 1
            }
            return SourceFile(path: path, bytes: file.bytes)
        }
        (self.version, self.tag, self.files) = (version, tag, files)
        let read = ValidatedDescriptions(reading: files, folder: folder, schema: schema, isLucid: true)
        guard let history = read.history else {
            let problems = read.diagnostics.filter { $0.severity == .error }.map(\.description)
            throw ImportError(
                "the descriptions \(tag.map { "of \($0) " } ?? "")are wrong:\n" + problems.joined(separator: "\n"),
                path: folder)
        }
        stored = history.newest
        var keys: [String: JSONOutput] = [:]
        for file in files {
            let json = JSONOutput(try file.json())
            let isSubtype = file.path.hasPrefix("Subtypes/")
            let element = Element(
                path: file.path, isSubtype: isSubtype, json: Formatting.canonical(json, isSubtype: isSubtype))
            if isSubtype || element.json["persist"] == .bool(true) {
                elements.append(element)
            } else {
                let key = UnpersistedEntity(reading: file)?.key
                keys[element.name] = .string(key?.rawValue ?? "int")
            }
        }
        for index in elements.indices { elements[index].json.replaceReferences(to: keys) }
    }
}

extension JSONOutput {
    /// Replaces relationships to entities that are not stored by their primary keys.
    fileprivate mutating func replaceReferences(to keys: [String: JSONOutput]) {
        guard !keys.isEmpty else { return }
        if let sources = self["identifier"]?["derived_from_relationships"]?.elements {
            let stored = sources.filter { $0.string.map { keys[$0] == nil } ?? true }
            var identifier = self["identifier"]
            identifier?["derived_from_relationships"] = stored.isEmpty ? nil : .array(stored)
            self["identifier"] = identifier
        }
        guard case .array(let properties)? = self["properties"] else { return }
        self["properties"] = .array(
            properties.map { property in
                var property = property
                guard let name = property["property_type"]?["entity_name"]?.string, let key = keys[name] else {
                    return property
                }
                let association = property["property_type"]?["association"]?.string ?? ""
                property["property_type"] = association.hasSuffix("many") ? .string("[\(key.string ?? "")]") : key
                return property
            })
    }
}
