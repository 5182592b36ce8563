import JSONText
import SchemaModel

/// Gives a version another number, in all files of a model.
package struct Renumbering {
    private let old: Version
    private let new: Version

    /// Returns the outcomes of giving the version `old` the number `new`, by the paths of the files.
    ///
    /// - Parameters:
    ///   - files: The descriptions.
    ///   - configuration: The file `strata.json`.
    /// - Throws: `Diagnostic` if a file is not valid JSON.
    package static func renumber(
        _ old: Version, to new: Version, in files: [SourceFile], configuration: SourceFile
    ) throws(Diagnostic) -> [String: FileOutcome] {
        let renumbering = Renumbering(old: old, new: new)
        var outcomes: [String: FileOutcome] = [:]
        for file in files + [configuration] {
            let json = try file.json()
            let value = JSONOutput(json)
            let isConfiguration = file.path == configuration.path
            var edits = JSONEdits(of: file.bytes)
            edits.change(json, to: isConfiguration ? renumbering.configuration(value) : renumbering.element(value))
            outcomes[file.path] = edits.isEmpty ? .kept : .rewritten(edits.result)
        }
        return outcomes
    }

    /// Renumbers the versions of an element, and those of the elements in it.
    private func element(_ value: JSONOutput) -> JSONOutput {
        var result = value
        for member in value.members {
            let key = KeyTable.anyCanonical(member.key)
            switch key {
            case "added_at_version", "removed_at_version", "version": result[key] = version(member.value)
            case "version_history", "properties", "indexes", "checks", "cases", "unused_cases", "options",
                "unused_options":
                if case .array(let elements) = member.value { result[key] = .array(elements.map(element)) }
            default: break
            }
        }
        return result
    }

    private func configuration(_ value: JSONOutput) -> JSONOutput {
        var result = value
        if case .array(let entries)? = value["versions"] {
            result["versions"] = .array(entries.map { $0.members.isEmpty ? version($0) : element($0) })
        }
        // The draft is the newest version, so only values can name it.
        if case .object(let links)? = value["chain"] {
            result["chain"] = .object(
                links.map { link in
                    if case .array(let targets) = link.value { return .init(link.key, .array(targets.map(version))) }
                    return .init(link.key, version(link.value))
                })
        }
        for key in ["current_version", "oldest_supported_version"] {
            if let named = value[key] { result[key] = version(named) }
        }
        return result
    }

    private func version(_ value: JSONOutput) -> JSONOutput {
        value.string.flatMap(Version.init) == old ? .string(new.text) : value
    }
}
