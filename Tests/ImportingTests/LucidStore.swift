/// A store of Core Data with the entities that Lucid generates.
///
/// Core Data did not write it. Its attributes are those that Lucid's generator of Core Data models gives to an entity, and its
/// columns are those of Core Data: `Z`, and the name of the attribute in capitals.
struct LucidStore {
    /// The types of attributes, with the types of their columns.
    enum AttributeType: String {
        case integer = "INTEGER"
        case text = "VARCHAR"
        case real = "FLOAT"
        case date = "TIMESTAMP"
        case bytes = "BLOB"
    }

    private(set) var sql = """
        CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
        CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
        CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB);

        """
    private var count = 0

    /// Adds an entity with its rows.
    ///
    /// - Parameters:
    ///   - name: The name of the Core Data entity.
    ///   - key: The type of its identifier.
    ///   - properties: The types of its values, by name. A name that begins with `>` is a to-one relationship.
    ///   - rows: The rows, as SQL by attribute. The first one is `_identifier` or `__identifier`.
    mutating func add(
        _ name: String, key: AttributeType = .integer, isVoid: Bool = false, isRemote: Bool = true,
        isLegacy: Bool = false,
        _ properties: KeyValuePairs<String, AttributeType>, rows: [KeyValuePairs<String, String>] = []
    ) {
        count += 1
        var attributes: [(String, AttributeType)] = [
            ("_identifier", key), ("__identifier", isVoid ? .integer : .text),
            (isLegacy ? "__typeUID" : "__type_uid", .text),
        ]
        if isRemote {
            attributes.append((isLegacy ? "_remoteSynchronizationState" : "_remote_synchronization_state", .text))
        }
        for (property, type) in properties {
            let name = property.drop { $0 == ">" }
            attributes.append(("_" + name, type))
            guard property.hasPrefix(">") else { continue }
            attributes += [("__" + name, .text), ("__" + name + (isLegacy ? "TypeUID" : "_type_uid"), .text)]
        }
        let columns = attributes.map { "Z\($0.uppercased()) \($1.rawValue)" }
        sql += "INSERT INTO Z_PRIMARYKEY VALUES (\(count), '\(name)', 0, \(rows.count));\n"
        sql += "CREATE TABLE Z\(name.uppercased()) (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, "
        sql += columns.joined(separator: ", ") + ");\n"
        for (index, row) in rows.enumerated() {
            let names = row.map { "Z" + $0.key.uppercased() }.joined(separator: ", ")
            sql += "INSERT INTO Z\(name.uppercased()) (Z_PK, Z_ENT, Z_OPT, \(names)) "
            sql += "VALUES (\(index + 1), \(count), 1, \(row.map(\.value).joined(separator: ", ")));\n"
        }
    }
}
