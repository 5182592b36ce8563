import Descriptions
import JSONText

/// The canonical layout of the files that you write: the order of keys, their spelling, and the lines.
package enum Formatting {
    /// Returns a file in the canonical layout.
    ///
    /// - Parameters:
    ///   - file: A description, or `strata.json`.
    ///   - isConfiguration: Whether it is `strata.json`.
    /// - Throws: `FileDiagnostics` if it is not valid JSON or has unknown keys.
    package static func format(_ file: SourceFile, isConfiguration: Bool = false) throws(FileDiagnostics) -> String {
        let json: JSON
        var diagnostics: [Diagnostic]
        do throws(Diagnostic) {
            json = try file.json()
            if isConfiguration {
                diagnostics = try ConfigurationReader.read(file).diagnostics
            } else {
                diagnostics = DescriptionFileReader.problems(in: file)
            }
        } catch {
            throw FileDiagnostics(all: [error])
        }
        diagnostics.removeAll { $0.severity != .error }
        guard case .object(let members) = json.value, diagnostics.isEmpty else {
            throw FileDiagnostics(all: diagnostics)
        }
        let isSubtype = DescriptionFileReader(file: file).isSubtype(members)
        let table = isConfiguration ? KeyTable.configuration : isSubtype ? .subtype : .entity
        return canonical(JSONOutput(json), table).file
    }

    /// The errors of a file.
    package struct FileDiagnostics: Error {
        package let all: [Diagnostic]
    }

    /// Returns the canonical form of a description.
    package static func canonical(_ value: JSONOutput) -> JSONOutput {
        canonical(value, value["cases"] != nil || value["options"] != nil ? .subtype : .entity)
    }

    /// Returns the canonical form of the description of an entity, or of a subtype.
    package static func canonical(_ value: JSONOutput, isSubtype: Bool) -> JSONOutput {
        canonical(value, isSubtype ? .subtype : .entity)
    }

    /// Returns the canonical form of a `strata.json`.
    package static func canonicalConfiguration(_ value: JSONOutput) -> JSONOutput {
        canonical(value, KeyTable.configuration)
    }

    private static func canonical(_ value: JSONOutput, _ table: KeyTable) -> JSONOutput {
        guard case .object(let members) = value else { return value }
        let order = table.keys.map(\.name)
        let known = members.map { member -> JSONOutput.Member in
            let key = table.canonical(member.key)
            return JSONOutput.Member(key, self.value(member.value, of: key, in: table))
        }
        // Keys of Lucid that a store does not need come after the others, in their order.
        let ranked = known.enumerated().map { index, member in
            (order.firstIndex(of: member.key) ?? order.count + index, member)
        }
        return .object(ranked.sorted { $0.0 < $1.0 }.map(\.1))
    }

    private static func value(_ value: JSONOutput, of key: String, in table: KeyTable) -> JSONOutput {
        if key == "version_history", case .array(let items) = value { return .array(items.map { item($0, of: table) }) }
        guard let inner = table.table(of: key) else { return value }
        if case .array(let elements) = value { return .array(elements.map { canonical($0, inner) }) }
        return canonical(value, inner)
    }

    /// Returns an item of the version history of an object of a kind. Its former values have the keys of this kind.
    private static func item(_ value: JSONOutput, of table: KeyTable) -> JSONOutput {
        var item = canonical(value, .item)
        guard let previous = item["previous"], !previous.members.isEmpty else { return item }
        var former = canonical(previous, table)
        if table.kind == .property { former = canonical(former, .propertyWithRelationship) }
        item["previous"] = former
        return item
    }
}
