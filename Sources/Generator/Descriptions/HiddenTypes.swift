import SchemaDiff
import SchemaModel

/// Reports the entities and subtypes whose Swift types hide a well-known type in the module of the model.
enum HiddenTypes {
    /// The modules of the types that apps use most, by the names of the types.
    static let modules: [String: String] = {
        let names: [(String, String)] = [
            (
                "Swift",
                """
                Actor Array Bool Character Clock ClosedRange Codable Collection Comparable Decodable Decoder Dictionary Double \
                Duration Encodable Encoder Equatable Error Float Hashable Hasher Identifiable Int KeyPath Mirror Never \
                ObjectIdentifier Optional Range Regex Result Sendable Sequence Set Slice String Substring Task
                """
            ),
            (
                "Foundation",
                """
                AttributedString Bundle Calendar CharacterSet Data Date DateComponents DateFormatter DateInterval Decimal \
                Dimension FileHandle FileManager Formatter Host IndexPath IndexSet InputStream JSONDecoder JSONEncoder Locale \
                Measurement Notification NotificationCenter NumberFormatter Operation OperationQueue OutputStream Pipe Port \
                Process ProcessInfo Progress RunLoop Scanner Stream Thread TimeInterval TimeZone Timer URL URLComponents \
                UUID Unit UserDefaults
                """
            ),
            (
                "Strata",
                """
                Assignment Condition Cursor Ordering Outcome ReadTransaction Request Row Schema Selection Statement Store \
                StoreError StoreOptions WriteTransaction
                """
            ),
        ]
        return Dictionary(
            uniqueKeysWithValues: names.flatMap { module, types in
                types.split(separator: " ").map { (String($0), module) }
            })
    }()

    /// Returns a warning for each entity and subtype of the newest version whose type hides another one. Types of older versions
    /// are in the namespaces of their versions.
    static func diagnostics(_ history: SchemaHistory, _ sources: SourceMap) -> [Diagnostic] {
        let index = VersionIndex(history.versions.count - 1)
        func problem(_ name: String) -> Problem? {
            let type = SwiftName.type(name)
            return modules[type].map { .hiddenType(name, type: type, module: $0) }
        }
        var warnings = history.newest.entities.compactMap { entity in
            problem(entity.name).map { sources.diagnostic($0, entity: entity.lineage, at: index) }
        }
        warnings += history.newest.subtypes.compactMap { subtype in
            problem(subtype.name).map { sources.diagnostic($0, subtype: subtype.lineage, at: index) }
        }
        for warning in warnings.indices { warnings[warning].severity = .warning }
        return warnings
    }
}
